package exec

import (
	"context"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index/gin"
	"github.com/omgdb/omgdb/storage/value"
)

// byTerms has the scan read the rows that a gin index finds for a condition. Where the index cannot tell, or is newer than what the
// statement sees, it reads everything: the filters decide about each row either way.
func (o *scanOp) byTerms(ctx context.Context, spec *storage.ScanSpec, x *catalog.Index) (some bool, err error) {
	arg, err := o.fixed.value(ctx, o.n.Access.AnyOf)
	if err != nil || arg.IsNull() {
		return false, err
	}
	txn := o.b.rt.Txn
	if !txn.CanRead(x) {
		return true, nil
	}
	m, view, err := txn.OpenIndex(ctx, o.n.Rel, x)
	if err != nil {
		return false, err
	}
	ix, ok := m.(*gin.Index)
	if !ok {
		return true, nil
	}
	rows, err := txn.Count(ctx, o.n.Rel)
	if err != nil {
		return false, err
	}
	limit := max(rows/2, minLookups) // of texts to be taken apart
	if x.Keys[0].Type.OID != value.TSVector.OID {
		limit = max(rows/lookupCost, minLookups)
	}
	keys, ok, err := ix.Lookup(ctx, view, o.n.Access.Function, arg, int(limit))
	if err != nil || !ok {
		return err == nil, err
	}
	spec.Keys = keys
	return len(keys) > 0, nil
}
