package session

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Running the functions that users wrote. The statements of a body are planned once for the types of a call and kept with the session;
// they run in the caller's transaction. Those of a volatile function see what was committed and done before each of them, those of
// others what their caller sees. The rows of the last statement are complete before the caller goes on.

// maxRoutineDepth bounds calls within calls.
const maxRoutineDepth = 1000

// maxPrograms bounds how many bodies a session keeps planned.
const maxPrograms = 200

// program is a planned body.
type program struct {
	fn    *catalog.Function
	steps []*compiled
}

// programKey names a program: a body means something else for other types, or where names are looked up elsewhere.
type programKey struct {
	id       catalog.ID
	version  uint64
	types    string
	path     string
	settings string
}

// CallRoutine implements functions.Routines.
func (s *Session) CallRoutine(ctx context.Context, env *functions.Env, oid uint32, types []*value.Type, args []value.Value, ret value.Schema) (batch.Iter, error) {
	if s.routineDepth++; s.routineDepth > maxRoutineDepth {
		s.routineDepth--
		return nil, dberr.New(dberr.StatementTooComplex, "stack depth limit exceeded").WithHint("A function calls itself without end.")
	}
	defer func() { s.routineDepth-- }()
	fn := env.Txn.Catalog().Function(catalog.ID(oid))
	if fn == nil {
		return nil, storage.ErrStale
	}
	if err := s.mayCall(env.Txn.Catalog(), fn); err != nil {
		return nil, err
	}
	if fn.Language != "" {
		return s.callBlock(ctx, env, fn, types, args, ret)
	}
	point := env.Txn.Statement()
	defer func() {
		env.Txn.Resume(point)
		point.Close()
	}()
	for try := 0; ; try++ {
		prog, err := s.program(ctx, env.Txn, fn, types, ret)
		if err != nil {
			return nil, err
		}
		rows, err := s.runProgram(ctx, env, prog, args)
		if errors.Is(err, storage.ErrStale) && try < maxReplans {
			clear(s.programs)
			continue
		}
		if err != nil {
			return nil, routineError(err)
		}
		if rows == nil {
			return newKeptRows(ret, nil), nil
		}
		return rows, nil
	}
}

// Run implements functions.Routines.
func (s *Session) Run(ctx context.Context, env *functions.Env, sql string) error {
	if s.routineDepth++; s.routineDepth > maxRoutineDepth {
		s.routineDepth--
		return dberr.New(dberr.StatementTooComplex, "stack depth limit exceeded").WithHint("A function calls itself without end.")
	}
	defer func() { s.routineDepth-- }()
	point := env.Txn.Statement()
	defer func() {
		env.Txn.Resume(point)
		point.Close()
	}()
	rows, _, err := (&blockRun{s: s}).query(ctx, sql, nil, true)
	rows.free()
	return err
}

// Query implements functions.Routines.
func (s *Session) Query(ctx context.Context, env *functions.Env, sql string) (batch.Iter, error) {
	if s.routineDepth++; s.routineDepth > maxRoutineDepth {
		s.routineDepth--
		return nil, dberr.New(dberr.StatementTooComplex, "stack depth limit exceeded").WithHint("A function calls itself without end.")
	}
	defer func() { s.routineDepth-- }()
	stmts, err := parse.Parse(sql)
	if err != nil {
		return nil, routineError(err)
	}
	if len(stmts) != 1 {
		return nil, dberr.New(dberr.SyntaxError, "a function takes one query, not %d", len(stmts))
	}
	view, err := s.view()
	if err != nil {
		return nil, err
	}
	bound, err := bind.Bind(ctx, s.bindContext(view, nil), stmts[0])
	if err != nil {
		return nil, routineError(err)
	}
	c, err := s.finish(ctx, bound)
	if err == nil {
		err = c.err
	}
	if err == nil && (c.query == nil || !c.query.ReadOnly || !c.query.HasRows || len(c.params) > 0) {
		err = dberr.New(dberr.FeatureNotSupported, "%s is not allowed in a function's query", c.stmt.CommandTag()).WithHint("Use a SELECT.")
	}
	if err != nil {
		return nil, routineError(err)
	}
	rows, err := s.runStep(ctx, env, c, nil, false)
	if err != nil {
		return nil, routineError(err)
	}
	return rows, nil
}

// mayCall refuses a function that the session's role has no EXECUTE on.
func (s *Session) mayCall(v *catalog.View, fn *catalog.Function) error {
	if s.user == superuser {
		return nil
	}
	if held, _ := v.Held(s.roleID(v), catalog.GuardFunction, fn.Owner, fn.ACL, catalog.RightExecute); held == 0 {
		return dberr.New(dberr.InsufficientPrivilege, "permission denied for %s %s", fn.Word(), fn.Name)
	}
	return nil
}

// routineError is the error of a statement of a body: its position is in another text than the caller's.
func routineError(err error) error {
	var e *dberr.Error
	if !errors.As(err, &e) || e.Position == 0 {
		return err
	}
	c := *e
	c.Position = 0
	return &c
}

