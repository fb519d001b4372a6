package typeio

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// TSQuery is a tsquery: a tree, nil for the empty query. It is immutable.
type TSQuery struct{ Root *TSNode }

// TSNode is a lexeme or an operator.
type TSNode struct {
	Op          TSOp
	Left, Right *TSNode // of an operator; NOT has its operand at the right
	Distance    int     // of a phrase
	Text        string  // of a lexeme
	Weights     int     // bit w: the weight w may be; 0 means any
	Prefix      bool
}

// TSOp is what a node does.
type TSOp uint8

// The kinds of nodes, those that bind tighter last but for the lexeme.
const (
	TSLexeme TSOp = iota
	TSOr
	TSAnd
	TSPhrase
	TSNot
	TSStop // a stop word, while a query is made
)

// MaxTSDistance is the limit of <N>.
const MaxTSDistance = MaxTSPosition + 1

// TSQ gives the value's tsquery.
func TSQ(v value.Value) *TSQuery { return v.Box().(*TSQuery) }

// BoxTSQ makes a value.
func BoxTSQ(q *TSQuery) value.Value { return value.Box(q) }

// Nodes counts lexemes and operators.
func (n *TSNode) Nodes() int {
	if n == nil {
		return 0
	}
	return 1 + n.Left.Nodes() + n.Right.Nodes()
}

// TSOperand makes a node of an operand of a query in text form; nil leaves the operand out.
type TSOperand func(word string, weights int, prefix bool) (*TSNode, error)

// maxTSDepth bounds the nesting of a query.
const maxTSDepth = 2000

// tsParser reads a query's text form: OR, AND, phrases, NOT, operands and parentheses.
type tsParser struct {
	text, s string
	operand TSOperand
	depth   int
}

// ParseTSQuery reads a query; operands go through operand.
func ParseTSQuery(text string, operand TSOperand) (*TSQuery, error) {
	p := &tsParser{text: text, s: text, operand: operand}
	if p.blanks(); p.s == "" {
		return &TSQuery{}, nil
	}
	n, err := p.binary(TSOr)
	if err == nil && p.s != "" {
		err = p.bad()
	}
	return &TSQuery{n}, err
}

func (p *tsParser) bad() error {
	return dberr.New(dberr.SyntaxError, `syntax error in tsquery: "%s"`, p.text)
}

func (p *tsParser) blanks() {
	for p.s != "" && tsBlank(p.s[0]) {
		p.s = p.s[1:]
	}
}

// binary reads operands of an operator and of those that bind tighter.
func (p *tsParser) binary(op TSOp) (*TSNode, error) {
	if op == TSNot {
		return p.unary()
	}
	if p.depth++; p.depth > maxTSDepth {
		return nil, dberr.New(dberr.StatementTooComplex, "tsquery is nested too deeply")
	}
	defer func() { p.depth-- }()
	left, err := p.binary(op + 1)
	for err == nil {
		p.blanks()
		distance, ok, bad := p.operator(op)
		if bad != nil {
			return nil, bad
		}
		if !ok {
			return left, nil
		}
		var right *TSNode
		right, err = p.binary(op + 1)
		left = &TSNode{Op: op, Left: left, Right: right, Distance: distance}
	}
	return left, err
}

// operator takes an operator off the text if it stands there.
func (p *tsParser) operator(op TSOp) (distance int, ok bool, err error) {
	switch {
	case op == TSOr && strings.HasPrefix(p.s, "|"), op == TSAnd && strings.HasPrefix(p.s, "&"):
		p.s = p.s[1:]
		return 0, true, nil
	case op != TSPhrase || !strings.HasPrefix(p.s, "<"):
		return 0, false, nil
	}
	inside, rest, closed := strings.Cut(p.s[1:], ">")
	if !closed {
		return 0, false, p.bad()
	}
	p.s = rest
	if inside == "-" {
		return 1, true, nil
	}
	n, err := strconv.Atoi(inside)
	if err != nil {
		return 0, false, p.bad()
	}
	if n < 0 || n > MaxTSDistance {
		return 0, false, dberr.New(dberr.InvalidParameterValue, "distance in phrase operator must be an integer value between zero and %d inclusive", MaxTSDistance)
	}
	return n, true, nil
}

