package exec

import (
	"context"
	"sort"

	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/storage/batch"
)

// fault gives the rows in front of one that fails, as an executor that goes row by row does: a client sees them, and a LIMIT may be
// satisfied by them.
type fault struct {
	repeatable bool  // the expressions may be evaluated again
	err        error // of the row behind those given
}

// take gives the error that stands behind the rows given before, once.
func (f *fault) take() error {
	err := f.err
	f.err = nil
	return err
}

// eval evaluates something for a batch. When a row fails behind others, it does so for the others alone, and keeps the error.
func (f *fault) eval(ctx context.Context, in *batch.Batch, do func(rows *batch.Batch) error) error {
	err := do(in)
	if err == nil || !f.repeatable || ctx.Err() != nil || in.Rows() < 2 {
		return err
	}
	pos := vec.Positions(in.Sel, in.Len)
	part := func(from, to int) *batch.Batch { return &batch.Batch{Cols: in.Cols, Len: in.Len, Sel: pos[from:to]} }
	good := sort.Search(len(pos), func(n int) bool { return do(part(0, n+1)) != nil })
	if good == 0 || good == len(pos) {
		return err
	}
	if f.err = do(part(good, good+1)); f.err == nil {
		return err
	}
	return do(part(0, good))
}
