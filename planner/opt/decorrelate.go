package opt

import (
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// decorrelate turns subqueries that would run for each row into joins that run once, where both mean the same:
// EXISTS and IN in a WHERE become semi joins, NOT EXISTS an anti join, and an aggregate over rows that equal the outer row in some
// columns becomes a join with the aggregate grouped by these columns.
func decorrelate(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		switch x := n.(type) {
		case *plan.Filter:
			return c.decorrelateFilter(x), nil
		case *plan.Project:
			return c.decorrelateProject(x), nil
		}
		return n, nil
	})
}

func (c *Context) decorrelateFilter(f *plan.Filter) plan.Node {
	in := f.Input
	var stay []plan.Expr
	changed := false
	for _, e := range conjuncts(f.Pred, nil) {
		if j := c.semiJoin(in, e); j != nil {
			in, changed = j, true
			continue
		}
		stay = append(stay, e)
	}
	for i, e := range stay {
		if x, j := c.pullAggregates(in, e); j != nil {
			stay[i], in, changed = x, j, true
		}
	}
	if !changed {
		return f
	}
	return shown(filtered(in, stay), f.Cols())
}

func (c *Context) decorrelateProject(p *plan.Project) plan.Node {
	in := p.Input
	items := append([]plan.Expr(nil), p.Items...)
	changed := false
	for i, e := range items {
		if x, j := c.pullAggregates(in, e); j != nil {
			items[i], in, changed = x, j, true
		}
	}
	if !changed {
		return p
	}
	return &plan.Project{Input: in, Out: p.Out, Items: items}
}

// semiJoin gives in joined with the subquery that the condition consists of, nil when that is not possible.
func (c *Context) semiJoin(in plan.Node, e plan.Expr) plan.Node {
	not := false
	if n, ok := e.(*plan.Not); ok {
		not, e = true, n.Arg
	}
	s, ok := e.(*plan.Subquery)
	if !ok {
		return nil
	}
	not = not != s.Not
	outer := setOf(in.Cols())
	switch {
	case s.Kind == plan.ExistsSub:
		core, on, ok := (&unnester{outer: outer}).unnest(s.Query, false)
		if !ok || refsAny(plan.Free(core), outer) {
			return nil
		}
		kind := plan.SemiJoin
		if not {
			kind = plan.AntiJoin
		}
		return &plan.Join{Kind: kind, Left: in, Right: core, On: and(on)}
	case s.Kind == plan.AnySub && !not && s.Op == "=":
		core, on, ok := (&unnester{outer: outer}).unnest(s.Query, true)
		if !ok || refsAny(plan.Free(core), outer) || volatile(s.Compare) || hasSubquery(s.Compare) {
			return nil
		}
		return &plan.Join{Kind: plan.SemiJoin, Left: in, Right: core, On: and(append([]plan.Expr{s.Compare}, on...))}
	}
	return nil
}

// unnester takes conditions that refer to an outer row out of a query.
type unnester struct {
	outer plan.ColSet
	exact bool // how often a row comes matters, not only whether it is there
}

// unnest takes from a query the conditions that refer to the outer row; core is what is left. Where values is set the query's columns are
// read, and are among those of the core; otherwise only the existence of a row counts, and unnest looks through what doesn't matter to it.
func (u *unnester) unnest(q plan.Node, values bool) (core plan.Node, on []plan.Expr, ok bool) {
	if !refsAny(plan.Free(q), u.outer) {
		return q, nil, true
	}
	switch x := q.(type) {
	case *plan.Project:
		if !values {
			core, on, ok = u.unnest(x.Input, false)
			return core, on, ok && noVolatile(x.Items)
		}
		if core, on, ok = u.unnest(x.Input, true); !ok || refsAny(plan.RefsOf(x.Items...), u.outer) {
			return nil, nil, false
		}
		return projected(x, core, on), on, true
	case *plan.Sort:
		if x.TopN == nil {
			return u.unnest(x.Input, values)
		}
	case *plan.Distinct:
		if x.On == nil && !u.exact {
			return u.unnest(x.Input, values)
		}
	case *plan.Limit:
		if k, isConst := x.Count.(*plan.Const); !values && isConst && x.Offset == nil && !k.Val.IsNull() && k.Val.Int() > 0 {
			return u.unnest(x.Input, false)
		}
	case *plan.Filter:
		return u.unnestFilter(x)
	case *plan.Join:
		return u.unnestJoin(x)
	}
	return nil, nil, false
}

