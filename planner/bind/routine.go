package bind

import (
	"context"
	"slices"
	"strings"

	pg_query "github.com/omgdb/omgdb/planner/parse/ast"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Functions that users wrote. A call is bound as that of an entry which hands its arguments to Env.Routines; the statements of the body
// are bound by Body, once for the types of a call.

// routine is a user's function as the binder calls it: one of the three is set.
type routine struct {
	fn     *catalog.Function
	scalar *functions.Scalar
	table  *functions.Table
	agg    *functions.Aggregate
}

// params are the parameters that a call gives values for.
func (b *binder) routineParams(f *catalog.Function) (out []functions.Param, variadic bool) {
	for i := range f.Args {
		a := &f.Args[i]
		if !a.In() && (f.Kind != 'p' || a.Mode != 'o') {
			continue
		}
		t := b.anyTypeByOID(a.Type)
		if t == nil {
			return nil, false
		}
		p := functions.Param{Name: a.Name, Type: t, Default: a.Default}
		if a.Mode == 'o' {
			p.Default = "NULL" // what is given for it counts for nothing
		}
		out, variadic = append(out, p), variadic || a.Mode == 'v'
	}
	return out, variadic
}

// anyTypeByOID is typeByOID that knows the array types of users' types too.
func (b *binder) anyTypeByOID(oid uint32) *value.Type {
	if t := b.typeByOID(oid); t != nil {
		return t
	}
	for _, t := range b.Catalog.Types(0) {
		if t.Def.ArrayOID == oid {
			return b.arrayOf(t.Def)
		}
	}
	return nil
}

// routinesNamed lists users' functions by name; the plan depends on the names in the schemas that were searched.
func (b *binder) routinesNamed(schema, name string) []*routine {
	if schema == "pg_temp" && b.TempSchema != "" {
		schema = b.TempSchema
	}
	schemas := []string{schema}
	if schema == "" {
		schemas = b.path()
	}
	var out []*routine
	for _, s := range schemas {
		sc := b.Catalog.Schema(s)
		if sc == nil {
			continue
		}
		b.uses(s)
		for _, f := range b.Catalog.FunctionsNamed(sc.ID, name) {
			if r := b.routineOf(f); r != nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// routineOf makes the entry of a function, nil when a type of it has gone.
func (b *binder) routineOf(f *catalog.Function) *routine {
	if r := b.routines[f.ID]; r != nil {
		return r
	}
	params, variadic := b.routineParams(f)
	ret := b.anyTypeByOID(f.Ret)
	if ret == nil {
		return nil
	}
	r := &routine{fn: f}
	outs := b.outColumns(f)
	if f.Kind == 'a' {
		r.agg = b.userAggregate(f, params, variadic, ret)
	} else if f.SetOf {
		r.table = routineTable(f, params, variadic, ret, outs)
	} else {
		if len(outs) > 1 || len(outs) == 1 && f.Kind == 'p' {
			ret = recordOf(outs)
		}
		r.scalar = routineScalar(f, params, variadic, ret)
	}
	if b.routines == nil {
		b.routines = map[catalog.ID]*routine{}
	}
	b.routines[f.ID] = r
	return r
}

// outColumns are the columns of the result that the function names.
func (b *binder) outColumns(f *catalog.Function) (out []functions.Param) {
	for i := range f.Args {
		if a := &f.Args[i]; a.Out() {
			t := b.anyTypeByOID(a.Type)
			if t == nil {
				t = value.Unknown
			}
			name := a.Name
			if name == "" {
				name = "column" + itoa(len(out)+1)
			}
			out = append(out, functions.Param{Name: name, Type: t})
		}
	}
	return out
}

// recordOf is the type of a row with these columns.
func recordOf(cols []functions.Param) *value.Type {
	t := *value.RecordType
	t.Class = value.Composite
	for _, c := range cols {
		t.Fields = append(t.Fields, value.Field{Name: c.Name, Type: c.Type, Mod: -1})
	}
	return &t
}

func routineScalar(f *catalog.Function, params []functions.Param, variadic bool, ret *value.Type) *functions.Scalar {
	oid := uint32(f.ID)
	return &functions.Scalar{
		OID: oid, Name: f.Name, Params: params, Variadic: variadic, Ret: ret, Strict: f.Strict, Volatility: functions.Volatility(f.Volatility), Routine: true,
		Eval: func(ctx context.Context, c *functions.Call, args []value.Value) (value.Value, error) {
			cols, composite := resultColumns(c.Ret)
			it, err := callRoutine(ctx, c, oid, args, cols)
			if err != nil {
				return value.Null, err
			}
			defer it.Close()
			row, err := it.Next(ctx)
			if err == nil && c.Ret.OID == value.Void.OID && f.Language != "" {
				return value.String(""), nil // as in PostgreSQL, where only functions in SQL give NULL
			}
			if err != nil || row == nil || c.Ret.OID == value.Void.OID {
				return value.Null, err
			}
			if !composite {
				return row.Cols[0].Get(row.Row(0)), nil
			}
			return recordAt(row, row.Row(0), cols), nil
		},
	}
}

// resultColumns are the columns by which a result of type t comes; composite results come field by field.
func resultColumns(t *value.Type) (cols value.Schema, composite bool) {
	if base := baseType(t); base.Class == value.Composite && len(base.Fields) > 0 {
		return base.Fields, true
	}
	if t.OID == value.Void.OID {
		return nil, false
	}
	return value.Schema{{Type: t, Mod: -1}}, false
}

func recordAt(row *batch.Batch, at int, cols value.Schema) value.Value {
	vals := make([]value.Value, len(cols))
	for i := range vals {
		vals[i] = row.Cols[i].Get(at)
	}
	return value.Box(&value.Record{Fields: cols, Vals: vals})
}

func callRoutine(ctx context.Context, c *functions.Call, oid uint32, args []value.Value, cols value.Schema) (batch.Iter, error) {
	if c.Env == nil || c.Env.Routines == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "a function written in SQL cannot be called here")
	}
	return c.Env.Routines.CallRoutine(ctx, c.Env, oid, c.Args, args, cols)
}

func routineTable(f *catalog.Function, params []functions.Param, variadic bool, ret *value.Type, outs []functions.Param) *functions.Table {
	oid := uint32(f.ID)
	t := &functions.Table{OID: oid, Name: f.Name, Params: params, Variadic: variadic, Strict: f.Strict, Volatility: functions.Volatility(f.Volatility), Rows: float64(f.Rows)}
	switch {
	case len(outs) > 1:
		t.Cols = outs
	case len(outs) == 1:
		t.Cols, t.Scalar = outs, true
	case isRecord(ret):
		t.Dynamic = true
	default:
		t.Cols, t.Scalar = []functions.Param{{Type: ret}}, true
	}
	t.Open = func(ctx context.Context, c *functions.Call, args []value.Value, out value.Schema) (batch.Iter, error) {
		if len(out) == 1 && isComposite(out[0].Type) && t.Scalar {
			cols, _ := resultColumns(out[0].Type)
			it, err := callRoutine(ctx, c, oid, args, cols)
			return &recordIter{it, cols, out}, err
		}
		return callRoutine(ctx, c, oid, args, out)
	}
	return t
}

// recordIter makes one composite column of the columns of a stream.
type recordIter struct {
	batch.Iter
	cols, out value.Schema
}

func (r *recordIter) Schema() value.Schema { return r.out }

func (r *recordIter) Next(ctx context.Context) (*batch.Batch, error) {
	in, err := r.Iter.Next(ctx)
	if in == nil || err != nil {
		return nil, err
	}
	col := value.NewColumn(r.out[0].Type, in.Rows())
	for i := range in.Rows() {
		col.Append(recordAt(in, in.Row(i), r.cols))
	}
	return &batch.Batch{Cols: []*value.Column{col}, Len: in.Rows()}, nil
}

// usesFunction records that the plan depends on a function.
func (b *binder) usesFunction(f *catalog.Function) {
	if b.deps.Functions == nil {
		b.deps.Functions = map[catalog.ID]uint64{}
	}
	b.deps.Functions[f.ID] = f.Version
}

// Body binds a statement of a function's body. bc.Args are the function's arguments; ret, when not nil, are the columns that the statement
// must give, and declared is what its result is called in errors.
func Body(ctx context.Context, bc *Context, st parse.Stmt, ret value.Schema, declared string) (plan.Statement, error) {
	if st.Rows != nil {
		whole, err := st.Whole()
		if err != nil {
			return nil, err
		}
		st = whole
	}
	b := newBinder(ctx, bc, st)
	for i, a := range bc.Args {
		if i < len(b.params) && (b.params[i] == nil || isRecord(a.Type)) {
			b.params[i] = a.Type
		}
	}
	if ret == nil {
		return b.statement(st.Node)
	}
	q, tag, err := b.bodyQuery(st.Node, declared)
	if err != nil {
		return nil, err
	}
	out, err := b.bodyResult(q, ret, declared)
	if err != nil {
		return nil, err
	}
	done, err := b.finish(out, tag)
	if err == nil {
		done.HasRows = true
	}
	return done, err
}

// Assignment binds the one value of st put into a part of a variable: target names the variable, which is one of bc.Args, and the part, as
// in ("v").f[1]. The query gives the variable's new value.
func Assignment(ctx context.Context, bc *Context, target string, st parse.Stmt) (plan.Statement, error) {
	n, err := parse.ParseExpr(target)
	if err != nil {
		return nil, err
	}
	part := n.GetAIndirection()
	if part == nil {
		return nil, dberr.New(dberr.SyntaxError, "cannot assign to %s", target)
	}
	b := newBinder(ctx, bc, st)
	for i, a := range bc.Args {
		if i < len(b.params) && (b.params[i] == nil || isRecord(a.Type)) {
			b.params[i] = a.Type
		}
	}
	q, tag, err := b.bodyQuery(st.Node, "")
	if err != nil {
		return nil, err
	}
	if len(q.cols) != 1 {
		return nil, dberr.New(dberr.SyntaxError, "assignment source returned %d columns", len(q.cols))
	}
	s := &scope{}
	base, err := b.expr(s, part.Arg)
	if err != nil {
		return nil, err
	}
	name := columnName(part.Arg)
	out, err := b.assignInto(s, base, base.Type(), base.Mod(), part.Indirection, b.ref(q.cols[0], -1), name, -1)
	if err != nil {
		return nil, err
	}
	proj := &plan.Project{Input: q.node, Out: []plan.Col{b.outCol(name, out)}, Items: []plan.Expr{out}}
	done, err := b.finish(&query{node: proj, cols: proj.Out}, tag)
	if err == nil {
		done.HasRows = true
	}
	return done, err
}

// RoutineTypes are the types of a function's arguments and its result's columns (nil for none), as they are declared; false when only a call
// can tell.
func RoutineTypes(ctx context.Context, bc *Context, f *catalog.Function) (args []*value.Type, ret value.Schema, ok bool) {
	b := newBinder(ctx, bc, parse.Stmt{})
	r := b.routineOf(f)
	if r == nil {
		return nil, nil, false
	}
	var params []functions.Param
	if r.table != nil {
		params = r.table.Params
		for _, c := range r.table.Cols {
			ret = append(ret, value.Field{Name: c.Name, Type: c.Type, Mod: -1})
		}
		if len(ret) == 1 {
			ret, _ = resultColumns(ret[0].Type)
		}
		ok = !r.table.Dynamic
	} else {
		params = r.scalar.Params
		ret, _ = resultColumns(r.scalar.Ret)
		ok = !isRecord(r.scalar.Ret) || len(r.scalar.Ret.Fields) > 0
	}
	for _, p := range params {
		args = append(args, p.Type)
		ok = ok && !p.Type.IsPoly()
	}
	for _, f := range ret {
		ok = ok && !f.Type.IsPoly()
	}
	return args, ret, ok
}

// bodyQuery binds the statement that gives a function's result.
func (b *binder) bodyQuery(n *pg_query.Node, declared string) (*query, string, error) {
	switch x := n.Node.(type) {
	case *pg_query.Node_SelectStmt:
		if x.SelectStmt.IntoClause == nil {
			q, err := b.selectStmt(nil, x.SelectStmt, opts{top: true, keepUnknown: true})
			return q, "SELECT", err
		}
	case *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt:
		tag, q, err := b.dml(nil, n)
		if err != nil {
			return nil, "", err
		}
		if len(q.cols) > 0 {
			return q, tag, nil
		}
	}
	return nil, "", b.mismatch(declared, "Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
}

func (b *binder) mismatch(declared, detail string, args ...any) error {
	return dberr.New(dberr.InvalidFunctionDef, "return type mismatch in function declared to return %s", declared).WithDetail(detail, args...)
}

// bodyResult gives the query of a result the columns and types that the function declares.
func (b *binder) bodyResult(q *query, ret value.Schema, declared string) (*query, error) {
	items := make([]plan.Expr, len(q.cols))
	for i, c := range q.cols {
		items[i] = b.ref(c, -1)
	}
	node := q.node
	if len(items) == 1 && isComposite(items[0].Type()) && !(len(ret) == 1 && same(items[0].Type(), ret[0].Type)) {
		fields := baseType(items[0].Type()).Fields
		row := items[0]
		items = nil
		for i, f := range fields {
			items = append(items, &plan.FieldSelect{Typed: plan.Typed{T: f.Type, M: f.Mod}, Arg: row, Field: i, Name: f.Name})
		}
	}
	switch {
	case len(ret) == 1 && len(items) != 1:
		return nil, b.mismatch(declared, "Final statement must return exactly one column.")
	case len(items) < len(ret):
		return nil, b.mismatch(declared, "Final statement returns too few columns.")
	case len(items) > len(ret):
		return nil, b.mismatch(declared, "Final statement returns too many columns.")
	}
	proj := &plan.Project{Input: node}
	for i, f := range ret {
		e, err := b.assign(items[i], f.Type, f.Mod, func(from *value.Type) error {
			if len(ret) == 1 {
				return b.mismatch(declared, "Actual return type is %s.", from.SQL)
			}
			return b.mismatch(declared, "Final statement returns %s instead of %s at column %d.", from.SQL, f.Type.SQL, i+1)
		})
		if err != nil {
			return nil, err
		}
		proj.Items = append(proj.Items, e)
		proj.Out = append(proj.Out, b.newCol(f.Name, f.Type, f.Mod))
	}
	return &query{node: proj, cols: proj.Out, project: proj}, nil
}

// argument gives the function's argument of a name, nil when there is none: columns come first.
func (b *binder) argument(name string, pos int) plan.Expr {
	if name == "" {
		return nil
	}
	for i, a := range b.Args {
		if a.Name == name {
			e, err := b.param(i+1, pos)
			if err != nil {
				return nil
			}
			return e
		}
	}
	return nil
}

// argumentField is a.b: a field of a composite argument, or an argument with the function's name before it.
func (b *binder) argumentField(qual, name string, pos int) plan.Expr {
	if row := b.argument(qual, pos); row != nil {
		return b.field(row, name, pos)
	}
	if qual != "" && qual == b.Routine {
		return b.argument(name, pos)
	}
	return nil
}

// procedureError is the error of calling a procedure as a function or the other way round; nil when there is none of the name.
func (b *binder) procedureError(c *call, kind byte) error {
	for _, r := range b.routinesNamed(c.schema, c.name) {
		if r.fn.Kind == kind {
			continue
		}
		sig := c.signature()
		if kind == 'f' {
			return errAt(c.pos, dberr.WrongObjectType, "%s is a procedure", sig).WithHint("To call a procedure, use CALL.")
		}
		return errAt(c.pos, dberr.WrongObjectType, "%s is not a procedure", sig).WithHint("To call a function, use SELECT.")
	}
	return nil
}

// callStmt binds CALL: a query of one row, when the procedure has output arguments.
func (b *binder) callStmt(x *pg_query.CallStmt) (plan.Statement, error) {
	s := &scope{clause: inCall}
	c, err := b.bindCall(s, x.Funccall)
	if err != nil {
		return nil, err
	}
	c.procedure = true
	r, err := b.resolve(c)
	if err != nil {
		return nil, err
	}
	if r == nil || r.scalar == nil {
		if err := b.procedureError(c, 'p'); err != nil {
			return nil, err
		}
		if r != nil {
			return nil, errAt(c.pos, dberr.WrongObjectType, "%s is not a procedure", c.signature()).WithHint("To call a function, use SELECT.")
		}
		return nil, errAt(c.pos, dberr.UndefinedFunction, "procedure %s does not exist", c.signature()).
			WithHint("No procedure matches the given name and argument types. You might need to add explicit type casts.")
	}
	e, err := b.finishCall(s, x.Funccall, c, r)
	if err != nil {
		return nil, err
	}
	b.writes = true
	node, out := b.funcNode([]fromCall{{row: e, name: c.name}}, c.name, false)
	q, err := b.finish(&query{node: node, cols: out}, "CALL")
	if err == nil {
		q.HasRows, q.Into = isComposite(e.Type()), outputArgs(r.user, x.Funccall.Args)
		if !q.HasRows {
			q.Out = nil
		}
	}
	return q, err
}

// outputArgs gives the plain names among the arguments that stand for output parameters.
func outputArgs(fn *catalog.Function, args []*pg_query.Node) []string {
	if fn == nil {
		return nil
	}
	given := make([]string, len(fn.Args))
	for i, n := range args {
		if a := n.GetNamedArgExpr(); a != nil {
			i, n = slices.IndexFunc(fn.Args, func(p catalog.FunctionArg) bool { return p.Name == a.Name }), a.Arg
		}
		if c := n.GetColumnRef(); c != nil && len(c.Fields) == 1 && i >= 0 && i < len(given) {
			given[i] = c.Fields[0].GetString_().GetSval()
		}
	}
	var out []string
	for i := range fn.Args {
		if fn.Args[i].Out() {
			out = append(out, given[i])
		}
	}
	return out
}

// signatureText shows a function as messages do.
func signatureText(name string, params []functions.Param) string {
	types := make([]string, len(params))
	for i, p := range params {
		types[i] = p.Type.SQL
	}
	return name + "(" + strings.Join(types, ", ") + ")"
}
