package exec

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// limitOp passes rows on after an offset, up to a count, and with ties the peers of the last one.
type limitOp struct {
	input         op
	count, offset eval.Node
	ties          bool
	keys          []eval.Node
	same          []vec.Equaler
	last          []*value.Column // keys of the last row counted
	skip, left    int64
	tying         bool
	done          bool
	sel           []int32
	out           batch.Batch
}

func (b *builder) limit(n *plan.Limit) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &limitOp{input: in, ties: n.Ties}
	outside := b.scope(nil)
	if n.Count != nil {
		if o.count, err = outside.Compile(n.Count); err != nil {
			return nil, err
		}
	}
	if n.Offset != nil {
		if o.offset, err = outside.Compile(n.Offset); err != nil {
			return nil, err
		}
	}
	if n.Ties {
		inside := b.scope(n.Input.Cols())
		for _, k := range n.Keys {
			x, err := inside.Compile(k.Expr)
			if err != nil {
				return nil, err
			}
			o.keys = append(o.keys, x)
			o.same = append(o.same, vec.EqualerOf(k.Expr.Type()))
			o.last = append(o.last, value.NewColumn(k.Expr.Type(), 1))
		}
	}
	return o, nil
}

// rowCount evaluates a count; NULL and a missing one are none.
func rowCount(ctx context.Context, n eval.Node, none int64, negative *dberr.Error) (int64, error) {
	if n == nil {
		return none, nil
	}
	v, err := eval.Value(ctx, n)
	if err != nil || v.IsNull() {
		return none, err
	}
	if v.Int() < 0 {
		return 0, negative
	}
	return v.Int(), nil
}

var (
	negativeLimit  = dberr.New(dberr.InvalidRowCountInLimit, "LIMIT must not be negative")
	negativeOffset = dberr.New(dberr.InvalidRowCountInOffset, "OFFSET must not be negative")
)

func (o *limitOp) open(ctx context.Context) (err error) {
	o.done, o.tying = false, false
	if o.skip, err = rowCount(ctx, o.offset, 0, negativeOffset); err != nil {
		return err
	}
	if o.left, err = rowCount(ctx, o.count, math.MaxInt64, negativeLimit); err != nil {
		return err
	}
	return o.input.open(ctx)
}

func (o *limitOp) next(ctx context.Context) (*batch.Batch, error) {
	for !o.done {
		if o.left == 0 && !o.tying {
			break
		}
		in, err := nextRows(ctx, o.input)
		if err != nil || in == nil {
			return nil, err
		}
		pos := vec.Positions(in.Sel, in.Len)
		if o.skip >= int64(len(pos)) {
			o.skip -= int64(len(pos))
			continue
		}
		pos, o.skip = pos[o.skip:], 0
		take := pos[:min(int64(len(pos)), o.left)]
		o.left -= int64(len(take))
		if o.ties && o.left == 0 {
			if take, err = o.withPeers(ctx, in, pos, len(take)); err != nil {
				return nil, err
			}
		}
		if len(take) == 0 {
			break
		}
		o.sel = append(o.sel[:0], take...)
		o.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: o.sel}
		return &o.out, nil
	}
	o.done = true
	return nil, nil
}

// withPeers extends the first n of pos by the rows that tie with the last row counted.
func (o *limitOp) withPeers(ctx context.Context, in *batch.Batch, pos []int32, n int) ([]int32, error) {
	keys := make([]vec.Vec, len(o.keys))
	for i, k := range o.keys {
		v, err := k.Eval(ctx, in, pos)
		if err != nil {
			return nil, err
		}
		keys[i] = v
	}
	if !o.tying {
		for i, v := range keys {
			o.last[i].Reset()
			vec.AppendAt(o.last[i], v.Column, v.At(pos[n-1]))
		}
		o.tying = true
	}
	for ; n < len(pos); n++ {
		for i, v := range keys {
			if !o.same[i](v.Column, v.At(pos[n]), o.last[i], 0) {
				o.tying, o.done = false, true
				return pos[:n], nil
			}
		}
	}
	return pos[:n], nil
}

func (o *limitOp) close() error { return o.input.close() }
