package opt

import "github.com/omgdb/omgdb/planner/plan"

// inlineCTEs puts common table expressions that are read once in the place where they are read, unless they are recursive, change
// data, call volatile functions, were declared MATERIALIZED, or are read inside a subquery that may run again and again.
func inlineCTEs(_ *Context, n plan.Node) (plan.Node, error) {
	return eachTree(n, func(n plan.Node) (plan.Node, error) {
		return plan.TransformNodes(n, func(n plan.Node) (plan.Node, error) {
			w, ok := n.(*plan.With)
			if !ok {
				return n, nil
			}
			return inlineInto(w)
		})
	})
}

func inlineInto(w *plan.With) (plan.Node, error) {
	for i := 0; i < len(w.CTEs); {
		c := w.CTEs[i]
		if c.Recursive || c.Modifying || c.Materialized == 'm' || !inlinable(c.Query) || readers(w, c.ID) != 1 {
			i++
			continue
		}
		rest := &plan.With{CTEs: append(append([]plan.CTE(nil), w.CTEs[:i]...), w.CTEs[i+1:]...), Input: w.Input}
		better, done := replaceRef(rest, c)
		if !done {
			i++
			continue
		}
		w = better
	}
	if len(w.CTEs) == 0 {
		return w.Input, nil
	}
	return w, nil
}

// inlinable tells whether a query may run at another moment, or not at all.
func inlinable(n plan.Node) bool {
	ok := true
	plan.WalkNodes(n, func(n plan.Node) bool {
		switch n.(type) {
		case *plan.Insert, *plan.Update, *plan.Delete, *plan.Merge, *plan.Lock:
			ok = false
		}
		for _, e := range n.Exprs() {
			ok = ok && !volatile(e)
		}
		return ok
	})
	return ok
}

// readers counts the references to a CTE, those in subqueries included.
func readers(n plan.Node, id int) int {
	count := 0
	plan.WalkNodes(n, func(n plan.Node) bool {
		if r, ok := n.(*plan.CTERef); ok && r.ID == id {
			count++
		}
		for _, e := range n.Exprs() {
			plan.Walk(e, func(x plan.Expr) bool {
				if s, ok := x.(*plan.Subquery); ok {
					count += readers(s.Query, id)
				}
				return true
			})
		}
		return true
	})
	return count
}

// replaceRef puts the CTE's query in place of its reference, when that doesn't stand in a subquery or in a lateral join's right side.
func replaceRef(w *plan.With, c plan.CTE) (*plan.With, bool) {
	done := false
	var replace func(n plan.Node) plan.Node
	replace = func(n plan.Node) plan.Node {
		if r, ok := n.(*plan.CTERef); ok && r.ID == c.ID {
			done = true
			p := &plan.Project{Input: c.Query, Out: r.Out}
			for _, col := range c.Query.Cols() {
				p.Items = append(p.Items, colRef(col))
			}
			return p
		}
		inputs := n.Inputs()
		for i, in := range inputs {
			if j, ok := n.(*plan.Join); ok && j.Lateral && i == 1 {
				continue
			}
			if x := replace(in); x != in {
				inputs = append([]plan.Node(nil), inputs...)
				inputs[i] = x
				return n.WithInputs(inputs)
			}
		}
		return n
	}
	better, _ := replace(w).(*plan.With)
	return better, done
}
