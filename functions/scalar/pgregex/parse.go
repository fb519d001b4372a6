package pgregex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Flags are the options that a pattern can be compiled with.
type Flags struct {
	Fold      bool // i: case doesn't matter
	LineDots  bool // . and [^…] don't match newlines
	LineEdges bool // ^ and $ match at line breaks
	Expanded  bool // x: white space and comments are ignored
	Literal   bool // q: the pattern is plain text
	Extended  bool // e: POSIX ERE, without the escapes
	Basic     bool // b: POSIX BRE
}

// ParseFlags reads a string of option letters. g is returned apart: it is not the pattern's.
func ParseFlags(s string) (f Flags, global bool, err error) {
	for _, c := range s {
		if c == 'g' {
			global = true
			continue
		}
		if !f.set(c) {
			return f, false, dberr.New(dberr.InvalidParameterValue, `invalid regular expression option: "%c"`, c)
		}
	}
	return f, global, nil
}

// set applies one option letter; false when there is none such.
func (f *Flags) set(c rune) bool {
	switch c {
	case 'i':
		f.Fold = true
	case 'c':
		f.Fold = false
	case 'n', 'm':
		f.LineDots, f.LineEdges = true, true
	case 's':
		f.LineDots, f.LineEdges = false, false
	case 'p':
		f.LineDots, f.LineEdges = true, false
	case 'w':
		f.LineDots, f.LineEdges = false, true
	case 'x':
		f.Expanded = true
	case 't':
		f.Expanded = false
	case 'q':
		f.Literal, f.Extended, f.Basic = true, false, false
	case 'e':
		f.Extended, f.Basic, f.Literal = true, false, false
	case 'b':
		f.Basic, f.Extended, f.Literal = true, false, false
	default:
		return false
	}
	return true
}

// maxNest bounds the nesting of a pattern.
const maxNest = 500

type parser struct {
	s      string
	i      int
	f      Flags
	caps   int // groups opened
	closed []bool
	nodes  int
}

// dupMax is the largest count of a repetition.
const dupMax = 255

// parse reads a pattern.
func parse(src string, f Flags) (*node, *parser, error) {
	p := &parser{s: src, f: f, closed: []bool{true}}
	if err := p.prefix(); err != nil {
		return nil, nil, err
	}
	if p.f.Literal {
		return p.literal(), p, nil
	}
	n, err := p.alternatives(0)
	if err != nil {
		return nil, nil, err
	}
	if p.i < len(p.s) { // only a closing parenthesis stops the reading
		return nil, nil, invalid("parentheses () not balanced")
	}
	return n, p, nil
}

