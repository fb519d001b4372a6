package overlay

import "bytes"

// source is a walk over entries in key order: of memory, or of a run.
type source interface {
	entry() *Entry // nil at the end
	next()
}

// merger walks several sources as one, key by key. Of the entries with the same key, that of the first source in the list given to it,
// which is the newest, comes first.
type merger struct {
	reverse bool
	heads   []mergeHead // sorted by key, then age
	group   []*Entry
}

type mergeHead struct {
	source
	age int
}

func newMerger(sources []source, reverse bool) *merger {
	m := &merger{reverse: reverse}
	for age, s := range sources {
		if s.entry() != nil {
			m.heads = append(m.heads, mergeHead{s, age})
		}
	}
	for i := range m.heads {
		m.settle(len(m.heads) - 1 - i)
	}
	return m
}

func (m *merger) less(a, b mergeHead) bool {
	c := bytes.Compare(a.entry().key, b.entry().key)
	if c == 0 {
		return a.age < b.age
	}
	return c < 0 != m.reverse
}

// settle moves the head at i, whose followers are in order, to its place. In the usual case, runs that don't overlap, it stays.
func (m *merger) settle(i int) {
	for ; i+1 < len(m.heads) && m.less(m.heads[i+1], m.heads[i]); i++ {
		m.heads[i], m.heads[i+1] = m.heads[i+1], m.heads[i]
	}
}

// next gives the entries of the next key, newest first; nil at the end. They are valid until the next call.
func (m *merger) next() []*Entry {
	m.group = m.group[:0]
	for len(m.heads) > 0 {
		e := m.heads[0].entry()
		if len(m.group) > 0 && !bytes.Equal(e.key, m.group[0].key) {
			break
		}
		m.group = append(m.group, e)
		m.heads[0].next()
		if m.heads[0].entry() == nil {
			m.heads = m.heads[1:]
		} else {
			m.settle(0)
		}
	}
	if len(m.group) == 0 {
		return nil
	}
	return m.group
}
