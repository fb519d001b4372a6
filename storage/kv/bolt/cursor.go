package bolt

import (
	"bytes"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/kv"
)

// cursor walks a range of a view, bucket after bucket. It is a source; one goroutine uses it.
type cursor struct {
	view  *view
	r     kv.Range
	names *bbolt.Cursor // over the names of buckets
	rows  *bbolt.Cursor // over the keys of the current bucket; nil between buckets
	// bound is how far keys of the current bucket belong to the range: nil for all of them, else up to this key
	// (exclusive; backwards inclusive).
	bound []byte
	k     []byte // the whole key, built in place
	v     []byte
	begun bool
	done  bool
	err   error
}

func (v *view) scan(r kv.Range) *cursor {
	return &cursor{view: v, r: r, names: v.tx.Cursor()}
}

func (c *cursor) key() []byte   { return c.k }
func (c *cursor) value() []byte { return c.v }
func (c *cursor) fault() error  { return c.err }

func (c *cursor) next() bool {
	if c.done {
		return false
	}
	c.done = !c.step()
	return !c.done
}

func (c *cursor) step() (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.err, ok = damaged(p, c.view.path), false
		}
	}()
	var k, v []byte
	if c.rows != nil {
		k, v = c.move()
	}
	for k == nil { // at the end of a bucket, or before the first
		name := c.nextName()
		if name == nil {
			return false
		}
		if k, v = c.enter(name); k == nil {
			c.rows = nil
		}
	}
	if c.bound != nil && c.beyond(k) {
		return false
	}
	c.k = append(c.k[:kv.PrefixLen-1], k...)
	if c.v = v; v == nil {
		c.v = []byte{}
	}
	return true
}

func (c *cursor) move() (k, v []byte) {
	if c.r.Reverse {
		return c.rows.Prev()
	}
	return c.rows.Next()
}

func (c *cursor) beyond(k []byte) bool {
	if c.r.Reverse {
		return bytes.Compare(k, c.bound) < 0
	}
	return bytes.Compare(k, c.bound) >= 0
}

// nextName gives the name of the next bucket that may have keys in the range, nil behind the last.
func (c *cursor) nextName() []byte {
	var name []byte
	if c.begun {
		name = c.moveName()
	} else {
		c.begun = true
		name = c.firstName()
	}
	for name != nil && len(name) != kv.PrefixLen { // the meta bucket
		name = c.moveName()
	}
	return name
}

func (c *cursor) moveName() (name []byte) {
	if c.r.Reverse {
		name, _ = c.names.Prev()
	} else {
		name, _ = c.names.Next()
	}
	return name
}

func (c *cursor) firstName() (name []byte) {
	switch {
	case !c.r.Reverse:
		if len(c.r.Start) == 0 {
			name, _ = c.names.First()
			return name
		}
		name, _ = c.names.Seek(c.r.Start[:min(kv.PrefixLen, len(c.r.Start))])
		return name
	case c.r.End == nil:
		name, _ = c.names.Last()
		return name
	case len(c.r.End) == 0:
		return nil
	}
	end := c.r.End[:min(kv.PrefixLen, len(c.r.End))]
	name, _ = c.names.Seek(end)
	switch {
	case name == nil:
		name, _ = c.names.Last()
	case len(end) < kv.PrefixLen || !bytes.Equal(name, end):
		name, _ = c.names.Prev()
	}
	return name
}

// enter goes to the first key of the range in the bucket; nil when it has none. It tells the range's far end by bound.
func (c *cursor) enter(name []byte) (k, v []byte) {
	near, far := c.r.Start, c.r.End
	if c.r.Reverse {
		near, far = far, near
	}
	if c.bound = nil; len(far) > 0 || far != nil && !c.r.Reverse {
		switch cmp := comparePrefix(name, far); {
		case cmp == 0:
			c.bound = bucketKey(far)
		case (cmp > 0) != c.r.Reverse:
			return nil, nil // the names behind it fail in the same way
		}
	}
	c.rows = c.view.bucket(name).b.Cursor()
	c.k = append(c.k[:0], name[:kv.PrefixLen-1]...)
	inside := len(near) >= kv.PrefixLen && bytes.Equal(name, bucketName(near))
	switch {
	case !c.r.Reverse && inside:
		return c.rows.Seek(bucketKey(near))
	case !c.r.Reverse:
		return c.rows.First()
	case inside:
		if k, _ := c.rows.Seek(bucketKey(near)); k != nil {
			return c.rows.Prev()
		}
	}
	return c.rows.Last()
}

// comparePrefix compares a bucket's name with a bound: 0 means that the bound lies among the bucket's keys, -1 that all
// of them are below it, 1 that none is.
func comparePrefix(name, bound []byte) int {
	if len(bound) < kv.PrefixLen {
		if bytes.Compare(name, bound) < 0 {
			return -1
		}
		return 1
	}
	return bytes.Compare(name, bound[:kv.PrefixLen])
}
