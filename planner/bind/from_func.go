package bind

import (
	"slices"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// fromCall is one function of a FROM item.
type fromCall struct {
	call   plan.SetCall
	row    plan.Expr   // a function that returns one value instead
	name   string      // suggested column name
	past   *plan.Scan  // or a stored relation as it was: what a function shows without being called
	out    string      // the name of the only output parameter, which the column takes
	single bool        // the column may take the item's alias as its name
	named  bool        // columns have names of their own
	rowOf  *value.Type // the composite type whose columns they are
}

// column is the name of a scalar call's column.
func (c *fromCall) column() string {
	if c.out != "" {
		return c.out
	}
	return c.name
}

// onlyOutput gives the name of a function's output parameter when it has one.
func onlyOutput(r *resolved) string {
	name, n := "", 0
	if r.candidate != nil && r.user != nil {
		for i := range r.user.Args {
			if a := &r.user.Args[i]; a.Out() {
				name = a.Name
				n++
			}
		}
	}
	if n != 1 {
		return ""
	}
	return name
}

// rangeFunction binds f(…) in FROM, ROWS FROM (…), WITH ORDINALITY and column definition lists.
func (b *binder) rangeFunction(s *scope, x *pg_query.RangeFunction) (plan.Node, *item, error) {
	var calls []fromCall
	err := b.lateral(s, true, inFromFunction, func() error {
		for _, n := range x.Functions {
			pair := n.GetList().GetItems()
			defs := x.Coldeflist
			if len(pair) > 1 && pair[1].GetList() != nil {
				defs = pair[1].GetList().Items
			}
			more, err := b.fromFunction(s, pair[0], defs)
			if err != nil {
				return err
			}
			calls = append(calls, more...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(calls) > 1 && len(x.Coldeflist) > 0 {
		return nil, nil, dberr.New(dberr.SyntaxError, "ROWS FROM() with multiple functions cannot have a column definition list").
			WithHint("Put a separate column definition list for each function inside ROWS FROM().")
	}
	alias := calls[0].name
	if x.Alias != nil {
		alias = x.Alias.Aliasname
	}
	if len(calls) == 1 && calls[0].single && x.Alias != nil {
		calls[0].rename(alias)
	}
	node, out := b.funcNode(calls, alias, x.Ordinality)
	if slices.ContainsFunc(calls, func(c fromCall) bool { return c.call.Fn != nil && fillsRecords[c.call.Fn.Name] }) {
		if node, out, err = b.admitColumns(node); err != nil {
			return nil, nil, err
		}
	}
	it := b.queryItem(out)
	it.scalar = len(calls) == 1 && !x.Ordinality && len(out) == 1 && !calls[0].call.AsRecord && !calls[0].named
	if r := calls[0].rowOf; len(calls) == 1 && !x.Ordinality && r != nil && r.OID != value.RecordType.OID {
		it.rowType = r
	}
	if err := nameItem(it, alias, x.Alias); err != nil {
		return nil, nil, err
	}
	return node, it, nil
}

func (c *fromCall) rename(name string) {
	c.name = name
	if len(c.call.Cols) == 1 {
		c.call.Cols[0].Name = name
		c.call.Shape[0].Name = name
	}
}

// funcNode makes the node of the calls. A single call of a function that is not set-returning needs no table function.
func (b *binder) funcNode(calls []fromCall, alias string, ordinality bool) (plan.Node, []plan.Col) {
	if len(calls) == 1 && calls[0].row != nil {
		c := calls[0]
		proj := &plan.Project{Input: &plan.Empty{}, Out: []plan.Col{b.outCol(c.column(), c.row)}, Items: []plan.Expr{c.row}}
		if fields := baseType(c.row.Type()).Fields; isComposite(c.row.Type()) {
			row := b.ref(proj.Out[0], -1)
			proj = &plan.Project{Input: proj}
			for i, f := range fields {
				proj.Out = append(proj.Out, b.newCol(f.Name, f.Type, f.Mod))
				proj.Items = append(proj.Items, &plan.FieldSelect{Typed: plan.Typed{T: f.Type, M: f.Mod}, Arg: row, Field: i, Name: f.Name})
			}
		}
		if ordinality {
			proj.Out = append(proj.Out, b.newCol("ordinality", value.Int8, -1))
			proj.Items = append(proj.Items, intConst(value.Int8, 1))
		}
		return proj, proj.Out
	}
	if len(calls) == 1 && calls[0].past != nil && !ordinality {
		scan := calls[0].past
		scan.Alias = alias
		return scan, scanCols(scan)
	}
	n := &plan.FuncScan{Alias: alias}
	for i, c := range calls {
		if ordinality && len(calls) == 1 {
			c.call.Ordinality = true
			c.call.Cols = append(slices.Clip(c.call.Cols), b.newCol("ordinality", value.Int8, -1))
		}
		if c.row != nil {
			c.call = b.rowCall(c)
		}
		calls[i] = c
		n.Calls = append(n.Calls, c.call)
		n.Out = append(n.Out, c.call.Cols...)
	}
	if ordinality && len(calls) > 1 {
		n.Out = append(n.Out, b.newCol("ordinality", value.Int8, -1))
	}
	return n, n.Out
}

// rowCall is the call of a function that is not set-returning: its one row has the fields of a composite value.
func (b *binder) rowCall(c fromCall) plan.SetCall {
	call := plan.SetCall{Row: c.row}
	if !isComposite(c.row.Type()) {
		call.Cols, call.Shape = []plan.Col{b.outCol(c.column(), c.row)}, value.Schema{{Name: c.column(), Type: c.row.Type(), Mod: -1}}
		return call
	}
	for _, f := range baseType(c.row.Type()).Fields {
		call.Cols, call.Shape = append(call.Cols, b.newCol(f.Name, f.Type, f.Mod)), append(call.Shape, f)
	}
	return call
}

// fromFunction binds one function of a FROM item. unnest of several arrays is several calls.
func (b *binder) fromFunction(s *scope, n *pg_query.Node, defs []*pg_query.Node) ([]fromCall, error) {
	x := n.GetFuncCall()
	if x == nil {
		e, err := b.expr(s, n)
		if err != nil {
			return nil, err
		}
		if e, err = b.resolveUnknown(e); err != nil {
			return nil, err
		}
		return []fromCall{{row: e, name: columnName(n), single: true}}, nil
	}
	if names := strs(x.Funcname); names[len(names)-1] == "unnest" && len(x.Args) > 1 && len(defs) == 0 && !x.FuncVariadic {
		var out []fromCall
		for _, a := range x.Args {
			c, err := b.fromFunction(s, &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: &pg_query.FuncCall{Funcname: x.Funcname, Args: []*pg_query.Node{a}, Location: x.Location}}}, nil)
			if err != nil {
				return nil, err
			}
			out = append(out, c...)
		}
		return out, nil
	}
	c, err := b.bindCall(s, x)
	if err != nil {
		return nil, err
	}
	r, err := b.resolve(c)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, b.noFunction(c, x)
	}
	if r.coerceTo != nil || r.table == nil {
		e := plan.Expr(nil)
		if r.coerceTo != nil {
			e, err = b.cast(r.args[0], r.coerceTo, -1, c.pos)
		} else {
			e, err = b.finishCall(s, x, c, r)
		}
		if err != nil {
			return nil, err
		}
		if len(defs) > 0 {
			return nil, errAt(loc(defs[0].GetColumnDef().GetLocation()), dberr.SyntaxError, "a column definition list is only allowed for functions returning \"record\"")
		}
		fc := fromCall{row: e, name: c.name, out: onlyOutput(r), named: isComposite(e.Type())}
		fc.single = !fc.named && fc.out == ""
		if fc.named {
			fc.rowOf = baseType(e.Type())
		}
		return []fromCall{fc}, nil
	}
	if err := b.notAggregate(x, c); err != nil {
		return nil, err
	}
	for _, a := range r.args {
		if hasSet(a) {
			return nil, errAt(c.pos, dberr.FeatureNotSupported, "set-returning functions must appear at top level of FROM")
		}
	}
	fc, err := b.tableCall(c, r, defs)
	if err != nil {
		return nil, err
	}
	return []fromCall{fc}, nil
}

// tableCall gives a table function its columns.
func (b *binder) tableCall(c *call, r *resolved, defs []*pg_query.Node) (fromCall, error) {
	b.writes = b.writes || r.writes()
	fc := fromCall{name: c.name, call: plan.SetCall{Fn: r.table, Args: r.args}}
	t := r.table
	var err error
	switch {
	case t.Past != nil && len(defs) == 0:
		fc.named = true
		fc.call.Shape, fc.past, err = b.pastShape(c, r)
	case t.Dynamic:
		fc.named = true
		fc.call.Shape, err = b.dynamicShape(c, r, defs)
	case t.Scalar && isRecord(r.ret):
		fc.named = true
		if len(defs) == 0 {
			return fc, errAt(c.pos, dberr.SyntaxError, "a column definition list is required for functions returning \"record\"")
		}
		fc.call.Shape, err = b.columnDefs(defs)
	case len(defs) > 0:
		what := "a column definition list is only allowed for functions returning \"record\""
		if len(t.Cols) > 1 {
			what = "a column definition list is redundant for a function with OUT parameters"
		}
		return fc, errAt(loc(defs[0].GetColumnDef().GetLocation()), dberr.SyntaxError, "%s", what)
	case t.Scalar && len(t.Cols) == 1:
		name := t.Cols[0].Name
		fc.single = name == "" || name == t.Name
		if fc.single {
			name = c.name
		}
		fc.call.Shape = value.Schema{{Name: name, Type: r.ret, Mod: -1}}
		if !t.Cols[0].Type.IsPoly() && !fc.single {
			fc.call.Shape[0].Type = t.Cols[0].Type
		}
		if isComposite(r.ret) {
			err = b.compositeRows(&fc, r.ret)
		}
	default:
		fc.named = true
		fc.call.Shape, err = b.tableCols(r)
	}
	if err != nil {
		return fc, err
	}
	for _, f := range fc.call.Shape {
		fc.call.Cols = append(fc.call.Cols, b.newCol(f.Name, f.Type, f.Mod))
	}
	return fc, nil
}

// compositeRows: a set of a composite type shows the type's columns.
func (b *binder) compositeRows(fc *fromCall, t *value.Type) error {
	fc.named, fc.single, fc.rowOf = true, false, baseType(t)
	fc.call.Shape = baseType(t).Fields
	return nil
}

// dynamicShape gives the columns of a function whose rows have no fixed shape: from the column definition list, from a record
// argument's type, or from the function itself.
func (b *binder) dynamicShape(c *call, r *resolved, defs []*pg_query.Node) (value.Schema, error) {
	if len(defs) > 0 {
		return b.columnDefs(defs)
	}
	for _, a := range r.args {
		if t := baseType(a.Type()); t.Class == value.Composite {
			return t.Fields, nil
		}
	}
	if r.table.Shape == nil {
		return nil, errAt(c.pos, dberr.SyntaxError, "a column definition list is required for functions returning \"record\"")
	}
	vals, known := constants(r.args)
	if known < len(r.args) {
		return nil, errAt(c.pos, dberr.FeatureNotSupported, "the arguments of %s must be constants, or a column definition list must be given", c.name)
	}
	env, done, err := b.world(c)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.table.Shape(b.ctx, env, vals)
}

// world gives the environment of a function that is asked while the statement is bound. Such a plan is not kept.
func (b *binder) world(c *call) (*functions.Env, func(), error) {
	if b.Env == nil {
		return nil, nil, errAt(c.pos, dberr.FeatureNotSupported, "function %s cannot be used here", c.name)
	}
	b.deps.NoCache = true
	return b.Env(b.ctx)
}

// constants gives the values of arguments up to the first that is not constant.
func constants(args []plan.Expr) (vals []value.Value, known int) {
	vals = make([]value.Value, len(args))
	for i, a := range args {
		k, ok := stripImplicit(a).(*plan.Const)
		if !ok {
			return vals, i
		}
		vals[i] = k.Val
	}
	return vals, len(args)
}

// pastShape gives the columns of a function that shows a relation's past: the scan of that relation when all arguments are constants,
// else the columns for a call.
func (b *binder) pastShape(c *call, r *resolved) (value.Schema, *plan.Scan, error) {
	vals, known := constants(r.args)
	if known == 0 || vals[0].IsNull() {
		return nil, nil, errAt(c.pos, dberr.FeatureNotSupported, "the first argument of %s must be a constant", c.name)
	}
	env, done, err := b.world(c)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	for _, v := range vals {
		if known < len(vals) || v.IsNull() {
			shape, err := r.table.Shape(b.ctx, env, vals)
			return shape, nil, err
		}
	}
	rel, lsn, err := r.table.Past(b.ctx, env, vals)
	if err != nil {
		return nil, nil, err
	}
	scan, _ := b.scan(rel)
	scan.AsOf = lsn
	var shape value.Schema
	for _, col := range scan.Out {
		shape = append(shape, value.Field{Name: col.Name, Type: col.Type, Mod: col.Mod})
	}
	return shape, scan, nil
}

// columnDefs reads AS t(a int, b text).
func (b *binder) columnDefs(defs []*pg_query.Node) (value.Schema, error) {
	var out value.Schema
	for _, n := range defs {
		d := n.GetColumnDef()
		t, mod, err := b.typeName(d.TypeName)
		if err != nil {
			return nil, err
		}
		if t.Class == value.Pseudo {
			return nil, errAt(loc(d.Location), dberr.InvalidTableDef, "column \"%s\" has pseudo-type %s", d.Colname, t.SQL)
		}
		for _, f := range out {
			if f.Name == d.Colname {
				return nil, errAt(loc(d.Location), dberr.DuplicateColumn, "column name \"%s\" specified more than once", d.Colname)
			}
		}
		out = append(out, value.Field{Name: d.Colname, Type: t, Mod: mod})
	}
	return out, nil
}
