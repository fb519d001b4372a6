package bolt

import (
	"bytes"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/ordmap"
)

// source is an iterator over one layer or over store.db. It follows kv.Iter, but the value of a deleted key is nil.
type source interface {
	next() bool
	key() []byte
	value() []byte
	fault() error
}

type mapIter struct{ *ordmap.Iter }

func (it mapIter) next() bool    { return it.Next() }
func (it mapIter) key() []byte   { return it.Key() }
func (it mapIter) value() []byte { return it.Value() }
func (it mapIter) fault() error  { return nil }

// merge walks a range of a state: all its sources in key order, of those at one key the newest. It is used in place: its
// sources point into it.
type merge struct {
	heads   []head // those that are not at their end, newest first
	reverse bool
	at      int // index of the current head, -1 for none
	err     error

	bottom cursor
	room   [3]head // for heads, as long as there are few layers
}

// head is a source at a key.
type head struct {
	source
	k []byte
}

// init begins a scan of a state.
func (m *merge) init(st *state, r kv.Range) {
	m.reverse, m.at, m.heads = r.Reverse, -1, m.room[:0]
	for i := len(st.layers) - 1; i >= 0; i-- {
		if l := &st.layers[i]; l.run != nil {
			m.add(l.run.scan(r))
		} else if l.rows.Len() > 0 {
			m.add(mapIter{l.rows.Iter(r)})
		}
	}
	m.bottom.init(st.view, r)
	m.add(&m.bottom)
}

func (m *merge) add(s source) {
	if s.next() {
		m.heads = append(m.heads, head{s, s.key()})
	} else if m.err == nil {
		m.err = s.fault()
	}
}

// close lets go of the sources; no other method may be called any more.
func (m *merge) close() {
	m.bottom.close()
	m.heads = nil
}

func (m *merge) next() bool {
	if m.err != nil {
		return false
	}
	if m.at >= 0 {
		m.advance(m.at)
	}
	for m.err == nil && len(m.heads) > 0 {
		if m.at = 0; len(m.heads) > 1 {
			m.at = m.least()
		}
		if m.value() != nil {
			return true
		}
		m.advance(m.at)
	}
	m.at = -1
	return false
}

// least gives the head at the key that comes next, and moves older heads at the same key on.
func (m *merge) least() int {
	best := 0
	for i := 1; i < len(m.heads); i++ {
		c := bytes.Compare(m.heads[i].k, m.heads[best].k)
		if m.reverse {
			c = -c
		}
		switch {
		case c < 0:
			best = i
		case c == 0:
			if !m.advance(i) {
				i--
			}
		}
	}
	return best
}

// advance moves a head on; false when it has ended and is gone.
func (m *merge) advance(i int) bool {
	h := &m.heads[i]
	if h.next() {
		h.k = h.key()
		return true
	}
	if err := h.fault(); err != nil && m.err == nil {
		m.err = err
	}
	m.heads = append(m.heads[:i], m.heads[i+1:]...)
	return false
}

func (m *merge) key() []byte   { return m.heads[m.at].k }
func (m *merge) value() []byte { return m.heads[m.at].value() }
