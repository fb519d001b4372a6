package opt

import (
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
)

// factor takes what all arms of a disjunction require out of it: (a AND b) OR (a AND c) is a AND (b OR c), in SQL's logic too. A join's
// equality that each arm repeats becomes visible that way.
func factor(e plan.Expr) plan.Expr {
	or, ok := e.(*plan.BoolOp)
	if !ok || !or.Or || volatile(e) {
		return e
	}
	arms := make([][]plan.Expr, len(or.Args))
	for i, a := range or.Args {
		arms[i] = conjuncts(a, nil)
	}
	var common []plan.Expr
	for _, x := range arms[0] {
		everywhere := !slices.ContainsFunc(arms[1:], func(arm []plan.Expr) bool { return indexOf(arm, x) < 0 })
		if everywhere && indexOf(common, x) < 0 {
			common = append(common, x)
		}
	}
	if len(common) == 0 {
		return e
	}
	rest := make([]plan.Expr, 0, len(arms))
	for _, arm := range arms {
		left := slices.DeleteFunc(slices.Clone(arm), func(x plan.Expr) bool { return indexOf(common, x) >= 0 })
		if len(left) == 0 {
			return and(common) // the arm requires nothing else
		}
		rest = append(rest, and(left))
	}
	return and(append(common, &plan.BoolOp{Or: true, Args: rest}))
}

func indexOf(list []plan.Expr, e plan.Expr) int {
	return slices.IndexFunc(list, func(x plan.Expr) bool { return plan.Equal(x, e) })
}

// requires gives what a disjunction over both sides of a join requires of one side alone; nil when one of its arms requires nothing.
func requires(e plan.Expr, all, side plan.ColSet) plan.Expr {
	or, ok := e.(*plan.BoolOp)
	if !ok || !or.Or {
		return nil
	}
	arms := make([]plan.Expr, 0, len(or.Args))
	for _, a := range or.Args {
		own := slices.DeleteFunc(conjuncts(a, nil), func(x plan.Expr) bool {
			refs := plan.RefsOf(x)
			return !refsAny(refs, side) || !refsWithin(refs, all, side) || hasSubquery(x)
		})
		if len(own) == 0 {
			return nil
		}
		arms = append(arms, and(own))
	}
	return &plan.BoolOp{Or: true, Args: arms}
}
