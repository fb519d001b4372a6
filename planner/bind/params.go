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
	return b.at(&plan.Param{Typed: plan.Typed{T: t, M: -1}, Num: n}, pos), nil
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
	return b.at(&plan.Param{Typed: plan.Typed{T: to, M: -1}, Num: p.Num}, b.posOf(p)), nil
}

// paramTypes lists the final types; one that nothing determined is 42P18.
func (b *binder) paramTypes() ([]*value.Type, error) {
	for i, t := range b.params {
		if t == nil || isUnknown(t) {
			pos := -1
			for e, at := range b.pos {
				if p, ok := e.(*plan.Param); ok && p.Num == i+1 && (pos < 0 || at < pos) {
					pos = at
				}
			}
			return nil, errAt(pos, dberr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	return b.params, nil
}
