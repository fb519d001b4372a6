package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// dml binds INSERT, UPDATE, DELETE and MERGE; parent is the level around it for statements inside WITH.
func (b *binder) dml(parent *scope, n *pg_query.Node) (tag string, q *query, err error) {
	b.writes = true
	s := &scope{parent: parent, clause: inSelect}
	var clause *pg_query.WithClause
	var bindIt func() (plan.Node, error)
	switch x := n.Node.(type) {
	case *pg_query.Node_InsertStmt:
		tag, clause = "INSERT", x.InsertStmt.WithClause
		bindIt = func() (plan.Node, error) { return b.insert(s, x.InsertStmt) }
	case *pg_query.Node_UpdateStmt:
		tag, clause = "UPDATE", x.UpdateStmt.WithClause
		bindIt = func() (plan.Node, error) { return b.update(s, x.UpdateStmt) }
	case *pg_query.Node_DeleteStmt:
		tag, clause = "DELETE", x.DeleteStmt.WithClause
		bindIt = func() (plan.Node, error) { return b.delete(s, x.DeleteStmt) }
	case *pg_query.Node_MergeStmt:
		tag, clause = "MERGE", x.MergeStmt.WithClause
		bindIt = func() (plan.Node, error) { return b.merge(s, x.MergeStmt) }
	default:
		return "", nil, errAt(astPos(n), dberr.FeatureNotSupported, "this statement is not supported inside WITH")
	}
	with, err := b.withClause(s, clause)
	if err != nil {
		return "", nil, err
	}
	node, err := bindIt()
	if err != nil {
		return "", nil, err
	}
	return tag, with.around(&query{node: node, cols: node.Cols()}), nil
}

// rowCols makes ids for the row of a relation as DML expressions see it.
func (b *binder) rowCols(rel *catalog.Relation) []plan.Col {
	var out []plan.Col
	for _, c := range liveColumns(rel) {
		col := b.newCol(c.Name, c.Type, c.Mod)
		col.Table, col.Attr, col.Coll = uint32(rel.ID), c.Num, c.Collation
		b.origin[col.ID] = origin{col.Table, col.Attr}
		out = append(out, col)
	}
	return out
}

// newRowItem shows the columns cols of a relation's row.
func (b *binder) newRowItem(rel *catalog.Relation, cols []plan.Col) *item {
	it := b.queryItem(cols)
	it.alias, it.rel, it.rowType = rel.Name, rel, b.rowTypeOf(rel)
	return it
}

// tableItem is newRowItem for an expression of the table's definition, which may name the table with its schema.
func (b *binder) tableItem(rel *catalog.Relation, cols []plan.Col) *item {
	it := b.newRowItem(rel, cols)
	it.schema = b.schemaName(rel)
	return it
}

// assign converts a value for storing it in a column; wrong words the error for a type that cannot be stored.
func (b *binder) assign(e plan.Expr, t *value.Type, mod int32, wrong func(from *value.Type) error) (plan.Expr, error) {
	out, ok, err := b.coerce(e, t, mod, functions.Assignment, plan.ImplicitCastStyle, -1)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, wrong(e.Type())
	}
	return out, nil
}

// assignColumn is assign with the error for a table's column.
func (b *binder) assignColumn(e plan.Expr, c *catalog.Column) (plan.Expr, error) {
	return b.assign(e, c.Type, c.Mod, func(from *value.Type) error {
		return errAt(b.posOf(e), dberr.DatatypeMismatch, "column \"%s\" is of type %s but expression is of type %s", c.Name, c.Type.SQL, from.SQL).
			WithHint("You will need to rewrite or cast the expression.")
	})
}

// defaultOf binds a column's default; a NULL of its type when it has none.
func (b *binder) defaultOf(rel *catalog.Relation, c *catalog.Column) (plan.Expr, error) {
	if c.Default == "" || c.Generated {
		if d := b.domainDefault(c.Type); d != "" {
			return b.boundDefault(d, c)
		}
		return nullConst(c.Type), nil
	}
	return b.boundDefault(c.Default, c)
}

func (b *binder) boundDefault(text string, c *catalog.Column) (plan.Expr, error) {
	return b.stored(text, nil, nil, c.Type, c.Mod)
}

