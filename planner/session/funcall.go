package session

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Function finds a scalar function by OID, for the protocol's function call message.
func (s *Session) Function(oid uint32) (*functions.Scalar, error) {
	if fn, ok := s.srv.registry.ByOID(oid).(*functions.Scalar); ok && fn.Eval != nil && !fn.Ret.IsPoly() {
		return fn, nil
	}
	return nil, dberr.New(dberr.UndefinedFunction, "function with OID %d does not exist", oid)
}

// CallFunction calls a function as a statement of its own.
func (s *Session) CallFunction(ctx context.Context, fn *functions.Scalar, args []value.Value) (value.Value, error) {
	if err := s.step(ctx, evStatement); err != nil {
		return value.Null, err
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return value.Null, err
	}
	exprs := make([]plan.Expr, len(args))
	for i, a := range args {
		exprs[i] = &plan.Const{Typed: plan.Typed{T: fn.Params[i].Type, M: -1}, Val: a}
	}
	p := &Portal{s: s, began: s.srv.clock()}
	p.prepareRun(txn)
	out, err := p.evaluate(ctx, []plan.Expr{&plan.Call{Typed: plan.Typed{T: fn.Ret, M: -1}, Fn: fn, Args: exprs, Name: fn.Name, Pos: -1}})
	if err != nil {
		return value.Null, err
	}
	return out[0], nil
}
