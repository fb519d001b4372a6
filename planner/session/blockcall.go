package session

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// blockResult says what RETURN gives in a function's body.
func blockResult(fn *catalog.Function) parse.PLResult {
	outs := false
	for i := range fn.Args {
		outs = outs || fn.Args[i].Out()
	}
	switch {
	case fn.SetOf:
		return parse.PLRows
	case outs || fn.Kind == 'p' || fn.Ret == value.Void.OID:
		return parse.PLNothing
	}
	return parse.PLValue
}

// parseRoutine reads a function's body.
func parseRoutine(fn *catalog.Function) (*parse.PLBlock, error) {
	var args []string
	for i := range fn.Args {
		args = append(args, fn.Args[i].Name)
	}
	return parse.RoutineBlock(fn.Body, blockResult(fn), fn.Name, args)
}

// callBlock runs a function in PL/pgSQL.
func (s *Session) callBlock(ctx context.Context, env *functions.Env, fn *catalog.Function, types []*value.Type, args []value.Value, ret value.Schema) (batch.Iter, error) {
	b, err := parseRoutine(fn)
	if err != nil {
		return nil, routineError(err)
	}
	point := env.Txn.Statement()
	defer func() {
		env.Txn.Resume(point)
		point.Close()
	}()
	r := &blockRun{s: s, routine: fn.Name, ret: ret, out: newKeptRows(ret, env.Memory)}
	r.bindArgs(fn, types, args)
	r.prepare(b.Vars)
	f, err := r.list(ctx, b.Body)
	if err == nil {
		err = r.end(fn, f)
	}
	if err != nil {
		r.out.free()
		return nil, routineError(err)
	}
	return r.out, nil
}

// bindArgs makes the arguments, with the values of a call.
func (r *blockRun) bindArgs(fn *catalog.Function, types []*value.Type, args []value.Value) {
	given := 0
	for i := range fn.Args {
		a := &fn.Args[i]
		v := blockVar{PLVar: parse.PLVar{Name: a.Name}, typ: r.s.lookup.TypeByOID(a.Type), out: a.Out()}
		if (a.In() || fn.Kind == 'p' && a.Mode == 'o') && given < len(args) {
			v.typ, v.val = types[given], args[given]
			r.args = append(r.args, i)
			given++
		}
		r.params = append(r.params, v)
	}
}

// end makes the rows of a function whose body has ended.
func (r *blockRun) end(fn *catalog.Function, f flow) error {
	switch blockResult(fn) {
	case parse.PLRows:
		return nil
	case parse.PLValue:
		if f.kind != finish {
			return dberr.New("2F005", "control reached end of function without RETURN")
		}
		return nil
	}
	if len(r.ret) > 0 {
		return r.outRow()
	}
	return nil
}

// outRow adds a row of the output parameters.
func (r *blockRun) outRow() error {
	var row []value.Value
	for i := range r.vars {
		if r.vars[i].out {
			row = append(row, r.vars[i].val)
		}
	}
	if len(r.ret) > 1 && len(row) == 1 { // one output parameter of a composite type comes field by field
		if rec, ok := row[0].Box().(*value.Record); ok {
			row = rec.Vals
		}
	}
	return r.add(row)
}

func (r *blockRun) add(row []value.Value) error {
	for i := range r.ret {
		v := value.Null
		if i < len(row) {
			v = row[i]
		}
		r.out.cols[i].Append(v)
	}
	r.out.n++
	return nil
}

// returns is RETURN with or without a value.
func (r *blockRun) returns(ctx context.Context, st *parse.PLStmt) (flow, error) {
	if st.Line == 0 { // the C parser ends every body with one
		return flow{}, nil
	}
	if st.Expr == "" || r.out == nil {
		return flow{kind: finish}, nil
	}
	return flow{kind: finish}, r.result(ctx, st.Expr)
}

// result adds a row made of an expression.
func (r *blockRun) result(ctx context.Context, expr string) error {
	v, t, err := r.eval(ctx, expr)
	if err != nil || len(r.ret) == 0 {
		return err
	}
	if isRow(t) && (len(r.ret) > 1 || !isRow(r.ret[0].Type)) {
		var row []value.Value
		if rec, ok := v.Box().(*value.Record); ok {
			row = rec.Vals
		}
		return r.add(row)
	}
	if len(r.ret) > 1 {
		if v.IsNull() {
			return r.add(nil)
		}
		return dberr.New(dberr.DatatypeMismatch, "cannot return non-composite value from function returning composite type")
	}
	to, _ := names{r.s}.typeName(r.ret[0].Type.OID)
	if v, err = r.convert(ctx, typed{v, t}, to); err != nil {
		return err
	}
	return r.add([]value.Value{v})
}

// next is RETURN NEXT.
func (r *blockRun) next(ctx context.Context, st *parse.PLStmt) error {
	for i := range r.vars {
		if r.vars[i].out {
			return r.outRow()
		}
	}
	return r.result(ctx, st.Expr)
}

// rowsOf is RETURN QUERY.
func (r *blockRun) rowsOf(ctx context.Context, st *parse.PLStmt) error {
	text := st.Expr
	var args []typed
	if st.Dynamic {
		var err error
		if text, args, err = r.dynamic(ctx, st); err != nil {
			return err
		}
	}
	rows, n, err := r.query(ctx, text, args, st.Dynamic)
	if err != nil {
		return err
	}
	defer rows.free()
	if len(rows.schema) != len(r.ret) {
		return dberr.New(dberr.DatatypeMismatch, "structure of query does not match function result type").
			WithDetail("Number of returned columns (%d) does not match expected column count (%d).", len(rows.schema), len(r.ret))
	}
	for i, f := range r.ret {
		if got := rows.schema[i].Type; got.OID != f.Type.OID {
			return dberr.New(dberr.DatatypeMismatch, "structure of query does not match function result type").
				WithDetail("Returned type %s does not match expected type %s in column %d.", got.SQL, f.Type.SQL, i+1)
		}
	}
	for i := range rows.n {
		row := make([]value.Value, len(r.ret))
		for k := range row {
			row[k] = rows.cols[k].Get(i)
		}
		if err := r.add(row); err != nil {
			return err
		}
	}
	r.rows = n
	r.setNamed("found", value.Bool(rows.n > 0))
	return nil
}

// call is CALL: what the procedure gives for its output parameters goes into the variables that stand there.
func (r *blockRun) call(ctx context.Context, st *parse.PLStmt) error {
	params, _ := r.arguments()
	c, err := r.compile(ctx, st.Expr, params)
	if err != nil {
		return err
	}
	rows, _, err := r.query(ctx, st.Expr, nil, false)
	if err != nil {
		return err
	}
	defer rows.free()
	if !c.query.HasRows {
		return nil
	}
	for i, name := range c.query.Into {
		at := r.find(name)
		if at < 0 {
			return dberr.New(dberr.SyntaxError, `procedure parameter "%s" is an output parameter but corresponding argument is not writable`, rows.schema[i].Name)
		}
		if err := r.put(ctx, at, typed{rows.cols[i].Get(0), rows.schema[i].Type}); err != nil {
			return err
		}
	}
	return nil
}
