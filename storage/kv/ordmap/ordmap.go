// Package ordmap is the ordered map in memory under the key-value engines: bytes to bytes, copied in O(1).
// After Copy the two maps share nodes and each writes to its own copies of them. One goroutine may write a map;
// any number may read one that is no longer written.
package ordmap

import (
	"unsafe"

	"github.com/tidwall/btree"

	"github.com/omgdb/omgdb/storage/kv"
)

// Map owns the slices that it is given: nobody may change them afterwards. A nil value is a value of its own,
// different from an empty one (kv/bolt's layer marks deleted keys with it).
type Map struct {
	t     btree.Map[string, []byte]
	bytes int64
}

// Copy makes an independent map in O(1). It writes to m, so it belongs to m's writer.
func (m *Map) Copy() *Map { return &Map{*m.t.Copy(), m.bytes} }

// Len is the number of keys.
func (m *Map) Len() int { return m.t.Len() }

// Bytes is the sum of the lengths of keys and values.
func (m *Map) Bytes() int64 { return m.bytes }

// Get gives the value of key and whether there is one.
func (m *Map) Get(key []byte) ([]byte, bool) { return m.t.Get(text(key)) }

// Set puts value under key, replacing any.
func (m *Map) Set(key, value []byte) {
	old, replaced := m.t.Set(text(key), value)
	m.bytes += int64(len(value) - len(old))
	if !replaced {
		m.bytes += int64(len(key))
	}
}

// Delete removes key if it is there.
func (m *Map) Delete(key []byte) {
	if old, ok := m.t.Delete(text(key)); ok {
		m.bytes -= int64(len(key) + len(old))
	}
}

// Iter walks r; m must not be written meanwhile.
func (m *Map) Iter(r kv.Range) *Iter {
	return &Iter{it: m.t.Iter(), r: r}
}

// Iter follows kv.Iter without its Err and Close. Keys and values stay valid as long as they are referenced.
type Iter struct {
	it    btree.MapIter[string, []byte]
	r     kv.Range
	begun bool
	done  bool
}

// Next moves to the next key; false at the end, from then on.
func (i *Iter) Next() bool {
	if i.done {
		return false
	}
	i.done = !i.step() || i.beyond()
	return !i.done
}

func (i *Iter) step() bool {
	switch {
	case i.begun && i.r.Reverse:
		return i.it.Prev()
	case i.begun:
		return i.it.Next()
	}
	i.begun = true
	switch {
	case !i.r.Reverse:
		return i.it.Seek(text(i.r.Start))
	case i.r.End != nil && i.it.Seek(text(i.r.End)):
		return i.it.Prev()
	}
	return i.it.Last()
}

func (i *Iter) beyond() bool {
	if i.r.Reverse {
		return i.it.Key() < text(i.r.Start)
	}
	return i.r.End != nil && i.it.Key() >= text(i.r.End)
}

// Key is the current key.
func (i *Iter) Key() []byte {
	k := i.it.Key()
	return unsafe.Slice(unsafe.StringData(k), len(k))
}

// Value is the current value.
func (i *Iter) Value() []byte { return i.it.Value() }

// text views bytes as a string without copying; sound because keys in the map are never changed and
// those of a look-up live as long as it.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
