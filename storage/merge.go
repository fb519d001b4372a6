package storage

import (
	"bytes"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
)

// merge walks a snapshot's range with a transaction's own writes over it: own values replace those of the snapshot, own deletes hide
// them. Both inputs go the same way. It closes base; own is nil when there are no own writes, then base itself is the answer.
func merge(base kv.Iter, own *overlay.Cursor, reverse bool) kv.Iter {
	if own == nil {
		return base
	}
	return &merged{base: base, own: own, reverse: reverse}
}

type merged struct {
	base    kv.Iter
	own     *overlay.Cursor
	reverse bool

	begun   bool
	hasBase bool // base stands on a key not yet passed
	fromOwn bool // the current row is own's
}

func (m *merged) Next() bool {
	if !m.begun {
		m.begun, m.hasBase = true, m.base.Next()
	} else {
		m.pass()
	}
	for {
		k := m.own.Key()
		if k == nil {
			m.fromOwn = false
			return m.hasBase && m.own.Err() == nil
		}
		c := -1
		if m.hasBase {
			if c = bytes.Compare(k, m.base.Key()); m.reverse {
				c = -c
			}
		} else if m.base.Err() != nil {
			return false
		}
		if c > 0 {
			m.fromOwn = false
			return true
		}
		if c == 0 {
			m.hasBase = m.base.Next() // replaced or hidden
		}
		if m.own.Value() != nil {
			m.fromOwn = true
			return true
		}
		m.own.Next()
	}
}

// pass leaves the current row.
func (m *merged) pass() {
	if m.fromOwn {
		m.own.Next()
		return
	}
	if m.hasBase {
		m.hasBase = m.base.Next()
	}
}

func (m *merged) Key() []byte {
	if m.fromOwn {
		return m.own.Key()
	}
	return m.base.Key()
}

func (m *merged) Value() []byte {
	if m.fromOwn {
		return m.own.Value()
	}
	return m.base.Value()
}

func (m *merged) Err() error { return firstError(m.base.Err(), m.own.Err()) }

func (m *merged) Close() { m.base.Close() }
