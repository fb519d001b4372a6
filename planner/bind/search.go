package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"
	"google.golang.org/protobuf/proto"

	"github.com/omgdb/omgdb/storage/dberr"
)

// SEARCH and CYCLE are rewritten into plain recursion, as the manual describes it (7.8.2): the seed starts a path with its own row, the
// step appends its row to the path of the row that it comes from. BREADTH FIRST counts the depth in a column that * does not show.

// names of the helper columns and of the queries around seed and step; no user can write them without quotes.
const (
	depthColumn = "*depth*"
	seedAlias   = "*seed*"
	stepAlias   = "*step*"
)

// extra is a column that SEARCH or CYCLE adds.
type extra struct {
	name       string
	seed, step *pg_query.Node // over the columns of seedAlias, or stepAlias
	carried    string         // the name under which the step's query passes on the column of the row that it comes from
}

// searchCycle rewrites a recursive query with SEARCH and CYCLE clauses into one without.
func (b *binder) searchCycle(s *scope, x *pg_query.CommonTableExpr, c *cte) (*pg_query.CommonTableExpr, error) {
	sel := x.Ctequery.GetSelectStmt()
	for i, side := range []*pg_query.SelectStmt{sel.Larg, sel.Rarg} {
		if side.Op != pg_query.SetOperation_SETOP_NONE && side.Op != pg_query.SetOperation_SET_OPERATION_UNDEFINED || i == 1 && len(side.ValuesLists) > 0 {
			return nil, dberr.New([]string{dberr.FeatureNotSupported, dberr.SyntaxError}[i], "with a SEARCH or CYCLE clause, the %s side of the UNION must be a SELECT", []string{"left", "right"}[i])
		}
	}
	cols, err := b.recursiveColumns(s, x, sel)
	if err != nil {
		return nil, err
	}
	self := selfAlias(sel.Rarg.FromClause, c.name)
	if self == "" {
		return nil, dberr.New(dberr.FeatureNotSupported, "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"%s\" must be at the top level of its right-hand SELECT", c.name)
	}
	extras, err := searchColumns(x, cols)
	if err != nil {
		return nil, err
	}
	cycle, err := cycleColumns(x, cols, extras)
	if err != nil {
		return nil, err
	}
	extras = append(extras, cycle...)
	slices.SortStableFunc(extras, func(a, d extra) int { return btoi(a.name == depthColumn) - btoi(d.name == depthColumn) })
	if err := b.markTypes(s, x.CycleClause); err != nil {
		return nil, err
	}
	c.hidden = len(extras)
	if extras[len(extras)-1].name == depthColumn {
		c.helpers = 1
	}
	out := proto.CloneOf(x)
	out.SearchClause, out.CycleClause, out.Aliascolnames = nil, nil, nil
	u := out.Ctequery.GetSelectStmt()
	for i := range extras {
		e := &extras[i]
		e.carried = e.name + "*"
		u.Rarg.TargetList = append(u.Rarg.TargetList, resTarget(e.carried, column(self, e.name)))
	}
	if cy := x.CycleClause; cy != nil {
		stop := &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{Kind: pg_query.A_Expr_Kind_AEXPR_OP,
			Name: []*pg_query.Node{stringNode("<>")}, Lexpr: column(self, cy.CycleMarkColumn), Rexpr: cy.CycleMarkValue, Location: -1}}}
		u.Rarg.WhereClause = and(u.Rarg.WhereClause, stop)
	}
	names := slices.Clone(cols)
	for _, e := range extras {
		names = append(names, e.carried)
	}
	u.Larg = wrap(u.Larg, seedAlias, cols, cols, extras, true)
	u.Rarg = wrap(u.Rarg, stepAlias, names, cols, extras, false)
	return out, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// recursiveColumns gives the names of the query's columns: the aliases, and where these end the names that the seed has.
func (b *binder) recursiveColumns(s *scope, x *pg_query.CommonTableExpr, sel *pg_query.SelectStmt) ([]string, error) {
	seed, err := b.selectStmt(s, sel.Larg, subOpts)
	if err != nil {
		return nil, err
	}
	cols, err := cteCols(x, seed.cols)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return names, nil
}

