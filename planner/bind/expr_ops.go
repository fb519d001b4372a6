package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// aExpr binds operators and the constructs that are made of them.
func (b *binder) aExpr(s *scope, x *pg_query.A_Expr) (plan.Expr, error) {
	pos := loc(x.Location)
	name, err := b.opName(strs(x.Name), pos)
	if err != nil {
		return nil, err
	}
	switch x.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP, pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE, pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		return b.plainOp(s, name, x, pos)
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		return b.arrayOp(s, name, x, pos)
	case pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return b.distinctFrom(s, x, pos)
	case pg_query.A_Expr_Kind_AEXPR_NULLIF:
		return b.nullIf(s, x, pos)
	case pg_query.A_Expr_Kind_AEXPR_IN:
		return b.inList(s, name, x, pos)
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return b.between(s, x, pos)
	}
	return nil, errAt(pos, dberr.InternalError, "unknown kind of operator expression %v", x.Kind)
}

func (b *binder) plainOp(s *scope, name string, x *pg_query.A_Expr, pos int) (plan.Expr, error) {
	lrow, rrow := x.Lexpr.GetRowExpr(), x.Rexpr.GetRowExpr()
	if sub := x.Rexpr.GetSubLink(); lrow != nil && sub != nil && sub.SubLinkType == pg_query.SubLinkType_EXPR_SUBLINK {
		return b.rowSub(s, name, lrow, sub, pos)
	}
	if lrow != nil && rrow != nil {
		l, err := b.exprs(s, lrow.Args)
		if err != nil {
			return nil, err
		}
		r, err := b.exprs(s, rrow.Args)
		if err != nil {
			return nil, err
		}
		return b.compareRows(name, l, r, pos)
	}
	var left plan.Expr
	var err error
	if x.Lexpr != nil {
		if left, err = b.expr(s, x.Lexpr); err != nil {
			return nil, err
		}
	}
	right, err := b.expr(s, x.Rexpr)
	if err != nil {
		return nil, err
	}
	return b.makeOp(name, left, right, pos)
}

