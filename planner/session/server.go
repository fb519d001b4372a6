package session

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"log/slog"
	"maps"
	"net"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/planner/opt"
	"github.com/omgdb/omgdb/planner/pgcatalog"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/fulltext"
)

// Options configure a Server. Registry is required.
type Options struct {
	Registry  *functions.Registry
	Embedders *embed.Set
	Logger    *slog.Logger // nil: slog's default
	Clock     func() time.Time
	Version   string            // of OMGDB
	Settings  map[string]string // values that differ from the defaults, of any context
}

// Server holds what the sessions of one open store share: the plan cache, who listens to what, who is there.
type Server struct {
	db         *storage.DB
	registry   *functions.Registry
	embedders  *embed.Set
	words      *fulltext.Words
	log        *slog.Logger
	system     *pgcatalog.Set
	clock      func() time.Time
	start      []string // start values of settings
	plans      *planCache
	indexExprs opt.BoundIndexes
	actions    map[reflect.Type]*action
	aliases    map[uint32]alias
	empty      *compiled // of a text without a statement
	hub        *hub
	memory     *functions.Account
	counters   counters

	began  time.Time
	secret [32]byte // salts of made-up credentials come from it

	mu       sync.Mutex
	sessions map[int32]*Session
	lastPID  int32
	limit    int
	closed   bool
}

// New makes the session server of an open store; the store stays the caller's to close, after Close.
func New(db *storage.DB, o Options) (*Server, error) {
	srv := &Server{
		db: db, registry: o.Registry, embedders: o.Embedders, words: fulltext.NewWords(), log: o.Logger, clock: o.Clock,
		start: slices.Clone(bootValues), hub: newHub(), memory: &functions.Account{}, sessions: map[int32]*Session{},
	}
	if srv.log == nil {
		srv.log = slog.Default()
	}
	if srv.clock == nil {
		srv.clock = time.Now
	}
	srv.began = srv.clock()
	_, _ = rand.Read(srv.secret[:]) // never fails
	srv.start[varVersion], srv.start[varDataDirectory] = o.Version, db.Path()
	for name, val := range o.Settings {
		i, ok := settingIndex[strings.ToLower(name)]
		if !ok {
			return nil, unknownSetting(name)
		}
		canon, err := settings[i].canonical(val)
		if err != nil {
			return nil, err
		}
		srv.start[i] = settings[i].merge(canon, srv.start[i])
	}
	var err error
	if srv.system, err = pgcatalog.New(srv.registry, systemRows()); err != nil {
		return nil, err
	}
	srv.actions, srv.aliases = buildActions(), buildAliases()
	srv.empty = &compiled{stmt: &plan.EmptyStmt{}, act: srv.actionOf(&plan.EmptyStmt{})}
	srv.limit = srv.intSetting(varMaxConns)
	srv.plans = newPlanCache(int64(srv.intSetting(varPlanCache)) << 10)
	return srv, nil
}

func (srv *Server) intSetting(i int) int {
	n, _ := strconv.Atoi(srv.start[i])
	return n
}

// DB is the store.
func (srv *Server) DB() *storage.DB { return srv.db }

// MaxMessage is the longest message body that a door should take, in bytes.
func (srv *Server) MaxMessage() int { return srv.intSetting(varMaxMessage) << 10 }

// AuthTimeout is the time that a client has until its session begins.
func (srv *Server) AuthTimeout() time.Duration {
	return time.Duration(srv.intSetting(varAuthTimeout)) * time.Second
}

// SessionOptions describe a session to be made.
type SessionOptions struct {
	User, Database string
	Remote         net.Addr
	Local          net.Addr
	Settings       [][2]string // start-up settings in the order given
	// Trusted clients need no password and no role of their own: those of this process and of the store\'s owner.
	Trusted bool
	// Wake is called from other goroutines when the session has something for an idle client (notifications, its end).
	Wake func()
}

