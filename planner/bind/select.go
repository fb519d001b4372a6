package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// query is a bound query: cols are exactly the node's columns for subqueries; a top-level node may have more.
type query struct {
	node plan.Node
	cols []plan.Col
	// project makes cols; its items can still be given other types (literals of unknown type in UNION and INSERT … SELECT).
	project *plan.Project
	at      []int // where the columns stand in the text, when project is nil
	// sources are the items of FROM whose rows the query shows, each in a row of its own unless mixed says what keeps it from that.
	sources []*item
	mixed   string
}

// opts say where a query stands.
type opts struct {
	top         bool // a statement: its node may produce columns beside cols
	keepUnknown bool // literals of unknown type stay so
	keys        bool // of a cursor: the keys of its rows are read too (currentof.go)
}

var (
	topOpts  = opts{top: true}
	subOpts  = opts{}
	leafOpts = opts{keepUnknown: true}
)

// target is an output column, or (junk) an expression that only ORDER BY or DISTINCT ON needs.
type target struct {
	name string
	expr plan.Expr
	junk bool
	key  bool // junk that is read all the same: a row key of a cursor
}

// selectStmt binds a SELECT, VALUES or set operation with its WITH clause, as a new level below parent.
func (b *binder) selectStmt(parent *scope, sel *pg_query.SelectStmt, o opts) (*query, error) {
	s := &scope{parent: parent, clause: inSelect}
	with, err := b.withClause(s, sel.WithClause)
	if err != nil {
		return nil, err
	}
	var q *query
	switch {
	case len(sel.ValuesLists) > 0:
		q, err = b.valuesSelect(s, sel, o)
	case sel.Op != pg_query.SetOperation_SETOP_NONE && sel.Op != pg_query.SetOperation_SET_OPERATION_UNDEFINED:
		q, err = b.setOperation(s, sel, o)
	default:
		q, err = b.plainSelect(s, sel, o)
	}
	if err != nil {
		return nil, err
	}
	return with.around(q), nil
}

// selectParts are the clauses of one SELECT while they are put together.
type selectParts struct {
	s       *scope
	sel     *pg_query.SelectStmt
	node    plan.Node
	targets []*target
	having  plan.Expr
	order   []orderItem
	on      []int // DISTINCT ON: positions in targets
	onPos   []int // and in the text
	group   grouping
	count   plan.Expr // LIMIT
	offset  plan.Expr
	opts    opts
	lock    *plan.Lock
}

// orderItem is an entry of ORDER BY: the target that it sorts by.
type orderItem struct {
	at  int
	key plan.SortKey // its Expr is filled in last
	pos int
}

