package bind

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
	"slices"
)

// Window functions and set-returning functions are lifted out of the expressions that they stand in.

// liftWindows moves the window calls of the targets into Window nodes, one for each partitioning and order.
func (b *binder) liftWindows(p *selectParts) {
	if !p.s.hasWindow {
		return
	}
	type placed struct {
		call *winExpr
		col  plan.Col
	}
	var nodes []*plan.Window
	var done []placed
	for _, t := range p.targets {
		t.expr = b.replace(t.expr, func(e plan.Expr) plan.Expr {
			w, ok := e.(*winExpr)
			if !ok {
				return nil
			}
			for _, d := range done {
				if sameWindowCall(d.call, w) {
					return b.ref(d.col, w.pos)
				}
			}
			call := w.call
			call.Col = b.newCol(w.name, w.T, w.M)
			call.Col.Coll = w.call.Col.Coll
			b.own(p.s, call.Col.ID)
			i := slices.IndexFunc(nodes, func(n *plan.Window) bool {
				return equalLists(n.Partition, w.partition) && equalKeys(n.Order, w.order)
			})
			if i < 0 {
				i = len(nodes)
				nodes = append(nodes, &plan.Window{Partition: w.partition, Order: w.order})
			}
			nodes[i].Calls = append(nodes[i].Calls, call)
			done = append(done, placed{w, call.Col})
			return b.ref(call.Col, w.pos)
		})
	}
	b.windowSets(p, nodes)
	for _, n := range nodes {
		n.Input = p.node
		p.node = n
	}
}

// windowSets computes the set-returning calls in PARTITION BY and ORDER BY of windows, below the windows; those of the select list
// go along, so that equal ones are one.
func (b *binder) windowSets(p *selectParts, nodes []*plan.Window) {
	var ptrs []*plan.Expr
	found := false
	add := func(e *plan.Expr) {
		ptrs = append(ptrs, e)
		found = found || hasSet(*e)
	}
	for _, n := range nodes {
		n.Partition, n.Order = slices.Clone(n.Partition), slices.Clone(n.Order)
		for i := range n.Partition {
			add(&n.Partition[i])
		}
		for i := range n.Order {
			add(&n.Order[i].Expr)
		}
	}
	if !found {
		return
	}
	for _, t := range p.targets {
		ptrs = append(ptrs, &t.expr)
	}
	p.node, _ = b.projectSets(p.s, p.node, ptrs)
}

func sameWindowCall(a, w *winExpr) bool {
	return a.call.Fn == w.call.Fn && a.call.Agg == w.call.Agg && a.call.Frame.Mode == w.call.Frame.Mode &&
		a.call.Frame.Start.Kind == w.call.Frame.Start.Kind && a.call.Frame.End.Kind == w.call.Frame.End.Kind &&
		a.call.Frame.Exclude == w.call.Frame.Exclude && (a.call.Filter == nil) == (w.call.Filter == nil) &&
		equalKeys(a.order, w.order) && equalLists(a.partition, w.partition) && equalLists(a.Children(), w.Children()) && !volatile(a.Children()...)
}

// replace rewrites e from the outside in: f gives what stands in an expression's place, nil to look inside.
func (b *binder) replace(e plan.Expr, f func(plan.Expr) plan.Expr) plan.Expr {
	if r := f(e); r != nil {
		return r
	}
	return b.withChildren(e, func(c plan.Expr) plan.Expr { return b.replace(c, f) })
}

// withChildren gives e with f of each child, e itself when nothing changes.
func (b *binder) withChildren(e plan.Expr, f func(plan.Expr) plan.Expr) plan.Expr {
	children := e.Children()
	var changed []plan.Expr
	for i, c := range children {
		n := f(c)
		if n != c && changed == nil {
			changed = slices.Clone(children)
		}
		if changed != nil {
			changed[i] = n
		}
	}
	if changed == nil {
		return e
	}
	out := e.With(changed)
	b.at(out, b.posOf(e))
	return out
}

// liftSets moves the set-returning calls of the targets into ProjectSet nodes, the inner ones of nested calls first; it tells
// whether there were any.
func (b *binder) liftSets(p *selectParts) bool {
	if !p.s.hasSet {
		return false
	}
	exprs := make([]*plan.Expr, len(p.targets))
	for i, t := range p.targets {
		exprs[i] = &t.expr
	}
	node, any := b.projectSets(p.s, p.node, exprs)
	p.node = node
	return any
}

func (b *binder) projectSets(s *scope, node plan.Node, exprs []*plan.Expr) (plan.Node, bool) {
	found := false
	for {
		ps := &plan.ProjectSet{Input: node}
		type placed struct {
			call *setExpr
			ref  plan.Col
		}
		var done []placed
		for _, e := range exprs {
			*e = b.replace(*e, func(x plan.Expr) plan.Expr {
				c, ok := x.(*setExpr)
				if !ok || slices.ContainsFunc(c.args, hasSet) {
					return nil
				}
				for _, d := range done {
					if d.call == c || d.call.fn == c.fn && equalLists(d.call.args, c.args) && !volatile(c.args...) {
						return b.ref(d.ref, c.pos)
					}
				}
				call := plan.SetCall{Fn: c.fn, Args: c.args}
				col := b.newCol(c.name, c.T, c.M)
				b.own(s, col.ID)
				call.Cols = []plan.Col{col}
				call.Shape = value.Schema{{Name: c.name, Type: c.T, Mod: -1}}
				if c.cols != nil {
					call.AsRecord, call.Shape = true, c.cols
				}
				ps.Calls = append(ps.Calls, call)
				done = append(done, placed{c, col})
				return b.ref(col, c.pos)
			})
		}
		if len(ps.Calls) == 0 {
			return node, found
		}
		node, found = ps, true
	}
}
