package session

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Running the PL/pgSQL of DO. Its statements run in the caller's transaction, each with a reading point of its own; a block with EXCEPTION
// runs behind a savepoint. Texts are bound when they run, for the types that the variables have then.

// blockRun is a DO that runs.
type blockRun struct {
	s    *Session
	vars []blockVar
	rows int64 // ROW_COUNT
	// Of a function: its name, its arguments (args: positions of those that the call gave), and the columns and rows of its result.
	routine string
	params  []blockVar
	args    []int
	ret     value.Schema
	out     *keptRows

	into string         // of an assignment to a part of a variable: what the value of the text that is evaluated is put into
	errs []*dberr.Error // errors that are being handled, the innermost last
	seen []int          // positions of the variables that texts see, in the order in which they came into being
}

// blockVar is a variable. A record has the type of the row that it was given last.
type blockVar struct {
	parse.PLVar
	typ *value.Type
	val value.Value
	out bool // an output parameter
	// made: of an argument, the variable that stands for it exists.
	made bool
}

// flow is how a statement ends: it goes on, or leaves loops and blocks.
type flow struct {
	kind  flowKind
	label string
}

type flowKind uint8

const (
	onward flowKind = iota
	leave           // EXIT
	again           // CONTINUE
	finish          // RETURN
)

func blockActions() []entry {
	return []entry{
		on(action{}, func(s *Session, ctx context.Context, _ *Portal, st *plan.Do) error { return s.do(ctx, st.Body) }),
	}
}

func (s *Session) do(ctx context.Context, body string) error {
	b, err := parse.Block(body)
	if err != nil {
		return err
	}
	if s.routineDepth++; s.routineDepth > maxRoutineDepth {
		s.routineDepth--
		return dberr.New(dberr.StatementTooComplex, "stack depth limit exceeded").WithHint("A block calls itself without end.")
	}
	defer func() { s.routineDepth-- }()
	r := &blockRun{s: s}
	r.prepare(b.Vars)
	f, err := r.list(ctx, b.Body)
	if err == nil && (f.kind == leave || f.kind == again) {
		err = dberr.New(dberr.SyntaxError, "EXIT and CONTINUE stand inside a loop")
	}
	return routineError(err)
}

func (r *blockRun) list(ctx context.Context, body []parse.PLStmt) (flow, error) {
	for i := range body {
		f, err := r.stmt(ctx, &body[i])
		if err != nil || f.kind != onward {
			return f, err
		}
	}
	return flow{}, nil
}

// blockStmt says how each kind of statement runs.
func blockStmt(kind string) func(*blockRun, context.Context, *parse.PLStmt) (flow, error) {
	switch kind {
	case "block":
		return (*blockRun).block
	case "if":
		return (*blockRun).branch
	case "case":
		return (*blockRun).choose
	case "loop", "while":
		return (*blockRun).loop
	case "fori":
		return (*blockRun).count
	case "fors", "dynfors":
		return (*blockRun).each
	case "foreach_a":
		return (*blockRun).elements
	case "exit":
		return (*blockRun).exit
	case "return":
		return (*blockRun).returns
	case "return_next":
		return simple((*blockRun).next)
	case "return_query":
		return simple((*blockRun).rowsOf)
	case "assign":
		return simple((*blockRun).assign)
	case "execsql", "perform", "dynexecute":
		return simple((*blockRun).run)
	case "call":
		return simple((*blockRun).call)
	case "raise":
		return simple((*blockRun).raise)
	case "assert":
		return simple((*blockRun).assert)
	case "getdiag":
		return simple((*blockRun).diagnose)
	}
	return nil
}

func simple(f func(*blockRun, context.Context, *parse.PLStmt) error) func(*blockRun, context.Context, *parse.PLStmt) (flow, error) {
	return func(r *blockRun, ctx context.Context, st *parse.PLStmt) (flow, error) { return flow{}, f(r, ctx, st) }
}

func (r *blockRun) stmt(ctx context.Context, st *parse.PLStmt) (flow, error) {
	if err := ctx.Err(); err != nil {
		return flow{}, err
	}
	f := blockStmt(st.Kind)
	if f == nil {
		return flow{}, dberr.New(dberr.FeatureNotSupported, "PL/pgSQL's %s is not supported", st)
	}
	return f(r, ctx, st)
}

