package opt

import "github.com/omgdb/omgdb/planner/plan"

// dropRenaming lets every column keep the id under which it was first produced: a Project that only passes columns on is dropped, and
// one that also computes passes columns on under their own ids. Then the rules that follow see through subqueries in FROM and views.
// Where a node looks at all its input's columns (DISTINCT, set operations, CTEs, INSERT, most subqueries), they stay as they are.
func dropRenaming(c *Context, n plan.Node) (plan.Node, error) {
	r := &renamer{to: map[plan.ColID]plan.ColID{}}
	n, err := r.tree(n, false)
	if err != nil || len(r.to) == 0 {
		return n, err
	}
	for i := range c.out {
		c.out[i].ID = r.final(c.out[i].ID)
	}
	return r.apply(n)
}

type renamer struct{ to map[plan.ColID]plan.ColID }

func (r *renamer) final(id plan.ColID) plan.ColID {
	for {
		next, ok := r.to[id]
		if !ok {
			return id
		}
		id = next
	}
}

// tree collects renames below n; exact says that the consumer of n looks at all its columns.
func (r *renamer) tree(n plan.Node, exact bool) (plan.Node, error) {
	inputs := n.Inputs()
	better := make([]plan.Node, len(inputs))
	changed := false
	for i, in := range inputs {
		x, err := r.tree(in, exactInput(n, i, exact))
		if err != nil {
			return nil, err
		}
		better[i] = x
		changed = changed || x != in
	}
	if changed {
		n = n.WithInputs(better)
	}
	n, err := plan.MapExprs(n, func(e plan.Expr) (plan.Expr, error) {
		return plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
			s, ok := x.(*plan.Subquery)
			if !ok {
				return x, nil
			}
			q, err := r.tree(s.Query, s.Kind != plan.ExistsSub)
			if err != nil || q == s.Query {
				return x, err
			}
			better := *s
			better.Query = q
			return &better, nil
		})
	})
	if err != nil {
		return nil, err
	}
	if p, ok := n.(*plan.Project); ok && !exact {
		return r.project(p), nil
	}
	return n, nil
}

// exactInput tells whether n looks at all columns of its input i.
func exactInput(n plan.Node, i int, exact bool) bool {
	switch x := n.(type) {
	case *plan.Project, *plan.Aggregate, *plan.Update, *plan.Delete, *plan.Merge:
		return false
	case *plan.SetOp, *plan.Insert:
		return true
	case *plan.Distinct:
		return x.On == nil || exact
	case *plan.With:
		return i < len(x.Inputs())-1 || exact
	case *plan.Join:
		if i == 1 && (x.Kind == plan.SemiJoin || x.Kind == plan.AntiJoin || x.Kind == plan.AntiNullJoin) {
			return false
		}
	}
	return exact
}

// project lets p pass columns under their own ids, and gives its input instead when it does nothing else.
func (r *renamer) project(p *plan.Project) plan.Node {
	in := setOf(p.Input.Cols())
	var out []plan.Col
	var items []plan.Expr
	passes, changed := true, false
	seen := plan.ColSet{}
	for i, e := range p.Items {
		ref, ok := e.(*plan.ColRef)
		if ok {
			ref = r.resolved(ref)
			ok = in.Has(ref.ID)
		}
		if !ok {
			passes = false
			out, items = append(out, p.Out[i]), append(items, e)
			continue
		}
		if ref.ID != p.Out[i].ID {
			r.to[p.Out[i].ID] = ref.ID
			changed = true
		}
		if seen.Has(ref.ID) {
			changed = true
			continue
		}
		seen[ref.ID] = struct{}{}
		col := p.Out[i]
		col.ID = ref.ID
		out, items = append(out, col), append(items, ref)
	}
	if passes {
		return p.Input
	}
	if !changed {
		return p
	}
	return &plan.Project{Input: p.Input, Out: out, Items: items}
}

func (r *renamer) resolved(e *plan.ColRef) *plan.ColRef {
	id := r.final(e.ID)
	if id == e.ID {
		return e
	}
	c := *e
	c.ID = id
	return &c
}

// apply replaces the ids everywhere.
func (r *renamer) apply(n plan.Node) (plan.Node, error) {
	n, err := plan.TransformExprs(n, func(e plan.Expr) (plan.Expr, error) {
		if ref, ok := e.(*plan.ColRef); ok {
			return r.resolved(ref), nil
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		switch x := n.(type) {
		case *plan.Lock:
			c := *x
			c.Rels = append([]plan.LockRel(nil), x.Rels...)
			for i := range c.Rels {
				c.Rels[i].RowKey = r.final(c.Rels[i].RowKey)
			}
			return &c, nil
		case *plan.Update:
			c := *x
			c.RowKey, c.Raw = r.final(x.RowKey), r.final(x.Raw)
			return &c, nil
		case *plan.Delete:
			c := *x
			c.RowKey, c.Raw = r.final(x.RowKey), r.final(x.Raw)
			return &c, nil
		case *plan.Merge:
			c := *x
			c.RowKey, c.Raw = r.final(x.RowKey), r.final(x.Raw)
			return &c, nil
		}
		return n, nil
	})
}

// everyNode transforms the nodes of the tree and of the subqueries in it.
func everyNode(n plan.Node, f func(plan.Node) (plan.Node, error)) (plan.Node, error) {
	return eachTree(n, func(n plan.Node) (plan.Node, error) { return plan.TransformNodes(n, f) })
}
