package eval

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// boolNode is AND or OR. Starting from the neutral answer, each argument is evaluated for the positions that are still open: it
// settles those where it is false (AND) or true (OR) and leaves a NULL mark where it is NULL.
type boolNode struct {
	or   bool
	args []Node
	out  value.Column
	open []int32
}

func (s *Scope) boolOp(e *plan.BoolOp) (Node, Traits, error) {
	args, traits, err := s.compileList(e.Args)
	if err != nil {
		return nil, 0, err
	}
	n := &boolNode{or: e.Or, args: args}
	n.out.Type = value.Boolean
	return n, traits, nil
}

func (n *boolNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	vec.Resize(&n.out, b.Len)
	n.open = append(n.open[:0], vec.Positions(sel, b.Len)...)
	for _, i := range n.open {
		n.out.Bools[i] = !n.or
	}
	for _, a := range n.args {
		if len(n.open) == 0 {
			break
		}
		v, err := a.Eval(ctx, b, n.open)
		if err != nil {
			return vec.Vec{}, err
		}
		n.settle(v, b.Len)
	}
	return vec.Vec{Column: &n.out}, nil
}

// settle takes one argument's values for the open positions.
func (n *boolNode) settle(v vec.Vec, size int) {
	k := 0
	for _, i := range n.open {
		at := v.At(i)
		switch {
		case len(v.Nulls) > 0 && v.Nulls[at]:
			vec.SetNull(&n.out, i, size)
		case v.Bools[at] == n.or:
			n.out.Bools[i] = n.or
			if len(n.out.Nulls) > 0 {
				n.out.Nulls[i] = false
			}
			continue
		}
		n.open[k] = i
		k++
	}
	n.open = n.open[:k]
}

// boolMap computes a boolean from one value: NOT, IS NULL and the truth tests, by a table of three answers.
type boolMap struct {
	arg Node
	out value.Column
	// isNull, isTrue and isFalse are the answers; null makes NULL stay NULL. Arguments that are not boolean count as true.
	isNull, isTrue, isFalse, null bool
}

func (s *Scope) mapBool(arg plan.Expr, m boolMap) (Node, Traits, error) {
	n, traits, err := s.compile(arg)
	if err != nil {
		return nil, 0, err
	}
	m.arg = n
	m.out.Type = value.Boolean
	return &m, traits, nil
}

func (s *Scope) not(e *plan.Not) (Node, Traits, error) {
	return s.mapBool(e.Arg, boolMap{null: true, isFalse: true})
}

func (s *Scope) isNull(e *plan.IsNull) (Node, Traits, error) {
	if isRow(e.Arg.Type()) {
		return s.rowIsNull(e)
	}
	return s.mapBool(e.Arg, boolMap{isNull: !e.Not, isTrue: e.Not, isFalse: e.Not})
}

func (s *Scope) boolTest(e *plan.BoolTest) (Node, Traits, error) {
	m := boolMap{isTrue: e.Want == 't', isFalse: e.Want == 'f', isNull: e.Want == 'u'}
	if e.Not {
		m.isTrue, m.isFalse, m.isNull = !m.isTrue, !m.isFalse, !m.isNull
	}
	return s.mapBool(e.Arg, m)
}

func (n *boolMap) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	vec.Resize(&n.out, b.Len)
	boolean := v.Type.Kind == value.KindBool
	for _, i := range vec.Positions(sel, b.Len) {
		at := v.At(i)
		switch {
		case len(v.Nulls) > 0 && v.Nulls[at]:
			if n.null {
				vec.SetNull(&n.out, i, b.Len)
			}
			n.out.Bools[i] = n.isNull
		case boolean && !v.Bools[at]:
			n.out.Bools[i] = n.isFalse
		default:
			n.out.Bools[i] = n.isTrue
		}
	}
	return vec.Vec{Column: &n.out}, nil
}

// distinctNode is IS [NOT] DISTINCT FROM.
type distinctNode struct {
	left, right Node
	not         bool
	app         *applier
	out         value.Column
	vecs        [2]vec.Vec
	sel         []int32
	eq          value.Column
}

