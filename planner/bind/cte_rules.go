package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// walkAST visits a syntax tree from the outside in; f tells whether to go deeper.
func walkAST(m proto.Message, f func(proto.Message) bool) {
	if m == nil || !m.ProtoReflect().IsValid() || !f(m) {
		return
	}
	m.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Kind() != protoreflect.MessageKind:
		case fd.IsList():
			for i := range v.List().Len() {
				walkAST(v.List().Get(i).Message().Interface(), f)
			}
		default:
			walkAST(v.Message().Interface(), f)
		}
		return true
	})
}

// tableNames collects the unqualified names of tables in a statement that no WITH inside it defines.
func tableNames(n *pg_query.Node) map[string]bool {
	out := map[string]bool{}
	freeNames(n, nil, func(rv *pg_query.RangeVar) { out[rv.Relname] = true })
	return out
}

// withNames collects the names of tables in the items of a WITH clause.
func withNames(w *pg_query.WithClause) map[string]bool {
	out := map[string]bool{}
	freeNames(w, nil, func(rv *pg_query.RangeVar) { out[rv.Relname] = true })
	return out
}

// freeNames visits the unqualified table names that are not in hidden: the names of WITH items around them.
func freeNames(m proto.Message, hidden []string, f func(*pg_query.RangeVar)) {
	walkAST(m, func(x proto.Message) bool {
		switch n := x.(type) {
		case *pg_query.RangeVar:
			if n.Schemaname == "" && !slices.Contains(hidden, n.Relname) {
				f(n)
			}
		case *pg_query.SelectStmt:
			if n.WithClause == nil {
				return true
			}
			inner := slices.Clone(hidden)
			for _, c := range n.WithClause.Ctes {
				if n.WithClause.Recursive {
					inner = append(inner, c.GetCommonTableExpr().Ctename)
				}
			}
			for _, c := range n.WithClause.Ctes {
				freeNames(c.GetCommonTableExpr().Ctequery, inner, f)
				inner = append(inner, c.GetCommonTableExpr().Ctename)
			}
			rest := proto.CloneOf(n)
			rest.WithClause = nil
			freeNames(rest, inner, f)
			return false
		}
		return true
	})
}

// namePos is where a table name stands in a statement.
func namePos(n *pg_query.Node, name string) int {
	pos := -1
	freeNames(n, nil, func(rv *pg_query.RangeVar) {
		if rv.Relname == name && pos < 0 {
			pos = loc(rv.Location)
		}
	})
	return pos
}

func selectNode(s *pg_query.SelectStmt) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: s}}
}

// recursion checks the places where the recursive term of a query may name the query.
type recursion struct {
	name   string
	hidden bool // a WITH inside has an item of the same name
	refs   int
	err    error
}

// checkRecursion refuses references in subqueries, in the optional side of outer joins, below INTERSECT and EXCEPT, and more than one
// reference.
func checkRecursion(sel *pg_query.SelectStmt, name string) error {
	r := &recursion{name: name}
	r.selectStmt(sel, "")
	return r.err
}

func (r *recursion) fail(pos int, format string, args ...any) {
	if r.err == nil {
		r.err = errAt(pos, dberr.InvalidRecursion, format, args...)
	}
}

// selectStmt checks one query level; where says in what the level stands.
func (r *recursion) selectStmt(s *pg_query.SelectStmt, where string) {
	if s == nil || r.err != nil {
		return
	}
	if s.WithClause != nil {
		old := r.hidden
		defer func() { r.hidden = old }()
		for _, n := range s.WithClause.Ctes {
			c := n.GetCommonTableExpr()
			hides := c.Ctename == r.name
			r.hidden = r.hidden || hides && s.WithClause.Recursive
			r.selectStmt(c.Ctequery.GetSelectStmt(), where)
			r.hidden = r.hidden || hides
		}
	}
	switch s.Op {
	case pg_query.SetOperation_SETOP_INTERSECT:
		if s.All {
			where = "INTERSECT"
		}
		r.selectStmt(s.Larg, where)
		r.selectStmt(s.Rarg, where)
		return
	case pg_query.SetOperation_SETOP_EXCEPT:
		if s.All {
			where = "EXCEPT"
		}
		r.selectStmt(s.Larg, where)
		r.selectStmt(s.Rarg, "EXCEPT")
		return
	case pg_query.SetOperation_SETOP_UNION:
		r.selectStmt(s.Larg, where)
		r.selectStmt(s.Rarg, where)
		return
	}
	for _, n := range s.FromClause {
		r.fromItem(n, where)
	}
	for _, n := range append(append(append([]*pg_query.Node{s.WhereClause, s.HavingClause}, s.TargetList...), s.GroupClause...), s.SortClause...) {
		r.expression(n)
	}
}

func (r *recursion) fromItem(n *pg_query.Node, where string) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_RangeVar:
		if r.hidden || x.RangeVar.Schemaname != "" || x.RangeVar.Relname != r.name {
			return
		}
		pos := loc(x.RangeVar.Location)
		if where != "" {
			r.fail(pos, "recursive reference to query \"%s\" must not appear within %s", r.name, map[string]string{
				"outer": "an outer join", "subquery": "a subquery", "INTERSECT": "INTERSECT", "EXCEPT": "EXCEPT"}[where])
		}
		if r.refs++; r.refs > 1 {
			r.fail(pos, "recursive reference to query \"%s\" must not appear more than once", r.name)
		}
	case *pg_query.Node_JoinExpr:
		left, right := where, where
		switch x.JoinExpr.Jointype {
		case pg_query.JoinType_JOIN_LEFT:
			right = "outer"
		case pg_query.JoinType_JOIN_RIGHT:
			left = "outer"
		case pg_query.JoinType_JOIN_FULL:
			left, right = "outer", "outer"
		}
		r.fromItem(x.JoinExpr.Larg, left)
		r.fromItem(x.JoinExpr.Rarg, right)
		r.expression(x.JoinExpr.Quals)
	case *pg_query.Node_RangeSubselect:
		r.selectStmt(x.RangeSubselect.Subquery.GetSelectStmt(), where)
	default:
		r.expression(n)
	}
}

// expression finds subqueries in expressions.
func (r *recursion) expression(n *pg_query.Node) {
	if n == nil {
		return
	}
	walkAST(n, func(m proto.Message) bool {
		if sub, ok := m.(*pg_query.SubLink); ok {
			if !r.hidden && tableNames(sub.Subselect)[r.name] {
				r.fail(namePos(sub.Subselect, r.name), "recursive reference to query \"%s\" must not appear within a subquery", r.name)
			}
			return false
		}
		return r.err == nil
	})
}

func colTypes(cols []plan.Col) []*value.Type {
	out := make([]*value.Type, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}

func formatType(c plan.Col) string { return value.FormatMod(c.Type, c.Mod) }
