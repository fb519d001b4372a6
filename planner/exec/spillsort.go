package exec

import (
	"container/heap"

	"github.com/omgdb/omgdb/planner/exec/spill"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// workMemFactor is how many times work_mem an operator may hold: rows as columns in memory, with the room that they grow into, are
// several times larger than the tuples that users of the setting have in mind. The query's own limit of memory holds in any case.
const workMemFactor = 8

// spillAt is the memory of an operator beyond which it moves rows to files; 0 means never.
func (b *builder) spillAt() int64 { return b.rt.WorkMem * workMemFactor }

// runs are sorted parts of a sort's input in files: rows, then their keys.
type runs struct {
	dir   string
	types []*value.Type
	nRow  int // columns of a row, the rest are keys
	order []vec.Order
	files []*spill.File
}

// add writes rows in the given order as a new run.
func (r *runs) add(rows, keys *vec.Store, sorted []int32) error {
	f, err := spill.Create(r.dir, r.types)
	if err != nil {
		return err
	}
	r.files = append(r.files, f)
	return f.Write(append(append([]*value.Column(nil), rows.Cols...), keys.Cols...), sorted, rows.N)
}

func (r *runs) close() error {
	var first error
	for _, f := range r.files {
		if err := f.Close(); first == nil {
			first = err
		}
	}
	r.files = nil
	return first
}

// merge starts reading all runs as one, in order; equal rows come in the order of their runs.
func (r *runs) merge() (*runMerge, error) {
	m := &runMerge{r: r}
	for _, t := range r.types[:r.nRow] {
		m.out.Cols = append(m.out.Cols, value.NewColumn(t, batch.Size))
	}
	for i, f := range r.files {
		rd, err := f.Read()
		if err != nil {
			return nil, err
		}
		c := &runCursor{place: i, rd: rd, nRow: r.nRow}
		ok, err := c.advance()
		if err != nil {
			return nil, err
		}
		if ok {
			m.heap = append(m.heap, c)
		}
	}
	heap.Init(m)
	return m, nil
}

// runCursor stands on a row of a run.
type runCursor struct {
	place int
	rd    *spill.Reader
	b     *batch.Batch
	at    int
	nRow  int
}

func (c *runCursor) advance() (bool, error) {
	if c.b != nil {
		if c.at++; c.at < c.b.Len {
			return true, nil
		}
	}
	b, err := c.rd.Next()
	if err != nil || b == nil {
		return false, err
	}
	c.b, c.at = b, 0
	return true, nil
}

// runMerge is a heap of cursors.
type runMerge struct {
	r    *runs
	heap []*runCursor
	out  batch.Batch
}

func (m *runMerge) Len() int { return len(m.heap) }

func (m *runMerge) Less(i, j int) bool {
	a, b := m.heap[i], m.heap[j]
	c := vec.CompareRows(m.r.order, a.b.Cols[a.nRow:], a.at, b.b.Cols[b.nRow:], b.at)
	return c < 0 || c == 0 && a.place < b.place
}

func (m *runMerge) Swap(i, j int) { m.heap[i], m.heap[j] = m.heap[j], m.heap[i] }

// Push implements heap.Interface; cursors are only removed.
func (m *runMerge) Push(any) {}

// Pop implements heap.Interface.
func (m *runMerge) Pop() any {
	last := m.heap[len(m.heap)-1]
	m.heap = m.heap[:len(m.heap)-1]
	return last
}

// next gives the next rows, nil at the end.
func (m *runMerge) next() (*batch.Batch, error) {
	for _, c := range m.out.Cols {
		c.Reset()
	}
	n := 0
	for ; n < batch.Size && len(m.heap) > 0; n++ {
		c := m.heap[0]
		for k, col := range m.out.Cols {
			vec.AppendAt(col, c.b.Cols[k], c.at)
		}
		ok, err := c.advance()
		if err != nil {
			return nil, err
		}
		if ok {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	if n == 0 {
		return nil, nil
	}
	m.out.Len = n
	return &m.out, nil
}
