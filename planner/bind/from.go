package bind

import (
	"maps"
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/sysfunc"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// origin is the stored column that a column shows unchanged.
type origin struct {
	Table uint32
	Attr  int16
}

// from binds the FROM list: its items become visible in s, its node is their cross join.
func (b *binder) from(s *scope, list []*pg_query.Node) (plan.Node, error) {
	if len(list) == 0 {
		return &plan.Empty{}, nil
	}
	var node plan.Node
	for _, n := range list {
		right, items, err := b.fromItem(s, n)
		if err != nil {
			return nil, err
		}
		if err := clashing(s.items, items); err != nil {
			return nil, err
		}
		for _, it := range items {
			it.lateralOnly, it.lateralOK = true, true
			b.addItem(s, it)
		}
		if node == nil {
			node = right
		} else {
			node = b.join(plan.InnerJoin, node, right, nil)
		}
	}
	for _, it := range s.items {
		it.lateralOnly, it.lateralOK = false, true
	}
	return node, nil
}

// join makes a join; it is lateral when the right side reads columns of the left one.
func (b *binder) join(kind plan.JoinKind, left, right plan.Node, on plan.Expr) *plan.Join {
	j := &plan.Join{Kind: kind, Left: left, Right: right, On: on}
	if free := plan.Free(right); len(free) > 0 {
		for _, c := range left.Cols() {
			if free.Has(c.ID) {
				j.Lateral = true
				break
			}
		}
	}
	return j
}

// clashing refuses an alias that is used twice.
func clashing(have, more []*item) error {
	for _, m := range more {
		if !m.relVisible || m.alias == "" {
			continue
		}
		for _, h := range have {
			if h.relVisible && h.alias == m.alias && (h.rel == nil || m.rel == nil || h.rel == m.rel || h.schema == m.schema || h.schema == "" || m.schema == "") {
				return errAt(-1, dberr.DuplicateAlias, "table name \"%s\" specified more than once", m.alias)
			}
		}
	}
	return nil
}

// fromItem binds one element of FROM.
func (b *binder) fromItem(s *scope, n *pg_query.Node) (plan.Node, []*item, error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_RangeVar:
		return b.single(b.rangeVar(s, x.RangeVar))
	case *pg_query.Node_RangeSubselect:
		return b.single(b.rangeSubselect(s, x.RangeSubselect))
	case *pg_query.Node_RangeFunction:
		return b.single(b.rangeFunction(s, x.RangeFunction))
	case *pg_query.Node_JoinExpr:
		return b.joinExpr(s, x.JoinExpr)
	case *pg_query.Node_RangeTableSample:
		return b.single(b.tableSample(s, x.RangeTableSample))
	}
	return nil, nil, errAt(astPos(n), dberr.FeatureNotSupported, "this kind of FROM item is not supported").
		WithHint("Use jsonb_to_recordset or jsonb_path_query.")
}

func (b *binder) single(node plan.Node, it *item, err error) (plan.Node, []*item, error) {
	if err != nil {
		return nil, nil, err
	}
	return node, []*item{it}, nil
}

