package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// grouping is a bound GROUP BY.
type grouping struct {
	clause bool        // there is one
	exprs  []plan.Expr // the distinct grouping expressions
	sets   [][]int     // positions in exprs; nil: one set of all
}

// groupSet is an element of GROUP BY: the grouping sets that it stands for.
type groupSet [][]int

// maxGroupingSets bounds the expansion of CUBE and cross products.
const maxGroupingSets = 4096

// groupBy binds GROUP BY.
func (b *binder) groupBy(p *selectParts) error {
	if len(p.sel.GroupClause) == 0 {
		return nil
	}
	g := &p.group
	g.clause = true
	sets := groupSet{{}}
	special := false
	for _, n := range p.sel.GroupClause {
		special = special || n.GetGroupingSet() != nil
		el, err := b.groupElement(p, n)
		if err != nil {
			return err
		}
		if len(sets)*len(el) > maxGroupingSets {
			return errAt(astPos(n), dberr.StatementTooComplex, "too many grouping sets present (maximum %d)", maxGroupingSets)
		}
		sets = cross(sets, el)
	}
	if len(g.exprs) > 63 && special {
		return dberr.New(dberr.ProgramLimitExceeded, "grouping sets over more than %d expressions are not supported", 63)
	}
	for i := range sets {
		slices.Sort(sets[i])
		sets[i] = slices.Compact(sets[i])
	}
	if p.sel.GroupDistinct {
		var uniq groupSet
		for _, s := range sets {
			if !slices.ContainsFunc(uniq, func(u []int) bool { return slices.Equal(u, s) }) {
				uniq = append(uniq, s)
			}
		}
		sets = uniq
	}
	if special {
		g.sets = sets
	}
	return nil
}

func cross(a, c groupSet) groupSet {
	out := make(groupSet, 0, len(a)*len(c))
	for _, x := range a {
		for _, y := range c {
			out = append(out, append(slices.Clone(x), y...))
		}
	}
	return out
}

// groupElement binds one element: an expression, a row of expressions, or a grouping set construct.
func (b *binder) groupElement(p *selectParts, n *pg_query.Node) (groupSet, error) {
	gs := n.GetGroupingSet()
	if gs == nil {
		at, err := b.groupExprs(p, n)
		if err != nil {
			return nil, err
		}
		return groupSet{at}, nil
	}
	var parts []groupSet
	for _, c := range gs.Content {
		el, err := b.groupElement(p, c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, el)
	}
	switch gs.Kind {
	case pg_query.GroupingSetKind_GROUPING_SET_SETS:
		return slices.Concat(parts...), nil
	case pg_query.GroupingSetKind_GROUPING_SET_ROLLUP:
		var out groupSet
		for i := len(parts); i >= 0; i-- {
			out = append(out, union(parts[:i]))
		}
		return out, nil
	case pg_query.GroupingSetKind_GROUPING_SET_CUBE:
		if len(parts) > 12 {
			return nil, errAt(loc(gs.Location), dberr.TooManyColumns, "CUBE is limited to 12 elements")
		}
		var out groupSet
		for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
			var some []groupSet
			for i := range parts {
				if mask&(1<<(len(parts)-1-i)) != 0 {
					some = append(some, parts[i])
				}
			}
			out = append(out, union(some))
		}
		return out, nil
	case pg_query.GroupingSetKind_GROUPING_SET_SIMPLE:
		return groupSet{union(parts)}, nil
	}
	return groupSet{{}}, nil // GROUPING SETS (())
}

// union puts the (single) sets of several elements together.
func union(parts []groupSet) []int {
	out := []int{}
	for _, p := range parts {
		for _, s := range p {
			out = append(out, s...)
		}
	}
	return out
}

