package bolt

import (
	"time"

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