func noVolatile(es []plan.Expr) bool {
	for _, e := range es {
		if volatile(e) {
			return false
		}
	}
	return true
}

// projected is the projection over a core, with what the conditions need passed through.
func projected(p *plan.Project, core plan.Node, on []plan.Expr) plan.Node {
	out, items := p.Out, p.Items
	refs, have := plan.RefsOf(on...), setOf(p.Out)
	for _, col := range core.Cols() {
		if refs.Has(col.ID) && !have.Has(col.ID) {
			out = append(out[:len(out):len(out)], col)
			items = append(items[:len(items):len(items)], plan.Expr(colRef(col)))
		}
	}
	return &plan.Project{Input: core, Out: out, Items: items}
}

// unnestFilter moves the conditions that refer to the outer row out of a filter.
func (u *unnester) unnestFilter(f *plan.Filter) (plan.Node, []plan.Expr, bool) {
	core, on, ok := u.unnest(f.Input, true)
	if !ok {
		return nil, nil, false
	}
	var stay []plan.Expr
	for _, e := range conjuncts(f.Pred, nil) {
		switch {
		case !refsAny(plan.RefsOf(e), u.outer):
			stay = append(stay, e)
		case volatile(e) || hasSubquery(e):
			return nil, nil, false
		default:
			on = append(on, e)
		}
	}
	return filtered(core, stay), on, true
}

// unnestJoin moves conditions out of an inner join, or out of the side of a left join that is not padded.
func (u *unnester) unnestJoin(j *plan.Join) (plan.Node, []plan.Expr, bool) {
	if j.Lateral || j.Kind != plan.InnerJoin && j.Kind != plan.LeftJoin && j.Kind != plan.SemiJoin && j.Kind != plan.AntiJoin {
		return nil, nil, false
	}
	left, on, ok := u.unnest(j.Left, true)
	if !ok {
		return nil, nil, false
	}
	better := *j
	better.Left = left
	if j.Kind != plan.InnerJoin {
		if refsAny(plan.Free(j.Right), u.outer) || refsAny(plan.RefsOf(j.On), u.outer) {
			return nil, nil, false
		}
		return &better, on, true
	}
	right, more, ok := u.unnest(j.Right, true)
	if !ok {
		return nil, nil, false
	}
	better.Right = right
	on = append(on, more...)
	var stay []plan.Expr
	for _, e := range conjuncts(j.On, nil) {
		switch {
		case !refsAny(plan.RefsOf(e), u.outer):
			stay = append(stay, e)
		case volatile(e) || hasSubquery(e):
			return nil, nil, false
		default:
			on = append(on, e)
		}
	}
	better.On = and(stay)
	return &better, on, true
}

// pullAggregates replaces the correlated scalar aggregates in e by columns of a join; nil when there is none.
func (c *Context) pullAggregates(in plan.Node, e plan.Expr) (plan.Expr, plan.Node) {
	changed := false
	guarded := false
	plan.Walk(e, func(x plan.Expr) bool { // what a CASE or COALESCE may never evaluate stays where it is
		switch x.(type) {
		case *plan.Case, *plan.Coalesce:
			guarded = true
		}
		return !guarded
	})
	if guarded {
		return e, nil
	}
	x, err := plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
		s, ok := x.(*plan.Subquery)
		if !ok || s.Kind != plan.ScalarSub || s.Not {
			return x, nil
		}
		val, j := c.joinAggregate(in, s.Query)
		if j == nil {
			return x, nil
		}
		in, changed = j, true
		return val, nil
	})
	if err != nil || !changed {
		return e, nil
	}
	return x, in
}

