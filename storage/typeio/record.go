package typeio

import (
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func recordIn(t *value.Type, text string, f *Format) (value.Value, error) {
	bad := func(detail string) error {
		return dberr.New(dberr.InvalidTextRepresentation, `malformed record literal: "%s"`, text).WithDetail("%s", detail)
	}
	s := num.TrimSpace(text)
	if s == "" || s[0] != '(' {
		return value.Null, bad("Missing left parenthesis.")
	}
	s = s[1:]
	vals := make([]value.Value, len(t.Fields))
	for i, fd := range t.Fields {
		if i > 0 {
			if s == "" || s[0] != ',' {
				return value.Null, bad("Too few columns.")
			}
			s = s[1:]
		}
		if s != "" && (s[0] == ',' || s[0] == ')') {
			vals[i] = value.Null
			continue
		}
		tok, rest, ok := recordToken(s, ",)")
		if !ok {
			return value.Null, bad("Unexpected end of input.")
		}
		s = rest
		v, err := In(fd.Type, fd.Mod, tok, f)
		if err != nil {
			return value.Null, err
		}
		vals[i] = v
	}
	switch {
	case s == "":
		return value.Null, bad("Unexpected end of input.")
	case s[0] != ')':
		return value.Null, bad("Too many columns.")
	case s != ")":
		return value.Null, bad("Junk after right parenthesis.")
	}
	return value.Box(&value.Record{Fields: t.Fields, Vals: vals}), nil
}

// recordToken reads text up to one of the stop characters outside quotes: "" inside quotes is a quote, \ takes the next character.
func recordToken(s, stop string) (tok, rest string, ok bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			if i++; i >= len(s) {
				return "", "", false
			}
			b.WriteByte(s[i])
		case c == '"' && quoted && i+1 < len(s) && s[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(stop, c) >= 0:
			return b.String(), s[i:], true
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

func recordOut(dst []byte, r *value.Record, f *Format) []byte {
	dst = append(dst, '(')
	for i, v := range r.Vals {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.IsNull() {
			continue
		}
		start := len(dst)
		dst = Append(dst, r.Fields[i].Type, v, f)
		dst = quoteField(dst, start, `"\(),`)
	}
	return append(dst, ')')
}

// quoteField puts dst[start:] in quotes when it is empty, has a blank or one of the special characters.
func quoteField(dst []byte, start int, special string) []byte {
	text := dst[start:]
	need := len(text) == 0
	for _, c := range text {
		if num.Space(c) || strings.IndexByte(special, c) >= 0 {
			need = true
			break
		}
	}
	if !need {
		return dst
	}
	raw := string(text)
	dst = append(dst[:start], '"')
	for i := range len(raw) {
		if raw[i] == '"' || raw[i] == '\\' {
			dst = append(dst, raw[i])
		}
		dst = append(dst, raw[i])
	}
	return append(dst, '"')
}

// recordCmp compares field by field. Anonymous records may turn out to be of different shapes: it then panics with a *dberr.Error, which is
// the statement's error.
func recordCmp(x, y value.Value) int {
	a, b := x.Box().(*value.Record), y.Box().(*value.Record)
	for i := range min(len(a.Vals), len(b.Vals)) {
		if s, t := a.Fields[i].Type, b.Fields[i].Type; s.OID != t.OID {
			panic(dberr.New(dberr.DatatypeMismatch, "cannot compare dissimilar column types %s and %s at record column %d", s.SQL, t.SQL, i+1))
		}
		if c := cmpNull(Comparer(a.Fields[i].Type), a.Vals[i], b.Vals[i]); c != 0 {
			return c
		}
	}
	if len(a.Vals) != len(b.Vals) {
		panic(dberr.New(dberr.DatatypeMismatch, "cannot compare record types with different numbers of columns"))
	}
	return 0
}

func recordHash(h uint64, v value.Value) uint64 {
	r := v.Box().(*value.Record)
	for i, e := range r.Vals {
		h = Hash(h, r.Fields[i].Type, e)
	}
	return h
}

// Enums are held as the position of their label in sort order.

func enumIn(t *value.Type, s string) (value.Value, error) {
	for i, l := range t.Labels {
		if l == s {
			return value.Int(int64(i)), nil
		}
	}
	return value.Null, dberr.New(dberr.InvalidTextRepresentation, `invalid input value for enum %s: "%s"`, t.SQL, s)
}

func enumLabel(t *value.Type, v value.Value) string {
	if i := v.Int(); i >= 0 && int(i) < len(t.Labels) {
		return t.Labels[i]
	}
	return ""
}