func (b *binder) plainSelect(s *scope, sel *pg_query.SelectStmt, o opts) (*query, error) {
	p := &selectParts{s: s, sel: sel, opts: o}
	var err error
	if p.node, err = b.from(s, sel.FromClause); err != nil {
		return nil, err
	}
	namedWindows(s, sel.WindowClause)
	if p.targets, err = b.targetList(s, sel.TargetList, inSelect); err != nil {
		return nil, err
	}
	if p.node, err = b.where(s, p.node, sel.WhereClause, inWhere); err != nil {
		return nil, err
	}
	if sel.HavingClause != nil {
		err := s.in(inHaving, func() error {
			e, err := b.expr(s, sel.HavingClause)
			if err == nil {
				p.having, err = b.boolean(e, "HAVING")
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := b.orderBy(p); err != nil {
		return nil, err
	}
	if err := b.groupBy(p); err != nil {
		return nil, err
	}
	if err := b.distinctOn(p); err != nil {
		return nil, err
	}
	if err := b.limits(p); err != nil {
		return nil, err
	}
	if err := b.checkWindows(s); err != nil {
		return nil, err
	}
	b.cursorKeys(p)
	q, err := b.assemble(p)
	if err == nil {
		q.sources, q.mixed = s.items, mixes(p)
	}
	return q, err
}

// where puts a Filter over node.
func (b *binder) where(s *scope, node plan.Node, n *pg_query.Node, c clause) (plan.Node, error) {
	if n == nil {
		return node, nil
	}
	var pred plan.Expr
	err := s.in(c, func() error {
		e, err := b.expr(s, n)
		if err == nil {
			pred, err = b.boolean(e, "WHERE")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &plan.Filter{Input: node, Pred: pred}, nil
}

// targetList binds the output columns, stars expanded.
func (b *binder) targetList(s *scope, list []*pg_query.Node, c clause) ([]*target, error) {
	var out []*target
	err := s.in(c, func() error {
		for _, n := range list {
			res := n.GetResTarget()
			ts, ok, err := b.star(s, res.Val)
			if err != nil {
				return err
			}
			if ok {
				out = append(out, ts...)
				continue
			}
			e, err := b.expr(s, res.Val)
			if err != nil {
				return err
			}
			name := res.Name
			if name == "" {
				name = columnName(res.Val)
				if sub, ok := e.(*plan.Subquery); ok && sub.Kind == plan.ScalarSub && res.Val.GetSubLink() != nil {
					name = sub.Query.Cols()[0].Name
				}
			}
			out = append(out, &target{name: name, expr: e})
		}
		return nil
	})
	return out, err
}

// star expands *, t.* and (expression).*; ok is false for anything else.
func (b *binder) star(s *scope, n *pg_query.Node) (out []*target, ok bool, err error) {
	if ind := n.GetAIndirection(); ind != nil && len(ind.Indirection) > 0 && ind.Indirection[len(ind.Indirection)-1].GetAStar() != nil {
		out, err = b.expandRow(s, ind)
		return out, true, err
	}
	c := n.GetColumnRef()
	if c == nil || len(c.Fields) == 0 || c.Fields[len(c.Fields)-1].GetAStar() == nil {
		return nil, false, nil
	}
	pos := loc(c.Location)
	delete(b.stars, pos) // it may have been bound before
	names := strs(c.Fields[:len(c.Fields)-1])
	if len(names) == 0 {
		found := false
		for _, it := range s.items {
			if it.colsVisible && !it.lateralOnly {
				found = true
				out = append(out, b.itemTargets(it, pos)...)
			}
		}
		if !found {
			return nil, true, errAt(pos, dberr.SyntaxError, "SELECT * with no tables specified is not valid")
		}
		return out, true, nil
	}
	schema, name, err := b.qualified(names, pos)
	if err != nil {
		return nil, true, err
	}
	it, _, err := b.itemNamed(s, schema, name, pos)
	if err != nil {
		return nil, true, err
	}
	if it == nil {
		return nil, true, b.noTable(s, name, pos)
	}
	return b.itemTargets(it, pos), true, nil
}

func (b *binder) itemTargets(it *item, pos int) []*target {
	out := make([]*target, 0, len(it.cols))
	for i := range it.cols {
		c := &it.cols[i]
		if c.hidden {
			continue
		}
		out = append(out, &target{name: c.name, expr: b.colExpr(c, pos)})
		if pos >= 0 {
			b.stars[pos] = append(b.stars[pos], b.starName(it, c))
		}
	}
	return out
}

// starName is how a column that a star stands for is written out.
func (b *binder) starName(it *item, c *itemCol) []string {
	if it.alias != "" && it.relVisible {
		return []string{it.alias, c.name}
	}
	if r, ok := c.expr.(*plan.ColRef); ok && it.from != nil {
		if side := it.from[r.ID]; side != "" {
			return []string{side, c.name}
		}
	}
	return []string{c.name}
}

// expandRow expands (composite).*
func (b *binder) expandRow(s *scope, ind *pg_query.A_Indirection) ([]*target, error) {
	inner := ind.Arg
	if len(ind.Indirection) > 1 {
		inner = &pg_query.Node{Node: &pg_query.Node_AIndirection{AIndirection: &pg_query.A_Indirection{Arg: ind.Arg, Indirection: ind.Indirection[:len(ind.Indirection)-1]}}}
	}
	e, err := b.expr(s, inner)
	if err != nil {
		return nil, err
	}
	pos := astPos(ind.Arg)
	fields := b.fieldsOf(e)
	if len(fields) == 0 {
		if isRecord(e.Type()) {
			return nil, errAt(pos, dberr.SyntaxError, "record type has not been registered")
		}
		return nil, errAt(pos, dberr.WrongObjectType, "type %s is not composite", e.Type().SQL)
	}
	var out []*target
	for i, f := range fields {
		var x plan.Expr
		if r := rowOf(e); r != nil {
			x = r.Fields[i]
		} else {
			x = b.at(&plan.FieldSelect{Typed: plan.Typed{T: f.Type, M: f.Mod}, Arg: e, Field: i, Name: f.Name}, pos)
		}
		out = append(out, &target{name: f.Name, expr: x})
	}
	return out, nil
}

// orderBy binds ORDER BY; entries that are no output columns become junk targets.
func (b *binder) orderBy(p *selectParts) error {
	for _, n := range p.sel.SortClause {
		sb := n.GetSortBy()
		e, at, err := b.entry(p.s, p.targets, sb.Node, inOrderBy, byAlias)
		if err != nil {
			return err
		}
		k, err := b.sortKey(e, sb)
		if err != nil {
			return err
		}
		if at < 0 {
			at = len(p.targets)
			p.targets = append(p.targets, &target{expr: k.Expr, junk: true})
		} else {
			p.targets[at].expr = k.Expr // an unknown literal is text now
		}
		p.order = append(p.order, orderItem{at: at, key: k, pos: astPos(sb.Node)})
	}
	return nil
}

// distinctOn binds DISTINCT ON and checks that DISTINCT can compare the columns.
func (b *binder) distinctOn(p *selectParts) error {
	d := p.sel.DistinctClause
	if len(d) == 0 {
		return nil
	}
	if d[0].GetNode() == nil { // plain DISTINCT
		for _, t := range p.targets {
			if t.junk {
				continue
			}
			e, err := b.resolveUnknown(t.expr)
			if err != nil {
				return err
			}
			t.expr = e
			if err := b.needsEquality(e); err != nil {
				return err
			}
		}
		return nil
	}
	for _, n := range d {
		e, at, err := b.entry(p.s, p.targets, n, inDistinctOn, byAlias)
		if err != nil {
			return err
		}
		if e, err = b.resolveUnknown(e); err != nil {
			return err
		}
		if err := b.needsEquality(e); err != nil {
			return err
		}
		if at < 0 {
			at = len(p.targets)
			p.targets = append(p.targets, &target{expr: e, junk: true})
		} else {
			p.targets[at].expr = e
		}
		p.on, p.onPos = append(p.on, at), append(p.onPos, astPos(n))
	}
	return nil
}

// limits binds LIMIT and OFFSET.
func (b *binder) limits(p *selectParts) error {
	one := func(n *pg_query.Node, c clause) (plan.Expr, error) {
		if n == nil || n.GetAConst().GetIsnull() {
			if n != nil && c == inLimit && p.sel.LimitOption == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES {
				return nil, dberr.New(dberr.InvalidRowCountInLimit, "row count cannot be null in FETCH FIRST ... WITH TIES clause")
			}
			return nil, nil
		}
		var e plan.Expr
		err := p.s.in(c, func() error {
			x, err := b.expr(p.s, n)
			if err == nil {
				e, err = b.specific(x, value.Int8, clauseRules[c].name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		return e, b.noVars(p.s, e, clauseRules[c].name)
	}
	var err error
	if p.offset, err = one(p.sel.LimitOffset, inOffset); err != nil {
		return err
	}
	p.count, err = one(p.sel.LimitCount, inLimit)
	return err
}

// assemble builds the nodes over FROM and WHERE, in the order in which a SELECT is computed.
func (b *binder) assemble(p *selectParts) (*query, error) {
	if !p.opts.keepUnknown {
		for _, t := range p.targets {
			e, err := b.resolveUnknown(t.expr)
			if err != nil {
				return nil, err
			}
			t.expr = e
		}
	}
	if err := b.grouped(p); err != nil {
		return nil, err
	}
	if p.having != nil {
		p.node = &plan.Filter{Input: p.node, Pred: p.having}
	}
	b.liftWindows(p)
	sets := b.liftSets(p)
	b.mergeJunk(p)
	if err := b.locking(p); err != nil {
		return nil, err
	}
	if len(p.sel.DistinctClause) > 0 || sets {
		return b.projectFirst(p)
	}
	return b.sortFirst(p), nil
}

// mergeJunk lets ORDER BY and DISTINCT ON expressions that equal an output column use it.
func (b *binder) mergeJunk(p *selectParts) {
	use := func(at int) int {
		if !p.targets[at].junk {
			return at
		}
		for i, t := range p.targets {
			if i != at && (!t.junk || i < at) && plan.Equal(t.expr, p.targets[at].expr) && !volatile(t.expr) {
				return i
			}
		}
		return at
	}
	for i := range p.order {
		p.order[i].at = use(p.order[i].at)
	}
	for i := range p.on {
		p.on[i] = use(p.on[i])
	}
	// The same key twice sorts no further.
	var order []orderItem
	for _, o := range p.order {
		if !slices.ContainsFunc(order, func(x orderItem) bool { return x.at == o.at && x.key.Less == o.key.Less }) {
			order = append(order, o)
		}
	}
	p.order = order
}

// sortFirst sorts and limits before it computes the output columns: they are needed only for the rows that remain. Sort keys that
// are more than columns are computed once, below the sort.
func (b *binder) sortFirst(p *selectParts) *query {
	if len(p.order) > 0 {
		p.node = &plan.Sort{Input: b.extend(p), Keys: p.keys()}
	}
	p.node = b.locked(p)
	p.node = b.limited(p)
	proj := &plan.Project{Input: p.node}
	visible := b.output(proj, p.targets, false)
	return &query{node: proj, cols: visible, project: proj}
}

// extend computes the sort keys that are no plain columns beside the columns of the input.
func (b *binder) extend(p *selectParts) plan.Node {
	var proj *plan.Project
	for _, o := range p.order {
		t := p.targets[o.at]
		switch t.expr.(type) {
		case *plan.ColRef, *plan.Const, *plan.Param:
			continue
		}
		if proj == nil {
			proj = &plan.Project{Input: p.node, Out: slices.Clone(p.node.Cols())}
			for _, c := range proj.Out {
				proj.Items = append(proj.Items, b.ref(c, -1))
			}
		}
		c := b.outCol(t.name, t.expr)
		proj.Out, proj.Items = append(proj.Out, c), append(proj.Items, t.expr)
		t.expr = b.ref(c, b.posOf(t.expr))
	}
	if proj == nil {
		return p.node
	}
	return proj
}

// keys gives the sort keys over the targets' present expressions.
func (p *selectParts) keys() []plan.SortKey {
	out := make([]plan.SortKey, len(p.order))
	for i, o := range p.order {
		out[i] = o.key
		out[i].Expr = p.targets[o.at].expr
	}
	return out
}

// projectFirst computes all targets, then removes duplicates, sorts and limits: for DISTINCT and set-returning functions.
func (b *binder) projectFirst(p *selectParts) (*query, error) {
	proj := &plan.Project{Input: p.node}
	visible := b.output(proj, p.targets, true)
	for i, t := range p.targets {
		t.expr = b.ref(proj.Out[i], b.posOf(t.expr))
	}
	p.node = proj
	if err := b.distinct(p); err != nil {
		return nil, err
	}
	p.node = b.limited(p)
	q := &query{node: p.node, cols: visible}
	if !p.opts.top && len(visible) < len(proj.Out) {
		trim(q)
	}
	return q, nil
}

// distinct adds the Distinct and Sort nodes of a projected query.
func (b *binder) distinct(p *selectParts) error {
	plain := len(p.sel.DistinctClause) > 0 && len(p.on) == 0
	if plain {
		for _, o := range p.order {
			if p.targets[o.at].junk {
				return errAt(o.pos, dberr.InvalidColumnRef, "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
			}
		}
		p.node = &plan.Distinct{Input: p.node}
	}
	keys := p.keys()
	if len(p.on) > 0 {
		var err error
		if keys, err = b.onKeys(p, keys); err != nil {
			return err
		}
	}
	if len(keys) > 0 {
		p.node = &plan.Sort{Input: p.node, Keys: keys}
	}
	if len(p.on) > 0 {
		d := &plan.Distinct{Input: p.node}
		for _, at := range p.on {
			d.On = append(d.On, p.targets[at].expr)
		}
		p.node = d
	}
	return nil
}

// onKeys checks that the leading ORDER BY items are those of DISTINCT ON, in any order, and adds the missing ones.
func (b *binder) onKeys(p *selectParts, keys []plan.SortKey) ([]plan.SortKey, error) {
	used := map[int]bool{}
	for i, o := range p.order {
		if slices.Contains(p.on, o.at) {
			if len(used) < i {
				return nil, errAt(o.pos, dberr.InvalidColumnRef, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
			}
			used[o.at] = true
		}
	}
	for i, at := range p.on {
		if used[at] {
			continue
		}
		if len(used) < len(p.order) {
			return nil, errAt(p.onPos[i], dberr.InvalidColumnRef, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
		}
		if !b.sortable(p.targets[at].expr.Type()) {
			return nil, errAt(b.posOf(p.targets[at].expr), dberr.UndefinedFunction, "could not identify an ordering operator for type %s", p.targets[at].expr.Type().SQL)
		}
		keys = append(keys, plan.SortKey{Expr: p.targets[at].expr})
	}
	return keys, nil
}

// limited adds LIMIT and OFFSET.
func (b *binder) limited(p *selectParts) plan.Node {
	if p.count == nil && p.offset == nil {
		return p.node
	}
	l := &plan.Limit{Input: p.node, Count: p.count, Offset: p.offset}
	if p.sel.LimitOption == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES {
		l.Ties, l.Keys = true, p.keys()
	}
	return l
}