// joinAggregate joins in with an aggregate query that the outer row selects rows for by equality, and gives the query's value.
func (c *Context) joinAggregate(in plan.Node, q plan.Node) (plan.Expr, plan.Node) {
	outer := setOf(in.Cols())
	p, ok := q.(*plan.Project)
	if !ok || len(p.Items) != 1 || !refsAny(plan.Free(q), outer) || refsAny(plan.RefsOf(p.Items[0]), outer) || hasSubquery(p.Items[0]) || volatile(p.Items[0]) {
		return nil, nil
	}
	a, ok := p.Input.(*plan.Aggregate)
	if !ok || len(a.Groups) > 0 || len(a.Sets) > 0 || !knownWhenEmpty(a.Aggs) {
		return nil, nil
	}
	for _, e := range a.Exprs() {
		if refsAny(plan.RefsOf(e), outer) {
			return nil, nil
		}
	}
	core, on, ok := (&unnester{outer: outer, exact: true}).unnest(a.Input, true)
	if !ok || len(on) == 0 || refsAny(plan.Free(core), outer) {
		return nil, nil
	}
	grouped := *a
	grouped.Input, grouped.Groups, grouped.GroupCols = core, nil, nil
	var eqs []plan.Expr
	inner := setOf(core.Cols())
	for _, e := range on {
		o, i, call, ok := outerEquality(e, outer, inner)
		if !ok {
			return nil, nil
		}
		col := c.newCol(plan.Col{Name: "?column?", Type: i.Type(), Mod: i.Mod()})
		grouped.Groups, grouped.GroupCols = append(grouped.Groups, i), append(grouped.GroupCols, col)
		eq := *call
		eq.Args = []plan.Expr{o, colRef(col)}
		if call.Args[0] == i {
			eq.Args = []plan.Expr{colRef(col), o}
		}
		eqs = append(eqs, &eq)
	}
	by := map[plan.ColID]plan.Expr{}
	for _, g := range a.Aggs {
		if g.Fn.Name == "count" {
			zero := &plan.Const{Typed: plan.Typed{T: g.Col.Type, M: -1}, Val: value.Int(0)}
			by[g.Col.ID] = &plan.Coalesce{Typed: zero.Typed, Args: []plan.Expr{colRef(g.Col), zero}}
		}
	}
	j := &plan.Join{Kind: plan.LeftJoin, Left: in, Right: &grouped, On: and(eqs)}
	return substitute(p.Items[0], by), j
}

// outerEquality reads outer = inner by an equality that hashing knows.
func outerEquality(e plan.Expr, outer, inner plan.ColSet) (o, i plan.Expr, call *plan.Call, ok bool) {
	c, isCall := e.(*plan.Call)
	if !isCall || c.Style != plan.OpStyle || c.Name != "=" || len(c.Args) != 2 || !vec.Hashable(c.Args[0].Type(), c.Args[1].Type()) {
		return nil, nil, nil, false
	}
	o, i = c.Args[0], c.Args[1]
	for range 2 {
		or, ir := plan.RefsOf(o), plan.RefsOf(i)
		if !refsAny(or, inner) && !refsAny(ir, outer) && refsAny(ir, inner) {
			return o, i, c, true
		}
		o, i = i, o
	}
	return nil, nil, nil, false
}

// nullWhenEmpty lists the aggregates that are NULL over no rows; count is 0 there. Others stay subqueries.
var nullWhenEmpty = map[string]bool{
	"sum": true, "avg": true, "min": true, "max": true, "count": true, "bool_and": true, "bool_or": true, "every": true, "string_agg": true,
	"array_agg": true, "stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true,
	"bit_and": true, "bit_or": true, "json_agg": true, "jsonb_agg": true, "json_object_agg": true, "jsonb_object_agg": true,
}

func knownWhenEmpty(aggs []plan.Agg) bool {
	for _, a := range aggs {
		if !nullWhenEmpty[a.Fn.Name] {
			return false
		}
	}
	return len(aggs) > 0
}
