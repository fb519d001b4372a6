package storage

import (
	"bytes"
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/lock"
)

// An index is built online (CREATE INDEX CONCURRENTLY) in three steps. It is declared invalid, from which moment on all writers keep it
// and nobody reads it; those who began before, and don't, are waited for. Then the entries of the rows that there are come in, chunk by
// chunk, each in a serializable transaction that has read the chunk's range: when anybody changed a row of it meanwhile, the committer
// refuses it and the chunk is done again. At last the index is declared valid. A build that fails leaves the invalid index for DROP
// INDEX or REINDEX, as in PostgreSQL (manual, "Building Indexes Concurrently").

// onlineRows is how many rows a chunk has at most.
const onlineRows = 2048

type onlineBuild struct {
	db      *DB
	opt     TxnOptions
	rel     catalog.ID
	index   catalog.ID
	storage uint64 // of the relation's rows when the build began, or began anew

	relation *catalog.Relation // as it was then
	progress *progress
}

// CreateIndexOnline makes an index while others read and write; see Txn.CreateIndex for its errors. It runs transactions of its own, in
// a lock session of its own. Kinds of indexes whose entries depend on each other (full text, vectors) are built under a Share lock.
func (db *DB) CreateIndexOnline(ctx context.Context, o TxnOptions, x catalog.Index) error {
	if !buildsOnline(x.Method) {
		return db.inTxn(ctx, o, func(t *Txn) error { _, err := t.CreateIndex(ctx, x); return err })
	}
	b, err := db.declareOnline(ctx, o, x)
	if err != nil {
		return err
	}
	defer b.opt.Session.Close()
	if err := b.fill(ctx); err != nil {
		return err
	}
	return b.run(ctx, ReadCommitted, func(t *Txn) error {
		_, x, err := b.lock(ctx, t, ShareUpdateExclusive)
		if err != nil {
			return err
		}
		valid := *x
		valid.Valid, valid.Version, valid.Published = true, db.nextVersion(), 0
		return t.replaceIndex(ctx, x, &valid)
	})
}

// ReindexOnline builds an index again while others read and write: under another name, with which it changes places at the end.
func (db *DB) ReindexOnline(ctx context.Context, o TxnOptions, id catalog.ID) error {
	v, err := db.Catalog(o.Database)
	if err != nil {
		return err
	}
	x := v.Index(id)
	if x == nil {
		return ErrStale
	}
	if !buildsOnline(x.Method) {
		return db.inTxn(ctx, o, func(t *Txn) error { return t.Reindex(ctx, id) })
	}
	twin := *x
	twin.ID, twin.Name, twin.Constraint, twin.Primary = 0, x.Name[:min(len(x.Name), MaxName-len("_ccnew"))]+"_ccnew", false, false
	b, err := db.declareOnline(ctx, o, twin)
	if err != nil {
		return err
	}
	defer b.opt.Session.Close()
	if err := b.fill(ctx); err != nil {
		return err
	}
	err = b.run(ctx, ReadCommitted, func(t *Txn) error {
		_, made, err := b.lock(ctx, t, ShareUpdateExclusive)
		if err != nil {
			return err
		}
		x := t.Catalog().Index(id)
		if x == nil {
			return b.gone()
		}
		fresh, old := *x, *made
		fresh.Storage, old.Storage, fresh.Valid = made.Storage, x.Storage, true
		fresh.Version, fresh.Published = db.nextVersion(), 0
		old.Version, old.Published = db.nextVersion(), 0
		if err := t.change(ctx, x, &fresh); err != nil {
			return err
		}
		return t.replaceIndex(ctx, made, &old)
	})
	if err == nil {
		err = b.awaitWriters(ctx) // who began before writes into the old storage still
	}
	if err != nil {
		return err
	}
	return b.run(ctx, ReadCommitted, func(t *Txn) error { return t.DropIndex(ctx, b.index) })
}

// declareOnline makes the invalid index and waits for writers who don't know of it.
func (db *DB) declareOnline(ctx context.Context, o TxnOptions, x catalog.Index) (*onlineBuild, error) {
	pid := int32(0)
	if o.Session != nil {
		pid = o.Session.owner.PID
	}
	o.Session, o.LockTimeout = db.NewSession(pid), 0
	b := &onlineBuild{db: db, opt: o, rel: x.Relation}
	err := b.run(ctx, ReadCommitted, func(t *Txn) error {
		rel, made, _, err := t.newIndex(ctx, x, ShareUpdateExclusive)
		if err != nil {
			return err
		}
		made.Valid = false
		b.index, b.storage, b.relation = made.ID, rel.Storage, rel
		return t.listIndex(ctx, rel, made)
	})
	if err == nil {
		err = b.awaitWriters(ctx)
	}
	if err != nil {
		b.opt.Session.Close()
		return nil, err
	}
	return b, nil
}

