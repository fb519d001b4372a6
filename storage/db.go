package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/colcache"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/lock"
	"github.com/omgdb/omgdb/storage/oplog"
)

// ErrHeld is wrapped by the error of Open when another process has the store.
var ErrHeld = errors.New("store is held by another process")

// Options of Create and Open.
type Options struct {
	// Engine is the key-value store to use; nil means kv/bolt in the store's directory. The DB closes it.
	Engine kv.Store
	// LockTimeout is how long Open waits for another process to let go of the store.
	LockTimeout time.Duration
	// Clock is the time of commits; nil means time.Now.
	Clock  func() time.Time
	Logger *slog.Logger
	// Command and Socket are written into the LOCK file for whoever finds the store held.
	Command, Socket string
	// Indexes are further kinds of indexes by method (catalog.Index.Method), or take the place of the store's own, see kinds.
	Indexes map[string]index.Kind
	// Expressions compiles the expressions of btree indexes; nil will do for a store without such indexes.
	Expressions index.Expressions
	// ColumnMemory is how many bytes columns of rows may take in memory (package colcache); 0 means 128 MiB.
	ColumnMemory int64
}

const defaultColumnMemory = 128 << 20

// DB is an open store. It is safe for concurrent use. One process has a store open at a time.
type DB struct {
	path        string
	opt         Options
	store       kv.Store
	temporary   *mem.Store // rows and indexes of temporary relations
	head        atomic.Pointer[head]
	committer   *committer
	locks       *lock.Manager
	counters    counters
	ids         idCounters
	objectIDs   doc.ObjectIDs
	version     atomic.Uint64
	samples     samples
	view        atomic.Pointer[commonView]
	serial      serial
	sweeper     sweeper
	sequences   sequences
	kinds       map[string]index.Kind // by method
	gathering   *gathering
	columns     *colcache.Cache
	sketching   *sketching
	maintainers maintainerCache
	builds      builds

	statements atomic.Uint64 // number of the last one

	stop       context.CancelFunc // of the upkeep
	maintained chan struct{}      // closed when it has ended
	sweepNow   chan struct{}      // has room for one: temporary relations were dropped
}

// idCounters give ids of catalog objects and of their storage: one counter, never used twice by what was committed.
type idCounters struct{ next atomic.Uint64 }

// Create makes a new store at path and opens it. An existing one is 58P02.
func Create(path string, o Options) (*DB, error) {
	if o.Engine == nil {
		if err := bolt.Create(path); err != nil {
			return nil, err
		}
	}
	return Open(context.Background(), path, o)
}

// Open opens the store at path. A missing one is 58P01; a foreign file, a newer format and a store held by another process
// (errors.Is(err, ErrHeld)) have errors of their own.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	engine := o.Engine
	if engine == nil {
		b, err := bolt.Open(path, bolt.Options{Timeout: o.LockTimeout})
		if dberr.Code(err) == dberr.ObjectInUse {
			return nil, heldError(path, err)
		}
		if err != nil {
			return nil, err
		}
		engine = b
	}
	db := &DB{path: path, opt: o, store: engine, temporary: mem.New(), locks: lock.New(), sweepNow: make(chan struct{}, 1)}
	db.counters.m = map[uint64]*counter{}
	db.columns = colcache.New(cmp.Or(o.ColumnMemory, defaultColumnMemory))
	db.kinds, db.gathering, db.sketching = o.kinds(), newGathering(db), newSketching(db)
	err := db.start(ctx)
	if err == nil && o.Engine == nil {
		err = db.announce()
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	upkeep, stop := context.WithCancel(context.Background())
	db.stop, db.maintained = stop, make(chan struct{})
	go db.maintainLoop(upkeep)
	db.gathering.gone = make(chan struct{})
	go db.gathering.run(upkeep)
	go db.sketching.run(upkeep)
	return db, nil
}

func (db *DB) logger() *slog.Logger {
	if db.opt.Logger != nil {
		return db.opt.Logger
	}
	return slog.Default()
}

// announce writes the LOCK file.
func (db *DB) announce() error {
	h := Holder{PID: os.Getpid(), Command: db.opt.Command, Socket: db.opt.Socket}
	if h.Command == "" {
		h.Command = os.Args[0]
	}
	err := writeHolder(db.path, h)
	if dberr.IsDiskFull(err) { // a store on a full disk can be read; nobody is told who has it
		err = os.Remove(filepath.Join(db.path, lockName))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return dberr.Wrap(err, dberr.IOError, "cannot write the LOCK file of store %q: %v", db.path, err)
	}
	return nil
}

// Close closes the store after the commits that are under way. Transactions that are still open fail from then on. A second Close
// does nothing.
func (db *DB) Close() error {
	if db.stop != nil {
		db.stop()
		<-db.maintained
		<-db.gathering.gone
		<-db.sketching.gone
	}
	var err error
	if db.committer != nil {
		if db.head.Load() != nil {
			err = db.giveBackSequences(context.Background())
		}
		db.committer.close()
	}
	if h := db.head.Swap(nil); h != nil {
		h.release()
	}
	return errors.Join(err, db.store.Close(), db.temporary.Close())
}

// Path is the store's directory, "" for one in memory.
func (db *DB) Path() string { return db.path }

func (db *DB) clock() time.Time {
	if db.opt.Clock != nil {
		return db.opt.Clock()
	}
	return time.Now()
}

func (db *DB) nextVersion() uint64 { return db.version.Add(1) }

func (db *DB) newID() uint64 { return db.ids.next.Add(1) - 1 }

