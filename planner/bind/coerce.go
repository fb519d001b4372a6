package bind

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// castHow is a way from one type to another.
type castHow uint8

const (
	noWay castHow = iota
	relabel
	byFunc
	byElement // array to array
	byText    // through the text form
)

// contexts rank how freely casts apply.
func rank(c functions.CastContext) int {
	switch c {
	case functions.Implicit:
		return 0
	case functions.Assignment:
		return 1
	}
	return 2
}

func baseType(t *value.Type) *value.Type { return typeio.Base(t) }

func isUnknown(t *value.Type) bool { return t.OID == value.Unknown.OID }

func same(a, b *value.Type) bool { return a.OID == b.OID }

// isRecordArray tells whether a is record[] and t an array of a composite type.
func isRecordArray(a, t *value.Type) bool {
	return a.OID == value.RecordArray.OID && t.IsArray() && isComposite(t.Elem)
}

// isArray tells whether t is an array type; PostgreSQL counts the array of records among the pseudo-types.
func isArray(t *value.Type) bool { return t.IsArray() || t.OID == value.RecordArray.OID }

// isComposite tells whether t is a named composite type.
func isComposite(t *value.Type) bool { return baseType(t).Class == value.Composite }

func isRecord(t *value.Type) bool { return t.OID == value.RecordType.OID }

// pathway finds how a value of type from becomes one of type to in a context; domains count as their base types.
func (b *binder) pathway(from, to *value.Type, ctx functions.CastContext) (castHow, *functions.Scalar) {
	from, to = baseType(from), baseType(to)
	if same(from, to) {
		return relabel, nil
	}
	if c := b.Registry.Cast(from, to); c != nil {
		if rank(ctx) < rank(c.Context) {
			return noWay, nil
		}
		if c.Fn == nil {
			return relabel, nil
		}
		return byFunc, c.Fn
	}
	if textCasts[[2]uint32{from.OID, to.OID}] && rank(ctx) >= 1 || to.OID == value.RegClass.OID && (from.OID == value.Text.OID || from.OID == value.Varchar.OID) {
		return byText, nil
	}
	if to.Class == value.MultiClass && from.Class == value.RangeClass && same(to.Elem, from.Elem) && rank(ctx) == 2 {
		if list := b.Registry.Scalars("multirange"); len(list) == 1 {
			f := *list[0]
			f.Params, f.Ret = []functions.Param{{Type: from}}, to
			return byFunc, &f
		}
	}
	if from.IsArray() && to.IsArray() && !fixedVector(to) {
		if how, _ := b.pathway(from.Elem, to.Elem, ctx); how != noWay {
			if how == byText && rank(ctx) == 0 {
				return noWay, nil
			}
			return byElement, nil
		}
	}
	switch {
	case rank(ctx) >= 1 && to.Category == 'S' && to.OID != value.Unknown.OID:
		return byText, nil
	case rank(ctx) == 2 && from.Category == 'S':
		return byText, nil
	}
	return noWay, nil
}

// textCasts are pg_cast's entries that go through text.
var textCasts = map[[2]uint32]bool{
	{value.JSON.OID, value.JSONB.OID}: true, {value.JSONB.OID, value.JSON.OID}: true,
}

// fixedVector tells whether t is one of the two array types that take no element-wise casts.
func fixedVector(t *value.Type) bool {
	return t.OID == value.Int2Vector.OID || t.OID == value.OIDVector.OID
}

// canCoerce tells whether arguments of the types from fit parameters of the types to.
func (b *binder) canCoerce(from, to []*value.Type, ctx functions.CastContext) bool {
	generic := false
	for i := range from {
		f, t := from[i], to[i]
		switch {
		case same(f, t), t.OID == value.Any.OID:
		case t.IsPoly():
			generic = true
		case isUnknown(f):
		case isRecord(f) && isComposite(t), isComposite(f) && isRecord(t):
		case isRecordArray(f, t), isRecordArray(t, f):
		default:
			if how, _ := b.pathway(f, t, ctx); how == noWay {
				return false
			}
		}
	}
	if generic {
		return genericsAgree(b, from, to)
	}
	return true
}

func (b *binder) canCoerce1(from, to *value.Type, ctx functions.CastContext) bool {
	return b.canCoerce([]*value.Type{from}, []*value.Type{to}, ctx)
}

// coerce converts e to a type and modifier; ok is false when there is no way in the context (the caller words the error).
func (b *binder) coerce(e plan.Expr, to *value.Type, mod int32, ctx functions.CastContext, style plan.CallStyle, pos int) (plan.Expr, bool, error) {
	if !b.canCoerce1(e.Type(), to, ctx) {
		return nil, false, nil
	}
	out, err := b.convert(e, to, mod, ctx, style, pos)
	if err != nil {
		return nil, true, err
	}
	out, err = b.fitMod(out, to, mod, ctx, style, e != out, pos)
	if err != nil {
		return nil, true, err
	}
	if out != e {
		if _, ok := b.pos[out]; !ok {
			b.pos[out] = leftmost(pos, b.posOf(e))
		}
	}
	return out, true, nil
}