// groupExprs binds an expression of GROUP BY, or the expressions of a row, and gives their positions.
func (b *binder) groupExprs(p *selectParts, n *pg_query.Node) ([]int, error) {
	if row := n.GetRowExpr(); row != nil && row.RowFormat == pg_query.CoercionForm_COERCE_IMPLICIT_CAST {
		out := []int{}
		for _, a := range row.Args {
			at, err := b.groupExprs(p, a)
			if err != nil {
				return nil, err
			}
			out = append(out, at...)
		}
		return out, nil
	}
	e, target, err := b.entry(p.s, p.targets, n, inGroupBy, byColumn)
	if err != nil {
		return nil, err
	}
	if e, err = b.resolveUnknown(e); err != nil {
		return nil, err
	}
	if target >= 0 {
		p.targets[target].expr = e
	}
	if err := b.needsEquality(e); err != nil {
		return nil, err
	}
	for i, g := range p.group.exprs {
		if plan.Equal(g, e) {
			return []int{i}, nil
		}
	}
	p.group.exprs = append(p.group.exprs, e)
	return []int{len(p.group.exprs) - 1}, nil
}

// regroup rewrites expressions over the grouped rows: grouping expressions and aggregates become columns.
type regroup struct {
	b       *binder
	s       *scope
	node    *plan.Aggregate
	match   []plan.Expr // the grouping expressions as the query writes them
	aggs    []*aggExpr
	sets    bool
	primary map[*item]bool // relations whose whole key is grouped
	err     error
}

// grouped adds the Aggregate node when the query has GROUP BY, aggregates or HAVING, and rewrites what stands above it.
func (b *binder) grouped(p *selectParts) error {
	if !p.group.clause && !p.s.hasAgg && p.having == nil {
		return nil
	}
	if err := b.notRecursive(p); err != nil {
		return err
	}
	g := &p.group
	r := &regroup{b: b, s: p.s, match: slices.Clone(g.exprs), sets: g.sets != nil, primary: map[*item]bool{}}
	if p.s.hasSet {
		ptrs := make([]*plan.Expr, len(g.exprs))
		for i := range g.exprs {
			ptrs[i] = &g.exprs[i]
		}
		p.node, _ = b.projectSets(p.s, p.node, ptrs)
	}
	r.node = &plan.Aggregate{Input: p.node, Groups: g.exprs, Sets: g.sets}
	for i, e := range r.node.Groups {
		name := ""
		if c, ok := r.match[i].(*plan.ColRef); ok {
			name = c.Name
		}
		r.node.GroupCols = append(r.node.GroupCols, r.outCol(name, e))
	}
	for _, t := range p.targets {
		t.expr = r.rewrite(t.expr, false)
	}
	if p.having != nil {
		p.having = r.rewrite(p.having, false)
	}
	p.node = r.node
	return r.err
}

// notRecursive refuses aggregates over the recursive reference of a WITH query.
func (b *binder) notRecursive(p *selectParts) error {
	if !p.s.hasAgg || !slices.ContainsFunc(p.s.items, func(it *item) bool { return it.self }) {
		return nil
	}
	pos := -1
	for _, t := range append(slices.Clone(p.targets), &target{expr: p.having}) {
		if t.expr != nil {
			plan.Walk(t.expr, func(e plan.Expr) bool {
				if a, ok := e.(*aggExpr); ok && a.level == p.s && pos < 0 {
					pos = a.pos
				}
				return true
			})
		}
	}
	return errAt(pos, dberr.InvalidRecursion, "aggregate functions are not allowed in a recursive query's recursive term")
}

func (r *regroup) outCol(name string, e plan.Expr) plan.Col {
	c := r.b.outCol(name, e)
	r.b.own(r.s, c.ID)
	return c
}

