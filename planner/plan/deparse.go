package plan

import (
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Deparser writes bound expressions as SQL, in the form that PostgreSQL gives them in EXPLAIN and pg_get_expr. What it writes reads
// back to the same expression, unless it holds subqueries or columns without a name.
type Deparser struct {
	// Column names a column; nil uses the reference's own name.
	Column func(*ColRef) string
	// Subquery names a subquery (EXPLAIN's SubPlan 1); nil writes (SELECT).
	Subquery func(*Subquery) string
	// Compact writes lists of constants as one array constant.
	Compact bool
	// Format is how constants are written; nil is the default.
	Format *typeio.Format
}

// Text writes one expression; a cast that was added implicitly at its top is left out.
func (d *Deparser) Text(e Expr) string {
	w := &deparse{Deparser: d, bound: map[ColID]string{}}
	w.expr(e, false)
	return w.String()
}

// Deparse writes e with its columns by their own names.
func Deparse(e Expr) string { return (&Deparser{}).Text(e) }

// deparse is one run of a Deparser.
type deparse struct {
	*Deparser
	strings.Builder
	bound map[ColID]string // what stands for the columns bound by Case and Cast
}

func (w *deparse) put(parts ...string) {
	for _, p := range parts {
		w.WriteString(p)
	}
}

func (w *deparse) list(es []Expr) {
	for i, e := range es {
		if i > 0 {
			w.put(", ")
		}
		w.expr(e, true)
	}
}

// expr writes e; implicit casts are shown when show is set.
func (w *deparse) expr(e Expr, show bool) {
	switch x := e.(type) {
	case *Const:
		w.constant(x)
	case *Param:
		w.put("$", strconv.Itoa(x.Num))
	case *ColRef:
		w.column(x)
	case *Call:
		w.call(x, show)
	case *Cast:
		w.cast(x.Arg, x.T, x.M, x.Style, show)
	case *Collate:
		w.put("(")
		w.expr(x.Arg, show)
		w.put(" COLLATE ", QuoteIdent(x.Coll), ")")
	case *SQLValue:
		w.put(x.Name)
	case *BoolOp:
		w.boolOp(x)
	case *Not:
		w.put("(NOT ")
		w.expr(x.Arg, false)
		w.put(")")
	case *IsNull, *BoolTest:
		w.test(x)
	case *IsDistinct:
		w.distinct(x)
	case *Case:
		w.caseExpr(x)
	default:
		w.construct(e)
	}
}

// construct writes the expressions that look like calls or lists.
func (w *deparse) construct(e Expr) {
	switch x := e.(type) {
	case *Coalesce:
		w.put("COALESCE(")
		w.list(x.Args)
		w.put(")")
	case *NullIf:
		w.put("NULLIF(")
		w.list([]Expr{x.Left, x.Right})
		w.put(")")
	case *MinMax:
		w.put(map[bool]string{true: "LEAST(", false: "GREATEST("}[x.Least])
		w.list(x.Args)
		w.put(")")
	case *ArrayExpr:
		w.put("ARRAY[")
		w.list(x.Elems)
		w.put("]")
		if len(x.Elems) == 0 {
			w.put("::", value.FormatMod(x.T, -1))
		}
	case *RowExpr:
		w.put("ROW(")
		w.list(x.Fields)
		w.put(")")
	case *RowCompare:
		w.put("(ROW(")
		w.list(x.Left)
		w.put(") ", x.Op, " ROW(")
		w.list(x.Right)
		w.put("))")
	case *FieldSelect:
		w.put("(")
		w.expr(x.Arg, true)
		w.put(").", QuoteIdent(x.Name))
	case *Subscript:
		w.subscript(x)
	case *ArrayOp:
		w.put("(")
		w.expr(x.Left, true)
		w.put(" ", x.Op, map[bool]string{true: " ALL (", false: " ANY ("}[x.All])
		w.expr(x.Right, true)
		w.put("))")
	case *InList:
		w.inList(x)
	case *Grouping:
		w.put("GROUPING(")
		w.list(x.Args)
		w.put(")")
	case *Subquery:
		w.subquery(x)
	case *Assigned:
		w.expr(x.Value, true)
	}
}

func (w *deparse) column(x *ColRef) {
	switch s, ok := w.bound[x.ID]; {
	case ok:
		w.put(s)
	case w.Column != nil:
		w.put(w.Column(x))
	default:
		w.put(QuoteIdent(x.Name))
	}
}

// constant writes a literal with the cast that reading it back needs.
func (w *deparse) constant(c *Const) {
	t := c.T
	if c.Val.IsNull() {
		w.put("NULL")
		if t.OID != value.Unknown.OID {
			w.put("::", value.FormatMod(t, c.M))
		}
		return
	}
	text := typeio.Text(t, c.Val, w.Format)
	switch t.OID {
	case value.Boolean.OID:
		w.put(map[bool]string{true: "true", false: "false"}[c.Val.Bool()])
		return
	case value.Int4.OID:
		if text[0] != '-' {
			w.put(text)
			return
		}
	case value.Numeric.OID:
		if plainNumeric(text) {
			w.put(text)
			return
		}
	case value.Unknown.OID:
		w.put(QuoteLiteral(text))
		return
	case value.Bit.OID, value.VarBit.OID:
		w.put("B", QuoteLiteral(text))
	default:
		w.put(QuoteLiteral(text), "::", value.FormatMod(t, c.M))
		return
	}
	if t.OID != value.Bit.OID && t.OID != value.VarBit.OID {
		w.put(QuoteLiteral(text))
	}
	w.put("::", value.FormatMod(t, c.M))
}

// plainNumeric tells whether a number's text reads back as numeric without a cast.
func plainNumeric(text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return false
	}
	return strings.ContainsAny(text, ".eE")
}

