package filter

import (
	"strings"

	"github.com/omgdb/omgdb/storage/doc"
)

// Field is a Mongo condition on a dotted path: true when one of the values that the path leads to passes the test. A path
// looks inside arrays on its way, and at an array's elements at its end.
type Field struct {
	Path string
	Test Test
}

// Test is a condition on one value. operator prints it as the members of an operator object: `"$gt":1`.
type Test interface{ operator(dst []byte) []byte }

// CmpOp is a comparison.
type CmpOp uint8

const (
	EQ CmpOp = iota
	NE       // SQL nodes only; Mongo's $ne is Not of EQ
	LT
	LE
	GT
	GE
)

var (
	mongoOps = [...]string{EQ: "$eq", NE: "$ne", LT: "$lt", LE: "$lte", GT: "$gt", GE: "$gte"}
	sqlOps   = [...]string{EQ: "=", NE: "<>", LT: "<", LE: "<=", GT: ">", GE: ">="}
)

// String gives the SQL operator.
func (o CmpOp) String() string { return sqlOps[o] }

// holds tells whether a comparison's result (-1, 0, 1) satisfies the operator.
func (o CmpOp) holds(c int) bool {
	switch o {
	case EQ:
		return c == 0
	case NE:
		return c != 0
	case LT:
		return c < 0
	case LE:
		return c <= 0
	case GT:
		return c > 0
	}
	return c >= 0
}

// Tests of Mongo filters.
type (
	// Compare is $eq, $gt … within the operand's type class; null also equals a missing value.
	Compare struct {
		Op    CmpOp
		Value doc.Value
	}
	// In is $in: equal to one of the values, or matched by one of the expressions.
	In struct {
		Values  []doc.Value
		Regexes []*Regex
	}
	// Exists is $exists: true.
	Exists struct{}
	// Types is $type: the value's type is one of these.
	Types struct{ List []TypeCode }
	// Size is $size: an array of N elements.
	Size struct{ N int64 }
	// Mod is $mod: an integer part that leaves Rem when divided by Div.
	Mod struct{ Div, Rem int64 }
	// ElemMatch is $elemMatch with a filter: an array with an object for which it is true.
	ElemMatch struct{ Filter Expr }
	// ElemTest is $elemMatch with operators: an array with an element that passes all tests.
	ElemTest struct{ Tests []Test }
	// NotTest is $not inside ElemTest.
	NotTest struct{ Tests []Test }
)

// ExprTest is $expr: an aggregation expression that must be true.
type ExprTest struct{ agg aggExpr }

// isSQL reports a tree with SQL nodes in it: it has no Mongo text.
func isSQL(e Expr) bool {
	switch e := e.(type) {
	case *And:
		return anySQL(e.List)
	case *Or:
		return anySQL(e.List)
	case *Not:
		return isSQL(e.X)
	case *Field, *ExprTest, Const:
		return false
	}
	return true
}

func anySQL(list []Expr) bool {
	for _, e := range list {
		if isSQL(e) {
			return true
		}
	}
	return false
}

// String prints a Mongo tree as a filter that parses to the same tree, and a tree with SQL nodes as SQL.
func (e *And) String() string { return printList(e, e.List, "$and", " AND ") }

func (e *Or) String() string { return printList(e, e.List, "$or", " OR ") }

func (e *Not) String() string {
	if isSQL(e.X) {
		if n, ok := e.X.(*IsNull); ok {
			return n.print("IS NOT NULL")
		}
		return "(NOT " + printSQL(e.X) + ")"
	}
	if f, ok := e.X.(*Field); ok {
		dst := append(doc.AppendQuoted([]byte{'{'}, f.Path), ':')
		switch t := f.Test.(type) {
		case *Compare:
			if t.Op == EQ {
				return string(append(t.Value.AppendCanonical(append(dst, `{"$ne":`...)), "}}"...))
			}
		case *In:
			return string(append(t.list(append(dst, `{"$nin":`...)), "}}"...))
		}
		return string(append(f.Test.operator(append(dst, `{"$not":{`...)), "}}}"...))
	}
	return `{"$nor":[` + e.X.String() + `]}`
}

