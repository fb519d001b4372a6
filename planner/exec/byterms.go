package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/index/gin"
	"github.com/omgdb/omgdb/storage/value"
)

// byTerms has the scan read the rows that a gin index finds for a condition. Where the index cannot tell, or is newer than what the
// statement sees, it reads everything: the filters decide about each row either way.
func (o *scanOp) byTerms(ctx context.Context, spec *storage.ScanSpec) (some bool, err error) {
	rows, err := o.b.rt.Txn.Count(ctx, o.n.Rel)
	if err != nil {
		return false, err
	}
	keys, ok, err := o.termKeys(ctx, &o.n.Access, rows)
	if err != nil || !ok {
		return err == nil, err
	}
	spec.Keys = keys
	return len(keys) > 0, nil
}

// termKeys are the keys of the rows that a gin index finds among rows; ok is false when it cannot tell, or when they are many.
func (o *scanOp) termKeys(ctx context.Context, a *plan.Access, rows int64) (keys [][]byte, ok bool, err error) {
	txn, x := o.b.rt.Txn, a.Index
	arg, err := o.fixed.value(ctx, a.AnyOf)
	if err != nil || arg.IsNull() {
		return nil, true, err
	}
	if !txn.CanRead(x) {
		return nil, false, nil
	}
	m, view, err := txn.OpenIndex(ctx, o.n.Rel, x)
	if err != nil {
		return nil, false, err
	}
	ix, ok := m.(*gin.Index)
	if !ok {
		return nil, false, nil
	}
	limit := max(rows/2, minLookups) // of texts to be taken apart
	if x.Keys[0].Type.OID != value.TSVector.OID {
		limit = max(rows/lookupCost, minLookups)
	}
	return ix.Lookup(ctx, view, a.Function, arg, int(limit))
}
