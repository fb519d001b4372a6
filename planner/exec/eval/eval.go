// Package eval turns bound expressions into evaluators over batches. A compiled expression is a tree of Nodes; each computes a whole
// column for the selected positions of a batch, in memory that it keeps from batch to batch.
//
// Selections carry SQL's guarantees: the arms of CASE, the later arguments of AND, OR and COALESCE are evaluated only for the
// positions that reach them, so a guard protects from errors as it does in PostgreSQL. What depends on no row (literals, parameters,
// references to an enclosing query, stable functions of these) is computed once, when a row first needs it, and again only after the
// enclosing query's row changed.
package eval

import (
	"context"
	"fmt"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Node computes an expression. Eval looks at the columns and Len of b, not at b.Sel; sel lists the positions wanted (nil: all Len), and
// isn't kept or changed. The result is valid until the node's next Eval; positions outside sel hold anything. A node belongs to one
// goroutine.
type Node interface {
	Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error)
}

// Run is one execution of a statement as its expressions see it: the world, the parameters, and the current row of each
// enclosing query. It must not change while several goroutines evaluate.
type Run struct {
	Env    *functions.Env
	Params []value.Value
	outer  map[plan.ColID]*Slot
	gen    uint64
}

// NewRun starts an execution.
func NewRun(env *functions.Env, params []value.Value) *Run {
	return &Run{Env: env, Params: params, gen: 1}
}

// Slot holds the current value of a column of an enclosing query.
type Slot struct{ col *value.Column }

// Declare makes a column of an enclosing query known; Bind gives it values. A slot is made once for a column of a statement.
func (r *Run) Declare(c plan.Col) *Slot {
	s := r.outer[c.ID]
	if s == nil {
		s = &Slot{value.NewColumn(c.Type, 1)}
		s.col.AppendNull()
		if r.outer == nil {
			r.outer = map[plan.ColID]*Slot{}
		}
		r.outer[c.ID] = s
	}
	return s
}

// Bind sets the slot to value i of src.
func (s *Slot) Bind(src *value.Column, i int) {
	s.col.Reset()
	vec.AppendAt(s.col, src, i)
}

// Vec gives the slot's value as a constant.
func (s *Slot) Vec() vec.Vec { return vec.Vec{Column: s.col, Const: true} }

// Rebound tells evaluators that slots changed.
func (r *Run) Rebound() { r.gen++ }

// Param gives the value of parameter $n.
func (r *Run) Param(n int) (value.Value, error) {
	if n < 1 || n > len(r.Params) {
		return value.Null, dberr.New(dberr.UndefinedParameter, "there is no parameter $%d", n)
	}
	return r.Params[n-1], nil
}

// Scope is what an expression may refer to.
type Scope struct {
	Run *Run
	// Cols gives the index in a batch of each input column.
	Cols map[plan.ColID]int
	// In lists the input columns, for subqueries that refer to them.
	In []plan.Col
	// local holds the columns that Case and Cast bind for the expressions inside them.
	local map[plan.ColID]*local
	// Subquery makes the evaluator of a subquery; operators provide it.
	Subquery func(s *Scope, q *plan.Subquery) (Node, Traits, error)
}

// Layout maps a node's output columns to their indexes in its batches.
func Layout(cols []plan.Col) map[plan.ColID]int {
	if len(cols) == 0 {
		return nil
	}
	m := make(map[plan.ColID]int, len(cols))
	for i, c := range cols {
		m[c.ID] = i
	}
	return m
}

// Traits tell what the value of an expression depends on.
type Traits uint8

// The traits; without Row and Volatile an expression is constant while no slot changes.
const (
	Row Traits = 1 << iota
	Outer
	Volatile
)

// Compile makes the evaluator of e.
func (s *Scope) Compile(e plan.Expr) (Node, error) {
	n, _, err := s.compile(e)
	return n, err
}