func (w *deparse) call(x *Call, show bool) {
	switch x.Style {
	case CastStyle, ImplicitCastStyle:
		w.cast(x.Args[0], x.T, x.M, x.Style, show)
	case OpStyle:
		w.put("(")
		if len(x.Args) == 1 {
			w.put(x.Name, " ")
			w.expr(x.Args[0], true)
		} else {
			w.expr(x.Args[0], true)
			w.put(" ", x.Name, " ")
			w.expr(x.Args[1], true)
		}
		w.put(")")
	case SQLStyle:
		if !w.sqlForm(x.Name, x.Args) {
			w.function(x)
		}
	default:
		w.function(x)
	}
}

func (w *deparse) function(x *Call) {
	name := x.Name
	if name == "" && x.Fn != nil {
		name = x.Fn.Name
	}
	w.put(QuoteIdent(name), "(")
	if n := len(x.Args) - 1; x.Variadic {
		if w.list(x.Args[:n]); n > 0 {
			w.put(", ")
		}
		w.put("VARIADIC ")
		w.expr(x.Args[n], true)
	} else {
		w.list(x.Args)
	}
	w.put(")")
}

// cast writes a conversion; an implicit one only where it is wanted.
func (w *deparse) cast(arg Expr, t *value.Type, mod int32, style CallStyle, show bool) {
	if style == ImplicitCastStyle && !show {
		w.expr(arg, show)
		return
	}
	if c, ok := arg.(*Const); ok && c.T.OID == t.OID && mod != c.M {
		// A literal with a modifier: '1.5'::numeric(3,1).
		w.put("(")
		w.constant(c)
		w.put(")::", value.FormatMod(t, mod))
		return
	}
	w.put("(")
	w.expr(arg, false)
	w.put(")::", value.FormatMod(t, mod))
}

func (w *deparse) boolOp(x *BoolOp) {
	sep := " AND "
	if x.Or {
		sep = " OR "
	}
	w.put("(")
	for i, a := range x.Args {
		if i > 0 {
			w.put(sep)
		}
		w.expr(a, false)
	}
	w.put(")")
}

