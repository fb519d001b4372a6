package tsearch

import (
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

type node = typeio.TSNode

// join links two nodes; a missing one leaves the other.
func join(op typeio.TSOp, left, right *node, distance int) *node {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	}
	return &node{Op: op, Left: left, Right: right, Distance: distance}
}

func stopNode() *node { return &node{Op: typeio.TSStop} }

// operand makes the node of a text within a query: its lexemes are joined by op, with stop words kept for the distances.
func (c *config) operand(text string, op typeio.TSOp, weights int, prefix bool) *node {
	list, _ := c.words(text, 0)
	var out *node
	pos := 0
	for i := 0; i < len(list); {
		for pos > 0 && pos+1 < list[i].pos {
			out = &node{Op: op, Left: out, Right: stopNode(), Distance: 1}
			pos++
		}
		pos = list[i].pos
		var here *node
		for ; i < len(list) && list[i].pos == pos; i++ {
			here = join(typeio.TSAnd, here, &node{Text: list[i].lexeme, Weights: weights, Prefix: prefix}, 0)
		}
		out = join(op, out, here, 1)
	}
	if out == nil {
		return stopNode()
	}
	return out
}

// clean takes the stop words out of a query; what they leave behind makes phrases longer. before and after are distances that the nodes
// around have to count.
func clean(n *node) (out *node, before, after int) {
	switch n.Op {
	case typeio.TSLexeme:
		return n, 0, 0
	case typeio.TSStop:
		return nil, 0, 0
	case typeio.TSNot:
		if r, _, _ := clean(n.Right); r != nil {
			return &node{Op: typeio.TSNot, Right: r}, 0, 0
		}
		return nil, 0, 0
	}
	phrase := n.Op == typeio.TSPhrase
	left, lBefore, lAfter := clean(n.Left)
	right, rBefore, rAfter := clean(n.Right)
	switch {
	case left == nil && right == nil:
		d := max(lBefore, rBefore)
		if phrase {
			d = lBefore + n.Distance + rBefore
		}
		return nil, d, d
	case left == nil:
		if phrase {
			return right, lBefore + n.Distance + rBefore, rAfter
		}
		return right, rBefore, rAfter
	case right == nil:
		if phrase {
			return left, lBefore, lAfter + n.Distance + rAfter
		}
		return left, lBefore, lAfter
	case phrase:
		return &node{Op: typeio.TSPhrase, Left: left, Right: right, Distance: n.Distance + lAfter + rBefore}, lBefore, rAfter
	}
	return &node{Op: n.Op, Left: left, Right: right}, lBefore, rAfter
}

// cleaned is the value of a query without its stop words.
func cleaned(c *functions.Call, n *node) value.Value {
	var root *node
	if n != nil {
		root, _, _ = clean(n)
	}
	if root == nil {
		notice(c, "text-search query contains only stop words or doesn't contain lexemes, ignored")
	}
	return typeio.BoxTSQ(&typeio.TSQuery{Root: root})
}

func (c *config) toQuery(call *functions.Call, text string) (value.Value, error) {
	q, err := typeio.ParseTSQuery(text, func(word string, weights int, prefix bool) (*node, error) {
		return c.operand(word, typeio.TSPhrase, weights, prefix), nil
	})
	if err != nil {
		return value.Null, err
	}
	if q.Root == nil {
		notice(call, "text-search query doesn't contain lexemes: \""+text+"\"")
		return typeio.BoxTSQ(q), nil
	}
	return cleaned(call, q.Root), nil
}

func notice(c *functions.Call, text string) {
	if c != nil && c.Env != nil && c.Env.Notice != nil {
		c.Env.Notice("NOTICE", dberr.SuccessfulCompletion, text)
	}
}

func (c *config) plainQuery(call *functions.Call, text string) (value.Value, error) {
	return cleaned(call, c.operand(text, typeio.TSAnd, 0, false)), nil
}

func (c *config) phraseQuery(call *functions.Call, text string) (value.Value, error) {
	return cleaned(call, c.operand(text, typeio.TSPhrase, 0, false)), nil
}

// webQuery reads what people type: words, "phrases", or, -not. Every text is a query.
func (c *config) webQuery(call *functions.Call, text string) (value.Value, error) {
	var all, and *node // alternatives, and the words of the last one
	or := false
	add := func(n *node, not bool) {
		if not {
			n = &node{Op: typeio.TSNot, Right: n}
		}
		if or && and != nil {
			all = join(typeio.TSOr, all, and, 0)
			and = nil
		}
		or = false
		and = join(typeio.TSAnd, and, n, 0)
	}
	not := false
	for s := text; s != ""; {
		switch {
		case s[0] == '"':
			inside, rest, closed := strings.Cut(s[1:], `"`)
			s = rest
			if !closed {
				s = ""
			}
			if strings.TrimSpace(inside) != "" {
				add(c.operand(inside, typeio.TSPhrase, 0, false), not)
			}
			not = false
		case s[0] == '-' && len(s) > 1 && !blankByte(s[1]):
			not, s = true, s[1:]
		case blankByte(s[0]) || strings.IndexByte("-|&!()<>:*", s[0]) >= 0:
			s = s[1:]
		default:
			n := 0
			for n < len(s) && !blankByte(s[n]) && s[n] != '"' {
				n++
			}
			w := s[:n]
			s = s[n:]
			if strings.EqualFold(w, "or") && and != nil && !not && strings.TrimSpace(s) != "" {
				or = true
				continue
			}
			add(c.operand(w, typeio.TSPhrase, 0, false), not)
			not = false
		}
	}
	return cleaned(call, join(typeio.TSOr, all, and, 0)), nil
}

func blankByte(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// treeOf is the part of a query that an index can look up: querytree's text.
func treeOf(n *node) (*node, bool) {
	if n == nil {
		return nil, false
	}
	switch n.Op {
	case typeio.TSLexeme:
		return n, true
	case typeio.TSNot:
		return nil, false
	}
	left, lok := treeOf(n.Left)
	right, rok := treeOf(n.Right)
	switch {
	case lok && rok:
		return &node{Op: n.Op, Left: left, Right: right, Distance: n.Distance}, true
	case n.Op == typeio.TSOr:
		return nil, false
	case lok:
		return left, true
	}
	return right, rok
}
