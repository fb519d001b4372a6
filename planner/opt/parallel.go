package opt

import "github.com/omgdb/omgdb/planner/plan"

// splitScans lets several cores read a large relation. The executor decides when it runs whether there are any to spare.
func splitScans(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		s, ok := n.(*plan.Scan)
		if !ok || s.AsOf != 0 || s.Limit != nil || s.Lock != nil || s.Access.Point != nil || s.Access.AnyOf != nil || s.Access.Either != nil || s.Access.Reverse || s.Access.Ordered || s.Access.Unique {
			return n, nil
		}
		parts := int(c.baseRows(s.Rel) / partRows)
		if c.Rows == nil || parts < 2 {
			return n, nil
		}
		better := *s
		better.Parallel = min(parts, maxParts)
		return &better, nil
	})
}

// A part has about partRows rows, so that starting it costs little against reading it; more than maxParts are of no use.
const (
	partRows = 16 << 10
	maxParts = 128
)
