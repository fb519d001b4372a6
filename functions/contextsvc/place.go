package contextsvc

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
)

// StoreName is the name of the store that keeps a directory's index, in the directory itself.
const StoreName = ".context.db"

// StorePath gives the absolute form of a directory and the path of its index's store. Something else that has the store's name, such as
// a SQLite file of another program, is an error: it is never opened or replaced.
func StorePath(dir string) (abs, store string, err error) {
	if dir == "" { // the working directory is "."; an empty variable of a script is not meant for it
		return "", "", dberr.New(dberr.InvalidParameterValue, "directory must not be empty").WithHint("The current directory is \".\".")
	}
	if abs, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	if err := checkDirectory(abs); err != nil {
		return "", "", err
	}
	store = filepath.Join(abs, StoreName)
	info, err := os.Lstat(store)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return abs, store, nil
	case err != nil:
		return "", "", dberr.Wrap(err, dberr.IOError, "cannot look at %q: %s", store, reasonOf(err))
	case info.IsDir():
		return abs, store, nil
	}
	return "", "", dberr.New(dberr.DuplicateFile, "%q is not an index of this program but %s", store, foreign(store, info)).
		WithHint("Nothing was changed. Move the file away, or remove it, and index the directory again.")
}

// foreign says what stands in a store's place.
func foreign(name string, info fs.FileInfo) string {
	if !info.Mode().IsRegular() {
		return "a link or special file"
	}
	const magic = "SQLite format 3"
	head := make([]byte, len(magic))
	f, err := os.Open(name)
	if err == nil {
		_, err = io.ReadFull(f, head)
		_ = f.Close()
	}
	if err == nil && string(head) == magic {
		return "a SQLite database of another program"
	}
	return "another file"
}

func checkDirectory(abs string) error {
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dberr.New(dberr.UndefinedFile, "directory %q does not exist", abs)
	case err != nil:
		return dberr.Wrap(err, dberr.IOError, "cannot open directory %q: %s", abs, reasonOf(err))
	case !info.IsDir():
		return dberr.New(dberr.WrongObjectType, "%q is not a directory", abs)
	}
	return nil
}

// place maps paths below a directory to the keys of their documents: the path below the directory that has the store in it, so that both
// can be moved together; the absolute path when the directory lies elsewhere.
type place struct {
	dir    string // absolute
	prefix string // of the keys of everything below dir: "" or a path that ends in a slash
}

func placeOf(dir, store string) (place, error) {
	if !filepath.IsAbs(dir) {
		return place{}, dberr.New(dberr.InvalidParameterValue, "directory must be an absolute path, not %q", dir)
	}
	if !validName(dir) {
		return place{}, dberr.New(dberr.InvalidParameterValue, "directory must be a path in UTF-8")
	}
	p := place{dir: filepath.Clean(dir)}
	if store != "" {
		if abs, err := filepath.Abs(store); err == nil {
			if rel, err := filepath.Rel(filepath.Dir(abs), p.dir); err == nil && (rel == "." || filepath.IsLocal(rel)) {
				p.prefix = slashed(rel)
				return p, nil
			}
		}
	}
	p.prefix = slashed(p.dir)
	return p, nil
}

// slashed gives a directory's path as the beginning of the paths below it.
func slashed(dir string) string {
	dir = filepath.ToSlash(dir)
	if dir == "." || strings.HasSuffix(dir, "/") {
		return strings.TrimPrefix(dir, ".")
	}
	return dir + "/"
}

func (p place) key(rel string) string { return p.prefix + rel }

// rel gives the path below the directory that a key stands for.
func (p place) rel(key string) (string, bool) { return strings.CutPrefix(key, p.prefix) }

// path gives the absolute path that a key stands for.
func (p place) path(key string) string {
	rel, _ := p.rel(key)
	return filepath.Join(p.dir, filepath.FromSlash(rel))
}
