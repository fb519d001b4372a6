package storage

import (
	"bytes"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// SERIALIZABLE: a transaction remembers the ranges of keys that it has read, and the committer refuses it (40001) when a commit later
// than its snapshot wrote into one of them. What gets through has read, at its commit, what it would read now, so the order of
// commits is a serial order; a transaction that writes nothing stands in that order at its snapshot and is never refused.
//
// To that end the committer keeps what recent commits wrote, back to the oldest snapshot of a serializable transaction.

// Limits beyond which single keys and ranges are taken for the whole object.
const (
	maxReadRanges  = 10_000
	maxWrittenKeys = 10_000
)

// readSet is what a transaction has read. Several scans of a statement may add to it at once.
type readSet struct {
	snapshot kv.LSN

	mu     sync.Mutex
	ranges []kv.Range
	whole  map[string]bool // prefixes of objects that count as read altogether
}

// add notes a range of full keys that lies within one object; a nil end means to the object's last key.
func (r *readSet) add(kr kv.Range) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.whole[string(kr.Start[:kv.PrefixLen])] {
		return
	}
	r.ranges = append(r.ranges, kv.Range{Start: bytes.Clone(kr.Start), End: bytes.Clone(kr.End)})
	if len(r.ranges) > 2*maxReadRanges {
		if r.merge(); len(r.ranges) > maxReadRanges {
			r.collapse()
		}
	}
}

func (r *readSet) addKey(fullKey []byte) {
	if r != nil {
		r.add(kv.Range{Start: fullKey, End: append(fullKey[:len(fullKey):len(fullKey)], 0)})
	}
}

// merge sorts the ranges and joins those that meet.
func (r *readSet) merge() {
	slices.SortFunc(r.ranges, func(a, b kv.Range) int { return bytes.Compare(a.Start, b.Start) })
	out := r.ranges[:0]
	for _, x := range r.ranges {
		if n := len(out); n > 0 && (out[n-1].End == nil || bytes.Compare(x.Start, out[n-1].End) <= 0) {
			if out[n-1].End != nil && (x.End == nil || bytes.Compare(x.End, out[n-1].End) > 0) {
				out[n-1].End = x.End
			}
			continue
		}
		out = append(out, x)
	}
	r.ranges = out
}

// collapse takes every object that was read for read altogether.
func (r *readSet) collapse() {
	if r.whole == nil {
		r.whole = map[string]bool{}
	}
	for _, x := range r.ranges {
		r.whole[string(x.Start[:kv.PrefixLen])] = true
	}
	r.ranges = nil
}

// has tells whether the key was read. The ranges are merged.
func (r *readSet) has(k []byte) bool {
	if r.whole[string(k[:kv.PrefixLen])] {
		return true
	}
	i, _ := slices.BinarySearchFunc(r.ranges, k, func(x kv.Range, k []byte) int {
		if bytes.Compare(x.Start, k) <= 0 {
			return -1
		}
		return 1
	})
	return i > 0 && (r.ranges[i-1].End == nil || bytes.Compare(k, r.ranges[i-1].End) < 0)
}

// mayHave tells whether the row of a conflict, or an index of its relation, may have been read. Scans are over.
func (r *readSet) mayHave(rel *catalog.Relation, c *Conflict) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.merge()
	for p := range r.whole {
		if key.Space(p[0]) != key.Row {
			return true
		}
	}
	return r.has(key.AppendRow(nil, rel.Storage, c.Key)) || slices.ContainsFunc(r.ranges, func(x kv.Range) bool { return key.Space(x.Start[0]) != key.Row })
}

// touches tells whether anything of an object was read.
func (r *readSet) touches(prefix []byte) bool {
	if r.whole[string(prefix)] || len(prefix) == 0 {
		return true
	}
	return slices.ContainsFunc(r.ranges, func(x kv.Range) bool { return bytes.HasPrefix(x.Start, prefix) })
}