// buildsOnline tells whether the entries of an index of the method depend on one row each.
func buildsOnline(method string) bool { return method == MethodBTree }

func (db *DB) inTxn(ctx context.Context, o TxnOptions, f func(*Txn) error) error {
	t, err := db.Begin(ctx, o)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := f(t); err != nil {
		return err
	}
	return t.Commit(ctx)
}

func (b *onlineBuild) run(ctx context.Context, iso Isolation, f func(*Txn) error) error {
	o := b.opt
	o.Isolation = iso
	return b.db.inTxn(ctx, o, f)
}

func (b *onlineBuild) awaitWriters(ctx context.Context) error {
	return b.db.locks.AwaitHolders(ctx, b.opt.Session.owner, lock.Tag{Class: lock.Table, Object: uint64(b.rel)}, Share)
}

// lock locks the table and gives the newest descriptors.
func (b *onlineBuild) lock(ctx context.Context, t *Txn, m TableMode) (*catalog.Relation, *catalog.Index, error) {
	if err := t.LockTable(ctx, b.rel, m, Wait); err != nil {
		return nil, nil, err
	}
	rel, x := t.Catalog().RelationByID(b.rel), t.Catalog().Index(b.index)
	if rel == nil || x == nil {
		return nil, nil, b.gone()
	}
	return rel, x, nil
}

func (b *onlineBuild) gone() error {
	return dberr.New(dberr.ObjectNotInPrerequisiteState, "the index was dropped while it was being built")
}

// fill brings in the entries of all rows that there are.
func (b *onlineBuild) fill(ctx context.Context) error {
	b.progress = b.db.building(b.opt.Session.owner.PID, b.relation, b.index, false)
	defer b.progress.end()
	var at RowKey
	for n := onlineRows; ; n = min(2*n, onlineRows) {
		for {
			next, err := b.chunk(ctx, at, n)
			if err == nil {
				at = next
				break
			}
			if code := dberr.Code(err); code != dberr.SerializationFailure && code != dberr.DeadlockDetected {
				return err
			}
			n = max(n/8, 1)
		}
		if at == nil {
			return nil
		}
	}
}

// chunk brings in the entries of up to n rows from a row key on, and gives the key behind them, nil at the end. A single row is locked,
// so that somebody who changes it all the time does not keep the build from it.
func (b *onlineBuild) chunk(ctx context.Context, from RowKey, n int) (next RowKey, err error) {
	iso := Serializable
	if n == 1 {
		iso = ReadCommitted
	}
	err = b.run(ctx, iso, func(t *Txn) error {
		rel, x, err := b.lock(ctx, t, RowExclusive)
		if err != nil {
			return err
		}
		if rel.Storage != b.storage { // truncated or written anew
			b.storage, from = rel.Storage, nil
		}
		m, err := b.db.openIndex(rel, x)
		if err != nil {
			return err
		}
		next, err = b.rows(ctx, t, rel, m, from, n)
		return notUniqueRows(rel, x, err)
	})
	return next, err
}

func (b *onlineBuild) rows(ctx context.Context, t *Txn, rel *catalog.Relation, m index.Maintainer, from RowKey, n int) (next RowKey, err error) {
	kr := key.Between(key.Row, rel.Storage, from, nil)
	it := t.now.head.snap.Scan(ctx, kr)
	defer it.Close()
	for i := 0; it.Next(); i++ {
		if i == n {
			next = bytes.Clone(it.Key()[kv.PrefixLen:])
			kr.End = bytes.Clone(it.Key())
			break
		}
		if err := checkRow(it.Key(), it.Value()); err != nil {
			return nil, err
		}
		rowKey, value := RowKey(bytes.Clone(it.Key()[kv.PrefixLen:])), it.Value()
		if n == 1 {
			if _, value, err = t.lockNewest(ctx, rel, rowKey, rowDoc(value), ForShare, Wait); err != nil {
				return nil, err
			}
			if value == nil {
				continue
			}
		}
		w := indexWriter{t: t, rel: rel}
		row := indexRow{rel, rowKey, rowOrdinal(value)}
		b.progress.done.Add(1)
		if err := m.Insert(ctx, &w, row.row(), rowDoc(value)); err != nil {
			return nil, err
		}
		if err := w.finish(nil); err != nil {
			return nil, err
		}
	}
	t.reads.add(kr)
	return next, it.Err()
}
