package bind

import pg_query "github.com/omgdb/omgdb/planner/parse/ast"

// astPos is the leftmost place of an expression in the text, -1 when it has none.
func astPos(n *pg_query.Node) int {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		return loc(x.AConst.Location)
	case *pg_query.Node_ColumnRef:
		return loc(x.ColumnRef.Location)
	case *pg_query.Node_ParamRef:
		return loc(x.ParamRef.Location)
	case *pg_query.Node_AExpr:
		return leftmost(loc(x.AExpr.Location), astPos(x.AExpr.Lexpr))
	case *pg_query.Node_BoolExpr:
		if len(x.BoolExpr.Args) > 0 {
			return leftmost(loc(x.BoolExpr.Location), astPos(x.BoolExpr.Args[0]))
		}
		return loc(x.BoolExpr.Location)
	case *pg_query.Node_FuncCall:
		p := loc(x.FuncCall.Location)
		for _, a := range x.FuncCall.Args {
			p = leftmost(p, astPos(a))
		}
		return p
	case *pg_query.Node_TypeCast:
		return leftmost(leftmost(loc(x.TypeCast.Location), astPos(x.TypeCast.Arg)), loc(x.TypeCast.TypeName.GetLocation()))
	case *pg_query.Node_CaseExpr:
		return loc(x.CaseExpr.Location)
	case *pg_query.Node_SubLink:
		return leftmost(loc(x.SubLink.Location), astPos(x.SubLink.Testexpr))
	case *pg_query.Node_AArrayExpr:
		return loc(x.AArrayExpr.Location)
	case *pg_query.Node_AIndirection:
		return astPos(x.AIndirection.Arg)
	case *pg_query.Node_NullTest:
		return leftmost(loc(x.NullTest.Location), astPos(x.NullTest.Arg))
	case *pg_query.Node_BooleanTest:
		return leftmost(loc(x.BooleanTest.Location), astPos(x.BooleanTest.Arg))
	case *pg_query.Node_CollateClause:
		return leftmost(loc(x.CollateClause.Location), astPos(x.CollateClause.Arg))
	case *pg_query.Node_CoalesceExpr:
		return loc(x.CoalesceExpr.Location)
	case *pg_query.Node_MinMaxExpr:
		return loc(x.MinMaxExpr.Location)
	case *pg_query.Node_RowExpr:
		return loc(x.RowExpr.Location)
	case *pg_query.Node_SqlvalueFunction:
		return loc(x.SqlvalueFunction.Location)
	}
	return astPosRare(n)
}

func astPosRare(n *pg_query.Node) int {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_NamedArgExpr:
		return leftmost(loc(x.NamedArgExpr.Location), astPos(x.NamedArgExpr.Arg))
	case *pg_query.Node_GroupingFunc:
		return loc(x.GroupingFunc.Location)
	case *pg_query.Node_SetToDefault:
		return loc(x.SetToDefault.Location)
	case *pg_query.Node_List:
		p := -1
		for _, i := range x.List.Items {
			p = leftmost(p, astPos(i))
		}
		return p
	case *pg_query.Node_ResTarget:
		return leftmost(loc(x.ResTarget.Location), astPos(x.ResTarget.Val))
	case *pg_query.Node_SortBy:
		return astPos(x.SortBy.Node)
	case *pg_query.Node_RangeVar:
		return loc(x.RangeVar.Location)
	case *pg_query.Node_SelectStmt:
		return selectPos(x.SelectStmt)
	case *pg_query.Node_TypeName:
		return loc(x.TypeName.Location)
	}
	return -1
}

// selectPos is where a SELECT's first expression or table stands.
func selectPos(s *pg_query.SelectStmt) int {
	if s.Larg != nil {
		return selectPos(s.Larg)
	}
	for _, list := range [][]*pg_query.Node{s.TargetList, s.ValuesLists, s.FromClause} {
		if len(list) > 0 {
			return astPos(list[0])
		}
	}
	return -1
}

func leftmost(a, b int) int {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	}
	return min(a, b)
}
