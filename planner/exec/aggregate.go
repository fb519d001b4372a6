package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// aggregateOp groups its input by hashing. Each grouping set has a table of its own; groups come out in order of first appearance.
type aggregateOp struct {
	input  op
	n      *plan.Aggregate
	groups []eval.Node
	calls  []*aggCall
	mem    memory
	keep   bool
	ready  bool

	sets  []*groupSet
	vecs  []vec.Vec
	spill aggSpill

	set  int // output: the set and group at hand
	at   int
	cols []*value.Column
	out  batch.Batch
}

// groupSet is one grouping set: its table, the group of each batch position, and the states of all calls.
type groupSet struct {
	keys   []int // positions in Groups
	table  *vec.Table
	vecs   []vec.Vec
	ids    []int32
	groups []int32
	accs   []accumulator
	byCode []int32 // groups by the codes of a lasting column, -1: not asked yet
	space  any     // whose codes they are
}

func (b *builder) aggregate(n *plan.Aggregate) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &aggregateOp{input: in, n: n, mem: b.memory(), keep: b.depth > 0 && b.steady(n), vecs: make([]vec.Vec, len(n.Groups))}
	if len(n.Groups) > 0 && len(n.Sets) <= 1 {
		o.spill = aggSpill{at: b.spillAt(), dir: b.rt.SpillDir, types: types(n.Input.Cols())}
		b.atEnd(o.spill.close)
	}
	scope := b.scope(n.Input.Cols())
	if o.groups, err = scope.CompileAll(n.Groups); err != nil {
		return nil, err
	}
	for i := range n.Aggs {
		c, err := b.aggCall(scope, &n.Aggs[i])
		if err != nil {
			return nil, err
		}
		if err := c.directBySet(scope, n); err != nil {
			return nil, err
		}
		o.calls = append(o.calls, c)
	}
	for _, c := range n.Cols() {
		o.cols = append(o.cols, value.NewColumn(c.Type, 0))
	}
	return o, nil
}

func (o *aggregateOp) open(ctx context.Context) error {
	o.set, o.at = 0, 0
	if o.ready && o.keep {
		return nil
	}
	if err := o.spill.close(); err != nil {
		return err
	}
	if err := o.reset(); err != nil {
		return err
	}
	if err := o.input.open(ctx); err != nil {
		return err
	}
	for {
		in, err := nextRows(ctx, o.input)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		if err := o.add(ctx, in); err != nil {
			return err
		}
	}
	o.ready = o.spill.parts == nil // what goes through partitions is given once
	if err := o.finish(ctx); err != nil {
		return err
	}
	return o.input.close()
}

