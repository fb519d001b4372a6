package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// keepFirstOfPartition tells a window how many rows of each partition are wanted, when a condition above bounds its row_number() or
// rank() and it computes nothing else that would have to see them all.
func keepFirstOfPartition(_ *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		f, ok := n.(*plan.Filter)
		if !ok {
			return n, nil
		}
		in := boundWindow(f.Input, conjuncts(f.Pred, nil))
		if in == f.Input {
			return n, nil
		}
		return f.WithInputs([]plan.Node{in}), nil
	})
}

// boundWindow looks for the window below projections.
func boundWindow(n plan.Node, conds []plan.Expr) plan.Node {
	switch x := n.(type) {
	case *plan.Project:
		by := map[plan.ColID]plan.Expr{}
		for i, c := range x.Out {
			by[c.ID] = x.Items[i]
		}
		inner := make([]plan.Expr, len(conds))
		for i, c := range conds {
			inner[i] = substitute(c, by)
		}
		in := boundWindow(x.Input, inner)
		if in == x.Input {
			return n
		}
		return x.WithInputs([]plan.Node{in})
	case *plan.Window:
		return bounded(x, conds)
	}
	return n
}

func bounded(w *plan.Window, conds []plan.Expr) plan.Node {
	if w.First != nil || len(w.Order) == 0 {
		return w
	}
	ties := false
	ranks := plan.ColSet{}
	for _, c := range w.Calls {
		if c.Fn == nil || c.Fn.Name != "row_number" && c.Fn.Name != "rank" {
			return w
		}
		ties = ties || c.Fn.Name == "rank"
		ranks[c.Col.ID] = struct{}{}
	}
	for _, e := range conds {
		if first := upperBound(e, ranks); first != nil {
			better := *w
			better.First, better.Ties = first, ties
			return &better
		}
	}
	return w
}

// upperBound reads r <= k, r = k and r < k for a rank r and a constant k of type bigint or integer.
func upperBound(e plan.Expr, ranks plan.ColSet) plan.Expr {
	c, ok := e.(*plan.Call)
	if !ok || len(c.Args) != 2 || c.Style != plan.OpStyle {
		return nil
	}
	op, l, r := c.Name, c.Args[0], c.Args[1]
	if _, ok := l.(*plan.ColRef); !ok {
		op, l, r = mirrored[op], r, l
	}
	ref, ok := l.(*plan.ColRef)
	if !ok || !ranks.Has(ref.ID) || op != "=" && op != "<=" && op != "<" {
		return nil
	}
	k, ok := r.(*plan.Const)
	if !ok || k.Val.IsNull() || k.T.OID != value.Int8.OID && k.T.OID != value.Int4.OID {
		return nil
	}
	return &plan.Const{Typed: plan.Typed{T: value.Int8, M: -1}, Val: value.Int(max(k.Val.Int(), 0))}
}
