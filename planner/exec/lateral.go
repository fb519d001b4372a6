package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// outerRow binds columns of a batch to slots, one row at a time.
type outerRow struct {
	run   *eval.Run
	slots []*eval.Slot
	from  []int // column of the batch for each slot
}

// outer declares those of cols that free refers to.
func (b *builder) outer(free plan.ColSet, cols []plan.Col) *outerRow {
	r := &outerRow{run: b.run}
	for i, c := range cols {
		if free.Has(c.ID) {
			r.slots = append(r.slots, b.run.Declare(c))
			r.from = append(r.from, i)
		}
	}
	return r
}

// bind makes position i of the batch's columns the current row.
func (r *outerRow) bind(cols []*value.Column, i int) {
	if len(r.slots) == 0 {
		return
	}
	for k, s := range r.slots {
		s.Bind(cols[r.from[k]], i)
	}
	r.run.Rebound()
}

// lateralOp joins each left row with the rows of a right side that is opened anew for it.
type lateralOp struct {
	kind        plan.JoinKind
	left, right op
	outer       *outerRow
	on          *eval.Predicate // over the right columns, the left row being outer
	nLeft       int
	in          *batch.Batch
	row         int
	active      bool // the right side is open for row
	matched     bool
	cols        []*value.Column
	out         batch.Batch
}

func (b *builder) lateral(n *plan.Join) (op, error) {
	switch n.Kind {
	case plan.RightJoin, plan.FullJoin, plan.AntiNullJoin:
		return nil, dberr.New(dberr.FeatureNotSupported, "LATERAL cannot be the nullable side of such a join")
	}
	left, err := b.build(n.Left)
	if err != nil {
		return nil, err
	}
	free := plan.Free(n.Right)
	if n.On != nil {
		plan.Refs(n.On, free)
	}
	o := &lateralOp{kind: n.Kind, left: left, outer: b.outer(free, n.Left.Cols()), nLeft: len(n.Left.Cols())}
	b.depth++
	o.right, err = b.build(n.Right)
	b.depth--
	if err != nil {
		return nil, err
	}
	if n.On != nil {
		if o.on, err = b.scope(n.Right.Cols()).Predicate(n.On); err != nil {
			return nil, err
		}
	}
	for _, c := range append(append([]plan.Col(nil), n.Left.Cols()...), n.Right.Cols()...) {
		o.cols = append(o.cols, value.NewColumn(c.Type, 0))
	}
	return o, nil
}

func (o *lateralOp) open(ctx context.Context) error {
	o.in, o.active = nil, false
	return o.left.open(ctx)
}

func (o *lateralOp) next(ctx context.Context) (*batch.Batch, error) {
	for _, c := range o.cols {
		c.Reset()
	}
	n := 0
	for n < batch.Size {
		if o.in == nil {
			if n > 0 {
				break // the columns of the next left batch come into the same memory only when these rows are gone
			}
			in, err := nextRows(ctx, o.left)
			if err != nil || in == nil {
				return nil, err
			}
			o.in, o.row = in, 0
		}
		grown, err := o.advance(ctx)
		if err != nil {
			return nil, err
		}
		n += grown
	}
	if n == 0 {
		return nil, nil
	}
	o.out = batch.Batch{Cols: o.cols, Len: n}
	if o.leftOnly() {
		o.out.Cols = o.cols[:o.nLeft]
	}
	return &o.out, nil
}

func (o *lateralOp) leftOnly() bool { return o.kind == plan.SemiJoin || o.kind == plan.AntiJoin }

// advance appends the rows of one right batch, or ends the right side for the left row at hand; it tells how many rows it appended.
func (o *lateralOp) advance(ctx context.Context) (int, error) {
	at := o.in.Row(o.row)
	if !o.active {
		o.outer.bind(o.in.Cols, at)
		if err := o.right.open(ctx); err != nil {
			return 0, err
		}
		o.active, o.matched = true, false
	}
	right, err := nextRows(ctx, o.right)
	if err != nil {
		return 0, err
	}
	if right == nil {
		return o.endRow(at)
	}
	sel := right.Sel
	if o.on != nil {
		if sel, err = o.on.Select(ctx, right); err != nil {
			return 0, err
		}
	}
	n := len(vec.Positions(sel, right.Len))
	if n == 0 {
		return 0, nil
	}
	o.matched = true
	if o.leftOnly() {
		return o.endRow(at)
	}
	for k, c := range o.in.Cols {
		for range n {
			vec.AppendAt(o.cols[k], c, at)
		}
	}
	for k, c := range right.Cols {
		o.cols[o.nLeft+k].AppendFrom(c, sel)
	}
	return n, nil
}

// endRow closes the right side and shows the left row alone where the kind of join wants it.
func (o *lateralOp) endRow(at int) (int, error) {
	show := o.kind == plan.LeftJoin && !o.matched || o.kind == plan.SemiJoin && o.matched || o.kind == plan.AntiJoin && !o.matched
	n := 0
	if show {
		for k, c := range o.in.Cols {
			vec.AppendAt(o.cols[k], c, at)
		}
		for _, c := range o.cols[o.nLeft:] {
			c.AppendNull()
		}
		n = 1
	}
	o.active = false
	if o.row++; o.row >= o.in.Rows() {
		o.in = nil
	}
	return n, o.right.close()
}

func (o *lateralOp) close() error {
	o.in, o.active = nil, false
	return closeAll(o.left, o.right)
}
