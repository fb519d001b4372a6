package session

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// redefineType carries out ALTER DOMAIN, and ALTER TYPE of a composite type.
func (s *Session) redefineType(ctx context.Context, p *Portal, st *plan.RedefineType) error {
	if st.Notice != "" {
		s.Notice("NOTICE", dberr.SuccessfulCompletion, st.Notice)
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	if now := txn.Catalog().TypeByID(st.Old.ID); now == nil || now.Version != st.Old.Version {
		return storage.ErrStale
	}
	p.prepareRun(txn)
	for _, r := range txn.Catalog().AllRelations() {
		for i := range r.Columns {
			c := &r.Columns[i]
			switch {
			case c.Dropped || !isMadeOf(c.Type, uint32(st.Old.ID)):
			case st.Unused:
				return dberr.New(dberr.FeatureNotSupported, `cannot alter type "%s" because column "%s.%s" uses it`, st.Type.Name, r.Name, c.Name)
			case c.Type.OID == uint32(st.Old.ID) && r.Kind == catalog.Table:
				if err := s.valuesFit(ctx, p, txn, st, r, c); err != nil {
					return err
				}
			}
		}
	}
	return s.redefine(ctx, p, txn, &st.Type, st.From)
}

// valuesFit refuses a domain's new constraints when a column of it has values that break them.
func (s *Session) valuesFit(ctx context.Context, p *Portal, txn *storage.Txn, st *plan.RedefineType, r *catalog.Relation, c *catalog.Column) error {
	a := &alterer{s: s, p: p, txn: txn, rel: r}
	cols := colsOf(r)
	var col plan.Col
	for _, k := range cols {
		if k.Attr == c.Num {
			col = k
		}
	}
	if st.NoNulls {
		isNull := &plan.IsNull{Arg: &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: col.ID, Name: c.Name}}
		e := dberr.New(dberr.NotNullViolation, `column "%s" of table "%s" contains null values`, c.Name, r.Name)
		if err := a.refuseRows(ctx, r, cols, isNull, e); err != nil {
			return err
		}
	}
	for _, ck := range st.Checks {
		pred, err := bind.DomainCheck(ctx, s.ownContext(txn), ck.Expr, col)
		if err != nil {
			return err
		}
		e := dberr.New(dberr.CheckViolation, `column "%s" of table "%s" contains values that violate the new constraint`, c.Name, r.Name)
		if err := a.refuseRows(ctx, r, cols, &plan.BoolTest{Arg: pred, Want: 'f'}, e); err != nil {
			return err
		}
	}
	return nil
}

// redefine gives a type another definition and writes the rows anew that hold values of it in another form: those of an enum, and of a
// composite type of which from tells where its fields were.
func (s *Session) redefine(ctx context.Context, p *Portal, txn *storage.Txn, n *catalog.Type, from []int) error {
	rows := n.Def.Class == value.Enum || from != nil
	var before []*catalog.Relation
	for _, r := range txn.Catalog().AllRelations() {
		if rows && (r.Kind == catalog.Table || r.Kind == catalog.MatViewKind) {
			before = append(before, r)
		}
	}
	if err := retype(ctx, txn, n); err != nil {
		return err
	}
	for _, r := range before {
		a := &alterer{s: s, p: p, txn: txn, rel: txn.Catalog().RelationByID(r.ID)}
		cols := colsOf(r)
		var sets []plan.Assign
		for _, c := range cols {
			if !isMadeOf(c.Type, n.Def.OID) {
				continue
			}
			now := a.rel.Attr(c.Attr).Type
			ref := &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name}
			sets = append(sets, plan.Assign{Attr: c.Attr, Expr: &plan.Call{Typed: plan.Typed{T: now, M: c.Mod}, Fn: recast(c.Type, now, n.Def.OID, from), Args: []plan.Expr{ref}}})
		}
		if len(sets) == 0 {
			continue
		}
		if err := a.storeAnew(ctx, r, cols, func(*catalog.Relation) error { return nil }, sets...); err != nil {
			return err
		}
	}
	return nil
}

// recast makes the function that gives a value of a type the form that it has under the type's new definition.
func recast(old, now *value.Type, oid uint32, from []int) *functions.Scalar {
	return &functions.Scalar{
		Name: now.Name, Params: []functions.Param{{Type: old}}, Ret: now, Strict: true, Volatility: functions.Stable, Hidden: true,
		Eval: func(_ context.Context, _ *functions.Call, args []value.Value) (value.Value, error) {
			return reformed(args[0], old, now, oid, from), nil
		},
	}
}

// reformed is v under the new definition of the type with the OID, which is the value's type or one that it is made of.
func reformed(v value.Value, old, now *value.Type, oid uint32, from []int) value.Value {
	old, now = typeio.Base(old), typeio.Base(now)
	if v.IsNull() {
		return v
	}
	switch x := v.Box().(type) {
	case *value.Array:
		elems := make([]value.Value, len(x.Elems))
		for i, e := range x.Elems {
			elems[i] = reformed(e, old.Elem, now.Elem, oid, from)
		}
		return value.Box(&value.Array{Elem: now.Elem, Dims: x.Dims, Elems: elems})
	case *value.Record:
		out := &value.Record{Fields: now.Fields, Vals: make([]value.Value, len(now.Fields))}
		for i, f := range now.Fields {
			at := i
			if old.OID == oid && from != nil {
				at = from[i]
			}
			if at >= 0 && at < len(x.Vals) {
				out.Vals[i] = reformed(x.Vals[at], old.Fields[at].Type, f.Type, oid, from)
			}
		}
		return value.Box(out)
	case *value.Range:
		r := *x
		r.Elem, r.Lower, r.Upper = now.Elem, reformed(x.Lower, old.Elem, now.Elem, oid, from), reformed(x.Upper, old.Elem, now.Elem, oid, from)
		return value.Box(&r)
	}
	return v
}
