package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
)

// pruneColumns drops what nobody uses: columns of scans, computed columns, aggregates, window calls.
func pruneColumns(c *Context, n plan.Node) (plan.Node, error) {
	need := plan.ColSet{}
	need.Add(c.out...)
	return prune(n, need)
}

// prune gives n without columns that are neither in need nor used inside.
func prune(n plan.Node, need plan.ColSet) (plan.Node, error) {
	n, err := inOwnSubqueries(n)
	if err != nil {
		return nil, err
	}
	switch x := n.(type) {
	case *plan.Scan:
		return pruneScan(x, need), nil
	case *plan.VirtualScan:
		return pruneVirtual(x, need), nil
	case *plan.FuncScan:
		return pruneCall(x, need), nil
	case *plan.Project:
		return pruneProject(x, need)
	case *plan.Aggregate:
		return pruneAggregate(x, need)
	case *plan.Window:
		return pruneWindow(x, need)
	case *plan.SetOp:
		return pruneSetOp(x, need)
	case *plan.Distinct:
		if x.On == nil {
			need = setOf(x.Input.Cols())
		}
	case *plan.Insert:
		need = setOf(x.Input.Cols())
	case *plan.With:
		return pruneWith(x, need)
	case *plan.Lock:
		need = copySet(need)
		for _, r := range x.Rels {
			need[r.RowKey] = struct{}{}
		}
	case *plan.Update:
		need = plan.ColSet{x.RowKey: {}, x.Raw: {}}
	case *plan.Delete:
		need = plan.ColSet{x.RowKey: {}, x.Raw: {}}
	case *plan.Merge:
		need = plan.ColSet{x.RowKey: {}, x.Raw: {}}
	}
	return pruneInputs(n, need)
}

func copySet(s plan.ColSet) plan.ColSet {
	out := make(plan.ColSet, len(s))
	for id := range s {
		out[id] = struct{}{}
	}
	return out
}

// pruneInputs prunes below a node that passes its inputs' columns on and uses some itself.
func pruneInputs(n plan.Node, need plan.ColSet) (plan.Node, error) {
	inputs := n.Inputs()
	if len(inputs) == 0 {
		return n, nil
	}
	need = copySet(need)
	for _, e := range n.Exprs() {
		plan.Refs(e, need)
	}
	if j, ok := n.(*plan.Join); ok && j.Lateral {
		for id := range plan.Free(j.Right) {
			need[id] = struct{}{}
		}
	}
	better := make([]plan.Node, len(inputs))
	changed := false
	for i, in := range inputs {
		x, err := prune(in, need)
		if err != nil {
			return nil, err
		}
		better[i] = x
		changed = changed || x != in
	}
	if !changed {
		return n, nil
	}
	return n.WithInputs(better), nil
}

// inOwnSubqueries prunes the subqueries in n's own expressions.
func inOwnSubqueries(n plan.Node) (plan.Node, error) {
	return plan.MapExprs(n, func(e plan.Expr) (plan.Expr, error) {
		return plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
			s, ok := x.(*plan.Subquery)
			if !ok {
				return x, nil
			}
			need := plan.ColSet{}
			if s.Kind != plan.ExistsSub {
				need = setOf(s.Query.Cols())
			}
			q, err := prune(s.Query, need)
			if err != nil || q == s.Query {
				return x, err
			}
			better := *s
			better.Query = q
			return &better, nil
		})
	})
}

func pruneScan(s *plan.Scan, need plan.ColSet) plan.Node {
	var out, hidden []plan.ScanCol
	filtered := plan.RefsOf(s.FilterExprs...)
	for _, c := range s.Out {
		switch {
		case need.Has(c.ID):
			out = append(out, c)
		case filtered.Has(c.ID):
			hidden = append(hidden, c)
		}
	}
	if len(out) == len(s.Out) {
		return s
	}
	better := *s
	better.Out = out
	better.FilterCols = append(append([]plan.ScanCol(nil), s.FilterCols...), hidden...)
	return &better
}

