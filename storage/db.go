package storage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv"
)

// ErrHeld is wrapped by the error of Open when another process has the store.
var ErrHeld = errors.New("store is held by another process")

// Options of Create and Open.
type Options struct {
	// Engine is the key-value store to use; nil means kv/bolt in the store's directory. The DB closes it.
	Engine kv.Store
	// LockTimeout is how long Open waits for another process to let go of the store.
	LockTimeout time.Duration
	// Clock is the time of commits and of generated ids; nil means time.Now.
	Clock  func() time.Time
	Logger *slog.Logger
	// Command and Socket are written into the LOCK file for whoever finds the store held.
	Command, Socket string
}

// Isolation is a transaction isolation level. READ UNCOMMITTED is READ COMMITTED, as in PostgreSQL.
type Isolation uint8

// The isolation levels.
const (
	ReadCommitted Isolation = iota
	RepeatableRead
	Serializable
)

// Actor is who writes, as the op-log records it.
type Actor struct {
	Role        string // the SQL role
	Application string // application_name
	Plan        string // the agent's plan, "" for none
}

// TxnOptions describe a transaction.
type TxnOptions struct {
	Isolation  Isolation
	ReadOnly   bool
	Deferrable bool
	Actor      Actor
	// Database is the database that Catalog looks at; 0 means the main one.
	Database catalog.ID
	// Session holds the transaction's locks; nil gives it a session of its own. A session has one transaction at a time.
	Session *Session
	// LockTimeout bounds each wait for a lock; 0 means none. Txn.SetLockTimeout changes it.
	LockTimeout time.Duration
}

var _ = context.Background
