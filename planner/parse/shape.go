package parse

import (
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/value"
)

// Shape is a statement apart from the values in it: its text with $1, $2 … in place of literals that stand where any expression could.
// Texts that differ in such values alone have one shape, and the plan of a prepared statement of that text serves them all.
type Shape struct {
	Text string
	OIDs []uint32 // the literals' types; 0 for strings, whose place gives them one
	SQL  string   // the text whose shape it is
	lits []Literal
}

// Value is the text of the literal that $n stands for, n from 0: of a string its content.
func (s *Shape) Value(n int) string {
	r := Rows{text: s.SQL}
	return r.Text(&s.lits[n])
}

// Bounds of texts that are looked at: longer ones take so long to run that planning doesn't matter.
const (
	maxShapeText = 4096
	maxShapeLits = 32
)

// valueOps are the operators whose right side can be any value: for a plan it makes no difference which. Others, as -> and @>, plan by it.
var valueOps = map[string]bool{
	"=": true, "<": true, ">": true, "<=": true, ">=": true, "<>": true, "!=": true, "+": true, "-": true, "*": true, "/": true, "%": true,
}

// countWords are the words after which a number with a sign counts columns or rows.
var countWords = map[string]bool{"by": true, "limit": true, "offset": true, "first": true, "next": true}

// ShapeOf finds the shape of a text with one SELECT, INSERT, UPDATE or DELETE; ok is false for others, and when it has no such values or
// parameters of its own.
func ShapeOf(sql string) (s Shape, ok bool) {
	if len(sql) > maxShapeText {
		return Shape{}, false
	}
	sc := shaper{scanner: scanner{s: sql}}
	kind, verb := sc.scanner.next()
	if kind != tokWord || !dataVerb(verb) {
		return Shape{}, false
	}
	sc.insert = strings.EqualFold(verb, "insert")
	sc.last[1] = token{kind, verb}
	var out []byte
	from := 0
	for {
		l, oid, more := sc.literal()
		if !more {
			break
		}
		if len(s.lits) == maxShapeLits {
			return Shape{}, false
		}
		s.lits, s.OIDs = append(s.lits, l), append(s.OIDs, oid)
		if out == nil {
			out = make([]byte, 0, len(sql)+16)
		}
		out = append(append(out, sql[from:l.start]...), '$')
		out = strconv.AppendInt(out, int64(len(s.lits)), 10)
		from = int(l.end)
	}
	if sc.unfit || len(s.lits) == 0 {
		return Shape{}, false
	}
	s.Text, s.SQL = string(append(out, sql[from:]...)), sql
	return s, true
}

func dataVerb(word string) bool {
	switch len(word) {
	case len("select"):
		return strings.EqualFold(word, "select") || strings.EqualFold(word, "insert") || strings.EqualFold(word, "update") || strings.EqualFold(word, "delete")
	}
	return false
}

type token struct {
	kind tokenKind
	text string
}

// shaper looks for values. It knows the two tokens before the one that it looks at.
type shaper struct {
	scanner
	last    [2]token
	insert  bool // an INSERT, whose VALUES are values
	values  bool // inside of them
	open    int  // parentheses
	between bool // the upper bound of a BETWEEN comes next
	ended   bool // a semicolon came
	unfit   bool // no shape is to be made of the text
}

// literal moves to the next value; more is false at the end of the text.
func (sc *shaper) literal() (l Literal, oid uint32, more bool) {
	for !sc.unfit {
		kind, tok := sc.scanner.next()
		if kind == tokEnd {
			return l, 0, false
		}
		if sc.ended || kind == tokOther && (tok[0] == '$' || tok[0] == '\'' && sc.last[1].kind == tokOther && sc.last[1].text[0] == '\'') {
			break // a second statement, parameters, or a string in two parts
		}
		found := false
		if kind == tokOther && sc.atValue(tok) {
			l = Literal{start: int32(sc.pos - len(tok)), end: int32(sc.pos)}
			l.Kind, oid, found = shapeLiteral(tok)
			l.escaped = l.Kind == StringLiteral && strings.Contains(tok[1:len(tok)-1], "'")
		}
		sc.note(kind, tok)
		if found {
			return l, oid, true
		}
	}
	sc.unfit = true
	return l, 0, false
}

// atValue tells whether the literal that was just read stands where any expression could.
func (sc *shaper) atValue(tok string) bool {
	before, prev := sc.last[0], sc.last[1]
	switch prev.kind {
	case tokOp:
		if !valueOps[prev.text] || prev.text == "=" && before.text == ":" {
			return false
		}
		if prev.text == "-" || prev.text == "+" {
			return before.kind != tokWord || !countWords[strings.ToLower(before.text)]
		}
		return true
	case tokWord:
		if len(prev.text) == len("between") && strings.EqualFold(prev.text, "between") {
			ahead := sc.scanner
			_, next := ahead.next()
			sc.between = strings.EqualFold(next, "and")
			return sc.between
		}
		if sc.between && strings.EqualFold(prev.text, "and") {
			sc.between = false
			return true
		}
	case tokPunct:
		return sc.values && sc.open == 1 && (prev.text == "(" || prev.text == ",")
	}
	return false
}

func (sc *shaper) note(kind tokenKind, tok string) {
	sc.last[0], sc.last[1] = sc.last[1], token{kind, tok}
	switch kind {
	case tokPunct:
		switch tok[0] {
		case '(':
			sc.open++
		case ')':
			sc.open--
		case ';':
			sc.ended = true
		}
	case tokWord:
		if sc.insert && sc.open == 0 {
			sc.values = len(tok) == len("values") && strings.EqualFold(tok, "values")
		}
	}
}

// shapeLiteral gives a literal's kind and type. Numbers that a sign could give another type, and strings that a setting could give
// another content, are left where they are.
func shapeLiteral(tok string) (kind LiteralKind, oid uint32, ok bool) {
	if tok[0] != '\'' && !isDigit(tok[0]) {
		return 0, 0, false
	}
	if kind, ok = otherKind(tok); !ok {
		return 0, 0, false
	}
	switch kind {
	case StringLiteral:
		return kind, 0, !strings.Contains(tok, `\`)
	case DecimalLiteral:
		return kind, value.Numeric.OID, true
	}
	switch n, err := strconv.ParseInt(tok, 10, 64); {
	case err != nil:
		return 0, 0, false
	case n <= 1<<31-1:
		return kind, value.Int4.OID, true
	case n == 1<<31:
		return 0, 0, false
	}
	return kind, value.Int8.OID, true
}