// written is what a commit wrote: keys, or the prefixes of whole objects when there are many.
type written struct {
	lsn      kv.LSN
	keys     [][]byte
	prefixes [][]byte
}

// writtenBy lists the keys that reads are checked against: rows, descriptors and entries of ordered indexes. When a spilled batch
// cannot be read any more, everything counts as written.
func writtenBy(c *commit) written {
	w := written{lsn: c.lsn}
	few := c.ops.len() <= maxWrittenKeys
	for it := c.Ops(); ; {
		op, ok, err := it.Next()
		if err != nil {
			return written{lsn: c.lsn, prefixes: [][]byte{{}}}
		}
		if !ok {
			return w
		}
		switch key.Space(op.Key[0]) {
		case key.Catalog, key.Row, key.Ordered:
		default:
			continue
		}
		if few {
			w.keys = append(w.keys, op.Key)
		} else if n := len(w.prefixes); n == 0 || !bytes.HasPrefix(op.Key, w.prefixes[n-1]) {
			w.prefixes = append(w.prefixes, op.Key[:kv.PrefixLen])
		}
	}
}

// into tells whether the commit wrote into what was read.
func (w *written) into(r *readSet) bool {
	return slices.ContainsFunc(w.keys, r.has) || slices.ContainsFunc(w.prefixes, r.touches)
}

// serial keeps the snapshots of serializable transactions and what was written after the oldest of them.
type serial struct {
	mu       sync.Mutex
	active   map[kv.LSN]int // snapshots of transactions that may still be refused
	recent   []written      // ascending
	underWay []*commit      // the group that is being applied: a snapshot taken now is older than it
}

// refuses tells whether c has read what a later commit wrote. The committer calls it under mu.
func (s *serial) refuses(c *commit) bool {
	if c.reads == nil {
		return false
	}
	c.reads.merge()
	for i := range s.recent {
		if s.recent[i].lsn > c.reads.snapshot && s.recent[i].into(c.reads) {
			return true
		}
	}
	for _, other := range s.underWay {
		if w := writtenBy(other); w.into(c.reads) {
			return true
		}
	}
	return false
}

// settle is called when the group under way is published, or has failed.
func (s *serial) settle(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && len(s.active) > 0 {
		for _, c := range s.underWay {
			s.recent = append(s.recent, writtenBy(c))
		}
	}
	s.underWay = s.underWay[:0]
}

// beginSerial gives the newest head for a serializable transaction and remembers its snapshot: what is committed after it, a group
// that is under way included, will be kept for the check.
func (db *DB) beginSerial() (*head, *readSet, error) {
	db.serial.mu.Lock()
	defer db.serial.mu.Unlock()
	h, err := db.acquire()
	if err != nil {
		return nil, nil, err
	}
	if db.serial.active == nil {
		db.serial.active = map[kv.LSN]int{}
	}
	r := &readSet{snapshot: h.snap.LSN()}
	db.serial.active[r.snapshot]++
	return h, r, nil
}

func (db *DB) endSerial(r *readSet) {
	db.serial.mu.Lock()
	defer db.serial.mu.Unlock()
	if db.serial.active[r.snapshot]--; db.serial.active[r.snapshot] == 0 {
		delete(db.serial.active, r.snapshot)
	}
	db.serial.forget()
}

// forget drops what no transaction can be refused for.
func (s *serial) forget() {
	if len(s.active) == 0 {
		s.recent = nil
		return
	}
	oldest := key.Unstamped
	for lsn := range s.active {
		oldest = min(oldest, lsn)
	}
	n := 0
	for n < len(s.recent) && s.recent[n].lsn <= oldest {
		n++
	}
	s.recent = slices.Delete(s.recent, 0, n)
}

func serializationFailure() error {
	return dberr.New(dberr.SerializationFailure, "could not serialize access due to read/write dependencies among transactions").
		WithDetail("A transaction that committed meanwhile has written what this one has read.").
		WithHint("The transaction might succeed if retried.")
}
