package bind

import (
	"slices"

	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"google.golang.org/protobuf/proto"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// selectInto binds SELECT … INTO table.
func (b *binder) selectInto(sel *pg_query.SelectStmt) (plan.Statement, error) {
	inner := proto.CloneOf(sel)
	inner.IntoClause = nil
	st, err := b.tableOf(sel.IntoClause, selectNode(inner), false, pg_query.ObjectType_OBJECT_TABLE)
	if err != nil {
		return nil, err
	}
	st.SelectInto = true
	return st, nil
}

// createTableAs binds CREATE TABLE AS and CREATE MATERIALIZED VIEW.
func (b *binder) createTableAs(x *pg_query.CreateTableAsStmt) (plan.Statement, error) {
	if e := x.Query.GetExecuteStmt(); e != nil {
		return b.tableOfPrepared(x, e)
	}
	return b.tableOf(x.Into, x.Query, x.IfNotExists, x.Objtype)
}

// tableOf makes a table with the columns and rows of a query.
func (b *binder) tableOf(into *pg_query.IntoClause, n *pg_query.Node, ifNotExists bool, kind pg_query.ObjectType) (*plan.CreateTable, error) {
	b.writes = true
	if into.TableSpaceName != "" {
		return nil, dberr.New(dberr.FeatureNotSupported, "tablespaces are not supported").WithHint("A store is one directory.")
	}
	d, err := b.newTable(into.Rel, ifNotExists)
	if err != nil {
		return nil, err
	}
	q, err := b.topQuery(n)
	if err != nil {
		return nil, err
	}
	if err := b.columnsOf(d, q, into); err != nil {
		return nil, err
	}
	st := d.st
	st.As, st.WithData = q, !into.SkipData
	if st.Rel.Options, err = relOptions("table", into.Options, false); err != nil {
		return nil, err
	}
	if err := d.onCommit(into.OnCommit); err != nil {
		return nil, err
	}
	if kind == pg_query.ObjectType_OBJECT_MATVIEW {
		if b.writes && modifies(n.GetSelectStmt()) {
			return nil, dberr.New(dberr.FeatureNotSupported, "materialized views must not use data-modifying statements in WITH")
		}
		if b.readsTemp() {
			return nil, dberr.New(dberr.FeatureNotSupported, "materialized views must not use temporary tables or views")
		}
		st.IsMatView, st.Rel.Kind, st.Rel.Uses = true, catalog.MatViewKind, slices.Clone(b.named)
		st.Rel.ViewSQL, err = b.viewText(n)
	}
	return st, err
}

// tableOfPrepared binds CREATE TABLE AS EXECUTE.
func (b *binder) tableOfPrepared(x *pg_query.CreateTableAsStmt, e *pg_query.ExecuteStmt) (plan.Statement, error) {
	b.writes = true
	run, err := b.execute(e)
	if err != nil {
		return nil, err
	}
	var q *plan.Query
	if b.PreparedQuery != nil {
		q = b.PreparedQuery(e.Name)
	}
	if q == nil || !q.HasRows {
		return nil, dberr.New(dberr.WrongObjectType, "prepared statement is not a SELECT")
	}
	d, err := b.newTable(x.Into.Rel, x.IfNotExists)
	if err != nil {
		return nil, err
	}
	if err := b.columnsOf(d, q, x.Into); err != nil {
		return nil, err
	}
	st := d.st
	st.As, st.AsArgs, st.WithData = q, run.(*plan.Execute).Args, !x.Into.SkipData
	st.Rel.Options, err = relOptions("table", x.Into.Options, false)
	return st, err
}

// columnsOf gives a table the columns of a query.
func (b *binder) columnsOf(d *tableDef, q *plan.Query, into *pg_query.IntoClause) error {
	names := strs(into.ColNames)
	if len(names) > len(q.Out) {
		return dberr.New(dberr.SyntaxError, "too many column names were specified")
	}
	for i, c := range q.Out {
		name := c.Name
		if i < len(names) {
			name = names[i]
		}
		if findColumn(d.rel, name) != nil {
			return dberr.New(dberr.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		if c.Type.Class == value.Pseudo {
			return dberr.New(dberr.InvalidTableDef, "column \"%s\" has pseudo-type %s", name, c.Type.SQL)
		}
		col := catalog.Column{Num: int16(i + 1), Name: name, Type: c.Type, Mod: c.Mod}
		if c.Coll != "default" {
			col.Collation = c.Coll
		}
		d.rel.Columns = append(d.rel.Columns, col)
	}
	return nil
}

// modifies tells whether a query changes data in its WITH clause.
func modifies(sel *pg_query.SelectStmt) bool {
	for _, n := range sel.GetWithClause().GetCtes() {
		if n.GetCommonTableExpr().GetCtequery().GetSelectStmt() == nil {
			return true
		}
	}
	return false
}

// readsTemp tells whether the statement names a temporary relation.
func (b *binder) readsTemp() bool {
	return slices.ContainsFunc(b.named, func(id catalog.ID) bool {
		r := b.Catalog.RelationByID(id)
		return r != nil && r.Temp
	})
}

// createView binds CREATE VIEW. The text that is kept has its names qualified and its stars expanded, so that it means the same later.
func (b *binder) createView(x *pg_query.ViewStmt) (plan.Statement, error) {
	rv := x.View
	d, err := b.newTable(rv, false)
	if err != nil {
		return nil, err
	}
	sel := x.Query.GetSelectStmt()
	if sel == nil || sel.IntoClause != nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "views must not contain SELECT INTO")
	}
	ctx := *b.Context
	ctx.NoParams = true
	b.Context = &ctx
	q, err := b.topQuery(x.Query)
	if err != nil {
		return nil, err
	}
	if b.writes && modifies(sel) {
		return nil, dberr.New(dberr.FeatureNotSupported, "views must not contain data-modifying statements in WITH")
	}
	notice := ""
	if !d.rel.Temp && b.readsTemp() {
		temporary := proto.CloneOf(rv)
		temporary.Relpersistence = "t"
		if d, err = b.newTable(temporary, false); err != nil {
			return nil, err
		}
		notice = "view \"" + rv.Relname + "\" will be a temporary view"
	}
	names := strs(x.Aliases)
	if len(names) > len(q.Out) {
		return nil, dberr.New(dberr.SyntaxError, "CREATE VIEW specifies more column names than columns")
	}
	st := &plan.CreateView{Name: d.st.Name, Rel: *d.rel, OrReplace: x.Replace, Temp: d.rel.Temp, Notice: notice}
	st.Rel.Kind = catalog.ViewKind
	for i, c := range q.Out {
		name := c.Name
		if i < len(names) {
			name = names[i]
		}
		if findColumn(&st.Rel, name) != nil {
			return nil, dberr.New(dberr.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		if c.Type.Class == value.Pseudo {
			return nil, dberr.New(dberr.InvalidTableDef, "column \"%s\" has pseudo-type %s", name, c.Type.SQL)
		}
		st.Rel.Columns = append(st.Rel.Columns, catalog.Column{Num: int16(i + 1), Name: name, Type: c.Type, Mod: c.Mod})
	}
	st.Rel.Uses = slices.Clone(b.named)
	switch x.WithCheckOption {
	case pg_query.ViewCheckOption_LOCAL_CHECK_OPTION:
		st.Check = 'l'
	case pg_query.ViewCheckOption_CASCADED_CHECK_OPTION:
		st.Check = 'c'
	}
	if st.Rel.Options, err = relOptions("view", x.Options, false); err != nil {
		return nil, err
	}
	if st.Check != 0 {
		if st.Rel.Options == nil {
			st.Rel.Options = map[string]string{}
		}
		st.Rel.Options["check_option"] = map[byte]string{'l': "local", 'c': "cascaded"}[st.Check]
		if why := b.notSimple(sel); why != "" {
			return nil, dberr.New(dberr.FeatureNotSupported, "WITH CHECK OPTION is supported only on automatically updatable views").WithHint("%s", why)
		}
	}
	st.Rel.ViewSQL, err = b.viewText(x.Query)
	return st, err
}

// viewText writes a bound query as it is kept: tables and types with their schemas, stars expanded.
func (b *binder) viewText(n *pg_query.Node) (string, error) {
	fixed := proto.CloneOf(n)
	ctes := map[string]bool{}
	walkAST(fixed, func(m proto.Message) bool {
		if c, ok := m.(*pg_query.CommonTableExpr); ok {
			ctes[c.Ctename] = true
		}
		return true
	})
	walkAST(fixed, func(m proto.Message) bool {
		switch x := m.(type) {
		case *pg_query.RangeVar:
			b.qualifyTable(x, ctes)
		case *pg_query.TypeName:
			b.qualifyType(x)
		case *pg_query.SelectStmt:
			x.TargetList = b.expandStars(x.TargetList)
		}
		return true
	})
	text, err := parse.Deparse(fixed)
	if err != nil {
		return "", dberr.Wrap(err, dberr.FeatureNotSupported, "the view's query cannot be kept: %v", err)
	}
	return text, nil
}

func (b *binder) qualifyTable(rv *pg_query.RangeVar, ctes map[string]bool) {
	if rv.Schemaname != "" || ctes[rv.Relname] {
		return
	}
	if schema := b.virtualSchema("", rv.Relname); schema != "" {
		rv.Schemaname = schema
	} else if r := b.lookupRelation("", rv.Relname); r != nil {
		rv.Schemaname = b.schemaName(r)
	}
}

func (b *binder) qualifyType(t *pg_query.TypeName) {
	names := strs(t.Names)
	if len(names) != 1 {
		return
	}
	found := b.typeNamed("", names[0])
	if found == nil || found.Namespace == 0 {
		return
	}
	if sc := b.Catalog.SchemaByID(catalog.ID(found.Namespace)); sc != nil {
		t.Names = []*pg_query.Node{stringNode(sc.Name), stringNode(names[0])}
	}
}

// expandStars replaces the stars of a select list by what they stood for when the query was bound; they are known by their place.
func (b *binder) expandStars(list []*pg_query.Node) []*pg_query.Node {
	var out []*pg_query.Node
	for _, n := range list {
		c := n.GetResTarget().GetVal().GetColumnRef()
		if c == nil || len(c.Fields) == 0 || c.Fields[len(c.Fields)-1].GetAStar() == nil {
			out = append(out, n)
			continue
		}
		cols, ok := b.stars[loc(c.Location)]
		if !ok {
			out = append(out, n)
			continue
		}
		for _, col := range cols {
			var fields []*pg_query.Node
			for _, part := range col {
				fields = append(fields, stringNode(part))
			}
			ref := &pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: &pg_query.ColumnRef{Fields: fields}}}
			out = append(out, &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Val: ref}}})
		}
	}
	return out
}

