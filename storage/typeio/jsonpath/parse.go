package jsonpath

import (
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
)

// maxDepth bounds operators within each other and the steps of a path, for whoever walks the tree by recursion.
const maxDepth = 5000

// Parse reads a path. Errors: 42601 with PostgreSQL's message, 22P02 for an empty text, 54001 for one too deep.
func Parse(text string) (*Path, error) {
	p := &parser{scan: scanner{in: text}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tEnd {
		return nil, dberr.New(dberr.InvalidTextRepresentation, `invalid input syntax for type %s: "%s"`, "jsonpath", text)
	}
	out := &Path{Strict: p.tok.kind == tStrict}
	if p.tok.kind == tStrict || p.tok.kind == tLax {
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	expr, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tEnd {
		return nil, p.unexpected()
	}
	out.Expr = expr
	return out, check(expr, 0, false)
}

// check refuses @ outside of filters and last outside of subscripts.
func check(n *Node, filters int, subscript bool) error {
	for ; n != nil; n = n.Next {
		switch {
		case n.Op == Current && filters == 0:
			return dberr.New(dberr.SyntaxError, "@ is not allowed in root expressions")
		case n.Op == Last && !subscript:
			return dberr.New(dberr.SyntaxError, "LAST is allowed only in array subscripts")
		}
		inner := filters
		if n.Op == Filter {
			inner++
		}
		for _, x := range []*Node{n.Left, n.Right} {
			if err := check(x, inner, subscript); err != nil {
				return err
			}
		}
		for _, s := range n.Subs {
			for _, x := range []*Node{s.From, s.To} {
				if err := check(x, filters, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// parser reads by recursive descent, one token ahead. An expression and a predicate may stand at the same places up to the token that
// tells them apart; whoever needs one of them asks with expr or pred, and the error is then at the token after it.
type parser struct {
	scan  scanner
	tok   token
	level int
}

func (p *parser) advance() (err error) {
	p.tok, err = p.scan.next()
	return err
}

func (p *parser) unexpected() error { return syntaxError("syntax error", p.tok.near) }

// take passes over a token that must be there.
func (p *parser) take(k kind) error {
	if p.tok.kind != k {
		return p.unexpected()
	}
	return p.advance()
}

// text takes a token with text.
func (p *parser) text(k kind) (string, error) {
	s := p.tok.text
	return s, p.take(k)
}

func tooDeep() error {
	return dberr.New(dberr.StatementTooComplex, "jsonpath is nested too deeply, limit is %d", maxDepth)
}

// deeper limits the recursion of the reader; leave ends it.
func (p *parser) deeper() error {
	if p.level++; p.level > maxDepth {
		return tooDeep()
	}
	return nil
}

func (p *parser) leave() { p.level-- }

func depthOf(n *Node) int {
	if n == nil {
		return 0
	}
	return n.depth
}

func (p *parser) combine(op Op, left, right *Node) (*Node, error) {
	n := &Node{Op: op, Left: left, Right: right, depth: 1 + max(depthOf(left), depthOf(right))}
	if n.depth > maxDepth {
		return nil, tooDeep()
	}
	return n, nil
}

// expr and pred pass on what was read when it is of the kind that must stand here.
func (p *parser) expr(n *Node, err error) (*Node, error) {
	if err == nil && n.predicate() {
		return nil, p.unexpected()
	}
	return n, err
}

func (p *parser) pred(n *Node, err error) (*Node, error) {
	if err == nil && !n.predicate() {
		return nil, p.unexpected()
	}
	return n, err
}

// enclosed reads "( … )" around an expression or a predicate.
func (p *parser) enclosed(want func(*Node, error) (*Node, error)) (*Node, error) {
	if err := p.take('('); err != nil {
		return nil, err
	}
	n, err := want(p.or())
	if err != nil {
		return nil, err
	}
	return n, p.take(')')
}

func (p *parser) or() (*Node, error)  { return p.logic(tOr, Or, p.and) }
func (p *parser) and() (*Node, error) { return p.logic(tAnd, And, p.comparison) }

func (p *parser) logic(k kind, op Op, operand func() (*Node, error)) (*Node, error) {
	left, err := operand()
	for err == nil && p.tok.kind == k {
		var right *Node
		if left, err = p.pred(left, nil); err == nil {
			err = p.advance()
		}
		if err == nil {
			right, err = p.pred(operand())
		}
		if err == nil {
			left, err = p.combine(op, left, right)
		}
	}
	return left, err
}

var comparisons = map[kind]Op{
	tEqual: Equal, tNotEqual: NotEqual, '<': Less, tLessEqual: LessEqual, '>': Greater, tGreaterEqual: GreaterEqual,
	tStarts: StartsWith, tLikeRegex: LikeRegex,
}

// comparison reads an expression or a predicate without && and ||.
func (p *parser) comparison() (*Node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.leave()
	if p.tok.kind == '!' {
		return p.not()
	}
	parenthesised := p.tok.kind == '('
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	op, isCmp := comparisons[p.tok.kind]
	switch {
	case p.tok.kind == tIs && parenthesised && left.predicate():
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.take(tUnknown); err != nil {
			return nil, err
		}
		return p.combine(IsUnknown, left, nil)
	case !isCmp || left.predicate():
		return left, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch op {
	case LikeRegex:
		return p.likeRegex(left)
	case StartsWith:
		return p.startsWith(left)
	}
	right, err := p.expr(p.sum())
	if err != nil {
		return nil, err
	}
	return p.combine(op, left, right)
}

// not reads ! before a predicate in brackets or exists.
func (p *parser) not() (*Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	var n *Node
	var err error
	if p.tok.kind == tExists {
		n, err = p.exists()
	} else {
		n, err = p.enclosed(p.pred)
	}
	if err != nil {
		return nil, err
	}
	return p.combine(Not, n, nil)
}

func (p *parser) exists() (*Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.enclosed(p.expr)
	if err != nil {
		return nil, err
	}
	return p.combine(Exists, n, nil)
}

func (p *parser) startsWith(left *Node) (*Node, error) {
	if err := p.take(tWith); err != nil {
		return nil, err
	}
	op := String
	if p.tok.kind == tVariable {
		op = Variable
	} else if p.tok.kind != tString {
		return nil, p.unexpected()
	}
	right := &Node{Op: op, Text: p.tok.text, depth: 1}
	if err := p.advance(); err != nil {
		return nil, err
	}
	return p.combine(StartsWith, left, right)
}

func (p *parser) likeRegex(left *Node) (*Node, error) {
	pattern, err := p.text(tString)
	if err != nil {
		return nil, err
	}
	flags := ""
	if p.tok.kind == tFlag {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if flags, err = p.text(tString); err != nil {
			return nil, err
		}
	}
	n, err := p.combine(LikeRegex, left, nil)
	if err != nil {
		return nil, err
	}
	n.Text = pattern
	n.Regex, err = regexFlags(flags)
	return n, err
}

func regexFlags(s string) (f RegexFlags, err error) {
	set := map[rune]*bool{'i': &f.Fold, 's': &f.DotAll, 'm': &f.Lines, 'x': &f.Spaces, 'q': &f.Quote}
	for _, c := range s {
		if set[c] == nil {
			return f, dberr.New(dberr.SyntaxError, "invalid input syntax for type %s", "jsonpath").
				WithDetail(`Unrecognized flag character "%c" in LIKE_REGEX predicate.`, c)
		}
		*set[c] = true
	}
	if f.Spaces && !f.Quote {
		return f, dberr.New(dberr.FeatureNotSupported, `XQuery "x" flag (expanded regular expressions) is not implemented`)
	}
	return f, nil
}

var (
	sums     = map[kind]Op{'+': Add, '-': Sub}
	products = map[kind]Op{'*': Mul, '/': Div, '%': Mod}
)

func (p *parser) sum() (*Node, error) { return p.arithmetic(sums, p.product) }

func (p *parser) product() (*Node, error) { return p.arithmetic(products, p.signed) }

func (p *parser) arithmetic(ops map[kind]Op, operand func() (*Node, error)) (*Node, error) {
	left, err := operand()
	for err == nil {
		op, ok := ops[p.tok.kind]
		if !ok {
			return left, nil
		}
		var right *Node
		if left, err = p.expr(left, nil); err == nil {
			err = p.advance()
		}
		if err == nil {
			right, err = p.expr(operand())
		}
		if err == nil {
			left, err = p.combine(op, left, right)
		}
	}
	return nil, err
}

// signed reads an operand with its signs; a sign before a number belongs to the number.
func (p *parser) signed() (*Node, error) {
	op, ok := map[kind]Op{'+': Plus, '-': Minus}[p.tok.kind]
	if !ok {
		return p.operand()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.expr(p.signed())
	switch {
	case err != nil:
		return nil, err
	case n.Op == Number && n.Next == nil && op == Plus:
		return n, nil
	case n.Op == Number && n.Next == nil:
		return &Node{Op: Number, Num: num.Neg(n.Num), depth: 1}, nil
	}
	return p.combine(op, n, nil)
}

// operand reads what accessors follow, and them.
func (p *parser) operand() (*Node, error) {
	var n *Node
	var err error
	switch p.tok.kind {
	case '(':
		n, err = p.enclosed(func(n *Node, err error) (*Node, error) { return n, err })
	case tExists:
		return p.exists() // no accessor can follow
	default:
		n, err = p.primary()
	}
	if err != nil {
		return nil, err
	}
	last, steps := n, 1
	for last.Next != nil {
		last = last.Next
		steps++
	}
	for {
		next, err := p.accessor()
		if next == nil || err != nil {
			return n, err
		}
		last.Next, last = next, next
		if n.depth = max(n.depth, steps+next.depth); n.depth > maxDepth {
			return nil, tooDeep()
		}
		steps++
	}
}

var primaries = map[kind]Op{
	tString: String, tVariable: Variable, tNull: Null, tTrue: Bool, tFalse: Bool, tInt: Number, tNumeric: Number, '$': Root, '@': Current, tLast: Last,
}

func (p *parser) primary() (*Node, error) {
	op, ok := primaries[p.tok.kind]
	if !ok {
		return nil, p.unexpected()
	}
	n := &Node{Op: op, True: p.tok.kind == tTrue, depth: 1}
	switch op {
	case String, Variable:
		n.Text = p.tok.text
	case Number:
		d, err := num.Parse(p.tok.text)
		if err != nil {
			return nil, err
		}
		n.Num = d
	}
	return n, p.advance()
}

// accessor reads one accessor; nil when there is none.
func (p *parser) accessor() (*Node, error) {
	switch p.tok.kind {
	case '.':
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.member()
	case '[':
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.subscripts()
	case '?':
		if err := p.advance(); err != nil {
			return nil, err
		}
		cond, err := p.enclosed(p.pred)
		if err != nil {
			return nil, err
		}
		return p.combine(Filter, cond, nil)
	}
	return nil, nil
}

var methodOps = map[kind]Op{
	tAbs: Abs, tSize: Size, tType: Type, tFloor: Floor, tDouble: Double, tCeiling: Ceiling, tKeyValue: KeyValue, tDatetime: Datetime,
}

// member reads what follows a dot.
func (p *parser) member() (*Node, error) {
	k, text := p.tok.kind, p.tok.text
	switch {
	case k == '*':
		return &Node{Op: AnyKey, depth: 1}, p.advance()
	case k == tAnyDepth:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.levels()
	case k != tIdent && k != tString && k < tKeyword:
		return nil, p.unexpected()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	op, ok := methodOps[k]
	if !ok || p.tok.kind != '(' {
		return &Node{Op: Key, Text: text, depth: 1}, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n := &Node{Op: op, depth: 1}
	if op == Datetime && p.tok.kind == tString {
		n.Text, n.HasText = p.tok.text, true
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return n, p.take(')')
}

// levels reads what may follow **.
func (p *parser) levels() (*Node, error) {
	n := &Node{Op: AnyDepth, To: Deepest, depth: 1}
	if p.tok.kind != '{' {
		return n, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	if n.First, err = p.depthLevel(); err != nil {
		return nil, err
	}
	n.To = n.First
	if p.tok.kind == tTo {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if n.To, err = p.depthLevel(); err != nil {
			return nil, err
		}
	}
	return n, p.take('}')
}

func (p *parser) depthLevel() (uint32, error) {
	switch p.tok.kind {
	case tLast:
		return Deepest, p.advance()
	case tInt:
		v, err := strconv.ParseInt(p.tok.text, 10, 32)
		if err != nil {
			return 0, dberr.New(dberr.NumericValueOutOfRange, `value "%s" is out of range for type integer`, p.tok.text)
		}
		return uint32(v), p.advance()
	}
	return 0, p.unexpected()
}

// subscripts reads what follows an opening bracket.
func (p *parser) subscripts() (*Node, error) {
	if p.tok.kind == '*' {
		if err := p.advance(); err != nil {
			return nil, err
		}
		return &Node{Op: AnyElement, depth: 1}, p.take(']')
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.leave()
	n := &Node{Op: Subscripts}
	for {
		from, err := p.expr(p.sum())
		if err != nil {
			return nil, err
		}
		s := Subscript{From: from}
		if p.tok.kind == tTo {
			if err := p.advance(); err != nil {
				return nil, err
			}
			if s.To, err = p.expr(p.sum()); err != nil {
				return nil, err
			}
		}
		n.Subs = append(n.Subs, s)
		n.depth = max(n.depth, 1+depthOf(s.From), 1+depthOf(s.To))
		if p.tok.kind != ',' {
			return n, p.take(']')
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}
