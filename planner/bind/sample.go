package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// invalidSample is SQLSTATE 2202H, invalid_tablesample_argument; invalidRepeat is 2202G.
const (
	invalidSample = "2202H"
	invalidRepeat = "2202G"
)

// tableSample binds table TABLESAMPLE method (percent) [REPEATABLE (seed)]. Both methods choose single rows here: there are no pages to
// choose from. A seed makes the choice a function of the row's ordinal.
func (b *binder) tableSample(s *scope, x *pg_query.RangeTableSample) (plan.Node, *item, error) {
	rv := x.Relation.GetRangeVar()
	if rv == nil {
		return nil, nil, errAt(loc(x.Location), dberr.SyntaxError, "TABLESAMPLE clause can only be applied to tables and materialized views")
	}
	node, it, err := b.rangeVar(s, rv)
	if err != nil {
		return nil, nil, err
	}
	if it.scan == nil {
		return nil, nil, errAt(loc(x.Location), dberr.WrongObjectType, "TABLESAMPLE clause can only be applied to tables and materialized views")
	}
	method := strs(x.Method)
	if m := method[len(method)-1]; m != "bernoulli" && m != "system" {
		return nil, nil, errAt(loc(x.Location), dberr.UndefinedObject, "tablesample method %s does not exist", m)
	}
	if len(x.Args) != 1 {
		return nil, nil, errAt(loc(x.Location), invalidSample, "tablesample method %s requires 1 argument, not %d", method[len(method)-1], len(x.Args))
	}
	var percent, seed plan.Expr
	err = b.lateral(s, true, inFromFunction, func() error {
		e, err := b.expr(s, x.Args[0])
		if err == nil {
			percent, err = b.specific(e, value.Float4, "TABLESAMPLE")
		}
		if err != nil || x.Repeatable == nil {
			return err
		}
		if e, err = b.expr(s, x.Repeatable); err == nil {
			seed, err = b.specific(e, value.Float8, "REPEATABLE")
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if err := checkSample(percent, seed); err != nil {
		return nil, nil, err
	}
	pred, err := b.samplePred(it, percent, seed)
	if err != nil {
		return nil, nil, err
	}
	return &plan.Filter{Input: node, Pred: pred}, it, nil
}

// checkSample checks arguments that are constants.
func checkSample(percent, seed plan.Expr) error {
	if c, ok := percent.(*plan.Const); ok {
		if c.Val.IsNull() {
			return dberr.New(invalidSample, "TABLESAMPLE parameter cannot be null")
		}
		if p := c.Val.Float(); !(p >= 0 && p <= 100) {
			return dberr.New(invalidSample, "sample percentage must be between 0 and 100")
		}
	}
	if c, ok := seed.(*plan.Const); ok && c.Val.IsNull() {
		return dberr.New(invalidRepeat, "TABLESAMPLE REPEATABLE parameter cannot be null")
	}
	return nil
}

// samplePred is chance < percent / 100, where the chance is random, or comes from a hash of ordinal and seed.
func (b *binder) samplePred(it *item, percent, seed plan.Expr) (plan.Expr, error) {
	chance, err := b.call("random")
	if err != nil {
		return nil, err
	}
	scale := int64(1)
	if seed != nil {
		scale = 1 << 20
		ordinal := b.scanColumn(it, "", storage.ScanCol{Kind: storage.ColOrdinal, Type: value.Int8, Mod: -1}, value.Int8)
		whole, ok, err := b.coerce(seed, value.Int8, -1, functions.Explicit, plan.ImplicitCastStyle, -1)
		if err != nil || !ok {
			return nil, err
		}
		if chance, err = b.call("hashint8extended", ordinal, whole); err != nil {
			return nil, err
		}
		if chance, err = b.makeOp("&", chance, intConst(value.Int8, scale-1), -1); err != nil {
			return nil, err
		}
	}
	share, err := b.makeOp("*", percent, &plan.Const{Typed: plan.Typed{T: value.Float8, M: -1}, Val: value.Float(float64(scale) / 100)}, -1)
	if err != nil {
		return nil, err
	}
	if chance, err = b.implicitly(chance, value.Float8); err != nil {
		return nil, err
	}
	return b.makeOp("<", chance, share, -1)
}

// call binds a call of a function by name; its absence is an error of the user's world (42883).
func (b *binder) call(name string, args ...plan.Expr) (plan.Expr, error) {
	c := &call{name: name, args: args, pos: -1}
	r, err := b.resolve(c)
	if err != nil {
		return nil, err
	}
	if r == nil || r.scalar == nil {
		return nil, dberr.New(dberr.UndefinedFunction, "function %s does not exist", c.signature())
	}
	return &plan.Call{Typed: plan.Typed{T: r.ret, M: -1}, Fn: r.scalar, Args: r.args, Style: plan.FuncStyle, Name: name, Pos: -1}, nil
}
