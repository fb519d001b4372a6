package bolt

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// Copy makes a store in dir, as Create does, with all that a snapshot of any engine shows, and gives the size of its file. It takes as
// little room as it can: every bucket is written once, in key order. The store appears at once, complete and synced, or not at all.
func Copy(ctx context.Context, dir string, snap kv.Snapshot) (size int64, err error) {
	path, err := prepare(dir)
	if err != nil {
		return 0, err
	}
	tmp, err := os.CreateTemp(dir, fileName+".new-*")
	if err != nil {
		return 0, pathError(err, dir)
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	if err := initFile(tmp.Name()); err != nil {
		return 0, pathError(err, dir)
	}
	if err := fill(tmp.Name(), func(c *copier) error { return c.snapshot(ctx, snap) }); err != nil {
		return 0, copyError(ctx, err, dir)
	}
	return appear(dir, tmp.Name(), path)
}

// appear gives a finished file its name as store.db of dir.
func appear(dir, tmp, path string) (size int64, err error) {
	info, err := os.Stat(tmp)
	if err != nil {
		return 0, pathError(err, dir)
	}
	if err := place(tmp, path); err != nil {
		if isExist(err) {
			return 0, dberr.Wrap(err, dberr.DuplicateFile, "store %q already exists", dir)
		}
		return 0, pathError(err, dir)
	}
	if err := errors.Join(syncDir(dir), syncDir(filepath.Dir(filepath.Clean(dir)))); err != nil {
		return 0, pathError(err, dir)
	}
	return info.Size(), nil
}

func copyError(ctx context.Context, err error, dir string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return pathError(err, dir)
}

// copyBytes is about what one transaction of a copy holds in memory.
const copyBytes = 32 << 20

// copier fills a new file in key order, in several transactions: nobody sees it before it is complete, so that only its end is synced.
type copier struct {
	db     *bbolt.DB
	tx     *bbolt.Tx
	bucket *bbolt.Bucket
	name   []byte
	held   int64
	done   func() // called when the last transaction has ended; nil for nothing to do
}

// fill opens the file at path, lets write fill it and syncs it.
func fill(path string, write func(*copier) error) (err error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	db.AllocSize = minAlloc // the file is no larger than it must be
	c := &copier{db: db}
	if c.tx, err = db.Begin(true); err == nil {
		if err = write(c); err == nil {
			err = c.tx.Commit()
		} else {
			err = errors.Join(err, c.tx.Rollback())
		}
	}
	if c.done != nil {
		c.done()
	}
	if err == nil {
		err = db.Sync()
	}
	return errors.Join(err, db.Close())
}

// snapshot writes all keys of a snapshot, and its LSN.
func (c *copier) snapshot(ctx context.Context, snap kv.Snapshot) error {
	it := snap.Scan(ctx, kv.Range{})
	defer it.Close()
	for it.Next() {
		if err := c.enter(bucketName(it.Key())); err != nil {
			return err
		}
		if err := c.put(bucketKey(it.Key()), it.Value()); err != nil {
			return err
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return c.tx.Bucket(metaBucket).Put(metaLSN, be64(uint64(snap.LSN())))
}

// enter goes to the bucket of a name.
func (c *copier) enter(name []byte) error {
	if c.bucket != nil && bytes.Equal(name, c.name) {
		return nil
	}
	c.name = bytes.Clone(name)
	return c.open()
}

func (c *copier) open() (err error) {
	if c.bucket, err = c.tx.CreateBucketIfNotExists(c.name); err == nil {
		c.bucket.FillPercent = fillAscending
	}
	return err
}

// put appends to the bucket. The value must stay as it is until the copy is done; the key is the caller's again.
func (c *copier) put(key, value []byte) error {
	if err := c.bucket.Put(bytes.Clone(key), value); err != nil {
		return err
	}
	if c.held += int64(len(key) + len(value)); c.held < copyBytes {
		return nil
	}
	c.held = 0
	if err := c.tx.Commit(); err != nil {
		return err
	}
	var err error
	if c.tx, err = c.db.Begin(true); err != nil {
		return err
	}
	return c.open()
}
