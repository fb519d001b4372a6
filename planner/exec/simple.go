package exec

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// emptyOp gives one row without columns, or nothing.
type emptyOp struct {
	rows bool
	left bool
	out  batch.Batch
}

func (o *emptyOp) open(context.Context) error {
	o.left = o.rows
	return nil
}

func (o *emptyOp) next(context.Context) (*batch.Batch, error) {
	if !o.left {
		return nil, nil
	}
	o.left = false
	o.out = batch.Batch{Len: 1}
	return &o.out, nil
}

func (o *emptyOp) close() error { return nil }

// filterOp keeps the rows for which a predicate is true.
type filterOp struct {
	input op
	pred  *eval.Predicate
	out   batch.Batch
	fault fault
}

func (b *builder) filter(n *plan.Filter) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	return b.filterOver(in, n)
}

func (b *builder) filterOver(in op, n *plan.Filter) (op, error) {
	pred, err := b.scope(n.Input.Cols()).Predicate(n.Pred)
	if err != nil {
		return nil, err
	}
	return &filterOp{input: in, pred: pred, fault: fault{repeatable: alone(n.Pred)}}, nil
}

func (o *filterOp) open(ctx context.Context) error {
	o.fault.err = nil
	return o.input.open(ctx)
}

func (o *filterOp) next(ctx context.Context) (*batch.Batch, error) {
	for {
		if err := o.fault.take(); err != nil {
			return nil, err
		}
		in, err := nextRows(ctx, o.input)
		if err != nil || in == nil {
			return nil, err
		}
		var sel []int32
		if err := o.fault.eval(ctx, in, func(rows *batch.Batch) (err error) {
			sel, err = o.pred.Select(ctx, rows)
			return err
		}); err != nil {
			return nil, err
		}
		if len(sel) == 0 {
			continue
		}
		o.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: sel}
		return &o.out, nil
	}
}

func (o *filterOp) close() error { return o.input.close() }

// projectOp computes columns.
type projectOp struct {
	input op
	items []eval.Node
	wide  []value.Column // constants repeated
	out   batch.Batch
	fault fault
	waits bool         // a row's expressions may wait: rows are given one by one
	cur   *batch.Batch // the input's batch of which rows are given …
	pos   []int32      // … and those to come
}

func (b *builder) project(n *plan.Project) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	return b.projectOver(in, n)
}

func (b *builder) projectOver(in op, n *plan.Project) (op, error) {
	items, err := b.scope(n.Input.Cols()).CompileAll(n.Items)
	if err != nil {
		return nil, err
	}
	repeatable := !slices.ContainsFunc(n.Items, func(e plan.Expr) bool { return !alone(e) })
	return &projectOp{input: in, items: items, fault: fault{repeatable: repeatable}, waits: slices.ContainsFunc(n.Items, plan.Waits), wide: make([]value.Column, len(items)), out: batch.Batch{Cols: make([]*value.Column, len(items))}}, nil
}

func (o *projectOp) open(ctx context.Context) error {
	o.fault.err, o.pos = nil, nil
	return o.input.open(ctx)
}

func (o *projectOp) next(ctx context.Context) (*batch.Batch, error) {
	if err := o.fault.take(); err != nil {
		return nil, err
	}
	in, err := o.rows(ctx)
	if err != nil || in == nil {
		return nil, err
	}
	err = o.fault.eval(ctx, in, func(rows *batch.Batch) error { return o.eval(ctx, rows) })
	return &o.out, err
}

// rows gives the input's next batch, or its next row.
func (o *projectOp) rows(ctx context.Context) (*batch.Batch, error) {
	if len(o.pos) == 0 {
		in, err := nextRows(ctx, o.input)
		if err != nil || in == nil || !o.waits {
			return in, err
		}
		o.cur, o.pos = in, vec.Positions(in.Sel, in.Len)
	}
	row := &batch.Batch{Cols: o.cur.Cols, Len: o.cur.Len, Sel: o.pos[:1]}
	o.pos = o.pos[1:]
	return row, nil
}

func (o *projectOp) eval(ctx context.Context, in *batch.Batch) error {
	for i, n := range o.items {
		v, err := n.Eval(ctx, in, in.Sel)
		if err != nil {
			return err
		}
		o.out.Cols[i] = vec.Expand(v, in.Len, &o.wide[i])
	}
	o.out.Len, o.out.Sel = in.Len, in.Sel
	return nil
}

func (o *projectOp) close() error { return o.input.close() }

// valuesOp gives listed rows.
type valuesOp struct {
	rows  [][]plan.Expr
	scope *eval.Scope
	cols  []*value.Column
	at    int
	out   batch.Batch
	// compiled keeps the evaluators of the expressions that are not constants, for further opens.
	compiled map[plan.Expr]eval.Node
}

func (b *builder) values(n *plan.Values) (op, error) {
	o := &valuesOp{rows: n.Rows, scope: b.scope(nil), compiled: map[plan.Expr]eval.Node{}}
	for _, c := range n.Out {
		o.cols = append(o.cols, value.NewColumn(c.Type, min(len(n.Rows), batch.Size)))
	}
	for _, row := range n.Rows {
		for _, e := range row {
			if _, plain := e.(*plan.Const); plain {
				continue
			}
			x, err := o.scope.Compile(e)
			if err != nil {
				return nil, err
			}
			o.compiled[e] = x
		}
	}
	return o, nil
}

func (o *valuesOp) open(context.Context) error {
	o.at = 0
	return nil
}

func (o *valuesOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.at >= len(o.rows) {
		return nil, nil
	}
	for _, c := range o.cols {
		c.Reset()
	}
	n := min(batch.Size, len(o.rows)-o.at)
	for _, row := range o.rows[o.at : o.at+n] {
		for i, e := range row {
			v, err := o.value(ctx, e)
			if err != nil {
				return nil, err
			}
			o.cols[i].Append(v)
		}
	}
	o.at += n
	o.out = batch.Batch{Cols: o.cols, Len: n}
	return &o.out, nil
}

func (o *valuesOp) value(ctx context.Context, e plan.Expr) (value.Value, error) {
	if c, ok := e.(*plan.Const); ok {
		return c.Val, nil
	}
	return eval.Value(ctx, o.compiled[e])
}

func (o *valuesOp) close() error { return nil }