func (w *deparse) test(e Expr) {
	not := map[bool]string{true: "NOT ", false: ""}
	w.put("(")
	switch x := e.(type) {
	case *IsNull:
		w.expr(x.Arg, true)
		w.put(" IS ", not[x.Not], "NULL)")
	case *BoolTest:
		w.expr(x.Arg, false)
		w.put(" IS ", not[x.Not], map[byte]string{'t': "TRUE)", 'f': "FALSE)", 'u': "UNKNOWN)"}[x.Want])
	}
}

func (w *deparse) distinct(x *IsDistinct) {
	if x.Not {
		w.put("(NOT ")
	}
	w.put("(")
	w.expr(x.Left, true)
	w.put(" IS DISTINCT FROM ")
	w.expr(x.Right, true)
	w.put(")")
	if x.Not {
		w.put(")")
	}
}

func (w *deparse) caseExpr(x *Case) {
	w.put("CASE")
	if x.Arg != nil {
		w.put(" ")
		w.expr(x.Arg, true)
	}
	for _, c := range x.Whens {
		w.put(" WHEN ")
		if cmp, ok := c.Cond.(*Call); ok && x.Arg != nil && len(cmp.Args) == 2 {
			w.expr(cmp.Args[1], false)
		} else {
			w.expr(c.Cond, false)
		}
		w.put(" THEN ")
		w.expr(c.Then, true)
	}
	w.put(" ELSE ")
	if x.Else != nil {
		w.expr(x.Else, true)
	} else {
		w.constant(&Const{Typed: x.Typed})
	}
	w.put(" END")
}

func (w *deparse) subscript(x *Subscript) {
	switch x.Arg.(type) {
	case *ColRef, *Param:
		w.expr(x.Arg, true)
	default:
		w.put("(")
		w.expr(x.Arg, true)
		w.put(")")
	}
	for i, up := range x.Upper {
		w.put("[")
		if x.IsSlice {
			if i < len(x.Lower) && x.Lower[i] != nil {
				w.expr(x.Lower[i], false)
			}
			w.put(":")
		}
		if up != nil {
			w.expr(up, false)
		}
		w.put("]")
	}
}

// inList writes IN as PostgreSQL keeps it: = ANY over an array.
func (w *deparse) inList(x *InList) {
	w.put("(")
	w.expr(x.Left, true)
	if x.Not {
		w.put(" <> ALL (")
	} else {
		w.put(" = ANY (")
	}
	if arr := constArray(x.List); w.Compact && arr != nil {
		w.put(QuoteLiteral(typeio.Text(value.ArrayOf(arr.Elem), value.Box(arr), w.Format)), "::", value.FormatMod(arr.Elem, -1), "[]")
	} else {
		w.put("ARRAY[")
		w.list(x.List)
		w.put("]")
	}
	w.put("))")
}

// constArray makes an array of constants of a built-in type, nil when they are something else.
func constArray(list []Expr) *value.Array {
	var elems []value.Value
	for _, e := range list {
		c, ok := e.(*Const)
		if !ok || value.ArrayOf(c.T) == nil || c.T.IsArray() {
			return nil
		}
		elems = append(elems, c.Val)
	}
	if len(elems) == 0 {
		return nil
	}
	return value.NewArray(list[0].Type(), elems)
}

func (w *deparse) subquery(x *Subquery) {
	if w.Subquery != nil {
		w.put(w.Subquery(x))
		return
	}
	switch x.Kind {
	case ExistsSub:
		w.put("EXISTS ")
	case ArraySub:
		w.put("ARRAY")
	case AnySub, AllSub, RowSub:
		w.put("(")
		if len(x.Test) == 1 {
			w.expr(x.Test[0], true)
		} else {
			w.put("ROW(")
			w.list(x.Test)
			w.put(")")
		}
		w.put(" ", x.Op, map[SubqueryKind]string{AnySub: " ANY ", AllSub: " ALL ", RowSub: " "}[x.Kind], "(SELECT))")
		return
	}
	w.put("(SELECT)")
}

