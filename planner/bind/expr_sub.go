package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// subLink binds a query inside an expression.
func (b *binder) subLink(s *scope, x *pg_query.SubLink) (plan.Expr, error) {
	pos := loc(x.Location)
	if s != nil {
		if r := clauseRules[s.clause]; r.noSub {
			return nil, errAt(pos, dberr.FeatureNotSupported, "cannot use subquery in %s", subText(s.clause, r.name))
		}
	}
	q, err := b.subquery(s, x.Subselect)
	if err != nil {
		return nil, err
	}
	switch x.SubLinkType {
	case pg_query.SubLinkType_EXISTS_SUBLINK:
		return &plan.Subquery{Typed: plan.Typed{T: value.Boolean, M: -1}, Kind: plan.ExistsSub, Query: q.node}, nil
	case pg_query.SubLinkType_EXPR_SUBLINK, pg_query.SubLinkType_ARRAY_SUBLINK:
		if len(q.cols) != 1 {
			return nil, errAt(pos, dberr.SyntaxError, "subquery must return only one column")
		}
		c := q.cols[0]
		if x.SubLinkType == pg_query.SubLinkType_EXPR_SUBLINK {
			return &plan.Subquery{Typed: plan.Typed{T: c.Type, M: c.Mod}, Kind: plan.ScalarSub, Query: q.node}, nil
		}
		arr := b.arrayOf(baseType(c.Type))
		if isArray(baseType(c.Type)) {
			arr = baseType(c.Type)
		}
		if arr == nil {
			return nil, errAt(pos, dberr.UndefinedObject, "could not find array type for data type %s", c.Type.SQL)
		}
		return &plan.Subquery{Typed: plan.Typed{T: arr, M: c.Mod}, Kind: plan.ArraySub, Query: q.node}, nil
	case pg_query.SubLinkType_ANY_SUBLINK, pg_query.SubLinkType_ALL_SUBLINK:
		return b.quantified(s, x, q, pos)
	}
	return nil, errAt(pos, dberr.FeatureNotSupported, "this kind of subquery is not supported here")
}

// subText names the clause as the message about subqueries does.
func subText(c clause, name string) string {
	switch c {
	case inCheck:
		return "check constraint"
	case inCall:
		return "CALL argument"
	case inDefault, inFuncDefault:
		return "DEFAULT expression"
	case inGenerated:
		return "column generation expression"
	case inIndexExpr:
		return "index expression"
	case inIndexPred:
		return "index predicate"
	case inExecute:
		return "EXECUTE parameter"
	case inCopyWhere:
		return "COPY FROM WHERE condition"
	case inTransform:
		return "transform expression"
	}
	return name
}

// subquery binds a SELECT as a new level below s.
func (b *binder) subquery(s *scope, n *pg_query.Node) (*query, error) {
	sel := n.GetSelectStmt()
	if sel == nil {
		return nil, errAt(astPos(n), dberr.SyntaxError, "a query is wanted here")
	}
	if sel.IntoClause != nil {
		return nil, errAt(astPos(n), dberr.SyntaxError, "SELECT ... INTO is not allowed here")
	}
	return b.selectStmt(s, sel, subOpts)
}

// quantified binds x op ANY (query), x op ALL (query) and x IN (query).
func (b *binder) quantified(s *scope, x *pg_query.SubLink, q *query, pos int) (plan.Expr, error) {
	var left []plan.Expr
	var err error
	if row := x.Testexpr.GetRowExpr(); row != nil {
		left, err = b.exprs(s, row.Args)
	} else {
		var e plan.Expr
		if e, err = b.expr(s, x.Testexpr); err == nil {
			left = []plan.Expr{e}
		}
	}
	if err != nil {
		return nil, err
	}
	name := "="
	if len(x.OperName) > 0 {
		if name, err = b.opName(strs(x.OperName), pos); err != nil {
			return nil, err
		}
	}
	kind := plan.AnySub
	if x.SubLinkType == pg_query.SubLinkType_ALL_SUBLINK {
		kind = plan.AllSub
	}
	return b.compareSub(kind, name, left, q, pos)
}

// rowSub binds (a, b) op (SELECT c, d …).
func (b *binder) rowSub(s *scope, name string, row *pg_query.RowExpr, sub *pg_query.SubLink, pos int) (plan.Expr, error) {
	left, err := b.exprs(s, row.Args)
	if err != nil {
		return nil, err
	}
	q, err := b.subquery(s, sub.Subselect)
	if err != nil {
		return nil, err
	}
	return b.compareSub(plan.RowSub, name, left, q, pos)
}

// compareSub makes the comparison of left with the columns of a query.
func (b *binder) compareSub(kind plan.SubqueryKind, name string, left []plan.Expr, q *query, pos int) (plan.Expr, error) {
	if len(left) < len(q.cols) {
		return nil, errAt(pos, dberr.SyntaxError, "subquery has too many columns")
	}
	if len(left) > len(q.cols) {
		return nil, errAt(pos, dberr.SyntaxError, "subquery has too few columns")
	}
	right := make([]plan.Expr, len(q.cols))
	for i, c := range q.cols {
		right[i] = b.ref(c, pos)
	}
	cmp, err := b.compareRows(name, left, right, pos)
	if err != nil {
		return nil, err
	}
	if cmp, err = b.boolean(cmp, name); err != nil {
		return nil, err
	}
	return &plan.Subquery{Typed: plan.Typed{T: value.Boolean, M: -1}, Kind: kind, Query: q.node, Test: tests(cmp, left), Compare: cmp, Op: name}, nil
}

// tests gives the left sides as the comparison uses them, converted to the operators' types.
func tests(cmp plan.Expr, left []plan.Expr) []plan.Expr {
	switch x := cmp.(type) {
	case *plan.Call:
		if len(left) == 1 && len(x.Args) == 2 {
			return x.Args[:1:1]
		}
	case *plan.BoolOp:
		out := make([]plan.Expr, 0, len(x.Args))
		for _, a := range x.Args {
			c, ok := a.(*plan.Call)
			if !ok || len(c.Args) != 2 {
				return left
			}
			out = append(out, c.Args[0])
		}
		return out
	case *plan.RowCompare:
		return x.Left
	}
	return left
}
