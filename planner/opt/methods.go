package opt

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// chooseJoins gives each join its method: by hash where it has equalities between its sides, else row by row. The right side is the
// one that is kept in memory; where a join of another kind allows it the smaller side becomes the right one.
func chooseJoins(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		if j, ok := n.(*plan.Join); ok && j.Method == 0 {
			return c.method(j)
		}
		return n, nil
	})
}

func (c *Context) method(j *plan.Join) (plan.Node, error) {
	better := *j
	better.Method = 'n'
	if j.Lateral {
		return &better, nil
	}
	keys, eqs, rest := hashKeys(j)
	switch {
	case len(keys) == 0 && j.Kind == plan.FullJoin && !decided(j.On):
		return nil, dberr.New(dberr.FeatureNotSupported, "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions")
	case len(keys) > 0:
		better.Method, better.HashKeys, better.HashEq, better.Residual = 'h', keys, eqs, and(rest)
	}
	if right := c.rows(j.Right); right > c.rows(j.Left)*1.2 && (j.Kind == plan.InnerJoin && !onlyCatalogs(j.Left) || right > fewRows) {
		swapSides(&better)
	}
	return &better, nil
}

// decided tells whether a condition is the same for all pairs of rows, or there is none.
func decided(e plan.Expr) bool {
	_, fixed := e.(*plan.Const)
	return e == nil || fixed
}

// fewRows is up to how many rows the right side of an outer join, or of one of catalogs, stays in memory although it is the bigger one: the
// rows then come in the order of the left side, those without a partner among the others, which readers of catalogs are used to.
const fewRows = 4096

// swapSides exchanges the sides of a join whose kind has a mirror image. Columns are known by id, so nobody above notices.
func swapSides(j *plan.Join) {
	mirror := map[plan.JoinKind]plan.JoinKind{plan.InnerJoin: plan.InnerJoin, plan.LeftJoin: plan.RightJoin, plan.RightJoin: plan.LeftJoin,
		plan.FullJoin: plan.FullJoin}
	kind, ok := mirror[j.Kind]
	if !ok {
		return
	}
	j.Kind, j.Left, j.Right = kind, j.Right, j.Left
	j.HashKeys = append([][2]plan.Expr(nil), j.HashKeys...)
	for i, k := range j.HashKeys {
		j.HashKeys[i] = [2]plan.Expr{k[1], k[0]}
	}
}

// hashKeys finds the equalities of a join's condition between the two sides.
func hashKeys(j *plan.Join) (keys [][2]plan.Expr, eqs []*functions.Scalar, rest []plan.Expr) {
	left, right := setOf(j.Left.Cols()), setOf(j.Right.Cols())
	for _, e := range conjuncts(j.On, nil) {
		l, r, fn, ok := equality(e, left, right)
		if !ok {
			rest = append(rest, e)
			continue
		}
		keys, eqs = append(keys, [2]plan.Expr{l, r}), append(eqs, fn)
	}
	return keys, eqs, rest
}

// equality reads a = b with one side over left and the other over right, by an equality that hashing knows.
func equality(e plan.Expr, left, right plan.ColSet) (l, r plan.Expr, fn *functions.Scalar, ok bool) {
	c, isCall := e.(*plan.Call)
	if !isCall || c.Style != plan.OpStyle || c.Name != "=" || len(c.Args) != 2 || volatile(e) || hasSubquery(e) ||
		!vec.Hashable(c.Args[0].Type(), c.Args[1].Type()) {
		return nil, nil, nil, false
	}
	l, r = c.Args[0], c.Args[1]
	for range 2 {
		lr, rr := plan.RefsOf(l), plan.RefsOf(r)
		if refsAny(lr, left) && !refsAny(lr, right) && refsAny(rr, right) && !refsAny(rr, left) {
			return l, r, c.Fn, true
		}
		l, r = r, l
	}
	return nil, nil, nil, false
}
