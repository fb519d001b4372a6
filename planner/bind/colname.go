package bind

import (
	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
)

// noName is the name of an output column that has none.
const noName = "?column?"

// columnName is the name of an output column whose expression has no alias, by PostgreSQL's rules.
func columnName(n *pg_query.Node) string {
	if name, _ := nameOf(n); name != "" {
		return name
	}
	return noName
}

// nameOf gives the name that an expression suggests and how good it is: 2 for a column or function, 1 for a type or keyword, 0 for none.
func nameOf(n *pg_query.Node) (string, int) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		if f := strs(x.ColumnRef.Fields); len(f) > 0 {
			for i := len(f) - 1; i >= 0; i-- {
				if f[i] != "*" {
					return f[i], 2
				}
			}
		}
	case *pg_query.Node_AIndirection:
		for i := len(x.AIndirection.Indirection) - 1; i >= 0; i-- {
			if f := x.AIndirection.Indirection[i].GetString_(); f != nil {
				return f.Sval, 2
			}
		}
		return nameOf(x.AIndirection.Arg)
	case *pg_query.Node_FuncCall:
		f := strs(x.FuncCall.Funcname)
		return f[len(f)-1], 2
	case *pg_query.Node_AExpr:
		if x.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", 2
		}
	case *pg_query.Node_TypeCast:
		name, strength := nameOf(x.TypeCast.Arg)
		if strength <= 1 && x.TypeCast.TypeName != nil {
			t := strs(x.TypeCast.TypeName.Names)
			return t[len(t)-1], 1
		}
		return name, strength
	case *pg_query.Node_CollateClause:
		return nameOf(x.CollateClause.Arg)
	case *pg_query.Node_GroupingFunc:
		return "grouping", 2
	case *pg_query.Node_SubLink:
		return subLinkName(x.SubLink)
	case *pg_query.Node_CaseExpr:
		name, strength := nameOf(x.CaseExpr.Defresult)
		if strength <= 1 {
			return "case", 1
		}
		return name, strength
	case *pg_query.Node_AArrayExpr:
		return "array", 2
	case *pg_query.Node_RowExpr:
		return "row", 2
	case *pg_query.Node_CoalesceExpr:
		return "coalesce", 2
	case *pg_query.Node_MinMaxExpr:
		if x.MinMaxExpr.Op == pg_query.MinMaxOp_IS_LEAST {
			return "least", 2
		}
		return "greatest", 2
	case *pg_query.Node_SqlvalueFunction:
		return sqlValueNames[x.SqlvalueFunction.Op], 2
	}
	return "", 0
}

func subLinkName(x *pg_query.SubLink) (string, int) {
	switch x.SubLinkType {
	case pg_query.SubLinkType_EXISTS_SUBLINK:
		return "exists", 2
	case pg_query.SubLinkType_ARRAY_SUBLINK:
		return "array", 2
	case pg_query.SubLinkType_EXPR_SUBLINK:
		// The name of the subquery's only column.
		sel := x.Subselect.GetSelectStmt()
		for sel != nil && sel.Larg != nil {
			sel = sel.Larg
		}
		if sel != nil && len(sel.TargetList) > 0 {
			t := sel.TargetList[0].GetResTarget()
			if t.Name != "" {
				return t.Name, 2
			}
			return columnName(t.Val), 2
		}
		if sel != nil && len(sel.ValuesLists) > 0 {
			return "column1", 2
		}
	}
	return "", 0
}

// sqlValueNames are the column names of CURRENT_DATE and the like.
var sqlValueNames = map[pg_query.SQLValueFunctionOp]string{
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:        "current_date",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME:        "current_time",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:      "current_time",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:   "current_timestamp",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: "current_timestamp",
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME:           "localtime",
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME_N:         "localtime",
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:      "localtimestamp",
	pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:    "localtimestamp",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:        "current_role",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_USER:        "current_user",
	pg_query.SQLValueFunctionOp_SVFOP_USER:                "user",
	pg_query.SQLValueFunctionOp_SVFOP_SESSION_USER:        "session_user",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:     "current_catalog",
	pg_query.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:      "current_schema",
}
