package filter

import (
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// Ref is what an SQL node looks at: a path from the row's document. The first Base steps lead to the column Col (none for a
// collection's doc, one for a typed table's column); the rest are the arrows of the SQL expression.
type Ref struct {
	Col  string
	Base int
	Path doc.Path
	ID   bool // the text of a collection's _id column, whatever its type; no path
}

// IDRef is a collection's _id column.
func IDRef() Ref { return Ref{Col: "_id", ID: true} }

// DocRef is the path inside a collection's doc column.
func DocRef(p doc.Path) Ref { return Ref{Col: "doc", Path: p} }

// FieldRef is a typed table's column that is stored under field, and a path inside it.
func FieldRef(col, field string, p doc.Path) Ref {
	return Ref{Col: col, Base: 1, Path: append(doc.Path{doc.Key(field)}, p...)}
}

// SQL nodes. Each gives what PostgreSQL gives for the expression it prints as, NULL included; the planner makes one only where
// that is the whole meaning of the predicate.
type (
	// Contains is `ref @> value`.
	Contains struct {
		Ref
		Value doc.Value
	}
	// HasKeys is `ref ? key`, `ref ?| keys` or `ref ?& keys`.
	HasKeys struct {
		Ref
		Op   KeyOp
		Keys []string
	}
	// TextCmp is `(ref as text) op 'text'`, by bytes (collation C).
	TextCmp struct {
		Ref
		Op   CmpOp
		Text string
	}
	// TextIn is `(ref as text) IN (…)`; HasNull tells that the list holds NULL.
	TextIn struct {
		Ref
		List    []string
		HasNull bool
	}
	// TextLike is `(ref as text) LIKE 'pattern'` with the backslash as escape. Compile refuses a pattern that ends with a lone
	// backslash (22025): PostgreSQL fails there only for the texts that get that far, so such a LIKE stays with the planner.
	TextLike struct {
		Ref
		Pattern string
	}
	// JSONCmp is `ref op value` in jsonb's order.
	JSONCmp struct {
		Ref
		Op    CmpOp
		Value doc.Value
	}
	// JSONIn is `ref IN (…)` of jsonb values.
	JSONIn struct {
		Ref
		List    []doc.Value
		HasNull bool
	}
	// CastCmp is `(ref as text)::type op constant`. A text that is not of the type ends the statement with 22P02 or 22003, as
	// the cast does, so the planner must keep it behind the conditions that guard it.
	CastCmp struct {
		Ref
		Cast  Cast
		Op    CmpOp
		Value doc.Value
	}
	// IsNull is `ref IS NULL`: a missing value, and JSON null too when the reference is taken as text.
	IsNull struct {
		Ref
		Text bool
	}
	// FieldCmp is `column op constant` of a typed table.
	FieldCmp struct {
		Ref
		Class FieldClass
		Op    CmpOp
		Value doc.Value
	}
	// FieldIn is `column IN (…)` of a typed table.
	FieldIn struct {
		Ref
		Class   FieldClass
		List    []doc.Value
		HasNull bool
	}
)

// KeyOp tells the three existence operators apart.
type KeyOp uint8

const (
	HasKey  KeyOp = iota // ?
	AnyKey               // ?|
	AllKeys              // ?&
)

// Cast is the target of a CastCmp.
type Cast uint8

const (
	CastNumeric Cast = iota
	CastFloat8
	CastInt4
	CastInt8
)

var castNames = [...]string{CastNumeric: "numeric", CastFloat8: "double precision", CastInt4: "integer", CastInt8: "bigint"}

// FieldClass is how a typed column compares. The constant is of the BSON type that such a column stores.
type FieldClass uint8

const (
	ClassInt     FieldClass = iota // int2, int4, int8, oid
	ClassFloat                     // float4, float8: NaN equal to itself and greatest
	ClassNumeric                   // numeric: NaN greatest
	ClassText                      // text, varchar, char, name: by bytes
	ClassBool
	ClassTime // date, timestamp, timestamptz: by microseconds
	ClassUUID
	ClassBytea
	ClassJSONB
)

// classTypes is what PostgreSQL prints after a constant of each class.
var classTypes = [...]string{ClassInt: "", ClassFloat: "::double precision", ClassNumeric: "::numeric", ClassText: "::text",
	ClassBool: "", ClassTime: "::timestamp with time zone", ClassUUID: "::uuid", ClassBytea: "::bytea", ClassJSONB: "::jsonb"}

// json prints the reference as a jsonb expression.
func (r *Ref) json() string { return r.arrows(false) }

// text prints the reference with its last step as text.
func (r *Ref) text() string { return r.arrows(true) }

func (r *Ref) arrows(text bool) string {
	s := r.Col
	if s == "" {
		s = "doc"
	}
	path := r.Path[r.Base:]
	for i, step := range path {
		arrow := " -> "
		if text && i == len(path)-1 {
			arrow = " ->> "
		}
		switch step.Kind {
		case doc.StepKey:
			s = "(" + s + arrow + quoteSQL(step.Key) + "::text)"
		case doc.StepIndex:
			s = "(" + s + arrow + strconv.Itoa(step.Index) + ")"
		case doc.StepText:
			s = "(" + s + strings.Replace(arrow, "-", "#", 1) + quoteSQL("{"+step.Key+"}") + "::text[])"
		}
	}
	if text && len(path) == 0 && !r.ID {
		s = "(" + s + " #>> '{}'::text[])"
	}
	return s
}

func jsonbLiteral(v doc.Value) string { return quoteSQL(v.JSONB()) + "::jsonb" }

func (e *Contains) String() string { return "(" + e.json() + " @> " + jsonbLiteral(e.Value) + ")" }

func (e *HasKeys) String() string {
	if e.Op == HasKey {
		return "(" + e.json() + " ? " + quoteSQL(e.Keys[0]) + "::text)"
	}
	op := " ?| "
	if e.Op == AllKeys {
		op = " ?& "
	}
	return "(" + e.json() + op + textArray(e.Keys) + ")"
}

func textArray(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if s == "" || strings.EqualFold(s, "null") || strings.ContainsAny(s, "{}\",\\ \t\n\v\f\r") {
			s = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
		}
		b.WriteString(s)
	}
	return quoteSQL("{"+b.String()+"}") + "::text[]"
}