// rewrite rewrites from the outside in. inSub tells that e stands in a subquery, where only plain columns are matched.
func (r *regroup) rewrite(e plan.Expr, inSub bool) plan.Expr {
	if r.err != nil {
		return e
	}
	switch x := e.(type) {
	case *aggExpr:
		if x.level == r.s {
			return r.aggregate(x)
		}
		return e // belongs to a query around this one: its arguments do, too
	case *groupingExpr:
		if x.level == r.s {
			return r.groupingMask(x)
		}
		return e
	case *plan.ColRef:
		return r.column(x, inSub)
	case *plan.RowExpr:
		if it := r.b.whole[x]; it != nil && !inSub {
			return r.wholeRow(x, it)
		}
	case *plan.Const, *plan.Param:
		if i := r.matching(e); i >= 0 && r.sets {
			return r.b.ref(r.node.GroupCols[i], r.b.posOf(e))
		}
		return e
	}
	if !inSub {
		if i := r.matching(e); i >= 0 {
			return r.b.ref(r.node.GroupCols[i], r.b.posOf(e))
		}
	}
	return r.inside(e, inSub)
}

// wholeRow rewrites a row that stands for an item; the error for ungrouped columns names the row.
func (r *regroup) wholeRow(x *plan.RowExpr, it *item) plan.Expr {
	if i := r.matching(x); i >= 0 {
		return r.b.ref(r.node.GroupCols[i], r.b.posOf(x))
	}
	out := r.inside(x, false)
	if e := dberr.As(r.err); e != nil && e.Code == dberr.GroupingError {
		r.err = errAt(r.b.posOf(x), dberr.GroupingError, "column \"%s.*\" must appear in the GROUP BY clause or be used in an aggregate function", it.alias)
	}
	return out
}

func (r *regroup) matching(e plan.Expr) int {
	return slices.IndexFunc(r.match, func(g plan.Expr) bool { return plan.Equal(g, e) })
}

// inside rewrites the parts of an expression, and of the queries in it.
func (r *regroup) inside(e plan.Expr, inSub bool) plan.Expr {
	if sub, ok := e.(*plan.Subquery); ok {
		q, err := plan.TransformNodes(sub.Query, func(n plan.Node) (plan.Node, error) {
			return plan.MapExprs(n, func(x plan.Expr) (plan.Expr, error) { return r.rewrite(x, true), r.err })
		})
		if err != nil {
			r.err = err
			return e
		}
		if q != sub.Query {
			c := *sub
			c.Query = q
			r.b.at(&c, r.b.posOf(e))
			e = &c
		}
	}
	return r.b.withChildren(e, func(c plan.Expr) plan.Expr { return r.rewrite(c, inSub) })
}

// column rewrites a column of this query: it must be grouped, or depend on a grouped primary key.
func (r *regroup) column(x *plan.ColRef, inSub bool) plan.Expr {
	if r.b.ownerOf(x.ID) != r.s && !r.sets { // a column of a query around this one is NULL in the sets that it is not part of
		return x
	}
	if i := r.matching(x); i >= 0 {
		return r.b.ref(r.node.GroupCols[i], x.Pos)
	}
	if r.b.ownerOf(x.ID) != r.s {
		return x
	}
	if slices.ContainsFunc(r.node.GroupCols, func(c plan.Col) bool { return c.ID == x.ID }) ||
		slices.ContainsFunc(r.node.Aggs, func(a plan.Agg) bool { return a.Col.ID == x.ID }) || r.node.GroupingCol.ID == x.ID {
		return x // already rewritten
	}
	if it := r.b.itemOf[x.ID]; it != nil && r.keyGrouped(it) {
		return r.dependent(x)
	}
	name := x.Name
	if it := r.b.visibleItem(r.s, x.ID); it != "" {
		name = it + "." + name
	}
	if inSub {
		r.err = errAt(x.Pos, dberr.GroupingError, "subquery uses ungrouped column \"%s\" from outer query", name)
	} else {
		r.err = errAt(x.Pos, dberr.GroupingError, "column \"%s\" must appear in the GROUP BY clause or be used in an aggregate function", name)
	}
	return x
}

