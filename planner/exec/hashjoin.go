package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// hashMatcher finds candidates by equal keys. Right rows with equal keys are linked in their order; rows with a NULL key match nothing.
type hashMatcher struct {
	left, right []eval.Node
	types       []*value.Type // of the right keys
	table       *vec.Table
	head, last  []int32 // by id: first and last row
	follow      []int32 // by row: the next row with the same key, -1 at the end
	dups        bool
	null        bool

	vecs []vec.Vec
	sel  []int32
	ids  []int32

	pos  []int32
	lone bool
	k    int
	row  int32 // candidate to give next, -1: go to the next left row
}

func (b *builder) hashMatcher(n *plan.Join) (*hashMatcher, error) {
	m := &hashMatcher{vecs: make([]vec.Vec, len(n.HashKeys))}
	ls, rs := b.scope(n.Left.Cols()), b.scope(n.Right.Cols())
	for _, k := range n.HashKeys {
		l, err := ls.Compile(k[0])
		if err != nil {
			return nil, err
		}
		r, err := rs.Compile(k[1])
		if err != nil {
			return nil, err
		}
		m.left, m.right, m.types = append(m.left, l), append(m.right, r), append(m.types, k[1].Type())
	}
	m.reset()
	return m, nil
}

func (m *hashMatcher) reset() {
	m.table = vec.NewTable(m.types)
	m.head, m.last, m.follow, m.dups, m.null = m.head[:0], m.last[:0], m.follow[:0], false, false
}

func (m *hashMatcher) build(ctx context.Context, in *batch.Batch, store *vec.Store, mem *memory) error {
	pos := vec.Positions(in.Sel, in.Len)
	first := store.N - len(pos)
	for range pos {
		m.follow = append(m.follow, -1)
	}
	for i, k := range m.right {
		v, err := k.Eval(ctx, in, in.Sel)
		if err != nil {
			return err
		}
		m.vecs[i] = v
	}
	keyed := m.withoutNulls(pos)
	m.null = m.null || len(keyed) < len(pos)
	size := m.table.Size()
	ids := m.room(len(keyed))
	m.table.Assign(m.vecs, keyed, ids)
	row, at := first, 0
	for k, i := range keyed {
		for pos[at] != i {
			at++
			row++
		}
		m.link(ids[k], int32(row))
	}
	grown := m.table.Size() - size + int64(len(pos))*12
	for _, v := range m.vecs {
		grown += vec.ColumnSize(v.Column, nil) // about what new keys take
	}
	return mem.take(grown)
}

// link adds a row to the rows of a key.
func (m *hashMatcher) link(id, row int32) {
	if int(id) == len(m.head) {
		m.head, m.last = append(m.head, row), append(m.last, row)
		return
	}
	m.dups = true
	m.follow[m.last[id]] = row
	m.last[id] = row
}

// withoutNulls gives the positions whose keys are all not NULL.
func (m *hashMatcher) withoutNulls(pos []int32) []int32 {
	for _, v := range m.vecs {
		if len(v.Nulls) == 0 {
			continue
		}
		sel := m.sel[:0]
		for _, i := range pos {
			if !v.NullAt(i) {
				sel = append(sel, i)
			}
		}
		m.sel, pos = sel, sel
	}
	return pos
}

func (m *hashMatcher) room(n int) []int32 {
	if cap(m.ids) < n {
		m.ids = make([]int32, max(n, batch.Size))
	}
	return m.ids[:n]
}

func (m *hashMatcher) start(ctx context.Context, in *batch.Batch, pos []int32, lone bool) error {
	for i, k := range m.left {
		v, err := k.Eval(ctx, in, in.Sel)
		if err != nil {
			return err
		}
		m.vecs[i] = v
	}
	m.lone, m.k, m.row = lone, -1, -1
	m.pos = pos
	if lone || m.hasNulls() {
		m.findAll(pos)
		return nil
	}
	m.ids = m.room(len(pos))
	m.table.Find(m.vecs, pos, m.ids)
	return nil
}

func (m *hashMatcher) hasNulls() bool {
	for _, v := range m.vecs {
		if len(v.Nulls) > 0 {
			return true
		}
	}
	return false
}

// findAll finds the ids of positions of which some may have NULL keys.
func (m *hashMatcher) findAll(pos []int32) {
	keyed := m.withoutNulls(pos)
	m.ids = m.room(len(pos))
	m.table.Find(m.vecs, keyed, m.ids[:len(keyed)])
	// Spread the ids found over all positions, from the end so that none is overwritten before it is read.
	k := len(keyed) - 1
	for at := len(pos) - 1; at >= 0; at-- {
		if k >= 0 && keyed[k] == pos[at] {
			m.ids[at] = m.ids[k]
			k--
			continue
		}
		m.ids[at] = -1
	}
}

func (m *hashMatcher) fill(l, r []int32) ([]int32, []int32) {
	for len(l) < cap(l) {
		if m.row >= 0 {
			l, r = append(l, m.pos[m.k]), append(r, m.row)
			m.row = m.follow[m.row]
			continue
		}
		if m.k++; m.k >= len(m.pos) {
			m.k = len(m.pos)
			break
		}
		if id := m.ids[m.k]; id >= 0 {
			m.row = m.head[id]
		} else if m.lone {
			l, r = append(l, m.pos[m.k]), append(r, -1)
		}
	}
	return l, r
}

func (m *hashMatcher) single(_ *batch.Batch, pos []int32, idx []int32) bool {
	if m.dups {
		return false
	}
	if len(pos) < len(idx) {
		for i := range idx {
			idx[i] = -1
		}
	}
	for k, i := range pos {
		if id := m.ids[k]; id >= 0 {
			idx[i] = m.head[id]
		} else {
			idx[i] = -1
		}
	}
	return true
}

func (m *hashMatcher) nullKey() bool { return m.null }

func (m *hashMatcher) nullAt(i int32) bool {
	for _, v := range m.vecs {
		if v.NullAt(i) {
			return true
		}
	}
	return false
}
