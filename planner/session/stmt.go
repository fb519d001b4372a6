package session

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Stmt is a prepared statement: a text with its declared parameter types and the plan made of it last. The protocol's Parse and SQL's
// PREPARE share their names. It belongs to its session and is gone when closed, replaced (the unnamed one) or at the session's end.
type Stmt struct {
	s       *Session
	name    string
	text    string // what is planned
	shown   string // what pg_prepared_statements shows
	oids    []uint32
	c       *compiled
	lits    []value.Value // the text's literals, when c is the plan of its shape
	cols    value.Schema  // as first described: a plan of another shape is refused
	bySQL   bool
	runs    int64
	created time.Time
}

// Text is the statement's text.
func (st *Stmt) Text() string { return st.text }

// ParamTypes gives the types of the parameters, in order.
func (st *Stmt) ParamTypes() []*value.Type { return st.c.asked() }

// Columns is the shape of the result; nil when there are no rows.
func (st *Stmt) Columns() value.Schema { return st.c.cols }

// Parse prepares one statement under a name; "" is the unnamed one, which replaces its predecessor. Declared types of 0 or
// unknown (705) are inferred.
func (s *Session) Parse(ctx context.Context, name, text string, oids []uint32) error {
	if name == "" {
		delete(s.stmts, "")
	} else if s.stmts[name] != nil {
		return dberr.New(dberr.DuplicatePrepared, `prepared statement "%s" already exists`, name)
	}
	st := &Stmt{s: s, name: name, text: text, shown: text, oids: oids, created: s.srv.clock()}
	if err := st.compile(ctx); err != nil {
		return err
	}
	st.cols = st.c.cols
	s.stmts[name] = st
	return nil
}

// compile plans the statement: the unnamed one, which comes with its values each time, through its shape where it can be.
func (st *Stmt) compile(ctx context.Context) (err error) {
	s := st.s
	key := s.planKeyOf(st.text, st.oids)
	if c := s.srv.plans.get(key); c != nil {
		st.c, err = s.revive(c, func() (*compiled, error) { return s.compileText(ctx, key, st.oids) })
		return err
	}
	if st.name == "" && len(st.oids) == 0 {
		if st.c, st.lits = s.shaped(ctx, key); st.c != nil {
			return nil
		}
	}
	st.c, err = s.compileText(ctx, key, st.oids)
	return err
}

// asked are the types of the parameters that the client has to give: those of a shape are the text's own literals.
func (c *compiled) asked() []*value.Type {
	if c.shape != nil {
		return nil
	}
	return c.params
}

// Statement finds a prepared statement.
func (s *Session) Statement(name string) (*Stmt, error) {
	st := s.stmts[name]
	if st != nil {
		return st, nil
	}
	if name == "" {
		return nil, dberr.New(dberr.InvalidSQLStatementName, "unnamed prepared statement does not exist")
	}
	return nil, dberr.New(dberr.InvalidSQLStatementName, `prepared statement "%s" does not exist`, name)
}

// CloseStatement forgets a prepared statement; a missing one is no error.
func (s *Session) CloseStatement(name string) { delete(s.stmts, name) }

// compile gives the plan of a text that holds at most one statement: from the cache, or made anew.
func (s *Session) compile(ctx context.Context, text string, oids []uint32) (*compiled, error) {
	key := s.planKeyOf(text, oids)
	if c := s.srv.plans.get(key); c != nil {
		return s.revive(c, func() (*compiled, error) { return s.compileText(ctx, key, oids) })
	}
	return s.compileText(ctx, key, oids)
}

