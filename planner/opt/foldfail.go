package opt

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// failEarly reports the error of an immutable call of constants, as PostgreSQL does, which computes such calls while it plans and before
// a row is read: also in arms of CASE and arguments of COALESCE, AND and OR that no row may reach, unless constants before them decide
// (then folding has dropped them). See PostgreSQL 15 manual, 4.2.14.
func failEarly(c *Context, n plan.Node) (plan.Node, error) {
	if c.FoldEnv == nil {
		return n, nil
	}
	return n, c.failingIn(n, plan.RefsOf(append(everyExpr(n), outputs(n)...)...))
}

// everyExpr lists the expressions of a tree.
func everyExpr(n plan.Node) []plan.Expr {
	var all []plan.Expr
	plan.WalkNodes(n, func(n plan.Node) bool {
		all = append(all, n.Exprs()...)
		return true
	})
	return all
}

// failingIn looks through a tree; aggregates that nothing reads any more, because folding has dropped the arm they stood in, don't count.
func (c *Context) failingIn(n plan.Node, read plan.ColSet) error {
	var failed error
	plan.WalkNodes(n, func(n plan.Node) bool {
		if a, ok := n.(*plan.Aggregate); ok {
			n = withoutUnread(a, read)
		}
		for _, e := range n.Exprs() {
			if failed == nil {
				failed = c.failing(e)
			}
		}
		return failed == nil
	})
	return failed
}

func withoutUnread(a *plan.Aggregate, read plan.ColSet) *plan.Aggregate {
	out := *a
	out.Aggs = nil
	for _, g := range a.Aggs {
		if read.Has(g.Col.ID) {
			out.Aggs = append(out.Aggs, g)
		}
	}
	return &out
}

// failing gives the error of the first call of constants in e that fails.
func (c *Context) failing(e plan.Expr) error {
	children := e.Children()
	switch x := e.(type) {
	case *plan.Subquery:
		return c.failingIn(x.Query, plan.RefsOf(append(everyExpr(x.Query), outputs(x.Query)...)...))
	case *plan.Coalesce: // a constant ends it
		for i, a := range children {
			if _, ok := a.(*plan.Const); ok {
				children = children[:i]
				break
			}
		}
	case *plan.ArrayExpr: // arrays of arrays must agree in their bounds
		if x.Multi && constantArray(x) {
			return c.tried(x)
		}
	case *plan.Call:
		if x.Fn != nil && x.Fn.Volatility == functions.Immutable && !x.Fn.Routine && allConst(x.Args) {
			if err := c.tried(x); err != nil {
				return err
			}
		}
	}
	for _, child := range children {
		if err := c.failing(child); err != nil {
			return err
		}
	}
	return nil
}

// tried evaluates an expression of constants for its error. What needs more than planning has, such as the catalog, shows as an internal
// error: it is for a row to find out.
func (c *Context) tried(e plan.Expr) error {
	s := eval.Scope{Run: eval.NewRun(c.FoldEnv, nil)}
	if _, err := contained(&s, e); err != nil && dberr.As(err).Code != dberr.InternalError {
		return err
	}
	return nil
}

// constantArray tells whether an array consists of constants and arrays of them.
func constantArray(x *plan.ArrayExpr) bool {
	for _, e := range x.Elems {
		inner, isArray := e.(*plan.ArrayExpr)
		if _, ok := e.(*plan.Const); !ok && (!isArray || !constantArray(inner)) {
			return false
		}
	}
	return true
}

func allConst(args []plan.Expr) bool {
	for _, a := range args {
		if _, ok := a.(*plan.Const); !ok {
			return false
		}
	}
	return true
}

// outputs are references to the columns that a query shows.
func outputs(n plan.Node) []plan.Expr {
	var all []plan.Expr
	for _, col := range n.Cols() {
		all = append(all, colRef(col))
	}
	return all
}
