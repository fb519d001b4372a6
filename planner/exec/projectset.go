package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// projectSetOp evaluates set-returning functions of a select list: for each input row all calls run in lockstep until the longest
// one ends.
type projectSetOp struct {
	input   op
	calls   []*setCall
	in      *batch.Batch
	row     int
	streams []*rowStream
	cols    []*value.Column // the calls' columns
	from    []int32         // input position of each output row
	keep    []*value.Column // the input's columns, repeated
	out     batch.Batch
}

func (b *builder) projectSet(n *plan.ProjectSet) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &projectSetOp{input: in}
	scope := b.scope(n.Input.Cols())
	for _, c := range n.Calls {
		sc, err := b.setCall(scope, c)
		if err != nil {
			return nil, err
		}
		o.calls = append(o.calls, sc)
		for _, col := range c.Cols {
			o.cols = append(o.cols, value.NewColumn(col.Type, batch.Size))
		}
	}
	for _, c := range n.Input.Cols() {
		o.keep = append(o.keep, value.NewColumn(c.Type, batch.Size))
	}
	return o, nil
}

func (o *projectSetOp) open(ctx context.Context) error {
	if err := o.closeStreams(); err != nil {
		return err
	}
	o.in = nil
	return o.input.open(ctx)
}

// next fills a batch from rows of one input batch, whose columns are still there to copy from.
func (o *projectSetOp) next(ctx context.Context) (*batch.Batch, error) {
	for _, c := range o.cols {
		c.Reset()
	}
	o.from = o.from[:0]
	for len(o.from) < batch.Size {
		if o.streams == nil {
			more, err := o.nextRow(ctx)
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
		}
		more, err := appendStep(ctx, o.streams, o.cols)
		if err != nil {
			return nil, err
		}
		if !more {
			if err := o.closeStreams(); err != nil {
				return nil, err
			}
			continue
		}
		o.from = append(o.from, int32(o.in.Row(o.row)))
	}
	if len(o.from) == 0 {
		return nil, nil
	}
	cols := make([]*value.Column, 0, len(o.keep)+len(o.cols))
	for i, c := range o.keep {
		vec.Gather(c, o.in.Cols[i], o.from)
		cols = append(cols, c)
	}
	o.out = batch.Batch{Cols: append(cols, o.cols...), Len: len(o.from)}
	return &o.out, nil
}

// nextRow starts the calls for the next input row. It stops before a new input batch when output rows of the old one wait.
func (o *projectSetOp) nextRow(ctx context.Context) (bool, error) {
	if o.in != nil {
		if o.row++; o.row >= o.in.Rows() {
			if len(o.from) > 0 {
				o.row--
				return false, nil
			}
			o.in = nil
		}
	}
	if o.in == nil {
		in, err := nextRows(ctx, o.input)
		if err != nil || in == nil {
			return false, err
		}
		o.in, o.row = in, 0
	}
	for _, c := range o.calls {
		s, err := c.stream(ctx, o.in, int32(o.in.Row(o.row)))
		if err != nil {
			return false, err
		}
		o.streams = append(o.streams, s)
	}
	return true, nil
}

func (o *projectSetOp) closeStreams() error {
	var first error
	for _, s := range o.streams {
		if err := s.close(); first == nil {
			first = err
		}
	}
	o.streams = nil
	return first
}

func (o *projectSetOp) close() error {
	err := o.closeStreams()
	if e := o.input.close(); err == nil {
		err = e
	}
	return err
}
