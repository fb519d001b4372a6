package session

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// keptRows are rows held in memory, to be read as often and in whatever direction is wanted: what DML shows, what utility
// statements show, WITH HOLD and SCROLL cursors. They count against an account.
type keptRows struct {
	schema  value.Schema
	cols    []*value.Column
	n       int
	account *functions.Account
	taken   int64
	at      int // next row that Next gives
	out     batch.Batch
}

func newKeptRows(schema value.Schema, account *functions.Account) *keptRows {
	k := &keptRows{schema: schema, account: account, cols: make([]*value.Column, len(schema))}
	for i, f := range schema {
		k.cols[i] = value.NewColumn(f.Type, 0)
	}
	return k
}

// table makes kept rows of values, for statements that compute what they show.
func table(schema value.Schema, rows ...[]value.Value) *keptRows {
	k := newKeptRows(schema, nil)
	for _, r := range rows {
		for i, v := range r {
			k.cols[i].Append(v)
		}
		k.n++
	}
	return k
}

// drain reads an iterator to its end. The rows then live as long as the transaction that they were read in, unless detach is called.
func (k *keptRows) drain(ctx context.Context, it batch.Iter) error {
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := k.add(b); err != nil {
			return err
		}
	}
}

func (k *keptRows) add(b *batch.Batch) error {
	size := int64(0)
	for _, c := range b.Cols {
		size += vec.ColumnSize(c, b.Sel)
	}
	if err := k.account.Grow(size); err != nil {
		return err
	}
	k.taken += size
	for i := range k.cols { // a cursor's rows have more columns than it shows
		c := b.Cols[i]
		if b.Sel == nil && c.Len() > b.Len {
			k.cols[i].AppendFrom(c, identity(b.Len))
			continue
		}
		k.cols[i].AppendFrom(c, b.Sel)
	}
	k.n += b.Rows()
	return nil
}

// detach copies every string out of the snapshot that it may point into, so that the rows outlive their transaction.
func (k *keptRows) detach() {
	for _, c := range k.cols {
		for i, s := range c.Strs {
			c.Strs[i] = string(append([]byte(nil), s...))
		}
	}
}

// free gives the memory back; the receiver may be nil.
func (k *keptRows) free() {
	if k != nil && k.taken != 0 {
		_ = k.account.Grow(-k.taken) // giving back never fails
		k.taken = 0
	}
}

// slice gives rows from (counted from 0) to before to; backwards when step is -1, then from > to. The batch is valid until the next call.
func (k *keptRows) slice(from, to, step int) *batch.Batch {
	k.out.Cols, k.out.Len, k.out.Sel = k.cols, k.n, k.out.Sel[:0]
	for i := from; i != to; i += step {
		k.out.Sel = append(k.out.Sel, int32(i))
	}
	return &k.out
}

// Schema implements batch.Iter.
func (k *keptRows) Schema() value.Schema { return k.schema }

// Next implements batch.Iter.
func (k *keptRows) Next(context.Context) (*batch.Batch, error) {
	if k.at >= k.n {
		return nil, nil
	}
	from := k.at
	k.at = min(k.n, from+batch.Size)
	return k.slice(from, k.at, 1), nil
}

// Close implements batch.Iter.
func (k *keptRows) Close() error {
	k.free()
	return nil
}

// identity is the selection of the first n positions.
func identity(n int) []int32 {
	sel := make([]int32, n)
	for i := range sel {
		sel[i] = int32(i)
	}
	return sel
}
