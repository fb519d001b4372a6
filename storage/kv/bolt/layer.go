package bolt

import (
	"bytes"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/ordmap"
)

// layer holds what was committed after what lies below it: other layers, and store.db at the bottom. It is a map in memory or
// a run file, and says of each key that it knows the value or, by nil, that it is deleted. A published layer is
// never changed.
type layer struct {
	rows    *ordmap.Map // nil for a run
	run     *run
	lsn     kv.LSN // of its newest batch
	segment uint64 // the first log segment that has a record of it
	bytes   int64  // of log records, or of the run file
}

// state is one published state of the store. It is never changed; each commit and each checkpoint publishes the next one.
type state struct {
	view   *view
	layers []layer // oldest first; the last one is a map that commits go on to fill
	lsn    kv.LSN
	refs   int // guarded by Store.mu: the store's, and one for each snapshot
}

func (st *state) get(key []byte) ([]byte, error) {
	for i := len(st.layers) - 1; i >= 0; i-- {
		l := &st.layers[i]
		if l.run == nil {
			if value, ok := l.rows.Get(key); ok {
				return value, nil
			}
		} else if value, ok, err := l.run.get(key); ok || err != nil {
			return value, err
		}
	}
	return st.view.get(key)
}

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

// merge walks a range of a state: all its sources in key order, of those at one key the newest.
type merge struct {
	heads   []head // those that are not at their end, newest first
	reverse bool
	at      int // index of the current head, -1 for none
	err     error
}

// head is a source at a key.
type head struct {
	source
	k []byte
}

func (st *state) scan(r kv.Range) *merge {
	m := &merge{reverse: r.Reverse, at: -1}
	for i := len(st.layers) - 1; i >= 0; i-- {
		if l := &st.layers[i]; l.run != nil {
			m.add(l.run.scan(r))
		} else if l.rows.Len() > 0 {
			m.add(mapIter{l.rows.Iter(r)})
		}
	}
	m.add(st.view.scan(r))
	return m
}

func (m *merge) add(s source) {
	if s.next() {
		m.heads = append(m.heads, head{s, s.key()})
	} else if m.err == nil {
		m.err = s.fault()
	}
}

func (m *merge) next() bool {
	if m.err != nil {
		return false
	}
	if m.at >= 0 {
		m.advance(m.at)
	}
	for m.err == nil && len(m.heads) > 0 {
		m.at = m.least()
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
