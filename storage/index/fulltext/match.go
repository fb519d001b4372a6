package fulltext

import (
	"slices"
	"strings"
)

// Matcher finds a query's clauses in texts, one at a time, without an index. It belongs to one goroutine.
type Matcher struct {
	a       *Analyzer
	q       Query
	scratch Scratch
	terms   map[string][]place // exact terms
	prefix  []place            // terms that are prefixes
	hits    [][][]int32        // by clause and term: positions in the current text
	freq    []int64

	// Of a Words' matcher: what it knows, and by word which places it stands for (an index of places, 0 for none).
	known  *wordTexts
	class  []int32
	places [][]place
}

// place is a term's place in the query.
type place struct {
	clause, term int
	text         string
	prefix       bool
}

// NewMatcher makes a matcher of a query.
func NewMatcher(a *Analyzer, q Query) *Matcher {
	m := &Matcher{a: a, q: q, terms: map[string][]place{}, hits: make([][][]int32, len(q.Clauses)), freq: make([]int64, len(q.Clauses))}
	for i, c := range q.Clauses {
		m.hits[i] = make([][]int32, len(c.Terms))
		for j, t := range c.Terms {
			p := place{i, j, t, c.Prefix && j == len(c.Terms)-1}
			if p.prefix {
				m.prefix = append(m.prefix, p)
			} else {
				m.terms[t] = append(m.terms[t], p)
			}
		}
	}
	return m
}

// Match analyses a text: the number of its words, how often each clause occurs (valid until the next Match), and whether the document is
// found (every required clause occurs, no excluded one, and at least one of the others when none is required).
func (m *Matcher) Match(text string) (length int64, freq []int64, found bool) {
	for _, c := range m.hits {
		for j := range c {
			c[j] = c[j][:0]
		}
	}
	if m.known != nil {
		if toks, ok := m.known.tokens(m.a, text, &m.scratch); ok {
			return m.matchTokens(toks), m.freq, m.decide()
		}
	}
	var folded []byte
	m.a.Analyze(text, &m.scratch, func(t Token) bool {
		if !t.Other() {
			length++
		}
		for _, p := range m.terms[string(t.Term)] {
			m.hits[p.clause][p.term] = append(m.hits[p.clause][p.term], t.Pos)
		}
		if len(m.prefix) > 0 {
			folded = written(folded[:0], text, t, &m.scratch)
			for _, p := range m.prefix {
				hits := m.hits[p.clause][p.term]
				if !strings.HasPrefix(string(folded), p.text) && !strings.HasPrefix(string(t.Term), p.text) {
					continue
				}
				if n := len(hits); n == 0 || hits[n-1] != t.Pos {
					m.hits[p.clause][p.term] = append(hits, t.Pos)
				}
			}
		}
		return true
	})
	return length, m.freq, m.decide()
}

func (m *Matcher) decide() bool {
	required, optional, any := true, false, false
	for i, c := range m.q.Clauses {
		m.freq[i] = occurrences(m.hits[i], c.Offsets)
		switch c.Occur {
		case Must:
			required = required && m.freq[i] > 0
			any = true
		case MustNot:
			if m.freq[i] > 0 {
				required = false
			}
		default:
			optional = optional || m.freq[i] > 0
		}
	}
	return required && (any || optional)
}

// occurrences counts the places where the terms stand in a row at their offsets.
func occurrences(hits [][]int32, offsets []int32) int64 {
	if len(hits) == 1 {
		return int64(len(hits[0]))
	}
	var n int64
next:
	for _, p := range hits[0] {
		for j := 1; j < len(hits); j++ {
			if _, ok := slices.BinarySearch(hits[j], p+offsets[j]); !ok {
				continue next
			}
		}
		n++
	}
	return n
}
