package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// changeCount counts the rows that a statement changed.
type changeCount struct{ n int64 }

// counter gives the count for a DML node: the statement's own when n is its main node.
func (b *builder) counter(n plan.Node) *changeCount {
	c := &changeCount{}
	if n == b.main {
		b.changes = c
	}
	return c
}

// mainNode is the node that a statement's command tag counts for.
func mainNode(n plan.Node) plan.Node {
	for {
		w, ok := n.(*plan.With)
		if !ok {
			return n
		}
		n = w.Input
	}
}

// changed builds the input of UPDATE or DELETE. Where it is a scan whose conditions storage judges, the scan locks its rows and judges
// them by their newest state: a row that another transaction has changed meanwhile does not make the statement run again. That costs a
// look at each row, so a scan that may find many does it only in a statement that runs again already.
func (b *builder) changed(n plan.Node, strength byte) (op, error) {
	in, err := b.build(n)
	if o, ok := in.(*scanOp); ok && (b.rt.Again || o.n.Access.Point != nil || o.n.Access.AnyOf != nil || o.n.Access.Unique) {
		o.lock = &plan.RowLock{Strength: strength, Wait: 'w'}
	}
	return in, err
}

// returning computes what a DML statement shows of the rows that it changed. Rows come as columns: the operator's input, then the
// columns that it binds.
type returning struct {
	items []eval.Node
	wide  []value.Column
	out   batch.Batch
}

func (b *builder) returning(r *plan.Returning, cols []plan.Col) (*returning, error) {
	if r == nil {
		return nil, nil
	}
	items, err := b.scope(cols).CompileAll(r.Items)
	if err != nil {
		return nil, err
	}
	return &returning{items: items, wide: make([]value.Column, len(items)), out: batch.Batch{Cols: make([]*value.Column, len(items))}}, nil
}

func (r *returning) rows(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	for i, n := range r.items {
		v, err := n.Eval(ctx, in, in.Sel)
		if err != nil {
			return nil, err
		}
		r.out.Cols[i] = vec.Expand(v, in.Len, &r.wide[i])
	}
	r.out.Len, r.out.Sel = in.Len, in.Sel
	return &r.out, nil
}

// dmlOp drives a DML operator: it changes batch after batch of its input; without RETURNING all of it in one call of next.
type dmlOp struct {
	input  op
	change func(ctx context.Context, in *batch.Batch) (*batch.Batch, error)
	shows  bool
	done   bool
}

func (o *dmlOp) open(ctx context.Context) error {
	o.done = false
	return o.input.open(ctx)
}

func (o *dmlOp) next(ctx context.Context) (*batch.Batch, error) {
	for !o.done {
		in, err := nextRows(ctx, o.input)
		if err != nil {
			return nil, err
		}
		if in == nil {
			o.done = true
			break
		}
		out, err := o.change(ctx, in)
		if err != nil {
			return nil, err
		}
		if o.shows && out != nil && out.Rows() > 0 {
			return out, nil
		}
	}
	return nil, nil
}

func (o *dmlOp) close() error { return o.input.close() }
