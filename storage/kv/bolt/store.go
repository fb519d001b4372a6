// Package bolt is the durable key-value engine: a directory whose file store.db is a bbolt database.
//
// Each keyspace and object id has a bucket, so that objects do not share pages and sweeping one leaves the others alone.
package bolt

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/kv"
)

// Options of Open; the zero value opens an existing store and does not wait for its holder.
type Options struct {
	Create  bool          // make the store where there is none
	Timeout time.Duration // how long to wait for another process to let go of the store
}

// Store implements kv.Store.
type Store struct {
	dir string

	applying sync.Mutex // held by the one Apply, and by Close
	db       *bbolt.DB

	mu   sync.Mutex  // guards the fields below and all counts of references
	view *view       // the newest; the store holds a reference until it is closed
	open int         // views not yet released; the last one closes db once shut is set
	shut atomic.Bool // set under mu, read anywhere
}

// Open opens the store in directory dir. It fails with 58P01 when there is none, 42809 when dir is something else,
// 0A000 when its format is newer than this program, 55006 when another process (or this one) holds it.
func Open(dir string, o Options) (*Store, error) {
	if o.Create {
		if err := Create(dir); err != nil && !isExist(err) {
			return nil, err
		}
	}
	db, err := openFile(dir, o.Timeout)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, db: db}
	if s.view, err = s.newView(); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// Apply implements kv.Store.
func (s *Store) Apply(_ context.Context, group []kv.Batch) error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.shut.Load() {
		return kv.Closed()
	}
	lsn, err := kv.CheckLSNs(s.view.lsn, group)
	if err != nil || len(group) == 0 {
		return err
	}
	if err := s.commit(group, lsn); err != nil {
		return err
	}
	v, err := s.newView()
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.view
	s.view = v
	s.mu.Unlock()
	s.release(old)
	return nil
}

func (s *Store) commit(group []kv.Batch, lsn kv.LSN) error {
	tx, err := s.db.Begin(true)
	if err != nil {
		return s.writeError(err)
	}
	defer tx.Rollback() // does nothing after the commit
	w := writer{tx: tx}
	for _, b := range group {
		err := kv.Walk(b, func(op *kv.Op) error {
			if err := w.apply(op, b.LSN()); err != nil {
				return s.writeError(err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err = w.finish(lsn); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return s.writeError(err)
	}
	return nil
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.shut.Load() {
		return nil
	}
	s.mu.Lock()
	s.shut.Store(true)
	s.mu.Unlock()
	s.release(s.view)
	return nil
}
