package exec

import (
	"context"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index/gin"
	"github.com/omgdb/omgdb/storage/typeio"
)

// byLexemes has the scan read the rows that an index over lexemes finds for a tsquery. Where the index cannot tell, or is newer than what
// the statement sees, it reads everything: the filters decide about each row either way.
func (o *scanOp) byLexemes(ctx context.Context, spec *storage.ScanSpec, x *catalog.Index) (some bool, err error) {
	q, err := o.fixed.value(ctx, o.n.Access.AnyOf)
	if err != nil || q.IsNull() {
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
	keys, ok, err := ix.Lookup(ctx, view, typeio.TSQ(q))
	if err != nil || !ok {
		return err == nil, err
	}
	rows, err := txn.Count(ctx, o.n.Rel)
	if err != nil || int64(len(keys)) > max(rows/2, minLookups) {
		return err == nil, err // nearly everything: in its own order that is cheaper
	}
	spec.Keys = keys
	return len(keys) > 0, nil
}
