package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// funcCall binds a call of a scalar, aggregate, window or set-returning function.
func (b *binder) funcCall(s *scope, x *pg_query.FuncCall) (plan.Expr, error) {
	c, err := b.bindCall(s, x)
	if err != nil {
		return nil, err
	}
	r, err := b.resolve(c)
	if err != nil {
		return nil, err
	}
	if r == nil {
		if c.plainSyntax && len(c.args) == 1 && c.schema == "" && (isComposite(c.args[0].Type()) || isRecord(c.args[0].Type())) {
			if f := b.field(c.args[0], c.name, c.pos); f != nil {
				return f, nil
			}
		}
		return nil, b.noFunction(c, x)
	}
	if r.coerceTo != nil {
		return b.cast(r.args[0], r.coerceTo, -1, c.pos)
	}
	return b.finishCall(s, x, c, r)
}

// bindCall binds the arguments of a call; those of WITHIN GROUP (ORDER BY …) come last.
func (b *binder) bindCall(s *scope, x *pg_query.FuncCall) (*call, error) {
	c := &call{variadic: x.FuncVariadic, pos: loc(x.Location)}
	c.plainSyntax = x.AggOrder == nil && x.AggFilter == nil && x.Over == nil && !x.AggWithinGroup && !x.AggStar && !x.AggDistinct
	var err error
	if c.schema, c.name, err = b.qualified(strs(x.Funcname), c.pos); err != nil {
		return nil, err
	}
	for _, n := range x.Args {
		name := ""
		if na := n.GetNamedArgExpr(); na != nil {
			name = na.Name
			if slices.Contains(c.names, name) {
				return nil, errAt(loc(na.Location), dberr.SyntaxError, "argument name \"%s\" used more than once", name)
			}
			n = na.Arg
		} else if len(c.names) > 0 {
			return nil, errAt(astPos(n), dberr.SyntaxError, "positional argument cannot follow named argument")
		}
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, e)
		if name != "" {
			for len(c.names) < len(c.args)-1 {
				c.names = append(c.names, "")
			}
			c.names = append(c.names, name)
		}
	}
	if x.AggWithinGroup {
		for _, n := range x.AggOrder {
			e, err := b.expr(s, n.GetSortBy().Node)
			if err != nil {
				return nil, err
			}
			c.args = append(c.args, e)
		}
	}
	return c, nil
}

// noFunction is the error for a call that no function fits.
func (b *binder) noFunction(c *call, x *pg_query.FuncCall) error {
	if c.schema != "" && !isVirtual(c.schema) && c.schema != ownSchema && b.Catalog.Schema(c.schema) == nil {
		return errAt(c.pos, dberr.InvalidSchemaName, "schema \"%s\" does not exist", c.schema)
	}
	if err := b.procedureError(c, 'f'); err != nil {
		return err
	}
	hint := "No function matches the given name and argument types. You might need to add explicit type casts."
	if len(x.AggOrder) > 0 && !x.AggWithinGroup {
		hint = "No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY must appear after all regular arguments of the aggregate."
	}
	return errAt(c.pos, dberr.UndefinedFunction, "function %s does not exist", c.signature()).WithHint("%s", hint)
}

// functionOf tries the notation row.f for f(row); nil when there is no such function.
func (b *binder) functionOf(s *scope, row plan.Expr, name string, pos int) (plan.Expr, error) {
	c := &call{name: name, args: []plan.Expr{row}, pos: pos}
	r, err := b.resolve(c)
	if r == nil || err != nil || r.coerceTo != nil || r.scalar == nil || r.table != nil {
		return nil, nil //nolint:nilerr // an ambiguous name is no column either
	}
	return b.finishCall(s, &pg_query.FuncCall{}, c, r)
}

// finishCall makes the expression for a resolved call, by the kind of its function.
func (b *binder) finishCall(s *scope, x *pg_query.FuncCall, c *call, r *resolved) (plan.Expr, error) {
	b.writes = b.writes || r.writes()
	switch {
	case r.agg != nil && x.Over == nil:
		return b.aggCall(s, x, c, r)
	case r.agg != nil || r.win != nil:
		return b.winCall(s, x, c, r)
	}
	if err := b.notAggregate(x, c); err != nil {
		return nil, err
	}
	if r.table != nil {
		return b.setCall(s, c, r)
	}
	coll, err := b.callCollation(r.args, c.pos)
	if err != nil {
		return nil, err
	}
	e := &plan.Call{Typed: plan.Typed{T: r.ret, M: -1}, Fn: r.scalar, Args: r.args, Style: plan.FuncStyle, Name: c.name, Coll: coll, Pos: c.pos, Variadic: c.variadic && r.isAny}
	if x.Funcformat == pg_query.CoercionForm_COERCE_SQL_SYNTAX {
		e.Style = plan.SQLStyle
	}
	p := c.pos
	for _, a := range c.args {
		p = leftmost(p, b.posOf(a))
	}
	b.pos[e] = p
	return e, nil
}

