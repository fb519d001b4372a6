package scalar

import (
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// keywords are the words that an identifier must be quoted for: PostgreSQL's, all but the unreserved ones.
var keywords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case
cast char character check coalesce collate collation column concurrently constraint create cross current_catalog current_date current_role
current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else end except exists extract false
fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner inout int integer intersect interval into
is isnull join lateral leading least left like limit localtime localtimestamp national natural nchar none normalize not notnull null nullif
numeric offset on only or order out outer overlaps overlay placing position precision primary real references returning right row select
session_user setof similar smallint some substring symmetric table tablesample then time timestamp to trailing treat trim true union unique
user using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse
xmlpi xmlroot xmlserialize xmltable`) {
		m[w] = true
	}
	return m
}()

// QuoteIdent writes a name as an identifier, with quotes where it needs them.
func QuoteIdent(s string) string {
	safe := s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] == '_')
	for i := 0; safe && i < len(s); i++ {
		c := s[i]
		safe = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
	}
	if safe && !keywords[s] {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// QuoteLiteral writes a text as a string literal.
func QuoteLiteral(s string) string {
	q := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}

// anyText gives the text form of argument i of any type.
func anyText(c *call, a []val, i int) string {
	return typeio.Text(argType(c, i, value.Text), a[i], format(c))
}

// castText gives argument i as a cast to text does.
func castText(c *call, a []val, i int) string {
	switch argType(c, i, value.Text).OID {
	case value.Boolean.OID:
		if a[i].Bool() {
			return "true"
		}
		return "false"
	case value.BPChar.OID:
		return strings.TrimRight(a[i].Str(), " ")
	}
	return anyText(c, a, i)
}

// quoting gives the functions that build text from values: quote_*, concat, format.
func quoting() []def {
	return []def{
		{Sig: "quote_ident(text)", Eval: str1(QuoteIdent)}, {Sig: "quote_literal(text)", Eval: str1(QuoteLiteral)},
		{Sig: "quote_literal(anyelement)", Eval: with(func(c *call, a []val) (val, error) { return text(QuoteLiteral(anyText(c, a, 0))), nil })},
		{Sig: "quote_nullable(text)", Eval: with(quoteNullable)}, {Sig: "quote_nullable(anyelement)", Eval: with(quoteNullable)},
		{Sig: "concat(any)", Eval: with(func(c *call, a []val) (val, error) {
			if noArray(c, a, 0) {
				return value.Null, nil
			}
			return text(concat(c, a, 0, "")), nil
		})},
		{Sig: "concat_ws(text,any)", Eval: with(func(c *call, a []val) (val, error) {
			if a[0].IsNull() || noArray(c, a, 1) {
				return value.Null, nil
			}
			return text(concat(c, a, 1, a[0].Str())), nil
		})},
		{Sig: "format(text,any)", Eval: with(formatText)}, {Sig: "format(text)", Eval: with(formatText)},
		{Sig: "textanycat(text,anynonarray)", Eval: with(func(c *call, a []val) (val, error) { return text(a[0].Str() + castText(c, a, 1)), nil })},
		{Sig: "anytextcat(anynonarray,text)", Eval: with(func(c *call, a []val) (val, error) { return text(castText(c, a, 0) + a[1].Str()), nil })},
		{Sig: "parse_ident(text,bool)", Eval: try(parseIdent)},
	}
}

func quoteNullable(c *call, a []val) (val, error) {
	if a[0].IsNull() {
		return text("NULL"), nil
	}
	return text(QuoteLiteral(anyText(c, a, 0))), nil
}

// noArray tells that the call says VARIADIC NULL.
func noArray(c *call, a []val, k int) bool {
	return c != nil && c.Variadic && len(a) == k+1 && a[k].IsNull()
}

// variadicAny gives the arguments from k on; a call with VARIADIC has them in one array.
func variadicAny(c *call, a []val, k int) (vals []val, types []*value.Type) {
	if c != nil && c.Variadic && len(a) == k+1 {
		if a[k].IsNull() {
			return nil, nil
		}
		arr := a[k].Box().(*value.Array)
		types = make([]*value.Type, len(arr.Elems))
		for i := range types {
			types[i] = arr.Elem
		}
		return arr.Elems, types
	}
	for i := k; i < len(a); i++ {
		vals, types = append(vals, a[i]), append(types, argType(c, i, value.Text))
	}
	return vals, types
}

// concat joins the text forms of arguments from k on, leaving NULLs out.
func concat(c *call, a []val, k int, sep string) string {
	var b []byte
	first := true
	vals, types := variadicAny(c, a, k)
	for i, v := range vals {
		if v.IsNull() {
			continue
		}
		if !first {
			b = append(b, sep...)
		}
		first = false
		b = typeio.Append(b, types[i], v, format(c))
	}
	return string(b)
}

// formatSpec is one %-specification.
type formatSpec struct {
	pos      int // of the argument, 0: the next one
	widthPos int // position of the argument that gives the width, -1: none, 0: the next one
	width    int
	left     bool
	kind     byte
}

// formatText is format(): %s, %I and %L with positions and widths.
func formatText(c *call, a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	vals, types := variadicAny(c, a, 1)
	src := a[0].Str()
	var b strings.Builder
	arg := 0
	take := func(pos int) (int, error) {
		if pos > 0 {
			arg = pos
		} else {
			arg++
		}
		if arg > len(vals) {
			return 0, dberr.New(dberr.InvalidParameterValue, "too few arguments for format()")
		}
		return arg - 1, nil
	}
	for i := 0; i < len(src); i++ {
		if src[i] != '%' {
			b.WriteByte(src[i])
			continue
		}
		if i+1 < len(src) && src[i+1] == '%' {
			b.WriteByte('%')
			i++
			continue
		}
		sp, next, err := parseSpec(src, i+1)
		if err != nil {
			return value.Null, err
		}
		i = next
		if sp.widthPos >= 0 {
			k, err := take(sp.widthPos)
			if err != nil {
				return value.Null, err
			}
			if sp.width, err = widthArg(vals[k], types[k]); err != nil {
				return value.Null, err
			}
			if sp.width < 0 {
				sp.left, sp.width = true, -sp.width
			}
		}
		k, err := take(sp.pos)
		if err != nil {
			return value.Null, err
		}
		s, err := formatArg(c, sp.kind, vals[k], types[k])
		if err != nil {
			return value.Null, err
		}
		pad, err := rpadding(s, sp.width)
		if err != nil {
			return value.Null, err
		}
		if sp.left {
			b.WriteString(s + pad)
		} else {
			b.WriteString(pad + s)
		}
	}
	return text(b.String()), nil
}

func rpadding(s string, width int) (string, error) {
	fill, _, err := padding([]val{text(s), value.Int(int64(width))})
	return fill, err
}

func widthArg(v val, t *value.Type) (int, error) {
	if v.IsNull() {
		return 0, nil
	}
	if t.Kind == value.KindInt {
		return int(v.Int()), nil
	}
	n, err := typeio.In(value.Int4, -1, typeio.Text(t, v, nil), nil)
	return int(n.Int()), err
}

// parseSpec reads what follows a %; next is the place of the conversion's letter.
func parseSpec(s string, i int) (sp formatSpec, next int, err error) {
	sp.widthPos = -1
	number := func() (int, bool, error) {
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		if j == i {
			return 0, false, nil
		}
		n, err := strconv.ParseInt(s[i:j], 10, 32)
		if err != nil {
			return 0, false, dberr.New(dberr.NumericValueOutOfRange, "number is out of range")
		}
		i = j
		if i >= len(s) {
			return 0, false, unterminated()
		}
		return int(n), true, nil
	}
	n, have, err := number()
	if err != nil {
		return sp, 0, err
	}
	if have && s[i] != '$' {
		sp.width = n
	} else {
		if have {
			if n == 0 {
				return sp, 0, dberr.New(dberr.InvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1")
			}
			sp.pos = n
			i++
		}
		for i < len(s) && s[i] == '-' {
			sp.left = true
			i++
		}
		if i < len(s) && s[i] == '*' {
			i++
			sp.widthPos = 0
			n, have, err := number()
			if err != nil {
				return sp, 0, err
			}
			if have {
				if s[i] != '$' {
					return sp, 0, dberr.New(dberr.InvalidParameterValue, `width argument position must be ended by "$"`)
				}
				if n == 0 {
					return sp, 0, dberr.New(dberr.InvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1")
				}
				sp.widthPos = n
				i++
			}
		} else if n, have, err := number(); err != nil {
			return sp, 0, err
		} else if have {
			sp.width = n
		}
	}
	if i >= len(s) {
		return sp, 0, unterminated()
	}
	switch sp.kind = s[i]; sp.kind {
	case 's', 'I', 'L':
		return sp, i, nil
	}
	return sp, 0, dberr.New(dberr.InvalidParameterValue, `unrecognized format() type specifier "%s"`, firstChar(s[i:])).
		WithHint(`For a single "%%" use "%%%%".`)
}

func unterminated() error {
	return dberr.New(dberr.InvalidParameterValue, "unterminated format() type specifier").WithHint(`For a single "%%" use "%%%%".`)
}

func firstChar(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func formatArg(c *call, kind byte, v val, t *value.Type) (string, error) {
	if v.IsNull() {
		switch kind {
		case 'I':
			return "", dberr.New(dberr.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
		case 'L':
			return "NULL", nil
		}
		return "", nil
	}
	s := typeio.Text(t, v, format(c))
	switch kind {
	case 'I':
		return QuoteIdent(s), nil
	case 'L':
		return QuoteLiteral(s), nil
	}
	return s, nil
}

// parseIdent splits a qualified name into its parts.
func parseIdent(a []val) (val, error) {
	src, strict := a[0].Str(), a[1].Bool()
	bad := func(detail string, args ...any) error {
		e := dberr.New(dberr.InvalidParameterValue, `string is not a valid identifier: "%s"`, src)
		if detail != "" {
			e = e.WithDetail(detail, args...)
		}
		return e
	}
	s := strings.TrimLeft(src, " \t\n\r\f\v")
	var parts []val
	for {
		switch {
		case s != "" && s[0] == '"':
			end := 1
			for {
				j := strings.IndexByte(s[end:], '"')
				if j < 0 {
					return value.Null, bad("String has unclosed double quotes.")
				}
				end += j + 1
				if end < len(s) && s[end] == '"' {
					end++
					continue
				}
				break
			}
			name := strings.ReplaceAll(s[1:end-1], `""`, `"`)
			if name == "" {
				return value.Null, bad("Quoted identifier must not be empty.")
			}
			parts = append(parts, text(name))
			s = s[end:]
		case s != "" && identStart(s[0]):
			end := 1
			for end < len(s) && (identStart(s[end]) || s[end] >= '0' && s[end] <= '9' || s[end] == '$') {
				end++
			}
			parts = append(parts, text(strings.ToLower(s[:end])))
			s = s[end:]
		case s != "" && s[0] == '.' && len(parts) == 0:
			return value.Null, bad(`No valid identifier before ".".`)
		case len(parts) > 0:
			return value.Null, bad(`No valid identifier after ".".`)
		default:
			return value.Null, bad("")
		}
		s = strings.TrimLeft(s, " \t\n\r\f\v")
		if s != "" && s[0] == '.' {
			s = strings.TrimLeft(s[1:], " \t\n\r\f\v")
			continue
		}
		if s != "" && strict {
			return value.Null, bad("")
		}
		return value.Box(value.NewArray(value.Text, parts)), nil
	}
}

func identStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}
