package postings

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// tail is what deltas say, in the order of commits, decoded once for all readers whose segments end where it begins.
type tail struct {
	mu      sync.RWMutex
	loaded  kv.LSN // deltas up to here are in
	entries []tailEntry
	newest  map[uint32]int32 // the last entry of an ordinal
	terms   map[string][]tailPosting
	last    *tailView // the newest view that was made
}

// tailEntry is one delta.
type tailEntry struct {
	lsn     kv.LSN
	ordinal uint32
	length  uint32
	gone    bool
	rowKey  []byte
	next    int32 // the entry that takes its place, -1 for none
}

// tailPosting is a term in an entry.
type tailPosting struct {
	entry     int32
	count     uint32
	positions []byte // as in the delta
}

func newTail(from kv.LSN) *tail {
	return &tail{loaded: from, newest: map[uint32]int32{}, terms: map[string][]tailPosting{}}
}

// MaxOrdinal is the greatest ordinal that postings can speak of.
const MaxOrdinal = math.MaxUint32 - 1

// CheckOrdinal refuses rows that postings cannot speak of (54000).
func CheckOrdinal(ordinal uint64) error {
	if ordinal > MaxOrdinal {
		return dberr.New(dberr.ProgramLimitExceeded, "a full-text index takes no more than %d rows in the life of a table", uint64(MaxOrdinal)+1)
	}
	return nil
}

// add takes a delta; it keeps value.
func (t *tail) add(lsn kv.LSN, ordinal uint64, value []byte) error {
	if err := CheckOrdinal(ordinal); err != nil {
		return err
	}
	d, err := decodeDelta(value)
	if err != nil {
		return err
	}
	n := int32(len(t.entries))
	e := tailEntry{lsn: lsn, ordinal: uint32(ordinal), length: uint32(d.length), gone: d.gone, rowKey: d.rowKey, next: -1}
	if old, ok := t.newest[e.ordinal]; ok {
		t.entries[old].next = n
	}
	t.newest[e.ordinal] = n
	t.entries = append(t.entries, e)
	for d.terms > 0 {
		text, positions, count, err := d.next()
		if err != nil {
			return err
		}
		t.terms[string(text)] = append(t.terms[string(text)], tailPosting{n, uint32(count), positions})
	}
	return nil
}

// load reads the committed deltas that the view has and the tail has not.
func (t *tail) load(ctx context.Context, s Store, v index.View) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded >= v.LSN() {
		return nil
	}
	it := v.Scan(ctx, key.Deltas(key.FullText, s.ID, t.loaded, v.LSN()))
	defer it.Close()
	for it.Next() {
		lsn, ordinal, err := key.SplitDelta(it.Key())
		if err == nil {
			err = t.add(lsn, ordinal, bytes.Clone(it.Value()))
		}
		if err != nil {
			return err
		}
		t.loaded = lsn - 1 // until all deltas of the commit are in
	}
	if it.Err() != nil {
		return it.Err()
	}
	t.loaded = v.LSN()
	return nil
}

// tailView is a tail as one snapshot sees it. It is immutable.
type tailView struct {
	tail *tail
	lsn  kv.LSN
	n    int        // entries that it sees
	live []liveDoc  // the documents, by ordinal
	all  []uint32   // the ordinals that it speaks of, sorted: what lies below is dead there
	word int64      // words in the live documents
	over *overlaid  // what this does to the segments, once a reader has asked
	mu   sync.Mutex // guards over
}

type liveDoc struct {
	ordinal uint32
	entry   int32
}

// at gives the view of the tail at an LSN, up to which it is loaded.
func (t *tail) at(lsn kv.LSN) *tailView {
	t.mu.RLock()
	n := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].lsn > lsn })
	if last := t.last; last != nil && last.n == n {
		t.mu.RUnlock()
		return last
	}
	v := &tailView{tail: t, lsn: lsn, n: n}
	for i := range t.entries[:n] {
		e := &t.entries[i]
		if e.next >= 0 && int(e.next) < n {
			continue
		}
		v.all = append(v.all, e.ordinal)
		if !e.gone {
			v.live = append(v.live, liveDoc{e.ordinal, int32(i)})
			v.word += int64(e.length)
		}
	}
	t.mu.RUnlock()
	slices.Sort(v.all)
	slices.SortFunc(v.live, func(a, b liveDoc) int { return cmp.Compare(a.ordinal, b.ordinal) })
	t.mu.Lock()
	if t.last == nil || t.last.n < n {
		t.last = v
	}
	t.mu.Unlock()
	return v
}

// find gives the entry of a live document.
func (v *tailView) find(ordinal uint32) (*tailEntry, bool) {
	i, ok := slices.BinarySearchFunc(v.live, ordinal, func(d liveDoc, o uint32) int { return cmp.Compare(d.ordinal, o) })
	if !ok {
		return nil, false
	}
	v.tail.mu.RLock()
	defer v.tail.mu.RUnlock()
	return &v.tail.entries[v.live[i].entry], true
}

// list gives the postings of a term.
func (v *tailView) list(term string, positions bool) *List {
	v.tail.mu.RLock()
	defer v.tail.mu.RUnlock()
	type found struct {
		ordinal uint32
		p       *tailPosting
	}
	var docs []found
	list := v.tail.terms[term]
	for i := range list {
		p := &list[i]
		if int(p.entry) >= v.n {
			break
		}
		if e := &v.tail.entries[p.entry]; !e.gone && (e.next < 0 || int(e.next) >= v.n) {
			docs = append(docs, found{e.ordinal, p})
		}
	}
	slices.SortFunc(docs, func(a, b found) int { return cmp.Compare(a.ordinal, b.ordinal) })
	m := &List{Ords: make([]uint32, len(docs)), Counts: make([]uint32, len(docs))}
	if positions {
		m.Starts = make([]int32, 1, len(docs)+1)
	}
	for i, d := range docs {
		m.Ords[i], m.Counts[i] = d.ordinal, d.p.count
		if positions {
			m.Positions = appendPositions(m.Positions, d.p.positions, int(d.p.count))
			m.Starts = append(m.Starts, int32(len(m.Positions)))
		}
	}
	return m
}

// terms gives the terms that begin with prefix, sorted.
func (v *tailView) terms(prefix string) []string {
	v.tail.mu.RLock()
	defer v.tail.mu.RUnlock()
	var out []string
	for t := range v.tail.terms {
		if strings.HasPrefix(t, prefix) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// ownTail reads what the transaction itself has written.
func ownTail(s Store, v index.View) (*tailView, error) {
	t := newTail(0)
	err := v.Own(key.Deltas(key.FullText, s.ID, key.Unstamped-1, key.Unstamped), func(k, value []byte) error {
		_, ordinal, err := key.SplitDelta(k)
		if err != nil || value == nil {
			return err
		}
		return t.add(key.Unstamped, ordinal, value)
	})
	if err != nil || len(t.entries) == 0 {
		return nil, err
	}
	return t.at(key.Unstamped), nil
}
