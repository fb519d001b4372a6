package overlay

import (
	"bytes"
	"slices"

	"github.com/tidwall/btree"

	"github.com/omgdb/omgdb/storage/kv"
)

// chunk is how many entries a cursor takes in one look under the lock.
const chunk = 128

// Cursor walks the entries of one prefix in key order, forwards or backwards, as a reader with one number sees them; deleted keys
// are shown too. Writes that come while it walks show only if the reader sees their number. One goroutine uses it.
type Cursor struct {
	o      *Overlay
	prefix Prefix
	r      kv.Range
	seq    uint64
	buf    []item
	at     int
	more   bool
	runs   []*runCursor
	epoch  int // of the runs
	err    error
}

type item struct {
	key, value []byte
}

// Cursor starts a walk over r, whose Start and End lie in one prefix (End may be the prefix's successor). It is nil when the
// transaction has written nothing there that the reader sees.
func (o *Overlay) Cursor(p Prefix, r kv.Range, seq uint64) *Cursor {
	o.mu.RLock()
	nothing := o.trees[p] == nil && len(o.runs) == 0
	o.mu.RUnlock()
	if nothing {
		return nil
	}
	c := &Cursor{o: o, prefix: p, r: r, seq: seq, more: true, epoch: -1}
	c.r.Start = slices.Clone(r.Start)
	c.fill()
	if len(c.buf) == 0 && c.err == nil {
		return nil
	}
	return c
}

// Key is the current key, nil at the end. Valid as long as the overlay.
func (c *Cursor) Key() []byte {
	if c == nil || c.at == len(c.buf) {
		return nil
	}
	return c.buf[c.at].key
}

// Value is the current value, nil when the key is deleted. Valid as long as the overlay.
func (c *Cursor) Value() []byte { return c.buf[c.at].value }

// Err tells why the walk ended before its end, if it did.
func (c *Cursor) Err() error {
	if c == nil {
		return nil
	}
	return c.err
}

// Next moves on.
func (c *Cursor) Next() {
	if c.at++; c.at == len(c.buf) && c.more {
		c.fill()
	}
}

// fill takes the next chunk of visible entries from memory and runs.
func (c *Cursor) fill() {
	var last []byte
	if n := len(c.buf); n > 0 {
		last = c.buf[n-1].key
	}
	c.buf, c.at, c.more = c.buf[:0], 0, false
	c.o.mu.RLock()
	defer c.o.mu.RUnlock()
	if c.epoch != c.o.epoch {
		c.epoch, c.runs = c.o.epoch, c.runs[:0]
		for _, r := range c.o.runs {
			c.runs = append(c.runs, r.seek(c.from(last), c.r.Reverse))
		}
	}
	sources := []source{c.memory(c.from(last))}
	for i := len(c.runs) - 1; i >= 0; i-- {
		if c.err = c.runs[i].err; c.err != nil {
			return
		}
		sources = append(sources, c.runs[i])
	}
	m := newMerger(sources, c.r.Reverse)
	for len(c.buf) < chunk {
		group := m.next()
		if group == nil || !c.take(group, last) {
			return
		}
	}
	c.more = true
}

// from is where to go on: at the last key shown, or at the near end of the range. nil is the beginning of everything.
func (c *Cursor) from(last []byte) []byte {
	switch {
	case last != nil:
		return last
	case c.r.Reverse:
		return c.r.End
	}
	return c.r.Start
}

// take adds the newest visible version of a key; false when the range is passed.
func (c *Cursor) take(group []*Entry, last []byte) bool {
	k := group[0].key
	if c.r.Reverse {
		if bytes.Compare(k, c.r.Start) < 0 {
			return false
		}
		if c.r.End != nil && bytes.Compare(k, c.r.End) >= 0 {
			return true
		}
	} else if c.r.End != nil && bytes.Compare(k, c.r.End) >= 0 {
		return false
	}
	if last != nil && bytes.Equal(k, last) {
		return true
	}
	for _, e := range group {
		if v := c.o.at(e, c.seq); v != nil {
			c.buf = append(c.buf, item{k, v.value})
			break
		}
	}
	return true
}

// memory gives the entries in memory from a key on.
func (c *Cursor) memory(from []byte) source {
	t := c.o.trees[c.prefix]
	if t == nil {
		return &treeSource{}
	}
	s := &treeSource{it: t.entries.Iter(), reverse: c.r.Reverse}
	switch {
	case from == nil && c.r.Reverse:
		s.has = s.it.Last()
	case from == nil:
		s.has = s.it.First()
	case c.r.Reverse:
		if s.has = s.it.Seek(text(from)); !s.has {
			s.has = s.it.Last()
		} else if s.it.Key() > text(from) {
			s.has = s.it.Prev()
		}
	default:
		s.has = s.it.Seek(text(from))
	}
	return s
}

// treeSource walks a tree that is not written meanwhile.
type treeSource struct {
	it      btree.MapIter[string, *Entry]
	reverse bool
	has     bool
}

func (s *treeSource) entry() *Entry {
	if !s.has {
		return nil
	}
	return s.it.Value()
}

func (s *treeSource) next() {
	if s.reverse {
		s.has = s.it.Prev()
	} else {
		s.has = s.it.Next()
	}
}

// forest walks several trees one after the other.
type forest struct {
	trees []*tree
	now   treeSource
}

func (f *forest) entry() *Entry {
	for !f.now.has && len(f.trees) > 0 {
		f.now = treeSource{it: f.trees[0].entries.Iter()}
		f.now.has = f.now.it.First()
		f.trees = f.trees[1:]
	}
	return f.now.entry()
}

func (f *forest) next() { f.now.next() }

// all walks everything in memory in key order.
func (o *Overlay) all() *forest {
	f := &forest{}
	for _, t := range o.trees {
		f.trees = append(f.trees, t)
	}
	slices.SortFunc(f.trees, func(a, b *tree) int { return bytes.Compare(a.prefix[:], b.prefix[:]) })
	return f
}

// Final is a key's outcome when the transaction commits.
type Final struct {
	Key       []byte
	Value     []byte // nil: deleted
	Stamp     int    // kv.Op.ValueStamp
	Base      []byte // the committed value before, nil for none
	BaseKnown bool
}

// Finals calls f for the newest version of every key in key order until it fails; what it gives f is overwritten by the next, its
// bytes are not. The overlay must not be written meanwhile.
func (o *Overlay) Finals(f func(*Final) error) error {
	o.mu.RLock()
	defer o.mu.RUnlock()
	sources := []source{o.all()}
	var runs []*runCursor
	for i := len(o.runs) - 1; i >= 0; i-- {
		c := o.runs[i].seek(nil, false)
		runs = append(runs, c)
		sources = append(sources, c)
	}
	m := newMerger(sources, false)
	var out Final
	for group := m.next(); group != nil; group = m.next() {
		if o.final(&out, group) {
			if err := f(&out); err != nil {
				return err
			}
		}
	}
	for _, c := range runs {
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// final gives a key's outcome: its newest version, and the base that was told with its oldest; false when all of it was rolled back.
func (o *Overlay) final(out *Final, group []*Entry) bool {
	found := false
	for _, e := range group {
		v := o.at(e, ^uint64(0))
		if v == nil {
			continue
		}
		if !found {
			found = true
			*out = Final{Key: e.key, Value: v.value, Stamp: v.stamp}
		}
		out.Base, out.BaseKnown = e.base, e.known
	}
	return found
}
