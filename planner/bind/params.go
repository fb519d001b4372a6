package bind

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// maxParams is what the protocol can count.
const maxParams = 65535

// param binds $n. Its type is what the client said, or what its first use made of it; unknown until then.
func (b *binder) param(n, pos int) (plan.Expr, error) {
	if n < 1 || n > maxParams || b.NoParams {
		return nil, errAt(pos, dberr.UndefinedParameter, "there is no parameter $%d", n)
	}
	for len(b.params) < n {
		b.params = append(b.params, nil)
	}
	t := b.params[n-1]
	if t == nil {
		t = value.Unknown
	}
	return b.given(n, t, pos)
}

// given is parameter n. Its value comes from outside, so it is checked where its type is made of domains; arguments of functions were
// when the function was called.
func (b *binder) given(n int, t *value.Type, pos int) (plan.Expr, error) {
	p := b.at(&plan.Param{Typed: plan.Typed{T: t, M: -1}, Num: n}, pos)
	if len(b.Args) > 0 || !holdsDomain(t, 0) {
		return p, nil
	}
	p = b.at(&plan.Param{Typed: plan.Typed{T: baseType(t), M: -1}, Num: n}, pos)
	return b.admit(p, t, plan.ImplicitCastStyle, pos)
}

// fixParam gives a parameter the type that its use asks for.
func (b *binder) fixParam(p *plan.Param, to *value.Type) (plan.Expr, error) {
	switch cur := b.params[p.Num-1]; {
	case cur == nil:
		b.params[p.Num-1] = to
	case !same(cur, to):
		return nil, errAt(b.posOf(p), dberr.AmbiguousParameter, "inconsistent types deduced for parameter $%d", p.Num).
			WithDetail("%s versus %s", cur.SQL, to.SQL)
	}
	return b.given(p.Num, to, b.posOf(p))
}

// paramTypes lists the final types; one that nothing determined is 42P18.
func (b *binder) paramTypes() ([]*value.Type, error) {
	for i, t := range b.params {
		if t == nil || isUnknown(t) {
			return nil, dberr.New(dberr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	return b.params, nil
}

// checkParams refuses a plan in which a parameter stands where nothing gave it the type that it has elsewhere ($1 IS NULL).
func (b *binder) checkParams(n plan.Node) (err error) {
	if len(b.params) == 0 {
		return nil
	}
	plan.WalkExprs(n, func(e plan.Expr) bool {
		if p, ok := e.(*plan.Param); ok && isUnknown(p.T) && err == nil {
			err = errAt(b.posOf(p), dberr.AmbiguousParameter, "could not determine data type of parameter $%d", p.Num)
		}
		return err == nil
	})
	return err
}
