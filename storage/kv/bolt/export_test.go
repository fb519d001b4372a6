package bolt

import (
	"context"
	"time"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
)

// Small makes an engine of which every part works often, with maps, run files and slices of a few KiB, and without syncs.
func Small(o Options) Options {
	o.tune = tuning{
		layerBytes: 32 << 10, runBytes: 8 << 10, sliceBytes: 256 << 10, maxFrozen: 3,
		idle: 10 * time.Millisecond, retry: 10 * time.Millisecond,
		fs: func(dir string) vfs.FS { return unsynced{vfs.Dir(dir)} }, noSync: true, commit: usual.commit,
	}
	return o
}

// unsynced leaves syncs out.
type unsynced struct{ vfs.FS }

func (unsynced) SyncDir() error { return nil }

func (fs unsynced) Open(name string) (vfs.File, error)   { return unsyncedFile(fs.FS.Open(name)) }
func (fs unsynced) Create(name string) (vfs.File, error) { return unsyncedFile(fs.FS.Create(name)) }

func unsyncedFile(f vfs.File, err error) (vfs.File, error) { return noSync{f}, err }

type noSync struct{ vfs.File }

func (noSync) Sync() error { return nil }

// OpenRuns opens a store that makes a run file of every batch.
func OpenRuns(dir string) (kv.Store, error) {
	o := Small(Options{Create: true})
	o.tune.manual, o.tune.runBytes, o.tune.maxFrozen = true, 0, 10
	return Open(dir, o)
}

// Stored is a store that brings each group into store.db at once, so that readers find everything there.
type Stored struct{ *Store }

// OpenStored opens one.
func OpenStored(dir string) (kv.Store, error) {
	o := Small(Options{Create: true})
	o.tune.manual = true
	s, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	return Stored{s}, nil
}

// Apply implements kv.Store.
func (s Stored) Apply(ctx context.Context, group []kv.Batch) error {
	if err := s.Store.Apply(ctx, group); err != nil {
		return err
	}
	s.applying.Lock()
	defer s.applying.Unlock()
	s.freeze()
	for {
		if more, err := s.checkpoint(); err != nil || !more {
			return err
		}
	}
}
