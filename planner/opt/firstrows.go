package opt

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// keepFirstRows tells a sort below a LIMIT how many rows are wanted of it, and a scan when to stop.
func keepFirstRows(_ *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		l, ok := n.(*plan.Limit)
		if !ok || l.Count == nil || l.Ties || volatile(l.Count) || l.Offset != nil && volatile(l.Offset) {
			return n, nil
		}
		wanted := l.Count
		if l.Offset != nil {
			wanted = &plan.Call{Typed: plan.Typed{T: value.Int8, M: -1}, Fn: addRows, Args: []plan.Expr{l.Count, l.Offset}, Style: plan.FuncStyle,
				Name: addRows.Name, Pos: -1}
		}
		in := limitInput(l.Input, wanted)
		if in == l.Input {
			return n, nil
		}
		return l.WithInputs([]plan.Node{in}), nil
	})
}

// addRows adds two row counts; it has no result where there is no bound.
var addRows = &functions.Scalar{Name: "+", Ret: value.Int8, Strict: true, Volatility: functions.Immutable, Hidden: true,
	Params: []functions.Param{{Type: value.Int8}, {Type: value.Int8}},
	Eval: func(_ context.Context, _ *functions.Call, args []value.Value) (value.Value, error) {
		a, b := args[0].Int(), args[1].Int()
		if a > math.MaxInt64-max(b, 0) {
			return value.Null, nil
		}
		return value.Int(a + b), nil
	}}

// limitInput passes the number of rows wanted down to where it saves work.
func limitInput(n plan.Node, wanted plan.Expr) plan.Node {
	switch x := n.(type) {
	case *plan.Project:
		in := limitInput(x.Input, wanted)
		if in == x.Input {
			return n
		}
		return x.WithInputs([]plan.Node{in})
	case *plan.Sort:
		if x.TopN != nil {
			return n
		}
		better := *x
		better.TopN = wanted
		return &better
	case *plan.Lock:
		if x.Wanted != nil {
			return n
		}
		better := *x
		better.Wanted = wanted
		return &better
	case *plan.Scan:
		if x.Limit != nil || x.Lock != nil {
			return n
		}
		better := *x
		better.Limit = wanted
		return &better
	case *plan.SetOp:
		if x.Op != 'u' || !x.All {
			return n
		}
		l, r := limitInput(x.Left, wanted), limitInput(x.Right, wanted)
		if l == x.Left && r == x.Right {
			return n
		}
		return x.WithInputs([]plan.Node{l, r})
	}
	return n
}
