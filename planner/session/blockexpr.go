package session

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// typed is a value with its type.
type typed struct {
	val value.Value
	typ *value.Type
}

// prepare makes room for the variables; those that no block declares exist from here on.
func (r *blockRun) prepare(vars []parse.PLVar) {
	made := map[string]*value.Type{"found": value.Boolean, "sqlstate": value.Text, "sqlerrm": value.Text}
	for i, d := range vars {
		v := blockVar{PLVar: d}
		if !d.Declared && !d.IsTarget {
			if v.typ = made[d.Name]; v.typ != nil {
				r.seen = append(r.seen, i)
			}
			if d.Name == "found" {
				v.val = value.Bool(false)
			}
		}
		r.vars = append(r.vars, v)
	}
}

// declare makes the variables of a block anew and gives them their first values, in their order.
func (r *blockRun) declare(ctx context.Context, decl []int) error {
	for _, i := range decl {
		d := r.vars[i].PLVar
		if p := r.param(d.Name); p != nil {
			r.vars[i], p.made = *p, true // a later variable of the name is another one
			d.Type = ""                  // the type is the parameter's, not the one that the C parser was given
			r.vars[i].PLVar = d
			r.seen = append(r.seen, i)
			continue
		}
		v := blockVar{PLVar: d}
		if d.Type != "" {
			var err error
			if v.typ, err = r.varType(ctx, d.Type); err != nil {
				return err
			}
		}
		if d.Default == "" && d.NotNull {
			return dberr.New(dberr.NullValueNotAllowed, `variable "%s" must have a default value, since it's declared NOT NULL`, d.Name)
		}
		if err := r.first(ctx, i, v); err != nil {
			return err
		}
	}
	return nil
}

// first makes a variable with its default, which does not see it: its name may be that of a variable outside.
func (r *blockRun) first(ctx context.Context, i int, v blockVar) error {
	r.vars[i] = v
	if v.Default != "" {
		x, t, err := r.eval(ctx, v.Default)
		if err == nil {
			err = r.put(ctx, i, typed{x, t})
		}
		if err != nil {
			return err
		}
	}
	if v.Type != "" {
		r.seen = append(r.seen, i)
	}
	return nil
}

// param gives the argument of a name for which no variable was made yet.
func (r *blockRun) param(name string) *blockVar {
	for i := range r.params {
		if p := &r.params[i]; p.Name == name && name != "" && !p.made {
			return p
		}
	}
	return nil
}

// varType finds the type of a variable: a type, that of a column or a variable (name%TYPE), or that of a relation's rows.
func (r *blockRun) varType(ctx context.Context, name string) (*value.Type, error) {
	lower := strings.ToLower(strings.ReplaceAll(name, " ", ""))
	if rel, ok := strings.CutSuffix(lower, "%rowtype"); ok {
		name = rel
	} else if of, ok := strings.CutSuffix(lower, "%type"); ok {
		if i := r.find(of); i >= 0 {
			return r.vars[i].typ, nil
		}
		i := strings.LastIndexByte(of, '.')
		if i < 0 {
			return nil, dberr.New(dberr.UndefinedObject, `variable "%s" does not exist`, of)
		}
		rows, _, err := r.query(ctx, "SELECT "+of[i+1:]+" FROM "+of[:i]+" LIMIT 0", nil, true)
		if err != nil {
			return nil, err
		}
		return rows.schema[0].Type, nil
	}
	if lower == "record" {
		return value.RecordType, nil
	}
	if t := r.s.lookup.TypeByName(name); t != nil {
		return t, nil
	}
	return nil, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, name)
}

// find gives the variable that a name means now, -1 for none: of several the one that came into being last.
func (r *blockRun) find(name string) int {
	for i := len(r.seen) - 1; i >= 0; i-- {
		if r.vars[r.seen[i]].Name == name {
			return r.seen[i]
		}
	}
	return -1
}

func (r *blockRun) setNamed(name string, v value.Value) {
	for i := range r.vars {
		if r.vars[i].Name == name && r.vars[i].Type == "" {
			r.vars[i].val = v
		}
	}
}

