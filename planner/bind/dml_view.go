package bind

import (
	"context"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"google.golang.org/protobuf/proto"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// dmlTarget is what a DML statement names: a table, or a simple view, through which the table below it is changed (manual, CREATE VIEW,
// "Updatable Views").
type dmlTarget struct {
	rel   *catalog.Relation // as named
	base  *catalog.Relation // the table whose rows change
	sel   *pg_query.SelectStmt
	alias string     // of the view's relation, in the view
	inner *dmlTarget // what the view reads; nil for a table
	verb  string
}

// dmlVerbs: how messages name what cannot be done.
var dmlVerbs = map[string]struct{ view, column, doing string }{
	"INSERT": {"insert into", "insert into", "inserting into"},
	"UPDATE": {"update", "update", "updating"},
	"DELETE": {"delete from", "delete from", "deleting from"},
}

// target finds the relation that a DML statement changes.
func (b *binder) target(rv *pg_query.RangeVar, verb string) (*dmlTarget, error) {
	if schema := b.virtualSchema(rv.Schemaname, rv.Relname); schema != "" {
		return nil, dberr.New(dberr.InsufficientPrivilege, "permission denied for table %s", rv.Relname)
	}
	rel, err := b.relationAt(rv)
	if err != nil {
		return nil, err
	}
	return b.targetOf(rel, verb)
}

func (b *binder) targetOf(rel *catalog.Relation, verb string) (*dmlTarget, error) {
	switch rel.Kind {
	case catalog.Table, catalog.Collection:
		return &dmlTarget{rel: rel, base: rel, verb: verb}, nil
	case catalog.ViewKind:
		return b.viewTarget(rel, verb)
	case catalog.MatViewKind:
		return nil, dberr.New(dberr.WrongObjectType, "cannot change materialized view \"%s\"", rel.Name)
	}
	return nil, dberr.New(dberr.WrongObjectType, "cannot change %s \"%s\"", kindName(rel.Kind, false), rel.Name)
}

// viewTarget takes a view apart.
func (b *binder) viewTarget(rel *catalog.Relation, verb string) (*dmlTarget, error) {
	if b.depth++; b.depth > maxViewDepth {
		return nil, dberr.New(dberr.InvalidObjectDef, "infinite recursion detected in rules for relation \"%s\"", rel.Name)
	}
	defer func() { b.depth-- }()
	stmts, err := parse.Parse(rel.ViewSQL)
	if err != nil || len(stmts) != 1 || stmts[0].Node.GetSelectStmt() == nil {
		return nil, dberr.Wrap(err, dberr.DataCorrupted, "the stored query of view \"%s\" is damaged", rel.Name)
	}
	sel := stmts[0].Node.GetSelectStmt()
	refuse := func(detail string) error {
		return dberr.New(dberr.ObjectNotInPrerequisiteState, "cannot %s view \"%s\"", dmlVerbs[verb].view, rel.Name).
			WithDetail("%s", detail).WithHint("Change the tables that the view reads.")
	}
	if why := b.notSimple(sel); why != "" {
		return nil, refuse(why)
	}
	rv := sel.FromClause[0].GetRangeVar()
	under := b.lookupRelation(rv.Schemaname, rv.Relname)
	if under == nil || under.Kind != catalog.Table && under.Kind != catalog.Collection && under.Kind != catalog.ViewKind {
		return nil, refuse("Views that do not select from a single table or view are not automatically updatable.")
	}
	inner, err := b.targetOf(under, verb)
	if err != nil {
		return nil, err
	}
	t := &dmlTarget{rel: rel, base: inner.base, sel: sel, alias: under.Name, inner: inner, verb: verb}
	if rv.Alias != nil {
		t.alias = rv.Alias.Aliasname
	}
	return t, nil
}

// SimpleView tells whether rows can be changed through a view, and of each of its columns, in their order, whether it can be set.
func SimpleView(ctx context.Context, bc *Context, view *catalog.Relation) (settable []bool, simple bool) {
	b := newBinder(ctx, bc, parse.Stmt{})
	t, err := b.targetOf(view, "UPDATE")
	if err != nil {
		return nil, false
	}
	_, base := b.scan(t.base)
	it, _, err := t.item(b, base)
	if err != nil {
		return nil, false
	}
	for i := range it.cols {
		_, err := t.behind(b, &it.cols[i])
		settable = append(settable, err == nil)
	}
	return settable, true
}

// notSimple says why a view's query cannot be changed through, "" when it can.
func (b *binder) notSimple(sel *pg_query.SelectStmt) string {
	no := func(what string) string { return "Views " + what + " are not automatically updatable." }
	switch {
	case len(sel.DistinctClause) > 0:
		return no("containing DISTINCT")
	case len(sel.GroupClause) > 0:
		return no("containing GROUP BY")
	case sel.HavingClause != nil:
		return no("containing HAVING")
	case sel.Op != pg_query.SetOperation_SETOP_NONE && sel.Op != pg_query.SetOperation_SET_OPERATION_UNDEFINED:
		return no("containing UNION, INTERSECT, or EXCEPT")
	case sel.WithClause != nil:
		return no("containing WITH")
	case sel.LimitCount != nil || sel.LimitOffset != nil:
		return no("containing LIMIT or OFFSET")
	case len(sel.FromClause) != 1 || sel.FromClause[0].GetRangeVar() == nil:
		return no("that do not select from a single table or view")
	}
	why := ""
	for _, n := range sel.TargetList {
		walkAST(n, func(m proto.Message) bool {
			f, ok := m.(*pg_query.FuncCall)
			if !ok {
				_, sub := m.(*pg_query.SubLink)
				return !sub
			}
			name := strs(f.Funcname)[len(f.Funcname)-1]
			switch {
			case f.Over != nil:
				why = no("that return window functions")
			case len(b.Registry.Aggregates(name)) > 0:
				why = no("that return aggregate functions")
			case len(b.Registry.Tables(name)) > 0:
				why = no("that return set-returning functions")
			}
			return true
		})
	}
	return why
}

// item shows the target over an item of its table: for a view its columns under its own names. preds are the conditions of the views.
func (t *dmlTarget) item(b *binder, base *item) (it *item, preds []plan.Expr, err error) {
	if t.inner == nil {
		return base, nil, nil
	}
	under, preds, err := t.inner.item(b, base)
	if err != nil {
		return nil, nil, err
	}
	seen := *under
	seen.alias, seen.schema, seen.relVisible, seen.colsVisible, seen.lateralOnly = t.alias, "", true, true, false
	s := &scope{clause: inSelect, items: []*item{&seen}}
	out := &item{alias: t.rel.Name, rel: t.rel, rowType: b.rowTypeOf(t.rel), scan: base.scan, sys: base.sys, relVisible: true, colsVisible: true, pos: -1}
	_, err = b.unplaced(func() (*query, error) {
		targets, err := b.targetList(s, t.sel.TargetList, inSelect)
		if err != nil {
			return nil, err
		}
		cols := liveColumns(t.rel)
		for i, x := range targets {
			if i < len(cols) {
				out.cols = append(out.cols, itemCol{name: cols[i].Name, expr: x.expr})
			}
		}
		if t.sel.WhereClause == nil {
			return nil, nil
		}
		return nil, s.in(inWhere, func() error {
			e, err := b.expr(s, t.sel.WhereClause)
			if err == nil {
				e, err = b.boolean(e, "WHERE")
				preds = append(preds, e)
			}
			return err
		})
	})
	return out, preds, err
}

// column finds the table's column behind a column of the target.
func (t *dmlTarget) column(b *binder, it *item, name string, pos int) (*catalog.Column, error) {
	c, n := it.find(name)
	if n == 0 {
		return nil, errAt(pos, dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, t.rel.Name)
	}
	return t.behind(b, c)
}

// behind gives the table's column that a column of the target shows unchanged.
func (t *dmlTarget) behind(b *binder, c *itemCol) (*catalog.Column, error) {
	if r, ok := c.expr.(*plan.ColRef); ok {
		if o := b.origin[r.ID]; o.Table == uint32(t.base.ID) {
			return columnNumbered(t.base, o.Attr), nil
		}
	}
	v := dmlVerbs[t.verb]
	return nil, dberr.New(dberr.FeatureNotSupported, "cannot %s column \"%s\" of view \"%s\"", v.column, c.name, t.rel.Name).
		WithDetail("View columns that are not columns of their base relation are not updatable.")
}

// checkOptions gives the conditions of WITH CHECK OPTION as checks over the new row: CASCADED (and LOCAL above it) passes down.
func (t *dmlTarget) checkOptions(b *binder, newRow *item, cascaded bool) ([]plan.NamedExpr, error) {
	if t.inner == nil {
		return nil, nil
	}
	option := t.rel.Options["check_option"]
	cascaded = cascaded || option == "cascaded"
	out, err := t.inner.checkOptions(b, newRow, cascaded)
	if err != nil || option == "" && !cascaded || t.sel.WhereClause == nil {
		return out, err
	}
	_, preds, err := t.item(b, newRow)
	if err != nil {
		return nil, err
	}
	own := preds[len(preds)-1]
	return append(out, plan.NamedExpr{Name: t.rel.Name, Expr: &plan.BoolTest{Arg: own, Want: 't'}, View: true}), nil
}