// start reads what the store holds, or makes its first content.
func (db *DB) start(ctx context.Context) error {
	snap, err := db.snapshot(ctx)
	if err != nil {
		return err
	}
	cat, err := db.loadCatalog(ctx, snap)
	if err != nil {
		snap.Close()
		return err
	}
	h := newHead(snap, cat)
	db.head.Store(h)
	chain, err := lastChain(ctx, snap)
	if err != nil {
		return err
	}
	next, err := snap.Get(ctx, metaKey(metaStore, []byte(metaNextID)))
	if err != nil {
		return err
	}
	db.ids.next.Store(uint64(catalog.FirstUserID))
	if len(next) == 8 {
		db.ids.next.Store(max(binary.BigEndian.Uint64(next), uint64(catalog.FirstUserID)))
	}
	db.committer = newCommitter(db, snap.LSN(), chain)
	if snap.LSN() == 0 {
		return db.bootstrap(ctx)
	}
	return db.dropTemporary(ctx)
}

// TempSchemaPrefix begins the names of the schemas of sessions' temporary relations.
const TempSchemaPrefix = "pg_temp_"

// dropTemporary drops the temporary relations and schemas of sessions that a crash ended.
func (db *DB) dropTemporary(ctx context.Context) error {
	t, err := db.Begin(ctx, TxnOptions{Actor: Actor{Role: "postgres"}})
	if err != nil {
		return err
	}
	defer t.Rollback()
	v := t.Catalog()
	for _, r := range v.AllRelations() {
		if r.Temp {
			if err := t.DropRelation(ctx, r.ID); err != nil {
				return err
			}
		}
	}
	for _, s := range v.AllSchemas() {
		if strings.HasPrefix(s.Name, TempSchemaPrefix) {
			if err := t.Undefine(ctx, s); err != nil {
				return err
			}
		}
	}
	return t.Commit(ctx) // nothing, mostly
}

// lastChain gives the place behind the newest op-log header, or behind the newest commit that was given up.
func lastChain(ctx context.Context, snap kv.Snapshot) (oplog.Chain, error) {
	r := key.All(key.Log, 0)
	r.Reverse = true
	it := snap.Scan(ctx, r)
	defer it.Close()
	if !it.Next() {
		b, err := readBase(ctx, snap)
		return b.chain, firstError(it.Err(), err)
	}
	lsn, _, _, err := key.SplitLog(it.Key())
	if err != nil {
		return oplog.Chain{}, err
	}
	e, err := readEntry(ctx, snap, lsn) // the key may be that of a further chunk
	if err != nil {
		return oplog.Chain{}, err
	}
	return e.After(), nil
}

// loadCatalog reads all descriptors.
func (db *DB) loadCatalog(ctx context.Context, snap kv.Snapshot) (*catalog.Committed, error) {
	open := func(class catalog.Class) kv.Iter { return snap.Scan(ctx, key.All(key.Catalog, uint64(class))) }
	return db.decodeCatalog(open, snap.LSN())
}

// catalogClasses lists the classes in the order in which they are read: types first, because columns name them.
var catalogClasses = []catalog.Class{catalog.TypeClass, catalog.DatabaseClass, catalog.SchemaClass, catalog.RelationClass,
	catalog.IndexClass, catalog.RoleClass, catalog.FunctionClass}

// decodeCatalog makes the catalog of the stored descriptors that open gives by class.
func (db *DB) decodeCatalog(open func(catalog.Class) kv.Iter, lsn kv.LSN) (*catalog.Committed, error) {
	var all []catalog.Descriptor
	types := newTypeLoader()
	load := func(class catalog.Class) error {
		it := open(class)
		defer it.Close()
		for it.Next() {
			if err := checkRow(it.Key(), it.Value()); err != nil {
				return err
			}
			d, err := catalog.Decode(class, rowDoc(it.Value()), rowLSN(it.Value()), db.nextVersion(), types.find)
			if err != nil {
				return err
			}
			types.add(d)
			all = append(all, d)
		}
		return it.Err()
	}
	for _, class := range catalogClasses {
		if err := load(class); err != nil {
			return nil, err
		}
	}
	return catalog.NewCommitted(all, db.nextVersion, lsn), nil
}

// bootstrap makes the content of a new store.
func (db *DB) bootstrap(ctx context.Context) error {
	t, err := db.Begin(ctx, TxnOptions{Actor: Actor{Role: "postgres"}})
	if err != nil {
		return err
	}
	defer t.Rollback()
	for _, d := range []catalog.Descriptor{
		&catalog.Role{ID: catalog.SuperRole, Name: "postgres", Super: true, Login: true, Inherit: true, CreateRole: true, CreateDB: true,
			BypassRLS: true, ConnLimit: -1},
		&catalog.Database{ID: catalog.MainDatabase, Name: "omgdb", Owner: catalog.SuperRole},
		&catalog.Schema{ID: catalog.PublicSchema, Database: catalog.MainDatabase, Name: "public", Owner: catalog.SuperRole,
			Comment: "standard public schema"},
	} {
		if err := t.change(ctx, nil, d); err != nil {
			return err
		}
	}
	return t.Commit(ctx)
}

// RowEstimate is the number of rows of a relation in the newest committed state.
func (db *DB) RowEstimate(rel *catalog.Relation) int64 {
	h, err := db.acquire()
	if err != nil {
		return 0
	}
	defer h.release()
	c, err := readCounts(context.Background(), h.snap, rel.Storage)
	if err != nil {
		return 0 // an estimate: whoever reads the relation will meet the error
	}
	return c.rows
}
