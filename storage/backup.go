package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt"
)

// BackupReport tells what a backup or a restored store holds.
type BackupReport struct {
	Path  string
	LSN   kv.LSN // the newest commit
	Bytes int64  // of the file
}

// Backup copies the store, as it is after the newest commit, into a new store in dir: with its op-log, so that it can be restored to
// earlier commits too. Writers go on meanwhile. The copy is complete and safe on disk when Backup returns; before that, and after an
// error or a crash, there is no store in dir.
func (db *DB) Backup(ctx context.Context, dir string) (BackupReport, error) {
	h, err := db.acquire()
	if err != nil {
		return BackupReport{}, err
	}
	defer h.release()
	size, err := bolt.Copy(ctx, dir, h.durable())
	return BackupReport{dir, h.snap.LSN(), size}, err
}

// Moment is a point of a store's past: a commit, or else a time; the zero Moment is the newest commit.
type Moment struct {
	LSN kv.LSN
	At  time.Time
}

// Restore makes the store dir from a backup, or from any store that nobody has open. With a moment it is then brought back to what it
// was after that commit, or at that time, in one commit of its own: the op-log still tells of everything since. dir appears at once,
// with a store that is complete; it must not exist, or be empty. opened, unless nil, is called with the store before it is brought back.
func Restore(ctx context.Context, backup, dir string, m Moment, o Options, opened func(*DB)) (r BackupReport, err error) {
	dir = filepath.Clean(dir)
	if err := free(dir); err != nil {
		return r, err
	}
	work := dir + ".restoring"
	if err := os.RemoveAll(work); err != nil { // of a restore that was interrupted
		return r, ioError(err, work)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(work))
		}
	}()
	if r, err = restoreInto(ctx, backup, work, m, o, opened); err != nil {
		return r, err
	}
	if err := os.Rename(work, dir); err != nil {
		return r, ioError(err, dir)
	}
	r.Path = dir
	parent, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return r, ioError(err, dir)
	}
	if err := errors.Join(parent.Sync(), parent.Close()); err != nil {
		return r, ioError(err, dir)
	}
	return r, nil
}

// free refuses a directory in which there is something.
func free(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return ioError(err, dir)
	case len(entries) > 0:
		return dberr.New(dberr.DuplicateFile, "%q exists and is not empty", dir).WithHint("Restore into a new directory.")
	}
	return nil
}

func ioError(err error, path string) error {
	return dberr.Wrap(err, dberr.IOError, "%q: %v", path, err)
}

func restoreInto(ctx context.Context, backup, dir string, m Moment, o Options, opened func(*DB)) (r BackupReport, err error) {
	source, err := bolt.Open(backup, bolt.Options{Timeout: o.LockTimeout})
	if dberr.Code(err) == dberr.ObjectInUse {
		return r, dberr.Wrap(err, dberr.ObjectInUse, "store %q is in use", backup).
			WithHint("Make a backup of it (omgdb backup) and restore that.")
	}
	if err != nil {
		return r, err
	}
	r, err = copyOf(ctx, source, dir)
	if err = errors.Join(err, source.Close()); err != nil || m == (Moment{}) {
		return r, err
	}
	o.Engine, o.Command = nil, "omgdb restore"
	db, err := Open(ctx, dir, o)
	if err != nil {
		return r, err
	}
	if opened != nil {
		opened(db)
	}
	r.LSN, err = db.revertTo(ctx, m)
	err = errors.Join(err, db.Close())
	if info, serr := os.Stat(filepath.Join(dir, "store.db")); serr == nil {
		r.Bytes = info.Size()
	}
	return r, err
}

func copyOf(ctx context.Context, source kv.Store, dir string) (BackupReport, error) {
	snap, err := source.Snapshot(ctx)
	if err != nil {
		return BackupReport{}, err
	}
	defer snap.Close()
	size, err := bolt.Copy(ctx, dir, snap)
	return BackupReport{dir, snap.LSN(), size}, err
}

// CompactReport tells what a compaction gained, in bytes of the store's file.
type CompactReport struct{ Before, After int64 }

// Compact gives up what the op-log no longer has to keep and the rows of dropped relations, whose past can then no longer be read, and
// writes the store's file anew without the room that was freed. Readers and writers go on. An engine without a file has nothing to gain.
func (db *DB) Compact(ctx context.Context) (r CompactReport, err error) {
	if err := db.Maintain(ctx); err != nil {
		return r, err
	}
	if err := db.FreeDropped(ctx); err != nil {
		return r, err
	}
	if c, ok := db.store.(kv.Compacter); ok {
		r.Before, r.After, err = c.Compact(ctx)
	}
	return r, err
}
