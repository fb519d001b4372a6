package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// Values evaluates expressions that refer to no row: the arguments of EXECUTE, the options of a cursor.
func Values(ctx context.Context, rt *Runtime, es []plan.Expr) (out []value.Value, err error) {
	defer eval.Contain(&err)
	b := newBuilder(ctx, rt)
	s := b.scope(nil)
	for _, e := range es {
		v, err := s.ConstValue(ctx, e)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, closeAll(b.subplans...)
}
