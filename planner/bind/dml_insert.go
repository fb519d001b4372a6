package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// insertTarget is a column that INSERT names, with the place in it (a[1], c.f) when only a part is given.
type insertTarget struct {
	col  catalog.Column
	ind  []*pg_query.Node
	pos  int
	name string
	bad  error // a view's column that shows no column of the table: an error when it gets a value
}

// insert binds INSERT.
func (b *binder) insert(s *scope, x *pg_query.InsertStmt) (plan.Node, error) {
	t, err := b.target(x.Relation, "INSERT")
	if err != nil {
		return nil, err
	}
	if err := b.needTarget(t.rel, "INSERT", x.Cols); err != nil {
		return nil, err
	}
	rel := t.base
	n := &plan.Insert{Rel: rel, NewCols: b.rowCols(rel), Defaults: map[int16]plan.Expr{}}
	switch x.Override {
	case pg_query.OverridingKind_OVERRIDING_USER_VALUE:
		n.Overriding = 'u'
	case pg_query.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		n.Overriding = 's'
	}
	row := b.newRowItem(rel, n.NewCols)
	it, _, err := t.item(b, row)
	if err != nil {
		return nil, err
	}
	s.known = append(s.known, it)
	targets, err := b.insertTargets(t, it, x.Cols)
	if err != nil {
		return nil, err
	}
	if err := b.insertSource(s, n, targets, len(x.Cols) > 0, x.SelectStmt); err != nil {
		return nil, err
	}
	if err := b.insertDefaults(n); err != nil {
		return nil, err
	}
	if n.Generated, n.Checks, err = b.rowRules(rel, n.NewCols); err != nil {
		return nil, err
	}
	options, err := t.checkOptions(b, row, false)
	if err != nil {
		return nil, err
	}
	n.Checks = append(n.Checks, options...)
	if x.Relation.Alias != nil {
		it.alias = x.Relation.Alias.Aliasname
	} else {
		it.schema = b.schemaName(it.rel)
	}
	if err := b.conflict(s, n, t, it, x.OnConflictClause); err != nil {
		return nil, err
	}
	// RETURNING sees the new row alone.
	rs := &scope{parent: s.parent, ctes: s.ctes, clause: inReturning}
	b.ownCols(rs, row)
	b.addItem(rs, it)
	it.scan = nil
	n.Returning, err = b.returning(rs, x.ReturningList)
	return n, err
}

// insertTargets resolves the column list; without one, all columns.
func (b *binder) insertTargets(t *dmlTarget, it *item, cols []*pg_query.Node) ([]insertTarget, error) {
	var out []insertTarget
	if len(cols) == 0 {
		for i := range it.cols {
			c, err := t.behind(b, &it.cols[i])
			if err != nil {
				out = append(out, insertTarget{bad: err})
				continue
			}
			out = append(out, insertTarget{col: *c, pos: -1, name: c.Name})
		}
		return out, nil
	}
	for _, n := range cols {
		res := n.GetResTarget()
		pos := loc(res.Location)
		c, err := t.column(b, it, res.Name, pos)
		if err != nil {
			return nil, err
		}
		for _, o := range out {
			if o.col.Num == c.Num && (len(o.ind) == 0 || len(res.Indirection) == 0) {
				return nil, errAt(pos, dberr.DuplicateColumn, "column \"%s\" specified more than once", c.Name)
			}
		}
		out = append(out, insertTarget{col: *c, ind: res.Indirection, pos: pos, name: res.Name})
	}
	return out, nil
}

// insertSource binds what is inserted and makes the node's input.
func (b *binder) insertSource(s *scope, n *plan.Insert, targets []insertTarget, named bool, src *pg_query.Node) error {
	sel := src.GetSelectStmt()
	switch {
	case sel == nil: // DEFAULT VALUES
		n.Input = &plan.Values{Rows: [][]plan.Expr{{}}}
		return nil
	case len(sel.ValuesLists) > 0 && len(sel.SortClause) == 0 && sel.LimitCount == nil && sel.LimitOffset == nil && sel.WithClause == nil:
		return b.insertValues(s, n, targets, named, sel.ValuesLists)
	}
	q, err := b.selectStmt(s, sel, leafOpts)
	if err != nil {
		return err
	}
	if targets, err = b.countTargets(targets, len(q.cols), named, func() int { return b.itemPos(q, len(targets)) }); err != nil {
		return err
	}
	for _, t := range targets {
		if err := b.writable(n, &t.col, false); err != nil {
			return err
		}
	}
	return b.insertQuery(s, n, targets, q)
}

// countTargets checks the number of values against the columns; without a column list the last columns may be left out.
func (b *binder) countTargets(targets []insertTarget, values int, named bool, extraPos func() int) ([]insertTarget, error) {
	switch {
	case values > len(targets):
		return nil, errAt(extraPos(), dberr.SyntaxError, "INSERT has more expressions than target columns")
	case values < len(targets) && named:
		return nil, errAt(targets[values].pos, dberr.SyntaxError, "INSERT has more target columns than expressions")
	}
	for _, t := range targets[:values] {
		if t.bad != nil {
			return nil, t.bad
		}
	}
	return targets[:values], nil
}