// rangeVar binds a name in FROM: a CTE, a computed relation, a view, a table or collection.
func (b *binder) rangeVar(s *scope, rv *pg_query.RangeVar) (plan.Node, *item, error) {
	if rv.Schemaname == "" {
		if c := cteNamed(s, rv.Relname); c != nil {
			return b.cteRef(c, rv)
		}
	}
	if err := b.checkDatabase(rv); err != nil {
		return nil, nil, err
	}
	if schema := b.virtualSchema(rv.Schemaname, rv.Relname); schema != "" {
		return b.virtualScan(schema, rv)
	}
	rel := b.lookupRelation(rv.Schemaname, rv.Relname)
	if rel == nil {
		err := noRelation(rv)
		if rv.Schemaname == "" && forwardCTE(s, rv.Relname) {
			err = dberr.As(err).WithDetail("There is a WITH item named \"%s\", but it cannot be referenced from this part of the query.", rv.Relname).
				WithHint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
		}
		return nil, nil, err
	}
	if b.renamed != nil {
		b.renamed.table(rel, rv)
	}
	restricted, err := b.need(rel, catalog.RightSelect, nil)
	if err != nil {
		return nil, nil, err
	}
	switch rel.Kind {
	case catalog.ViewKind:
		return b.view(rel, rv)
	case catalog.Sequence:
		return b.computedScan(b.schemaName(rel), rv, sysfunc.SequenceTable(rel))
	case catalog.IndexKind, catalog.CompositeKind:
		return nil, nil, errAt(loc(rv.Location), dberr.WrongObjectType, "cannot open relation \"%s\"", rel.Name).
			WithDetail("This operation is not supported for %s.", kindName(rel.Kind, true))
	}
	scan, it := b.scan(rel)
	if it.pos = loc(rv.Location); restricted {
		b.onlyGranted(it, rel)
	}
	if err := nameItem(it, rel.Name, rv.Alias); err != nil {
		return nil, nil, err
	}
	if rv.Alias == nil {
		it.schema = b.schemaName(rel)
	}
	scan.Alias = it.alias
	return scan, it, nil
}

// scan makes the scan of a stored relation with all its columns, and the item that shows them.
func (b *binder) scan(rel *catalog.Relation) (*plan.Scan, *item) {
	n := &plan.Scan{Rel: rel, Alias: rel.Name}
	it := &item{alias: rel.Name, rel: rel, scan: n, sys: map[string]plan.Expr{}, relVisible: true, colsVisible: true, pos: -1}
	it.rowType = b.rowTypeOf(rel)
	for _, c := range liveColumns(rel) {
		col := b.newCol(c.Name, c.Type, c.Mod)
		col.Table, col.Attr, col.Coll = uint32(rel.ID), c.Num, c.Collation
		src := storage.ScanCol{Kind: storage.ColField, Field: c.Field, Type: c.Type, Mod: c.Mod, Name: c.Name}
		if rel.Kind == catalog.Collection {
			if src.Kind = storage.ColID; c.Num == 2 {
				src.Kind = storage.ColDoc
			}
			src.Field = ""
		}
		n.Out = append(n.Out, plan.ScanCol{Col: col, Src: src})
		it.cols = append(it.cols, itemCol{name: c.Name, expr: b.ref(col, -1)})
		b.origin[col.ID] = origin{col.Table, col.Attr}
		b.itemOf[col.ID] = it
	}
	return n, it
}

func (b *binder) schemaName(rel *catalog.Relation) string {
	if sc := b.Catalog.SchemaByID(rel.Schema); sc != nil {
		return sc.Name
	}
	return ""
}

// nameItem gives an item its alias and column aliases.
func nameItem(it *item, name string, alias *pg_query.Alias) error {
	it.alias = name
	if alias == nil {
		return nil
	}
	it.alias = alias.Aliasname
	cols := strs(alias.Colnames)
	if len(cols) > len(it.cols) {
		return dberr.New(dberr.InvalidColumnRef, "table \"%s\" has %d columns available but %d columns specified", it.alias, len(it.cols), len(cols))
	}
	for i, c := range cols {
		renameCol(&it.cols[i], c)
	}
	return nil
}

// renameCol gives a column of an item another name.
func renameCol(c *itemCol, name string) {
	c.name = name
	if r, ok := c.expr.(*plan.ColRef); ok {
		n := *r
		n.Name = name
		c.expr = &n
	}
}

// queryItem shows the columns of a query.
func (b *binder) queryItem(cols []plan.Col) *item {
	it := &item{relVisible: true, colsVisible: true, pos: -1}
	for _, c := range cols {
		it.cols = append(it.cols, itemCol{name: c.Name, expr: b.ref(c, -1)})
	}
	return it
}

func (b *binder) virtualScan(schema string, rv *pg_query.RangeVar) (plan.Node, *item, error) {
	n, it, err := b.computedScan(schema, rv, b.Virtual(schema, rv.Relname))
	if err != nil {
		return nil, nil, err
	}
	b.virtualSystem(n, it)
	return n, it, nil
}

