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

// subqueryNode evaluates a subquery for rows of the enclosing query. An uncorrelated one depends on no row: eval computes it once.
type subqueryNode struct {
	q       *plan.Subquery
	op      op
	outer   *outerRow
	compare eval.Node // of ANY, ALL and row comparisons: over the subquery's columns, the enclosing row being outer
	out     value.Column
	memo    *memo
}

// subquery makes the evaluator of q in scope s.
func (b *builder) subquery(s *eval.Scope, q *plan.Subquery) (eval.Node, eval.Traits, error) {
	free := plan.Free(q.Query)
	inner := plan.ColSet{}
	if q.Compare != nil {
		plan.Refs(q.Compare, inner)
		for _, c := range q.Query.Cols() {
			delete(inner, c.ID)
		}
	}
	used := plan.ColSet{}
	for _, set := range []plan.ColSet{free, inner} {
		for id := range set {
			used[id] = struct{}{}
		}
	}
	n := &subqueryNode{q: q, outer: b.outer(used, s.In)}
	n.out.Type = q.T
	b.depth++
	defer func() { b.depth-- }()
	var err error
	if n.op, err = b.build(q.Query); err != nil {
		return nil, 0, err
	}
	b.subplans = append(b.subplans, n.op)
	traits := subqueryTraits(q, n.outer, used)
	if b.unsteadyCTE(q.Query) {
		traits |= eval.Outer
	}
	if q.Compare != nil {
		if n.compare, err = b.scope(q.Query.Cols()).Compile(q.Compare); err != nil {
			return nil, 0, err
		}
		if set, err := b.hashedIn(s, q, n.op); err != nil || set != nil {
			return set, traits, err
		}
	}
	if traits == eval.Row {
		n.memo = newMemo(n.outer, b.memory())
		b.subplans = append(b.subplans, n.memo)
	}
	return n, traits, nil
}

// subqueryTraits tells what the subquery's value depends on: rows of this query when it uses columns of them, else outer rows.
func subqueryTraits(q *plan.Subquery, o *outerRow, used plan.ColSet) eval.Traits {
	var t eval.Traits
	if len(o.slots) > 0 {
		t |= eval.Row
	}
	if len(used) > len(o.slots) {
		t |= eval.Outer
	}
	volatile := false
	plan.WalkExprs(q.Query, func(e plan.Expr) bool {
		if c, ok := e.(*plan.Call); ok && c.Fn != nil && c.Fn.Volatility == 'v' {
			volatile = true
		}
		return !volatile
	})
	if volatile && t&eval.Row != 0 {
		t |= eval.Volatile
	}
	return t
}

// unsteadyCTE tells whether q reads a common table expression of an enclosing subquery whose rows may be others for each of its rows.
func (b *builder) unsteadyCTE(q plan.Node) bool {
	found := false
	plan.WalkNodes(q, func(x plan.Node) bool {
		if r, ok := x.(*plan.CTERef); ok {
			s := b.ctes[r.ID]
			found = found || s != nil && s.depth > 0 && !s.keep
		}
		return !found
	})
	return found
}

func (n *subqueryNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		v, err := n.row(ctx, b, int(i))
		if err != nil {
			return vec.Vec{}, err
		}
		vec.Set(&n.out, i, b.Len, v)
	}
	return vec.Vec{Column: &n.out}, nil
}

func (n *subqueryNode) row(ctx context.Context, b *batch.Batch, i int) (value.Value, error) {
	if n.memo != nil {
		if v, ok := n.memo.get(b.Cols, i); ok {
			return v, nil
		}
	}
	n.outer.bind(b.Cols, i)
	v, err := n.compute(ctx)
	if e := n.op.close(); err == nil {
		err = e
	}
	if err == nil && n.memo != nil {
		err = n.memo.put(v)
	}
	return v, err
}

// compute runs the subquery for the row that is bound.
func (n *subqueryNode) compute(ctx context.Context) (value.Value, error) {
	if err := n.op.open(ctx); err != nil {
		return value.Null, err
	}
	switch n.q.Kind {
	case plan.ExistsSub:
		b, err := nextRows(ctx, n.op)
		return value.Bool((b != nil) != n.q.Not), err
	case plan.ArraySub:
		return n.array(ctx)
	case plan.AnySub, plan.AllSub:
		return n.quantified(ctx)
	default:
		return n.single(ctx)
	}
}

// single takes the one row that there may be.
func (n *subqueryNode) single(ctx context.Context) (value.Value, error) {
	b, err := nextRows(ctx, n.op)
	if err != nil || b == nil {
		return value.Null, err
	}
	v := value.Null
	tooMany := b.Rows() > 1
	if !tooMany {
		if v, err = n.rowValue(ctx, b, b.Row(0)); err != nil {
			return v, err
		}
		if b, err = nextRows(ctx, n.op); err != nil {
			return v, err
		}
		tooMany = b != nil
	}
	if tooMany {
		return v, dberr.New(dberr.CardinalityViolation, "more than one row returned by a subquery used as an expression")
	}
	return v, nil
}

// rowValue is what a row of the subquery means.
func (n *subqueryNode) rowValue(ctx context.Context, b *batch.Batch, i int) (value.Value, error) {
	switch n.q.Kind {
	case plan.RowSub:
		return valueAt(ctx, n.compare, b, int32(i))
	case plan.ValueSub:
		vals := make([]value.Value, len(b.Cols))
		for k, c := range b.Cols {
			vals[k] = c.Get(i)
		}
		return value.Box(&value.Record{Fields: schema(n.q.Query.Cols()), Vals: vals}), nil
	default:
		return b.Cols[0].Get(i), nil
	}
}

// array collects the rows of ARRAY(subquery). Elements that are arrays form a further dimension.
func (n *subqueryNode) array(ctx context.Context) (value.Value, error) {
	var elems []value.Value
	nested := n.q.Query.Cols()[0].Type.IsArray()
	for {
		b, err := nextRows(ctx, n.op)
		if err != nil {
			return value.Null, err
		}
		if b == nil {
			break
		}
		for i := range b.Rows() {
			elems = append(elems, b.Cols[0].Get(b.Row(i)))
		}
	}
	if nested {
		a, err := eval.Stack(n.q.T.Elem, elems)
		if err != nil {
			return value.Null, err
		}
		return value.Box(a), nil
	}
	return value.Box(value.NewArray(n.q.T.Elem, elems)), nil
}

// quantified is ANY or ALL: true and false rows settle it, NULL ones leave it open.
func (n *subqueryNode) quantified(ctx context.Context) (value.Value, error) {
	all := n.q.Kind == plan.AllSub
	unknown := false
	for {
		b, err := nextRows(ctx, n.op)
		if err != nil {
			return value.Null, err
		}
		if b == nil {
			break
		}
		v, err := n.compare.Eval(ctx, b, b.Sel)
		if err != nil {
			return value.Null, err
		}
		for _, i := range vec.Positions(b.Sel, b.Len) {
			switch at := v.At(i); {
			case v.IsNull(at):
				unknown = true
			case v.Bools[at] != all:
				return value.Bool(!all != n.q.Not), nil
			}
		}
	}
	if unknown {
		return value.Null, nil
	}
	return value.Bool(all != n.q.Not), nil
}
