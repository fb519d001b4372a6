package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// cte is a common table expression that FROM can name.
type cte struct {
	id   int
	name string
	cols []plan.Col
	// recursive: cols are known from the first part, and the query is being bound: references read the working table.
	self      bool
	modifying bool
	hidden    int // last columns that * does not show …
	helpers   int // … and of these the ones that stay hidden outside the recursion
}

// bound are the CTEs of one WITH clause, to be put around the query that it belongs to.
type bound struct{ ctes []plan.CTE }

func (w *bound) around(q *query) *query {
	if w == nil || len(w.ctes) == 0 {
		return q
	}
	return &query{node: &plan.With{CTEs: w.ctes, Input: q.node}, cols: q.cols, project: nil}
}

// withClause binds WITH; its names become visible at level s.
func (b *binder) withClause(s *scope, w *pg_query.WithClause) (*bound, error) {
	if w == nil {
		return nil, nil
	}
	out := &bound{}
	seen := map[string]bool{}
	for _, n := range w.Ctes {
		x := n.GetCommonTableExpr()
		if seen[x.Ctename] {
			return nil, errAt(loc(x.Location), dberr.DuplicateAlias, "WITH query name \"%s\" specified more than once", x.Ctename)
		}
		seen[x.Ctename] = true
		if sel := x.Ctequery.GetSelectStmt(); sel == nil {
			if x.Ctequery.GetMergeStmt() != nil {
				return nil, errAt(loc(x.Location), dberr.FeatureNotSupported, "MERGE not supported in WITH query")
			}
			if s.parent != nil {
				return nil, errAt(loc(x.Location), dberr.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level")
			}
		}
	}
	list := w.Ctes
	if w.Recursive {
		var err error
		if list, err = b.dependencyOrder(w.Ctes); err != nil {
			return nil, err
		}
	}
	for i, n := range list {
		s.forward = nil
		for _, later := range list[i:] {
			s.forward = append(s.forward, later.GetCommonTableExpr().Ctename)
		}
		c, err := b.bindCTE(s, n.GetCommonTableExpr(), w.Recursive)
		if err != nil {
			return nil, err
		}
		out.ctes = append(out.ctes, *c)
	}
	s.forward = nil
	return out, nil
}

// dependencyOrder sorts the items of WITH RECURSIVE so that each stands behind those it names.
func (b *binder) dependencyOrder(list []*pg_query.Node) ([]*pg_query.Node, error) {
	names := map[string]int{}
	for i, n := range list {
		names[n.GetCommonTableExpr().Ctename] = i
	}
	var out []*pg_query.Node
	state := make([]int, len(list)) // 1 being visited, 2 done
	var visit func(i int) error
	visit = func(i int) error {
		x := list[i].GetCommonTableExpr()
		if state[i] == 1 {
			return errAt(loc(x.Location), dberr.FeatureNotSupported, "mutual recursion between WITH items is not implemented")
		}
		if state[i] == 2 {
			return nil
		}
		state[i] = 1
		for name := range tableNames(x.Ctequery) {
			if j, ok := names[name]; ok && j != i {
				if err := visit(j); err != nil {
					return err
				}
			}
		}
		state[i] = 2
		out = append(out, list[i])
		return nil
	}
	for i := range list {
		if err := visit(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bindCTE binds one item of WITH.
func (b *binder) bindCTE(s *scope, x *pg_query.CommonTableExpr, recursive bool) (*plan.CTE, error) {
	b.nextCT++
	c := &cte{id: b.nextCT, name: x.Ctename}
	out := &plan.CTE{ID: c.id, Name: c.name}
	switch x.Ctematerialized {
	case pg_query.CTEMaterialize_CTEMaterializeAlways:
		out.Materialized = 'm'
	case pg_query.CTEMaterialize_CTEMaterializeNever:
		out.Materialized = 'n'
	}
	if recursive && tableNames(x.Ctequery)[x.Ctename] {
		if err := b.recursiveCTE(s, x, c, out); err != nil {
			return nil, err
		}
		c.self, c.hidden = false, c.helpers
		s.ctes = append(slices.Clip(s.ctes), c)
		return out, nil
	}
	if x.SearchClause != nil || x.CycleClause != nil {
		return nil, errAt(loc(x.Location), dberr.SyntaxError, "WITH query is not recursive")
	}
	var q *query
	var err error
	if sel := x.Ctequery.GetSelectStmt(); sel != nil {
		q, err = b.selectStmt(s, sel, subOpts)
	} else {
		out.Modifying = true
		_, q, err = b.dml(s, x.Ctequery)
		c.modifying = true
	}
	if err != nil {
		return nil, err
	}
	if c.cols, err = cteCols(x, q.cols); err != nil {
		return nil, err
	}
	out.Query = q.node
	s.ctes = append(slices.Clip(s.ctes), c)
	return out, nil
}

// cteCols names the columns of a CTE.
func cteCols(x *pg_query.CommonTableExpr, cols []plan.Col) ([]plan.Col, error) {
	names := strs(x.Aliascolnames)
	if len(names) > len(cols) {
		return nil, errAt(loc(x.Location), dberr.InvalidColumnRef, "WITH query \"%s\" has %d columns available but %d columns specified", x.Ctename, len(cols), len(names))
	}
	out := slices.Clone(cols)
	for i, n := range names {
		out[i].Name = n
	}
	return out, nil
}

// recursiveCTE binds seed UNION [ALL] step, where step reads the CTE itself.
func (b *binder) recursiveCTE(s *scope, x *pg_query.CommonTableExpr, c *cte, out *plan.CTE) error {
	sel := x.Ctequery.GetSelectStmt()
	pos := loc(x.Location)
	switch {
	case sel == nil:
		return errAt(pos, dberr.InvalidRecursion, "recursive query \"%s\" must not contain data-modifying statements", c.name)
	case sel.Op != pg_query.SetOperation_SETOP_UNION:
		return errAt(pos, dberr.InvalidRecursion, "recursive query \"%s\" does not have the form non-recursive-term UNION [ALL] recursive-term", c.name)
	case len(sel.SortClause) > 0:
		return errAt(astPos(sel.SortClause[0]), dberr.FeatureNotSupported, "ORDER BY in a recursive query is not implemented")
	case sel.LimitOffset != nil:
		return errAt(astPos(sel.LimitOffset), dberr.FeatureNotSupported, "OFFSET in a recursive query is not implemented")
	case sel.LimitCount != nil:
		return errAt(astPos(sel.LimitCount), dberr.FeatureNotSupported, "LIMIT in a recursive query is not implemented")
	case len(sel.LockingClause) > 0:
		return dberr.New(dberr.FeatureNotSupported, "FOR UPDATE/SHARE in a recursive query is not implemented")
	case sel.WithClause != nil && withNames(sel.WithClause)[c.name]:
		return errAt(namePos(&pg_query.Node{Node: &pg_query.Node_WithClause{WithClause: sel.WithClause}}, c.name), dberr.InvalidRecursion,
			"recursive reference to query \"%s\" must not appear within a subquery", c.name)
	case tableNames(selectNode(sel.Larg))[c.name]:
		return errAt(namePos(selectNode(sel.Larg), c.name), dberr.InvalidRecursion, "recursive reference to query \"%s\" must not appear within its non-recursive term", c.name)
	}
	if x.SearchClause != nil || x.CycleClause != nil {
		var err error
		if x, err = b.searchCycle(s, x, c); err != nil {
			return err
		}
		sel = x.Ctequery.GetSelectStmt()
	}
	inner := &scope{parent: s, clause: inSelect}
	with, err := b.withClause(inner, sel.WithClause)
	if err != nil {
		return err
	}
	seed, err := b.setSide(inner, sel.Larg)
	if err != nil {
		return err
	}
	if seed, err = b.knownTypes(seed); err != nil {
		return err
	}
	if c.cols, err = cteCols(x, seed.cols); err != nil {
		return err
	}
	c.self = true
	inner.ctes = append(slices.Clip(inner.ctes), c)
	if err := checkRecursion(sel.Rarg, c.name); err != nil {
		return err
	}
	step, err := b.setSide(inner, sel.Rarg)
	if err != nil {
		return err
	}
	if len(seed.cols) != len(step.cols) {
		return errAt(selectPos(sel.Rarg), dberr.SyntaxError, "each %s query must have the same number of columns", "UNION")
	}
	if err := b.sameTypes(c, seed, step); err != nil {
		return err
	}
	out.Recursive, out.Union = true, !sel.All
	out.Query, out.Step = seed.node, step.node
	if with != nil && len(with.ctes) > 0 {
		out.Query = &plan.With{CTEs: with.ctes, Input: seed.node}
		out.Step = &plan.With{CTEs: with.ctes, Input: step.node}
	}
	return nil
}

// knownTypes makes literals of unknown type in a query text.
func (b *binder) knownTypes(q *query) (*query, error) {
	if q.project == nil {
		return q, nil
	}
	for i, e := range q.project.Items {
		t, err := b.resolveUnknown(e)
		if err != nil {
			return nil, err
		}
		q.project.Items[i] = t
		q.project.Out[i].Type = t.Type()
	}
	q.cols = q.project.Out
	return q, nil
}

// sameTypes checks that the step's columns fit the seed's, which decide about the types.
func (b *binder) sameTypes(c *cte, seed, step *query) error {
	for i, col := range seed.cols {
		e := []plan.Expr{b.ref(col, -1), b.sideExpr(step, i)}
		t, err := b.commonType(e, "UNION")
		if err != nil {
			return err
		}
		overall := plan.Col{Type: t, Mod: commonMod(e, t)}
		if !same(t, col.Type) || overall.Mod != col.Mod {
			return errAt(b.itemPos(seed, i), dberr.DatatypeMismatch, "recursive query \"%s\" column %d has type %s in non-recursive term but type %s overall",
				c.name, i+1, formatType(col), formatType(overall)).
				WithHint("Cast the output of the non-recursive term to the correct type.")
		}
	}
	ts := make([]plan.Col, len(seed.cols))
	copy(ts, seed.cols)
	return b.castColumns(step, colTypes(ts), "UNION")
}

// cteNamed finds a CTE by name, from the inner level outwards; nil when there is none.
func cteNamed(s *scope, name string) *cte {
	for lv := s; lv != nil; lv = lv.parent {
		for i := len(lv.ctes) - 1; i >= 0; i-- {
			if c := lv.ctes[i]; c.name == name {
				return c
			}
		}
	}
	return nil
}

// forwardCTE tells whether a name is that of a WITH item which cannot be seen yet.
func forwardCTE(s *scope, name string) bool {
	for lv := s; lv != nil; lv = lv.parent {
		if slices.Contains(lv.forward, name) {
			return true
		}
	}
	return false
}

// cteRef reads a CTE.
func (b *binder) cteRef(c *cte, rv *pg_query.RangeVar) (plan.Node, *item, error) {
	if c.modifying && len(c.cols) == 0 {
		return nil, nil, errAt(loc(rv.Location), dberr.FeatureNotSupported, "WITH query \"%s\" does not have a RETURNING clause", c.name)
	}
	n := &plan.CTERef{ID: c.id, Name: c.name, Self: c.self}
	for _, col := range c.cols {
		k := b.newCol(col.Name, col.Type, col.Mod)
		k.Coll = col.Coll
		n.Out = append(n.Out, k)
	}
	it := b.queryItem(n.Out)
	it.self = c.self
	for i := range c.hidden {
		it.cols[len(it.cols)-1-i].hidden = true
	}
	if err := nameItem(it, c.name, rv.Alias); err != nil {
		return nil, nil, err
	}
	n.Alias = it.alias
	return n, it, nil
}
