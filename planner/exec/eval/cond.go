package eval

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// caseNode is CASE: each arm's result is computed for the positions whose condition is the first true one.
type caseNode struct {
	arg          Node // of a simple CASE
	bound        *local
	conds, thens []Node
	orElse       Node // nil: NULL
	out          value.Column
	open, hits   []int32
}

func (s *Scope) caseOf(e *plan.Case) (Node, Traits, error) {
	n := &caseNode{}
	var traits Traits
	if e.Arg != nil {
		var err error
		if n.arg, err = s.compileInto(e.Arg, &traits); err != nil {
			return nil, 0, err
		}
		var unbind func()
		n.bound, unbind = s.bind(e.ArgCol, traits)
		defer unbind()
	}
	for _, w := range e.Whens {
		c, err := s.compileInto(w.Cond, &traits)
		if err != nil {
			return nil, 0, err
		}
		t, err := s.compileInto(w.Then, &traits)
		if err != nil {
			return nil, 0, err
		}
		n.conds, n.thens = append(n.conds, c), append(n.thens, t)
	}
	if e.Else != nil {
		var err error
		if n.orElse, err = s.compileInto(e.Else, &traits); err != nil {
			return nil, 0, err
		}
	}
	n.out.Type = e.T
	return n, traits, nil
}

// compileInto compiles e and adds its traits to t.
func (s *Scope) compileInto(e plan.Expr, t *Traits) (Node, error) {
	n, traits, err := s.compile(e)
	*t |= traits
	return n, err
}

func (n *caseNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	vec.Resize(&n.out, b.Len)
	n.open = append(n.open[:0], vec.Positions(sel, b.Len)...)
	if n.arg != nil {
		v, err := n.arg.Eval(ctx, b, sel)
		if err != nil {
			return vec.Vec{}, err
		}
		n.bound.v = v
	}
	for k, c := range n.conds {
		if len(n.open) == 0 {
			break
		}
		v, err := c.Eval(ctx, b, n.open)
		if err != nil {
			return vec.Vec{}, err
		}
		n.split(v)
		if err := n.fill(ctx, n.thens[k], b, n.hits); err != nil {
			return vec.Vec{}, err
		}
	}
	if n.orElse == nil {
		for _, i := range n.open {
			vec.SetNull(&n.out, i, b.Len)
		}
		return vec.Vec{Column: &n.out}, nil
	}
	return vec.Vec{Column: &n.out}, n.fill(ctx, n.orElse, b, n.open)
}

// split moves the open positions where v is true to hits.
func (n *caseNode) split(v vec.Vec) {
	n.hits = n.hits[:0]
	k := 0
	for _, i := range n.open {
		if at := v.At(i); v.Bools[at] && !v.IsNull(at) {
			n.hits = append(n.hits, i)
			continue
		}
		n.open[k] = i
		k++
	}
	n.open = n.open[:k]
}

func (n *caseNode) fill(ctx context.Context, from Node, b *batch.Batch, sel []int32) error {
	if len(sel) == 0 {
		return nil
	}
	v, err := from.Eval(ctx, b, sel)
	if err != nil {
		return err
	}
	vec.Scatter(&n.out, v, sel, b.Len)
	return nil
}

// coalesceNode is COALESCE: each argument is computed where the earlier ones were NULL.
type coalesceNode struct {
	args []Node
	out  value.Column
	open []int32
}

func (s *Scope) coalesce(e *plan.Coalesce) (Node, Traits, error) {
	args, traits, err := s.compileList(e.Args)
	if err != nil {
		return nil, 0, err
	}
	n := &coalesceNode{args: args}
	n.out.Type = e.T
	return n, traits, nil
}

func (n *coalesceNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	vec.Resize(&n.out, b.Len)
	n.open = append(n.open[:0], vec.Positions(sel, b.Len)...)
	for _, a := range n.args {
		if len(n.open) == 0 {
			break
		}
		v, err := a.Eval(ctx, b, n.open)
		if err != nil {
			return vec.Vec{}, err
		}
		vec.Scatter(&n.out, v, n.open, b.Len)
		k := 0
		for _, i := range n.open {
			if v.NullAt(i) {
				n.open[k] = i
				k++
			}
		}
		n.open = n.open[:k]
	}
	return vec.Vec{Column: &n.out}, nil
}

// nullIfNode is NULLIF.
type nullIfNode struct {
	args []Node
	app  *applier
	vecs [2]vec.Vec
	eq   value.Column
	out  value.Column
	sel  []int32
}

func (s *Scope) nullIf(e *plan.NullIf) (Node, Traits, error) {
	pair := []plan.Expr{e.Left, e.Right}
	args, traits, err := s.compileList(pair)
	if err != nil {
		return nil, 0, err
	}
	n := &nullIfNode{args: args, app: newApplier(s.Run, e.Eq, pair, value.Boolean)}
	n.out.Type, n.eq.Type = e.T, value.Boolean
	return n, traits, nil
}

func (n *nullIfNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	for i, a := range n.args {
		v, err := a.Eval(ctx, b, sel)
		if err != nil {
			return vec.Vec{}, err
		}
		n.vecs[i] = v
	}
	vec.Resize(&n.out, b.Len)
	vec.Scatter(&n.out, n.vecs[0], sel, b.Len)
	n.sel = n.sel[:0]
	for _, i := range vec.Positions(sel, b.Len) {
		if !n.vecs[0].NullAt(i) && !n.vecs[1].NullAt(i) {
			n.sel = append(n.sel, i)
		}
	}
	if len(n.sel) == 0 {
		return vec.Vec{Column: &n.out}, nil
	}
	if err := n.app.apply(ctx, n.vecs[:], n.sel, b.Len, &n.eq); err != nil {
		return vec.Vec{}, err
	}
	for _, i := range n.sel {
		if n.eq.Bools[i] && !n.eq.IsNull(int(i)) {
			vec.SetNull(&n.out, i, b.Len)
		}
	}
	return vec.Vec{Column: &n.out}, nil
}

// minMaxNode is GREATEST and LEAST; NULL arguments don't count.
type minMaxNode struct {
	args  []Node
	least bool
	order vec.Comparer
	vecs  []vec.Vec
	out   value.Column
}

func (s *Scope) minMax(e *plan.MinMax) (Node, Traits, error) {
	args, traits, err := s.compileList(e.Args)
	if err != nil {
		return nil, 0, err
	}
	n := &minMaxNode{args: args, least: e.Least, order: vec.ComparerOf(e.T), vecs: make([]vec.Vec, len(args))}
	n.out.Type = e.T
	return n, traits, nil
}

func (n *minMaxNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	for i, a := range n.args {
		v, err := a.Eval(ctx, b, sel)
		if err != nil {
			return vec.Vec{}, err
		}
		n.vecs[i] = v
	}
	vec.Resize(&n.out, b.Len)
	for _, i := range vec.Positions(sel, b.Len) {
		best := -1
		for k, v := range n.vecs {
			if v.NullAt(i) {
				continue
			}
			if best >= 0 {
				c := n.order(v.Column, v.At(i), n.vecs[best].Column, n.vecs[best].At(i))
				if n.least && c >= 0 || !n.least && c <= 0 {
					continue
				}
			}
			best = k
		}
		if best < 0 {
			vec.SetNull(&n.out, i, b.Len)
			continue
		}
		vec.Set(&n.out, i, b.Len, n.vecs[best].Get(n.vecs[best].At(i)))
	}
	return vec.Vec{Column: &n.out}, nil
}
