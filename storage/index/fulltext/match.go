package fulltext

import "slices"

// Matcher finds a query's clauses in texts, one at a time. It belongs to one goroutine.
type Matcher struct {
	a       *Analyzer
	q       Query
	scratch Scratch
	terms   map[string]int32 // slots of exact terms
	prefix  prefixes         // slots of terms that are prefixes
	refs    [][]int32        // by clause: the slots of its terms
	slots   [][]int32        // by slot: positions in the current text
	freq    []int64
	starts  []int32 // working memory of occurrences

	// Of a Words' matcher: what it knows, and by word for which slots it stands (an index of lists, 0 for none).
	known *wordTexts
	class []int32
	lists [][]slotOf
}

// slotOf is a slot that a word belongs to.
type slotOf struct {
	slot   int32
	prefix bool
}

// NewMatcher makes a matcher of a query.
func NewMatcher(a *Analyzer, q Query) *Matcher {
	m := &Matcher{a: a, q: q, terms: map[string]int32{}, refs: make([][]int32, len(q.Clauses)), freq: make([]int64, len(q.Clauses))}
	for i, c := range q.Clauses {
		for j, t := range c.Terms {
			slot, known := int32(len(m.slots)), false
			if c.Prefix && j == len(c.Terms)-1 {
				slot, known = m.prefix.add(t, slot)
			} else if old, ok := m.terms[t]; ok {
				slot, known = old, true
			} else {
				m.terms[t] = slot
			}
			if !known {
				m.slots = append(m.slots, nil)
			}
			m.refs[i] = append(m.refs[i], slot)
		}
	}
	return m
}

// prefixes finds those of some prefixes with which a word begins. The zero value has none.
type prefixes struct {
	slots map[string]int32
	lens  []int // lengths that there are, ascending
}

// add adds a prefix with its slot, or gives the slot that it has.
func (p *prefixes) add(prefix string, slot int32) (_ int32, known bool) {
	if old, ok := p.slots[prefix]; ok {
		return old, true
	}
	if p.slots == nil {
		p.slots = map[string]int32{}
	}
	p.slots[prefix] = slot
	if i, ok := slices.BinarySearch(p.lens, len(prefix)); !ok {
		p.lens = slices.Insert(p.lens, i, len(prefix))
	}
	return slot, false
}

// each visits the slots of the prefixes with which a word begins.
func (p *prefixes) each(word []byte, visit func(slot int32)) {
	for _, n := range p.lens {
		if n > len(word) {
			return
		}
		if slot, ok := p.slots[string(word[:n])]; ok {
			visit(slot)
		}
	}
}

// Match analyses a text: the number of its words, how often each clause occurs (valid until the next Match), and whether the document is
// found (every required clause occurs, no excluded one, and at least one of the others when none is required).
func (m *Matcher) Match(text string) (length int64, freq []int64, found bool) {
	for i := range m.slots {
		m.slots[i] = m.slots[i][:0]
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
		if slot, ok := m.terms[string(t.Term)]; ok {
			m.slots[slot] = append(m.slots[slot], t.Pos)
		}
		if len(m.prefix.lens) > 0 {
			begins := func(slot int32) { m.hitOnce(slot, t.Pos) }
			m.prefix.each(t.Term, begins)
			folded = written(folded[:0], text, t, &m.scratch)
			m.prefix.each(folded, begins)
		}
		return true
	})
	return length, m.freq, m.decide()
}

// hitOnce notes a position of a prefix, which several forms of a word may have.
func (m *Matcher) hitOnce(slot, pos int32) {
	if hits := m.slots[slot]; len(hits) == 0 || hits[len(hits)-1] != pos {
		m.slots[slot] = append(hits, pos)
	}
}

func (m *Matcher) decide() bool {
	required, optional, any := true, false, false
	for i, c := range m.q.Clauses {
		m.freq[i] = m.occurrences(m.refs[i], c.Offsets)
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

// occurrences counts the places where the clause's terms stand in a row at their offsets.
func (m *Matcher) occurrences(refs, offsets []int32) int64 {
	if len(refs) == 1 {
		return int64(len(m.slots[refs[0]]))
	}
	m.starts = append(m.starts[:0], m.slots[refs[0]]...)
	for j := 1; j < len(refs) && len(m.starts) > 0; j++ {
		m.starts = followed(m.starts, m.slots[refs[j]], offsets[j])
	}
	return int64(len(m.starts))
}

// followed keeps in place the starts behind which one of the hits stands at the offset. Both ascend.
func followed(starts, hits []int32, offset int32) []int32 {
	out, i := starts[:0], 0
	for _, p := range starts {
		for i < len(hits) && hits[i] < p+offset {
			i++
		}
		if i == len(hits) {
			break
		}
		if hits[i] == p+offset {
			out = append(out, p)
		}
	}
	return out
}
