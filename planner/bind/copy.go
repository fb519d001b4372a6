package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// copyStmt binds COPY.
func (b *binder) copyStmt(x *pg_query.CopyStmt) (plan.Statement, error) {
	c := &plan.Copy{From: x.IsFrom, File: x.Filename, Program: x.IsProgram}
	var err error
	switch {
	case x.Query != nil:
		err = b.copyQuery(c, x)
	case x.IsFrom:
		err = b.copyFrom(c, x)
	default:
		err = b.copyTo(c, x)
	}
	if err != nil {
		return nil, err
	}
	c.Options, err = copyOptions(c, x.Options)
	return c, err
}

func (b *binder) copyQuery(c *plan.Copy, x *pg_query.CopyStmt) error {
	if x.Query.GetSelectStmt() == nil {
		returning := len(x.Query.GetInsertStmt().GetReturningList()) + len(x.Query.GetUpdateStmt().GetReturningList()) + len(x.Query.GetDeleteStmt().GetReturningList())
		if returning == 0 {
			return dberr.New(dberr.FeatureNotSupported, "COPY query must have a RETURNING clause")
		}
	}
	q, err := b.topQuery(x.Query)
	if err != nil {
		return err
	}
	c.Query, c.Cols = q, q.Out
	return nil
}

// copyTo binds COPY table TO as a query of its columns.
func (b *binder) copyTo(c *plan.Copy, x *pg_query.CopyStmt) error {
	if b.virtualSchema(x.Relation.Schemaname, x.Relation.Relname) == "" {
		rel, err := b.relation(x.Relation)
		if err != nil {
			return err
		}
		c.Rel = rel
		switch rel.Kind {
		case catalog.Table, catalog.Collection, catalog.MatViewKind:
		case catalog.ViewKind:
			return dberr.New(dberr.WrongObjectType, "cannot copy from view \"%s\"", rel.Name).WithHint("Try the COPY (SELECT ...) TO variant.")
		default:
			return dberr.New(dberr.WrongObjectType, "cannot copy from %s \"%s\"", kindName(rel.Kind, false), rel.Name)
		}
		if _, err := b.copyColumns(rel, x.Attlist); err != nil {
			return err
		}
	}
	sel := &pg_query.SelectStmt{FromClause: []*pg_query.Node{{Node: &pg_query.Node_RangeVar{RangeVar: x.Relation}}}, Op: pg_query.SetOperation_SETOP_NONE}
	names := x.Attlist
	if len(names) == 0 {
		star := &pg_query.Node{Node: &pg_query.Node_AStar{AStar: &pg_query.A_Star{}}}
		sel.TargetList = append(sel.TargetList, target1(star))
		if c.Rel != nil {
			sel.TargetList = nil
			cols, err := b.copyColumns(c.Rel, nil)
			if err != nil {
				return err
			}
			for _, col := range cols {
				sel.TargetList = append(sel.TargetList, target1(stringNode(col.Name)))
			}
		}
	}
	for _, n := range names {
		sel.TargetList = append(sel.TargetList, target1(n))
	}
	q, err := b.topQuery(selectNode(sel))
	if err != nil {
		return err
	}
	c.Query, c.Cols = q, q.Out
	return nil
}

func stringNode(s string) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: s}}}
}

// target1 makes a select list entry of one name.
func target1(field *pg_query.Node) *pg_query.Node {
	ref := &pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: &pg_query.ColumnRef{Fields: []*pg_query.Node{field}, Location: -1}}}
	return &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Val: ref, Location: -1}}}
}