// block runs a block; when it fails, what it did is taken back and the first handler that names the error runs.
func (r *blockRun) block(ctx context.Context, st *parse.PLStmt) (flow, error) {
	outer := len(r.seen)
	defer func() { r.seen = r.seen[:outer] }()
	if err := r.declare(ctx, st.Decl); err != nil {
		return flow{}, err
	}
	if len(st.Arms) == 0 {
		f, err := r.list(ctx, st.Body)
		return leaves(st, f), err
	}
	s := r.s
	if err := s.savepoint(ctx, ""); err != nil {
		return flow{}, err
	}
	n := len(s.tx.savepoints)
	f, err := r.list(ctx, st.Body)
	if err == nil {
		s.tx.savepoints = s.tx.savepoints[:n-1]
		return leaves(st, f), nil
	}
	e := dberr.As(err)
	for i := range st.Arms {
		if ctx.Err() != nil || !catches(st.Arms[i].Conditions, e.Code) {
			continue
		}
		s.abort(n)
		s.tx.savepoints = s.tx.savepoints[:n-1]
		r.errs = append(r.errs, e)
		r.setNamed("sqlstate", value.String(e.Code))
		r.setNamed("sqlerrm", value.String(e.Message))
		f, err := r.list(ctx, st.Arms[i].Body)
		r.errs = r.errs[:len(r.errs)-1]
		return leaves(st, f), err
	}
	s.tx.savepoints = s.tx.savepoints[:n-1]
	return flow{}, err
}

// leaves takes an EXIT that names the block.
func leaves(st *parse.PLStmt, f flow) flow {
	if f.kind == leave && f.label != "" && f.label == st.Label {
		return flow{}
	}
	return f
}

// turn says what a loop does after its body ended with f: whether it ends, and how.
func turn(st *parse.PLStmt, f flow) (bool, flow) {
	mine := f.label == "" || f.label == st.Label
	switch {
	case f.kind == onward, f.kind == again && mine:
		return false, flow{}
	case f.kind == leave && mine:
		return true, flow{}
	}
	return true, f
}

func (r *blockRun) branch(ctx context.Context, st *parse.PLStmt) (flow, error) {
	yes, err := r.truth(ctx, st.Expr)
	if err != nil || yes {
		return r.when(ctx, err, st.Body)
	}
	for _, a := range st.Arms {
		if yes, err = r.truth(ctx, a.Cond); err != nil || yes {
			return r.when(ctx, err, a.Body)
		}
	}
	return r.list(ctx, st.Else)
}

func (r *blockRun) when(ctx context.Context, err error, body []parse.PLStmt) (flow, error) {
	if err != nil {
		return flow{}, err
	}
	return r.list(ctx, body)
}

// choose is CASE.
func (r *blockRun) choose(ctx context.Context, st *parse.PLStmt) (flow, error) {
	if st.Expr != "" {
		v, t, err := r.eval(ctx, st.Expr)
		if err != nil {
			return flow{}, err
		}
		r.vars[st.Var].typ, r.vars[st.Var].val = t, v
		r.seen = append(r.seen, st.Var)
		defer func() { r.seen = r.seen[:len(r.seen)-1] }()
	}
	for _, a := range st.Arms {
		if yes, err := r.truth(ctx, a.Cond); err != nil || yes {
			return r.when(ctx, err, a.Body)
		}
	}
	if !st.Not {
		return flow{}, dberr.New("20000", "case not found").WithHint("CASE statement is missing ELSE part.")
	}
	return r.list(ctx, st.Else)
}

// loop is LOOP, and WHILE when it has a condition.
func (r *blockRun) loop(ctx context.Context, st *parse.PLStmt) (flow, error) {
	for {
		if st.Expr != "" {
			if yes, err := r.truth(ctx, st.Expr); err != nil || !yes {
				return flow{}, err
			}
		}
		f, err := r.list(ctx, st.Body)
		if err != nil {
			return f, err
		}
		if end, f := turn(st, f); end {
			return f, nil
		}
		if err := ctx.Err(); err != nil {
			return flow{}, err
		}
	}
}

