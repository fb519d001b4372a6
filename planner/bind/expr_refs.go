package bind

import (
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// columnRef binds a, t.a, s.t.a and the whole-row forms t and t.*.
func (b *binder) columnRef(s *scope, c *pg_query.ColumnRef) (plan.Expr, error) {
	pos := loc(c.Location)
	names := strs(c.Fields)
	if s == nil {
		if e := b.argument(names[0], pos); e != nil && len(names) == 1 {
			return e, nil
		}
		return nil, noColumnsHere(c, pos)
	}
	if s.clause == inDefault {
		return nil, errAt(pos, dberr.FeatureNotSupported, "cannot use column reference in DEFAULT expression")
	}
	switch len(names) {
	case 1:
		if names[0] == "*" {
			return nil, errAt(pos, dberr.SyntaxError, "row expansion via \"*\" is not supported here")
		}
		e, err := b.column(s, names[0], pos)
		if e != nil || err != nil {
			return e, err
		}
		// A table's name alone is its row.
		it, _, err := b.itemNamed(s, "", names[0], pos)
		if err != nil {
			return nil, err
		}
		if it != nil {
			return b.wholeRow(it, pos), nil
		}
		if e := b.argument(names[0], pos); e != nil {
			return e, nil
		}
		return nil, b.noColumn(s, "", names[0], pos)
	case 2:
		return b.qualifiedColumn(s, "", names[0], names[1], pos)
	case 3:
		return b.qualifiedColumn(s, names[0], names[1], names[2], pos)
	case 4:
		if names[0] != b.Database {
			return nil, errAt(pos, dberr.FeatureNotSupported, "cross-database references are not implemented: %s", strings.Join(names, "."))
		}
		return b.qualifiedColumn(s, names[1], names[2], names[3], pos)
	}
	return nil, errAt(pos, dberr.SyntaxError, "improper qualified name (too many dotted names): %s", strings.Join(names, "."))
}

func noColumnsHere(c *pg_query.ColumnRef, pos int) error {
	return errAt(pos, dberr.UndefinedColumn, "column \"%s\" does not exist", strings.Join(strs(c.Fields), "."))
}

func (b *binder) qualifiedColumn(s *scope, schema, table, name string, pos int) (plan.Expr, error) {
	it, _, err := b.itemNamed(s, schema, table, pos)
	if err != nil {
		return nil, err
	}
	if it == nil {
		if e := b.argumentField(table, name, pos); e != nil && schema == "" {
			return e, nil
		}
		return nil, b.noTable(s, table, pos)
	}
	if name == "*" {
		return b.wholeRow(it, pos), nil
	}
	e, err := b.itemColumn(it, name, pos)
	if e != nil || err != nil {
		return e, err
	}
	if e, err := b.functionOf(s, b.wholeRow(it, pos), name, pos); e != nil || err != nil {
		return e, err
	}
	return nil, b.noColumn(s, table, name, pos)
}

// itemColumn gives a column of one item, nil when it has none of the name.
func (b *binder) itemColumn(it *item, name string, pos int) (plan.Expr, error) {
	c, n := it.find(name)
	switch {
	case n > 1:
		return nil, errAt(pos, dberr.AmbiguousColumn, "column reference \"%s\" is ambiguous", name)
	case n == 1:
		b.noteColumn(it, name, pos)
		return b.colExpr(c, pos), nil
	}
	if e := b.systemColumn(it, name); e != nil {
		return e, nil
	}
	return nil, nil
}

// wholeRow is the row of an item as one value. A row that an outer join made up is NULL, not a row of NULLs.
func (b *binder) wholeRow(it *item, pos int) plan.Expr {
	if it.scalar && len(it.cols) == 1 {
		return b.colExpr(&it.cols[0], pos)
	}
	t := it.rowType
	if t == nil {
		t = value.RecordType
	}
	row := &plan.RowExpr{Typed: plan.Typed{T: t, M: -1}}
	b.whole[row] = it
	for i := range it.cols {
		if it.cols[i].hidden {
			continue
		}
		row.Fields = append(row.Fields, b.colExpr(&it.cols[i], pos))
		row.Names = append(row.Names, it.cols[i].name)
	}
	if !it.nullable {
		return b.at(row, pos)
	}
	var missing plan.Expr = &plan.IsNull{Arg: row}
	if it.scan != nil {
		missing = &plan.IsNull{Arg: b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColRowKey, Type: value.Bytea, Mod: -1}, value.Bytea)}
	}
	return b.at(&plan.Case{Typed: row.Typed, Whens: []plan.When{{Cond: missing, Then: nullConst(t)}}, Else: row}, pos)
}