// copyColumns resolves the column list of COPY; generated columns cannot be copied.
func (b *binder) copyColumns(rel *catalog.Relation, list []*pg_query.Node) ([]catalog.Column, error) {
	var out []catalog.Column
	if len(list) == 0 {
		for _, c := range liveColumns(rel) {
			if !c.Generated {
				out = append(out, c)
			}
		}
		return out, nil
	}
	for _, name := range strs(list) {
		c := findColumn(rel, name)
		if c == nil {
			return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, rel.Name)
		}
		if c.Generated {
			return nil, dberr.New(dberr.InvalidColumnRef, "column \"%s\" is a generated column", name).WithDetail("Generated columns cannot be used in COPY.")
		}
		if slices.ContainsFunc(out, func(o catalog.Column) bool { return o.Num == c.Num }) {
			return nil, dberr.New(dberr.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		out = append(out, *c)
	}
	return out, nil
}

// copyFrom binds COPY table FROM as an INSERT whose rows the session reads.
func (b *binder) copyFrom(c *plan.Copy, x *pg_query.CopyStmt) error {
	b.writes = true
	t, err := b.target(x.Relation, "INSERT")
	if err != nil {
		return err
	}
	if err := b.needTarget(t.rel, "INSERT", nil); err != nil {
		return err
	}
	if t.inner != nil {
		return dberr.New(dberr.WrongObjectType, "cannot copy to view \"%s\"", t.rel.Name).WithHint("Copy into the table that the view reads.")
	}
	rel := t.base
	c.Rel = rel
	cols, err := b.copyColumns(rel, x.Attlist)
	if err != nil {
		return err
	}
	src := &plan.CopySource{}
	s := &scope{clause: inCopyWhere}
	for _, col := range cols {
		k := b.newCol(col.Name, col.Type, col.Mod)
		k.Attr = col.Num
		src.Out = append(src.Out, k)
	}
	c.Cols = src.Out
	rows, read, err := b.admitColumns(src)
	if err != nil {
		return err
	}
	it := b.queryItem(read)
	it.alias = rel.Name
	b.addItem(s, it)
	input, err := b.where(s, rows, x.WhereClause, inCopyWhere)
	if err != nil {
		return err
	}
	n := &plan.Insert{Rel: rel, Input: input, Target: cols, NewCols: b.rowCols(rel), Defaults: map[int16]plan.Expr{}}
	if err := b.insertDefaults(n); err != nil {
		return err
	}
	if n.Generated, n.Checks, err = b.rowRules(rel, n.NewCols); err != nil {
		return err
	}
	c.Insert, err = b.finish(&query{node: n}, "COPY")
	return err
}

// copyOptions reads and checks the options of COPY.
func copyOptions(c *plan.Copy, list []*pg_query.Node) (plan.CopyOptions, error) {
	o := plan.CopyOptions{Format: "text"}
	seen := map[string]*pg_query.DefElem{}
	for _, n := range list {
		d := n.GetDefElem()
		if seen[d.Defname] != nil {
			return o, errAt(loc(d.Location), dberr.SyntaxError, "conflicting or redundant options")
		}
		seen[d.Defname] = d
	}
	if d := seen["format"]; d != nil {
		o.Format = constText(d.Arg)
		if o.Format != "text" && o.Format != "csv" && o.Format != "binary" {
			return o, errAt(loc(d.Location), dberr.InvalidParameterValue, "COPY format \"%s\" not recognized", o.Format)
		}
	}
	csv := o.Format == "csv"
	o.Delimiter, o.Null, o.Quote = "\t", `\N`, ""
	if csv {
		o.Delimiter, o.Null, o.Quote = ",", "", `"`
	}
	for name, d := range seen {
		if err := copyOption(c, &o, name, d); err != nil {
			return o, err
		}
	}
	if o.Escape == "" {
		o.Escape = o.Quote
	}
	return o, checkCopy(c, &o, seen)
}

// copyOption takes one option.
func copyOption(c *plan.Copy, o *plan.CopyOptions, name string, d *pg_query.DefElem) (err error) {
	switch name {
	case "format":
	case "freeze":
		o.Freeze, err = boolOption(d)
	case "delimiter":
		o.Delimiter = constText(d.Arg)
	case "null":
		o.Null = constText(d.Arg)
	case "header":
		if d.Arg != nil && strings.EqualFold(constText(d.Arg), "match") {
			if !c.From {
				return dberr.New(dberr.InvalidParameterValue, "cannot use \"%s\" with HEADER in COPY TO", "match")
			}
			o.Header, o.HeaderMatch = true, true
			return nil
		}
		if o.Header, err = boolOption(d); err != nil {
			err = errAt(loc(d.Location), dberr.SyntaxError, "%s requires a Boolean value or \"match\"", d.Defname)
		}
	case "quote":
		o.Quote = constText(d.Arg)
	case "escape":
		o.Escape = constText(d.Arg)
	case "force_quote":
		if d.Arg.GetAStar() != nil {
			o.ForceQuoteAll = true
			return nil
		}
		o.ForceQuote, err = copyPositions(c, d, "FORCE_QUOTE")
	case "force_not_null":
		o.ForceNotNull, err = copyPositions(c, d, "FORCE_NOT_NULL")
	case "force_null":
		o.ForceNull, err = copyPositions(c, d, "FORCE_NULL")
	case "encoding":
		o.Encoding = constText(d.Arg)
	case "default":
		o.DefaultMarker, o.HasDefaultMarker = constText(d.Arg), true
	default:
		return errAt(loc(d.Location), dberr.SyntaxError, "option \"%s\" not recognized", d.Defname)
	}
	return err
}

// copyPositions finds the columns that an option lists among the copied ones.
func copyPositions(c *plan.Copy, d *pg_query.DefElem, option string) ([]int, error) {
	var out []int
	for _, name := range strs(d.Arg.GetList().GetItems()) {
		i := slices.IndexFunc(c.Cols, func(col plan.Col) bool { return col.Name == name })
		if i < 0 && c.Rel != nil && findColumn(c.Rel, name) == nil {
			return nil, dberr.New(dberr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, c.Rel.Name)
		}
		if i < 0 {
			return nil, dberr.New(dberr.InvalidColumnRef, "%s column \"%s\" not referenced by COPY", option, name)
		}
		out = append(out, i)
	}
	return out, nil
}

// checkCopy refuses combinations that make no sense.
func checkCopy(c *plan.Copy, o *plan.CopyOptions, seen map[string]*pg_query.DefElem) error {
	csv := o.Format == "csv"
	if o.Format == "binary" {
		for _, name := range []string{"delimiter", "null", "default"} {
			if seen[name] != nil {
				return dberr.New(dberr.SyntaxError, "cannot specify %s in BINARY mode", strings.ToUpper(name))
			}
		}
		if o.Header {
			return dberr.New(dberr.FeatureNotSupported, "cannot specify HEADER in BINARY mode")
		}
	}
	for name, up := range map[string]string{"quote": "quote", "escape": "escape", "force_quote": "force quote", "force_not_null": "force not null", "force_null": "force null"} {
		if seen[name] != nil && !csv {
			return dberr.New(dberr.FeatureNotSupported, "COPY %s available only in CSV mode", up)
		}
	}
	switch {
	case len(o.Delimiter) != 1:
		return dberr.New(dberr.FeatureNotSupported, "COPY delimiter must be a single one-byte character")
	case strings.ContainsAny(o.Delimiter, "\r\n"):
		return dberr.New(dberr.InvalidParameterValue, "COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(o.Null, "\r\n"):
		return dberr.New(dberr.InvalidParameterValue, "COPY null representation cannot use newline or carriage return")
	case !csv && strings.Contains(`\.abcdefghijklmnopqrstuvwxyz0123456789`, o.Delimiter):
		return dberr.New(dberr.InvalidParameterValue, "COPY delimiter cannot be \"%s\"", o.Delimiter)
	case csv && len(o.Quote) != 1:
		return dberr.New(dberr.FeatureNotSupported, "COPY quote must be a single one-byte character")
	case csv && o.Delimiter == o.Quote:
		return dberr.New(dberr.InvalidParameterValue, "COPY delimiter and quote must be different")
	case csv && len(o.Escape) != 1:
		return dberr.New(dberr.FeatureNotSupported, "COPY escape must be a single one-byte character")
	case seen["force_quote"] != nil && c.From:
		return dberr.New(dberr.FeatureNotSupported, "COPY force quote only available using COPY TO")
	case (seen["force_not_null"] != nil || seen["force_null"] != nil) && !c.From:
		return dberr.New(dberr.FeatureNotSupported, "COPY force not null only available using COPY FROM")
	case strings.Contains(o.Null, o.Delimiter):
		return dberr.New(dberr.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification")
	case csv && strings.Contains(o.Null, o.Quote):
		return dberr.New(dberr.FeatureNotSupported, "CSV quote character must not appear in the NULL specification")
	}
	return nil
}