// arguments are the variables that a text sees, as the parameters of a function would be seen.
func (r *blockRun) arguments() (params []functions.Param, args []value.Value) {
	names := map[string]bool{}
	for _, i := range r.args { // $1, $2, …
		p := r.params[i]
		if n := r.find(p.PLVar.Name); n >= 0 {
			p = r.vars[n]
		}
		params, args = append(params, functions.Param{Name: p.PLVar.Name, Type: p.typ}), append(args, p.val)
		names[p.PLVar.Name] = true
	}
	for i := len(r.seen) - 1; i >= 0; i-- {
		v := &r.vars[r.seen[i]]
		if names[v.Name] || v.typ == nil {
			continue
		}
		names[v.Name] = true
		params = append(params, functions.Param{Name: v.Name, Type: v.typ})
		args = append(args, v.val)
	}
	return params, args
}

// eval gives the value of an expression.
func (r *blockRun) eval(ctx context.Context, expr string) (value.Value, *value.Type, error) {
	rows, _, err := r.query(ctx, "SELECT "+expr, nil, false)
	if err != nil {
		return value.Null, nil, err
	}
	defer rows.free()
	switch {
	case len(rows.schema) != 1:
		return value.Null, nil, dberr.New(dberr.SyntaxError, "query returned %d columns", len(rows.schema))
	case rows.n > 1:
		return value.Null, nil, dberr.New(dberr.CardinalityViolation, "query returned more than one row")
	case rows.n == 0:
		return value.Null, rows.schema[0].Type, nil
	}
	return rows.cols[0].Get(0), rows.schema[0].Type, nil
}

func (r *blockRun) evalAs(ctx context.Context, expr string, t *value.Type) (value.Value, error) {
	v, from, err := r.eval(ctx, expr)
	if err != nil {
		return v, err
	}
	return r.convert(ctx, typed{v, from}, t.SQL)
}

func (r *blockRun) truth(ctx context.Context, expr string) (bool, error) {
	v, err := r.evalAs(ctx, expr, value.Boolean)
	return err == nil && !v.IsNull() && v.Bool(), err
}

// convert makes a value one of another type, as it is written.
func (r *blockRun) convert(ctx context.Context, v typed, to string) (value.Value, error) {
	if v.typ.SQL == to {
		return v.val, nil
	}
	rows, _, err := r.query(ctx, "SELECT CAST($1 AS "+to+")", []typed{v}, true)
	if err != nil {
		return value.Null, err
	}
	defer rows.free()
	return rows.cols[0].Get(0), nil
}

// put assigns to a variable.
func (r *blockRun) put(ctx context.Context, i int, v typed) error {
	x := &r.vars[i]
	switch {
	case x.typ == nil, x.typ.OID == value.RecordType.OID:
		x.typ, x.val = v.typ, v.val
		return nil
	case v.val.IsNull() && x.NotNull:
		return dberr.New(dberr.NullValueNotAllowed, `null value cannot be assigned to variable "%s" declared NOT NULL`, x.Name)
	case x.typ.OID == v.typ.OID && !strings.Contains(x.Type, "("):
		x.val = v.val
		return nil
	}
	to := x.Type
	if to == "" || strings.Contains(to, "%") {
		to, _ = names{r.s}.typeName(x.typ.OID)
	}
	val, err := r.convert(ctx, v, to)
	if err == nil {
		x.val = val
	}
	return err
}

// assignPart assigns to an element or a field of a variable; path is the SQL of it below the variable.
func (r *blockRun) assignPart(ctx context.Context, i int, path, expr string) error {
	v := &r.vars[i]
	if v.typ != nil && v.typ.OID == value.RecordType.OID && len(v.typ.Fields) == 0 {
		return dberr.New(dberr.ObjectNotInPrerequisiteState, `record "%s" is not assigned yet`, v.Name).
			WithDetail("The tuple structure of a not-yet-assigned record is indeterminate.")
	}
	r.into = `("` + strings.ReplaceAll(v.Name, `"`, `""`) + `")` + path
	x, _, err := r.eval(ctx, expr)
	r.into = ""
	if err == nil {
		r.vars[i].val = x
	}
	return err
}