// rowOf gives the RowExpr inside a whole-row reference, nil for other expressions.
func rowOf(e plan.Expr) *plan.RowExpr {
	switch x := e.(type) {
	case *plan.RowExpr:
		return x
	case *plan.Case:
		if r, ok := x.Else.(*plan.RowExpr); ok && len(x.Whens) == 1 {
			if _, ok := x.Whens[0].Then.(*plan.Const); ok {
				return r
			}
		}
	}
	return nil
}

// fieldsOf gives the fields of a composite or record value, nil when they are not known.
func (b *binder) fieldsOf(e plan.Expr) value.Schema {
	if r := rowOf(e); r != nil && isRecord(r.T) {
		var out value.Schema
		for i, f := range r.Fields {
			name := "f" + itoa(i+1)
			if i < len(r.Names) {
				name = r.Names[i]
			}
			out = append(out, value.Field{Name: name, Type: f.Type(), Mod: f.Mod()})
		}
		return out
	}
	switch x := e.(type) {
	case *plan.ColRef:
		if fields := b.records[x.ID]; fields != nil {
			return fields
		}
	case *setExpr:
		if len(x.cols) > 0 {
			return x.cols
		}
	case *plan.Subquery:
		if cols := x.Query.Cols(); x.Kind == plan.ScalarSub && len(cols) == 1 {
			return cols[0].Type.Fields
		}
	}
	return baseType(e.Type()).Fields
}

// field selects a field of a composite value, nil when it has none of the name.
func (b *binder) field(e plan.Expr, name string, pos int) plan.Expr {
	fields := b.fieldsOf(e)
	for i, f := range fields {
		if f.Name != name {
			continue
		}
		if r := rowOf(e); r != nil {
			return r.Fields[i]
		}
		return b.at(&plan.FieldSelect{Typed: plan.Typed{T: f.Type, M: f.Mod}, Arg: e, Field: i, Name: name}, pos)
	}
	return nil
}

