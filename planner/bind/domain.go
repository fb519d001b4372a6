package bind

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// maxNesting is how deep a type's parts are looked into for domains.
const maxNesting = 16

// holdsDomain tells whether values of t are, or have parts that are, of a domain.
func holdsDomain(t *value.Type, depth int) bool {
	switch {
	case t == nil || depth > maxNesting:
		return false
	case t.Class == value.Domain:
		return true
	case t.IsArray():
		return holdsDomain(t.Elem, depth+1)
	case t.Class == value.Composite:
		for _, f := range t.Fields {
			if holdsDomain(f.Type, depth+1) {
				return true
			}
		}
	}
	return false
}

// fillsRecords are the functions that make records of JSON, whose fields are values from outside.
var fillsRecords = map[string]bool{
	"json_populate_record": true, "json_populate_recordset": true, "json_to_record": true, "json_to_recordset": true,
	"jsonb_populate_record": true, "jsonb_populate_recordset": true, "jsonb_to_record": true, "jsonb_to_recordset": true,
}

// admit checks a value that was read from outside, a literal, a parameter or a line of COPY, against the domains that its type, and its
// parts' types, are. e is of to's base type.
func (b *binder) admit(e plan.Expr, to *value.Type, style plan.CallStyle, pos int) (plan.Expr, error) {
	base := baseType(to)
	var err error
	if holdsDomain(base, 0) {
		if base.IsArray() {
			e, err = b.admitElements(e, base)
		} else {
			e, err = b.admitFields(e, base)
		}
	}
	if err != nil || same(base, to) {
		return e, err
	}
	return b.toDomain(e, to, style, pos)
}

func (b *binder) admitElements(e plan.Expr, to *value.Type) (plan.Expr, error) {
	c := b.newCol("", baseType(to.Elem), -1)
	elem, err := b.admit(b.ref(c, -1), to.Elem, plan.ImplicitCastStyle, -1)
	if err != nil {
		return nil, err
	}
	return &plan.Cast{Typed: plan.Typed{T: to, M: e.Mod()}, Method: plan.ArrayCast, Arg: e, ElemCol: c.ID, Elem: elem, Style: plan.ImplicitCastStyle, Pos: -1}, nil
}

func (b *binder) admitFields(e plan.Expr, to *value.Type) (plan.Expr, error) {
	c := b.newCol("", to, -1)
	row := &plan.RowExpr{Typed: plan.Typed{T: to, M: -1}}
	for i, f := range to.Fields {
		var x plan.Expr = &plan.FieldSelect{Typed: plan.Typed{T: baseType(f.Type), M: f.Mod}, Arg: b.ref(c, -1), Field: i, Name: f.Name}
		x, err := b.admit(x, f.Type, plan.ImplicitCastStyle, -1)
		if err != nil {
			return nil, err
		}
		row.Fields, row.Names = append(row.Fields, x), append(row.Names, f.Name)
	}
	return &plan.Cast{Typed: plan.Typed{T: to, M: -1}, Method: plan.RecordCast, Arg: e, ElemCol: c.ID, Elem: row, Style: plan.ImplicitCastStyle, Pos: -1}, nil
}

// admitColumns checks the columns of a node of which some hold domains.
func (b *binder) admitColumns(n plan.Node) (plan.Node, []plan.Col, error) {
	cols := n.Cols()
	some := false
	p := &plan.Project{Input: n}
	for _, c := range cols {
		x, err := b.admit(b.ref(c, -1), c.Type, plan.ImplicitCastStyle, -1)
		if err != nil {
			return nil, nil, err
		}
		out := c
		out.ID = b.newCol(c.Name, c.Type, c.Mod).ID
		some = some || holdsDomain(c.Type, 0)
		p.Items, p.Out = append(p.Items, x), append(p.Out, out)
	}
	if !some {
		return n, cols, nil
	}
	return p, p.Out, nil
}

// toDomain checks a value of a domain's base type against the domain's constraints, those of the domains below it first.
func (b *binder) toDomain(e plan.Expr, to *value.Type, style plan.CallStyle, pos int) (plan.Expr, error) {
	d := b.Catalog.TypeByID(catalogID(to.OID))
	if d == nil {
		return nil, dberr.New(dberr.UndefinedObject, "type with OID %d does not exist", to.OID)
	}
	b.usesType(d)
	if to.Under != nil && to.Under.Class == value.Domain {
		in, err := b.toDomain(e, to.Under, plan.ImplicitCastStyle, pos)
		if err != nil {
			return nil, err
		}
		e = in
	} else if d.UnderMod >= 0 {
		in, err := b.fitMod(e, to.Under, d.UnderMod, functions.Implicit, plan.ImplicitCastStyle, false, pos)
		if err != nil {
			return nil, err
		}
		e = in
	}
	c := b.newCol("value", baseType(to), -1)
	out := &plan.Cast{Typed: plan.Typed{T: to, M: -1}, Method: plan.DomainCast, Arg: e, ElemCol: c.ID, NotNull: d.NotNull, Style: style, Pos: pos}
	for _, ck := range d.Checks {
		pred, err := b.domainCheck(ck.Expr, c)
		if err != nil {
			return nil, err
		}
		out.Checks = append(out.Checks, plan.NamedExpr{Name: ck.Name, Expr: pred})
	}
	return out, nil
}