// writes tells whether a call changes rows.
func (r *resolved) writes() bool {
	return r.scalar != nil && r.scalar.Writes || r.table != nil && r.table.Writes
}

// notAggregate refuses the decorations of aggregates at a plain function.
func (b *binder) notAggregate(x *pg_query.FuncCall, c *call) error {
	what := ""
	switch {
	case x.AggStar:
		return errAt(c.pos, dberr.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", c.name, c.name)
	case x.AggDistinct:
		what = "DISTINCT"
	case x.AggWithinGroup:
		what = "WITHIN GROUP"
	case len(x.AggOrder) > 0:
		what = "ORDER BY"
	case x.AggFilter != nil:
		what = "FILTER"
	case x.Over != nil:
		return errAt(c.pos, dberr.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", c.name)
	}
	if what == "" {
		return nil
	}
	return errAt(c.pos, dberr.WrongObjectType, "%s specified, but %s is not an aggregate function", what, c.name)
}

// setCall makes a set-returning call in an expression.
func (b *binder) setCall(s *scope, c *call, r *resolved) (plan.Expr, error) {
	if s == nil || !clauseRules[s.clause].set {
		name := clauseRules[inOther].name
		if s != nil {
			name = clauseRules[s.clause].name
			if s.clause == inFromFunction {
				return nil, errAt(c.pos, dberr.FeatureNotSupported, "set-returning functions must appear at top level of FROM")
			}
		}
		return nil, errAt(c.pos, dberr.FeatureNotSupported, "set-returning functions are not allowed in %s", name)
	}
	s.hasSet = true
	e := &setExpr{Typed: plan.Typed{T: r.ret, M: -1}, fn: r.table, args: r.args, name: c.name, pos: c.pos}
	if fields := b.rowFields(r.args); r.table.Dynamic && len(fields) > 0 {
		e.cols, e.T = fields, anonymousRow(fields)
		if t := r.args[0].Type(); isComposite(t) {
			e.T = t
		}
		if fillsRecords[c.name] && holdsDomain(e.T, 0) {
			return b.admit(b.at(e, c.pos), e.T, plan.ImplicitCastStyle, c.pos)
		}
		return b.at(e, c.pos), nil
	}
	if r.table.Dynamic {
		return nil, errAt(c.pos, dberr.FeatureNotSupported, "function returning record called in context that cannot accept type record").
			WithHint("Call it in FROM with a column definition list.")
	}
	if len(r.table.Cols) > 1 || !r.table.Scalar {
		cols, err := b.tableCols(r)
		if err != nil {
			return nil, err
		}
		e.cols = cols
		e.T = anonymousRow(cols)
	}
	return b.at(e, c.pos), nil
}

// anonymousRow is type record with the columns that are known of it, so that fields can be selected where only the type is at hand.
func anonymousRow(cols value.Schema) *value.Type {
	t := *value.RecordType
	t.Fields = cols
	return &t
}

// rowFields are the fields of the row that a function takes, which are those of its result.
func (b *binder) rowFields(args []plan.Expr) value.Schema {
	for _, a := range args {
		if t := a.Type(); isComposite(t) || isRecord(t) {
			return b.fieldsOf(a)
		}
	}
	return nil
}

// tableCols gives the columns of a table function's rows, polymorphic ones resolved.
func (b *binder) tableCols(r *resolved) (value.Schema, error) {
	declared := make([]*value.Type, len(r.params))
	for i, p := range r.params {
		declared[i] = p.Type
	}
	var out value.Schema
	for _, col := range r.table.Cols {
		t := col.Type
		if t.IsPoly() {
			var err error
			if _, t, err = b.instantiate(types(r.args), declared[:len(r.args)], t); err != nil {
				return nil, err
			}
		}
		out = append(out, value.Field{Name: col.Name, Type: t, Mod: -1})
	}
	return out, nil
}

// aggCall makes an aggregate call and finds the query level that it belongs to.
func (b *binder) aggCall(s *scope, x *pg_query.FuncCall, c *call, r *resolved) (plan.Expr, error) {
	fn := r.agg
	switch {
	case fn.OrderedSet && !x.AggWithinGroup:
		return nil, errAt(c.pos, dberr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", c.name)
	case !fn.OrderedSet && x.AggWithinGroup:
		return nil, errAt(c.pos, dberr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", c.name)
	case len(c.args) == 0 && !x.AggStar && !x.AggWithinGroup:
		return nil, errAt(c.pos, dberr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", c.name)
	}
	e := &aggExpr{Typed: plan.Typed{T: r.ret, M: -1}, name: c.name, pos: c.pos}
	if r.user != nil {
		var err error
		if fn, err = b.aggInstance(r.user, fn, types(r.args)); err != nil {
			return nil, err
		}
	}
	e.agg = plan.Agg{Fn: fn, Args: r.args, Distinct: x.AggDistinct, Star: x.AggStar}
	e.agg.Col = plan.Col{Name: c.name, Type: r.ret, Mod: -1}
	if coll, err := b.callCollation(r.args, c.pos); err != nil {
		return nil, err
	} else if collatable(r.ret) {
		e.agg.Col.Coll = coll
	}
	var err error
	if fn.OrderedSet {
		err = b.orderedSet(e, x, c)
	} else {
		err = b.aggOrder(s, e, x)
	}
	if err != nil {
		return nil, err
	}
	if x.AggFilter != nil {
		err = s.in(inFilter, func() error {
			f, err := b.expr(s, x.AggFilter)
			if err == nil {
				e.agg.Filter, err = b.boolean(f, "FILTER")
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := b.placeAgg(s, e); err != nil {
		return nil, err
	}
	return b.at(e, c.pos), nil
}

// orderedSet splits the arguments of an ordered-set aggregate into direct ones and those that are sorted.
func (b *binder) orderedSet(e *aggExpr, x *pg_query.FuncCall, c *call) error {
	if x.AggDistinct {
		return errAt(c.pos, dberr.FeatureNotSupported, "cannot use DISTINCT with WITHIN GROUP")
	}
	n := len(e.agg.Args) - len(x.AggOrder)
	if n < 0 || e.agg.Fn.NumDirect >= 0 && !e.agg.Fn.Variadic && n != e.agg.Fn.NumDirect {
		return errAt(c.pos, dberr.UndefinedFunction, "function %s does not exist", c.signature()).
			WithHint("There is an ordered-set aggregate %s, but it requires %d direct arguments, not %d.", c.name, e.agg.Fn.NumDirect, n)
	}
	sorted := e.agg.Args[n:]
	if e.agg.Fn.Hypothetical {
		if n != len(sorted) {
			return errAt(c.pos, dberr.UndefinedFunction, "function %s does not exist", c.signature()).
				WithHint("To use the hypothetical-set aggregate %s, the number of hypothetical direct arguments (here %d) must match the number of ordering columns (here %d).", c.name, n, len(sorted))
		}
		for i := range sorted {
			_, pair, err := b.unify([]plan.Expr{sorted[i], e.agg.Args[i]}, "WITHIN GROUP")
			if err != nil {
				return err
			}
			sorted[i], e.agg.Args[i] = pair[0], pair[1]
		}
	}
	e.agg.Direct, e.agg.Args = slices.Clone(e.agg.Args[:n]), slices.Clone(sorted)
	for i, a := range e.agg.Args {
		k, err := b.sortKey(a, x.AggOrder[i].GetSortBy())
		if err != nil {
			return err
		}
		e.agg.Order = append(e.agg.Order, k)
		e.agg.Args[i] = k.Expr
	}
	return nil
}

// aggOrder binds ORDER BY and DISTINCT of a plain aggregate.
func (b *binder) aggOrder(s *scope, e *aggExpr, x *pg_query.FuncCall) error {
	for _, n := range x.AggOrder {
		sb := n.GetSortBy()
		k, err := b.expr(s, sb.Node)
		if err != nil {
			return err
		}
		if n := sb.Node.GetTypeCast(); n == nil { // a cast that is written is an expression of its own
			for _, a := range e.agg.Args {
				if plan.Equal(k, stripImplicit(a)) {
					k = a
				}
			}
		} else if e.agg.Distinct && slices.ContainsFunc(e.agg.Args, func(a plan.Expr) bool { return plan.Equal(a, k) && stripImplicit(a) != a }) {
			return errAt(astPos(sb.Node), dberr.InvalidColumnRef, "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
		}
		key, err := b.sortKey(k, sb)
		if err != nil {
			return err
		}
		if e.agg.Distinct && !slices.ContainsFunc(e.agg.Args, func(a plan.Expr) bool { return plan.Equal(a, key.Expr) }) {
			return errAt(astPos(sb.Node), dberr.InvalidColumnRef, "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
		}
		e.agg.Order = append(e.agg.Order, key)
	}
	if e.agg.Distinct {
		for i, a := range e.agg.Args {
			if isUnknown(a.Type()) {
				t, err := b.resolveUnknown(a)
				if err != nil {
					return err
				}
				e.agg.Args[i] = t
			} else if b.eqOp(a.Type()) == nil {
				return errAt(b.posOf(a), dberr.UndefinedFunction, "could not identify an equality operator for type %s", a.Type().SQL)
			}
		}
	}
	return nil
}

// stripImplicit gives what an implicit cast was put around.
func stripImplicit(e plan.Expr) plan.Expr {
	switch x := e.(type) {
	case *plan.Cast:
		if x.Style == plan.ImplicitCastStyle {
			return x.Arg
		}
	case *plan.Call:
		if x.Style == plan.ImplicitCastStyle {
			return x.Args[0]
		}
	}
	return e
}

// deepest finds the innermost query level, from s outwards, whose columns stand in the expressions; nil when there are none.
func (b *binder) deepest(s *scope, es []plan.Expr) *scope {
	seen := map[*scope]bool{}
	for _, e := range es {
		plan.WalkDeep(e, func(x plan.Expr) bool {
			switch r := x.(type) {
			case *plan.ColRef:
				seen[b.ownerOf(r.ID)] = true
			case *aggExpr:
				seen[r.level] = true
			case *groupingExpr:
				seen[r.level] = true
			}
			return true
		})
	}
	for lv := s; lv != nil; lv = lv.parent {
		if seen[lv] {
			return lv
		}
	}
	return nil
}

// placeAgg decides to which query an aggregate belongs: the innermost one whose columns it reads, or the one that it stands in.
func (b *binder) placeAgg(s *scope, e *aggExpr) error {
	level := s
	read := slices.Clone(e.agg.Args)
	for _, k := range e.agg.Order {
		read = append(read, k.Expr)
	}
	if e.agg.Filter != nil {
		read = append(read, e.agg.Filter)
	}
	if l := b.deepest(s, read); l != nil {
		level = l
	}
	e.level = level
	if l := b.deepest(s, e.agg.Direct); l != nil && l != level && below(l, level) {
		return errAt(b.posOf(e.agg.Direct[0]), dberr.GroupingError, "outer-level aggregate cannot contain a lower-level variable in its direct arguments")
	}
	for _, a := range append(slices.Clone(e.agg.Args), e.Children()...) {
		if err := b.nestedIn(a, level); err != nil {
			return err
		}
	}
	if level.inAgg && level != s {
		return errAt(e.pos, dberr.GroupingError, "aggregate function calls cannot be nested")
	}
	rule := clauseRules[level.clause]
	if !rule.agg {
		return errAt(e.pos, dberr.GroupingError, "aggregate functions are not allowed in %s", aggClause(level.clause, rule.name))
	}
	level.hasAgg = true
	return nil
}

// below tells whether query level a stands inside level c.
func below(a, c *scope) bool {
	for lv := a.parent; lv != nil; lv = lv.parent {
		if lv == c {
			return true
		}
	}
	return false
}

// aggClause is how the message about misplaced aggregates names a clause.
func aggClause(c clause, name string) string {
	switch c {
	case inFromSubselect:
		return "FROM clause of their own query level"
	case inFrame:
		return "window ROWS"
	}
	return name
}

// nestedIn refuses aggregates of the same level, window calls and set-returning calls inside an aggregate's arguments.
func (b *binder) nestedIn(a plan.Expr, level *scope) (err error) {
	plan.WalkDeep(a, func(x plan.Expr) bool {
		if err != nil {
			return false
		}
		switch n := x.(type) {
		case *aggExpr:
			if n.level == level {
				err = errAt(n.pos, dberr.GroupingError, "aggregate function calls cannot be nested")
			}
		case *groupingExpr:
			if n.level == level {
				err = errAt(n.pos, dberr.GroupingError, "aggregate function calls cannot be nested")
			}
		case *winExpr:
			err = errAt(n.pos, dberr.GroupingError, "aggregate function calls cannot contain window function calls")
		case *setExpr:
			err = errAt(n.pos, dberr.FeatureNotSupported, "aggregate function calls cannot contain set-returning function calls").
				WithHint("You might be able to move the set-returning function into a LATERAL FROM item.")
		}
		return err == nil
	})
	return err
}