// keyGrouped tells whether all columns of the primary key of an item's relation are grouped, in every grouping set.
func (r *regroup) keyGrouped(it *item) bool {
	if done, ok := r.primary[it]; ok {
		return done
	}
	r.primary[it] = false
	if it.rel == nil || it.scan == nil {
		return false
	}
	key := r.b.primaryKey(it.rel)
	if len(key) == 0 {
		return false
	}
	for _, num := range key {
		at := slices.IndexFunc(r.match, func(g plan.Expr) bool {
			c, ok := g.(*plan.ColRef)
			return ok && r.b.itemOf[c.ID] == it && r.b.origin[c.ID].Attr == num
		})
		if at < 0 {
			return false
		}
		for _, set := range r.node.Sets {
			if !slices.Contains(set, at) {
				return false
			}
		}
	}
	r.primary[it] = true
	return true
}

// primaryKey gives the attribute numbers of a relation's primary key.
func (b *binder) primaryKey(rel *catalog.Relation) []int16 {
	if rel.Kind == catalog.Collection {
		return []int16{1}
	}
	if len(rel.PrimaryKey) > 0 {
		return rel.PrimaryKey
	}
	for _, ix := range b.Catalog.IndexesOf(rel) {
		if ix.Primary && !ix.Deferrable {
			var key []int16
			for _, k := range ix.Keys {
				key = append(key, k.Col)
			}
			return key
		}
	}
	return nil
}

// dependent adds a column that the grouped key determines to the grouping.
func (r *regroup) dependent(x *plan.ColRef) plan.Expr {
	at := len(r.node.Groups)
	r.node.Groups, r.match = append(r.node.Groups, x), append(r.match, x)
	r.node.GroupCols = append(r.node.GroupCols, r.outCol(x.Name, x))
	for i := range r.node.Sets {
		r.node.Sets[i] = append(slices.Clone(r.node.Sets[i]), at)
	}
	return r.b.ref(r.node.GroupCols[at], x.Pos)
}

// aggregate puts a call into the node, once for equal calls.
func (r *regroup) aggregate(x *aggExpr) plan.Expr {
	for i, a := range r.aggs {
		if sameAgg(a, x) {
			return r.b.ref(r.node.Aggs[i].Col, x.pos)
		}
	}
	for _, d := range x.agg.Direct {
		r.rewrite(d, false) // only for its errors: direct arguments are the same for all rows of a group
		if e := dberr.As(r.err); e != nil && e.Detail == "" {
			r.err = e.WithDetail("Direct arguments of an ordered-set aggregate must use only grouped columns.")
		}
	}
	a := x.agg
	a.Col = r.b.newCol(x.name, x.T, x.M)
	a.Col.Coll = x.agg.Col.Coll
	r.b.own(r.s, a.Col.ID)
	r.aggs = append(r.aggs, x)
	r.node.Aggs = append(r.node.Aggs, a)
	return r.b.ref(a.Col, x.pos)
}

// groupingMask makes GROUPING(…) read the mask of the row's grouping set.
func (r *regroup) groupingMask(x *groupingExpr) plan.Expr {
	if r.node.GroupingCol.ID == 0 {
		r.node.GroupingCol = r.b.newCol("grouping", value.Int8, -1)
		r.b.own(r.s, r.node.GroupingCol.ID)
	}
	out := &plan.Grouping{Mask: r.b.ref(r.node.GroupingCol, x.pos), Args: x.args}
	for _, a := range x.args {
		i := r.matching(a)
		if i < 0 {
			r.err = errAt(r.b.posOf(a), dberr.GroupingError, "arguments to GROUPING must be grouping expressions of the associated query level")
			return x
		}
		out.Bits = append(out.Bits, i)
	}
	return r.b.at(out, x.pos)
}

// visibleItem names the item through which the query sees a column.
func (b *binder) visibleItem(s *scope, id plan.ColID) string {
	if it := b.itemOf[id]; it != nil && it.alias != "" {
		return it.alias
	}
	for _, it := range s.items {
		for i := range it.cols {
			if r, ok := it.cols[i].expr.(*plan.ColRef); ok && r.ID == id && it.alias != "" {
				return it.alias
			}
		}
	}
	return ""
}