// implicitly converts an expression whose type is known to fit.
func (b *binder) implicitly(e plan.Expr, to *value.Type) (plan.Expr, error) {
	return b.convert(e, to, -1, functions.Implicit, plan.ImplicitCastStyle, -1)
}

// convert changes the type of e without applying a modifier (except in literals). The caller has checked that there is a way.
func (b *binder) convert(e plan.Expr, to *value.Type, mod int32, ctx functions.CastContext, style plan.CallStyle, pos int) (plan.Expr, error) {
	from := e.Type()
	switch {
	case same(from, to) || to.OID == value.Any.OID:
		return e, nil
	case to.IsPoly():
		if !isUnknown(from) {
			return b.toPoly(e, to), nil
		}
		return e, nil
	}
	switch x := e.(type) {
	case *plan.Const:
		if isUnknown(from) {
			return b.readLiteral(x, to, mod, style, pos)
		}
	case *plan.Param:
		if isUnknown(from) {
			return b.fixParam(x, to)
		}
	case *plan.Collate:
		in, err := b.convert(x.Arg, to, mod, ctx, style, pos)
		if err != nil {
			return nil, err
		}
		if !collatable(to) {
			return in, nil
		}
		return b.at(&plan.Collate{Arg: in, Coll: x.Coll}, b.posOf(e)), nil
	case *plan.RowExpr:
		if isRecord(from) && isComposite(to) {
			return b.rowTo(x, to, ctx, style, pos)
		}
	}
	if isUnknown(from) {
		// A column of a query whose literals stayed unknown: it holds text.
		return b.ioCast(e, to, mod, style, pos)
	}
	return b.convertKnown(e, to, mod, ctx, style, pos)
}

// convertKnown converts by the way that the catalog of casts gives, into the base type and then the domain.
func (b *binder) convertKnown(e plan.Expr, to *value.Type, mod int32, ctx functions.CastContext, style plan.CallStyle, pos int) (plan.Expr, error) {
	from, base := e.Type(), baseType(to)
	if isRecord(to) && isComposite(from) || isRecord(from) && isComposite(to) || isRecordArray(to, from) || isRecordArray(from, to) {
		return &plan.Cast{Typed: plan.Typed{T: to, M: -1}, Method: plan.RelabelCast, Arg: e, Style: style, Pos: pos}, nil
	}
	how, fn := b.pathway(from, to, ctx)
	var out plan.Expr
	var err error
	switch how {
	case relabel:
		out = e
		if !same(from, base) {
			out = &plan.Cast{Typed: plan.Typed{T: base, M: -1}, Method: plan.RelabelCast, Arg: e, Style: style, Pos: pos}
		}
	case byFunc:
		out = b.castCall(fn, e, base, mod, ctx, style, pos)
	case byElement:
		out, err = b.elementCast(e, base, mod, ctx, style, pos)
	case byText:
		out, err = b.ioCast(e, base, mod, style, pos)
	default:
		return nil, dberr.New(dberr.CannotCoerce, "cannot cast type %s to %s", from.SQL, to.SQL).At(b.posOf(e))
	}
	if err == nil && !same(base, to) {
		out, err = b.toDomain(out, to, style, pos)
	}
	return out, err
}

// castCall calls a cast function with as many of its arguments (value, modifier, explicit) as it takes.
func (b *binder) castCall(fn *functions.Scalar, e plan.Expr, to *value.Type, mod int32, ctx functions.CastContext, style plan.CallStyle, pos int) plan.Expr {
	args := []plan.Expr{e}
	if !same(fn.Params[0].Type, e.Type()) && !fn.Params[0].Type.IsPoly() {
		args[0] = &plan.Cast{Typed: plan.Typed{T: fn.Params[0].Type, M: -1}, Method: plan.RelabelCast, Arg: e, Style: plan.ImplicitCastStyle, Pos: -1}
	}
	if len(fn.Params) >= 2 {
		args = append(args, intConst(value.Int4, int64(mod)))
	}
	if len(fn.Params) >= 3 {
		args = append(args, boolConst(ctx == functions.Explicit))
	}
	m := int32(-1)
	if len(fn.Params) >= 2 {
		m = mod
	}
	return &plan.Call{Typed: plan.Typed{T: to, M: m}, Fn: fn, Args: args, Style: style, Pos: pos}
}

