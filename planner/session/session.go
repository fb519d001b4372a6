package session

import (
	"context"
	"strings"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
)

// Session is one client's conversation with the store. See the package comment for who may call what when. Close ends it and undoes
// what is not committed.
type Session struct {
	srv   *Server
	opts  SessionOptions
	pid   int32
	key   [4]byte
	user  string     // the role that it runs as
	login string     // the role that it was opened as
	db    catalog.ID // the database that it looks at; fixed before the session is shown to others

	interrupt interrupt
	act       activity
	inbox     inbox

	// What follows belongs to the session's goroutine.
	committing   bool // the deferred constraints are being looked at
	routineDepth int  // users' functions that are running, one inside the other
	programs     map[programKey]*program
	live
	vars        *vars
	store       *storage.Session
	sequences   functions.SequenceState
	random      functions.Random
	state       txnState
	tx          transaction
	lastModes   [3]string // isolation, read-only and deferrable of the transaction that ended last
	events      []Event
	told        []string // reported values as the client knows them
	reportStale bool
	stmts       map[string]*Stmt
	portals     map[string]*Portal
	spare       *Portal          // memory for the next portal
	lookup      functions.Lookup // what each statement lends to functions, made once
	sendNotice  func(severity, code, message string)
	portalSeq   int
	path        []string // the search path resolved, see schemas
	pathKey     string   // the same for plan keys
	temp        string   // schema of temporary objects, "" while there are none
}

func newSession(ctx context.Context, srv *Server, o SessionOptions, role *catalog.Role) *Session {
	s := &Session{
		srv: srv, opts: o, key: newKey(), user: role.Name,
		told: make([]string, len(reported)), stmts: map[string]*Stmt{}, portals: map[string]*Portal{},
		vars: newVars(srv.start),
	}
	s.interrupt.base = ctx
	s.lookup, s.sendNotice = lookup{s}, s.Notice
	s.format = &typeio.Format{}
	s.format.Names = names{s}
	s.vars.changed = s.varChanged
	s.login = s.user
	now := srv.clock()
	s.act.info = Activity{User: s.user, Database: o.Database, Remote: o.Remote, BackendStart: now, StateChange: now, State: idleStates[idle]}
	for i := range settings {
		s.varChanged(i)
	}
	s.planKeyStale = true
	s.vars.vals[varAuthorization], s.vars.vals[varSuperuser] = role.Name, onOff(role.Super)
	return s
}

// superuser is the role that a store begins with, and as which everybody runs while no role has a password.
const superuser = "postgres"

// startSettings applies the settings of the start-up message; RESET goes back to them.
func (s *Session) startSettings(list [][2]string) error {
	for _, kv := range list {
		i, canon, err := s.checkSetting(kv[0], kv[1], true)
		if err != nil {
			return err
		}
		s.vars.assign(i, canon)
		s.vars.reset[i] = canon
	}
	s.resetTxnModes()
	return nil
}

// PID is the session's process id, as pg_backend_pid() shows it.
func (s *Session) PID() int32 { return s.pid }

// Key is the secret that a cancel request must bring along.
func (s *Session) Key() []byte { return s.key[:] }

// Format is how values are written for the client now. It isn't changed while a statement runs.
func (s *Session) Format() *typeio.Format { return s.format }

// Enter marks the session as running and gives the context for what the door asks of it next; Leave marks it as idle again.
// Enter also starts the clock of statement_timeout, which Sync, Fail and the end of a portal stop.
func (s *Session) Enter() context.Context {
	ctx := s.interrupt.enter()
	s.arm()
	return ctx
}

func (s *Session) arm() {
	if s.stmtTimeout > 0 {
		s.interrupt.arm(s.stmtTimeout, errTimeout)
	}
}

// Leave ends what Enter began.
func (s *Session) Leave() {
	s.interrupt.leave()
}

func (s *Session) disarm() {
	if s.stmtTimeout > 0 || s.interrupt.armed != 0 {
		s.interrupt.disarm()
	}
}

// IdleTimeout tells how long the client may be silent now, 0 for ever, and with which error the session then ends.
func (s *Session) IdleTimeout() (time.Duration, *dberr.Error) {
	if s.state == idle {
		return s.idleTimeout, &dberr.Error{Severity: "FATAL", Code: "57P05", Message: "terminating connection due to idle-session timeout"}
	}
	return s.idleInTxn, &dberr.Error{Severity: "FATAL", Code: dberr.IdleInTransactionTimeout, Message: "terminating connection due to idle-in-transaction timeout"}
}

// Terminate asks the session to end, from any goroutine: what runs is cancelled, and the door is woken to find Ended.
func (s *Session) Terminate() {
	s.interrupt.terminate(errTerminated)
	s.opts.Wake()
}

// Ended gives the error with which the session must end, nil while it may go on.
func (s *Session) Ended() *dberr.Error { return s.interrupt.ended() }

// Idle tells the views of activity that the session waits for its client.
func (s *Session) Idle() { s.act.end(s.state, s.srv.clock()) }

// Close undoes what is not committed and forgets the session. It may follow any failure.
func (s *Session) Close() {
	ctx := context.Background()
	s.vars.changed = func(int) {}
	_ = s.rollback(ctx)
	s.closeAllPortals()
	s.srv.hub.unlisten(s, "")
	s.dropTemp(ctx)
	if s.store != nil {
		s.store.Close()
	}
	s.srv.forget(s)
}

// schemas is the search path as schema names, "$user" resolved.
func (s *Session) schemas() []string {
	if !s.pathStale {
		return s.path
	}
	path := make([]string, len(s.searchPath))
	for i, n := range s.searchPath {
		switch {
		case n == "$user":
			path[i] = s.user
		case n == "pg_temp" && s.temp != "":
			path[i] = s.temp
		default:
			path[i] = n
		}
	}
	s.path, s.pathStale = path, false
	s.pathKey = s.temp + "\x00" + strings.Join(path, "\x00")
	return path
}
