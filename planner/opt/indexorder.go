package opt

import (
	"math"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
)

// readInOrder lets an index give the first rows of an ORDER BY … LIMIT in their order. The sort stays: the executor passes the rows
// through it as they come, or sorts after all when the index is newer than what the statement may see.
func readInOrder(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		s, ok := n.(*plan.Sort)
		if !ok || s.TopN == nil || s.Presorted > 0 || len(s.Keys) == 0 {
			return n, nil
		}
		in := c.orderedInput(s.Input, s.Keys, s.TopN, nil)
		if in == nil {
			return n, nil
		}
		better := *s
		better.Input, better.Presorted = in, len(s.Keys)
		return &better, nil
	})
}

// orderedInput gives n with its scan reading in the order of keys, nil when no index does that cheaply.
func (c *Context) orderedInput(n plan.Node, keys []plan.SortKey, top plan.Expr, conds []plan.Expr) plan.Node {
	switch x := n.(type) {
	case *plan.Filter:
		in := c.orderedInput(x.Input, keys, top, append(append([]plan.Expr(nil), conds...), conjuncts(x.Pred, nil)...))
		if in == nil {
			return nil
		}
		return x.WithInputs([]plan.Node{in})
	case *plan.Project:
		by := map[plan.ColID]plan.Expr{}
		for i, col := range x.Out {
			by[col.ID] = x.Items[i]
		}
		inner := append([]plan.SortKey(nil), keys...)
		for i := range inner {
			inner[i].Expr = substitute(inner[i].Expr, by)
		}
		in := c.orderedInput(x.Input, inner, top, nil)
		if in == nil {
			return nil
		}
		return x.WithInputs([]plan.Node{in})
	case *plan.Scan:
		if s := c.orderedScan(x, keys, top, append(append([]plan.Expr(nil), x.FilterExprs...), conds...)); s != nil {
			return s
		}
	}
	return nil
}

// orderedScan chooses an index of which the keys, behind those that conditions fix to single values, are the sort keys.
func (c *Context) orderedScan(s *plan.Scan, keys []plan.SortKey, top plan.Expr, conds []plan.Expr) *plan.Scan {
	if s.Lock != nil || s.Access.Point != nil || s.Access.AnyOf != nil || s.Access.Ranges != nil && s.Access.Index == nil || s.Access.Unique {
		return nil
	}
	for _, ix := range c.indexes(s) {
		if ix.where != nil && !implied(ix.where, conds) {
			continue
		}
		eq, m := 0, matchIndex(s, ix, conds)
		if m != nil && len(m.ranges) == 1 {
			eq = m.eq
		} else {
			m = nil
		}
		reverse, ok := keysInOrder(ix, eq, keys)
		if !ok || !c.fewInOrder(s, ix, m, top, conds) {
			continue
		}
		better := *s
		better.Access = plan.Access{Index: ix.x, Reverse: reverse, Ordered: true}
		if k, ok := top.(*plan.Const); ok && !k.Val.IsNull() {
			better.Access.Wanted = int(min(max(k.Val.Int(), 0), math.MaxInt32))
		}
		if m != nil {
			better.Access.Ranges, better.Access.Exact = m.ranges, m.covers(ix, s.FilterExprs)
		}
		return &better
	}
	return nil
}

// fewInOrder tells whether the first rows are found before a scan of everything would be cheaper, by what the conditions beside the
// index's are expected to keep.
func (c *Context) fewInOrder(s *plan.Scan, ix index, m *indexMatch, top plan.Expr, conds []plan.Expr) bool {
	want := 100.0
	if k, ok := top.(*plan.Const); ok && !k.Val.IsNull() {
		want = float64(k.Val.Int())
	}
	sel, have := 1.0, 1.0
	if m != nil {
		have = m.sel
	}
	for _, e := range conds {
		if m == nil || !slices.Contains(m.used, e) { // the others choose the range, and keep all of it
			sel *= c.selectivity(e, s)
		}
	}
	return want/max(sel, 1e-6)*lookupCost < c.baseRows(s.Rel)*have || m != nil && c.baseRows(s.Rel)*have < 1000
}

// keysInOrder tells whether the index's keys from the first free one on are the sort keys, forwards or all backwards.
func keysInOrder(ix index, eq int, keys []plan.SortKey) (reverse, ok bool) {
	if eq+len(keys) > len(ix.keys) {
		return false, false
	}
	for i, k := range keys {
		x := ix.x.Keys[eq+i]
		if ix.keys[eq+i] == nil || !same(k.Expr, ix.keys[eq+i]) || k.Less != nil || k.Coll != "" && k.Coll != "C" && k.Coll != "default" ||
			!keyOrdered(k.Expr.Type()) {
			return false, false
		}
		back := x.Desc != k.Desc
		if i == 0 {
			reverse = back
		}
		if back != reverse || (x.NullsFirst != k.NullsFirst) != reverse {
			return false, false
		}
	}
	return reverse, true
}