// give assigns a row of rows, or NULLs when i is none of them.
func (r *blockRun) give(ctx context.Context, into []int, rows *keptRows, i int) error {
	at := func(col int) typed {
		if i >= rows.n || col >= len(rows.schema) {
			return typed{value.Null, value.Text}
		}
		return typed{rows.cols[col].Get(i), rows.schema[col].Type}
	}
	if len(into) == 1 && isRow(r.vars[into[0]].typ) {
		x := &r.vars[into[0]]
		if i >= rows.n && x.typ.OID != value.RecordType.OID {
			x.val = value.Null
			return nil
		}
		if i < rows.n && len(rows.schema) == 1 && rows.schema[0].Type.OID == x.typ.OID {
			x.val = rows.cols[0].Get(i)
			return nil
		}
		if x.typ.OID == value.RecordType.OID {
			x.typ = &value.Type{}
			*x.typ = *value.RecordType
			x.typ.Class, x.typ.Fields = value.Composite, rows.schema
		}
		rec := &value.Record{Fields: x.typ.Fields}
		for col := range rows.schema {
			rec.Vals = append(rec.Vals, at(col).val)
		}
		x.val = value.Box(rec)
		return nil
	}
	for k, v := range into {
		if err := r.put(ctx, v, at(k)); err != nil {
			return err
		}
	}
	return nil
}

func isRow(t *value.Type) bool {
	return t != nil && (t.OID == value.RecordType.OID || t.Class == value.Composite)
}

// query runs one statement. own says that args are its parameters; otherwise it sees the variables. The rows outlive the statement; the
// count is that of changed rows, or of rows shown.
func (r *blockRun) query(ctx context.Context, text string, args []typed, own bool) (*keptRows, int64, error) {
	for try := 0; ; try++ {
		rows, n, err := r.queryOnce(ctx, text, args, own)
		if !errors.Is(err, storage.ErrStale) || try >= maxReplans {
			return rows, n, routineError(err)
		}
	}
}

func (r *blockRun) queryOnce(ctx context.Context, text string, args []typed, own bool) (*keptRows, int64, error) {
	s := r.s
	var params []functions.Param
	var vals []value.Value
	if own {
		for _, a := range args {
			params, vals = append(params, functions.Param{Type: a.typ}), append(vals, a.val)
		}
	} else {
		params, vals = r.arguments()
	}
	c, err := r.compile(ctx, text, params)
	if err != nil {
		return nil, 0, err
	}
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return nil, 0, err
	}
	now := s.srv.clock()
	if c.query == nil {
		p := &Portal{s: s, c: c, params: vals, tag: c.stmt.CommandTag(), began: now}
		return newKeptRows(nil, nil), 0, c.act.run(s, ctx, p)
	}
	var env functions.Env
	s.fillEnv(&env, &functions.Account{}, txn, now)
	rt := exec.Runtime{Txn: txn, Env: &env, Params: vals, Memory: env.Memory, WorkMem: s.workMem, SpillDir: txn.SpillDir(), Registry: s.srv.registry}
	run := runOnce
	if !c.query.ReadOnly {
		run = s.runToEnd
	}
	rows, n, err := run(ctx, &rt, c.query)
	if err != nil {
		return nil, 0, err
	}
	if rows == nil {
		return newKeptRows(nil, nil), n, nil
	}
	rows.detach() // the next statement reads at another point
	if c.query.ReadOnly {
		n = int64(rows.n)
	}
	return rows, n, nil
}