// prefix reads *** directors and embedded options.
func (p *parser) prefix() error {
	if p.f.Literal || p.f.Extended || p.f.Basic {
		return nil
	}
	if strings.HasPrefix(p.s, "***") {
		switch rest := p.s[3:]; {
		case strings.HasPrefix(rest, "="):
			p.f.Literal = true
		case strings.HasPrefix(rest, ":"):
		case strings.HasPrefix(rest, "?"):
			return invalid("invalid regexp (reg version 0.8)")
		default:
			return invalid("quantifier operand invalid")
		}
		p.s = p.s[4:]
	}
	if !p.f.Literal && strings.HasPrefix(p.s, "(?") && len(p.s) > 2 && isLetter(p.s[2]) {
		i := 2
		for ; i < len(p.s) && isLetter(p.s[i]); i++ {
			if !p.f.set(rune(p.s[i])) {
				return invalid("invalid embedded option")
			}
		}
		if i >= len(p.s) || p.s[i] != ')' {
			return invalid("invalid embedded option")
		}
		p.s = p.s[i+1:]
	}
	return nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (p *parser) node(k kind, subs ...*node) *node {
	n := &node{kind: k, id: p.nodes, subs: subs}
	p.nodes++
	for _, s := range subs {
		n.captures = n.captures || s.captures
		n.backs = n.backs || s.backs
	}
	return n
}

// char makes a node for one character.
func (p *parser) char(r rune) *node {
	b := &setBuilder{}
	b.add(r, r)
	return p.ofSet(b)
}

func (p *parser) ofSet(b *setBuilder) *node {
	if p.f.Fold {
		b.fold()
	}
	n := p.node(kSet)
	n.set = b.set()
	return n
}

func (p *parser) literal() *node {
	out := p.node(kConcat)
	for _, r := range p.s {
		out.subs = append(out.subs, p.char(r))
	}
	p.i = len(p.s)
	return out
}

func (p *parser) more() bool { return p.i < len(p.s) }

func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

// skip passes white space and comments.
func (p *parser) skip() error {
	for {
		switch {
		case p.f.Expanded && p.more() && (isBlank(p.peek())):
			p.i++
		case p.f.Expanded && p.peek() == '#':
			for p.more() && p.peek() != '\n' {
				p.i++
			}
		case !p.f.Extended && !p.f.Basic && strings.HasPrefix(p.s[p.i:], "(?#"):
			j := strings.IndexByte(p.s[p.i:], ')')
			if j < 0 {
				return invalid("parentheses () not balanced")
			}
			p.i += j + 1
		default:
			return nil
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// atClose tells whether a group ends here; at level 0 a bare parenthesis is an error in the caller.
func (p *parser) atClose() bool {
	if p.f.Basic {
		return strings.HasPrefix(p.s[p.i:], `\)`)
	}
	return p.peek() == ')'
}

// alternatives reads branches up to the end or a closing parenthesis.
func (p *parser) alternatives(level int) (*node, error) {
	if level > maxNest {
		return nil, invalid("regular expression is too complex")
	}
	var branches []*node
	for {
		b, err := p.branch(level)
		if err != nil {
			return nil, err
		}
		branches = append(branches, b)
		if p.f.Basic || p.peek() != '|' || !p.more() {
			break
		}
		p.i++
	}
	if len(branches) == 1 {
		return branches[0], nil
	}
	n := p.node(kAlt, branches...)
	n.pref = prefLong
	return n, nil
}

// branch reads quantified atoms.
func (p *parser) branch(level int) (*node, error) {
	n := p.node(kConcat)
	first := true
	for {
		if err := p.skip(); err != nil {
			return nil, err
		}
		if !p.more() || p.atClose() || p.peek() == '|' && !p.f.Basic {
			break
		}
		a, err := p.atom(level, first)
		if err != nil {
			return nil, err
		}
		if a, err = p.quantified(a, first); err != nil {
			return nil, err
		}
		first = false
		n.subs = append(n.subs, a)
		n.captures = n.captures || a.captures
		n.backs = n.backs || a.backs
		if n.pref == prefNone {
			n.pref = a.pref
		}
	}
	switch len(n.subs) {
	case 0:
		return p.node(kEmpty), nil
	case 1:
		return n.subs[0], nil
	}
	return n, nil
}

// quantified reads the quantifier of an atom, if there is one.
func (p *parser) quantified(a *node, first bool) (*node, error) {
	if err := p.skip(); err != nil {
		return nil, err
	}
	low, high, fixed, ok, err := p.bounds()
	if err != nil || !ok {
		return a, err
	}
	if a.kind == kAssert || a.kind == kLook {
		return nil, invalid("quantifier operand invalid")
	}
	n := p.node(kRepeat, a)
	n.min, n.max = low, high
	n.pref = prefLong
	if !p.f.Extended && !p.f.Basic && p.peek() == '?' && p.more() {
		p.i++
		n.lazy, n.pref = true, prefShort
	}
	if fixed {
		n.pref = a.pref
		n.lazy = a.pref == prefShort
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	if _, _, _, again, err := p.bounds(); err != nil || again {
		return nil, invalid("quantifier operand invalid")
	}
	return n, nil
}

// bounds reads * + ? or {m,n}.
func (p *parser) bounds() (low, high int, fixed, ok bool, err error) {
	if !p.more() {
		return 0, 0, false, false, nil
	}
	switch c := p.peek(); {
	case c == '*':
		p.i++
		return 0, -1, false, true, nil
	case c == '+' && !p.f.Basic:
		p.i++
		return 1, -1, false, true, nil
	case c == '?' && !p.f.Basic:
		p.i++
		return 0, 1, false, true, nil
	case p.f.Basic && strings.HasPrefix(p.s[p.i:], `\{`):
		p.i += 2
		low, high, fixed, err = p.braces(`\}`)
		return low, high, fixed, true, err
	case c == '{' && !p.f.Basic:
		if p.i+1 >= len(p.s) || !isDigit(p.s[p.i+1]) {
			if p.f.Extended {
				return 0, 0, false, false, invalid("invalid repetition count(s)")
			}
			return 0, 0, false, false, nil // a plain brace
		}
		p.i++
		low, high, fixed, err = p.braces("}")
		return low, high, fixed, true, err
	}
	return 0, 0, false, false, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (p *parser) braces(end string) (low, high int, fixed bool, err error) {
	number := func() (int, bool) {
		n, start := 0, p.i
		for p.more() && isDigit(p.peek()) && n <= dupMax {
			n = n*10 + int(p.peek()-'0')
			p.i++
		}
		return n, p.i > start
	}
	low, ok := number()
	if !ok || low > dupMax {
		return 0, 0, false, invalid("invalid repetition count(s)")
	}
	high, fixed = low, true
	if p.peek() == ',' {
		p.i++
		fixed = false
		if high, ok = number(); !ok {
			high = -1
		} else if high > dupMax || high < low {
			return 0, 0, false, invalid("invalid repetition count(s)")
		}
	}
	if !strings.HasPrefix(p.s[p.i:], end) {
		if p.more() {
			return 0, 0, false, invalid("invalid repetition count(s)")
		}
		return 0, 0, false, invalid("braces {} not balanced")
	}
	p.i += len(end)
	return low, high, fixed, nil
}

func (p *parser) assert(a anchor) *node {
	n := p.node(kAssert)
	n.anchor = a
	return n
}

// atom reads one atom.
func (p *parser) atom(level int, first bool) (*node, error) {
	c := p.peek()
	switch {
	case c == '.':
		p.i++
		all := &charSet{ranges: []rune{0, unicode.MaxRune}}
		if p.f.LineDots {
			all = all.without('\n')
		}
		n := p.node(kSet)
		n.set = all
		return n, nil
	case c == '[':
		p.i++
		return p.bracket()
	case c == '\\':
		p.i++
		return p.escape(level)
	case c == '^' && (!p.f.Basic || first):
		p.i++
		if p.f.LineEdges {
			return p.assert(aLineBegin), nil
		}
		return p.assert(aBegin), nil
	case c == '$' && (!p.f.Basic || p.i+1 == len(p.s) || strings.HasPrefix(p.s[p.i+1:], `\)`)):
		p.i++
		if p.f.LineEdges {
			return p.assert(aLineEnd), nil
		}
		return p.assert(aEnd), nil
	case p.f.Basic:
	case c == '(':
		return p.group(level)
	case c == '*' || c == '+' || c == '?':
		return nil, invalid("quantifier operand invalid")
	case c == '{' && p.i+1 < len(p.s) && isDigit(p.s[p.i+1]):
		return nil, invalid("quantifier operand invalid")
	}
	r, n := utf8.DecodeRuneInString(p.s[p.i:])
	p.i += n
	return p.char(r), nil
}

// group reads what follows an opening parenthesis.
func (p *parser) group(level int) (*node, error) {
	rest := p.s[p.i:]
	if !p.f.Extended {
		for _, g := range []struct {
			open     string
			behind   bool
			negative bool
		}{{"(?=", false, false}, {"(?!", false, true}, {"(?<=", true, false}, {"(?<!", true, true}} {
			if strings.HasPrefix(rest, g.open) {
				p.i += len(g.open)
				sub, err := p.inside(level)
				if err != nil {
					return nil, err
				}
				n := p.node(kLook, sub)
				n.behind, n.negative, n.captures, n.backs = g.behind, g.negative, false, false
				return n, nil
			}
		}
		if strings.HasPrefix(rest, "(?:") {
			p.i += 3
			sub, err := p.inside(level)
			if err != nil {
				return nil, err
			}
			n := p.node(kGroup, sub)
			n.pref = sub.pref
			return n, nil
		}
		if strings.HasPrefix(rest, "(?") {
			return nil, invalid("quantifier operand invalid")
		}
	}
	p.i++
	return p.capture(level)
}

func (p *parser) capture(level int) (*node, error) {
	p.caps++
	k := p.caps
	p.closed = append(p.closed, false)
	sub, err := p.inside(level)
	if err != nil {
		return nil, err
	}
	p.closed[k] = true
	n := p.node(kGroup, sub)
	n.cap, n.pref, n.captures = k, sub.pref, true
	return n, nil
}

// inside reads alternatives and the closing parenthesis.
func (p *parser) inside(level int) (*node, error) {
	sub, err := p.alternatives(level + 1)
	if err != nil {
		return nil, err
	}
	if !p.more() || !p.atClose() {
		return nil, invalid("parentheses () not balanced")
	}
	p.i++
	if p.f.Basic {
		p.i++
	}
	return sub, nil
}