// program gives the plan of a body for a call's types.
func (s *Session) program(ctx context.Context, txn *storage.Txn, fn *catalog.Function, types []*value.Type, ret value.Schema) (*program, error) {
	s.schemas()
	k := programKey{id: fn.ID, version: fn.Version, path: s.pathKey, settings: s.settingsKey()}
	b := make([]byte, 0, 4*(len(types)+len(ret)))
	for _, t := range types {
		b = binary.BigEndian.AppendUint32(b, t.OID)
	}
	for _, f := range ret {
		b = binary.BigEndian.AppendUint32(b, f.Type.OID)
	}
	k.types = string(b)
	v := txn.Catalog()
	if p := s.programs[k]; p != nil && !slices.ContainsFunc(p.steps, func(c *compiled) bool { return !c.valid(v) || s.aged(c, v) }) {
		return p, nil
	}
	p, err := s.planBody(ctx, fn, types, ret)
	if err != nil {
		return nil, routineError(err)
	}
	if s.programs == nil || len(s.programs) >= maxPrograms {
		s.programs = map[programKey]*program{}
	}
	s.programs[k] = p
	return p, nil
}

// planBody plans the statements of a body; ret is nil when the function returns nothing.
func (s *Session) planBody(ctx context.Context, fn *catalog.Function, types []*value.Type, ret value.Schema) (*program, error) {
	stmts, err := parse.Parse(fn.Body)
	if err != nil {
		return nil, err
	}
	p := &program{fn: fn}
	for i, st := range stmts {
		want := ret
		if i < len(stmts)-1 {
			want = nil
		}
		v, err := s.view()
		if err != nil {
			return nil, err
		}
		oids := make([]uint32, len(types))
		for k, t := range types {
			oids[k] = t.OID
		}
		bc := s.bindContext(v, oids)
		bc.Routine = fn.Name
		bc.Args = bodyArgs(fn, types)
		bound, err := bind.Body(ctx, bc, st, want, s.resultText(fn, ret))
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
			return nil, dberr.New(dberr.FeatureNotSupported, "%s is not allowed in an SQL function", c.stmt.CommandTag())
		}
		p.steps = append(p.steps, c)
	}
	if len(p.steps) == 0 && ret != nil {
		return nil, dberr.New(dberr.InvalidFunctionDef, "return type mismatch in function declared to return %s", s.resultText(fn, ret)).
			WithDetail("Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
	}
	return p, nil
}

// bodyArgs are the arguments that a body sees.
func bodyArgs(fn *catalog.Function, types []*value.Type) (out []functions.Param) {
	for i := range fn.Args {
		a := &fn.Args[i]
		if (a.In() || fn.Kind == 'p' && a.Mode == 'o') && len(out) < len(types) {
			out = append(out, functions.Param{Name: a.Name, Type: types[len(out)]})
		}
	}
	return out
}

// resultText is what errors call the function's result.
func (s *Session) resultText(fn *catalog.Function, ret value.Schema) string {
	if t := s.lookup.TypeByOID(fn.Ret); t != nil {
		return t.SQL
	}
	if len(ret) == 1 {
		return ret[0].Type.SQL
	}
	return value.RecordType.SQL
}

// runProgram runs the statements of a body; the rows of the last one are the result.
func (s *Session) runProgram(ctx context.Context, env *functions.Env, p *program, args []value.Value) (*keptRows, error) {
	volatile := p.fn.Volatility == 'v'
	for i, c := range p.steps {
		if volatile {
			if err := env.Txn.BeginStatement(ctx); err != nil {
				return nil, err
			}
		} else if tag := c.stmt.CommandTag(); c.query == nil || !c.query.ReadOnly && tag != "SELECT" {
			return nil, dberr.New(dberr.FeatureNotSupported, "%s is not allowed in a non-volatile function", tag)
		}
		rows, err := s.runStep(ctx, env, c, args, i == len(p.steps)-1 && !p.fn.SetOf)
		if err != nil {
			return nil, err
		}
		if i == len(p.steps)-1 && rows != nil {
			if volatile {
				rows.detach() // the reading point that they were read at ends before the caller's
			}
			return rows, nil
		}
		rows.free()
	}
	return nil, nil
}

// runStep runs one statement; first says that only its first row is wanted.
func (s *Session) runStep(ctx context.Context, env *functions.Env, c *compiled, args []value.Value, first bool) (*keptRows, error) {
	if c.query == nil {
		p := &Portal{s: s, c: c, params: args, tag: c.stmt.CommandTag(), began: env.StatementTime}
		return nil, c.act.run(s, ctx, p)
	}
	rt := exec.Runtime{Txn: env.Txn, Env: env, Params: args, Memory: env.Memory, WorkMem: s.workMem, SpillDir: env.Txn.SpillDir(), Registry: s.srv.registry}
	switch {
	case !c.query.ReadOnly:
		rows, _, err := s.runToEnd(ctx, &rt, c.query)
		return rows, err
	case first:
		return firstRow(ctx, &rt, c.query)
	}
	rows, _, err := runOnce(ctx, &rt, c.query)
	return rows, err
}

