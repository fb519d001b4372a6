package exec

import (
	"bytes"
	"context"
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
)

// either has the scan read the rows that the indexes of an OR's arms find, each once. Where one of them is newer than what the statement
// sees, or where they are so many that reading everything is cheaper, it reads everything: the filters decide about each row either way.
func (o *scanOp) either(ctx context.Context, spec *storage.ScanSpec) (some bool, err error) {
	rows, err := o.b.rt.Txn.Count(ctx, o.n.Rel)
	if err != nil {
		return false, err
	}
	left := max(rows/lookupCost, minLookups)
	var all [][]byte
	for i := range o.n.Access.Either {
		keys, ok, err := o.armKeys(ctx, &o.n.Access.Either[i], rows, left)
		if left -= int64(len(keys)); err != nil || !ok || left < 0 {
			return err == nil, err
		}
		all = append(all, keys...)
	}
	slices.SortFunc(all, bytes.Compare)
	spec.Keys = slices.CompactFunc(all, bytes.Equal)
	return len(spec.Keys) > 0, nil
}

// armKeys are the keys of the rows that one access finds, at least limit when there are more; ok is false when it cannot tell.
func (o *scanOp) armKeys(ctx context.Context, a *plan.Access, rows, limit int64) (keys [][]byte, ok bool, err error) {
	by := o.access(ctx, a)
	switch {
	case a.Index == nil:
		keys, err = by.keys()
		return keys, err == nil, err
	case a.AnyOf != nil:
		return o.termKeys(ctx, a, rows)
	case !o.b.rt.Txn.CanRead(a.Index):
		return nil, false, nil
	}
	ranges, err := by.ranges()
	if err != nil {
		return nil, false, err
	}
	keys, err = o.b.rt.Txn.IndexRows(ctx, o.n.Rel, a.Index, ranges, limit+1)
	return keys, err == nil, err
}