// selfAlias finds the alias of the recursive reference at the top level of FROM.
func selfAlias(from []*pg_query.Node, name string) string {
	for _, n := range from {
		switch x := n.Node.(type) {
		case *pg_query.Node_RangeVar:
			if x.RangeVar.Schemaname == "" && x.RangeVar.Relname == name {
				if x.RangeVar.Alias != nil {
					return x.RangeVar.Alias.Aliasname
				}
				return name
			}
		case *pg_query.Node_JoinExpr:
			if a := selfAlias([]*pg_query.Node{x.JoinExpr.Larg, x.JoinExpr.Rarg}, name); a != "" {
				return a
			}
		}
	}
	return ""
}

// checkColumns checks the columns that a clause lists, and that the names it adds are new.
func checkColumns(clause string, list []*pg_query.Node, cols []string, added map[string]string, pos int) error {
	names := strs(list)
	for i, n := range names {
		if !slices.Contains(cols, n) {
			return errAt(pos, dberr.SyntaxError, "%s column \"%s\" not in WITH query column list", clause, n)
		}
		if slices.Contains(names[:i], n) {
			return errAt(pos, dberr.DuplicateColumn, "%s column \"%s\" specified more than once", clause, n)
		}
	}
	for n, what := range added {
		if slices.Contains(cols, n) {
			return errAt(pos, dberr.SyntaxError, "%s column name \"%s\" already used in WITH query column list", what, n)
		}
	}
	return nil
}

// searchColumns gives the columns of the SEARCH clause.
func searchColumns(x *pg_query.CommonTableExpr, cols []string) ([]extra, error) {
	sc := x.SearchClause
	if sc == nil {
		return nil, nil
	}
	pos := loc(sc.Location)
	if err := checkColumns("search", sc.SearchColList, cols, map[string]string{sc.SearchSeqColumn: "search sequence"}, pos); err != nil {
		return nil, err
	}
	by := strs(sc.SearchColList)
	seq := extra{name: sc.SearchSeqColumn}
	if !sc.SearchBreadthFirst {
		seq.seed, seq.step = arrayOfRow(seedAlias, by), appendRow(seq.name+"*", by)
		return []extra{seq}, nil
	}
	depth := extra{name: depthColumn, seed: bigint(0), step: plus(column(stepAlias, depthColumn+"*"), bigint(1))}
	seq.seed, seq.step = row(depth.seed, seedAlias, by), row(depth.step, stepAlias, by)
	return []extra{seq, depth}, nil
}

// cycleColumns gives the columns of the CYCLE clause.
func cycleColumns(x *pg_query.CommonTableExpr, cols []string, search []extra) ([]extra, error) {
	cy := x.CycleClause
	if cy == nil {
		return nil, nil
	}
	pos := loc(cy.Location)
	if err := checkColumns("cycle", cy.CycleColList, cols, map[string]string{cy.CycleMarkColumn: "cycle mark", cy.CyclePathColumn: "cycle path"}, pos); err != nil {
		return nil, err
	}
	if cy.CycleMarkColumn == cy.CyclePathColumn {
		return nil, errAt(pos, dberr.SyntaxError, "cycle mark column name and cycle path column name are the same")
	}
	if len(search) > 0 {
		for n, what := range map[string]string{cy.CycleMarkColumn: "cycle mark", cy.CyclePathColumn: "cycle path"} {
			if n == search[0].name {
				return nil, errAt(loc(x.SearchClause.Location), dberr.SyntaxError, "search sequence column name and %s column name are the same", what)
			}
		}
	}
	by := strs(cy.CycleColList)
	path := extra{name: cy.CyclePathColumn, seed: arrayOfRow(seedAlias, by), step: appendRow(cy.CyclePathColumn+"*", by)}
	seen := &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{Kind: pg_query.A_Expr_Kind_AEXPR_OP_ANY, Name: []*pg_query.Node{stringNode("=")},
		Lexpr: row(nil, stepAlias, by), Rexpr: column(stepAlias, path.name+"*"), Location: -1}}}
	when := &pg_query.Node{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{Expr: seen, Result: cy.CycleMarkValue, Location: -1}}}
	never := &pg_query.Node{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{Expr: boolNode(false), Result: cy.CycleMarkValue, Location: -1}}}
	mark := extra{name: cy.CycleMarkColumn, seed: caseOf(never, cy.CycleMarkDefault), step: caseOf(when, cy.CycleMarkDefault)}
	return []extra{mark, path}, nil
}

