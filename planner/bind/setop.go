package bind

import (
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// setOps gives the letter in plan.SetOp and the name in messages.
var setOps = map[pg_query.SetOperation]struct {
	op   byte
	name string
}{
	pg_query.SetOperation_SETOP_UNION: {'u', "UNION"}, pg_query.SetOperation_SETOP_INTERSECT: {'i', "INTERSECT"}, pg_query.SetOperation_SETOP_EXCEPT: {'e', "EXCEPT"},
}

// setOperation binds UNION, INTERSECT and EXCEPT with the ORDER BY and LIMIT of the whole.
func (b *binder) setOperation(s *scope, sel *pg_query.SelectStmt, o opts) (*query, error) {
	q, err := b.setTree(s, sel)
	if err != nil {
		return nil, err
	}
	q.mixed = "UNION/INTERSECT/EXCEPT"
	if len(sel.LockingClause) > 0 {
		return nil, b.noLocking(sel, q.mixed)
	}
	if len(sel.SortClause) == 0 && sel.LimitCount == nil && sel.LimitOffset == nil {
		return q, nil
	}
	p := &selectParts{s: s, sel: sel, node: q.node, opts: o}
	for _, c := range q.cols {
		b.own(s, c.ID)
		p.targets = append(p.targets, &target{name: c.Name, expr: b.ref(c, -1)})
	}
	if err := b.setOrder(p, q); err != nil {
		return nil, err
	}
	if err := b.limits(p); err != nil {
		return nil, err
	}
	if len(p.order) > 0 {
		p.node = &plan.Sort{Input: p.node, Keys: p.keys()}
	}
	return &query{node: b.limited(p), cols: q.cols, at: q.at, mixed: q.mixed}, nil
}

// setOrder binds ORDER BY over a set operation: only output columns can stand in it.
func (b *binder) setOrder(p *selectParts, q *query) error {
	it := b.queryItem(q.cols)
	p.s.items = []*item{it}
	n := len(p.targets)
	err := b.orderBy(p)
	if err == nil {
		b.mergeJunk(p)
	}
	p.s.items = nil
	if err != nil {
		return err
	}
	for _, o := range p.order {
		if o.at >= n {
			return errAt(o.pos, dberr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
		}
	}
	return nil
}

// setTree binds a tree of set operations. Literals of unknown type take the type of the other side's column.
func (b *binder) setTree(s *scope, sel *pg_query.SelectStmt) (*query, error) {
	op := setOps[sel.Op]
	l, err := b.setSide(s, sel.Larg)
	if err != nil {
		return nil, err
	}
	r, err := b.setSide(s, sel.Rarg)
	if err != nil {
		return nil, err
	}
	if len(l.cols) != len(r.cols) {
		return nil, errAt(selectPos(sel.Rarg), dberr.SyntaxError, "each %s query must have the same number of columns", op.name)
	}
	out, err := b.matchSides(op.name, l, r)
	if err != nil {
		return nil, err
	}
	n := &plan.SetOp{Op: op.op, All: sel.All, Left: l.node, Right: r.node, Out: out}
	if !sel.All {
		for i, c := range n.Out {
			if !b.groupable(c.Type) {
				return nil, errAt(b.itemPos(l, i), dberr.UndefinedFunction, "could not identify an equality operator for type %s", c.Type.SQL)
			}
		}
	}
	q := &query{node: n, cols: n.Out}
	for i := range n.Out {
		q.at = append(q.at, b.itemPos(l, i))
	}
	return q, nil
}

// setSide binds one side: a leaf is a query of its own.
func (b *binder) setSide(s *scope, sel *pg_query.SelectStmt) (*query, error) {
	plain := sel.Op == pg_query.SetOperation_SETOP_NONE || sel.Op == pg_query.SetOperation_SET_OPERATION_UNDEFINED
	if !plain && len(sel.SortClause) == 0 && sel.LimitCount == nil && sel.LimitOffset == nil && len(sel.LockingClause) == 0 && sel.WithClause == nil {
		return b.setTree(s, sel)
	}
	if sel.IntoClause != nil {
		return nil, errAt(selectPos(sel), dberr.SyntaxError, "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT")
	}
	return b.selectStmt(s, sel, leafOpts)
}

// itemPos is where column i of a query stands in the text.
func (b *binder) itemPos(q *query, i int) int {
	switch {
	case q.project != nil && i < len(q.project.Items):
		return b.posOf(q.project.Items[i])
	case i < len(q.at):
		return q.at[i]
	}
	return -1
}

// sideExpr is the expression that decides about the type of a side's column: a literal itself, where it is one.
func (b *binder) sideExpr(q *query, i int) plan.Expr {
	if q.project != nil {
		return q.project.Items[i]
	}
	return b.ref(q.cols[i], -1)
}

// matchSides brings the columns of both sides to common types and gives the columns of the whole.
func (b *binder) matchSides(name string, l, r *query) ([]plan.Col, error) {
	ts := make([]*value.Type, len(l.cols))
	for i := range l.cols {
		t, err := b.commonType([]plan.Expr{b.sideExpr(l, i), b.sideExpr(r, i)}, name)
		if err != nil {
			return nil, err
		}
		ts[i] = t
	}
	mods := make([]int32, len(ts))
	for i, t := range ts {
		mods[i] = commonMod([]plan.Expr{b.sideExpr(l, i), b.sideExpr(r, i)}, t)
	}
	for _, q := range []*query{l, r} {
		if err := b.castColumns(q, ts, name); err != nil {
			return nil, err
		}
	}
	out := make([]plan.Col, len(ts))
	for i, t := range ts {
		out[i] = b.newCol(l.cols[i].Name, t, mods[i])
		out[i].Coll = l.cols[i].Coll
	}
	return out, nil
}

// castColumns gives the columns of a query the types ts: literals of unknown type in place, others in a projection above.
func (b *binder) castColumns(q *query, ts []*value.Type, name string) error {
	if q.project != nil {
		for i, e := range q.project.Items {
			if !isUnknown(e.Type()) {
				continue
			}
			c, err := b.toCommon(e, ts[i], name)
			if err != nil {
				return err
			}
			q.project.Items[i] = c
			q.project.Out[i].Type = ts[i]
		}
		q.cols = q.project.Out
	}
	var proj *plan.Project
	for i, c := range q.cols {
		if same(c.Type, ts[i]) {
			continue
		}
		if proj == nil {
			proj = &plan.Project{Input: q.node, Out: slices.Clone(q.cols)}
			for _, c := range q.cols {
				proj.Items = append(proj.Items, b.ref(c, -1))
			}
		}
		e, err := b.toCommon(proj.Items[i], ts[i], name)
		if err != nil {
			return dberr.AddPosition(err, b.itemPos(q, i))
		}
		proj.Items[i], proj.Out[i] = e, b.outCol(c.Name, e)
	}
	if proj != nil {
		q.node, q.cols, q.project = proj, proj.Out, nil
	}
	return nil
}

// valuesSelect binds VALUES lists as a query of their own.
func (b *binder) valuesSelect(s *scope, sel *pg_query.SelectStmt, o opts) (*query, error) {
	node, err := b.values(s, sel.ValuesLists)
	if err != nil {
		return nil, err
	}
	if len(sel.LockingClause) > 0 {
		return nil, b.noLocking(sel, "VALUES")
	}
	if len(sel.SortClause) == 0 && sel.LimitCount == nil && sel.LimitOffset == nil {
		return &query{node: node, cols: node.Out}, nil
	}
	it := b.queryItem(node.Out)
	it.alias = "*VALUES*"
	b.addItem(s, it)
	p := &selectParts{s: s, sel: sel, node: node, opts: o, targets: b.itemTargets(it, -1)}
	if err := b.orderBy(p); err != nil {
		return nil, err
	}
	if err := b.limits(p); err != nil {
		return nil, err
	}
	return b.assemble(p)
}

// values binds the rows of VALUES; each column has the common type of its values.
func (b *binder) values(s *scope, lists []*pg_query.Node) (*plan.Values, error) {
	n := &plan.Values{}
	err := s.in(inValues, func() error {
		for _, l := range lists {
			items := l.GetList().GetItems()
			row, err := b.expandedExprs(s, items)
			if err != nil {
				return err
			}
			if len(n.Rows) > 0 && len(row) != len(n.Rows[0]) {
				return errAt(firstPos(items), dberr.SyntaxError, "VALUES lists must all be the same length")
			}
			n.Rows = append(n.Rows, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	col := make([]plan.Expr, len(n.Rows))
	for i := range n.Rows[0] {
		for k := range n.Rows {
			col[k] = n.Rows[k][i]
		}
		t, es, err := b.unify(col, "VALUES")
		if err != nil {
			return nil, err
		}
		for k := range n.Rows {
			n.Rows[k][i] = es[k]
		}
		c := b.newCol("column"+itoa(i+1), t, commonMod(es, t))
		m, _, _ := b.mergeCollations(es)
		c.Coll = m.name
		n.Out = append(n.Out, c)
	}
	return n, nil
}

func firstPos(list []*pg_query.Node) int {
	if len(list) == 0 {
		return -1
	}
	return astPos(list[0])
}

// noLocking is the error for FOR UPDATE where rows have lost their identity.
func (b *binder) noLocking(sel *pg_query.SelectStmt, what string) error {
	name := lockName(sel.LockingClause[0].GetLockingClause())
	if what == "VALUES" {
		return dberr.New(dberr.FeatureNotSupported, "%s cannot be applied to VALUES", name)
	}
	return dberr.New(dberr.FeatureNotSupported, "%s is not allowed with %s", name, what)
}

func lockName(l *pg_query.LockingClause) string {
	return strings.TrimSpace(map[pg_query.LockClauseStrength]string{
		pg_query.LockClauseStrength_LCS_FORKEYSHARE: "FOR KEY SHARE", pg_query.LockClauseStrength_LCS_FORSHARE: "FOR SHARE",
		pg_query.LockClauseStrength_LCS_FORNOKEYUPDATE: "FOR NO KEY UPDATE", pg_query.LockClauseStrength_LCS_FORUPDATE: "FOR UPDATE",
	}[l.GetStrength()])
}