// elementCast converts each element of an array.
func (b *binder) elementCast(e plan.Expr, to *value.Type, mod int32, ctx functions.CastContext, style plan.CallStyle, pos int) (plan.Expr, error) {
	c := b.newCol("", baseType(e.Type()).Elem, -1)
	elem, ok, err := b.coerce(b.ref(c, -1), to.Elem, mod, ctx, plan.ImplicitCastStyle, -1)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errAt(pos, dberr.CannotCoerce, "cannot cast type %s to %s", e.Type().SQL, to.SQL)
	}
	return &plan.Cast{Typed: plan.Typed{T: to, M: mod}, Method: plan.ArrayCast, Arg: e, ElemCol: c.ID, Elem: elem, Style: style, Pos: pos}, nil
}

func (b *binder) ioCast(e plan.Expr, to *value.Type, mod int32, style plan.CallStyle, pos int) (plan.Expr, error) {
	m := int32(-1)
	if to.OID == value.IntervalT.OID {
		m = mod
	}
	return b.admit(&plan.Cast{Typed: plan.Typed{T: baseType(to), M: m}, Method: plan.IOCast, Arg: e, Style: style, Pos: pos}, to, style, pos)
}

// fitMod applies a modifier to a value of the right type: varchar(3), numeric(8,2), timestamp(0) …
func (b *binder) fitMod(e plan.Expr, to *value.Type, mod int32, ctx functions.CastContext, style plan.CallStyle, converted bool, pos int) (plan.Expr, error) {
	if mod < 0 || mod == e.Mod() || to.Class == value.Domain {
		return e, nil
	}
	if converted {
		style = plan.ImplicitCastStyle
	}
	if to.IsArray() {
		c := b.Registry.Cast(to.Elem, to.Elem)
		if c == nil || c.Fn == nil {
			return e, nil
		}
		return b.elementCast(e, to, mod, ctx, style, pos)
	}
	c := b.Registry.Cast(to, to)
	if c == nil || c.Fn == nil {
		return &plan.Cast{Typed: plan.Typed{T: to, M: mod}, Method: plan.RelabelCast, Arg: e, Style: style, Pos: pos}, nil
	}
	return b.castCall(c.Fn, e, to, mod, ctx, style, pos), nil
}

// readLiteral turns an unknown literal into a constant of a type, with the type's input function.
func (b *binder) readLiteral(c *plan.Const, to *value.Type, mod int32, style plan.CallStyle, pos int) (plan.Expr, error) {
	base := baseType(to)
	if base.OID != value.IntervalT.OID {
		mod = -1 // a separate step fits the modifier, so that explicit casts cut and assignments refuse
	}
	out := &plan.Const{Typed: plan.Typed{T: base, M: mod}}
	at := b.posOf(c)
	if !c.Val.IsNull() {
		v, err := typeio.In(base, mod, c.Val.Str(), b.Format)
		if err != nil {
			return nil, dberr.AddPosition(err, at)
		}
		out.Val = v
		if b.dependsOnClock(base, c.Val.Str()) {
			b.deps.NoCache = true
		}
		if base.Kind == value.KindInt {
			b.usesNamed(base, catalog.ID(v.Int()))
		}
	}
	b.pos[out] = at
	return b.admit(out, to, style, pos)
}

// toPoly gives the form in which a value goes to a polymorphic parameter: domains over containers as their containers.
func (b *binder) toPoly(e plan.Expr, to *value.Type) plan.Expr {
	switch to.OID {
	case value.AnyArray.OID, value.AnyEnum.OID, value.AnyRange.OID, value.AnyMultirange.OID, value.AnyCompatibleArray.OID,
		value.AnyCompatibleRange.OID, value.AnyCompatibleMultirange.OID:
		if t := e.Type(); t.Class == value.Domain {
			return &plan.Cast{Typed: plan.Typed{T: baseType(t), M: -1}, Method: plan.RelabelCast, Arg: e, Style: plan.ImplicitCastStyle, Pos: -1}
		}
	}
	return e
}

// rowTo converts the fields of a ROW(…) to those of a composite type.
func (b *binder) rowTo(r *plan.RowExpr, to *value.Type, ctx functions.CastContext, style plan.CallStyle, pos int) (plan.Expr, error) {
	base := baseType(to)
	mismatch := func(detail string, args ...any) error {
		return errAt(pos, dberr.CannotCoerce, "cannot cast type %s to %s", r.Type().SQL, to.SQL).WithDetail(detail, args...)
	}
	if len(r.Fields) < len(base.Fields) {
		return nil, mismatch("Input has too few columns.")
	}
	if len(r.Fields) > len(base.Fields) {
		return nil, mismatch("Input has too many columns.")
	}
	out := &plan.RowExpr{Typed: plan.Typed{T: base, M: -1}}
	for i, f := range base.Fields {
		e, ok, err := b.coerce(r.Fields[i], f.Type, f.Mod, ctx, style, -1)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, mismatch("Cannot cast type %s to %s in column %d.", r.Fields[i].Type().SQL, f.Type.SQL, i+1)
		}
		out.Fields, out.Names = append(out.Fields, e), append(out.Names, f.Name)
	}
	if !same(base, to) {
		return b.toDomain(out, to, style, pos)
	}
	return out, nil
}
