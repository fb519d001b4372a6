package bind

import (
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

func catalogID(oid uint32) catalog.ID { return catalog.ID(oid) }

func intConst(t *value.Type, v int64) *plan.Const {
	return &plan.Const{Typed: plan.Typed{T: t, M: -1}, Val: value.Int(v)}
}

func boolConst(v bool) *plan.Const {
	return &plan.Const{Typed: plan.Typed{T: value.Boolean, M: -1}, Val: value.Bool(v)}
}

func nullConst(t *value.Type) *plan.Const { return &plan.Const{Typed: plan.Typed{T: t, M: -1}} }

// at records where an expression stands and gives it back.
func (b *binder) at(e plan.Expr, pos int) plan.Expr {
	if pos >= 0 {
		b.pos[e] = pos
	}
	return e
}

// posOf is where an expression stands in the text, for errors; -1 when it has no place there.
func (b *binder) posOf(e plan.Expr) int {
	if p, ok := b.pos[e]; ok {
		return p
	}
	switch x := e.(type) {
	case *plan.Cast:
		return b.posOf(x.Arg)
	case *plan.Call:
		if (x.Style == plan.CastStyle || x.Style == plan.ImplicitCastStyle) && len(x.Args) > 0 {
			return b.posOf(x.Args[0])
		}
		return x.Pos
	}
	return -1
}

func collatable(t *value.Type) bool {
	t = baseType(t)
	if t.IsArray() {
		t = t.Elem
	}
	switch t.OID {
	case value.Text.OID, value.Varchar.OID, value.BPChar.OID, value.Name.OID, value.Unknown.OID:
		return true
	}
	return t.IsPoly()
}

// dependsOnClock tells whether a literal of a date or time type means another moment each day.
func (b *binder) dependsOnClock(t *value.Type, text string) bool {
	if t.IsArray() {
		t = t.Elem
	}
	if t.Elem != nil {
		t = t.Elem
	}
	if t.Category != 'D' {
		return false
	}
	s := strings.ToLower(text)
	for _, w := range []string{"now", "today", "tomorrow", "yesterday"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// commonType finds the type to which all expressions of a CASE, UNION, VALUES … can be brought (manual 10.5). context names the
// construct in errors.
func (b *binder) commonType(es []plan.Expr, context string) (*value.Type, error) {
	t, bad := b.commonTypeOf(types(es))
	if bad >= 0 {
		return nil, errAt(b.posOf(es[bad]), dberr.DatatypeMismatch, "%s types %s and %s cannot be matched", context, t.SQL, es[bad].Type().SQL)
	}
	return t, nil
}

func types(es []plan.Expr) []*value.Type {
	out := make([]*value.Type, len(es))
	for i, e := range es {
		out[i] = e.Type()
	}
	return out
}

// commonTypeOf gives the common type and -1, or the type so far and the position of the type that doesn't match it.
func (b *binder) commonTypeOf(ts []*value.Type) (*value.Type, int) {
	first := ts[0]
	if !isUnknown(first) {
		all := true
		for _, t := range ts[1:] {
			all = all && same(t, first)
		}
		if all {
			return first, -1
		}
	}
	cur := baseType(first)
	for i, t := range ts[1:] {
		t = baseType(t)
		if isUnknown(t) || same(t, cur) {
			continue
		}
		switch {
		case isUnknown(cur):
			cur = t
		case t.Category != cur.Category:
			return cur, i + 1
		case !cur.Preferred && b.canCoerce1(cur, t, functions.Implicit) && !b.canCoerce1(t, cur, functions.Implicit):
			cur = t
		}
	}
	if isUnknown(cur) {
		cur = value.Text
	}
	return cur, -1
}

// toCommon converts an expression to the common type of its construct.
func (b *binder) toCommon(e plan.Expr, t *value.Type, context string) (plan.Expr, error) {
	if same(e.Type(), t) {
		return e, nil
	}
	if !b.canCoerce1(e.Type(), t, functions.Implicit) {
		return nil, errAt(b.posOf(e), dberr.CannotCoerce, "%s could not convert type %s to %s", context, e.Type().SQL, t.SQL)
	}
	return b.at2(b.implicitly(e, t))(e)
}

// at2 passes on a conversion's result with the position of the expression that it converts.
func (b *binder) at2(out plan.Expr, err error) func(from plan.Expr) (plan.Expr, error) {
	return func(from plan.Expr) (plan.Expr, error) {
		if err != nil {
			return nil, err
		}
		if _, ok := b.pos[out]; !ok {
			b.pos[out] = b.posOf(from)
		}
		return out, nil
	}
}

// commonMod is the modifier that all expressions share, else -1.
func commonMod(es []plan.Expr, t *value.Type) int32 {
	mod := int32(-1)
	for i, e := range es {
		if !same(e.Type(), t) || i > 0 && e.Mod() != mod {
			return -1
		}
		mod = e.Mod()
	}
	return mod
}

// unify brings expressions to their common type.
func (b *binder) unify(es []plan.Expr, context string) (*value.Type, []plan.Expr, error) {
	t, err := b.commonType(es, context)
	if err != nil {
		return nil, nil, err
	}
	out := make([]plan.Expr, len(es))
	for i, e := range es {
		if out[i], err = b.toCommon(e, t, context); err != nil {
			return nil, nil, err
		}
	}
	return t, out, nil
}

// boolean coerces a condition; construct names the clause in errors ("WHERE", "AND" …).
func (b *binder) boolean(e plan.Expr, construct string) (plan.Expr, error) {
	if !same(e.Type(), value.Boolean) {
		from := e
		out, ok, err := b.coerce(e, value.Boolean, -1, functions.Assignment, plan.ImplicitCastStyle, -1)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errAt(b.posOf(from), dberr.DatatypeMismatch, "argument of %s must be type %s, not type %s", construct, "boolean", from.Type().SQL)
		}
		e = out
	}
	return e, b.noSet(e, construct)
}

func (b *binder) noSet(e plan.Expr, construct string) error {
	if hasSet(e) {
		return errAt(b.posOf(e), dberr.DatatypeMismatch, "argument of %s must not return a set", construct)
	}
	return nil
}

// specific coerces to a type that a construct demands, such as LIMIT's bigint.
func (b *binder) specific(e plan.Expr, t *value.Type, construct string) (plan.Expr, error) {
	from := e
	out, ok, err := b.coerce(e, t, -1, functions.Assignment, plan.ImplicitCastStyle, -1)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errAt(b.posOf(from), dberr.DatatypeMismatch, "argument of %s must be type %s, not type %s", construct, t.SQL, from.Type().SQL)
	}
	return out, b.noSet(out, construct)
}

// resolveUnknown makes an unknown literal or parameter text.
func (b *binder) resolveUnknown(e plan.Expr) (plan.Expr, error) {
	if !isUnknown(e.Type()) {
		return e, nil
	}
	return b.at2(b.convert(e, value.Text, -1, functions.Implicit, plan.ImplicitCastStyle, -1))(e)
}