// insertQuery converts the columns of a query to the target columns.
func (b *binder) insertQuery(s *scope, n *plan.Insert, targets []insertTarget, q *query) error {
	if q.project != nil {
		for i, e := range q.project.Items {
			if !isUnknown(e.Type()) || len(targets[i].ind) > 0 {
				continue
			}
			c, err := b.assignColumn(e, &targets[i].col)
			if err != nil {
				return err
			}
			q.project.Items[i], q.project.Out[i].Type, q.project.Out[i].Mod = c, c.Type(), c.Mod()
		}
		q.cols = q.project.Out
	}
	row := make([]plan.Expr, len(q.cols))
	change := false
	for i, c := range q.cols {
		row[i] = b.ref(c, b.itemPos(q, i))
		change = change || !same(c.Type, targets[i].col.Type) || c.Mod != targets[i].col.Mod || len(targets[i].ind) > 0
	}
	if !change {
		n.Input = q.node
		for _, t := range targets {
			n.Target = append(n.Target, t.col)
		}
		return nil
	}
	cols, items, err := b.targetRow(s, targets, row)
	if err != nil {
		return err
	}
	proj := &plan.Project{Input: q.node, Items: items}
	for i, c := range cols {
		proj.Out = append(proj.Out, b.outCol(c.Name, items[i]))
	}
	n.Input, n.Target = proj, cols
	return nil
}

// targetRow converts the values of a row to the target columns; parts of one column are put together.
func (b *binder) targetRow(s *scope, targets []insertTarget, row []plan.Expr) (cols []catalog.Column, out []plan.Expr, err error) {
	for i, t := range targets {
		at := slices.IndexFunc(cols, func(c catalog.Column) bool { return c.Num == t.col.Num })
		var e plan.Expr
		if len(t.ind) > 0 {
			base := plan.Expr(nullConst(t.col.Type))
			if at >= 0 {
				base = out[at]
			}
			err = s.in(inInsertTarget, func() (err error) {
				e, err = b.assignInto(s, base, t.col.Type, t.col.Mod, t.ind, row[i], t.name, t.pos)
				return err
			})
		} else {
			e, err = b.assignColumn(row[i], &t.col)
		}
		if err != nil {
			return nil, nil, err
		}
		if at >= 0 {
			out[at] = e
			continue
		}
		cols, out = append(cols, t.col), append(out, e)
	}
	return cols, out, nil
}

