// Package faultfs is a file system in memory for tests: it knows what is durable, can be cut off from power at any operation,
// and fails where it is told to.
package faultfs

import (
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"sync"

	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
)

// Op is a change that is about to be made.
type Op struct {
	Kind string // "create", "rename", "remove", "syncdir", "write", "sync"
	Name string
	Len  int // of a write
}

// FS implements vfs.FS. Set the hook before use.
type FS struct {
	// Hook is called before each change. Its error is the operation's: then a write has written its first half, a sync has
	// made nothing durable, and any other change has not happened. It may call Crash.
	Hook func(op Op) error

	mu      sync.Mutex
	names   map[string]*inode
	durable map[string]*inode // names that SyncDir has made durable
	pending []nameChange      // since then
}

type nameChange struct {
	name string
	to   *inode // nil: the name is gone
	from string // of a rename
}

// inode is a file whatever its name; its fields are guarded by FS.mu.
type inode struct {
	data, synced []byte
	pending      []write // since the last sync
}

type write struct {
	at   int64
	data []byte
}

// New makes an empty file system.
func New() *FS {
	return &FS{names: map[string]*inode{}, durable: map[string]*inode{}}
}

func (f *FS) hook(op Op) error {
	if f.Hook == nil {
		return nil
	}
	return f.Hook(op)
}

// Crash gives the file system as it may be found after the power failed now, without hook: what was synced, and any part of
// what was not, names one by one and content by sectors.
func (f *FS) Crash(rng *rand.Rand) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := maps.Clone(f.durable)
	luck := []float64{0, 0.5, 1}
	p := luck[rng.IntN(len(luck))]
	for _, c := range f.pending {
		if rng.Float64() >= p {
			continue
		}
		if c.from != "" {
			if names[c.from] != c.to {
				continue // the file did not get that name in this world
			}
			delete(names, c.from)
		}
		if c.to == nil {
			delete(names, c.name)
		} else {
			names[c.name] = c.to
		}
	}
	g := New()
	seen := map[*inode]*inode{}
	for name, n := range names {
		if seen[n] == nil {
			data := n.afterCrash(rng, luck[rng.IntN(len(luck))])
			seen[n] = &inode{data: data, synced: append([]byte(nil), data...)}
		}
		g.names[name], g.durable[name] = seen[n], seen[n]
	}
	return g
}

const sector = 512

func (n *inode) afterCrash(rng *rand.Rand, p float64) []byte {
	data := append([]byte(nil), n.synced...)
	for _, w := range n.pending {
		for from := 0; from < len(w.data); {
			to := min(len(w.data), from+sector-int(w.at+int64(from))%sector)
			if rng.Float64() < p {
				data = put(data, w.at+int64(from), w.data[from:to])
			}
			from = to
		}
	}
	return data
}

func put(dst []byte, at int64, b []byte) []byte {
	if grow := int(at) + len(b) - len(dst); grow > 0 {
		dst = append(dst, make([]byte, grow)...)
	}
	copy(dst[at:], b)
	return dst
}

// Clone copies the file system as it is, all of it durable, without hook.
func (f *FS) Clone() *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	g := New()
	for name, n := range f.names {
		m := &inode{data: append([]byte(nil), n.data...), synced: append([]byte(nil), n.data...)}
		g.names[name], g.durable[name] = m, m
	}
	return g
}

// Edit changes the content of a file, durably.
func (f *FS) Edit(name string, edit func(data []byte) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.names[name]
	n.data = edit(n.data)
	n.synced, n.pending = append([]byte(nil), n.data...), nil
}

// Open implements vfs.FS.
func (f *FS) Open(name string) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.names[name]
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{f, n, name}, nil
}

// Create implements vfs.FS.
func (f *FS) Create(name string) (vfs.File, error) {
	if err := f.hook(Op{Kind: "create", Name: name}); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	n := new(inode)
	f.names[name] = n
	f.pending = append(f.pending, nameChange{name: name, to: n})
	return &file{f, n, name}, nil
}

// Rename implements vfs.FS.
func (f *FS) Rename(oldName, newName string) error {
	if err := f.hook(Op{Kind: "rename", Name: oldName}); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.names[oldName]
	if n == nil {
		return &fs.PathError{Op: "rename", Path: oldName, Err: fs.ErrNotExist}
	}
	delete(f.names, oldName)
	f.names[newName] = n
	f.pending = append(f.pending, nameChange{name: newName, to: n, from: oldName})
	return nil
}

// Remove implements vfs.FS.
func (f *FS) Remove(name string) error {
	if err := f.hook(Op{Kind: "remove", Name: name}); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	delete(f.names, name)
	f.pending = append(f.pending, nameChange{name: name})
	return nil
}

// List implements vfs.FS.
func (f *FS) List() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.names {
		names = append(names, name)
	}
	return names, nil
}

// SyncDir implements vfs.FS.
func (f *FS) SyncDir() error {
	if err := f.hook(Op{Kind: "syncdir"}); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.durable, f.pending = maps.Clone(f.names), nil
	return nil
}

type file struct {
	fs   *FS
	n    *inode
	name string
}

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if at >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.n.data[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	err := f.fs.hook(Op{Kind: "write", Name: f.name, Len: len(b)})
	if err != nil {
		b = b[:len(b)/2]
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.n.data = put(f.n.data, at, b)
	f.n.pending = append(f.n.pending, write{at, append([]byte(nil), b...)})
	return len(b), err
}

func (f *file) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.n.data)), nil
}

func (f *file) Sync() error {
	if err := f.fs.hook(Op{Kind: "sync", Name: f.name}); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.n.synced, f.n.pending = append([]byte(nil), f.n.data...), nil
	return nil
}

func (f *file) Map() ([]byte, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return append([]byte(nil), f.n.data...), nil
}

func (f *file) Forget() {}

func (f *file) Close() error { return nil }
