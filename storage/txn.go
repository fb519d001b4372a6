package storage

import (
	"context"
	"errors"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
	"github.com/omgdb/omgdb/storage/overlay"
)

// Isolation is a transaction isolation level. READ UNCOMMITTED is READ COMMITTED, as in PostgreSQL.
type Isolation uint8

// The isolation levels.
const (
	ReadCommitted Isolation = iota
	RepeatableRead
	Serializable
)

// Actor is who writes, as the op-log records it.
type Actor = oplog.Actor

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

// Errors by which a statement learns that it must be done again or differently. They are never sent to a client.
var (
	// ErrRestart: at READ COMMITTED, a row that the statement wants to change has a newer state than the statement sees. The
	// statement is undone with Txn.Restart, which keeps its locks, and run again; a single-table statement may rather judge the row
	// anew with LockRow.
	ErrRestart = errors.New("the statement must run again on a newer snapshot")
	// ErrTwice: the statement itself has changed or deleted the row before; UPDATE and DELETE leave it as it is.
	ErrTwice = errors.New("the statement has changed the row already")
	// ErrStale: the relation's descriptor is not the newest one; the statement must be planned again.
	ErrStale = errors.New("the relation has changed since the statement was planned")
)

// ErrReadOnly is the refusal to write in a read-only transaction.
var ErrReadOnly = dberr.New(dberr.ReadOnlySQLTransaction, "cannot write in a read-only transaction")

// Txn is a transaction. One goroutine uses it at a time, except that several scans of one statement, opened one after the other, may
// run in parallel while nobody writes. It ends with Commit or Rollback. Documents and strings that it gave out are valid until then,
// and at READ COMMITTED no longer than their statement: until the next BeginStatement, unless a Statement holds the reading point.
type Txn struct {
	db          *DB
	opt         TxnOptions
	session     *Session
	start       time.Time
	lockTimeout time.Duration

	reads *readSet   // what a serializable transaction has read; nil for others
	first *head      // the snapshot of the whole transaction, at REPEATABLE READ and above
	now   *Statement // the current reading point
	seq   uint64     // number of the writes made now; readers see what is at or below their own

	writes   *overlay.Overlay
	room     []byte // for small pieces of what is written
	own      *catalog.Own
	view     *catalog.View // what Catalog gave last
	viewOf   *catalog.Committed
	locked   tableLocks
	rowLocks map[catalog.ID]int  // row locks taken, by relation
	whole    map[catalog.ID]bool // relations whose row locks a table lock stands for, to the transaction's end
	ordinals map[uint64]*reserved
	indexes  openIndexes
	events   constraintEvents
	built    []uint64 // storage that the sweeper spares until the transaction ends

	dropsTemporary bool // storage of temporary relations is discarded
	done           bool
}

// Begin starts a transaction. Its first statement begins with it.
func (db *DB) Begin(ctx context.Context, o TxnOptions) (*Txn, error) {
	if o.Database == 0 {
		o.Database = catalog.MainDatabase
	}
	t := &Txn{db: db, opt: o, session: o.Session, start: db.clock(), lockTimeout: o.LockTimeout, seq: 1, writes: overlay.New()}
	var h *head
	var err error
	if o.Isolation == Serializable && !o.ReadOnly {
		h, t.reads, err = db.beginSerial()
	} else {
		h, err = db.acquire()
	}
	if err != nil {
		return nil, err
	}
	if t.session == nil {
		t.session = db.NewSession(0)
	}
	if o.Isolation != ReadCommitted {
		t.first = h.retain()
	}
	t.now = t.newStatement(h, 0)
	return t, nil
}

// LSN is that of the newest commit the current statement sees.
func (t *Txn) LSN() kv.LSN { return t.now.head.snap.LSN() }

// StartTime is when the transaction began.
func (t *Txn) StartTime() time.Time { return t.start }

// Isolation is the transaction's isolation level.
func (t *Txn) Isolation() Isolation { return t.opt.Isolation }

// ReadOnly tells whether writes are refused (25006).
func (t *Txn) ReadOnly() bool { return t.opt.ReadOnly }

// SetReadOnly makes the transaction read-only, or writable again; a serializable one that began
// read-only cannot become writable (0A000), because what it has read was not noted.
func (t *Txn) SetReadOnly(on bool) error {
	if !on && t.opt.Isolation == Serializable && t.reads == nil {
		return dberr.New(dberr.FeatureNotSupported, "a serializable transaction that began as read-only cannot be made writable").
			WithHint("Begin another transaction.")
	}
	t.opt.ReadOnly = on
	return nil
}

// LockTimeout is the bound of waits for a lock; 0 means none.
func (t *Txn) LockTimeout() time.Duration { return t.lockTimeout }

// SetLockTimeout bounds each later wait for a lock; 0 means none.
func (t *Txn) SetLockTimeout(d time.Duration) { t.lockTimeout = d }

// SetActor changes who the op-log will name for the commit.
func (t *Txn) SetActor(a Actor) { t.opt.Actor = a }

// Writes tells whether the transaction has written anything that is not rolled back.
func (t *Txn) Writes() bool { return !t.writes.Empty() }

// mayWrite refuses writes in a transaction that is read-only or over.
func (t *Txn) mayWrite() error {
	if t.done {
		return ended()
	}
	if t.opt.ReadOnly {
		return ErrReadOnly
	}
	return nil
}

// mayWriteTo is mayWrite for the rows of a relation: those of a temporary one may be written in a read-only transaction too, as in
// PostgreSQL.
func (t *Txn) mayWriteTo(rel *catalog.Relation) error {
	if rel.Temp && !t.done {
		return nil
	}
	return t.mayWrite()
}

func ended() error { return dberr.New(dberr.NoActiveSQLTransaction, "the transaction has ended") }

// Catalog is the newest committed catalog with the transaction's own changes.
func (t *Txn) Catalog() *catalog.View {
	base := t.now.head.cat
	if h := t.db.head.Load(); h != nil {
		base = h.cat
	}
	if t.view == nil || t.viewOf != base {
		t.view, t.viewOf = t.db.viewOf(base, t.opt.Database, t.own), base
	}
	return t.view
}

// viewOf makes a view; that of the main database without own changes, which most want, is made once.
func (db *DB) viewOf(base *catalog.Committed, database catalog.ID, own *catalog.Own) *catalog.View {
	if own != nil || database != catalog.MainDatabase {
		return catalog.NewView(base, database, own)
	}
	if c := db.view.Load(); c != nil && c.base == base {
		return c.view
	}
	c := &commonView{base, catalog.NewView(base, database, nil)}
	db.view.Store(c)
	return c.view
}

// commonView is the view of the main database that transactions without own changes share.
type commonView struct {
	base *catalog.Committed
	view *catalog.View
}

// Rollback ends the transaction without a trace. It may follow Commit, then it does nothing.
func (t *Txn) Rollback() {
	if t.done {
		return
	}
	t.giveBackOrdinals()
	t.end()
}

// end lets go of everything that the transaction holds.
func (t *Txn) end() {
	t.done = true
	t.now.Close()
	if t.first != nil {
		t.first.release()
	}
	if t.reads != nil {
		t.db.endSerial(t.reads)
	}
	for _, storage := range t.built {
		t.db.sweeper.release(storage)
	}
	t.session.owner.ReleaseTo(0)
	t.writes.Close()
	t.writes, t.own, t.ordinals = overlay.New(), nil, nil
}
