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
	names *bbolt.Cursor // over the names of buckets; nil when the range lies within one bucket
	in    *bucket       // the current bucket
	rows  *bbolt.Cursor // over its keys, from its pool; nil between buckets
	// bound is how far keys of the current bucket belong to the range: nil for all of them, else up to this key
	// (exclusive; backwards inclusive).
	bound []byte
	k     []byte // the whole key, built in place
	v     []byte
	begun bool
	done  bool
	err   error
}

// init begins a scan, with names only if it can leave the bucket that it begins in.
func (c *cursor) init(v *view, r kv.Range) {
	c.view, c.r, c.k = v, r, make([]byte, 0, 64)
	switch {
	case r.End != nil && bytes.Compare(r.Start, r.End) >= 0:
		c.done = true
	case !withinBucket(r):
		c.names = v.tx.Cursor()
	}
}

// withinBucket tells whether all keys of the range begin like its start.
func withinBucket(r kv.Range) bool {
	if len(r.Start) < kv.PrefixLen || r.End == nil {
		return false
	}
	next := [kv.PrefixLen]byte(r.Start) // becomes the first name behind that of the start
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			return bytes.Compare(next[:], r.End) >= 0
		}
	}
	return true
}

// close gives back what the cursor has borrowed; a second close does nothing.
func (c *cursor) close() {
	if c.rows != nil {
		c.in.cursors.Put(c.rows)
		c.rows = nil
	}
}

func (c *cursor) key() []byte   { return c.k }
func (c *cursor) value() []byte { return c.v }
func (c *cursor) fault() error  { return c.err }

func (c *cursor) next() bool {
	if c.done {
		return false
	}
	if c.done = !c.step(); c.done {
		c.close()
	}
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
		k, v = c.enter(name)
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
	switch {
	case c.names == nil && c.begun:
		return nil
	case c.names == nil:
		name = bucketName(c.r.Start)
	case c.begun:
		name = c.moveName()
	default:
		name = c.firstName()
	}
	c.begun = true
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
	c.close()
	if c.in = c.view.bucket(name); c.in.b == nil {
		return nil, nil
	}
	c.rows = c.in.cursors.Get().(*bbolt.Cursor)
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
