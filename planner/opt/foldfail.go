package opt

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
)

// failEarly reports the error of an immutable call of constants that nothing guards: the statement cannot succeed, and PostgreSQL, which
// computes such calls while it plans, says so before a row is read. Behind a guard (CASE, COALESCE, the later arguments of AND and OR)
// a call that fails stays where it is.
func failEarly(c *Context, n plan.Node) (plan.Node, error) {
	if c.FoldEnv == nil {
		return n, nil
	}
	var failed error
	plan.WalkNodes(n, func(n plan.Node) bool {
		for _, e := range n.Exprs() {
			if failed == nil {
				failed = c.failing(e)
			}
		}
		return failed == nil
	})
	return n, failed
}

// failing gives the error of the first call in e that is evaluated whatever the row is, and fails.
func (c *Context) failing(e plan.Expr) error {
	children := e.Children()
	switch x := e.(type) {
	case *plan.Subquery:
		return nil
	case *plan.BoolOp, *plan.Coalesce, *plan.Case:
		if len(children) > 1 {
			children = children[:1]
		}
	case *plan.Call:
		if x.Fn != nil && x.Fn.Volatility == functions.Immutable && !x.Fn.Routine && allConst(x.Args) {
			s := eval.Scope{Run: eval.NewRun(c.FoldEnv, nil)}
			_, err := contained(&s, x)
			return err
		}
	}
	for _, child := range children {
		if err := c.failing(child); err != nil {
			return err
		}
	}
	return nil
}

func allConst(args []plan.Expr) bool {
	for _, a := range args {
		if _, ok := a.(*plan.Const); !ok {
			return false
		}
	}
	return true
}
