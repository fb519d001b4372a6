package exec

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
)

// lockOp locks the rows that pass through it: FOR UPDATE and friends. A row that another transaction changed since the statement's
// snapshot makes the statement start again on a newer one (storage.ErrRestart, the session's business); with SKIP LOCKED rows that
// are locked are left out.
type lockOp struct {
	input op
	b     *builder
	rels  []lockTarget
	sel   []int32
	out   batch.Batch

	wanted eval.Node // nil: all rows
	left   int64     // rows that are still wanted
}

type lockTarget struct {
	plan.LockRel
	key  int
	mode storage.RowMode
	wait storage.WaitPolicy
}

// lockModes and lockWaits give storage's names for the letters of plan.RowLock.
var (
	lockModes = map[byte]storage.RowMode{'u': storage.ForUpdate, 'n': storage.ForNoKeyUpdate, 's': storage.ForShare, 'k': storage.ForKeyShare}
	lockWaits = map[byte]storage.WaitPolicy{'w': storage.Wait, 'n': storage.NoWait, 's': storage.SkipLocked}
)

func (b *builder) lock(n *plan.Lock) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &lockOp{input: in, b: b}
	at := eval.Layout(n.Input.Cols())
	for _, r := range n.Rels {
		o.rels = append(o.rels, lockTarget{LockRel: r, key: at[r.RowKey], mode: lockModes[r.Lock.Strength], wait: lockWaits[r.Lock.Wait]})
	}
	if n.Wanted != nil {
		o.wanted, err = b.scope(nil).Compile(n.Wanted)
	}
	return o, err
}

func (o *lockOp) open(ctx context.Context) error {
	o.left = math.MaxInt64
	if o.wanted != nil {
		v, err := eval.Value(ctx, o.wanted)
		if err != nil {
			return err
		}
		if !v.IsNull() {
			o.left = v.Int()
		}
	}
	return o.input.open(ctx)
}

func (o *lockOp) next(ctx context.Context) (*batch.Batch, error) {
	for o.left > 0 {
		in, err := nextRows(ctx, o.input)
		if err != nil || in == nil {
			return nil, err
		}
		o.sel = o.sel[:0]
		for _, p := range vec.Positions(in.Sel, in.Len) {
			if o.left == 0 {
				break
			}
			ok, err := o.lockAll(ctx, in, int(p))
			if err != nil {
				return nil, err
			}
			if ok {
				o.sel = append(o.sel, p)
				o.left--
			}
		}
		if len(o.sel) > 0 {
			o.out = batch.Batch{Cols: in.Cols, Len: in.Len, Sel: o.sel}
			return &o.out, nil
		}
	}
	return nil, nil
}

// lockAll locks the rows that position p is made of; false leaves the position out.
func (o *lockOp) lockAll(ctx context.Context, in *batch.Batch, p int) (bool, error) {
	for i := range o.rels {
		t := &o.rels[i]
		if in.Cols[t.key].IsNull(p) {
			continue // the nullable side of an outer join
		}
		key := in.Cols[t.key].Get(p).Bytes()
		old, ok, err := o.b.rt.Txn.Get(ctx, t.Rel, key)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, storage.ErrRestart
		}
		state, _, err := o.b.rt.Txn.LockRow(ctx, t.Rel, key, old, t.mode, t.wait)
		if err != nil {
			return false, err
		}
		switch state {
		case storage.RowSkipped:
			return false, nil
		case storage.RowGone:
			if t.wait == storage.SkipLocked {
				return false, nil
			}
			return false, storage.ErrRestart
		case storage.RowChanged:
			return false, storage.ErrRestart
		}
	}
	return true, nil
}

func (o *lockOp) close() error { return o.input.close() }