// count is FOR over numbers.
func (r *blockRun) count(ctx context.Context, st *parse.PLStmt) (flow, error) {
	bounds := [3]int64{2: 1}
	for i, text := range []string{st.Expr, st.Upper, st.Step} {
		if text == "" {
			continue
		}
		v, err := r.evalAs(ctx, text, value.Int4)
		switch {
		case err != nil:
			return flow{}, err
		case v.IsNull():
			return flow{}, dberr.New(dberr.NullValueNotAllowed, "%s of FOR loop cannot be null", [...]string{"lower bound", "upper bound", "BY value"}[i])
		}
		bounds[i] = v.Int()
	}
	if bounds[2] <= 0 {
		return flow{}, dberr.New(dberr.InvalidParameterValue, "BY value of FOR loop must be greater than zero")
	}
	step := bounds[2]
	if st.Not {
		step = -step
	}
	r.seen = append(r.seen, st.Var)
	defer func() { r.seen = r.seen[:len(r.seen)-1] }()
	for i := bounds[0]; step > 0 && i <= bounds[1] || step < 0 && i >= bounds[1]; i += step {
		r.vars[st.Var].typ, r.vars[st.Var].val = value.Int4, value.Int(i)
		f, err := r.list(ctx, st.Body)
		if err != nil {
			return f, err
		}
		if end, f := turn(st, f); end {
			return f, nil
		}
	}
	return flow{}, nil
}

// each is FOR over rows.
func (r *blockRun) each(ctx context.Context, st *parse.PLStmt) (flow, error) {
	text := st.Expr
	var args []typed
	if st.Kind == "dynfors" {
		var err error
		if text, args, err = r.dynamic(ctx, st); err != nil {
			return flow{}, err
		}
	}
	rows, _, err := r.query(ctx, text, args, st.Kind == "dynfors")
	if err != nil {
		return flow{}, err
	}
	defer rows.free()
	for i := range rows.n {
		if err := r.give(ctx, st.Into, rows, i); err != nil {
			return flow{}, err
		}
		f, err := r.list(ctx, st.Body)
		if err != nil {
			return f, err
		}
		if end, f := turn(st, f); end {
			r.setNamed("found", value.Bool(true))
			return f, nil
		}
	}
	r.setNamed("found", value.Bool(rows.n > 0))
	return flow{}, nil
}

// elements is FOREACH.
func (r *blockRun) elements(ctx context.Context, st *parse.PLStmt) (flow, error) {
	v, _, err := r.eval(ctx, st.Expr)
	if err != nil {
		return flow{}, err
	}
	if v.IsNull() {
		return flow{}, dberr.New(dberr.NullValueNotAllowed, "FOREACH expression must not be null")
	}
	a, ok := v.Box().(*value.Array)
	if !ok {
		return flow{}, dberr.New(dberr.DatatypeMismatch, "FOREACH expression must yield an array")
	}
	for _, e := range a.Elems {
		if err := r.put(ctx, st.Var, typed{e, a.Elem}); err != nil {
			return flow{}, err
		}
		f, err := r.list(ctx, st.Body)
		if err != nil {
			return f, err
		}
		if end, f := turn(st, f); end {
			return f, nil
		}
	}
	return flow{}, nil
}

func (r *blockRun) exit(ctx context.Context, st *parse.PLStmt) (flow, error) {
	if st.Expr != "" {
		if yes, err := r.truth(ctx, st.Expr); err != nil || !yes {
			return flow{}, err
		}
	}
	if st.Not {
		return flow{leave, st.Label}, nil
	}
	return flow{again, st.Label}, nil
}

func (r *blockRun) assign(ctx context.Context, st *parse.PLStmt) error {
	if st.Var < 0 || st.Var >= len(r.vars) {
		return dberr.New(dberr.InternalError, "assignment to an unknown variable")
	}
	path, text := parse.AssignTarget(st.Expr)
	if path != "" {
		return r.assignPart(ctx, st.Var, path, text)
	}
	v, t, err := r.eval(ctx, text)
	if err != nil {
		return err
	}
	return r.put(ctx, st.Var, typed{v, t})
}

// catches tells whether a handler for the conditions handles an error. OTHERS leaves out what a user or ASSERT wants to stop everything.
func catches(conditions []string, code string) bool {
	for _, c := range conditions {
		switch c = strings.ToLower(c); {
		case c == "others":
			if code != dberr.QueryCanceled && code != assertFailure {
				return true
			}
		default:
			want := conditionCode(c)
			if want == code || strings.HasSuffix(want, "000") && want[:2] == code[:2] {
				return true
			}
		}
	}
	return false
}

// errNoCondition refuses the name of an error that there is not.
func errNoCondition(name string) error {
	return dberr.New(dberr.UndefinedObject, `unrecognized exception condition "%s"`, name)
}