func (c Const) String() string {
	switch c.Value {
	case True:
		return "{}"
	case False:
		return `{"$nor":[{}]}`
	}
	return "NULL::boolean"
}

func (e *Field) String() string {
	dst := append(doc.AppendQuoted([]byte{'{'}, e.Path), ':')
	if c, ok := e.Test.(*Compare); ok && c.Op == EQ && c.Value.Type != doc.TypeObject && c.Value.Type != doc.TypeRegex {
		return string(append(c.Value.AppendCanonical(dst), '}'))
	}
	return string(append(e.Test.operator(append(dst, '{')), "}}"...))
}

func (e *ExprTest) String() string { return `{"$expr":` + string(e.agg.print(nil)) + "}" }

func printList(e Expr, list []Expr, mongo, sql string) string {
	parts := make([]string, len(list))
	if isSQL(e) {
		for i, x := range list {
			parts[i] = printSQL(x)
		}
		return "(" + strings.Join(parts, sql) + ")"
	}
	if len(list) == 0 { // MongoDB refuses empty lists
		return Const{TriOf(mongo == "$and")}.String()
	}
	for i, x := range list {
		parts[i] = x.String()
	}
	return `{"` + mongo + `":[` + strings.Join(parts, ",") + "]}"
}

// printSQL prints a node inside an SQL tree; a Mongo tree there is a call of doc_matches.
func printSQL(e Expr) string {
	if isSQL(e) {
		return e.String()
	}
	if c, ok := e.(Const); ok {
		return [...]string{False: "false", True: "true"}[c.Value]
	}
	return "doc_matches(doc, " + quoteSQL(e.String()) + ")"
}

// quoteSQL prints a string as an SQL literal.
func quoteSQL(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (t *Compare) operator(dst []byte) []byte {
	dst = append(append(append(dst, '"'), mongoOps[t.Op]...), `":`...)
	return t.Value.AppendCanonical(dst)
}

func (t *In) operator(dst []byte) []byte { return t.list(append(dst, `"$in":`...)) }

func (t *In) list(dst []byte) []byte {
	dst = append(dst, '[')
	for i, v := range t.Values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = v.AppendCanonical(dst)
	}
	for i, r := range t.Regexes {
		if i > 0 || len(t.Values) > 0 {
			dst = append(dst, ',')
		}
		dst = r.extended(dst)
	}
	return append(dst, ']')
}

func (*Exists) operator(dst []byte) []byte { return append(dst, `"$exists":true`...) }

func (t *Types) operator(dst []byte) []byte {
	dst = append(dst, `"$type":[`...)
	for i, c := range t.List {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), typeName(c)...), '"')
	}
	return append(dst, ']')
}

func (t *Size) operator(dst []byte) []byte {
	return doc.NumberFromInt64(t.N).AppendCanonical(append(dst, `"$size":`...))
}

func (t *Mod) operator(dst []byte) []byte {
	dst = doc.NumberFromInt64(t.Div).AppendCanonical(append(dst, `"$mod":[`...))
	return append(doc.NumberFromInt64(t.Rem).AppendCanonical(append(dst, ',')), ']')
}

func (t *ElemMatch) operator(dst []byte) []byte {
	return append(append(dst, `"$elemMatch":`...), t.Filter.String()...)
}

func (t *ElemTest) operator(dst []byte) []byte {
	return append(operators(append(dst, `"$elemMatch":{`...), t.Tests), '}')
}

func (t *NotTest) operator(dst []byte) []byte {
	return append(operators(append(dst, `"$not":{`...), t.Tests), '}')
}

func operators(dst []byte, tests []Test) []byte {
	for i, t := range tests {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.operator(dst)
	}
	return dst
}
