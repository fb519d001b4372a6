package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// scanOp reads a stored relation. What the scan asks of storage is made at each open: bounds, filter constants and the limit may
// be parameters or come from an enclosing query.
type scanOp struct {
	b     *builder
	n     *plan.Scan
	cols  []storage.ScanCol
	limit eval.Node
	iter  batch.Iter
	empty bool // the bounds hold no row
}

func (b *builder) scan(n *plan.Scan) (op, error) {
	o := &scanOp{b: b, n: n, cols: make([]storage.ScanCol, len(n.Out))}
	for i := range n.Out {
		o.cols[i] = n.Out[i].Src
	}
	if n.Limit != nil {
		var err error
		if o.limit, err = b.scope(nil).Compile(n.Limit); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *scanOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	spec := storage.ScanSpec{Rel: o.n.Rel, Cols: o.cols, Filter: o.n.Filter, Reverse: o.n.Access.Reverse}
	if o.limit != nil {
		v, err := eval.Value(ctx, o.limit)
		if err != nil {
			return err
		}
		if o.empty = !v.IsNull() && v.Int() <= 0; o.empty {
			return nil
		}
		if !v.IsNull() {
			spec.Limit = v.Int()
		}
	}
	it, err := o.b.rt.Txn.Scan(ctx, &spec)
	o.iter = it
	return err
}

func (o *scanOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.iter == nil {
		return nil, nil
	}
	return o.iter.Next(ctx)
}

func (o *scanOp) close() error {
	if o.iter == nil {
		return nil
	}
	it := o.iter
	o.iter = nil
	return it.Close()
}

// copySourceOp reads the rows that a COPY FROM brings.
type copySourceOp struct{ iter batch.Iter }

func (b *builder) copySource(*plan.CopySource) (op, error) {
	if b.rt.CopySource == nil {
		return nil, dberr.New(dberr.InternalError, "COPY FROM has no source of rows")
	}
	return &copySourceOp{b.rt.CopySource}, nil
}

func (o *copySourceOp) open(context.Context) error { return nil }

func (o *copySourceOp) next(ctx context.Context) (*batch.Batch, error) { return o.iter.Next(ctx) }

func (o *copySourceOp) close() error { return nil }

// iterOp reads a stream that a function opens; open makes a new one each time.
type iterOp struct {
	start func(ctx context.Context) (batch.Iter, error)
	iter  batch.Iter
}

func (o *iterOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	it, err := o.start(ctx)
	o.iter = it
	return err
}

func (o *iterOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.iter == nil {
		return nil, nil
	}
	return o.iter.Next(ctx)
}

func (o *iterOp) close() error {
	if o.iter == nil {
		return nil
	}
	it := o.iter
	o.iter = nil
	return it.Close()
}

// pickOp shows some columns of its input.
type pickOp struct {
	op
	pick []int
	out  batch.Batch
}

func (o *pickOp) next(ctx context.Context) (*batch.Batch, error) {
	in, err := o.op.next(ctx)
	if err != nil || in == nil {
		return nil, err
	}
	if o.out.Cols == nil {
		o.out.Cols = make([]*value.Column, len(o.pick))
	}
	for i, k := range o.pick {
		o.out.Cols[i] = in.Cols[k]
	}
	o.out.Len, o.out.Sel = in.Len, in.Sel
	return &o.out, nil
}