// computedScan reads a relation whose rows are computed.
func (b *binder) computedScan(schema string, rv *pg_query.RangeVar, t *functions.Table) (*plan.VirtualScan, *item, error) {
	n := &plan.VirtualScan{Schema: schema, Name: rv.Relname, Table: *t}
	for _, c := range t.Cols {
		n.Out = append(n.Out, b.newCol(c.Name, c.Type, -1))
	}
	it := b.queryItem(n.Out)
	if err := nameItem(it, rv.Relname, rv.Alias); err != nil {
		return nil, nil, err
	}
	if rv.Alias == nil {
		it.schema = schema
	}
	n.Alias = it.alias
	return n, it, nil
}

// systemNames are the names of the system columns in order.
var systemNames = slices.Sorted(maps.Keys(systemColumns))

// virtualSystem adds the system columns, which catalog queries ask for.
func (b *binder) virtualSystem(n *plan.VirtualScan, it *item) {
	for _, name := range systemNames {
		c := b.newCol(name, systemColumns[name].typ, -1)
		n.Out = append(n.Out, c)
		it.cols = append(it.cols, itemCol{name: name, expr: b.ref(c, -1), hidden: true})
	}
}

// rangeSubselect binds (SELECT …) AS alias.
func (b *binder) rangeSubselect(s *scope, x *pg_query.RangeSubselect) (plan.Node, *item, error) {
	sel := x.Subquery.GetSelectStmt()
	if x.Alias == nil {
		return nil, nil, b.withoutAlias(sel)
	}
	var q *query
	err := b.lateral(s, x.Lateral, inFromSubselect, func() error {
		var err error
		q, err = b.selectStmt(s, sel, subOpts)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	it := b.queryItem(q.cols)
	it.sub = q
	return q.node, it, nameItem(it, "", x.Alias)
}

// withoutAlias is the error for a subquery in FROM that has no name, at its parenthesis.
func (b *binder) withoutAlias(sel *pg_query.SelectStmt) error {
	pos := selectPos(sel)
	if in := pos - b.stmt.Offset; in > 0 && in <= len(b.stmt.Text) {
		pos = b.stmt.Offset + strings.LastIndexByte(b.stmt.Text[:in], '(')
	}
	what, example := "subquery", "SELECT"
	if len(sel.ValuesLists) > 0 {
		what, example = "VALUES", "VALUES"
	}
	return errAt(pos, dberr.SyntaxError, "%s in FROM must have an alias", what).WithHint("For example, FROM (%s ...) [AS] foo.", example)
}

// lateral runs f in a clause of s, with the items before it visible when on.
func (b *binder) lateral(s *scope, on bool, c clause, f func() error) error {
	old := s.lateral
	s.lateral = on
	err := s.in(c, f)
	s.lateral = old
	return err
}

// view binds the query of a view in its place. The view's own names resolve as when it was made.
func (b *binder) view(rel *catalog.Relation, rv *pg_query.RangeVar) (plan.Node, *item, error) {
	q, err := b.viewQuery(rel)
	if err != nil {
		return nil, nil, err
	}
	node, cols := q.node, q.cols
	it := b.queryItem(cols)
	it.sub = q
	it.rel, it.rowType = rel, b.rowTypeOf(rel)
	for i, c := range liveColumns(rel) {
		if i < len(it.cols) {
			renameCol(&it.cols[i], c.Name)
			b.origin[cols[i].ID] = origin{uint32(rel.ID), c.Num}
		}
	}
	if err := nameItem(it, rel.Name, rv.Alias); err != nil {
		return nil, nil, err
	}
	if rv.Alias == nil {
		it.schema = b.schemaName(rel)
	}
	return node, it, nil
}

// joinExpr binds a JOIN with its condition.
func (b *binder) joinExpr(s *scope, x *pg_query.JoinExpr) (plan.Node, []*item, error) {
	left, litems, err := b.fromItem(s, x.Larg)
	if err != nil {
		return nil, nil, err
	}
	kind := map[pg_query.JoinType]plan.JoinKind{
		pg_query.JoinType_JOIN_INNER: plan.InnerJoin, pg_query.JoinType_JOIN_LEFT: plan.LeftJoin,
		pg_query.JoinType_JOIN_RIGHT: plan.RightJoin, pg_query.JoinType_JOIN_FULL: plan.FullJoin,
	}[x.Jointype]
	for _, it := range litems {
		it.lateralOnly, it.lateralOK = true, kind == plan.InnerJoin || kind == plan.LeftJoin
		b.claim(s, it)
	}
	outer := s.items
	s.items = append(slices.Clip(outer), litems...)
	right, ritems, err := b.fromItem(s, x.Rarg)
	s.items = outer
	if err != nil {
		return nil, nil, err
	}
	if err := clashing(litems, ritems); err != nil {
		return nil, nil, err
	}
	for _, it := range ritems {
		b.claim(s, it)
	}
	both := append(slices.Clip(litems), ritems...)
	for _, it := range both {
		it.lateralOnly, it.lateralOK = false, true
	}
	on, merged, err := b.joinCond(s, x, kind, litems, ritems)
	if err != nil {
		return nil, nil, err
	}
	nullable(litems, kind == plan.RightJoin || kind == plan.FullJoin)
	nullable(ritems, kind == plan.LeftJoin || kind == plan.FullJoin)
	items, err := joinItems(x, both, litems, ritems, merged)
	return b.join(kind, left, right, on), items, err
}

func nullable(items []*item, yes bool) {
	for _, it := range items {
		it.nullable = it.nullable || yes
	}
}

// joinCond binds ON, USING or NATURAL; merged are the columns that USING shows once.
func (b *binder) joinCond(s *scope, x *pg_query.JoinExpr, kind plan.JoinKind, litems, ritems []*item) (plan.Expr, []itemCol, error) {
	names := strs(x.UsingClause)
	if x.IsNatural {
		for _, c := range visibleCols(litems) {
			if slices.ContainsFunc(visibleCols(ritems), func(r *itemCol) bool { return r.name == c.name }) {
				names = append(names, c.name)
			}
		}
	}
	if len(names) > 0 {
		return b.usingCond(kind, names, litems, ritems)
	}
	if x.Quals == nil {
		return nil, nil, nil
	}
	outer := s.items
	s.items = append(slices.Clip(litems), ritems...)
	var on plan.Expr
	err := s.in(inJoinOn, func() error {
		e, err := b.expr(s, x.Quals)
		if err == nil {
			on, err = b.boolean(e, "JOIN/ON")
		}
		return err
	})
	s.items = outer
	return on, nil, err
}

// visibleCols lists the columns that bare names reach.
func visibleCols(items []*item) []*itemCol {
	var out []*itemCol
	for _, it := range items {
		if !it.colsVisible {
			continue
		}
		for i := range it.cols {
			if !it.cols[i].hidden {
				out = append(out, &it.cols[i])
			}
		}
	}
	return out
}

func (b *binder) usingCond(kind plan.JoinKind, names []string, litems, ritems []*item) (plan.Expr, []itemCol, error) {
	var conds []plan.Expr
	var merged []itemCol
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, nil, dberr.New(dberr.DuplicateColumn, "column name \"%s\" appears more than once in USING clause", name)
		}
		l, err := usingCol(litems, name, "left")
		if err != nil {
			return nil, nil, err
		}
		r, err := usingCol(ritems, name, "right")
		if err != nil {
			return nil, nil, err
		}
		le, re := b.colExpr(l, -1), b.colExpr(r, -1)
		eq, err := b.makeOp("=", le, re, -1)
		if err != nil {
			return nil, nil, err
		}
		if eq, err = b.boolean(eq, "JOIN/USING"); err != nil {
			return nil, nil, err
		}
		conds = append(conds, eq)
		e, err := b.mergeUsing(kind, le, re)
		if err != nil {
			return nil, nil, err
		}
		merged = append(merged, itemCol{name: name, expr: e})
	}
	if len(conds) == 1 {
		return conds[0], merged, nil
	}
	return &plan.BoolOp{Args: conds}, merged, nil
}

