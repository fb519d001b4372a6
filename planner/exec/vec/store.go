package vec

import (
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// Store holds materialised rows by column; row i is value i of each column. Its owner adds to it, readers may then use it from
// several goroutines.
type Store struct {
	Cols  []*value.Column
	N     int
	Bytes int64 // an estimate of what the values take
}

// NewStore makes an empty store.
func NewStore(types []*value.Type) *Store {
	s := &Store{Cols: make([]*value.Column, len(types))}
	for i, t := range types {
		s.Cols[i] = value.NewColumn(t, 0)
	}
	return s
}

// Append adds the rows of b and returns by how many bytes the store grew.
func (s *Store) Append(b *batch.Batch) int64 { return s.AppendCols(b.Cols, b.Sel, b.Rows()) }

// AppendCols adds the rows at the positions sel of cols (nil: all n).
func (s *Store) AppendCols(cols []*value.Column, sel []int32, n int) int64 {
	var grown int64
	for i, c := range s.Cols {
		c.AppendFrom(cols[i], sel)
		grown += ColumnSize(cols[i], sel)
	}
	s.N += n
	s.Bytes += grown
	return grown
}

// AppendRow adds row i of cols.
func (s *Store) AppendRow(cols []*value.Column, i int) {
	for k, c := range s.Cols {
		AppendAt(c, cols[k], i)
	}
	s.N++
}

// Reset empties the store and keeps its memory.
func (s *Store) Reset() {
	for _, c := range s.Cols {
		c.Reset()
	}
	s.N, s.Bytes = 0, 0
}

// View sets b to the rows from … to-1 without copying; b's columns are views that live as long as nothing is added.
func (s *Store) View(b *batch.Batch, from, to int) {
	if len(b.Cols) != len(s.Cols) {
		b.Cols = make([]*value.Column, len(s.Cols))
		for i := range b.Cols {
			b.Cols[i] = &value.Column{}
		}
	}
	for i, c := range s.Cols {
		Slice(b.Cols[i], c, from, to)
	}
	b.Len, b.Sel = to-from, nil
}

// Gather sets b to the rows idx (below 0: a row of NULLs), copied into b's own columns.
func (s *Store) Gather(b *batch.Batch, idx []int32) {
	if len(b.Cols) != len(s.Cols) {
		b.Cols = make([]*value.Column, len(s.Cols))
		for i, c := range s.Cols {
			b.Cols[i] = value.NewColumn(c.Type, len(idx))
		}
	}
	for i, c := range s.Cols {
		Gather(b.Cols[i], c, idx)
	}
	b.Len, b.Sel = len(idx), nil
}

// Slice sets dst to a view of the values from … to-1 of src.
func Slice(dst, src *value.Column, from, to int) {
	dst.Type = src.Type
	dst.Nulls, dst.Lasting = nil, nil
	if len(src.Nulls) > 0 {
		dst.Nulls = src.Nulls[from:to:to]
	}
	switch src.Type.Kind {
	case value.KindBool:
		dst.Bools = src.Bools[from:to:to]
	case value.KindInt:
		dst.Ints = src.Ints[from:to:to]
	case value.KindFloat:
		dst.Flts = src.Flts[from:to:to]
	case value.KindString:
		dst.Strs = src.Strs[from:to:to]
	default:
		dst.Boxes = src.Boxes[from:to:to]
	}
}
