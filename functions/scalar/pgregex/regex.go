package pgregex

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Regexp is a compiled pattern; it is safe for concurrent use.
type Regexp struct {
	root   *node
	fold   bool
	groups int
	nodes  int
	// fast runs the pattern in Go's regexp: it tells whether and where a match starts. exact: its matches are PostgreSQL's too.
	fast  *regexp.Regexp
	exact bool
	// later is fast for searches that don't start at the text's start: its ^ never matches. nil: there is no such pattern.
	later *regexp.Regexp
}

// Compile reads a pattern.
func Compile(pattern string, f Flags) (*Regexp, error) {
	root, p, err := parse(pattern, f)
	if err != nil {
		return nil, err
	}
	re := &Regexp{root: root, fold: p.f.Fold, groups: p.caps, nodes: p.nodes}
	t := &translator{}
	if src, ok := t.translate(root, false); ok {
		if re.fast, err = regexp.Compile(src); err == nil {
			re.fast.Longest()
			re.exact = root.pref != prefShort && (re.groups == 0 || !t.shares)
			re.later = re.fast
			if t.begins {
				src, _ = t.translate(root, true)
				if re.later, err = regexp.Compile(src); err == nil {
					re.later.Longest()
				}
			}
			if t.lines {
				re.later = nil
			}
		} else {
			re.fast = nil
		}
	}
	return re, nil
}

// Groups is the number of capturing groups.
func (re *Regexp) Groups() int { return re.groups }

// Match tells whether the pattern matches anywhere in s.
func (re *Regexp) Match(s string) (bool, error) {
	if re.fast != nil {
		return re.fast.MatchString(s), nil
	}
	m, err := re.Find(s, 0)
	return m != nil, err
}

// Find gives the first match at or after byte start as pairs of byte offsets, the whole first, then the groups (-1, -1: took no
// part); nil when there is none. What stands before start counts for anchors and look-behind.
func (re *Regexp) Find(s string, start int) ([]int, error) {
	fast := re.fast
	if start > 0 {
		fast = re.later
	}
	if fast == nil {
		return re.search(s, start, len(s))
	}
	if re.exact {
		m := fast.FindStringSubmatchIndex(s[start:])
		for i := range m {
			if m[i] >= 0 {
				m[i] += start
			}
		}
		return m, nil
	}
	loc := fast.FindStringIndex(s[start:])
	if loc == nil {
		return nil, nil
	}
	return re.search(s, start+loc[0], start+loc[0])
}

// search tries the starts from first to last with the engine of ends.
func (re *Regexp) search(s string, first, last int) ([]int, error) {
	e := newEngine(re, s)
	for i := first; i <= last; {
		m, err := e.at(i)
		if m != nil || err != nil {
			return m, err
		}
		if i >= len(s) {
			break
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
	}
	return nil, nil
}

// translator writes a pattern in Go's syntax.
type translator struct {
	shares bool // the shares of groups may differ from PostgreSQL's
	begins bool // has anchors at the start of the text
	lines  bool // has anchors at the start of lines
	never  bool // these never match
	b      strings.Builder
}

// translate gives ok false for patterns that Go's regexp can't run.
func (t *translator) translate(n *node, never bool) (string, bool) {
	t.b.Reset()
	t.never = never
	ok := t.node(n)
	return t.b.String(), ok && t.b.Len() < 20000
}

func (t *translator) node(n *node) bool {
	switch n.kind {
	case kEmpty:
		t.b.WriteString("(?:)")
	case kSet:
		t.set(n.set)
	case kConcat:
		for _, s := range n.subs {
			if !t.node(s) {
				return false
			}
		}
	case kAlt: // Go takes the first alternative, PostgreSQL the longest share
		t.shares = true
		t.b.WriteString("(?:")
		for i, s := range n.subs {
			if i > 0 {
				t.b.WriteByte('|')
			}
			if !t.node(s) {
				return false
			}
		}
		t.b.WriteByte(')')
	case kGroup:
		if n.cap > 0 {
			t.b.WriteByte('(')
		} else {
			t.b.WriteString("(?:")
		}
		if !t.node(n.sub()) {
			return false
		}
		t.b.WriteByte(')')
	case kRepeat:
		return t.repeat(n)
	case kAssert:
		return t.assert(n.anchor)
	default:
		return false
	}
	return true
}

func (t *translator) repeat(n *node) bool {
	if n.lazy || n.sub().captures { // which iteration a group shows differs
		t.shares = true
	}
	t.b.WriteString("(?:")
	if !t.node(n.sub()) {
		return false
	}
	t.b.WriteByte(')')
	switch {
	case n.min == 0 && n.max < 0:
		t.b.WriteByte('*')
	case n.min == 1 && n.max < 0:
		t.b.WriteByte('+')
	case n.max < 0:
		fmt.Fprintf(&t.b, "{%d,}", n.min)
	default:
		fmt.Fprintf(&t.b, "{%d,%d}", n.min, n.max)
	}
	return true
}

func (t *translator) assert(a anchor) bool {
	switch a {
	case aBegin:
		t.begins = true
		if t.never {
			t.b.WriteString(`[^\x00-\x{10FFFF}]`)
		} else {
			t.b.WriteString(`\A`)
		}
	case aEnd:
		t.b.WriteString(`\z`)
	case aLineBegin:
		t.lines = true
		t.b.WriteString(`(?m:^)`)
	case aLineEnd:
		t.b.WriteString(`(?m:$)`)
	default:
		return false
	}
	return true
}

func (t *translator) set(c *charSet) {
	switch {
	case len(c.ranges) == 2 && c.ranges[0] == 0 && c.ranges[1] == unicode.MaxRune:
		t.b.WriteString("(?s:.)")
	case len(c.ranges) == 2 && c.ranges[0] == c.ranges[1]:
		t.b.WriteString(regexp.QuoteMeta(string(c.ranges[0])))
	case len(c.ranges) == 0:
		t.b.WriteString(`[^\x00-\x{10FFFF}]`)
	default:
		t.b.WriteByte('[')
		for i := 0; i < len(c.ranges); i += 2 {
			fmt.Fprintf(&t.b, `\x{%X}-\x{%X}`, c.ranges[i], c.ranges[i+1])
		}
		t.b.WriteByte(']')
	}
}