func (e *TextCmp) String() string {
	return "(" + e.text() + " " + e.Op.String() + " " + quoteSQL(e.Text) + "::text)"
}

func (e *TextIn) String() string {
	list := e.List
	if e.HasNull {
		return "(" + e.text() + " = ANY (" + strings.Replace(textArray(list), "}'", comma(len(list))+"NULL}'", 1) + "))"
	}
	return "(" + e.text() + " = ANY (" + textArray(list) + "))"
}

func comma(n int) string {
	if n > 0 {
		return ","
	}
	return ""
}

func (e *TextLike) String() string { return "(" + e.text() + " ~~ " + quoteSQL(e.Pattern) + "::text)" }

func (e *JSONCmp) String() string {
	return "(" + e.json() + " " + e.Op.String() + " " + jsonbLiteral(e.Value) + ")"
}

func (e *JSONIn) String() string { return anyList(e.json(), e.List, e.HasNull, jsonbLiteral) }

func anyList(left string, list []doc.Value, hasNull bool, literal func(doc.Value) string) string {
	parts := make([]string, 0, len(list)+1)
	for _, v := range list {
		parts = append(parts, literal(v))
	}
	if hasNull {
		parts = append(parts, "NULL")
	}
	return "(" + left + " = ANY (ARRAY[" + strings.Join(parts, ", ") + "]))"
}

func (e *CastCmp) String() string {
	return "((" + e.text() + ")::" + castNames[e.Cast] + " " + e.Op.String() + " " + castLiteral(e.Cast, e.Value) + ")"
}

func castLiteral(c Cast, v doc.Value) string {
	switch text := v.Text(); {
	case c == CastNumeric:
		return quoteSQL(text) + "::numeric"
	case c == CastFloat8:
		return quoteSQL(strings.TrimSuffix(text, ".0")) + "::double precision"
	default:
		return text
	}
}

func (e *IsNull) String() string { return e.print("IS NULL") }

func (e *IsNull) print(what string) string {
	if e.Text {
		return "(" + e.text() + " " + what + ")"
	}
	return "(" + e.json() + " " + what + ")"
}

func (e *FieldCmp) String() string {
	return "(" + e.Col + " " + e.Op.String() + " " + fieldLiteral(e.Class, e.Value) + ")"
}

func fieldLiteral(c FieldClass, v doc.Value) string {
	switch c {
	case ClassInt, ClassBool:
		return v.Text()
	case ClassBytea:
		_, b, _ := v.Binary()
		return quoteSQL(`\x`+hexText(b)) + classTypes[c]
	case ClassFloat:
		return quoteSQL(strings.TrimSuffix(v.Text(), ".0")) + classTypes[c]
	case ClassJSONB:
		return jsonbLiteral(v)
	}
	return quoteSQL(v.Text()) + classTypes[c]
}

func hexText(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

func (e *FieldIn) String() string {
	return anyList(e.Col, e.List, e.HasNull, func(v doc.Value) string { return fieldLiteral(e.Class, v) })
}
