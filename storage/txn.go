package storage

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv"
)

// DB is an open store. It is safe for concurrent use. One process has a store open at a time.
type DB struct{}

// Session is who holds locks: a connection, or whatever else runs transactions one after the other. Close it when done.
type Session struct{}

// Txn is a transaction. One goroutine uses it at a time, except that several scans of one statement may run in parallel while
// nobody writes. It ends with Commit or Rollback; documents and strings that it gave out are valid until then.
type Txn struct{}

// Mark is a point in a transaction to roll back to.
type Mark struct{}

// Statement is a reading point of a transaction: a snapshot, and which of the transaction's own writes are seen.
type Statement struct{}

var errSoon = dberr.New(dberr.FeatureNotSupported, "the store is being built")

// Create makes a new store at path and opens it. An existing one is 58P02.
func Create(path string, o Options) (*DB, error) { return nil, errSoon }

// Open opens the store at path. A missing one is 58P01; a foreign file, a newer format and a store held by another process
// (errors.Is(err, ErrHeld)) have errors of their own.
func Open(ctx context.Context, path string, o Options) (*DB, error) { return nil, errSoon }

// Close closes the store. Transactions that are still open fail from then on.
func (db *DB) Close() error { return errSoon }

// Path is the store's directory, "" for one in memory.
func (db *DB) Path() string { return "" }

// NewSession makes a session; pid is shown in pg_locks and in the details of deadlocks.
func (db *DB) NewSession(pid int32) *Session { return nil }

// Begin starts a transaction. Its first statement begins with it.
func (db *DB) Begin(ctx context.Context, o TxnOptions) (*Txn, error) { return nil, errSoon }

// RowEstimate is the number of rows of a relation in the newest committed state.
func (db *DB) RowEstimate(rel *catalog.Relation) int64 { return 0 }

// EnsureCollection makes the collection schema.name unless there is one, in a small commit of its own.
func (db *DB) EnsureCollection(ctx context.Context, a Actor, database catalog.ID, schema, name string) error {
	return errSoon
}

// LSN is that of the newest commit the current statement sees.
func (t *Txn) LSN() kv.LSN { return 0 }

// StartTime is when the transaction began.
func (t *Txn) StartTime() time.Time { return time.Time{} }

// ReadOnly tells whether writes are refused (25006).
func (t *Txn) ReadOnly() bool { return false }

// Writes tells whether the transaction has written anything that is not rolled back.
func (t *Txn) Writes() bool { return false }

// BeginStatement starts the next statement: in READ COMMITTED it reads the newest committed state, at every level it sees what the
// transaction has written so far and nothing of what it writes itself. Reading points that are held (Statement) are not affected.
func (t *Txn) BeginStatement(ctx context.Context) error { return errSoon }

// Statement holds the current reading point for a portal that goes on reading after other statements have begun. Close it.
func (t *Txn) Statement() *Statement { return nil }

// Resume makes s the current reading point again.
func (t *Txn) Resume(s *Statement) {}

// Close lets the reading point go; what was read at it is no longer valid.
func (s *Statement) Close() {}

// Mark sets a savepoint.
func (t *Txn) Mark() Mark { return Mark{} }

// RollbackTo undoes all writes since the mark, catalog writes included, and gives back the locks taken since. The mark stays.
func (t *Txn) RollbackTo(m Mark) {}

// Restart undoes all writes since the mark but keeps the locks, and begins the statement again on a newer snapshot: the answer to
// ErrRestart.
func (t *Txn) Restart(ctx context.Context, m Mark) error { return errSoon }

// Forget tells that nobody will go back to the mark.
func (t *Txn) Forget(m Mark) {}

// Commit makes the transaction's writes durable and visible. After an error the transaction is rolled back.
func (t *Txn) Commit(ctx context.Context) error { return errSoon }

// Rollback ends the transaction without a trace. It may follow Commit, then it does nothing.
func (t *Txn) Rollback() {}

// Catalog is the newest committed catalog with the transaction's own changes.
func (t *Txn) Catalog() *catalog.View { return nil }

// Insert stores a new row. In a collection it generates a missing _id and puts _id first. 23505 and 23502 have PostgreSQL's detail.
// The second result is the _id in a collection, and missing in a table.
func (t *Txn) Insert(ctx context.Context, rel *catalog.Relation, d doc.Doc) (RowKey, doc.Value, error) {
	return nil, doc.Value{}, errSoon
}

// Update replaces the row at key, which the statement saw as old, by new, and gives its key, which changes with the primary key.
// ErrRestart and 40001: see LockRow. ErrTwice: this statement has changed the row before.
func (t *Txn) Update(ctx context.Context, rel *catalog.Relation, key RowKey, old, new doc.Doc) (RowKey, error) {
	return nil, errSoon
}

// Delete removes the row at key, which the statement saw as old. Errors are those of Update.
func (t *Txn) Delete(ctx context.Context, rel *catalog.Relation, key RowKey, old doc.Doc) error {
	return errSoon
}

// Get reads the row at key.
func (t *Txn) Get(ctx context.Context, rel *catalog.Relation, key RowKey) (doc.Doc, bool, error) {
	return nil, false, errSoon
}

// GetByID reads the document of a collection whose _id prints as id.
func (t *Txn) GetByID(ctx context.Context, rel *catalog.Relation, id string) (RowKey, doc.Doc, bool, error) {
	return nil, nil, false, errSoon
}

// Scan reads a relation; see ScanSpec.
func (t *Txn) Scan(ctx context.Context, s *ScanSpec) (batch.Iter, error) { return nil, errSoon }

// Count is the exact number of rows that the statement sees in the relation, without reading them.
func (t *Txn) Count(ctx context.Context, rel *catalog.Relation) (int64, error) { return 0, errSoon }
