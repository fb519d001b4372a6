package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// memo remembers the values that a correlated subquery had for the outer values seen, up to a number of them. It watches whether that
// pays: when most of the first rows are new it gives up.
type memo struct {
	outer      *outerRow
	table      *vec.Table
	vals       []value.Value
	mem        memory
	key        []vec.Vec
	id         [1]int32
	hits, miss int
	off        bool
}

const (
	memoTrial = 512     // rows after which a memo must have paid
	memoBytes = 8 << 20 // and what it may take
)

func newMemo(o *outerRow, mem memory) *memo {
	types := make([]*value.Type, len(o.slots))
	for i, s := range o.slots {
		types[i] = s.Vec().Type
	}
	return &memo{outer: o, table: vec.NewTable(types), mem: mem, key: make([]vec.Vec, len(types))}
}

// get looks up position i of the outer columns.
func (m *memo) get(cols []*value.Column, i int) (value.Value, bool) {
	if m.off {
		return value.Null, false
	}
	for k, c := range m.outer.from {
		m.key[k] = vec.Vec{Column: cols[c]}
	}
	m.table.Find(m.key, []int32{int32(i)}, m.id[:])
	if m.id[0] < 0 {
		m.miss++
		return value.Null, false
	}
	m.hits++
	return m.vals[m.id[0]], true
}

// put remembers v for the outer row that is bound.
func (m *memo) put(v value.Value) error {
	if m.off {
		return nil
	}
	if m.miss >= memoTrial && m.hits < m.miss || m.mem.held > memoBytes {
		m.off = true
		m.forget()
		return nil
	}
	for k, s := range m.outer.slots {
		m.key[k] = s.Vec()
	}
	m.table.Assign(m.key, []int32{0}, m.id[:])
	m.vals = append(m.vals, v)
	grown := int64(64) + vec.ValueSize(v)
	for _, k := range m.key {
		grown += vec.Size(k.Column, 0)
	}
	return m.mem.take(grown)
}

// forget drops everything.
func (m *memo) forget() {
	m.table.Reset()
	m.vals = nil
	m.mem.free()
}

// open, next and close let a memo be closed with the subplans.
func (m *memo) open(context.Context) error                 { return nil }
func (m *memo) next(context.Context) (*batch.Batch, error) { return nil, nil }
func (m *memo) close() error {
	m.forget()
	return nil
}
