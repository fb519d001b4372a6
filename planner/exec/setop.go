package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// unionOp gives the rows of its inputs one after the other, without repetition when it is distinct.
type unionOp struct {
	inputs   []op
	at       int
	distinct bool
	seen     seenRows
	vecs     []vec.Vec
}

func (b *builder) setOp(n *plan.SetOp) (op, error) {
	if n.Op != 'u' {
		return b.intersect(n)
	}
	o := &unionOp{distinct: !n.All, vecs: make([]vec.Vec, len(n.Out))}
	if o.distinct {
		o.seen = b.seenRows(types(n.Out))
	}
	return o, b.unionInputs(o, n, n)
}

// unionInputs collects the inputs of a tree of unions that count as one, so that long chains stay flat. EXPLAIN ANALYZE, which
// counts every node, sees them as they are.
func (b *builder) unionInputs(o *unionOp, top *plan.SetOp, n plan.Node) error {
	s, ok := n.(*plan.SetOp)
	if ok && (s == top || s.Op == 'u' && (s.All || !top.All) && b.rt.Instrument == nil) {
		if err := b.unionInputs(o, top, s.Left); err != nil {
			return err
		}
		return b.unionInputs(o, top, s.Right)
	}
	in, err := b.build(n)
	if err != nil {
		return err
	}
	o.inputs = append(o.inputs, in)
	return nil
}

func (o *unionOp) open(ctx context.Context) error {
	o.at = 0
	if o.distinct {
		if err := o.seen.reset(); err != nil {
			return err
		}
	}
	return o.inputs[0].open(ctx)
}

func (o *unionOp) next(ctx context.Context) (*batch.Batch, error) {
	for o.at < len(o.inputs) {
		in, err := nextRows(ctx, o.inputs[o.at])
		if err != nil {
			return nil, err
		}
		if in == nil {
			if err := o.inputs[o.at].close(); err != nil {
				return nil, err
			}
			if o.at++; o.at < len(o.inputs) {
				if err := o.inputs[o.at].open(ctx); err != nil {
					return nil, err
				}
			}
			continue
		}
		if !o.distinct {
			return in, nil
		}
		for i, c := range in.Cols {
			o.vecs[i] = vec.Vec{Column: c}
		}
		if out, err := o.seen.firsts(in, o.vecs); out != nil || err != nil {
			return out, err
		}
	}
	if !o.distinct {
		return nil, nil
	}
	return o.seen.later(ctx)
}

func (o *unionOp) close() error {
	err := o.seen.free()
	if e := closeAll(o.inputs...); err == nil {
		err = e
	}
	return err
}

// intersectOp is INTERSECT and EXCEPT: both inputs are counted by distinct row, then each row is given as often as the operation
// says, in the left input's order.
type intersectOp struct {
	left, right op
	all, except bool
	types       []*value.Type
	mem         memory
	table       *vec.Table
	lefts       []int64 // by id, times that the left input has the row, then times it is given
	rights      []int64
	ids         []int32
	vecs        []vec.Vec
	id          int
	idx         []int32
	store       vec.Store
	out         batch.Batch
}

func (b *builder) intersect(n *plan.SetOp) (op, error) {
	left, err := b.build(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := b.build(n.Right)
	if err != nil {
		return nil, err
	}
	return &intersectOp{left: left, right: right, all: n.All, except: n.Op == 'e', types: types(n.Out), mem: b.memory(),
		vecs: make([]vec.Vec, len(n.Out))}, nil
}

func (o *intersectOp) open(ctx context.Context) error {
	o.mem.free()
	o.table, o.lefts, o.rights, o.id = vec.NewTable(o.types), nil, nil, 0
	if err := o.count(ctx, o.left, true); err != nil {
		return err
	}
	if err := o.count(ctx, o.right, false); err != nil {
		return err
	}
	for id := range o.lefts {
		l, r := o.lefts[id], o.rights[id]
		switch {
		case o.except && o.all:
			l = max(l-r, 0)
		case o.except && r > 0:
			l = 0
		case !o.except:
			l = min(l, r)
		}
		if !o.all {
			l = min(l, 1)
		}
		o.lefts[id] = l
	}
	o.store = vec.Store{Cols: o.table.Keys, N: o.table.Len()}
	return nil
}

func (o *intersectOp) count(ctx context.Context, in op, left bool) error {
	if err := in.open(ctx); err != nil {
		return err
	}
	for {
		b, err := nextRows(ctx, in)
		if err != nil {
			return err
		}
		if b == nil {
			return in.close()
		}
		for i, c := range b.Cols {
			o.vecs[i] = vec.Vec{Column: c}
		}
		pos := vec.Positions(b.Sel, b.Len)
		if cap(o.ids) < len(pos) {
			o.ids = make([]int32, len(pos))
		}
		ids := o.ids[:len(pos)]
		if !left {
			o.table.Find(o.vecs, pos, ids)
			for _, id := range ids {
				if id >= 0 {
					o.rights[id]++
				}
			}
			continue
		}
		var new []int32
		if new, err = firsts(o.table, &o.mem, o.vecs, pos, &o.ids, nil); err != nil {
			return err
		}
		for range new {
			o.lefts, o.rights = append(o.lefts, 0), append(o.rights, 0)
		}
		for _, id := range o.ids[:len(pos)] {
			o.lefts[id]++
		}
	}
}

func (o *intersectOp) next(context.Context) (*batch.Batch, error) {
	o.idx = o.idx[:0]
	for o.id < len(o.lefts) && len(o.idx) < batch.Size {
		if o.lefts[o.id] == 0 {
			o.id++
			continue
		}
		o.lefts[o.id]--
		o.idx = append(o.idx, int32(o.id))
	}
	if len(o.idx) == 0 {
		return nil, nil
	}
	o.store.Gather(&o.out, o.idx)
	return &o.out, nil
}

func (o *intersectOp) close() error {
	o.mem.free()
	o.table = nil
	return closeAll(o.left, o.right)
}
