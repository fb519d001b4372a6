package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
)

// distinctOp passes on the first row of each combination of key values.
type distinctOp struct {
	input op
	keys  []eval.Node // nil: all columns
	vecs  []vec.Vec
	seen  seenRows
	ended bool
}

func (b *builder) distinct(n *plan.Distinct) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &distinctOp{input: in}
	if n.On == nil {
		o.seen = b.seenRows(types(n.Input.Cols()))
	} else {
		if o.keys, err = b.scope(n.Input.Cols()).CompileAll(n.On); err != nil {
			return nil, err
		}
		o.seen = seenRows{mem: b.memory()} // its rows come in an order that must stay, so that none is put off
		for _, e := range n.On {
			o.seen.types = append(o.seen.types, e.Type())
		}
	}
	o.vecs = make([]vec.Vec, len(o.seen.types))
	return o, nil
}

func (o *distinctOp) open(ctx context.Context) error {
	o.ended = false
	if err := o.seen.reset(); err != nil {
		return err
	}
	return o.input.open(ctx)
}

func (o *distinctOp) next(ctx context.Context) (*batch.Batch, error) {
	for !o.ended {
		in, err := nextRows(ctx, o.input)
		if err != nil {
			return nil, err
		}
		if in == nil {
			o.ended = true
			break
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
		if out, err := o.seen.firsts(in, o.vecs); out != nil || err != nil {
			return out, err
		}
	}
	return o.seen.later(ctx)
}

func (o *distinctOp) close() error {
	err := o.seen.free()
	if e := o.input.close(); err == nil {
		err = e
	}
	return err
}
