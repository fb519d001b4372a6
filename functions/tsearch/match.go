package tsearch

import (
	"slices"

	"github.com/omgdb/omgdb/storage/typeio"
)

// places finds where a lexeme of a query stands in a document: at all, and at which positions (ascending).
type places func(n *node) (found bool, at []int)

// matches tells whether a document satisfies a query. skipNot takes every NOT for true.
func matches(n *node, look places, skipNot bool) bool {
	switch n.Op {
	case typeio.TSLexeme:
		found, _ := look(n)
		return found
	case typeio.TSNot:
		return skipNot || !matches(n.Right, look, skipNot)
	case typeio.TSAnd:
		return matches(n.Left, look, skipNot) && matches(n.Right, look, skipNot)
	case typeio.TSOr:
		return matches(n.Left, look, skipNot) || matches(n.Right, look, skipNot)
	}
	ok, _ := phrase(n, look, skipNot)
	return ok
}

// spots are the positions at which a part of a phrase ends; negate means all others. width is how far before its end it begins.
type spots struct {
	at     []int
	negate bool
	width  int
}

// phrase evaluates a query by positions: where its matches end.
func phrase(n *node, look places, skipNot bool) (bool, spots) {
	switch n.Op {
	case typeio.TSLexeme:
		found, at := look(n)
		return found && len(at) > 0, spots{at: at}
	case typeio.TSNot:
		if skipNot {
			return true, spots{negate: true}
		}
		ok, s := phrase(n.Right, look, skipNot)
		switch {
		case !ok:
			return true, spots{negate: true}
		case len(s.at) > 0:
			s.negate = !s.negate
			return true, s
		case s.negate:
			return false, spots{}
		}
		return true, spots{negate: true}
	}
	lok, l := phrase(n.Left, look, skipNot)
	rok, r := phrase(n.Right, look, skipNot)
	if n.Op == typeio.TSOr {
		return either(lok, rok, l, r)
	}
	if !lok || !rok {
		return false, spots{}
	}
	out := spots{width: max(l.width, r.width)}
	lShift, rShift := out.width-l.width, out.width-r.width
	if n.Op == typeio.TSPhrase {
		lShift, rShift, out.width = n.Distance+r.width, 0, n.Distance+l.width+r.width
	}
	switch {
	case l.negate && r.negate: // !L & !R is !(L | R)
		out.at, out.negate = combine(l.at, lShift, r.at, rShift, true, true, true), true
	case l.negate:
		out.at = combine(l.at, lShift, r.at, rShift, false, false, true)
	case r.negate:
		out.at = combine(l.at, lShift, r.at, rShift, true, false, false)
	default:
		out.at = combine(l.at, lShift, r.at, rShift, false, true, false)
	}
	return out.negate || len(out.at) > 0, out
}

// either is OR by positions.
func either(lok, rok bool, l, r spots) (bool, spots) {
	if !lok && !rok {
		return false, spots{}
	}
	if !lok {
		l = spots{}
	}
	if !rok {
		r = spots{}
	}
	out := spots{width: max(l.width, r.width)}
	lShift, rShift := out.width-l.width, out.width-r.width
	switch {
	case l.negate && r.negate: // !L | !R is !(L & R)
		out.at, out.negate = combine(l.at, lShift, r.at, rShift, false, true, false), true
	case l.negate:
		out.at, out.negate = combine(l.at, lShift, r.at, rShift, true, false, false), true
	case r.negate:
		out.at, out.negate = combine(l.at, lShift, r.at, rShift, false, false, true), true
	default:
		out.at = combine(l.at, lShift, r.at, rShift, true, true, true)
	}
	return out.negate || len(out.at) > 0, out
}

// combine merges two ascending lists that are shifted: which positions count, those in the left one only, in both, in the right one only.
func combine(l []int, lShift int, r []int, rShift int, leftOnly, both, rightOnly bool) []int {
	var out []int
	for i, j := 0, 0; i < len(l) || j < len(r); {
		switch {
		case j == len(r) || i < len(l) && l[i]+lShift < r[j]+rShift:
			if leftOnly {
				out = append(out, l[i]+lShift)
			}
			i++
		case i == len(l) || r[j]+rShift < l[i]+lShift:
			if rightOnly {
				out = append(out, r[j]+rShift)
			}
			j++
		default:
			if both {
				out = append(out, l[i]+lShift)
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// inVector looks up lexemes in a tsvector.
func inVector(v *typeio.TSVector) places {
	return func(n *node) (bool, []int) {
		var list []typeio.Lexeme
		if n.Prefix {
			list = v.WithPrefix(n.Text)
		} else if l, ok := v.Find(n.Text); ok {
			list = []typeio.Lexeme{*l}
		}
		found := false
		var at []int
		for _, l := range list {
			found = found || n.Weights == 0 || n.Weights == 15
			for _, p := range l.Places {
				if n.Weights == 0 || n.Weights&(1<<p.Weight()) != 0 {
					found = true
					at = append(at, p.Pos())
				}
			}
			if len(l.Places) == 0 && n.Weights != 0 {
				found = true // stripped: nothing is known of its weights
			}
		}
		if len(list) > 1 {
			slices.Sort(at)
			at = slices.Compact(at)
		}
		return found, at
	}
}

// match is the operator @@.
func match(v *typeio.TSVector, q *typeio.TSQuery) bool {
	return q.Root != nil && len(v.Lexemes) > 0 && matches(q.Root, inVector(v), false)
}