// domainDefault is the default that a domain gives to columns without one, "" for none.
func (b *binder) domainDefault(t *value.Type) string {
	for t != nil && t.Class == value.Domain {
		d := b.Catalog.TypeByID(catalogID(t.OID))
		if d == nil {
			return ""
		}
		if d.Default != "" {
			return d.Default
		}
		t = t.Under
	}
	return ""
}

// rowRules binds the generated columns and checks of a relation over the new row.
func (b *binder) rowRules(rel *catalog.Relation, cols []plan.Col) (generated map[int16]plan.Expr, checks []plan.NamedExpr, err error) {
	live := liveColumns(rel)
	for i := range live {
		c := &live[i]
		if !c.Generated {
			continue
		}
		e, err := b.stored(c.Default, rel, cols, c.Type, c.Mod)
		if err != nil {
			return nil, nil, err
		}
		if generated == nil {
			generated = map[int16]plan.Expr{}
		}
		generated[c.Num] = e
	}
	for _, ck := range rel.Checks {
		e, err := b.stored(ck.Expr, rel, cols, value.Boolean, -1)
		if err != nil {
			return nil, nil, err
		}
		checks = append(checks, plan.NamedExpr{Name: ck.Name, Expr: e})
	}
	return generated, checks, nil
}

// returning binds RETURNING; s shows what it can see.
func (b *binder) returning(s *scope, list []*pg_query.Node) (*plan.Returning, error) {
	if len(list) == 0 {
		return nil, nil
	}
	targets, err := b.targetList(s, list, inReturning)
	if err != nil {
		return nil, err
	}
	r := &plan.Returning{}
	for _, t := range targets {
		e, err := b.resolveUnknown(t.expr)
		if err != nil {
			return nil, err
		}
		r.Out, r.Items = append(r.Out, b.outCol(t.name, e)), append(r.Items, e)
	}
	return r, nil
}

// sets binds the SET list of UPDATE and ON CONFLICT. A list on the left that takes a row or a query on the right is several
// assignments; the query becomes a column of the input, computed once for each row.
func (b *binder) sets(s *scope, t *dmlTarget, it *item, old []plan.Col, list []*pg_query.Node, extend func(plan.Expr) plan.Expr) ([]plan.Assign, error) {
	rel := t.base
	var out []plan.Assign
	var row plan.Expr // the row that MultiAssignRefs read
	for _, n := range list {
		res := n.GetResTarget()
		pos := loc(res.Location)
		c, err := t.column(b, it, res.Name, pos)
		if err != nil {
			return nil, err
		}
		e, isDefault, err := b.setValue(s, rel, c, res.Val, &row, extend)
		if err != nil {
			return nil, err
		}
		if c.Generated && !isDefault || c.Identity == 'a' && !isDefault {
			kind := "is a generated column."
			if !c.Generated {
				kind = "is an identity column defined as GENERATED ALWAYS."
			}
			return nil, dberr.New(dberr.GeneratedAlways, "column \"%s\" can only be updated to DEFAULT", c.Name).WithDetail("Column \"%s\" %s", c.Name, kind)
		}
		if c.Generated {
			continue
		}
		at := slices.IndexFunc(out, func(a plan.Assign) bool { return a.Attr == c.Num })
		if len(res.Indirection) > 0 {
			var base plan.Expr
			if at >= 0 {
				base = out[at].Expr
			} else {
				base = b.ref(old[slices.IndexFunc(old, func(o plan.Col) bool { return o.Attr == c.Num })], pos)
			}
			err := s.in(inUpdateTarget, func() (err error) {
				e, err = b.assignInto(s, base, c.Type, c.Mod, res.Indirection, e, c.Name, pos)
				return err
			})
			if err != nil {
				return nil, err
			}
			if at >= 0 {
				out[at].Expr = e
				continue
			}
		} else {
			if at >= 0 {
				return nil, dberr.New(dberr.SyntaxError, "multiple assignments to same column \"%s\"", c.Name)
			}
			if e, err = b.assignColumn(e, c); err != nil {
				return nil, err
			}
		}
		out = append(out, plan.Assign{Attr: c.Num, Expr: e})
	}
	return out, nil
}

