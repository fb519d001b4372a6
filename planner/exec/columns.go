package exec

import (
	"context"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// columnsOp gives constant rows that the plan holds as columns, a batch at a time and without copying values.
type columnsOp struct {
	cols []*value.Column
	at   int
	out  batch.Batch
}

func (o *columnsOp) open(context.Context) error {
	o.at = 0
	return nil
}

func (o *columnsOp) next(context.Context) (*batch.Batch, error) {
	n := min(batch.Size, o.cols[0].Len()-o.at)
	if n <= 0 {
		return nil, nil
	}
	o.out = batch.Batch{Cols: make([]*value.Column, len(o.cols)), Len: n}
	for i, c := range o.cols {
		o.out.Cols[i] = slice(c, o.at, o.at+n)
	}
	o.at += n
	return &o.out, nil
}

func (o *columnsOp) close() error { return nil }

// slice gives the values from..to of a column, sharing its memory.
func slice(c *value.Column, from, to int) *value.Column {
	s := &value.Column{Type: c.Type}
	if len(c.Nulls) > 0 {
		s.Nulls = c.Nulls[from:to:to]
	}
	switch c.Type.Kind {
	case value.KindBool:
		s.Bools = c.Bools[from:to:to]
	case value.KindInt:
		s.Ints = c.Ints[from:to:to]
	case value.KindFloat:
		s.Flts = c.Flts[from:to:to]
	case value.KindString:
		s.Strs = c.Strs[from:to:to]
	default:
		s.Boxes = c.Boxes[from:to:to]
	}
	return s
}