// CompileAll makes the evaluators of several expressions.
func (s *Scope) CompileAll(es []plan.Expr) ([]Node, error) {
	out := make([]Node, len(es))
	for i, e := range es {
		n, err := s.Compile(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// compile makes e's evaluator and wraps the largest parts that depend on no row in a cache.
func (s *Scope) compile(e plan.Expr) (Node, Traits, error) {
	n, t, err := s.node(e)
	if err != nil {
		return nil, 0, err
	}
	if t&(Row|Volatile) == 0 {
		if _, plain := n.(*constant); !plain {
			n = &once{node: n, run: s.Run, outer: t&Outer != 0}
		}
	}
	return n, t, nil
}

func (s *Scope) compileList(es []plan.Expr) ([]Node, Traits, error) {
	var traits Traits
	out := make([]Node, len(es))
	for i, e := range es {
		n, t, err := s.compile(e)
		if err != nil {
			return nil, 0, err
		}
		out[i] = n
		traits |= t
	}
	return out, traits, nil
}

// node makes the evaluator for the kind of expression that e is.
func (s *Scope) node(e plan.Expr) (Node, Traits, error) {
	switch e := e.(type) {
	case *plan.Const:
		return &constant{vec.Constant(e.T, e.Val)}, 0, nil
	case *plan.Param:
		v, err := s.Run.Param(e.Num)
		if err != nil {
			return nil, 0, err
		}
		return &constant{vec.Constant(e.T, v)}, 0, nil
	case *plan.ColRef:
		return s.column(e)
	case *plan.Call:
		return s.call(e)
	case *plan.Cast:
		return s.cast(e)
	case *plan.Collate:
		return s.node(e.Arg)
	case *plan.SQLValue:
		return s.node(e.Arg)
	case *plan.Grouping:
		return s.grouping(e)
	case *plan.BoolOp:
		return s.boolOp(e)
	case *plan.Not:
		return s.not(e)
	case *plan.IsNull:
		return s.isNull(e)
	case *plan.BoolTest:
		return s.boolTest(e)
	case *plan.IsDistinct:
		return s.distinct(e)
	case *plan.Case:
		return s.caseOf(e)
	case *plan.Coalesce:
		return s.coalesce(e)
	case *plan.NullIf:
		return s.nullIf(e)
	case *plan.MinMax:
		return s.minMax(e)
	case *plan.ArrayExpr:
		return s.array(e)
	case *plan.RowExpr:
		return s.row(e)
	case *plan.RowCompare:
		return s.rowCompare(e)
	case *plan.FieldSelect:
		return s.fieldSelect(e)
	case *plan.Subscript:
		return s.subscript(e)
	case *plan.Assigned:
		return s.assigned(e)
	case *plan.ArrayOp:
		return s.arrayOp(e)
	case *plan.InList:
		return s.inList(e)
	case *plan.Subquery:
		if s.Subquery == nil {
			return nil, 0, dberr.New(dberr.FeatureNotSupported, "a subquery cannot be used here")
		}
		return s.Subquery(s, e)
	}
	return nil, 0, dberr.New(dberr.InternalError, "no evaluator for an expression of kind %T", e)
}

// column refers to what an expression around it bound, to the input, or else to an enclosing query.
func (s *Scope) column(e *plan.ColRef) (Node, Traits, error) {
	if l := s.local[e.ID]; l != nil {
		return l, l.traits, nil
	}
	if i, ok := s.Cols[e.ID]; ok {
		return input(i), Row, nil
	}
	if slot := s.Run.outer[e.ID]; slot != nil {
		return &constant{slot.Vec()}, Outer, nil
	}
	return nil, 0, dberr.New(dberr.InternalError, "column %s (%d) is not produced by the plan below its use", e.Name, e.ID)
}

// local is a column bound by an expression for those inside it; it is set before they are evaluated.
type local struct {
	v      vec.Vec
	traits Traits
}

func (n *local) Eval(context.Context, *batch.Batch, []int32) (vec.Vec, error) { return n.v, nil }

// bind makes a bound column known to the expressions compiled until the returned function is called.
func (s *Scope) bind(id plan.ColID, traits Traits) (l *local, unbind func()) {
	if s.local == nil {
		s.local = map[plan.ColID]*local{}
	}
	l = &local{traits: traits}
	s.local[id] = l
	return l, func() { delete(s.local, id) }
}

// input is a column of the batch.
type input int

func (n input) Eval(_ context.Context, b *batch.Batch, _ []int32) (vec.Vec, error) {
	return vec.Vec{Column: b.Cols[n]}, nil
}

// InputOf tells which column of the batch n shows unchanged, -1 when it computes something.
func InputOf(n Node) int {
	if i, ok := n.(input); ok {
		return int(i)
	}
	return -1
}

type constant struct{ v vec.Vec }

func (n *constant) Eval(context.Context, *batch.Batch, []int32) (vec.Vec, error) { return n.v, nil }

// unit is the one row without columns over which constants are computed.
var unit = &batch.Batch{Len: 1}

// once keeps the value of an expression that depends on no row.
type once struct {
	node  Node
	run   *Run
	outer bool
	gen   uint64
	v     vec.Vec
}

func (n *once) Eval(ctx context.Context, _ *batch.Batch, _ []int32) (vec.Vec, error) {
	if n.gen == 0 || n.outer && n.gen != n.run.gen {
		v, err := n.node.Eval(ctx, unit, nil)
		if err != nil {
			return vec.Vec{}, err
		}
		n.v, n.gen = vec.Vec{Column: v.Column, Const: true}, n.run.gen
	}
	return n.v, nil
}

// Value evaluates an expression that depends on no row of the input.
func Value(ctx context.Context, n Node) (value.Value, error) {
	v, err := n.Eval(ctx, unit, nil)
	if err != nil {
		return value.Null, err
	}
	return v.Get(0), nil
}

// ConstValue evaluates e, which may use parameters and enclosing rows but no input.
func (s *Scope) ConstValue(ctx context.Context, e plan.Expr) (value.Value, error) {
	n, err := s.Compile(e)
	if err != nil {
		return value.Null, err
	}
	return Value(ctx, n)
}

// Contain turns a panic into an internal error, or into the *dberr.Error that it was raised with; use it with defer where evaluation enters.
func Contain(err *error) {
	if p := recover(); p != nil {
		if e, ok := p.(*dberr.Error); ok {
			*err = e
			return
		}
		*err = &dberr.Error{Code: dberr.InternalError, Message: fmt.Sprintf("internal error: %v", p), Err: &Panic{Value: p, Stack: stack()}}
	}
}
