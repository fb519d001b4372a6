package overlay

import (
	"bytes"
	"slices"

	"github.com/omgdb/omgdb/storage/kv"
)

// chunk is how many entries a cursor takes in one look under the lock.
const chunk = 128

// Cursor walks the entries of one prefix in key order, forwards or backwards, as a reader with one number sees them; deleted keys
// are shown too. Writes that come while it walks show only if the reader sees their number. One goroutine uses it.
type Cursor struct {
	o    *Overlay
	r    kv.Range
	seq  uint64
	buf  []item
	at   int
	more bool
}

type item struct {
	key, value []byte
}

// Cursor starts a walk over r, whose Start and End lie in one prefix (End may be the prefix's successor). It is nil when the
// transaction has written nothing there.
func (o *Overlay) Cursor(p Prefix, r kv.Range, seq uint64) *Cursor {
	o.mu.RLock()
	t := o.trees[p]
	o.mu.RUnlock()
	if t == nil {
		return nil
	}
	c := &Cursor{o: o, r: r, seq: seq, more: true}
	c.r.Start = slices.Clone(r.Start)
	c.fill(t)
	if len(c.buf) == 0 {
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

// Next moves on.
func (c *Cursor) Next() {
	if c.at++; c.at == len(c.buf) && c.more {
		c.o.mu.RLock()
		t := c.o.trees[Prefix(c.buf[0].key)]
		c.o.mu.RUnlock()
		c.fill(t)
	}
}

// fill takes the next chunk; what was written meanwhile by the reader's own statement is invisible by its number.
func (c *Cursor) fill(t *tree) {
	var last []byte
	if n := len(c.buf); n > 0 {
		last = c.buf[n-1].key
	}
	c.buf, c.at, c.more = c.buf[:0], 0, false
	c.o.mu.RLock()
	defer c.o.mu.RUnlock()
	if c.r.Reverse {
		c.backwards(t, last)
	} else {
		c.forwards(t, last)
	}
}

func (c *Cursor) take(e *Entry) bool {
	value, f := e.at(c.seq)
	if f == Untouched {
		return true
	}
	if len(c.buf) == chunk {
		c.more = true
		return false
	}
	c.buf = append(c.buf, item{e.key, value})
	return true
}

func (c *Cursor) forwards(t *tree, last []byte) {
	from := c.r.Start
	if last != nil {
		from = last
	}
	t.entries.Ascend(text(from), func(_ string, e *Entry) bool {
		if last != nil && bytes.Equal(e.key, last) {
			return true
		}
		if c.r.End != nil && bytes.Compare(e.key, c.r.End) >= 0 {
			return false
		}
		return c.take(e)
	})
}

func (c *Cursor) backwards(t *tree, last []byte) {
	step := func(_ string, e *Entry) bool {
		switch {
		case last != nil && bytes.Compare(e.key, last) >= 0:
			return true
		case c.r.End != nil && bytes.Compare(e.key, c.r.End) >= 0:
			return true
		case bytes.Compare(e.key, c.r.Start) < 0:
			return false
		}
		return c.take(e)
	}
	switch {
	case last != nil:
		t.entries.Descend(text(last), step)
	case c.r.End != nil:
		t.entries.Descend(text(c.r.End), step)
	default:
		t.entries.Reverse(step)
	}
}

// Final is a key's outcome when the transaction commits.
type Final struct {
	Key       []byte
	Value     []byte // nil: deleted
	Stamp     int    // kv.Op.ValueStamp
	Base      []byte // the committed value before, nil for none
	BaseKnown bool
}

// Finals calls f for the newest version of every key in key order until it fails. The overlay must not be written meanwhile.
func (o *Overlay) Finals(f func(*Final) error) error {
	o.mu.RLock()
	defer o.mu.RUnlock()
	prefixes := make([]Prefix, 0, len(o.trees))
	for p := range o.trees {
		prefixes = append(prefixes, p)
	}
	slices.SortFunc(prefixes, func(a, b Prefix) int { return bytes.Compare(a[:], b[:]) })
	var err error
	for _, p := range prefixes {
		o.trees[p].entries.Scan(func(_ string, e *Entry) bool {
			err = f(&Final{e.key, e.top.value, e.top.stamp, e.base, e.known})
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