func (s *Scope) distinct(e *plan.IsDistinct) (Node, Traits, error) {
	args, traits, err := s.compileList([]plan.Expr{e.Left, e.Right})
	if err != nil {
		return nil, 0, err
	}
	n := &distinctNode{left: args[0], right: args[1], not: e.Not, app: newApplier(s.Run, e.Eq, []plan.Expr{e.Left, e.Right}, value.Boolean)}
	n.out.Type, n.eq.Type = value.Boolean, value.Boolean
	return n, traits, nil
}

func (n *distinctNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	var err error
	if n.vecs[0], err = n.left.Eval(ctx, b, sel); err != nil {
		return vec.Vec{}, err
	}
	if n.vecs[1], err = n.right.Eval(ctx, b, sel); err != nil {
		return vec.Vec{}, err
	}
	vec.Resize(&n.out, b.Len)
	n.sel = n.sel[:0]
	for _, i := range vec.Positions(sel, b.Len) {
		l, r := n.vecs[0].NullAt(i), n.vecs[1].NullAt(i)
		if l || r {
			n.out.Bools[i] = (l != r) != n.not
			continue
		}
		n.sel = append(n.sel, i)
	}
	if len(n.sel) == 0 {
		return vec.Vec{Column: &n.out}, nil
	}
	if err := n.app.apply(ctx, n.vecs[:], n.sel, b.Len, &n.eq); err != nil {
		return vec.Vec{}, err
	}
	for _, i := range n.sel {
		n.out.Bools[i] = (n.eq.IsNull(int(i)) || !n.eq.Bools[i]) != n.not
	}
	return vec.Vec{Column: &n.out}, nil
}

// Predicate keeps the rows for which all its conjuncts are true, each evaluated only for the rows that the earlier ones left:
// as PostgreSQL does at the top of WHERE, a NULL drops a row like false.
type Predicate struct {
	conjuncts []Node
	sel       []int32
}

// Predicate compiles a condition.
func (s *Scope) Predicate(e plan.Expr) (*Predicate, error) {
	p := &Predicate{}
	for _, c := range Conjuncts(e, nil) {
		n, err := s.Compile(c)
		if err != nil {
			return nil, err
		}
		p.conjuncts = append(p.conjuncts, n)
	}
	return p, nil
}

// Conjuncts appends the arguments of nested ANDs in order.
func Conjuncts(e plan.Expr, to []plan.Expr) []plan.Expr {
	if a, ok := e.(*plan.BoolOp); ok && !a.Or {
		for _, c := range a.Args {
			to = Conjuncts(c, to)
		}
		return to
	}
	return append(to, e)
}

// Select gives the positions of b's rows for which the condition holds, valid until the next Select.
func (p *Predicate) Select(ctx context.Context, b *batch.Batch) ([]int32, error) {
	sel := b.Sel
	for _, n := range p.conjuncts {
		if sel != nil && len(sel) == 0 {
			break
		}
		v, err := n.Eval(ctx, b, sel)
		if err != nil {
			return nil, err
		}
		if v.Const {
			if !v.IsNull(0) && v.Bools[0] {
				continue
			}
			return []int32{}, nil
		}
		p.sel = True(p.sel, v, vec.Positions(sel, b.Len))
		sel = p.sel
	}
	return vec.Positions(sel, b.Len), nil
}

// True sets dst to the positions among pos where v is true; dst may share pos's memory.
func True(dst []int32, v vec.Vec, pos []int32) []int32 {
	if cap(dst) < len(pos) {
		dst = make([]int32, len(pos), max(len(pos), batch.Size))
	}
	dst = dst[:len(pos)]
	k := 0
	if len(v.Nulls) == 0 {
		for _, i := range pos {
			dst[k] = i
			if v.Bools[i] {
				k++
			}
		}
		return dst[:k]
	}
	for _, i := range pos {
		dst[k] = i
		if v.Bools[i] && !v.Nulls[i] {
			k++
		}
	}
	return dst[:k]
}
