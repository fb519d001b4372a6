package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"go.etcd.io/bbolt"
	bberrors "go.etcd.io/bbolt/errors"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

// format is the number of the layout that this program writes; it reads this one alone, as there is no older.
const format = 1

const fileName = "store.db"

// The meta bucket describes the store. Its name has another length than the names of the buckets that hold keys,
// which are the keys' first kv.PrefixLen bytes.
var (
	metaBucket = []byte("omgdb")
	metaFormat = []byte("format") // uint64, big-endian
	metaLSN    = []byte("lsn")    // uint64, big-endian: the newest batch that the file holds
	metaLog    = []byte("log")    // uint64, big-endian: the first log segment that may hold newer ones; 0 before there is a log
)

const logDir = "wal"

// openFile opens dir's store.db and checks that it is a store of a format that we read.
func openFile(dir string, o Options) (db *bbolt.DB, mapped int64, err error) {
	path := filepath.Join(dir, fileName)
	size, err := findFile(dir, path)
	if err != nil {
		return nil, 0, err
	}
	for db == nil {
		if db, mapped, err = mapFile(path, size, o); err != nil && !errors.Is(err, errReplaced) {
			return nil, 0, openError(err, dir)
		}
	}
	os.Remove(filepath.Join(dir, compactName)) // it was not completed; if it stays, it does no harm
	if err := checkFile(db, dir, path); err != nil {
		db.Close()
		return nil, 0, err
	}
	allowReadAhead(db, mapped)
	return db, mapped, nil
}

// findFile gives the size of store.db, or tells what is wrong with the path before bbolt could create anything.
func findFile(dir, path string) (int64, error) {
	d, err := os.Stat(dir)
	if err != nil {
		return 0, pathError(err, dir)
	}
	if !d.IsDir() {
		return 0, notAStore(nil, dir).WithDetail("A store is a directory, this is a file.")
	}
	f, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, notAStore(err, dir).WithDetail("The directory has no file %s.", fileName)
	case err != nil:
		return 0, pathError(err, path)
	case !f.Mode().IsRegular():
		return 0, notAStore(nil, dir).WithDetail("%s in it is not a regular file.", fileName)
	case f.Size() == 0:
		return 0, dberr.New(dberr.DataCorrupted, "%q is empty", path).WithHint("Restore the store from a backup.")
	}
	return f.Size(), nil
}

// mapFile opens the file with a map far above its size: bbolt maps anew when a file outgrows its map, for which it
// waits until all readers are gone while holding up new ones, so that one idle cursor would stop the server.
func mapFile(path string, size int64, o Options) (db *bbolt.DB, mapped int64, err error) {
	for want := max(mapSize, 8*size); ; want /= 2 {
		db, err := boltOpen(path, &bbolt.Options{
			Timeout:         max(o.Timeout, 1), // bbolt takes 0 as forever; 1 ns is a single try
			InitialMmapSize: int(want),
			FreelistType:    bbolt.FreelistMapType,
			NoStatistics:    true,
			NoSync:          o.tune.noSync,
		})
		if !errors.Is(err, syscall.ENOMEM) || want < 2*size {
			return db, want, err
		}
	}
}

// boltOpen is bbolt's Open, but never creates a file, and makes errors of its panics over a damaged free list and of
// the fault of reading behind the end of a file that was cut off.
func boltOpen(path string, o *bbolt.Options) (db *bbolt.DB, err error) {
	var file *os.File
	o.OpenFile = func(name string, flag int, perm os.FileMode) (*os.File, error) {
		var err error
		file, err = os.OpenFile(name, flag&^os.O_CREATE, perm)
		return file, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			file.Close()
			err = damaged(p, path)
		}
	}()
	if db, err = bbolt.Open(path, 0o600, o); err != nil {
		return nil, err
	}
	// While this process waited for the lock, its holder may have put another file in this one's place.
	if locked, lerr := file.Stat(); lerr == nil {
		if now, nerr := os.Stat(path); nerr == nil && !os.SameFile(locked, now) {
			return nil, errors.Join(errReplaced, db.Close())
		}
	}
	return db, nil
}

