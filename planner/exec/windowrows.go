package exec

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// windowRows collects the rows of a window's input by partition and puts them in order. Partitions are found by hashing, so that only
// their distinct keys and, inside each, its own rows are sorted. With a limit a partition keeps its first rows only: candidates are
// compared with the last row kept, and when twice as many have come together the partition is cut.
type windowRows struct {
	part, order *sortKeys
	limit       int64 // rows a partition, -1: all
	ties        bool  // rows equal to the last one are kept too
	table       *vec.Table
	rows        *vec.Store
	keys        *vec.Store // order keys
	ids         []int32    // partition of each row; all rows without a limit
	members     [][]int32  // with a limit: the rows kept, by partition
	bound       []int32    // with a limit: the row that a candidate must come before, -1 while there is room
	vecs        []vec.Vec
	batchIDs    []int32
}

func newWindowRows(types []*value.Type, part, order *sortKeys, limit int64, ties bool) *windowRows {
	return &windowRows{part: part, order: order, limit: limit, ties: ties, table: vec.NewTable(part.types), rows: vec.NewStore(types),
		keys: vec.NewStore(order.types), vecs: make([]vec.Vec, len(part.types))}
}

func (w *windowRows) add(ctx context.Context, in *batch.Batch, mem *memory) error {
	pos := vec.Positions(in.Sel, in.Len)
	partition, err := w.part.eval(ctx, in)
	if err != nil {
		return err
	}
	for i, c := range partition {
		w.vecs[i] = vec.Vec{Column: c}
	}
	if cap(w.batchIDs) < len(pos) {
		w.batchIDs = make([]int32, max(len(pos), batch.Size))
	}
	ids := w.batchIDs[:len(pos)]
	w.table.Assign(w.vecs, pos, ids)
	keys, err := w.order.eval(ctx, in)
	if err != nil {
		return err
	}
	if w.limit >= 0 {
		return w.addFirst(in.Cols, keys, pos, ids, mem)
	}
	w.ids = append(w.ids, ids...)
	grown := w.rows.AppendCols(in.Cols, in.Sel, len(pos)) + w.keys.AppendCols(keys, in.Sel, len(pos))
	return mem.take(grown + 8*int64(len(pos)))
}

// addFirst takes the rows that may be among the first of their partition.
func (w *windowRows) addFirst(cols, keys []*value.Column, pos, ids []int32, mem *memory) error {
	for len(w.members) < w.table.Len() {
		w.members, w.bound = append(w.members, nil), append(w.bound, -1)
	}
	if w.limit == 0 {
		return nil
	}
	before := w.rows.N
	for k, i := range pos {
		id := ids[k]
		if b := w.bound[id]; b >= 0 {
			c := vec.CompareRows(w.order.order, keys, int(i), w.keys.Cols, int(b))
			if c > 0 || c == 0 && !w.ties {
				continue
			}
		}
		w.members[id] = append(w.members[id], int32(w.rows.N))
		w.rows.AppendRow(cols, int(i))
		w.keys.AppendRow(keys, int(i))
		if n := int64(len(w.members[id])); n >= max(2*w.limit, 32) && (!w.ties || n&(n-1) == 0) {
			w.cut(id)
		}
	}
	return mem.take(int64(w.rows.N-before) * int64(16*(len(cols)+len(keys))+16))
}

// cut leaves a partition its first rows.
func (w *windowRows) cut(id int32) {
	rows := w.members[id]
	w.sort(rows)
	if int64(len(rows)) < w.limit {
		return
	}
	n := w.limit
	w.bound[id] = rows[n-1]
	for w.ties && n < int64(len(rows)) && w.compare(rows[n-1], rows[n]) == 0 {
		n++
	}
	w.members[id] = rows[:n]
}

func (w *windowRows) compare(a, b int32) int {
	return vec.CompareRows(w.order.order, w.keys.Cols, int(a), w.keys.Cols, int(b))
}

// sort orders rows of one partition.
func (w *windowRows) sort(rows []int32) {
	vec.SortSome(w.order.order, w.keys.Cols, rows)
}

// finish gives all rows in order and where each partition begins, one more entry for the end.
func (w *windowRows) finish() (sorted []int32, starts []int) {
	if w.limit < 0 && vec.SortsSmall(w.rows.N) {
		return w.finishSmall()
	}
	if w.limit < 0 {
		w.members = w.groupMembers()
	}
	for id := range w.members {
		if w.limit >= 0 {
			w.cut(int32(id))
		} else {
			w.sort(w.members[id])
		}
	}
	sorted = make([]int32, 0, w.rows.N)
	for _, id := range vec.SortRows(w.part.order, w.table.Keys, len(w.members)) {
		if len(w.members[id]) > 0 {
			starts = append(starts, len(sorted))
			sorted = append(sorted, w.members[id]...)
		}
	}
	return sorted, append(starts, len(sorted))
}

// finishSmall is finish for few rows: one sort by partition and order, as a sort node below the window would do it.
func (w *windowRows) finishSmall() (sorted []int32, starts []int) {
	n := w.table.Len()
	rank := make([]int64, n)
	for i, id := range vec.SortRows(w.part.order, w.table.Keys, n) {
		rank[id] = int64(i)
	}
	parts := &value.Column{Type: value.Int8, Ints: make([]int64, w.rows.N)}
	sorted = make([]int32, w.rows.N)
	for row := range sorted {
		sorted[row], parts.Ints[row] = int32(row), rank[w.ids[row]]
	}
	order := append([]vec.Order{{Compare: vec.ComparerOf(value.Int8)}}, w.order.order...)
	vec.SortSome(order, append([]*value.Column{parts}, w.keys.Cols...), sorted)
	for i, row := range sorted {
		if i == 0 || parts.Ints[row] != parts.Ints[sorted[i-1]] {
			starts = append(starts, i)
		}
	}
	return sorted, append(starts, len(sorted))
}

// groupMembers lists the rows of each partition in one piece of memory.
func (w *windowRows) groupMembers() [][]int32 {
	n := w.table.Len()
	count := make([]int32, n+1)
	for _, id := range w.ids {
		count[id+1]++
	}
	for i := range n {
		count[i+1] += count[i]
	}
	at := slices.Clone(count)
	rows := make([]int32, len(w.ids))
	for row, id := range w.ids {
		rows[at[id]] = int32(row)
		at[id]++
	}
	out := make([][]int32, n)
	for i := range n {
		out[i] = rows[count[i]:count[i+1]]
	}
	return out
}