// compareRows binds (a, b) op (c, d): = and <> column by column, the orderings as one comparison.
func (b *binder) compareRows(name string, l, r []plan.Expr, pos int) (plan.Expr, error) {
	if len(l) != len(r) {
		return nil, errAt(pos, dberr.SyntaxError, "unequal number of entries in row expressions")
	}
	if len(l) == 0 {
		return nil, errAt(pos, dberr.FeatureNotSupported, "cannot compare rows of zero length")
	}
	ops := make([]plan.Expr, len(l))
	for i := range l {
		e, err := b.makeOp(name, l[i], r[i], pos)
		if err != nil {
			return nil, err
		}
		if !same(e.Type(), value.Boolean) {
			return nil, errAt(pos, dberr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s", e.Type().SQL)
		}
		if hasSet(e) {
			return nil, errAt(pos, dberr.DatatypeMismatch, "row comparison operator must not return a set")
		}
		ops[i] = e
	}
	if len(ops) == 1 {
		return ops[0], nil
	}
	switch name {
	case "=", "<>":
		return &plan.BoolOp{Or: name == "<>", Args: ops}, nil
	case "<", "<=", ">", ">=":
	default:
		return nil, errAt(pos, dberr.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", name).
			WithHint("Row comparison operators must be associated with btree operator families.")
	}
	out := &plan.RowCompare{Op: name}
	for _, e := range ops {
		c := e.(*plan.Call)
		left, right := c.Args[0], c.Args[1]
		eq, lt := b.Registry.Operator("=", left.Type(), right.Type()), b.Registry.Operator("<", left.Type(), right.Type())
		if eq == nil || lt == nil {
			eq, lt = b.eqOp(left.Type()), b.ltOp(left.Type())
		}
		if eq == nil || lt == nil {
			return nil, errAt(pos, dberr.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", name)
		}
		out.Left, out.Right = append(out.Left, left), append(out.Right, right)
		out.Eq, out.Lt = append(out.Eq, eq.Fn), append(out.Lt, lt.Fn)
	}
	return out, nil
}

// arrayOp binds op ANY (array) and op ALL (array).
func (b *binder) arrayOp(s *scope, name string, x *pg_query.A_Expr, pos int) (plan.Expr, error) {
	left, err := b.expr(s, x.Lexpr)
	if err != nil {
		return nil, err
	}
	right, err := b.expr(s, x.Rexpr)
	if err != nil {
		return nil, err
	}
	return b.makeArrayOp(name, left, right, x.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ALL, pos)
}

func (b *binder) makeArrayOp(name string, left, right plan.Expr, all bool, pos int) (plan.Expr, error) {
	elem := value.Unknown
	if !isUnknown(right.Type()) {
		arr := baseType(right.Type())
		if arr.Elem == nil || !isArray(arr) {
			return nil, errAt(pos, dberr.WrongObjectType, "op ANY/ALL (array) requires array on right side")
		}
		elem = arr.Elem
	}
	op, err := b.operator(name, left.Type(), elem, pos)
	if err != nil {
		return nil, err
	}
	want, ret, err := b.instantiate([]*value.Type{left.Type(), elem}, []*value.Type{op.Left, op.Right}, op.Ret)
	if err != nil {
		return nil, err
	}
	if !same(ret, value.Boolean) {
		return nil, errAt(pos, dberr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean")
	}
	arr := b.arrayOf(want[1])
	if arr == nil {
		return nil, errAt(pos, dberr.UndefinedObject, "could not find array type for data type %s", want[1].SQL)
	}
	if left, err = b.at2(b.implicitly(left, want[0]))(left); err != nil {
		return nil, err
	}
	if right, err = b.at2(b.implicitly(right, arr))(right); err != nil {
		return nil, err
	}
	coll, err := b.callCollation([]plan.Expr{left, right}, pos)
	if err != nil {
		return nil, err
	}
	return b.at(&plan.ArrayOp{Left: left, Right: right, Fn: op.Fn, Op: name, All: all, Coll: coll}, leftmost(pos, b.posOf(left))), nil
}

// distinctFrom binds IS [NOT] DISTINCT FROM.
func (b *binder) distinctFrom(s *scope, x *pg_query.A_Expr, pos int) (plan.Expr, error) {
	not := x.Kind == pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT
	lrow, rrow := x.Lexpr.GetRowExpr(), x.Rexpr.GetRowExpr()
	if lrow != nil && rrow != nil {
		if len(lrow.Args) != len(rrow.Args) {
			return nil, errAt(pos, dberr.SyntaxError, "unequal number of entries in row expressions")
		}
		args := make([]plan.Expr, len(lrow.Args))
		for i := range args {
			l, err := b.expr(s, lrow.Args[i])
			if err != nil {
				return nil, err
			}
			r, err := b.expr(s, rrow.Args[i])
			if err != nil {
				return nil, err
			}
			if args[i], err = b.makeDistinct(l, r, not, pos); err != nil {
				return nil, err
			}
		}
		switch len(args) {
		case 0:
			return boolConst(not), nil
		case 1:
			return args[0], nil
		}
		return &plan.BoolOp{Or: !not, Args: args}, nil
	}
	l, err := b.expr(s, x.Lexpr)
	if err != nil {
		return nil, err
	}
	r, err := b.expr(s, x.Rexpr)
	if err != nil {
		return nil, err
	}
	return b.makeDistinct(l, r, not, pos)
}

func (b *binder) makeDistinct(l, r plan.Expr, not bool, pos int) (plan.Expr, error) {
	for i, e := range []plan.Expr{r, l} {
		if c, ok := e.(*plan.Const); ok && isUnknown(c.T) && c.Val.IsNull() {
			arg, err := b.resolveUnknown([]plan.Expr{l, r}[i])
			if err != nil {
				return nil, err
			}
			return &plan.IsNull{Arg: arg, Not: !not}, nil
		}
	}
	e, err := b.makeOp("=", l, r, pos)
	if err != nil {
		return nil, err
	}
	c := e.(*plan.Call)
	if !same(c.T, value.Boolean) {
		return nil, errAt(pos, dberr.DatatypeMismatch, "IS DISTINCT FROM requires = operator to yield boolean")
	}
	return &plan.IsDistinct{Left: c.Args[0], Right: c.Args[1], Eq: c.Fn, Not: not}, nil
}

func (b *binder) nullIf(s *scope, x *pg_query.A_Expr, pos int) (plan.Expr, error) {
	l, err := b.expr(s, x.Lexpr)
	if err != nil {
		return nil, err
	}
	r, err := b.expr(s, x.Rexpr)
	if err != nil {
		return nil, err
	}
	e, err := b.makeOp("=", l, r, pos)
	if err != nil {
		return nil, err
	}
	c := e.(*plan.Call)
	if !same(c.T, value.Boolean) {
		return nil, errAt(pos, dberr.DatatypeMismatch, "NULLIF requires = operator to yield boolean")
	}
	if err := b.refuseSets(c.Args, "NULLIF"); err != nil {
		return nil, err
	}
	first := c.Args[0]
	return b.at(&plan.NullIf{Typed: plan.Typed{T: first.Type(), M: first.Mod()}, Left: first, Right: c.Args[1], Eq: c.Fn}, pos), nil
}

// between binds the four forms of BETWEEN, as comparisons.
func (b *binder) between(s *scope, x *pg_query.A_Expr, pos int) (plan.Expr, error) {
	bounds := x.Rexpr.GetList().GetItems()
	if len(bounds) != 2 {
		return nil, errAt(pos, dberr.SyntaxError, "BETWEEN needs two bounds")
	}
	pair := func(lo, hi *pg_query.Node, op1, op2 string, or bool) (plan.Expr, error) {
		first, err := b.plainOp(s, op1, &pg_query.A_Expr{Lexpr: x.Lexpr, Rexpr: lo}, pos)
		if err != nil {
			return nil, err
		}
		second, err := b.plainOp(s, op2, &pg_query.A_Expr{Lexpr: x.Lexpr, Rexpr: hi}, pos)
		if err != nil {
			return nil, err
		}
		args := []plan.Expr{first, second}
		for i := range args {
			name := "AND"
			if or {
				name = "OR"
			}
			if args[i], err = b.boolean(args[i], name); err != nil {
				return nil, err
			}
		}
		return &plan.BoolOp{Or: or, Args: args}, nil
	}
	op1, op2, or, sym := ">=", "<=", false, false
	switch x.Kind {
	case pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		op1, op2, or = "<", ">", true
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM:
		sym = true
	case pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		op1, op2, or, sym = "<", ">", true, true
	}
	e, err := pair(bounds[0], bounds[1], op1, op2, or)
	if err != nil || !sym {
		return e, err
	}
	swapped, err := pair(bounds[1], bounds[0], op1, op2, or)
	if err != nil {
		return nil, err
	}
	return &plan.BoolOp{Or: !or, Args: []plan.Expr{e, swapped}}, nil
}

// inList binds x [NOT] IN (a, b, …). Items without columns that have a common type form one list, the others comparisons beside it.
func (b *binder) inList(s *scope, name string, x *pg_query.A_Expr, pos int) (plan.Expr, error) {
	not := name == "<>"
	left, err := b.expr(s, x.Lexpr)
	if err != nil {
		return nil, err
	}
	items, err := b.exprs(s, x.Rexpr.GetList().GetItems())
	if err != nil {
		return nil, err
	}
	var list, rest []plan.Expr
	for _, e := range items {
		if len(plan.RefsOf(e)) > 0 || hasPending(e) {
			rest = append(rest, e)
		} else {
			list = append(list, e)
		}
	}
	var parts []plan.Expr
	if len(list) > 1 {
		in, err := b.constList(left, list, not, pos)
		if err != nil {
			return nil, err
		}
		if in != nil {
			parts = append(parts, in)
			list = nil
		}
	}
	if len(list) > 0 {
		rest = items
	}
	for _, e := range rest {
		var cmp plan.Expr
		l, lok := left.(*plan.RowExpr)
		r, rok := e.(*plan.RowExpr)
		if lok && rok {
			cmp, err = b.compareRows(name, l.Fields, r.Fields, pos)
		} else {
			cmp, err = b.makeOp(name, left, e, pos)
		}
		if err != nil {
			return nil, err
		}
		if cmp, err = b.boolean(cmp, "IN"); err != nil {
			return nil, err
		}
		parts = append(parts, cmp)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return &plan.BoolOp{Or: !not, Args: parts}, nil
}

// constList makes an InList when the items and the left side have a common type whose arrays exist; else nil.
func (b *binder) constList(left plan.Expr, list []plan.Expr, not bool, pos int) (plan.Expr, error) {
	t, bad := b.commonTypeOf(types(append([]plan.Expr{left}, list...)))
	if bad >= 0 || isRecord(t) || b.arrayOf(t) == nil {
		return nil, nil
	}
	name := "="
	if not {
		name = "<>"
	}
	if _, err := b.operator(name, left.Type(), t, pos); err != nil {
		return nil, err
	}
	op, err := b.operator("=", left.Type(), t, pos)
	if err != nil {
		return nil, err
	}
	want, ret, err := b.instantiate([]*value.Type{left.Type(), t}, []*value.Type{op.Left, op.Right}, op.Ret)
	if err != nil {
		return nil, err
	}
	if !same(ret, value.Boolean) {
		return nil, errAt(pos, dberr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean")
	}
	out := &plan.InList{Eq: op.Fn, Not: not}
	if out.Left, err = b.at2(b.implicitly(left, want[0]))(left); err != nil {
		return nil, err
	}
	for _, e := range list {
		c, err := b.toCommon(e, t, "IN")
		if err != nil {
			return nil, err
		}
		if c, err = b.implicitly(c, want[1]); err != nil {
			return nil, err
		}
		out.List = append(out.List, c)
	}
	return out, nil
}

func hasPending(e plan.Expr) bool {
	found := false
	plan.Walk(e, func(x plan.Expr) bool {
		switch x.(type) {
		case *aggExpr, *winExpr, *setExpr, *groupingExpr:
			found = true
		}
		return !found
	})
	return found
}
