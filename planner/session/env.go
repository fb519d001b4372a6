package session

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/opt"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// What the planner and functions see of a session.

// bindContext is the world that a statement is bound in.
func (s *Session) bindContext(v *catalog.View, oids []uint32) *bind.Context {
	return &bind.Context{
		Catalog: v, Registry: s.srv.registry, SearchPath: s.schemas(), TempSchema: s.temp, Format: s.format, ParamOIDs: oids,
		Env: s.bindEnv, User: s.user, Database: s.opts.Database, Virtual: s.srv.system.Relation, Setting: s.Get,
		Prepared: func(name string) ([]*value.Type, bool) {
			st := s.stmts[name]
			if st == nil || name == "" {
				return nil, false
			}
			return st.c.params, true
		},
		PreparedQuery: func(name string) *plan.Query {
			if st := s.stmts[name]; st != nil && name != "" {
				return st.c.query
			}
			return nil
		},
	}
}

// bindEnv lends functions the world as of now, while a statement is bound: a transaction of the session may not have begun, or may see
// less.
func (s *Session) bindEnv(ctx context.Context) (*functions.Env, func(), error) {
	txn, err := s.srv.db.Begin(ctx, storage.TxnOptions{ReadOnly: true, Database: s.db, Actor: s.actor()})
	if err != nil {
		return nil, nil, err
	}
	env := &functions.Env{}
	s.fillEnv(env, &functions.Account{}, txn, s.srv.clock())
	return env, txn.Rollback, nil
}

// bind gives a parsed statement its meaning against the catalog as the session sees it now.
func (s *Session) bind(ctx context.Context, st parse.Stmt, oids []uint32, noParams bool) (plan.Statement, error) {
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	bc := s.bindContext(v, oids)
	bc.NoParams = noParams
	return bind.Bind(ctx, bc, st)
}

// optimise improves a bound query; every query passes here once, before it is kept or run.
func (s *Session) optimise(q *plan.Query) (*plan.Query, error) {
	better, _, err := s.optimiseFor(q, nil)
	return better, err
}

// optimiseFor is optimise with values of the parameters as hints. hinted tells that the plan could be another one for others.
func (s *Session) optimiseFor(q *plan.Query, hints []value.Value) (better *plan.Query, hinted bool, err error) {
	v, err := s.view()
	if err != nil {
		return nil, false, err
	}
	var env functions.Env
	s.fillEnv(&env, &functions.Account{}, nil, s.srv.clock())
	better, err = opt.Optimize(&opt.Context{Registry: s.srv.registry, Catalog: v, FoldEnv: &env, Rows: s.srv.db.RowEstimate, Sample: s.sample,
		IndexExprs: s.srv.indexExprs.Exprs(s.bindContext(v, nil)), IndexOnly: s.vars.vals[settingNo("enable_seqscan")] == "off",
		Hints: hints, Hinted: &hinted}, q)
	return better, hinted, (&Portal{c: &compiled{}, s: s}).runtimeError(err)
}

// sample gives a sample of a relation; one that cannot be read is none, as whoever reads the relation will meet the error.
func (s *Session) sample(rel *catalog.Relation) *storage.Sample {
	x, err := s.srv.db.Sample(context.Background(), rel)
	if err != nil {
		return nil
	}
	return x
}

// fillEnv fills in what a statement that starts now lends to functions.
func (s *Session) fillEnv(e *functions.Env, memory *functions.Account, txn *storage.Txn, now time.Time) {
	memory.Limit, memory.Parent = s.queryMemory, s.srv.memory
	*e = functions.Env{
		DB: s.srv.db, Actor: s.actor(), Txn: txn, Format: s.format, Settings: s, Embedders: s.srv.embedders, Words: s.srv.words,
		StatementTime: now, TxnTime: s.tx.begun, Clock: s.srv.clock,
		Memory: memory, Session: s, Lookup: s.lookup, Sequences: &s.sequences, Locks: s.store, Notice: s.sendNotice, Random: &s.random,
		Routines: s, Cursor: s.cursorRow, SimpleView: s.simpleView(txn),
	}
}

// simpleView looks at views as the transaction sees them; without one there are none.
func (s *Session) simpleView(txn *storage.Txn) func(context.Context, *catalog.Relation) ([]bool, bool) {
	if txn == nil {
		return nil
	}
	return func(ctx context.Context, view *catalog.Relation) ([]bool, bool) {
		return bind.SimpleView(ctx, s.bindContext(txn.Catalog(), nil), view)
	}
}

func (s *Session) actor() storage.Actor {
	return storage.Actor{Role: s.user, Application: s.appName, Plan: s.plan}
}

// The methods below implement functions.SessionInfo.

// CurrentUser is the role that statements run as.
func (s *Session) CurrentUser() string { return s.user }

// SessionUser is the role that the session was opened as.
func (s *Session) SessionUser() string { return s.login }

// Database is the name of the database that the session looks at.
func (s *Session) Database() string { return s.opts.Database }

// BackendPID is the session's process id.
func (s *Session) BackendPID() int32 { return s.pid }

// ServerStart is when the server began.
func (s *Session) ServerStart() time.Time { return s.srv.began }

// QueryText is the text that the client sent.
func (s *Session) QueryText() string { return s.act.get().Query }

// RemoteAddr is the client's end of a TCP connection.
func (s *Session) RemoteAddr() (functions.Addr, bool) { return tcpAddr(s.opts.Remote) }

// LocalAddr is the server's end of a TCP connection.
func (s *Session) LocalAddr() (functions.Addr, bool) { return tcpAddr(s.opts.Local) }

func tcpAddr(a net.Addr) (functions.Addr, bool) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return functions.Addr{}, false
	}
	return t.AddrPort(), true
}

// Channels lists what the session listens to.
func (s *Session) Channels() []string { return s.srv.hub.channelsOf(s) }

// ServerVersion is the version of PostgreSQL whose behaviour is offered.
func (s *Session) ServerVersion() string { return serverVersion }

// ServerVersionNum is ServerVersion as a number.
func (s *Session) ServerVersionNum() int {
	n, _ := strconv.Atoi(serverVersionNum)
	return n
}

// SearchPath lists the schemas that exist and are searched, with the implicit ones when asked.
func (s *Session) SearchPath(implicit bool) []string {
	var out []string
	v, err := s.view()
	if err != nil {
		return nil
	}
	path := s.schemas()
	named := func(n string) bool {
		for _, p := range path {
			if p == n {
				return true
			}
		}
		return false
	}
	if implicit {
		if s.temp != "" && !named(s.temp) {
			out = append(out, s.temp)
		}
		if !named("pg_catalog") {
			out = append(out, "pg_catalog")
		}
	}
	for _, n := range path {
		if n == "" {
			continue
		}
		if n == "pg_catalog" || n == "information_schema" || n == s.temp || v.Schema(n) != nil {
			out = append(out, n)
		}
	}
	return out
}

// Cancel asks another session to cancel its statement, or to end.
func (s *Session) Cancel(pid int32, terminate bool) bool {
	if pid == s.pid {
		if terminate {
			s.interrupt.terminate(errTerminated)
		} else {
			s.interrupt.fire(errCancelled)
		}
		return true
	}
	return s.srv.interruptPID(pid, terminate)
}

// pgMicros gives a time as PostgreSQL keeps it: microseconds since 2000-01-01 UTC.
func pgMicros(t time.Time) int64 { return t.UnixMicro() - 946684800000000 }