// pruneCall tells a call which of its columns nobody reads; it still gives them.
func pruneCall(f *plan.FuncScan, need plan.ColSet) plan.Node {
	if len(f.Calls) != 1 || f.Calls[0].AsRecord || f.Calls[0].Fn == nil || len(f.Out) < len(f.Calls[0].Cols) {
		return f
	}
	call := f.Calls[0]
	call.Unread = make([]bool, len(call.Cols))
	for i := range call.Cols {
		call.Unread[i] = !need.Has(f.Out[i].ID)
	}
	better := *f
	better.Calls = []plan.SetCall{call}
	return &better
}

func pruneVirtual(s *plan.VirtualScan, need plan.ColSet) plan.Node {
	var out []plan.Col
	for _, c := range s.Out {
		if need.Has(c.ID) {
			out = append(out, c)
		}
	}
	if len(out) == len(s.Out) {
		return s
	}
	better := *s
	better.Out = out
	return &better
}

func pruneProject(p *plan.Project, need plan.ColSet) (plan.Node, error) {
	var out []plan.Col
	var items []plan.Expr
	for i, c := range p.Out {
		if need.Has(c.ID) || volatile(p.Items[i]) {
			out, items = append(out, c), append(items, p.Items[i])
		}
	}
	if len(out) == len(p.Out) {
		return pruneInputs(p, nil)
	}
	return pruneInputs(&plan.Project{Input: p.Input, Out: out, Items: items}, nil)
}

func pruneAggregate(a *plan.Aggregate, need plan.ColSet) (plan.Node, error) {
	better := *a
	better.Aggs = nil
	for _, g := range a.Aggs {
		if need.Has(g.Col.ID) {
			better.Aggs = append(better.Aggs, g)
		}
	}
	if len(better.Aggs) == len(a.Aggs) {
		return pruneInputs(a, nil)
	}
	return pruneInputs(&better, nil)
}

func pruneWindow(w *plan.Window, need plan.ColSet) (plan.Node, error) {
	better := *w
	better.Calls = nil
	for _, c := range w.Calls {
		if need.Has(c.Col.ID) {
			better.Calls = append(better.Calls, c)
		}
	}
	switch len(better.Calls) {
	case len(w.Calls):
		return pruneInputs(w, need)
	case 0:
		return prune(w.Input, need)
	}
	return pruneInputs(&better, need)
}

// pruneSetOp drops columns of UNION ALL, by position on both sides. The other operations compare whole rows.
func pruneSetOp(s *plan.SetOp, need plan.ColSet) (plan.Node, error) {
	var keep []int
	var out []plan.Col
	for i, c := range s.Out {
		if s.Op != 'u' || !s.All || need.Has(c.ID) {
			keep, out = append(keep, i), append(out, c)
		}
	}
	side := func(in plan.Node) (plan.Node, error) {
		cols := in.Cols()
		want := make([]plan.Col, len(keep))
		for k, i := range keep {
			want[k] = cols[i]
		}
		n, err := prune(in, setOf(want))
		if err != nil {
			return nil, err
		}
		return shown(n, want), nil
	}
	left, err := side(s.Left)
	if err != nil {
		return nil, err
	}
	right, err := side(s.Right)
	if err != nil {
		return nil, err
	}
	if left == s.Left && right == s.Right && len(out) == len(s.Out) {
		return s, nil
	}
	return &plan.SetOp{Op: s.Op, All: s.All, Left: left, Right: right, Out: out}, nil
}

// shown gives a node with exactly these columns in this order.
func shown(n plan.Node, want []plan.Col) plan.Node {
	have := n.Cols()
	same := len(have) == len(want)
	for i := range want {
		same = same && have[i].ID == want[i].ID
	}
	if same {
		return n
	}
	p := &plan.Project{Input: n, Out: want}
	for _, c := range want {
		p.Items = append(p.Items, colRef(c))
	}
	return p
}

// pruneWith keeps the columns of the common table expressions: their readers count on their places.
func pruneWith(w *plan.With, need plan.ColSet) (plan.Node, error) {
	inputs := w.Inputs()
	better := make([]plan.Node, len(inputs))
	changed := false
	for i, in := range inputs {
		own := need
		if i < len(inputs)-1 {
			own = setOf(in.Cols())
		}
		x, err := prune(in, own)
		if err != nil {
			return nil, err
		}
		if i < len(inputs)-1 {
			x = shown(x, in.Cols())
		}
		better[i] = x
		changed = changed || x != in
	}
	if !changed {
		return w, nil
	}
	return w.WithInputs(better), nil
}
