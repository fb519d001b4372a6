package vec

import (
	"hash/maphash"

	"github.com/omgdb/omgdb/storage/value"
)

// Table gives each distinct combination of key values a dense id, counted from 0 in order of first appearance. NULL is a value like
// any other. It is an open-addressing hash table over columns: nothing is allocated for a row.
type Table struct {
	Keys   []*value.Column // one value an id
	n      int
	eqs    []Equaler
	hashes []uint64 // of each id
	slots  []slot
	mask   uint64
	h      []uint64 // of the batch at hand
	single value.Kind
}

// slot is one place of the table: id+1 (0: free) and the hash's upper half, which spares most looks at the keys.
type slot struct {
	id  int32
	tag uint32
}

// NewTable makes an empty table over keys of the given types (none: everything is one id).
func NewTable(types []*value.Type) *Table {
	t := &Table{Keys: make([]*value.Column, len(types)), eqs: make([]Equaler, len(types))}
	for i, typ := range types {
		t.Keys[i] = value.NewColumn(typ, 0)
		t.eqs[i] = EqualerOf(typ)
	}
	if len(types) == 1 && formOf(types[0]) == plainForm && (types[0].Kind == value.KindInt || types[0].Kind == value.KindString) {
		t.single = types[0].Kind
	}
	t.rehash(64)
	return t
}

// Len is the number of ids given.
func (t *Table) Len() int { return t.n }

// Size estimates the bytes held beside the keys' values.
func (t *Table) Size() int64 { return int64(len(t.slots))*8 + int64(t.n)*8 }

// Reset forgets all ids and keeps the memory.
func (t *Table) Reset() {
	for _, k := range t.Keys {
		k.Reset()
	}
	t.n, t.hashes = 0, t.hashes[:0]
	clear(t.slots)
}

func (t *Table) rehash(size int) {
	t.slots, t.mask = make([]slot, size), uint64(size-1)
	for id, h := range t.hashes {
		at := h & t.mask
		for t.slots[at].id != 0 {
			at = (at + 1) & t.mask
		}
		t.slots[at] = slot{int32(id) + 1, uint32(h >> 32)}
	}
}

// Assign sets ids[k] to the id of the key at position pos[k], giving new ids to new keys.
func (t *Table) Assign(cols []Vec, pos []int32, ids []int32) { t.run(cols, pos, ids, true) }

// Find sets ids[k] to the id of the key at position pos[k], or to -1 when it has none.
func (t *Table) Find(cols []Vec, pos []int32, ids []int32) { t.run(cols, pos, ids, false) }

func (t *Table) run(cols []Vec, pos []int32, ids []int32, add bool) {
	if len(cols) == 0 {
		t.runUnit(pos, ids, add)
		return
	}
	t.h = resized(t.h, len(pos))
	Hash(cols, pos, t.h)
	if len(cols) == 1 && !cols[0].Const && len(cols[0].Nulls) == 0 && len(t.Keys[0].Nulls) == 0 {
		switch t.single {
		case value.KindInt:
			t.runInts(cols[0], pos, ids, add)
			return
		case value.KindString:
			t.runStrings(cols[0], pos, ids, add)
			return
		}
	}
	for k, i := range pos {
		h := t.h[k]
		at, tag, id := h&t.mask, uint32(h>>32), int32(-1)
		for {
			s := t.slots[at]
			if s.id == 0 {
				if add {
					id = t.add(cols, i, h, at)
				}
				break
			}
			if s.tag == tag && t.same(cols, i, s.id-1) {
				id = s.id - 1
				break
			}
			at = (at + 1) & t.mask
		}
		ids[k] = id
	}
}

func (t *Table) runUnit(pos []int32, ids []int32, add bool) {
	id := int32(0)
	if t.n == 0 && !add {
		id = -1
	} else if len(pos) > 0 {
		t.n = 1
	}
	for k := range pos {
		ids[k] = id
	}
}

func (t *Table) runInts(col Vec, pos []int32, ids []int32, add bool) {
	for k, i := range pos {
		h, x := t.h[k], col.Ints[i]
		at, tag, id := h&t.mask, uint32(h>>32), int32(-1)
		for {
			s := t.slots[at]
			if s.id == 0 {
				if add {
					id = t.add([]Vec{col}, i, h, at)
				}
				break
			}
			if s.tag == tag && t.Keys[0].Ints[s.id-1] == x {
				id = s.id - 1
				break
			}
			at = (at + 1) & t.mask
		}
		ids[k] = id
	}
}

func (t *Table) runStrings(col Vec, pos []int32, ids []int32, add bool) {
	for k, i := range pos {
		h, x := t.h[k], col.Strs[i]
		at, tag, id := h&t.mask, uint32(h>>32), int32(-1)
		for {
			s := t.slots[at]
			if s.id == 0 {
				if add {
					id = t.add([]Vec{col}, i, h, at)
				}
				break
			}
			if s.tag == tag && t.Keys[0].Strs[s.id-1] == x {
				id = s.id - 1
				break
			}
			at = (at + 1) & t.mask
		}
		ids[k] = id
	}
}

func (t *Table) same(cols []Vec, i int32, id int32) bool {
	for c, col := range cols {
		if !t.eqs[c](col.Column, col.At(i), t.Keys[c], int(id)) {
			return false
		}
	}
	return true
}

// add gives the key at position i a new id in the free slot at.
func (t *Table) add(cols []Vec, i int32, h, at uint64) int32 {
	id := int32(t.n)
	for c, col := range cols {
		AppendAt(t.Keys[c], col.Column, col.At(i))
	}
	t.n++
	t.hashes = append(t.hashes, h)
	t.slots[at] = slot{id + 1, uint32(h >> 32)}
	if uint64(t.n)*4 > uint64(len(t.slots))*3 {
		t.rehash(2 * len(t.slots))
	}
	return id
}

// AppendAt adds value i of src to dst, which has the same Kind.
func AppendAt(dst, src *value.Column, i int) {
	if src.IsNull(i) {
		dst.AppendNull()
		return
	}
	switch dst.Type.Kind {
	case value.KindBool:
		dst.Bools = append(dst.Bools, src.Bools[i])
	case value.KindInt:
		dst.Ints = append(dst.Ints, src.Ints[i])
	case value.KindFloat:
		dst.Flts = append(dst.Flts, src.Flts[i])
	case value.KindString:
		dst.Strs = append(dst.Strs, src.Strs[i])
	default:
		dst.Boxes = append(dst.Boxes, src.Boxes[i])
	}
	if len(dst.Nulls) > 0 {
		dst.Nulls = append(dst.Nulls, false)
	}
}

// HashString is the hash of a string as this package hashes text.
func HashString(s string) uint64 { return maphash.String(seed, s) }
