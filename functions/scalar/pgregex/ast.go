// Package pgregex is PostgreSQL's regular expressions: POSIX syntax with its "advanced" extensions, and POSIX meaning.
//
// A match is the leftmost one, and of those the longest, or the shortest when the expression as a whole is non-greedy; within
// it earlier subexpressions choose before later ones, each by its own greediness (manual, section 9.7.3.5). Patterns for which
// Go's regexp gives the same answer run there; the others (mixed greediness, back references, look-around, word boundaries)
// run on an engine of sets of ends with a limit on its steps.
package pgregex

import (
	"slices"
	"unicode"

	"github.com/omgdb/omgdb/storage/dberr"
)

type kind uint8

const (
	kEmpty  kind = iota
	kSet         // one character of a set
	kConcat      // subs one after the other
	kAlt         // one of subs
	kRepeat      // sub min to max times (max < 0: any number)
	kGroup       // sub, captured when cap > 0
	kBack        // what group cap has matched
	kAssert      // an anchor
	kLook        // sub matches here, ahead or behind, or doesn't
)

// anchor is what a kAssert node asks for.
type anchor uint8

const (
	aBegin     anchor = iota // start of the text
	aEnd                     // end of the text
	aLineBegin               // start of a line
	aLineEnd                 // end of a line
	aWordStart
	aWordEnd
	aWordEdge
	aNotWordEdge
)

// pref is a node's greediness.
type pref int8

const (
	prefNone pref = iota
	prefLong
	prefShort
)

type node struct {
	kind     kind
	id       int
	subs     []*node
	min, max int
	lazy     bool
	cap      int
	set      *charSet
	anchor   anchor
	behind   bool
	negative bool
	pref     pref
	captures bool // a group or back reference is inside
	backs    bool // a back reference is inside
}

// sub is the only child.
func (n *node) sub() *node { return n.subs[0] }

// charSet is a set of characters: ranges of runes, sorted and disjoint.
type charSet struct {
	ranges []rune // pairs: from, to
}

func (c *charSet) has(r rune) bool {
	if len(c.ranges) <= 8 {
		for i := 0; i < len(c.ranges); i += 2 {
			if r >= c.ranges[i] && r <= c.ranges[i+1] {
				return true
			}
		}
		return false
	}
	low, high := 0, len(c.ranges)/2
	for low < high {
		mid := (low + high) / 2
		switch {
		case r < c.ranges[2*mid]:
			high = mid
		case r > c.ranges[2*mid+1]:
			low = mid + 1
		default:
			return true
		}
	}
	return false
}

// setBuilder gathers ranges.
type setBuilder struct{ pairs [][2]rune }

func (b *setBuilder) add(from, to rune) { b.pairs = append(b.pairs, [2]rune{from, to}) }

func (b *setBuilder) addSet(c *charSet) {
	for i := 0; i < len(c.ranges); i += 2 {
		b.add(c.ranges[i], c.ranges[i+1])
	}
}

func (b *setBuilder) addTable(t *unicode.RangeTable) {
	for _, r := range t.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			if r.Stride == 1 {
				b.add(rune(r.Lo), rune(r.Hi))
				break
			}
			b.add(c, c)
		}
	}
	for _, r := range t.R32 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			if r.Stride == 1 {
				b.add(rune(r.Lo), rune(r.Hi))
				break
			}
			b.add(c, c)
		}
	}
}

// fold adds the other cases of all letters.
func (b *setBuilder) fold() {
	for _, p := range slices.Clone(b.pairs) {
		if p[1]-p[0] > 5000 { // so large a range has its other cases inside
			continue
		}
		for c := p[0]; c <= p[1]; c++ {
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				b.add(f, f)
			}
		}
	}
}

func (b *setBuilder) set() *charSet {
	slices.SortFunc(b.pairs, func(x, y [2]rune) int { return int(x[0]) - int(y[0]) })
	c := &charSet{}
	for _, p := range b.pairs {
		if n := len(c.ranges); n > 0 && p[0] <= c.ranges[n-1]+1 {
			c.ranges[n-1] = max(c.ranges[n-1], p[1])
			continue
		}
		c.ranges = append(c.ranges, p[0], p[1])
	}
	return c
}

// negate gives all other characters.
func (c *charSet) negate() *charSet {
	out := &charSet{}
	next := rune(0)
	for i := 0; i < len(c.ranges); i += 2 {
		if c.ranges[i] > next {
			out.ranges = append(out.ranges, next, c.ranges[i]-1)
		}
		next = c.ranges[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out.ranges = append(out.ranges, next, unicode.MaxRune)
	}
	return out
}

// without takes one character out.
func (c *charSet) without(r rune) *charSet {
	b := &setBuilder{}
	for i := 0; i < len(c.ranges); i += 2 {
		from, to := c.ranges[i], c.ranges[i+1]
		if r < from || r > to {
			b.add(from, to)
			continue
		}
		if from < r {
			b.add(from, r-1)
		}
		if r < to {
			b.add(r+1, to)
		}
	}
	return b.set()
}

func tables(ts ...*unicode.RangeTable) func() *charSet {
	return func() *charSet {
		b := &setBuilder{}
		for _, t := range ts {
			b.addTable(t)
		}
		return b.set()
	}
}

func runes(pairs ...rune) func() *charSet {
	return func() *charSet { return &charSet{ranges: pairs} }
}

// classes are the named character classes.
var classes = map[string]func() *charSet{
	"alpha": tables(unicode.L, unicode.Nl), "upper": tables(unicode.Lu), "lower": tables(unicode.Ll),
	"digit": runes('0', '9'), "xdigit": runes('0', '9', 'A', 'F', 'a', 'f'),
	"alnum": func() *charSet {
		b := &setBuilder{}
		b.addTable(unicode.L)
		b.addTable(unicode.Nl)
		b.add('0', '9')
		return b.set()
	},
	"space": runes('\t', '\r', ' ', ' ', 0x1680, 0x1680, 0x2000, 0x2006, 0x2008, 0x200a, 0x2028, 0x2029, 0x205f, 0x205f, 0x3000, 0x3000),
	"blank": runes('\t', '\t', ' ', ' ', 0x1680, 0x1680, 0x2000, 0x2006, 0x2008, 0x200a, 0x205f, 0x205f, 0x3000, 0x3000),
	"cntrl": runes(0, 0x1f, 0x7f, 0x9f, 0x2028, 0x2029),
	"punct": func() *charSet {
		b := &setBuilder{}
		b.addTable(unicode.P)
		b.addTable(unicode.S)
		return b.set()
	},
	"graph": func() *charSet {
		b := &setBuilder{}
		for _, t := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S} {
			b.addTable(t)
		}
		return b.set()
	},
	"print": func() *charSet {
		b := &setBuilder{}
		for _, t := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S} {
			b.addTable(t)
		}
		b.add(' ', ' ')
		return b.set()
	},
	"word": wordChars,
}

func wordChars() *charSet {
	b := &setBuilder{}
	b.addTable(unicode.L)
	b.addTable(unicode.Nl)
	b.add('0', '9')
	b.add('_', '_')
	return b.set()
}

var wordSet = wordChars()

func invalid(what string) error {
	return dberr.New(dberr.InvalidRegularExpression, "invalid regular expression: %s", what)
}

// TooComplex is the error of a match that takes too many steps.
func TooComplex() error {
	return dberr.New(dberr.InvalidRegularExpression, "regular expression failed: %s", "regular expression is too complex").
		WithHint("Simplify the pattern, or match shorter texts.")
}