// sqlForm writes a function that has a syntax of its own; false: it is written as a plain call.
func (w *deparse) sqlForm(name string, a []Expr) bool {
	switch name {
	case "timezone":
		return len(a) == 2 && w.between("(", a[1], " AT TIME ZONE ", a[0], ")")
	case "position":
		return len(a) == 2 && w.between("POSITION((", a[1], ") IN (", a[0], "))")
	case "extract":
		c, ok := a[0].(*Const)
		if len(a) != 2 || !ok || c.Val.IsNull() {
			return false
		}
		w.put("EXTRACT(", c.Val.Str(), " FROM ")
		w.expr(a[1], true)
		w.put(")")
		return true
	case "substring":
		return w.keywords("SUBSTRING(", a, "", " FROM ", " FOR ")
	case "overlay":
		return w.keywords("OVERLAY(", a, "", " PLACING ", " FROM ", " FOR ")
	case "btrim":
		return w.trim("BOTH", a)
	case "ltrim":
		return w.trim("LEADING", a)
	case "rtrim":
		return w.trim("TRAILING", a)
	case "overlaps":
		if len(a) != 4 {
			return false
		}
		w.put("((")
		w.list(a[:2])
		w.put(") OVERLAPS (")
		w.list(a[2:])
		w.put("))")
		return true
	}
	return false
}

func (w *deparse) between(open string, l Expr, middle string, r Expr, end string) bool {
	w.put(open)
	w.expr(l, true)
	w.put(middle)
	w.expr(r, true)
	w.put(end)
	return true
}

func (w *deparse) keywords(open string, args []Expr, words ...string) bool {
	if len(args) > len(words) {
		return false
	}
	w.put(open)
	for i, a := range args {
		w.put(words[i])
		w.expr(a, true)
	}
	w.put(")")
	return true
}

func (w *deparse) trim(side string, args []Expr) bool {
	w.put("TRIM(", side)
	if len(args) == 2 {
		w.put(" ")
		w.expr(args[1], true)
	}
	w.put(" FROM ")
	w.expr(args[0], true)
	w.put(")")
	return true
}

// AggText writes an aggregate call: sum(DISTINCT a ORDER BY b) FILTER (WHERE c).
func (d *Deparser) AggText(a *Agg) string {
	w := &deparse{Deparser: d, bound: map[ColID]string{}}
	w.put(QuoteIdent(a.Fn.Name), "(")
	if a.Distinct {
		w.put("DISTINCT ")
	}
	if a.Star {
		w.put("*")
	}
	if a.Fn.OrderedSet {
		w.list(a.Direct)
		w.put(") WITHIN GROUP (ORDER BY ")
		w.keys(a.Order)
	} else {
		w.list(a.Args)
		if len(a.Order) > 0 {
			w.put(" ORDER BY ")
			w.keys(a.Order)
		}
	}
	w.put(")")
	if a.Filter != nil {
		w.put(" FILTER (WHERE ")
		w.expr(a.Filter, false)
		w.put(")")
	}
	return w.String()
}

func (w *deparse) keys(keys []SortKey) {
	for i, k := range keys {
		if i > 0 {
			w.put(", ")
		}
		w.expr(k.Expr, false)
		w.put(keySuffix(&keys[i]))
	}
}

// keySuffix writes what a sort key says beyond the default order.
func keySuffix(k *SortKey) string {
	s := ""
	if k.Less != nil { // the bytewise order is the only one beside the types' own
		s = map[bool]string{true: " USING ~>~", false: " USING ~<~"}[k.Desc]
	} else if k.Desc {
		s = " DESC"
	}
	switch {
	case k.NullsFirst && !k.Desc:
		s += " NULLS FIRST"
	case !k.NullsFirst && k.Desc:
		s += " NULLS LAST"
	}
	return s
}
