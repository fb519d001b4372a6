package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// readExtremes lets min() and max() of everything, alone in their query, look at the first row of an index in their order. The sort
// below them stays for the case that the executor cannot read the index, see readInOrder.
func readExtremes(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		a, ok := n.(*plan.Aggregate)
		if !ok || len(a.Groups) > 0 || a.Sets != nil || len(a.Aggs) != 1 {
			return n, nil
		}
		g := &a.Aggs[0]
		if g.Fn == nil || g.Fn.Name != "min" && g.Fn.Name != "max" || len(g.Args) != 1 || g.Filter != nil || volatile(g.Args[0]) {
			return n, nil
		}
		back := g.Fn.Name == "max"
		keys := []plan.SortKey{{Expr: g.Args[0], Desc: back, NullsFirst: back}}
		one := &plan.Const{Typed: plan.Typed{T: value.Int8, M: -1}, Val: value.Int(1)}
		in := c.orderedInput(a.Input, keys, one, nil)
		if in == nil {
			return n, nil
		}
		present := &plan.Filter{Input: in, Pred: &plan.IsNull{Arg: g.Args[0], Not: true}}
		return a.WithInputs([]plan.Node{&plan.Limit{Input: &plan.Sort{Input: present, Keys: keys, TopN: one, Presorted: 1}, Count: one}}), nil
	})
}