// markTypes checks that the two values of the cycle mark have a common type.
func (b *binder) markTypes(s *scope, cy *pg_query.CTECycleClause) error {
	if cy == nil {
		return nil
	}
	marks, err := b.exprs(s, []*pg_query.Node{cy.CycleMarkValue, cy.CycleMarkDefault})
	if err != nil {
		return err
	}
	_, err = b.commonType(marks, "CYCLE")
	return err
}

// The rest builds syntax trees.

func column(parts ...string) *pg_query.Node {
	var fields []*pg_query.Node
	for _, p := range parts {
		fields = append(fields, stringNode(p))
	}
	return &pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: &pg_query.ColumnRef{Fields: fields, Location: -1}}}
}

func resTarget(name string, val *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Name: name, Val: val, Location: -1}}}
}

func row(first *pg_query.Node, table string, cols []string) *pg_query.Node {
	var args []*pg_query.Node
	if first != nil {
		args = append(args, first)
	}
	for _, c := range cols {
		args = append(args, column(table, c))
	}
	return &pg_query.Node{Node: &pg_query.Node_RowExpr{RowExpr: &pg_query.RowExpr{Args: args, RowFormat: pg_query.CoercionForm_COERCE_EXPLICIT_CALL, Location: -1}}}
}

func arrayOfRow(table string, cols []string) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_AArrayExpr{AArrayExpr: &pg_query.A_ArrayExpr{Elements: []*pg_query.Node{row(nil, table, cols)}, Location: -1}}}
}

func operation(op string, l, r *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{Kind: pg_query.A_Expr_Kind_AEXPR_OP, Name: []*pg_query.Node{stringNode(op)},
		Lexpr: l, Rexpr: r, Location: -1}}}
}

func appendRow(carried string, cols []string) *pg_query.Node {
	return operation("||", column(stepAlias, carried), row(nil, stepAlias, cols))
}

func plus(l, r *pg_query.Node) *pg_query.Node { return operation("+", l, r) }

func bigint(v int32) *pg_query.Node {
	k := &pg_query.Node{Node: &pg_query.Node_AConst{AConst: &pg_query.A_Const{Val: &pg_query.A_Const_Ival{Ival: &pg_query.Integer{Ival: v}}, Location: -1}}}
	t := &pg_query.TypeName{Names: []*pg_query.Node{stringNode("pg_catalog"), stringNode("int8")}, Typemod: -1, Location: -1}
	return &pg_query.Node{Node: &pg_query.Node_TypeCast{TypeCast: &pg_query.TypeCast{Arg: k, TypeName: t, Location: -1}}}
}

func boolNode(v bool) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_AConst{AConst: &pg_query.A_Const{Val: &pg_query.A_Const_Boolval{Boolval: &pg_query.Boolean{Boolval: v}}, Location: -1}}}
}

func caseOf(when, otherwise *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: &pg_query.CaseExpr{Args: []*pg_query.Node{when}, Defresult: otherwise, Location: -1}}}
}

func and(l, r *pg_query.Node) *pg_query.Node {
	if l == nil {
		return r
	}
	return &pg_query.Node{Node: &pg_query.Node_BoolExpr{BoolExpr: &pg_query.BoolExpr{Boolop: pg_query.BoolExprType_AND_EXPR, Args: []*pg_query.Node{l, r}, Location: -1}}}
}

// wrap puts SELECT cols, extras FROM (q) AS alias(names) around a query.
func wrap(q *pg_query.SelectStmt, alias string, names, cols []string, extras []extra, seed bool) *pg_query.SelectStmt {
	out := &pg_query.SelectStmt{Op: pg_query.SetOperation_SETOP_NONE, LimitOption: pg_query.LimitOption_LIMIT_OPTION_DEFAULT}
	for _, c := range cols {
		out.TargetList = append(out.TargetList, resTarget(c, column(alias, c)))
	}
	for _, e := range extras {
		x := e.step
		if seed {
			x = e.seed
		}
		out.TargetList = append(out.TargetList, resTarget(e.name, x))
	}
	a := &pg_query.Alias{Aliasname: alias}
	for _, n := range names {
		a.Colnames = append(a.Colnames, stringNode(n))
	}
	sub := &pg_query.Node{Node: &pg_query.Node_RangeSubselect{RangeSubselect: &pg_query.RangeSubselect{Subquery: selectNode(q), Alias: a}}}
	out.FromClause = []*pg_query.Node{sub}
	return out
}
