package contextsvc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// openFlags open a file for reading without following a link in its place and without waiting for the other end of a pipe.
const openFlags = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC

// file is a regular file that a walk found.
type file struct {
	rel   string // path below the walk's root, with slashes
	size  int64
	stamp string // see stampOf
}

// maxPath bounds the path of a file below the root, in bytes: no program could open a longer one by its name.
const maxPath = 4000

// skip is an entry that is not indexed, and why.
type skip struct {
	rel    string
	reason string
}

// walker goes through a directory in the order of names. It never follows links: what a link leads to is indexed where it really is, or
// is not the directory's.
type walker struct {
	root    *os.Root
	maxSize int64
	file    func(file) error
	skip    func(skip)
	folder  func(rel string) // told of each directory that is walked; nil: nobody
}

// walk visits everything below the root that the ignore rules leave.
func (w *walker) walk(ctx context.Context) error {
	return w.dir(ctx, ".", nil, rulesAbove(w.root.Name()))
}

// dir visits one directory; parts is its path.
func (w *walker) dir(ctx context.Context, rel string, parts []string, above *rules) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	entries, err := w.read(rel)
	if err != nil {
		if rel == "." {
			return err
		}
		w.skip(skip{rel, reasonOf(err)})
		return nil
	}
	if len(parts) > 0 && isStore(entries) {
		w.skip(skip{rel, "a store of OMGDB"})
		return nil
	}
	if w.folder != nil {
		w.folder(rel)
	}
	r := above.below(w.root, rel, len(parts), ignoreFilesOf(entries))
	for _, e := range entries {
		if err := w.entry(ctx, e, append(parts[:len(parts):len(parts)], e.Name()), r); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) read(rel string) ([]fs.DirEntry, error) {
	d, err := w.root.OpenFile(rel, openFlags|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// entry visits one entry of a directory.
func (w *walker) entry(ctx context.Context, e fs.DirEntry, parts []string, r *rules) error {
	name := e.Name()
	if name == ".git" || name == StoreName || strings.HasPrefix(name, StoreName+"-") {
		return nil
	}
	rel := strings.Join(parts, "/")
	if r.ignored(parts, e.IsDir()) {
		return nil
	}
	if !validName(name) {
		w.skip(skip{strings.ToValidUTF8(rel, "�"), "its name is not UTF-8"})
		return nil
	}
	if len(rel) > maxPath {
		w.skip(skip{strings.ToValidUTF8(rel[:maxPath], "") + "…", fmt.Sprintf("its path is longer than %d bytes", maxPath)})
		return nil
	}
	switch {
	case e.IsDir():
		return w.dir(ctx, rel, parts, r)
	case e.Type()&fs.ModeSymlink != 0:
		w.skip(skip{rel, w.linkReason(rel)})
		return nil
	case !e.Type().IsRegular():
		w.skip(skip{rel, "not a regular file"})
		return nil
	}
	info, err := e.Info()
	if err != nil {
		w.skip(skip{rel, reasonOf(err)})
		return nil
	}
	if info.Size() > w.maxSize {
		w.skip(skip{rel, tooLarge(w.maxSize)})
		return nil
	}
	return w.file(file{rel: rel, size: info.Size(), stamp: stampOf(info)})
}

func tooLarge(limit int64) string { return fmt.Sprintf("larger than %d bytes", limit) }

// linkReason says what kind of link is left out.
func (w *walker) linkReason(rel string) string {
	full := filepath.Join(w.root.Name(), filepath.FromSlash(rel))
	target, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "broken symbolic link"
	}
	root, err := filepath.EvalSymlinks(w.root.Name())
	if err != nil || !within(root, target) {
		return "symbolic link out of the directory"
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil && within(target, parent) {
		return "symbolic link to a directory above it"
	}
	return "symbolic link"
}

// within tells whether path is dir or lies below it; both are clean and absolute.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// isStore tells whether a directory is a store of ours: its files are not text of the user's.
func isStore(entries []fs.DirEntry) bool {
	db, wal := false, false
	for _, e := range entries {
		db = db || e.Name() == "store.db" && !e.IsDir()
		wal = wal || e.Name() == "wal" && e.IsDir()
	}
	return db && wal
}

// reasonOf is an operating system's error without the path.
func reasonOf(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrNotExist):
		return "removed while the directory was read"
	case errors.Is(err, syscall.ELOOP):
		return "became a symbolic link while the directory was read"
	}
	return err.Error()
}