// insertValues binds VALUES lists, each value for its column; DEFAULT is the column's default.
func (b *binder) insertValues(s *scope, n *plan.Insert, targets []insertTarget, named bool, lists []*pg_query.Node) error {
	if done, err := b.bulkRows(n, targets, named, lists); done {
		return err
	}
	v := &plan.Values{}
	width := -1
	var used []insertTarget
	c := inValues
	if len(lists) == 1 {
		c = inInsertRow
	}
	err := s.in(c, func() error {
		for _, l := range lists {
			items := l.GetList().GetItems()
			row, defaults, err := b.valueRow(s, items)
			if err != nil {
				return err
			}
			if width >= 0 && len(row) != width {
				return errAt(firstPos(items), dberr.SyntaxError, "VALUES lists must all be the same length")
			}
			if width < 0 {
				width = len(row)
				extra := func() int {
					if len(targets) < len(items) {
						return astPos(items[len(targets)])
					}
					return firstPos(items)
				}
				if used, err = b.countTargets(targets, width, named, extra); err != nil {
					return err
				}
			}
			for i := range row {
				if err := b.writable(n, &used[i].col, defaults[i]); err != nil {
					return err
				}
				if defaults[i] {
					if row[i], err = b.defaultOf(n.Rel, &used[i].col); err != nil {
						return err
					}
				}
			}
			cols, exprs, err := b.targetRow(s, used, row)
			if err != nil {
				return err
			}
			n.Target = cols
			v.Rows = append(v.Rows, exprs)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range n.Target {
		v.Out = append(v.Out, b.newCol(c.Name, c.Type, c.Mod))
	}
	n.Input = v
	if s.hasSet { // one row with set-returning functions is a query
		row := v.Rows[0]
		ptrs := make([]*plan.Expr, len(row))
		for i := range row {
			ptrs[i] = &row[i]
		}
		input, _ := b.projectSets(s, &plan.Empty{}, ptrs)
		n.Input = &plan.Project{Input: input, Out: v.Out, Items: row}
	}
	return nil
}

// valueRow binds one row; defaults marks the places where DEFAULT stands.
func (b *binder) valueRow(s *scope, items []*pg_query.Node) (row []plan.Expr, defaults []bool, err error) {
	for _, n := range items {
		if n.GetSetToDefault() != nil {
			row, defaults = append(row, nil), append(defaults, true)
			continue
		}
		es, err := b.expandedExprs(s, []*pg_query.Node{n})
		if err != nil {
			return nil, nil, err
		}
		for _, e := range es {
			row, defaults = append(row, e), append(defaults, false)
		}
	}
	return row, defaults, nil
}

// writable refuses values for generated columns, and for identity columns unless they are overridden.
func (b *binder) writable(n *plan.Insert, c *catalog.Column, isDefault bool) error {
	if isDefault {
		return nil
	}
	switch {
	case c.Generated:
		return dberr.New(dberr.GeneratedAlways, "cannot insert a non-DEFAULT value into column \"%s\"", c.Name).
			WithDetail("Column \"%s\" is a generated column.", c.Name)
	case c.Identity == 'a' && n.Overriding == 0:
		return dberr.New(dberr.GeneratedAlways, "cannot insert a non-DEFAULT value into column \"%s\"", c.Name).
			WithDetail("Column \"%s\" is an identity column defined as GENERATED ALWAYS.", c.Name).
			WithHint("Use OVERRIDING SYSTEM VALUE to override.")
	}
	return nil
}

// insertDefaults binds the defaults of the columns that are not given. OVERRIDING USER VALUE drops what is given for identity columns.
func (b *binder) insertDefaults(n *plan.Insert) error {
	if n.Overriding == 'u' {
		b.dropIdentity(n)
	}
	live := liveColumns(n.Rel)
	for i := range live {
		c := &live[i]
		if c.Generated || slices.ContainsFunc(n.Target, func(t catalog.Column) bool { return t.Num == c.Num }) {
			continue
		}
		if c.Default == "" && b.domainDefault(c.Type) == "" {
			if c.Type.Class == value.Domain { // which may refuse NULL
				e, err := b.toDomain(&plan.Const{Typed: plan.Typed{T: baseType(c.Type), M: -1}}, c.Type, plan.ImplicitCastStyle, -1)
				if err != nil {
					return err
				}
				n.Defaults[c.Num] = e
			}
			continue
		}
		e, err := b.defaultOf(n.Rel, c)
		if err != nil {
			return err
		}
		n.Defaults[c.Num] = e
	}
	return nil
}

// dropIdentity leaves the values for identity columns out of the input.
func (b *binder) dropIdentity(n *plan.Insert) {
	keep := &plan.Project{Input: n.Input}
	var target []catalog.Column
	for i, c := range n.Input.Cols() {
		if n.Target[i].Identity == 0 {
			keep.Out, keep.Items = append(keep.Out, c), append(keep.Items, b.ref(c, -1))
			target = append(target, n.Target[i])
		}
	}
	n.Input, n.Target = keep, target
}

// conflict binds ON CONFLICT.
func (b *binder) conflict(s *scope, n *plan.Insert, t *dmlTarget, it *item, x *pg_query.OnConflictClause) error {
	if x == nil || x.Action == pg_query.OnConflictAction_ONCONFLICT_NONE {
		return nil
	}
	c := &plan.Conflict{Nothing: x.Action == pg_query.OnConflictAction_ONCONFLICT_NOTHING}
	if x.Infer == nil {
		if !c.Nothing {
			return errAt(loc(x.Location), dberr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
				WithHint("For example, ON CONFLICT (column_name).")
		}
		if slices.ContainsFunc(b.Catalog.IndexesOf(t.base), func(x *catalog.Index) bool { return x.Unique && x.Deferrable }) {
			return deferrableArbiter()
		}
		c.AnyIndex = true
	} else if err := b.arbiter(t, it, c, x.Infer); err != nil {
		return err
	}
	n.Conflict = c
	if c.Nothing {
		return nil
	}
	c.OldCols, c.ExclCols = b.rowCols(n.Rel), b.rowCols(n.Rel)
	cs := &scope{parent: s.parent, ctes: s.ctes, clause: inUpdateSource}
	oldRow, exclRow := b.newRowItem(n.Rel, c.OldCols), b.newRowItem(n.Rel, c.ExclCols)
	old, _, err := t.item(b, oldRow)
	if err != nil {
		return err
	}
	excl, _, err := t.item(b, exclRow)
	if err != nil {
		return err
	}
	old.alias, old.schema, excl.alias = it.alias, it.schema, "excluded"
	b.ownCols(cs, oldRow)
	b.ownCols(cs, exclRow)
	b.addItem(cs, old)
	b.addItem(cs, excl)
	s.known = append(s.known, excl) // RETURNING sees it and may not use it
	c.Sets, err = b.sets(cs, t, old, c.OldCols, x.TargetList, func(e plan.Expr) plan.Expr { return e })
	if err != nil {
		return err
	}
	if x.WhereClause == nil {
		return nil
	}
	return cs.in(inWhere, func() error {
		e, err := b.expr(cs, x.WhereClause)
		if err == nil {
			c.Where, err = b.boolean(e, "WHERE")
		}
		return err
	})
}
