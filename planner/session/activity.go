package session

import (
	"net"
	"sync"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
)

// activity is what other sessions see of a session in pg_stat_activity. The session's goroutine writes it, any goroutine reads it.
type activity struct {
	mu   sync.Mutex
	info Activity
}

// Activity is one row of pg_stat_activity. Zero times are NULL.
type Activity struct {
	PID          int32
	User         string
	Database     string
	DatabaseID   catalog.ID
	Application  string
	Remote       net.Addr // nil or a unix address: a local session
	BackendStart time.Time
	XactStart    time.Time
	QueryStart   time.Time
	StateChange  time.Time
	State        string // active, idle, idle in transaction, idle in transaction (aborted)
	Query        string // the statement that runs, or ran last
}

func (a *activity) setApplication(name string) {
	a.mu.Lock()
	a.info.Application = name
	a.mu.Unlock()
}

// begin tells that a statement starts.
func (a *activity) begin(query string, at, xact time.Time) {
	a.mu.Lock()
	i := &a.info
	i.State, i.Query, i.QueryStart, i.StateChange, i.XactStart = "active", query, at, at, xact
	a.mu.Unlock()
}

// idleStates are the names of states while no statement runs.
var idleStates = [...]string{idle: "idle", implicit: "idle", block: "idle in transaction", failed: "idle in transaction (aborted)"}

// end tells that nothing runs.
func (a *activity) end(state txnState, at time.Time) {
	a.mu.Lock()
	i := &a.info
	if i.State == "active" {
		i.StateChange = at
	}
	i.State = idleStates[state]
	if state == idle {
		i.XactStart = time.Time{}
	}
	a.mu.Unlock()
}

func (a *activity) get() Activity {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.info
}