var errReplaced = errors.New("the file was replaced")

func checkFile(db *bbolt.DB, dir, path string) (err error) {
	defer recoverDamage(&err, path)
	return db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(path)
		if err != nil {
			return pathError(err, path)
		}
		if info.Size() < tx.Size() { // reading behind the end of a mapped file would kill the process
			return dberr.New(dberr.DataCorrupted, "%q is cut off: it has %d of %d bytes", path, info.Size(), tx.Size()).
				WithHint("Restore the store from a backup.")
		}
		b := tx.Bucket(metaBucket)
		if b == nil || len(b.Get(metaFormat)) != 8 {
			return notAStore(nil, dir).WithDetail("%s in it is a bbolt file that another program made.", fileName)
		}
		if n := binary.BigEndian.Uint64(b.Get(metaFormat)); n != format {
			return dberr.New(dberr.FeatureNotSupported, "store %q has format %d, this program reads format %d", dir, n, format).
				WithHint("Open it with a newer omgdb.")
		}
		if len(b.Get(metaLSN)) != 8 || len(b.Get(metaLog)) != 8 {
			return dberr.New(dberr.DataCorrupted, "the meta bucket of %q is incomplete", path).
				WithHint("Restore the store from a backup.")
		}
		return nil
	})
}

// readMeta reads the newest batch that the file holds, and the first log segment that may hold newer ones; 0 before there
// is a log.
func readMeta(tx *bbolt.Tx) (lsn kv.LSN, segment uint64) {
	b := tx.Bucket(metaBucket)
	return kv.LSN(binary.BigEndian.Uint64(b.Get(metaLSN))), binary.BigEndian.Uint64(b.Get(metaLog))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func isExist(err error) bool { return errors.Is(err, fs.ErrExist) }

func notAStore(cause error, dir string) *dberr.Error {
	return dberr.Wrap(cause, dberr.WrongObjectType, "%q is not an OMGDB store", dir)
}

// openError gives a failure of bbolt's Open its code.
func openError(err error, dir string) error {
	switch {
	case errors.Is(err, bberrors.ErrTimeout):
		return dberr.Wrap(err, dberr.ObjectInUse, "store %q is held by another process", dir)
	case errors.Is(err, bberrors.ErrInvalid), errors.Is(err, bberrors.ErrVersionMismatch):
		return notAStore(err, dir).WithDetail("%s in it is not a bbolt file.", fileName)
	case errors.Is(err, bberrors.ErrChecksum):
		return dberr.Wrap(err, dberr.DataCorrupted, "both meta pages of store %q are damaged", dir).
			WithHint("Restore the store from a backup.")
	}
	return pathError(err, dir)
}

// pathError gives a failure of the file system its code.
func pathError(err error, path string) error {
	var e *dberr.Error
	if errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dberr.Wrap(err, dberr.UndefinedFile, "store %q does not exist", path)
	case errors.Is(err, fs.ErrPermission):
		return dberr.Wrap(err, dberr.InsufficientPrivilege, "%v", err)
	case isDiskFull(err):
		return diskFull(err, path)
	}
	return dberr.Wrap(err, dberr.IOError, "%q: %v", path, err)
}

func isDiskFull(err error) bool {
	return dberr.IsDiskFull(err)
}

func diskFull(err error, dir string) error {
	return dberr.Wrap(err, dberr.DiskFull, "no space left for store %q", dir).
		WithHint("Reads go on; writes succeed again when there is space.")
}

func damaged(panicked any, path string) error {
	e := dberr.Wrap(fmt.Errorf("%v", panicked), dberr.DataCorrupted, "%q is damaged: %v", path, panicked)
	if _, fault := panicked.(interface{ Addr() uintptr }); fault {
		e.Message = fmt.Sprintf("%q is cut off, or the disk cannot read it", path)
	}
	return e.WithHint("Restore the store from a backup.")
}

// recoverDamage turns a panic, with which bbolt meets a page that is not what its place says, into an error.
func recoverDamage(err *error, path string) {
	if p := recover(); p != nil {
		*err = damaged(p, path)
	}
}
