package scanfilter

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// unknown is SQL's NULL as a condition.
var unknown = filter.Const{Value: filter.Null}

// expr translates a boolean expression.
func (t *translator) expr(e plan.Expr) (filter.Expr, error) {
	switch x := e.(type) {
	case *plan.Const:
		return t.boolean(x)
	case *plan.BoolOp:
		list := make([]filter.Expr, len(x.Args))
		for i, a := range x.Args {
			f, err := t.expr(a)
			if err != nil {
				return nil, err
			}
			list[i] = f
		}
		if x.Or {
			return &filter.Or{List: list}, nil
		}
		return &filter.And{List: list}, nil
	case *plan.Not:
		f, err := t.expr(x.Arg)
		return &filter.Not{X: f}, err
	case *plan.IsNull:
		return t.isNull(x)
	case *plan.InList:
		return t.inList(x)
	case *plan.ArrayOp:
		return t.arrayOp(x)
	case *plan.Call:
		return t.call(x)
	case *plan.ColRef:
		if r, ok := t.ref(x); ok && typeio.Base(x.T).OID == value.Boolean.OID {
			return &filter.FieldCmp{Ref: r.Ref, Class: filter.ClassBool, Op: filter.EQ, Value: doc.Bool(true)}, nil
		}
	}
	return nil, no
}

func (t *translator) boolean(k *plan.Const) (filter.Expr, error) {
	switch {
	case k.T.Kind != value.KindBool:
		return nil, no
	case k.Val.IsNull():
		return unknown, nil
	}
	return filter.Const{Value: filter.TriOf(k.Val.Bool())}, nil
}

func (t *translator) isNull(x *plan.IsNull) (filter.Expr, error) {
	r, ok := t.ref(x.Arg)
	if !ok || r.ID {
		return nil, no
	}
	var f filter.Expr = &filter.IsNull{Ref: r.Ref, Text: r.text}
	if x.Not {
		f = &filter.Not{X: f}
	}
	return f, nil
}

// comparisons maps SQL operators to the filter's, and to their mirror images.
var comparisons = map[string]struct{ op, mirror filter.CmpOp }{
	"=": {filter.EQ, filter.EQ}, "<>": {filter.NE, filter.NE}, "<": {filter.LT, filter.GT}, "<=": {filter.LE, filter.GE},
	">": {filter.GT, filter.LT}, ">=": {filter.GE, filter.LE},
}

func (t *translator) call(x *plan.Call) (filter.Expr, error) {
	if x.Style == plan.FuncStyle && x.Name == "doc_matches" && len(x.Args) == 2 {
		return t.docMatches(x)
	}
	if x.Style != plan.OpStyle || len(x.Args) != 2 || x.Coll != "" && x.Coll != "default" && x.Coll != "C" && x.Coll != "POSIX" {
		return nil, no
	}
	l, r := x.Args[0], x.Args[1]
	if c, ok := comparisons[x.Name]; ok {
		if f, err := t.compare(l, r, c.op); err != no {
			return f, err
		}
		return t.compare(r, l, c.mirror)
	}
	switch x.Name {
	case "@>":
		return t.contains(l, r)
	case "<@":
		return t.contains(r, l)
	case "?", "?|", "?&":
		return t.hasKeys(x.Name, l, r)
	case "~~":
		return t.like(l, r)
	}
	return nil, no
}

// compare translates l op r with a reference on the left.
func (t *translator) compare(l, r plan.Expr, op filter.CmpOp) (filter.Expr, error) {
	if f, err := t.castCompare(l, r, op); err != no {
		return f, err
	}
	ref, ok := t.ref(l)
	if !ok {
		return nil, no
	}
	class, ok := comparable(ref, l.Type(), r.Type(), op)
	if !ok {
		return nil, no
	}
	v, known, err := t.constant(r)
	if err != nil {
		return nil, err
	}
	if known && v.IsNull() {
		return unknown, nil
	}
	if !known {
		return unknown, nil // only asked whether there is a translation
	}
	switch {
	case ref.text:
		return &filter.TextCmp{Ref: ref.Ref, Op: op, Text: v.Str()}, nil
	case ref.json:
		return &filter.JSONCmp{Ref: ref.Ref, Op: op, Value: typeio.Doc(v)}, nil
	}
	d, err := stored(r.Type(), v)
	if err != nil {
		return nil, err
	}
	return &filter.FieldCmp{Ref: ref.Ref, Class: class, Op: op, Value: d}, nil
}

// stored is the form in which a column of the type stores v.
func stored(t *value.Type, v value.Value) (doc.Value, error) {
	typ, data, err := typeio.ToBSON(nil, t, v)
	return doc.Value{Type: typ, Data: data}, err
}

// classes tells how typed columns compare.
var classes = map[uint32]filter.FieldClass{
	value.Int2.OID: filter.ClassInt, value.Int4.OID: filter.ClassInt, value.Int8.OID: filter.ClassInt, value.OID.OID: filter.ClassInt,
	value.Float4.OID: filter.ClassFloat, value.Float8.OID: filter.ClassFloat, value.Numeric.OID: filter.ClassNumeric,
	value.Text.OID: filter.ClassText, value.Varchar.OID: filter.ClassText, value.Name.OID: filter.ClassText,
	value.Boolean.OID: filter.ClassBool, value.Date.OID: filter.ClassTime, value.Timestamp.OID: filter.ClassTime,
	value.TimestampTZ.OID: filter.ClassTime, value.UUID.OID: filter.ClassUUID, value.Bytea.OID: filter.ClassBytea,
}