// revive gives a cached plan if it may run now and is still valid, else what anew makes.
func (s *Session) revive(c *compiled, anew func() (*compiled, error)) (*compiled, error) {
	if err := s.mayPlan(c.act); err != nil {
		return nil, err
	}
	if c.deps == nil {
		return c, nil
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	if c.valid(v) && !s.aged(c, v) {
		return c, nil
	}
	return anew()
}

func (s *Session) planKeyOf(text string, oids []uint32) planKey {
	s.schemas()
	k := planKey{text: text, path: s.pathKey, settings: s.settingsKey(), user: s.user, db: s.db}
	if len(oids) > 0 {
		b := make([]byte, 0, 4*len(oids))
		for _, o := range oids {
			b = append(b, byte(o), byte(o>>8), byte(o>>16), byte(o>>24))
		}
		k.oids = string(b)
	}
	return k
}

func (s *Session) compileText(ctx context.Context, key planKey, oids []uint32) (*compiled, error) {
	stmts, err := parse.Parse(key.text)
	if err != nil {
		return nil, err
	}
	switch len(stmts) {
	case 0:
		return s.srv.empty, nil
	case 1:
		return s.compileParsed(ctx, key, stmts[0], oids)
	}
	return nil, dberr.New(dberr.SyntaxError, "cannot insert multiple commands into a prepared statement")
}

// compileParsed binds and optimises one statement. A key with a text keeps the plan for others.
func (s *Session) compileParsed(ctx context.Context, key planKey, st parse.Stmt, oids []uint32) (*compiled, error) {
	s.srv.plans.missed()
	c, err := s.build(ctx, st, oids, key.simple)
	if err != nil && !key.simple && s.state != failed && st.Utility() && dberr.As(err).Code != dberr.SyntaxError {
		return &compiled{later: err}, nil
	}
	if err != nil {
		return nil, err
	}
	if key.text != "" && c.err == nil && (c.deps == nil && c.act.cache || c.deps != nil && !c.deps.NoCache) {
		c.size = estimate(key.text, c.query)
		s.srv.plans.put(key, c)
	}
	return c, nil
}

// build binds a statement against the catalog as the session sees it now.
func (s *Session) build(ctx context.Context, st parse.Stmt, oids []uint32, noParams bool) (*compiled, error) {
	if s.state == failed {
		return s.buildFailed(ctx, st)
	}
	bound, err := s.bind(ctx, st, oids, noParams)
	if err != nil {
		return nil, err
	}
	return s.finish(ctx, bound)
}

// buildFailed is build in a failed block, where only the statements that end it are of interest: everything else is refused
// before it can fail for a reason of its own.
func (s *Session) buildFailed(ctx context.Context, st parse.Stmt) (*compiled, error) {
	bound, err := s.bind(ctx, st, nil, false)
	if err != nil {
		return nil, errAborted
	}
	act := s.srv.actionOf(bound)
	if err := s.mayPlan(act); err != nil {
		return nil, err
	}
	return &compiled{stmt: bound, act: act}, nil
}

// finish makes a runnable plan of a bound statement.
func (s *Session) finish(ctx context.Context, bound plan.Statement) (*compiled, error) {
	act := s.srv.actionOf(bound)
	if err := s.mayPlan(act); err != nil {
		return nil, err
	}
	if q, ok := bound.(*plan.Query); ok {
		better, err := s.optimise(q)
		if err != nil {
			c := compiledQuery(act, q)
			c.err = err
			return c, nil
		}
		c := compiledQuery(act, better)
		return c, s.sized(c)
	}
	c := &compiled{stmt: bound, act: act}
	var err error
	if c.act.params != nil {
		c.params = c.act.params(bound)
	}
	if c.act.cols != nil {
		c.cols, err = c.act.cols(s, bound)
	}
	return c, err
}

// compiledQuery is a query with what its portals ask of it.
func compiledQuery(act *action, q *plan.Query) *compiled {
	c := &compiled{stmt: q, act: act, query: q, params: q.Params, deps: &q.Deps}
	if q.HasRows {
		c.cols = schemaOf(q.Out)
		plan.WalkExprs(q.Root, func(e plan.Expr) bool {
			c.waits = c.waits || plan.Waits(e)
			return false
		})
	}
	return c
}

// mayPlan refuses what cannot run in a failed block, when it is prepared already, as PostgreSQL does.
func (s *Session) mayPlan(a *action) error {
	if s.state == failed && a.event != evCommit && a.event != evRollback && a.event != evRollbackTo && !a.always {
		return errAborted
	}
	return nil
}

// MayDescribe refuses to describe what returns rows in a failed block, as PostgreSQL does.
func (s *Session) MayDescribe(cols value.Schema) error {
	if s.state == failed && cols != nil {
		return errAborted
	}
	return nil
}

// schemaOf gives a query's columns as the client sees them. It is never nil.
func schemaOf(cols []plan.Col) value.Schema {
	out := make(value.Schema, len(cols))
	for i, c := range cols {
		out[i] = value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod, Table: c.Table, Attr: c.Attr}
	}
	return out
}

// view is the catalog as the session sees it now: with the changes of its transaction, or the newest committed one.
func (s *Session) view() (*catalog.View, error) {
	if s.tx.txn != nil {
		return s.tx.txn.Catalog(), nil
	}
	return s.srv.db.Catalog(s.db)
}

// current gives the statement's plan, made again when objects that it uses have changed. A new plan whose result has another shape
// is refused: the client knows the old one.
func (st *Stmt) current(ctx context.Context) (*compiled, error) {
	s := st.s
	replaced := false
	anew := func() (*compiled, error) {
		replaced = true
		return s.compile(ctx, st.text, st.oids)
	}
	var c *compiled
	var err error
	if x := st.c; x.later != nil || x.deps == nil && x.act != nil && !x.act.cache {
		c, err = anew() // a utility statement holds objects and doesn't say which
	} else {
		c, err = s.revive(x, anew)
	}
	if err != nil {
		return nil, err
	}
	if c.err != nil {
		return nil, c.err
	}
	if replaced {
		if c.query != nil && !sameShape(c.cols, st.cols) {
			return nil, errPlanChanged()
		}
		st.c, st.lits = c, nil
	}
	return c, nil
}

// errPlanChanged refuses a prepared statement whose columns are no longer those that the client knows. Drivers prepare it again when they
// see this routine.
func errPlanChanged() error {
	e := dberr.New(dberr.FeatureNotSupported, "cached plan must not change result type")
	e.Routine = "RevalidateCachedQuery"
	return e
}

func sameShape(a, b value.Schema) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Type.OID != b[i].Type.OID || a[i].Mod != b[i].Mod {
			return false
		}
	}
	return true
}
