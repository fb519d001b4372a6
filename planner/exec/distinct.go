package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// distinctOp passes on the first row of each combination of key values.
type distinctOp struct {
	input op
	keys  []eval.Node // nil: all columns
	mem   memory
	types []*value.Type
	table *vec.Table
	vecs  []vec.Vec
	ids   []int32
	sel   []int32
	out   batch.Batch
}

func (b *builder) distinct(n *plan.Distinct) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &distinctOp{input: in, mem: b.memory(), types: types(n.Input.Cols())}
	if n.On != nil {
		if o.keys, err = b.scope(n.Input.Cols()).CompileAll(n.On); err != nil {
			return nil, err
		}
		o.types = o.types[:0]
		for _, e := range n.On {
			o.types = append(o.types, e.Type())
		}
	}
	o.vecs = make([]vec.Vec, len(o.types))
	return o, nil
}

func (o *distinctOp) open(ctx context.Context) error {
	o.mem.free()
	o.table = vec.NewTable(o.types)
	return o.input.open(ctx)
}

func (o *distinctOp) next(ctx context.Context) (*batch.Batch, error) {
	for {
		in, err := nextRows(ctx, o.input)
		if err != nil || in == nil {
			return nil, err
		}
		for i := range o.vecs {
			if o.keys == nil {
				o.vecs[i] = vec.Vec{Column: in.Cols[i]}
				continue
			}
			if o.vecs[i], err = o.keys[i].Eval(ctx, in, in.Sel); err != nil {
				return nil, err
			}
		}
		if o.sel, err = firsts(o.table, &o.mem, o.vecs, vec.Positions(in.Sel, in.Len), &o.ids, o.sel); err != nil {
			return nil, err
		}
		if len(o.sel) == 0 {
			continue
		}
		o.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: o.sel}
		return &o.out, nil
	}
}

// firsts gives in sel the positions whose keys the table hadn't seen, and enters them.
func firsts(t *vec.Table, mem *memory, keys []vec.Vec, pos []int32, ids *[]int32, sel []int32) ([]int32, error) {
	known, size := int32(t.Len()), t.Size()
	if cap(*ids) < len(pos) {
		*ids = make([]int32, len(pos))
	}
	got := (*ids)[:len(pos)]
	t.Assign(keys, pos, got)
	sel = sel[:0]
	for k, id := range got {
		if id == known {
			sel = append(sel, pos[k])
			known++
		}
	}
	grown := t.Size() - size
	for _, v := range keys {
		if !v.Const {
			grown += vec.ColumnSize(v.Column, sel)
		}
	}
	return sel, mem.take(grown)
}

func (o *distinctOp) close() error {
	o.mem.free()
	o.table = nil
	return o.input.close()
}