// comparable tells whether a reference of type l compares with a constant of type r as the filter engine does it.
func comparable(ref ref, l, r *value.Type, op filter.CmpOp) (filter.FieldClass, bool) {
	l, r = typeio.Base(l), typeio.Base(r)
	switch {
	case ref.text:
		return 0, stringType(l) && stringType(r)
	case ref.json:
		return 0, r.OID == value.JSONB.OID
	case l.Class == value.Enum:
		return filter.ClassText, r.OID == l.OID && (op == filter.EQ || op == filter.NE)
	}
	lc, ok := classes[l.OID]
	rc, ok2 := classes[r.OID]
	if !ok || !ok2 || lc != rc {
		return 0, false
	}
	if lc == filter.ClassTime || (l.OID == value.OID.OID) != (r.OID == value.OID.OID) {
		return lc, l.OID == r.OID
	}
	return lc, true
}

// casts are the types to which a text may be cast before it is compared.
var casts = map[uint32]filter.Cast{
	value.Numeric.OID: filter.CastNumeric, value.Float8.OID: filter.CastFloat8, value.Int4.OID: filter.CastInt4, value.Int8.OID: filter.CastInt8,
}

// castCompare translates (doc->>'n')::numeric op constant. The cast fails for a text that is no number.
func (t *translator) castCompare(l, r plan.Expr, op filter.CmpOp) (filter.Expr, error) {
	c, ok := l.(*plan.Cast)
	if !ok || c.Method != plan.IOCast || c.M >= 0 {
		return nil, no
	}
	ref, ok := t.ref(c.Arg)
	if !ok || !ref.text || ref.ID {
		return nil, no
	}
	cast, ok := casts[c.T.OID]
	if !ok {
		return nil, no
	}
	lc, rc := classes[c.T.OID], classes[typeio.Base(r.Type()).OID]
	if lc != rc || typeio.Base(r.Type()).OID == value.OID.OID || !numericType(r.Type()) {
		return nil, no
	}
	v, known, err := t.constant(r)
	if err != nil {
		return nil, err
	}
	t.fails = true
	if !known {
		return unknown, nil
	}
	if v.IsNull() { // NULL, but only after the cast: it still fails for a text that is no number
		try := &filter.CastCmp{Ref: ref.Ref, Cast: cast, Op: op, Value: doc.NumberFromInt64(0)}
		always := filter.Const{Value: filter.True}
		return &filter.And{List: []filter.Expr{&filter.Or{List: []filter.Expr{try, always}}, unknown}}, nil
	}
	d, err := stored(r.Type(), v)
	if err != nil {
		return nil, err
	}
	return &filter.CastCmp{Ref: ref.Ref, Cast: cast, Op: op, Value: d}, nil
}

func numericType(t *value.Type) bool {
	switch typeio.Base(t).OID {
	case value.Int2.OID, value.Int4.OID, value.Int8.OID, value.Float4.OID, value.Float8.OID, value.Numeric.OID:
		return true
	}
	return false
}

func (t *translator) contains(l, r plan.Expr) (filter.Expr, error) {
	ref, ok := t.ref(l)
	if !ok || !ref.json || typeio.Base(r.Type()).OID != value.JSONB.OID {
		return nil, no
	}
	v, known, err := t.constant(r)
	switch {
	case err != nil:
		return nil, err
	case !known || v.IsNull():
		return unknown, nil
	}
	return &filter.Contains{Ref: ref.Ref, Value: typeio.Doc(v)}, nil
}

var keyOps = map[string]filter.KeyOp{"?": filter.HasKey, "?|": filter.AnyKey, "?&": filter.AllKeys}

func (t *translator) hasKeys(op string, l, r plan.Expr) (filter.Expr, error) {
	ref, ok := t.ref(l)
	if !ok || !ref.json {
		return nil, no
	}
	v, known, err := t.constant(r)
	switch {
	case err != nil:
		return nil, err
	case !known || v.IsNull():
		return unknown, nil
	}
	var keys []string
	if op == "?" {
		keys = []string{v.Str()}
	} else {
		for _, k := range v.Box().(*value.Array).Elems {
			if !k.IsNull() {
				keys = append(keys, k.Str())
			}
		}
	}
	return &filter.HasKeys{Ref: ref.Ref, Op: keyOps[op], Keys: keys}, nil
}

// like takes literal patterns only: whether another one is well-formed is not known before it is there.
func (t *translator) like(l, r plan.Expr) (filter.Expr, error) {
	ref, ok := t.ref(l)
	if !ok || !stringType(l.Type()) || !ref.text && !textColumn(ref) {
		return nil, no
	}
	k, ok := r.(*plan.Const)
	if !ok || !stringType(k.T) {
		return nil, no
	}
	if k.Val.IsNull() {
		return unknown, nil
	}
	f := &filter.TextLike{Ref: ref.Ref, Pattern: k.Val.Str()}
	if _, err := filter.Compile(f); err != nil {
		return nil, no
	}
	return f, nil
}

func textColumn(r ref) bool { return r.col != nil && stringType(r.col.Type) && !r.json }

// docMatches translates the Mongo language's own function.
func (t *translator) docMatches(x *plan.Call) (filter.Expr, error) {
	ref, ok := t.ref(x.Args[0])
	if !ok || !ref.json || ref.Base != 0 || len(ref.Path) != 0 {
		return nil, no
	}
	k, ok := x.Args[1].(*plan.Const)
	if !ok {
		return nil, no
	}
	if k.Val.IsNull() {
		return unknown, nil
	}
	text := []byte(k.Val.Str())
	if typeio.Base(k.T).OID == value.JSONB.OID {
		text = []byte(typeio.Doc(k.Val).Canonical())
	}
	f, err := filter.ParseJSON(text)
	if err != nil {
		return nil, no // the function itself reports it, when a row reaches it
	}
	return f, nil
}