func (p *tsParser) unary() (*TSNode, error) {
	p.blanks()
	switch {
	case strings.HasPrefix(p.s, "!"):
		if p.depth++; p.depth > maxTSDepth {
			return nil, dberr.New(dberr.StatementTooComplex, "tsquery is nested too deeply")
		}
		p.s = p.s[1:]
		n, err := p.unary()
		p.depth--
		return &TSNode{Op: TSNot, Right: n}, err
	case strings.HasPrefix(p.s, "("):
		p.s = p.s[1:]
		n, err := p.binary(TSOr)
		if err != nil {
			return nil, err
		}
		if p.blanks(); !strings.HasPrefix(p.s, ")") {
			return nil, p.bad()
		}
		p.s = p.s[1:]
		return n, nil
	}
	word, rest, _, ok := tsWord(p.s, ":&|!()<")
	if !ok {
		if p.s == "" {
			return nil, dberr.New(dberr.SyntaxError, `no operand in tsquery: "%s"`, p.text)
		}
		return nil, p.bad()
	}
	weights, prefix := 0, false
	if strings.HasPrefix(rest, ":") {
		rest = rest[1:]
		for rest != "" {
			if rest[0] == '*' {
				prefix = true
			} else if w := strings.IndexByte("DCBA", rest[0]&^0x20); w >= 0 && rest[0] > '9' {
				weights |= 1 << w
			} else {
				break
			}
			rest = rest[1:]
		}
	}
	p.s = rest
	return p.operand(word, weights, prefix)
}

func tsqueryIn(_ *value.Type, text string, _ *Format) (value.Value, error) {
	q, err := ParseTSQuery(text, func(word string, weights int, prefix bool) (*TSNode, error) {
		if len(word) > maxLexeme {
			return nil, dberr.New(dberr.ProgramLimitExceeded, `word is too long in tsquery: "%s"`, text)
		}
		return &TSNode{Text: word, Weights: weights, Prefix: prefix}, nil
	})
	if err != nil {
		return value.Null, err
	}
	return BoxTSQ(q), nil
}

func tsqueryOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	if n := TSQ(v).Root; n != nil {
		dst = n.append(dst, 0, false)
	}
	return dst
}

// append writes a node below an operator that binds as tight as parent; right tells that it is a phrase's right side.
func (n *TSNode) append(dst []byte, parent TSOp, right bool) []byte {
	if n.Op == TSLexeme {
		dst = appendLexeme(dst, n.Text)
		if n.Prefix || n.Weights != 0 {
			dst = append(dst, ':')
		}
		if n.Prefix {
			dst = append(dst, '*')
		}
		for w := 3; w >= 0; w-- {
			if n.Weights&(1<<w) != 0 {
				dst = append(dst, "DCBA"[w])
			}
		}
		return dst
	}
	parens := n.Op < parent || n.Op == TSPhrase && right
	if parens {
		dst = append(dst, "( "...)
	}
	if n.Op == TSNot {
		dst = n.Right.append(append(dst, '!'), TSNot, false)
	} else {
		dst = n.Left.append(dst, n.Op, false)
		switch {
		case n.Op == TSOr:
			dst = append(dst, " | "...)
		case n.Op == TSAnd:
			dst = append(dst, " & "...)
		case n.Distance == 1:
			dst = append(dst, " <-> "...)
		default:
			dst = append(strconv.AppendInt(append(dst, " <"...), int64(n.Distance), 10), "> "...)
		}
		dst = n.Right.append(dst, n.Op, n.Op == TSPhrase)
	}
	if parens {
		dst = append(dst, " )"...)
	}
	return dst
}

// size is about what PostgreSQL needs for a tree, by which it compares.
func (n *TSNode) size() int {
	if n == nil {
		return 0
	}
	if n.Op == TSLexeme {
		return 12 + len(n.Text) + 1
	}
	return 12 + n.Left.size() + n.Right.size()
}

func tsqueryCmp(a, b value.Value) int {
	x, y := TSQ(a).Root, TSQ(b).Root
	return cmp.Or(cmp.Compare(x.Nodes(), y.Nodes()), cmp.Compare(x.size(), y.size()), x.compare(y))
}

func (n *TSNode) compare(m *TSNode) int {
	switch {
	case n == nil && m == nil:
		return 0
	case n == nil:
		return -1
	case m == nil:
		return 1
	case (n.Op == TSLexeme) != (m.Op == TSLexeme):
		if n.Op == TSLexeme {
			return 1
		}
		return -1
	case n.Op == TSLexeme:
		return cmp.Or(cmp.Compare(n.Text, m.Text), cmp.Compare(n.Weights, m.Weights), cmp.Compare(btoi(n.Prefix), btoi(m.Prefix)))
	}
	return cmp.Or(-cmp.Compare(n.Op, m.Op), n.Right.compare(m.Right), n.Left.compare(m.Left), cmp.Compare(m.Distance, n.Distance))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