// NewSession starts a session; ctx lives as long as it. The caller ends it with Close. Errors are fatal ones, to be told to the client.
func (srv *Server) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	if o.Wake == nil {
		o.Wake = func() {}
	}
	db, err := srv.findDatabase(o.Database, o.User)
	if err != nil {
		return nil, asFatal(dberr.As(err))
	}
	role, err := srv.loginRole(o.User, o.Trusted)
	if err != nil {
		return nil, asFatal(dberr.As(err))
	}
	if err := srv.mayConnect(role, db, o.Database); err != nil {
		return nil, asFatal(dberr.As(err))
	}
	s := newSession(ctx, srv, o, role)
	s.db = db
	s.roleSettings(role)
	if err := s.startSettings(o.Settings); err != nil {
		return nil, asFatal(dberr.As(err))
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if srv.closed {
		return nil, asFatal(dberr.New(dberr.CannotConnect, "the database system is shutting down"))
	}
	if role.ConnLimit >= 0 && !role.Super && srv.sessionsAs(role.Name) >= int(role.ConnLimit) {
		return nil, asFatal(dberr.New(dberr.TooManyConnections, `too many connections for role "%s"`, role.Name))
	}
	if len(srv.sessions) >= srv.limit {
		return nil, asFatal(dberr.New(dberr.TooManyConnections, "sorry, too many clients already"))
	}
	for {
		srv.lastPID = srv.lastPID%(1<<30) + 1
		if srv.sessions[srv.lastPID] == nil {
			break
		}
	}
	s.pid = srv.lastPID
	s.act.info.PID, s.act.info.DatabaseID = s.pid, s.db
	s.store = srv.db.NewSession(s.pid)
	srv.sessions[s.pid] = s
	return s, nil
}

// sessionsAs counts the sessions that a role began. The caller holds the lock.
func (srv *Server) sessionsAs(role string) int {
	n := 0
	for _, s := range srv.sessions {
		if s.login == role {
			n++
		}
	}
	return n
}

func asFatal(e *dberr.Error) *dberr.Error {
	c := *e
	c.Severity = "FATAL"
	return &c
}

// findDatabase finds a database by name. While no database has them, "postgres", the store's base name and the user's name mean the
// first one.
func (srv *Server) findDatabase(name, user string) (catalog.ID, error) {
	v, err := srv.db.Catalog(0)
	if err != nil {
		return 0, err
	}
	if db := v.DatabaseByName(name); db != nil {
		return db.ID, nil
	}
	base := filepath.Base(srv.db.Path())
	switch name {
	case "postgres", user, base, strings.TrimSuffix(base, filepath.Ext(base)):
		return catalog.MainDatabase, nil
	}
	return 0, dberr.New(dberr.InvalidCatalogName, `database "%s" does not exist`, name)
}

// sessionsOf lists the sessions in a database.
func (srv *Server) sessionsOf(db catalog.ID) []*Session {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	var out []*Session
	for _, s := range srv.sessions {
		if s.db == db {
			out = append(out, s)
		}
	}
	return out
}

// Cancel asks the session with this process id to give up its statement, if key is the session's. It never tells whether it did.
func (srv *Server) Cancel(pid int32, key []byte) {
	if s := srv.session(pid); s != nil && subtle.ConstantTimeCompare(s.key[:], key) == 1 {
		s.interrupt.fire(errCancelled)
	}
}

// interruptPID is Cancel without a key, for SQL: pg_cancel_backend, or pg_terminate_backend.
func (srv *Server) interruptPID(pid int32, terminate bool) bool {
	s := srv.session(pid)
	if s == nil {
		return false
	}
	if terminate {
		s.Terminate()
	} else {
		s.interrupt.fire(errCancelled)
	}
	return true
}

func (srv *Server) session(pid int32) *Session {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return srv.sessions[pid]
}

// Sessions is the number of sessions that there are.
func (srv *Server) Sessions() int {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return len(srv.sessions)
}

// Activity lists the sessions by process id.
func (srv *Server) Activity() []Activity {
	srv.mu.Lock()
	all := slices.SortedFunc(maps.Values(srv.sessions), func(a, b *Session) int { return int(a.pid - b.pid) })
	srv.mu.Unlock()
	out := make([]Activity, len(all))
	for i, s := range all {
		out[i] = s.act.get()
	}
	return out
}

// Close refuses further sessions and asks those that exist to end; doors find out by Session.Ended.
func (srv *Server) Close() {
	srv.mu.Lock()
	srv.closed = true
	all := slices.Collect(maps.Values(srv.sessions))
	srv.mu.Unlock()
	for _, s := range all {
		s.Terminate()
	}
}

// Refuse makes NewSession fail from now on, while sessions that exist go on: the first half of a graceful end.
func (srv *Server) Refuse() {
	srv.mu.Lock()
	srv.closed = true
	srv.mu.Unlock()
}

func (srv *Server) forget(s *Session) {
	srv.mu.Lock()
	delete(srv.sessions, s.pid)
	srv.mu.Unlock()
}

// newKey makes a cancel key.
func newKey() (k [4]byte) {
	_, _ = rand.Read(k[:]) // never fails
	return k
}