// setValue binds the right side of one assignment.
func (b *binder) setValue(s *scope, rel *catalog.Relation, c *catalog.Column, n *pg_query.Node, row *plan.Expr, extend func(plan.Expr) plan.Expr) (e plan.Expr, isDefault bool, err error) {
	if n.GetSetToDefault() != nil {
		e, err = b.defaultOf(rel, c)
		return e, true, err
	}
	if m := n.GetMultiAssignRef(); m != nil {
		return b.multiValue(s, rel, c, m, row, extend)
	}
	err = s.in(inUpdateSource, func() error {
		e, err = b.expr(s, n)
		return err
	})
	return e, false, err
}

// isStar tells whether an element of a row is r.*, which stands for several.
func isStar(n *pg_query.Node) bool {
	if c := n.GetColumnRef(); c != nil {
		return len(c.Fields) > 0 && c.Fields[len(c.Fields)-1].GetAStar() != nil
	}
	i := n.GetAIndirection()
	return i != nil && len(i.Indirection) > 0 && i.Indirection[len(i.Indirection)-1].GetAStar() != nil
}

// spreadValue gives column Colno of a row in which r.* stands.
func (b *binder) spreadValue(s *scope, m *pg_query.MultiAssignRef) (out plan.Expr, isDefault bool, err error) {
	err = s.in(inUpdateSource, func() error {
		out, err = b.expr(s, m.Source)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	row, ok := out.(*plan.RowExpr)
	if !ok || len(row.Fields) != int(m.Ncolumns) {
		return nil, false, errAt(loc(m.Source.GetRowExpr().Location), dberr.SyntaxError, "number of columns does not match number of values")
	}
	return row.Fields[m.Colno-1], false, nil
}

// multiValue gives column Colno of the row or query on the right of (a, b) = ….
func (b *binder) multiValue(s *scope, rel *catalog.Relation, c *catalog.Column, m *pg_query.MultiAssignRef, row *plan.Expr, extend func(plan.Expr) plan.Expr) (e plan.Expr, isDefault bool, err error) {
	if r := m.Source.GetRowExpr(); r != nil {
		if slices.ContainsFunc(r.Args, isStar) {
			return b.spreadValue(s, m)
		}
		if len(r.Args) != int(m.Ncolumns) {
			return nil, false, errAt(loc(r.Location), dberr.SyntaxError, "number of columns does not match number of values")
		}
		return b.setValue(s, rel, c, r.Args[m.Colno-1], row, extend)
	}
	sub := m.Source.GetSubLink()
	if sub == nil {
		return nil, false, errAt(astPos(m.Source), dberr.FeatureNotSupported, "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression")
	}
	if m.Colno == 1 {
		err = s.in(inUpdateSource, func() error {
			q, err := b.subquery(s, sub.Subselect)
			if err != nil {
				return err
			}
			if len(q.cols) != int(m.Ncolumns) {
				return errAt(loc(sub.Location), dberr.SyntaxError, "number of columns does not match number of values")
			}
			t := &value.Type{}
			*t = *value.RecordType
			b.rowAt = b.rowAt[:0]
			for i := range q.cols {
				b.rowAt = append(b.rowAt, b.itemPos(q, i))
			}
			for _, qc := range q.cols {
				t.Fields = append(t.Fields, value.Field{Name: qc.Name, Type: qc.Type, Mod: qc.Mod})
			}
			*row = extend(&plan.Subquery{Typed: plan.Typed{T: t, M: -1}, Kind: plan.ValueSub, Query: q.node})
			return nil
		})
		if err != nil {
			return nil, false, err
		}
	}
	f := (*row).Type().Fields[m.Colno-1]
	return b.at(&plan.FieldSelect{Typed: plan.Typed{T: f.Type, M: f.Mod}, Arg: *row, Field: int(m.Colno - 1), Name: f.Name}, b.rowAt[m.Colno-1]), false, nil
}

// assignInto puts a value into an element or field of a container: SET a[1] = x, SET c.f = x.
func (b *binder) assignInto(s *scope, base plan.Expr, t *value.Type, mod int32, ind []*pg_query.Node, v plan.Expr, name string, pos int) (plan.Expr, error) {
	if len(ind) == 0 {
		return b.assign(v, t, mod, func(from *value.Type) error {
			return errAt(pos, dberr.DatatypeMismatch, "subscripted assignment to \"%s\" requires type %s but expression is of type %s", name, t.SQL, from.SQL).
				WithHint("You will need to rewrite or cast the expression.")
		})
	}
	under := baseType(t)
	if f := ind[0].GetString_(); f != nil {
		at := slices.IndexFunc([]value.Field(under.Fields), func(x value.Field) bool { return x.Name == f.Sval })
		if under.Class != value.Composite {
			return nil, errAt(pos, dberr.DatatypeMismatch, "cannot assign to field \"%s\" of column \"%s\" because its type %s is not a composite type", f.Sval, name, t.SQL)
		}
		if at < 0 {
			return nil, errAt(pos, dberr.UndefinedColumn, "cannot assign to field \"%s\" of column \"%s\" because there is no such column in data type %s", f.Sval, name, t.SQL)
		}
		fld := under.Fields[at]
		inner, err := b.assignInto(s, &plan.FieldSelect{Typed: plan.Typed{T: fld.Type, M: fld.Mod}, Arg: base, Field: at, Name: fld.Name}, fld.Type, fld.Mod, ind[1:], v, f.Sval, pos)
		if err != nil {
			return nil, err
		}
		return &plan.Assigned{Typed: plan.Typed{T: t, M: mod}, Arg: base, Field: at, Value: inner}, nil
	}
	var idx []*pg_query.A_Indices
	for len(ind) > 0 && ind[0].GetAIndices() != nil {
		idx, ind = append(idx, ind[0].GetAIndices()), ind[1:]
	}
	out := &plan.Assigned{Typed: plan.Typed{T: t, M: mod}, Arg: base, Field: -1}
	elem, err := b.assignTarget(s, out, under, idx, name, pos)
	if err != nil {
		return nil, err
	}
	inner := base
	if len(ind) > 0 {
		inner = &plan.Subscript{Typed: plan.Typed{T: elem, M: mod}, Arg: base, Lower: out.Lower, Upper: out.Upper, IsSlice: out.IsSlice}
	}
	out.Value, err = b.assignInto(s, inner, elem, mod, ind, v, name, pos)
	return out, err
}

// assignTarget binds the subscripts of an assignment and gives the type of what is assigned.
func (b *binder) assignTarget(s *scope, out *plan.Assigned, under *value.Type, idx []*pg_query.A_Indices, name string, pos int) (*value.Type, error) {
	var err error
	if under.OID == value.JSONB.OID {
		out.Upper, err = b.jsonbKeys(s, idx)
		return value.JSONB, err
	}
	part, _ := under.Parts()
	if !isArray(under) && part == nil {
		return nil, errAt(pos, dberr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", under.SQL)
	}
	out.Lower, out.Upper, out.IsSlice, err = b.bounds(s, idx)
	switch {
	case out.IsSlice && part != nil:
		return nil, errAt(pos, dberr.FeatureNotSupported, "slices of fixed-length arrays not implemented")
	case out.IsSlice:
		return under, err
	case part != nil:
		return part, err
	}
	return under.Elem, err
}

// update binds UPDATE.
func (b *binder) update(s *scope, x *pg_query.UpdateStmt) (plan.Node, error) {
	t, err := b.target(x.Relation, "UPDATE")
	if err != nil {
		return nil, err
	}
	if err := b.needTarget(t.rel, "UPDATE", x.TargetList); err != nil {
		return nil, err
	}
	scan, base := b.scan(t.base)
	it, preds, err := t.item(b, base)
	if err != nil {
		return nil, err
	}
	input, key, raw, err := b.dmlInput(s, scan, base, it, preds, x.Relation, x.FromClause, x.WhereClause)
	if err != nil {
		return nil, err
	}
	n := &plan.Update{Rel: t.base, RowKey: key, Raw: raw, NewCols: b.rowCols(t.base)}
	var ext *plan.Project
	n.Sets, err = b.sets(s, t, it, scanCols(scan), x.TargetList, func(e plan.Expr) plan.Expr {
		if ext == nil {
			ext = &plan.Project{Input: input}
		}
		c := b.newCol("", e.Type(), e.Mod())
		ext.Out, ext.Items = append(ext.Out, c), append(ext.Items, e)
		return b.ref(c, -1)
	})
	if err != nil {
		return nil, err
	}
	if ext != nil {
		for _, c := range input.Cols() {
			ext.Out, ext.Items = append(ext.Out, c), append(ext.Items, b.ref(c, -1))
		}
		input = ext
	}
	n.Input = input
	row := b.newRowItem(t.base, n.NewCols)
	if n.Generated, n.Checks, err = b.rowRules(t.base, n.NewCols); err != nil {
		return nil, err
	}
	options, err := t.checkOptions(b, row, false)
	if err != nil {
		return nil, err
	}
	n.Checks = append(n.Checks, options...)
	fresh, _, err := t.item(b, row)
	if err != nil {
		return nil, err
	}
	for i := range fresh.cols {
		fresh.cols[i].name = it.cols[i].name
	}
	fresh.alias, fresh.schema, fresh.scan = it.alias, it.schema, nil
	b.ownCols(s, row)
	s.items[slices.Index(s.items, it)] = fresh
	n.Returning, err = b.returning(s, x.ReturningList)
	return n, err
}

// delete binds DELETE.
func (b *binder) delete(s *scope, x *pg_query.DeleteStmt) (plan.Node, error) {
	t, err := b.target(x.Relation, "DELETE")
	if err != nil {
		return nil, err
	}
	if err := b.needTarget(t.rel, "DELETE", nil); err != nil {
		return nil, err
	}
	scan, base := b.scan(t.base)
	it, preds, err := t.item(b, base)
	if err != nil {
		return nil, err
	}
	input, key, raw, err := b.dmlInput(s, scan, base, it, preds, x.Relation, x.UsingClause, x.WhereClause)
	if err != nil {
		return nil, err
	}
	n := &plan.Delete{Rel: t.base, Input: input, RowKey: key, Raw: raw}
	n.Returning, err = b.returning(s, x.ReturningList)
	return n, err
}

// scanCols gives the columns of a scan that show its relation's own ones.
func scanCols(scan *plan.Scan) []plan.Col {
	var out []plan.Col
	for _, c := range scan.Out {
		if c.Attr > 0 {
			out = append(out, c.Col)
		}
	}
	return out
}

// dmlInput binds target, FROM and WHERE of UPDATE and DELETE: the rows to change with their key and stored document. it shows the target,
// base the columns of its table.
func (b *binder) dmlInput(s *scope, scan *plan.Scan, base, it *item, preds []plan.Expr, rv *pg_query.RangeVar, from []*pg_query.Node, where *pg_query.Node) (input plan.Node, key, raw plan.ColID, err error) {
	if err := nameItem(it, it.rel.Name, rv.Alias); err != nil {
		return nil, 0, 0, err
	}
	if rv.Alias == nil {
		it.schema = b.schemaName(it.rel)
	}
	scan.Alias = it.alias
	b.ownCols(s, base)
	b.addItem(s, it)
	key = b.scanColumn(base, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea).(*plan.ColRef).ID
	raw = b.scanColumn(base, "", storage.ScanCol{Kind: storage.ColRaw, Type: value.Bytea, Mod: -1}, value.Bytea).(*plan.ColRef).ID
	input = scan
	if len(preds) > 0 {
		input = &plan.Filter{Input: input, Pred: conjunction(preds)}
	}
	if len(from) > 0 {
		// The items of FROM don't see the target, not even LATERAL ones.
		it.lateralOnly, it.lateralOK = true, false
		others, err := b.from(s, from)
		if err != nil {
			return nil, 0, 0, err
		}
		input = b.join(plan.InnerJoin, input, others, nil)
	}
	it.lateralOnly = false
	input, err = b.where(s, input, where, inWhere)
	return input, key, raw, err
}

func conjunction(es []plan.Expr) plan.Expr {
	if len(es) == 1 {
		return es[0]
	}
	return &plan.BoolOp{Args: es}
}