// firstRow runs a query up to its first row.
func firstRow(ctx context.Context, rt *exec.Runtime, q *plan.Query) (*keptRows, error) {
	res, err := exec.Open(ctx, rt, q)
	if err != nil {
		return nil, err
	}
	kept := newKeptRows(res.Iter.Schema(), rt.Memory)
	in, err := res.Iter.Next(ctx)
	if err == nil && in != nil {
		err = kept.add(&batch.Batch{Cols: in.Cols, Len: in.Len, Sel: []int32{int32(in.Row(0))}})
	}
	if e := res.Close(); err == nil {
		err = e
	}
	if err != nil {
		kept.free()
		return nil, err
	}
	return kept, nil
}

// createFunction stores a function whose body can be planned.
func (s *Session) createFunction(ctx context.Context, st *plan.CreateFunction) error {
	txn, err := s.beginStatement(ctx)
	if err != nil {
		return err
	}
	sc, err := s.homeOf(ctx, txn, st.Name.Schema)
	if err != nil {
		return err
	}
	if st.Notice != "" {
		s.Notice("WARNING", dberr.SyntaxError, st.Notice)
	}
	f := st.Fn
	f.Schema, f.Owner = sc.ID, s.roleID(txn.Catalog())
	if old, _ := txn.Catalog().Find(catalog.FunctionClass, sc.ID, f.Label()).(*catalog.Function); old != nil {
		if err := mayReplace(old, &f, st); err != nil {
			return err
		}
		f.ID, f.Comment, f.ACL = old.ID, old.Comment, old.ACL
	} else {
		f.ID = txn.NewID()
		f.ACL = newRights(txn.Catalog(), f.Owner, catalog.GuardFunction, sc.ID)
	}
	if err := txn.Define(ctx, &f); err != nil || f.Kind == 'a' {
		return err
	}
	return s.checkBody(ctx, &f)
}

// mayReplace refuses what CREATE OR REPLACE may not change.
func mayReplace(old, f *catalog.Function, st *plan.CreateFunction) error {
	drop := "Use DROP " + map[byte]string{'f': "FUNCTION ", 'p': "PROCEDURE ", 'a': "AGGREGATE "}[old.Kind] + st.Signature + " first."
	switch {
	case !st.OrReplace:
		return dberr.New(dberr.DuplicateFunction, `function "%s" already exists with same argument types`, f.Name)
	case old.Kind != f.Kind:
		return dberr.New(dberr.WrongObjectType, "cannot change routine kind").WithDetail(`"%s" is a %s.`, f.Name, old.Word())
	case old.Ret != f.Ret || old.SetOf != f.SetOf:
		return dberr.New(dberr.InvalidFunctionDef, "cannot change return type of existing function").WithHint("%s", drop)
	}
	outs := func(x *catalog.Function) (l []catalog.FunctionArg) {
		for _, a := range x.Args {
			if a.Out() {
				l = append(l, catalog.FunctionArg{Name: a.Name, Type: a.Type})
			}
		}
		return l
	}
	if !slices.Equal(outs(old), outs(f)) {
		return dberr.New(dberr.InvalidFunctionDef, "cannot change return type of existing function").
			WithDetail("Row type defined by OUT parameters is different.").WithHint("%s", drop)
	}
	given := func(x *catalog.Function) (l []catalog.FunctionArg) {
		for _, a := range x.Args {
			if a.In() {
				l = append(l, a)
			}
		}
		return l
	}
	was, is := given(old), given(f)
	for i := range was {
		switch {
		case was[i].Name != "" && was[i].Name != is[i].Name:
			return dberr.New(dberr.InvalidFunctionDef, `cannot change name of input parameter "%s"`, was[i].Name).WithHint("%s", drop)
		case was[i].Default != "" && is[i].Default == "":
			return dberr.New(dberr.InvalidFunctionDef, "cannot remove parameter defaults from existing function").WithHint("%s", drop)
		}
	}
	return nil
}

// checkBody plans a new function's body, unless its types come only with a call or the setting check_function_bodies is off.
func (s *Session) checkBody(ctx context.Context, f *catalog.Function) error {
	if on, ok := s.Get("check_function_bodies"); ok && on == "off" && !f.Standard {
		return nil
	}
	if f.Language != "" {
		_, err := parseRoutine(f)
		return err
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	types, ret, ok := bind.RoutineTypes(ctx, s.bindContext(v, nil), f)
	if !ok {
		return nil
	}
	_, err = s.planBody(ctx, f, types, ret)
	return routineError(err)
}

// alterFunction changes a function's options.
func (s *Session) alterFunction(ctx context.Context, st *plan.AlterFunction) error {
	txn, err := s.beginStatement(ctx)
	if err != nil || st.New == nil {
		return err
	}
	f := *st.New
	return txn.Define(ctx, &f)
}

func routineActions() []entry {
	return []entry{
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.CreateFunction) error {
			return s.createFunction(ctx, st)
		}),
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.AlterFunction) error {
			return s.alterFunction(ctx, st)
		}),
	}
}