// compile plans a statement of the block, which the session's user must be allowed to run.
func (r *blockRun) compile(ctx context.Context, text string, params []functions.Param) (*compiled, error) {
	s := r.s
	stmts, err := parse.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, dberr.New(dberr.FeatureNotSupported, "EXECUTE of %d statements is not supported", len(stmts)).WithHint("Execute them one by one.")
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	oids := make([]uint32, len(params))
	for i, p := range params {
		oids[i] = p.Type.OID
	}
	bc := s.bindContext(v, oids)
	bc.Args, bc.Routine = params, r.routine
	var bound plan.Statement
	if r.into != "" {
		bound, err = bind.Assignment(ctx, bc, r.into, stmts[0])
	} else {
		bound, err = bind.Body(ctx, bc, stmts[0], nil, "")
	}
	if err != nil {
		return nil, err
	}
	c, err := s.finish(ctx, bound)
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, err
	}
	if c.act.event != evStatement {
		return nil, dberr.New("2D000", "invalid transaction termination").WithDetail("%s is not allowed in a block.", c.stmt.CommandTag())
	}
	if s.user != superuser && c.act.run != nil {
		err = s.mayRun(c.stmt)
	}
	return c, err
}

// dynamic gives the text and the parameters of EXECUTE.
func (r *blockRun) dynamic(ctx context.Context, st *parse.PLStmt) (string, []typed, error) {
	v, err := r.evalAs(ctx, st.Expr, value.Text)
	if err != nil {
		return "", nil, err
	}
	if v.IsNull() {
		return "", nil, dberr.New(dberr.NullValueNotAllowed, "query string argument of EXECUTE is null")
	}
	args, err := r.evalAll(ctx, st.Params)
	return v.Str(), args, err
}

func (r *blockRun) evalAll(ctx context.Context, exprs []string) ([]typed, error) {
	var out []typed
	for _, p := range exprs {
		x, t, err := r.eval(ctx, p)
		if err != nil {
			return nil, err
		}
		out = append(out, typed{x, t})
	}
	return out, nil
}

// run runs a statement of SQL, PERFORM or EXECUTE.
func (r *blockRun) run(ctx context.Context, st *parse.PLStmt) error {
	text, dynamic := st.Expr, st.Kind == "dynexecute"
	var args []typed
	var err error
	if dynamic {
		if text, args, err = r.dynamic(ctx, st); err != nil {
			return err
		}
	}
	rows, n, err := r.query(ctx, text, args, dynamic)
	if err != nil {
		return err
	}
	defer rows.free()
	r.rows = n
	if !dynamic {
		r.setNamed("found", value.Bool(n > 0))
	}
	switch {
	case st.Into == nil && st.Kind == "execsql" && len(rows.schema) > 0:
		return dberr.New(dberr.SyntaxError, "query has no destination for result data").
			WithHint("If you want to discard the results of a SELECT, use PERFORM instead.")
	case st.Into == nil:
		return nil
	case st.Strict && rows.n == 0:
		return dberr.New("P0002", "query returned no rows")
	case st.Strict && rows.n > 1:
		return dberr.New("P0003", "query returned more than one row").WithHint("Make sure the query returns a single row, or use LIMIT 1.")
	}
	r.rows = int64(min(rows.n, 1))
	return r.give(ctx, st.Into, rows, 0)
}

// text is how messages show a value.
func (r *blockRun) text(ctx context.Context, v typed) (string, error) {
	if v.val.IsNull() {
		return "<NULL>", nil
	}
	return typeio.Text(v.typ, v.val, r.s.format), nil
}

// diagnose is GET DIAGNOSTICS.
func (r *blockRun) diagnose(ctx context.Context, st *parse.PLStmt) error {
	for _, it := range st.Items {
		text := ""
		if it.Kind == "ROW_COUNT" {
			text = strconv.FormatInt(r.rows, 10)
		} else if it.Kind != "PG_CONTEXT" {
			if len(r.errs) == 0 {
				return dberr.New("0Z002", "GET STACKED DIAGNOSTICS cannot be used outside an exception handler")
			}
			text = errorPart(r.errs[len(r.errs)-1], it.Kind)
		}
		if err := r.put(ctx, it.Target, typed{value.String(text), value.Text}); err != nil {
			return err
		}
	}
	return nil
}