// finish lets the states take what they have put off.
func (o *aggregateOp) finish(ctx context.Context) error {
	for _, s := range o.sets {
		for _, a := range s.accs {
			if err := a.finish(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// reset makes fresh tables and states.
func (o *aggregateOp) reset() error {
	o.ready = false
	o.mem.free()
	sets := o.n.Sets
	if sets == nil {
		all := make([]int, len(o.groups))
		for i := range all {
			all[i] = i
		}
		sets = [][]int{all}
	}
	o.sets = o.sets[:0]
	for _, keys := range sets {
		s := &groupSet{keys: keys, vecs: make([]vec.Vec, len(keys))}
		types := make([]*value.Type, len(keys))
		for i, k := range keys {
			types[i] = o.n.Groups[k].Type()
		}
		s.table = vec.NewTable(types)
		for _, c := range o.calls {
			acc, err := c.state(&o.mem)
			if err != nil {
				return err
			}
			if len(keys) == 0 {
				acc.grow(1) // the group of everything is there without any row
			}
			s.accs = append(s.accs, acc)
		}
		o.sets = append(o.sets, s)
	}
	return nil
}

func (o *aggregateOp) add(ctx context.Context, in *batch.Batch) error {
	for i, g := range o.groups {
		v, err := g.Eval(ctx, in, in.Sel)
		if err != nil {
			return err
		}
		o.vecs[i] = v
	}
	pos := vec.Positions(in.Sel, in.Len)
	if o.spill.parts != nil {
		var err error
		s := o.sets[0]
		for i, k := range s.keys {
			s.vecs[i] = o.vecs[k]
		}
		if pos, err = o.spill.divert(s.table, s.vecs, in, pos); err != nil || len(pos) == 0 {
			return err
		}
		in = &batch.Batch{Cols: in.Cols, Len: in.Len, Sel: pos}
	}
	for _, s := range o.sets {
		if err := s.assign(o.vecs, pos, in.Len, &o.mem); err != nil {
			return err
		}
	}
	for k, c := range o.calls {
		p, err := c.prepare(ctx, in)
		if err != nil {
			return err
		}
		for i, s := range o.sets {
			if p, err = c.forSet(ctx, in, p, i); err != nil {
				return err
			}
			if err := c.feed(ctx, s.accs[k], p, in.Len, s.groups); err != nil {
				return err
			}
		}
	}
	return o.spill.begin(o.mem.held)
}

// groupBytes is a guess of what the states of one aggregate call in one group take.
const groupBytes = 48

// assign finds the group of each position.
func (s *groupSet) assign(vecs []vec.Vec, pos []int32, n int, mem *memory) error {
	if cap(s.groups) < n {
		s.groups = make([]int32, max(n, batch.Size))
		s.ids = make([]int32, max(n, batch.Size))
	}
	s.groups = s.groups[:n]
	if len(s.keys) == 0 {
		return nil // all positions stay in group 0
	}
	for i, k := range s.keys {
		s.vecs[i] = vecs[k]
	}
	known, size := s.table.Len(), s.table.Size()
	if v := s.vecs[0]; len(s.vecs) == 1 && !v.Const && v.Lasting != nil && v.Lasting.Codes != nil {
		s.assignCodes(v, pos)
	} else {
		ids := s.ids[:len(pos)]
		s.table.Assign(s.vecs, pos, ids)
		for k, i := range pos {
			s.groups[i] = ids[k]
		}
	}
	if s.table.Len() == known {
		return nil
	}
	grown := s.table.Size() - size
	for _, c := range s.table.Keys {
		for id := known; id < s.table.Len(); id++ {
			grown += vec.Size(c, id)
		}
	}
	for _, a := range s.accs {
		a.grow(s.table.Len())
	}
	return mem.take(grown + int64(s.table.Len()-known)*int64(len(s.accs))*groupBytes)
}

// assignCodes finds the groups of a column whose values are numbered: the table is asked once for each number.
func (s *groupSet) assignCodes(v vec.Vec, pos []int32) {
	l := v.Lasting
	if s.space != l.Space {
		s.space, s.byCode = l.Space, s.byCode[:0]
	}
	for k, i := range pos {
		code := l.Codes[i]
		for int(code) >= len(s.byCode) {
			s.byCode = append(s.byCode, -1)
		}
		if s.byCode[code] < 0 {
			s.table.Assign(s.vecs, pos[k:k+1], s.ids[:1])
			s.byCode[code] = s.ids[0]
		}
		s.groups[i] = s.byCode[code]
	}
}

// size is the number of groups of the set.
func (s *groupSet) size() int {
	if len(s.keys) == 0 {
		return 1
	}
	return s.table.Len()
}

func (o *aggregateOp) next(ctx context.Context) (*batch.Batch, error) {
	for {
		for o.set < len(o.sets) && o.at >= o.sets[o.set].size() {
			o.set++
			o.at = 0
		}
		if o.set < len(o.sets) {
			break
		}
		more, err := o.nextPartition(ctx)
		if err != nil || !more {
			return nil, err
		}
		o.set, o.at = 0, 0
	}
	s := o.sets[o.set]
	n := min(batch.Size, s.size()-o.at)
	for _, c := range o.cols {
		c.Reset()
	}
	o.groupColumns(s, n)
	for k := range o.calls {
		col := o.cols[len(o.groups)+k]
		for i := range n {
			v, err := s.accs[k].result(ctx, o.at+i)
			if err != nil {
				return nil, err
			}
			col.Append(v)
		}
	}
	if o.n.GroupingCol.ID != 0 {
		mask := int64(1)<<len(o.groups) - 1
		for _, k := range s.keys {
			mask &^= 1 << k
		}
		for range n {
			o.cols[len(o.cols)-1].Append(value.Int(mask))
		}
	}
	o.at += n
	o.out = batch.Batch{Cols: o.cols, Len: n}
	return &o.out, nil
}

// groupColumns fills the group columns for the next n groups of s; groups outside the set are NULL.
func (o *aggregateOp) groupColumns(s *groupSet, n int) {
	own := make([]int, len(o.groups))
	for i, k := range s.keys {
		own[k] = i + 1
	}
	var view value.Column
	for k := range o.groups {
		if own[k] == 0 {
			for range n {
				o.cols[k].AppendNull()
			}
			continue
		}
		vec.Slice(&view, s.table.Keys[own[k]-1], o.at, o.at+n)
		o.cols[k].AppendFrom(&view, nil)
	}
}

func (o *aggregateOp) close() error {
	if !o.keep {
		o.sets, o.ready = nil, false
		o.mem.free()
	}
	err := o.input.close()
	if e := o.spill.close(); err == nil {
		err = e
	}
	return err
}
