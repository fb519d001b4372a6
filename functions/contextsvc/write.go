package contextsvc

import (
	"context"
	"errors"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// A run commits when it has written so much, or for so long: an interrupted run then has little to do again, and queries see it grow.
const (
	commitBytes = 16 << 20
	commitEvery = 3 * time.Second
)

// writer writes changes in transactions of its own, each file with its chunks in one of them.
type writer struct {
	env           *functions.Env
	files, chunks *catalog.Relation
	txn           *storage.Txn // nil between two commits
	bytes         int
	begun         time.Time
}

// newWriter finds the collections, and makes them when they are missing.
func newWriter(ctx context.Context, env *functions.Env) (*writer, error) {
	w := &writer{env: env}
	for _, c := range []struct {
		rel  **catalog.Relation
		name string
	}{{&w.files, filesName}, {&w.chunks, chunksName}} {
		var err error
		if *c.rel, err = env.Txn.EnsureCollection(ctx, schemaName, c.name); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// lockTimeout bounds the wait for a row that somebody else is changing.
const lockTimeout = 10 * time.Second

func (w *writer) begin(ctx context.Context) error {
	if w.txn != nil {
		return nil
	}
	t, err := w.env.DB.Begin(ctx, storage.TxnOptions{
		Actor: w.env.Actor, Database: w.env.Txn.Catalog().Database(), LockTimeout: lockTimeout,
	})
	if err != nil {
		return err
	}
	w.txn, w.bytes, w.begun = t, 0, now()
	if w.files = t.Catalog().Relation(schemaName, filesName); w.files != nil {
		w.chunks = t.Catalog().Relation(schemaName, chunksName)
	}
	if w.files == nil || w.chunks == nil {
		w.rollback()
		return dberr.New(dberr.UndefinedTable, "the collections %s and %s were dropped while they were filled", filesName, chunksName)
	}
	return nil
}

// put writes one change, and commits when it is time.
func (w *writer) put(ctx context.Context, c *change) error {
	if err := w.begin(ctx); err != nil {
		return err
	}
	if err := w.apply(ctx, c); err != nil {
		if errors.Is(err, storage.ErrRestart) || errors.Is(err, storage.ErrStale) {
			return dberr.New(dberr.SerializationFailure, "the index was changed by somebody else while it was written").
				WithHint("Index the directory again.")
		}
		return err
	}
	if w.bytes += c.size(); w.bytes >= commitBytes || now().Sub(w.begun) >= commitEvery {
		return w.commit(ctx)
	}
	return nil
}

func (w *writer) apply(ctx context.Context, c *change) error {
	if c.old != nil && !c.same {
		for n := range c.old.chunks {
			if err := w.remove(ctx, w.chunks, chunkKey(c.key, int(n))); err != nil {
				return err
			}
		}
	}
	switch {
	case c.gone:
		return w.remove(ctx, w.files, c.key)
	case c.old == nil:
		if _, _, err := w.txn.Insert(ctx, w.files, c.doc); err != nil {
			return err
		}
	default:
		if err := w.replace(ctx, c); err != nil {
			return err
		}
	}
	// The chunks that were removed are seen as gone from the next statement on.
	if err := w.txn.BeginStatement(ctx); err != nil {
		return err
	}
	for _, d := range c.chunks {
		if _, _, err := w.txn.Insert(ctx, w.chunks, d); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) replace(ctx context.Context, c *change) error {
	key, old, ok, err := w.txn.GetByID(ctx, w.files, c.key)
	if err != nil {
		return err
	}
	if !ok {
		_, _, err = w.txn.Insert(ctx, w.files, c.doc)
		return err
	}
	_, err = w.txn.Update(ctx, w.files, key, old, c.doc)
	return err
}

func (w *writer) remove(ctx context.Context, rel *catalog.Relation, id string) error {
	key, old, ok, err := w.txn.GetByID(ctx, rel, id)
	if err != nil || !ok {
		return err
	}
	return w.txn.Delete(ctx, rel, key, old)
}

func (w *writer) commit(ctx context.Context) error {
	if w.txn == nil {
		return nil
	}
	t := w.txn
	w.txn = nil
	if err := t.Commit(ctx); err != nil {
		t.Rollback()
		return err
	}
	return nil
}

func (w *writer) rollback() {
	if w.txn != nil {
		w.txn.Rollback()
		w.txn = nil
	}
}
