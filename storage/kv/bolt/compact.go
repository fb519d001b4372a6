package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/kv"
)

// compactName is what a new store.db is called until it is complete. What a crash leaves of it, the next Open or Compact removes.
const compactName = fileName + ".compact"

// Compact writes store.db anew without the room that deleted keys left, and gives its size before and after. Readers and writers go on;
// the checkpointer waits, so writers do when the log has become long. A crash leaves the old file or the new one, with the same content.
func (s *Store) Compact(ctx context.Context) (before, after int64, err error) {
	if err := s.flush(ctx); err != nil {
		return 0, 0, err
	}
	s.checkpointing.Lock()
	defer s.checkpointing.Unlock()
	if s.shut.Load() {
		return 0, 0, kv.Closed()
	}
	info, err := os.Stat(s.path())
	if err != nil {
		return 0, 0, pathError(err, s.dir)
	}
	tmp := filepath.Join(s.dir, compactName)
	defer os.Remove(tmp) // there is none any more after success
	if err := os.Remove(tmp); err != nil && !os.IsNotExist(err) {
		return 0, 0, pathError(err, s.dir)
	}
	if err := fill(tmp, func(c *copier) error { return s.copyFile(ctx, c) }); err != nil {
		return 0, 0, copyError(ctx, err, s.dir)
	}
	if after, err = s.swap(tmp); err != nil {
		return 0, 0, err
	}
	return info.Size(), after, nil
}

// path is that of store.db.
func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

// flush brings what was committed so far into store.db.
func (s *Store) flush(ctx context.Context) error {
	s.applying.Lock()
	if s.shut.Load() {
		s.applying.Unlock()
		return kv.Closed()
	}
	s.freeze()
	s.applying.Unlock()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if more, err := s.checkpoint(); err != nil || !more {
			return err
		}
	}
}

// copyFile writes all buckets of store.db, that which describes it too. No checkpoint changes the file meanwhile.
func (s *Store) copyFile(ctx context.Context, c *copier) (err error) {
	tx, err := s.db.Begin(false)
	if err != nil {
		return err
	}
	// The values that the copy holds lie in this transaction's pages, so it lasts to the end of the copy's last one.
	c.done = func() { tx.Rollback() }
	defer recoverDamage(&err, s.path())
	n := 0
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if err := c.enter(name); err != nil {
			return err
		}
		return b.ForEach(func(k, v []byte) error {
			if n++; n%cancelEvery == 0 {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if s.shut.Load() {
					return kv.Closed()
				}
			}
			return c.put(k, v)
		})
	})
}

// swap puts a complete file in the place of store.db, and its content, which is the same, in the place of the state's view.
func (s *Store) swap(tmp string) (size int64, err error) {
	info, err := os.Stat(tmp)
	if err != nil {
		return 0, pathError(err, s.dir)
	}
	db, mapped, err := mapFile(tmp, info.Size(), Options{tune: s.tune}) // which also takes the new file's lock, before it can be seen
	if err != nil {
		return 0, openError(err, s.dir)
	}
	allowReadAhead(db, mapped)
	v, err := s.viewOf(db)
	if err != nil {
		return 0, errors.Join(err, db.Close())
	}
	giveUp := func(err error) error {
		s.endView(v)
		return errors.Join(pathError(err, s.dir), db.Close())
	}
	if err := os.Rename(tmp, s.path()); err != nil {
		return 0, giveUp(err)
	}
	syncErr := syncDir(s.dir) // without it a crash may bring back the old file, which is as good
	s.mu.Lock()
	if s.shut.Load() {
		s.mu.Unlock()
		return 0, giveUp(kv.Closed())
	}
	old := s.now
	s.db, s.mapped = db, mapped
	next := *old
	next.view = v
	s.install(&next)
	s.change.Broadcast()
	s.mu.Unlock()
	s.release(old)
	if syncErr != nil {
		return 0, pathError(syncErr, s.dir)
	}
	return info.Size(), nil
}

// endView ends a view that no state refers to, and closes the file behind it if that was replaced and this was its last view.
func (s *Store) endView(v *view) {
	v.tx.Rollback()
	s.mu.Lock()
	s.views[v.db]--
	last := s.views[v.db] == 0
	if last {
		delete(s.views, v.db)
	}
	replaced := v.db != s.db
	s.mu.Unlock()
	if last && replaced {
		s.closeFile(v.db)
	}
}

// closeFile closes a file while nobody lets go of its mapped pages.
func (s *Store) closeFile(db *bbolt.DB) error {
	s.mapping.Lock()
	defer s.mapping.Unlock()
	return db.Close()
}