// indirection binds subscripts and field selections: a[1], a[1:2], (c).f, (f(x)).g[2].
func (b *binder) indirection(s *scope, x *pg_query.A_Indirection) (plan.Expr, error) {
	e, err := b.expr(s, x.Arg)
	if err != nil {
		return nil, err
	}
	pos := astPos(x.Arg)
	var indices []*pg_query.A_Indices
	flush := func() error {
		if len(indices) == 0 {
			return nil
		}
		e, err = b.subscript(s, e, indices, pos)
		indices = nil
		return err
	}
	for _, n := range x.Indirection {
		switch i := n.Node.(type) {
		case *pg_query.Node_AIndices:
			indices = append(indices, i.AIndices)
		case *pg_query.Node_AStar:
			return nil, errAt(pos, dberr.FeatureNotSupported, "row expansion via \"*\" is not supported here")
		case *pg_query.Node_String_:
			if err := flush(); err != nil {
				return nil, err
			}
			if e, err = b.selectField(s, e, i.String_.Sval, pos); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return e, nil
}

func (b *binder) selectField(s *scope, e plan.Expr, name string, pos int) (plan.Expr, error) {
	if f := b.field(e, name, pos); f != nil {
		return f, nil
	}
	if f, err := b.functionOf(s, e, name, pos); f != nil || err != nil {
		return f, err
	}
	t := e.Type()
	if r := rowOf(e); r != nil && b.whole[r] != nil {
		return nil, errAt(pos, dberr.UndefinedColumn, "column %s.%s does not exist", b.whole[r].alias, name)
	}
	switch {
	case isComposite(t):
		return nil, errAt(pos, dberr.UndefinedColumn, "column \"%s\" not found in data type %s", name, t.SQL)
	case isRecord(t):
		return nil, errAt(pos, dberr.UndefinedColumn, "could not identify column \"%s\" in record data type", name)
	}
	return nil, errAt(pos, dberr.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type", name, t.SQL)
}

// subscript takes an element or slice of an array, or a member of a jsonb value.
func (b *binder) subscript(s *scope, e plan.Expr, idx []*pg_query.A_Indices, pos int) (plan.Expr, error) {
	t := baseType(e.Type())
	if t.OID == value.JSONB.OID {
		return b.jsonbSubscript(s, e, idx)
	}
	part, _ := t.Parts()
	if !isArray(t) && part == nil {
		return nil, errAt(pos, dberr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", e.Type().SQL)
	}
	lower, upper, slice, err := b.bounds(s, idx)
	if err != nil {
		return nil, err
	}
	if len(idx) > 6 {
		return nil, errAt(pos, dberr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", len(idx), 6)
	}
	if part != nil {
		if slice {
			return nil, errAt(pos, dberr.FeatureNotSupported, "slices of fixed-length arrays not implemented")
		}
		return b.at(&plan.Subscript{Typed: plan.Typed{T: part, M: -1}, Arg: e, Lower: lower, Upper: upper}, pos), nil
	}
	out := &plan.Subscript{Typed: plan.Typed{T: t.Elem, M: e.Mod()}, Arg: e, Lower: lower, Upper: upper, IsSlice: slice}
	if slice {
		out.T = t
	}
	return b.at(out, pos), nil
}

// bounds binds array subscripts. In a slice a single subscript n stands for 1:n.
func (b *binder) bounds(s *scope, idx []*pg_query.A_Indices) (lower, upper []plan.Expr, slice bool, err error) {
	for _, i := range idx {
		slice = slice || i.IsSlice
	}
	one := func(n *pg_query.Node) (plan.Expr, error) {
		if n == nil {
			return nil, nil
		}
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		from := e
		e, ok, err := b.coerce(e, value.Int4, -1, functions.Assignment, plan.ImplicitCastStyle, -1)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errAt(b.posOf(from), dberr.DatatypeMismatch, "array subscript must have type integer")
		}
		return e, nil
	}
	for _, i := range idx {
		lo, err := one(i.Lidx)
		if err != nil {
			return nil, nil, false, err
		}
		up, err := one(i.Uidx)
		if err != nil {
			return nil, nil, false, err
		}
		if slice && !i.IsSlice {
			lo = intConst(value.Int4, 1)
		}
		if slice {
			lower = append(lower, lo)
		}
		upper = append(upper, up)
	}
	return lower, upper, slice, nil
}

func (b *binder) jsonbSubscript(s *scope, e plan.Expr, idx []*pg_query.A_Indices) (plan.Expr, error) {
	upper, err := b.jsonbKeys(s, idx)
	if err != nil {
		return nil, err
	}
	return b.at(&plan.Subscript{Typed: plan.Typed{T: value.JSONB, M: -1}, Arg: e, Upper: upper}, b.posOf(e)), nil
}

// jsonbKeys binds jsonb subscripts: integers and texts.
func (b *binder) jsonbKeys(s *scope, idx []*pg_query.A_Indices) ([]plan.Expr, error) {
	var out []plan.Expr
	for _, i := range idx {
		if i.IsSlice {
			n := i.Uidx
			if n == nil {
				n = i.Lidx
			}
			return nil, errAt(astPos(n), dberr.DatatypeMismatch, "jsonb subscript does not support slices")
		}
		k, err := b.expr(s, i.Uidx)
		if err != nil {
			return nil, err
		}
		from := k
		toInt := !isUnknown(k.Type()) && b.canCoerce1(k.Type(), value.Int4, functions.Implicit)
		toText := b.canCoerce1(k.Type(), value.Text, functions.Implicit)
		switch {
		case toInt && toText && !same(k.Type(), value.Text) && !same(k.Type(), value.Int4):
			return nil, errAt(b.posOf(from), dberr.DatatypeMismatch, "subscript type %s is not supported", k.Type().SQL).
				WithHint("jsonb subscript must be coercible to only one type, integer or text.")
		case toInt && !toText, same(k.Type(), value.Int4):
			k, err = b.implicitly(k, value.Int4)
		case toText:
			k, err = b.implicitly(k, value.Text)
		default:
			return nil, errAt(b.posOf(from), dberr.DatatypeMismatch, "subscript type %s is not supported", k.Type().SQL).
				WithHint("jsonb subscript must be coercible to either integer or text.")
		}
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

func (b *binder) rowExpr(s *scope, x *pg_query.RowExpr) (plan.Expr, error) {
	fields, err := b.expandedExprs(s, x.Args)
	if err != nil {
		return nil, err
	}
	if len(fields) > 1664 {
		return nil, errAt(loc(x.Location), dberr.TooManyColumns, "ROW expressions can have at most %d entries", 1664)
	}
	out := &plan.RowExpr{Typed: plan.Typed{T: value.RecordType, M: -1}, Fields: fields}
	for i := range fields {
		out.Names = append(out.Names, fieldName(i))
	}
	return out, nil
}

// fieldName is the name of field i of an anonymous row.
func fieldName(i int) string { return "f" + itoa(i+1) }

// expandedExprs binds a list in which t.* stands for all columns of t.
func (b *binder) expandedExprs(s *scope, list []*pg_query.Node) ([]plan.Expr, error) {
	var out []plan.Expr
	for _, n := range list {
		ts, ok, err := b.star(s, n)
		if err != nil {
			return nil, err
		}
		if ok {
			for _, t := range ts {
				out = append(out, t.expr)
			}
			continue
		}
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// arrayExpr binds ARRAY[…]; want is the array type that a cast around it gives, nil to find the elements' common type.
func (b *binder) arrayExpr(s *scope, x *pg_query.A_ArrayExpr, want *value.Type, mod int32) (plan.Expr, error) {
	pos := loc(x.Location)
	var elems []plan.Expr
	multi := false
	for _, n := range x.Elements {
		var e plan.Expr
		var err error
		if inner := n.GetAArrayExpr(); inner != nil {
			e, err = b.arrayExpr(s, inner, want, mod)
			if err == nil {
				b.at(e, loc(inner.Location))
			}
			multi = true
		} else if e, err = b.expr(s, n); err == nil && isArray(baseType(e.Type())) && !fixedVector(baseType(e.Type())) {
			multi = true
		}
		if err != nil {
			return nil, err
		}
		elems = append(elems, e)
	}
	if want != nil {
		return b.typedArray(elems, want, mod, multi, pos)
	}
	if len(elems) == 0 {
		return nil, errAt(pos, dberr.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].")
	}
	t, elems, err := b.unify(elems, "ARRAY")
	if err != nil {
		return nil, err
	}
	arr := t
	if !multi {
		if arr = b.arrayOf(t); arr == nil {
			return nil, errAt(pos, dberr.UndefinedObject, "could not find array type for data type %s", t.SQL)
		}
	} else if !isArray(baseType(t)) {
		return nil, errAt(pos, dberr.UndefinedObject, "could not find element type for data type %s", t.SQL)
	}
	return &plan.ArrayExpr{Typed: plan.Typed{T: arr, M: commonMod(elems, t)}, Elems: elems, Multi: multi}, nil
}

func (b *binder) typedArray(elems []plan.Expr, want *value.Type, mod int32, multi bool, pos int) (plan.Expr, error) {
	to := want.Elem
	if multi {
		to = want
	}
	for i, e := range elems {
		c, ok, err := b.coerce(e, to, mod, functions.Explicit, plan.CastStyle, -1)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errAt(b.posOf(e), dberr.CannotCoerce, "cannot cast type %s to %s", e.Type().SQL, to.SQL)
		}
		elems[i] = c
	}
	return b.at(&plan.ArrayExpr{Typed: plan.Typed{T: want, M: mod}, Elems: elems, Multi: multi}, pos), nil
}
