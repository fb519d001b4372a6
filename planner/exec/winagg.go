package exec

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// aggregate computes an aggregate over each row's frame. The accumulator follows the frame: it grows as the end moves on; when the
// start moves, rows are taken back if the aggregate can, else it begins again; equal frames share their result.
func (w *winCall) aggregate(ctx context.Context, p *partition) error {
	a := &frameAgg{w: w, p: p}
	if w.frame.whole(p) {
		if err := a.restart(ctx, [][2]int{{0, p.size()}}); err != nil {
			return err
		}
		v, err := a.acc.Result(ctx)
		if err != nil {
			return err
		}
		for range p.size() {
			w.out.Append(v)
		}
		return nil
	}
	for i := range p.size() {
		ranges, err := w.frame.ranges(p, i)
		if err != nil {
			return err
		}
		v, err := a.move(ctx, ranges)
		if err != nil {
			return err
		}
		w.out.Append(v)
	}
	return nil
}

type frameAgg struct {
	w    *winCall
	p    *partition
	acc  functions.Accumulator
	have [][2]int // the frame that acc holds
	last value.Value
	work int
}

// move brings the accumulator to a frame and gives its result.
func (a *frameAgg) move(ctx context.Context, want [][2]int) (value.Value, error) {
	if a.acc != nil && slices.Equal(a.have, want) {
		return a.last, nil
	}
	if err := a.bring(ctx, want); err != nil {
		return value.Null, err
	}
	a.have = append(a.have[:0], want...)
	var err error
	a.last, err = a.acc.Result(ctx)
	return a.last, err
}

func (a *frameAgg) bring(ctx context.Context, want [][2]int) error {
	if a.acc == nil || len(a.have) != 1 || len(want) != 1 {
		return a.restart(ctx, want)
	}
	have, to := a.have[0], want[0]
	if to[0] < have[0] || to[1] < have[1] || to[0] >= have[1] {
		return a.restart(ctx, want)
	}
	if to[0] > have[0] {
		r, ok := a.acc.(functions.Remover)
		if !ok || !a.w.call.Agg.Removable {
			return a.restart(ctx, want)
		}
		for i := have[0]; i < to[0]; i++ {
			if vals, ok := a.row(i); ok {
				if err := r.Remove(ctx, vals); err != nil {
					return err
				}
			}
		}
	}
	return a.add(ctx, have[1], to[1])
}

// restart begins a new accumulation.
func (a *frameAgg) restart(ctx context.Context, want [][2]int) error {
	fn := a.w.call.Agg
	if fn.New == nil {
		return dberr.New(dberr.FeatureNotSupported, "aggregate function %s cannot be used as a window function", fn.Name)
	}
	call := a.w.fc
	a.acc = fn.New(&call)
	for _, r := range want {
		if err := a.add(ctx, r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}

func (a *frameAgg) add(ctx context.Context, from, to int) error {
	for i := from; i < to; i++ {
		if a.work++; a.work&0xffff == 0 && ctx.Err() != nil {
			return canceled(ctx)
		}
		vals, ok := a.row(i)
		if !ok {
			continue
		}
		if err := a.acc.Add(ctx, vals); err != nil {
			return err
		}
	}
	return nil
}

// row gives the arguments of row i, false when it doesn't count.
func (a *frameAgg) row(i int) ([]value.Value, bool) {
	at := a.p.from + i
	if a.w.passes != nil && !a.w.passes[at] {
		return nil, false
	}
	for k, c := range a.w.cols {
		if a.w.call.Agg.Strict && c.IsNull(at) {
			return nil, false
		}
		a.w.vals[k] = c.Get(at)
	}
	return a.w.vals, true
}
