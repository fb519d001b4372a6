package exec

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
)

// virtualScan reads a computed relation.
func (b *builder) virtualScan(n *plan.VirtualScan) (op, error) {
	shape := schema(n.Out)
	return &iterOp{start: func(ctx context.Context) (batch.Iter, error) {
		return n.Table.Open(ctx, &functions.Call{Env: b.rt.Env}, nil, shape)
	}}, nil
}
