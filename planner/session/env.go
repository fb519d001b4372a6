package session

import (
	"context"
	"strconv"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/opt"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// What the planner and functions see of a session.

// bindContext is the world that a statement is bound in.
func (s *Session) bindContext(v *catalog.View, oids []uint32) *bind.Context {
	return &bind.Context{
		Catalog: v, Registry: s.srv.registry, SearchPath: s.schemas(), TempSchema: s.temp, Format: s.format, ParamOIDs: oids,
		User: s.user, Database: s.opts.Database, Virtual: s.srv.system.Relation, Setting: s.Get,
		Prepared: func(name string) ([]*value.Type, bool) {
			st := s.stmts[name]
			if st == nil || name == "" {
				return nil, false
			}
			return st.c.params, true
		},
	}
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
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	var env functions.Env
	s.fillEnv(&env, &functions.Account{}, nil, s.srv.clock())
	better, err := opt.Optimize(&opt.Context{Registry: s.srv.registry, Catalog: v, FoldEnv: &env, Rows: s.srv.db.RowEstimate}, q)
	return better, (&Portal{c: &compiled{}, s: s}).runtimeError(err)
}

// fillEnv fills in what a statement that starts now lends to functions.
func (s *Session) fillEnv(e *functions.Env, memory *functions.Account, txn *storage.Txn, now time.Time) {
	memory.Limit, memory.Parent = s.queryMemory, s.srv.memory
	*e = functions.Env{
		DB: s.srv.db, Actor: s.actor(), Txn: txn, Format: s.format, Settings: s, Embedders: s.srv.embedders,
		StatementTime: now, TxnTime: s.tx.begun, Clock: s.srv.clock,
		Memory: memory, Session: s, Lookup: s.lookup, Sequences: &s.sequences, Locks: s.store, Notice: s.sendNotice,
	}
}

func (s *Session) actor() storage.Actor {
	return storage.Actor{Role: s.user, Application: s.appName, Plan: s.plan}
}

// The methods below implement functions.SessionInfo.

// CurrentUser is the role that statements run as.
func (s *Session) CurrentUser() string { return s.user }

// SessionUser is the role that the session was opened as.
func (s *Session) SessionUser() string { return s.user }

// Database is the name of the database that the session looks at.
func (s *Session) Database() string { return s.opts.Database }

// BackendPID is the session's process id.
func (s *Session) BackendPID() int32 { return s.pid }

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

// lookup implements functions.Lookup over the catalog as the running statement sees it.
type lookup struct{ s *Session }

// view is nil only when the store is closing.
func (l lookup) view() *catalog.View {
	v, err := l.s.view()
	if err != nil {
		return nil
	}
	return v
}

// TypeByOID implements functions.Lookup.
func (l lookup) TypeByOID(oid uint32) *value.Type {
	if t := value.ByOID(oid); t != nil {
		return t
	}
	if v := l.view(); v != nil {
		if t := v.TypeByID(catalog.ID(oid)); t != nil {
			return t.Def
		}
	}
	return nil
}

// TypeByName implements functions.Lookup.
func (l lookup) TypeByName(name string) *value.Type {
	if t := builtinTypes[name]; t != nil {
		return t
	}
	if v := l.view(); v != nil {
		for _, schema := range l.s.schemas() {
			if t := v.Type(schema, name); t != nil {
				return t.Def
			}
		}
	}
	return nil
}

var builtinTypes = func() map[string]*value.Type {
	m := map[string]*value.Type{}
	for _, t := range value.Builtins() {
		m[t.Name] = t
	}
	for _, t := range value.Builtins() {
		m[t.SQL] = t
	}
	return m
}()

// RelationName implements functions.Lookup.
func (l lookup) RelationName(oid uint32) (schema, name string, ok bool) {
	v := l.view()
	if v == nil {
		return "", "", false
	}
	if r := v.RelationByID(catalog.ID(oid)); r != nil {
		if sc := v.SchemaByID(r.Schema); sc != nil {
			return sc.Name, r.Name, true
		}
	}
	if x := v.AnyIndex(catalog.ID(oid)); x != nil {
		if sc := v.SchemaByID(x.Schema); sc != nil {
			return sc.Name, x.Name, true
		}
	}
	return l.s.srv.system.Describe(oid)
}

// RelationOID implements functions.Lookup: name may be qualified and quoted.
func (l lookup) RelationOID(name string) (uint32, bool) {
	v := l.view()
	if v == nil {
		return 0, false
	}
	parts, ok := splitQualified(name)
	if !ok {
		return 0, false
	}
	find := func(schema, rel string) (uint32, bool) {
		if oid := l.s.srv.system.OID(schema, rel); oid != 0 {
			return oid, true
		}
		sc := v.Schema(schema)
		if sc == nil {
			return 0, false
		}
		if d := v.Find(catalog.RelationClass, sc.ID, rel); d != nil {
			return uint32(d.OID()), true
		}
		return 0, false
	}
	if len(parts) == 2 {
		return find(parts[0], parts[1])
	}
	if len(parts) == 1 {
		for _, schema := range l.s.SearchPath(true) {
			if oid, ok := find(schema, parts[0]); ok {
				return oid, true
			}
		}
	}
	return 0, false
}

// ProcName implements functions.Lookup.
func (l lookup) ProcName(oid uint32) (string, bool) {
	switch f := l.s.srv.registry.ByOID(oid).(type) {
	case *functions.Scalar:
		return f.Name, true
	case *functions.Aggregate:
		return f.Name, true
	case *functions.Window:
		return f.Name, true
	case *functions.Table:
		return f.Name, true
	}
	return "", false
}

// names implements typeio.Names for the text forms of the reg* types.
type names struct{ s *Session }

// NameOf implements typeio.Names.
func (n names) NameOf(t *value.Type, oid uint32) (string, bool) {
	l := lookup{n.s}
	switch t.OID {
	case value.RegType.OID:
		if x := l.TypeByOID(oid); x != nil {
			return x.SQL, true
		}
	case value.RegClass.OID:
		schema, name, ok := l.RelationName(oid)
		if !ok {
			return "", false
		}
		if found, ok := l.RelationOID(quoteName(name)); ok && found == oid {
			return quoteName(name), true
		}
		return quoteName(schema) + "." + quoteName(name), true
	case value.RegProc.OID:
		return l.ProcName(oid)
	case value.RegNamespace.OID:
		if v := l.view(); v != nil {
			if sc := v.SchemaByID(catalog.ID(oid)); sc != nil {
				return quoteName(sc.Name), true
			}
		}
	}
	return "", false
}

// OIDOf implements typeio.Names.
func (n names) OIDOf(t *value.Type, name string) (uint32, error) {
	l := lookup{n.s}
	switch t.OID {
	case value.RegType.OID:
		if x := l.TypeByName(name); x != nil {
			return x.OID, nil
		}
		return 0, dberr.New(dberr.UndefinedObject, `type "%s" does not exist`, name)
	case value.RegClass.OID:
		if oid, ok := l.RelationOID(name); ok {
			return oid, nil
		}
		return 0, dberr.New(dberr.UndefinedTable, `relation "%s" does not exist`, name)
	case value.RegNamespace.OID:
		if v := l.view(); v != nil {
			if parts, ok := splitQualified(name); ok && len(parts) == 1 {
				if sc := v.Schema(parts[0]); sc != nil {
					return uint32(sc.ID), nil
				}
			}
		}
		return 0, dberr.New(dberr.InvalidSchemaName, `schema "%s" does not exist`, name)
	}
	return 0, dberr.New(dberr.UndefinedObject, `%s "%s" does not exist`, t.SQL[3:], name)
}

// splitQualified reads a dotted name of identifiers, quoted or not.
func splitQualified(name string) ([]string, bool) {
	var list []byte
	quoted := false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"':
			quoted = !quoted
			list = append(list, c)
		case c == '.' && !quoted:
			list = append(list, ',')
		default:
			list = append(list, c)
		}
	}
	return splitNames(string(list))
}

// pgMicros gives a time as PostgreSQL keeps it: microseconds since 2000-01-01 UTC.
func pgMicros(t time.Time) int64 { return t.UnixMicro() - 946684800000000 }
