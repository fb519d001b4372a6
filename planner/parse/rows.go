package parse

import (
	"strings"
)

// Rows are the rows of INSERT … VALUES when all their values are plain literals: they are read here, without the C parser and its tree,
// which cost some microseconds a value. The statement's tree then has the first row alone; the text of the others is blanked for the
// C parser, so that all positions stay.
type Rows struct {
	At    int // offset of the first row's parenthesis in the whole text
	Width int // values a row
	Lits  []Literal
	text  string
}

// LiteralKind tells literals apart as the grammar does.
type LiteralKind uint8

// The kinds of literals.
const (
	NullLiteral LiteralKind = iota
	TrueLiteral
	FalseLiteral
	IntLiteral     // digits, perhaps with a minus
	DecimalLiteral // with a point or an exponent
	StringLiteral  // 'text', of unknown type
)

// Literal is one value, with its place in the text.
type Literal struct {
	Kind       LiteralKind
	escaped    bool // '' inside
	start, end int32
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.Lits) / r.Width }

// Text gives a literal's text: of a string its content.
func (r *Rows) Text(l *Literal) string {
	s := r.text[l.start:l.end]
	if l.Kind != StringLiteral {
		return s
	}
	s = s[1 : len(s)-1]
	if l.escaped {
		s = strings.ReplaceAll(s, "''", "'")
	}
	return s
}

// minRows is the number of rows from which reading them here pays.
const minRows = 8

// literalRows finds the VALUES lists of the text that are long and plain, and gives the text with all but their first rows blanked.
func literalRows(sql string) (found []*Rows, blanked string) {
	const shortest = 40 // "INSERT INTO t VALUES" and eight rows are longer
	if len(sql) < shortest || len(sql) > 1<<30 {
		return nil, sql
	}
	var out []byte
	sc := scanner{s: sql}
	for {
		if !sc.insertValues() {
			break
		}
		r, firstEnd, ok := sc.rows()
		if !ok || r.Len() < minRows {
			continue
		}
		if out == nil {
			out = []byte(sql)
		}
		for i := firstEnd; i < sc.pos; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		found = append(found, r)
	}
	if out == nil {
		return nil, sql
	}
	return found, string(out)
}

// insertValues moves to the first row of the next INSERT … VALUES; false at the end of the text.
func (sc *scanner) insertValues() bool {
	open, insert := 0, false
	for {
		kind, tok := sc.next()
		switch {
		case kind == tokEnd:
			return false
		case tok == "(":
			open++
		case tok == ")":
			open--
		case tok == ";":
			insert = false
		case kind == tokWord && open == 0:
			if strings.EqualFold(tok, "insert") {
				insert = true
			} else if insert && strings.EqualFold(tok, "values") {
				return true
			} else if strings.EqualFold(tok, "select") {
				insert = false
			}
		}
	}
}

// rows reads rows of plain literals. It leaves the scanner behind the last row, or where something else stands.
func (sc *scanner) rows() (r *Rows, firstEnd int, ok bool) {
	r = &Rows{text: sc.s}
	for {
		kind, tok := sc.next()
		if tok != "(" || kind != tokPunct {
			return nil, 0, false
		}
		if r.At == 0 {
			r.At = sc.pos - 1
		}
		width, good := sc.row(r)
		if !good || r.Width != 0 && width != r.Width {
			return nil, 0, false
		}
		if r.Width == 0 {
			r.Width, firstEnd = width, sc.pos
		}
		end := sc.pos
		switch kind, tok = sc.next(); {
		case tok == ",":
			continue
		case kind == tokEnd, tok == ";", kind == tokWord:
			sc.pos = end
			return r, firstEnd, true
		}
		return nil, 0, false
	}
}

// row reads literals up to the closing parenthesis.
func (sc *scanner) row(r *Rows) (width int, ok bool) {
	for {
		kind, tok := sc.next()
		start := sc.pos - len(tok)
		l := Literal{start: int32(start), end: int32(sc.pos)}
		switch kind {
		case tokOp:
			// Only a minus directly before a number belongs to the literal.
			next := sc.pos
			if k, num := sc.next(); tok != "-" || k != tokOther || sc.pos-len(num) != next || !isDigit(num[0]) {
				return 0, false
			}
			l.end = int32(sc.pos)
			if l.Kind, ok = numberKind(sc.s[next:sc.pos]); !ok {
				return 0, false
			}
		case tokOther:
			if l.Kind, ok = otherKind(tok); !ok {
				return 0, false
			}
			l.escaped = l.Kind == StringLiteral && strings.Contains(tok[1:len(tok)-1], "'")
		case tokWord:
			switch {
			case strings.EqualFold(tok, "null"):
				l.Kind = NullLiteral
			case strings.EqualFold(tok, "true"):
				l.Kind = TrueLiteral
			case strings.EqualFold(tok, "false"):
				l.Kind = FalseLiteral
			default:
				return 0, false
			}
		default:
			return 0, false
		}
		r.Lits = append(r.Lits, l)
		width++
		switch _, tok = sc.next(); tok {
		case ",":
		case ")":
			return width, true
		default:
			return 0, false
		}
	}
}

// otherKind tells strings and numbers apart; false for other tokens and for unfinished strings.
func otherKind(tok string) (LiteralKind, bool) {
	if tok[0] == '\'' {
		return StringLiteral, len(tok) >= 2 && tok[len(tok)-1] == '\'' && strings.Count(tok, "'")%2 == 0
	}
	return numberKind(tok)
}

// numberKind reads 12, 1.5 and 1e5; other forms are left to the parser.
func numberKind(tok string) (LiteralKind, bool) {
	digits, point, exp := 0, false, false
	for i := 0; i < len(tok); i++ {
		switch c := tok[i]; {
		case isDigit(c):
			digits++
		case c == '.' && !point && !exp:
			point = true
		case (c == 'e' || c == 'E') && !exp && digits > 0 && i+1 < len(tok):
			exp = true
			if n := tok[i+1]; (n == '-' || n == '+') && i+2 < len(tok) {
				i++
			}
		default:
			return 0, false
		}
	}
	switch {
	case digits == 0 || digits > 1000:
		return 0, false
	case point || exp:
		return DecimalLiteral, true
	}
	return IntLiteral, digits == 1 || tok[0] != '0'
}