func usingCol(items []*item, name, side string) (*itemCol, error) {
	var found *itemCol
	for _, c := range visibleCols(items) {
		if c.name == name {
			if found != nil {
				return nil, dberr.New(dberr.AmbiguousColumn, "common column name \"%s\" appears more than once in %s table", name, side)
			}
			found = c
		}
	}
	if found == nil {
		return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" specified in USING clause does not exist in %s table", name, side)
	}
	return found, nil
}

// mergeUsing gives the value of a merged column: that of the side which is never null-extended, both for FULL.
func (b *binder) mergeUsing(kind plan.JoinKind, l, r plan.Expr) (plan.Expr, error) {
	t, both, err := b.unify([]plan.Expr{l, r}, "JOIN/USING")
	if err != nil {
		return nil, err
	}
	switch kind {
	case plan.FullJoin:
		return &plan.Coalesce{Typed: plan.Typed{T: t, M: commonMod(both, t)}, Args: both}, nil
	case plan.RightJoin:
		return both[1], nil
	case plan.InnerJoin:
		if _, plain := both[0].(*plan.ColRef); !plain {
			if _, plain := both[1].(*plan.ColRef); plain {
				return both[1], nil
			}
		}
	}
	return both[0], nil
}

// joinItems gives what a join shows: its own columns (merged ones first), and its sides by their aliases unless it has an alias itself.
func joinItems(x *pg_query.JoinExpr, both, litems, ritems []*item, merged []itemCol) ([]*item, error) {
	j := &item{colsVisible: true, pos: -1}
	j.cols = slices.Clone(merged)
	isMerged := func(name string) bool {
		return slices.ContainsFunc(merged, func(m itemCol) bool { return m.name == name })
	}
	for _, side := range [][]*item{litems, ritems} {
		for _, c := range visibleCols(side) {
			if !isMerged(c.name) {
				j.cols = append(j.cols, *c)
			}
		}
	}
	j.from = map[plan.ColID]string{}
	for _, it := range both {
		for i := range it.cols {
			if r, ok := it.cols[i].expr.(*plan.ColRef); ok && it.relVisible && it.alias != "" {
				j.from[r.ID] = it.alias
			}
		}
	}
	items := both
	if x.JoinUsingAlias != nil {
		if err := clashing(both, []*item{{alias: x.JoinUsingAlias.Aliasname, relVisible: true}}); err != nil {
			return nil, err
		}
		items = append(slices.Clip(items), &item{alias: x.JoinUsingAlias.Aliasname, cols: slices.Clone(merged), relVisible: true, pos: -1})
	}
	if x.Alias != nil {
		names := strs(x.Alias.Colnames)
		if len(names) > len(j.cols) {
			return nil, dberr.New(dberr.InvalidColumnRef, "join expression \"%s\" has %d columns available but %d columns specified", x.Alias.Aliasname, len(j.cols), len(names))
		}
		for i, n := range names {
			renameCol(&j.cols[i], n)
		}
		j.alias, j.relVisible = x.Alias.Aliasname, true
		return []*item{j}, nil
	}
	for _, it := range both {
		it.colsVisible = false
	}
	return append(slices.Clip(items), j), nil
}

// kindName is how messages name a kind of relation.
func kindName(k catalog.Kind, plural bool) string {
	name := map[catalog.Kind]string{
		catalog.Table: "table", catalog.Collection: "table", catalog.ViewKind: "view", catalog.MatViewKind: "materialized view",
		catalog.Sequence: "sequence", catalog.IndexKind: "index", catalog.CompositeKind: "composite type",
	}[k]
	switch {
	case !plural:
		return name
	case name == "index":
		return "indexes"
	}
	return name + "s"
}