// refresh binds REFRESH MATERIALIZED VIEW.
func (b *binder) refresh(x *pg_query.RefreshMatViewStmt) (plan.Statement, error) {
	rel, err := b.relation(x.Relation)
	if err != nil {
		return nil, err
	}
	if rel.Kind != catalog.MatViewKind {
		return nil, dberr.New(dberr.FeatureNotSupported, "\"%s\" is not a materialized view", rel.Name)
	}
	st := &plan.RefreshMatView{Rel: rel, WithData: !x.SkipData, Concurrently: x.Concurrent}
	q, err := b.viewQuery(rel)
	if err != nil {
		return nil, err
	}
	st.Query, err = b.finish(q, "SELECT")
	return st, err
}

func (b *binder) createSchema(x *pg_query.CreateSchemaStmt) (plan.Statement, error) {
	name := x.Schemaname
	owner := ""
	if x.Authrole != nil {
		owner = b.roleName(x.Authrole)
		if name == "" {
			name = owner
		}
	}
	if err := checkName(name, -1); err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "pg_") {
		return nil, dberr.New(dberr.ReservedName, "unacceptable schema name \"%s\"", name).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	if name == ownSchema {
		return nil, dberr.New(dberr.ReservedName, "unacceptable schema name \"%s\"", name).WithDetail("It holds OMGDB's functions.")
	}
	if len(x.SchemaElts) > 0 {
		return nil, dberr.New(dberr.FeatureNotSupported, "CREATE SCHEMA with schema elements is not supported").
			WithHint("Create the schema first, then the objects in it.")
	}
	return &plan.CreateSchema{Name: name, Owner: owner, IfNotExists: x.IfNotExists}, nil
}
