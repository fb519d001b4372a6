package bolt

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Create makes an empty store in dir, which may exist if nothing but files of a store's own names is in it.
// An existing store is 58P02. The store appears at once or not at all, also after a crash.
func Create(dir string) error {
	path, err := prepare(dir)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, fileName+".new-*")
	if err != nil {
		return pathError(err, dir)
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	if err := initFile(tmp.Name()); err != nil {
		return pathError(err, dir)
	}
	_, err = appear(dir, tmp.Name(), path)
	return err
}

// prepare makes the directory of a new store and gives the path of its file, which does not exist.
func prepare(dir string) (path string, err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", notAStore(nil, dir).WithDetail("A store is a directory, this is a file.")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", pathError(err, dir)
	}
	path = filepath.Join(dir, fileName)
	if _, err := os.Lstat(path); err == nil {
		return "", dberr.Wrap(fs.ErrExist, dberr.DuplicateFile, "store %q already exists", dir)
	}
	return path, checkEmpty(dir)
}

// place gives the file its name. A link, unlike a rename, never replaces a store that another process made meanwhile; where
// the file system has no links, a look must do.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil || isExist(err) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// checkEmpty refuses a directory with files that are no store's, so that a slip of the keyboard leaves no store among
// somebody's files.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return notAStore(err, dir)
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == logDir:
			if logs, err := os.ReadDir(filepath.Join(dir, name)); err != nil || len(logs) > 0 {
				return dberr.New(dberr.DataCorrupted, "%s of store %q is missing, but its log is there", fileName, dir).
					WithHint("Restore the store from a backup, or name another directory.")
			}
		case name == "LOCK", name == "models":
		case strings.HasPrefix(name, fileName+".new-"), strings.HasPrefix(name, ".s.PGSQL."):
		default:
			return dberr.New(dberr.WrongObjectType, "directory %q is not empty and holds no store", dir).
				WithDetail("It contains %q.", name).WithHint("Name a new or an empty directory.")
		}
	}
	return nil
}

func initFile(path string) error {
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket(metaBucket)
		if err == nil {
			err = b.Put(metaFormat, be64(format))
		}
		if err == nil {
			err = b.Put(metaLSN, be64(0))
		}
		if err == nil {
			err = b.Put(metaLog, be64(0))
		}
		return err
	})
	return errors.Join(err, db.Close())
}

func be64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
