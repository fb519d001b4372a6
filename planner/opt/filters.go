package opt

import (
	"github.com/omgdb/omgdb/planner/exec/scanfilter"
	"github.com/omgdb/omgdb/planner/plan"
)

// pushFilters gives a scan the conjuncts above it that the filter engine evaluates exactly. A conjunct that may fail (a cast of text
// to a number) goes only when all before it went, so that its guards stay before it.
func pushFilters(_ *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		f, ok := n.(*plan.Filter)
		if !ok {
			return n, nil
		}
		s, ok := f.Input.(*plan.Scan)
		if !ok || s.Lock != nil {
			return n, nil
		}
		var down, stay []plan.Expr
		for _, c := range conjuncts(f.Pred, nil) {
			switch p := scanfilter.Pushable(s, c); {
			case p == scanfilter.Yes, p == scanfilter.Guards && len(stay) == 0:
				down = append(down, c)
			default:
				stay = append(stay, c)
			}
		}
		if len(down) == 0 {
			return n, nil
		}
		better := *s
		better.FilterExprs = append(append([]plan.Expr(nil), s.FilterExprs...), down...)
		if len(stay) == 0 {
			return &better, nil
		}
		return &plan.Filter{Input: &better, Pred: and(stay)}, nil
	})
}
