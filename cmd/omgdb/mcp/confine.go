package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// root is the directory that paths are confined to, and the store that is used without a path.
type root struct {
	dir   string // absolute, as given
	real  string // the same with links resolved
	store string // absolute; "" for none
}

func newRoot(dir, store string) (root, error) {
	r := root{}
	var err error
	if r.dir, err = filepath.Abs(dir); err != nil {
		return r, err
	}
	if r.real, err = filepath.EvalSymlinks(r.dir); err != nil {
		return r, fmt.Errorf("root %q: %w", dir, err)
	}
	if info, err := os.Stat(r.real); err != nil || !info.IsDir() {
		return r, fmt.Errorf("root %q is not a directory", dir)
	}
	if store != "" {
		r.store, err = filepath.Abs(store)
	}
	return r, err
}

// errOutside doesn't tell whether there is anything.
var errOutside = errors.New("the path is outside of the directory that this server may use")

// resolve gives the absolute form of a path below the root; relative ones start there. Links are followed to see where the path really
// leads, also for one that doesn't exist yet.
func (r root) resolve(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", errors.New("a path cannot have NUL characters")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	path = filepath.Clean(path)
	real, err := realPath(path)
	if err != nil || !within(r.real, real) {
		return "", errOutside
	}
	return path, nil
}

// resolveStore is resolve for a store: nothing in its directory may lead elsewhere either.
func (r root) resolveStore(path string) (string, error) {
	if path == "" {
		if r.store == "" {
			return "", errors.New("required: the directory of a store")
		}
		return r.store, nil
	}
	path, err := r.resolve(path)
	if err != nil {
		return "", err
	}
	return path, noLinks(path)
}

// noLinks refuses a store whose files are links.
func noLinks(store string) error {
	for _, dir := range []string{store, filepath.Join(store, "wal")} {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return errors.New("the store cannot be read")
		}
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				return errOutside
			}
		}
	}
	return nil
}

// realPath resolves the links of the part of a path that exists. A link that leads nowhere counts as leading outside.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, lerr := os.Lstat(path); lerr == nil {
		return "", err // the path itself is a link to nothing
	}
	parent := filepath.Dir(path)
	if parent == path {
		return "", err
	}
	if real, err = realPath(parent); err != nil {
		return "", err
	}
	return filepath.Join(real, filepath.Base(path)), nil
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
