// Package bolt is the durable key-value engine: a directory with a bbolt database, store.db, and a log before it, wal/.
//
// A group's way: Apply writes one record to the log and syncs it (package wal); then the operations go into an ordered map in
// memory, and a new state is published, of which snapshots are made. A large batch goes to a run file instead, which the record
// names and which is read in place. When map and log segment are full, both are frozen and new ones begun. The
// checkpointer writes what is frozen to store.db, oldest first, publishes a state without it, and cuts the log.
//
//	state = view of store.db + frozen layers + copy of the map that fills    (immutable; layer.go)
//
// After a crash, Open reads the log from the segment that store.db names and builds the same layers again; batches that
// store.db has already are passed over, so it does not matter how far the checkpointer had come.
//
// In store.db each keyspace and object id has a bucket, so that objects do not share pages and sweeping one leaves the others
// alone.
package bolt

import (
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/vfs"
	"github.com/omgdb/omgdb/storage/kv/bolt/wal"
)

// Options of Open; the zero value opens an existing store and does not wait for its holder.
type Options struct {
	Create  bool          // make the store where there is none
	Timeout time.Duration // how long to wait for another process to let go of the store

	tune tuning // tests make everything small
}

// tuning holds the sizes of the engine; bytes are those of log records.
type tuning struct {
	layerBytes int64         // of a map in memory and of a log segment; at most twice that is replayed at Open
	runBytes   int64         // a larger batch becomes a run file
	sliceBytes int64         // about the memory of one transaction of the checkpointer
	opBytes    int64         // of it, for an operation beside its key and value
	nodeBytes  int64         // of it, for a page that an operation changes
	maxFrozen  int           // layers that wait for the checkpointer before Apply does
	closeBytes int64         // of the log, up to which Close leaves the work to the next Open
	idle       time.Duration // without a commit, after which the map is written to store.db too
	retry      time.Duration // after a failed checkpoint
	manual     bool          // no checkpointer: a test calls checkpoint

	fs     func(dir string) vfs.FS  // of the log's directory
	noSync bool                     // of store.db, in tests of other things than durability
	commit func(func() error) error // wraps each commit of store.db
}

var usual = tuning{
	layerBytes: 32 << 20,
	runBytes:   8 << 20,
	sliceBytes: 32 << 20,
	opBytes:    128,
	nodeBytes:  8 << 10,
	maxFrozen:  16,
	closeBytes: 1 << 20,
	idle:       10 * time.Second,
	retry:      time.Second,
	fs:         vfs.Dir,
	commit:     func(commit func() error) error { return commit() },
}

// Store implements kv.Store.
type Store struct {
	dir    string
	tune   tuning
	db     *bbolt.DB
	mapped int64 // bytes of address space that db may grow to
	fs     vfs.FS
	pages  *residency

	checkpointing sync.Mutex // held by the one who writes store.db or replaces it
	mapping       sync.Mutex // held while mapped pages are let go, and while a file is closed

	shut atomic.Bool // set by Close under applying, read anywhere

	applying sync.Mutex // held by the one Apply, and by Close; guards the fields below
	log      *wal.Log
	active   layer  // the map that fills; states have copies of it
	last     kv.LSN // the newest batch
	nextRun  uint64

	mu      sync.Mutex        // guards the fields below and all counts of references
	change  sync.Cond         // now or stuck changed
	now     *state            // the newest
	segment uint64            // the log's current one
	runs    map[*run]bool     // that states have
	stuck   error             // of the last checkpoint
	states  int               // that still have references; the last one closes db once shut is set
	views   map[*bbolt.DB]int // live views of each file: of store.db, and of those that it has replaced

	wake chan struct{} // tells the checkpointer that a layer was frozen
	stop chan struct{} // closed by Close
	done chan struct{} // closed when the checkpointer has ended
}

// publish makes the next state from the current one, without changing that.
func (s *Store) publish(next func(now state) state) {
	s.mu.Lock()
	st := next(*s.now)
	old := s.now
	s.install(&st)
	s.change.Broadcast()
	s.mu.Unlock()
	s.release(old)
}

// install makes st the newest state. s.mu is held.
func (s *Store) install(st *state) {
	st.refs = 1
	st.view.refs++
	for _, l := range st.layers {
		if l.run != nil {
			if l.run.refs++; l.run.refs == 1 {
				s.runs[l.run] = true
			}
		}
	}
	s.states++
	s.now = st
}

// release gives a reference to a state back. The last one gives back what the state refers to.
func (s *Store) release(st *state) {
	s.mu.Lock()
	if st.refs--; st.refs > 0 {
		s.mu.Unlock()
		return
	}
	s.states--
	last := s.states == 0 && s.shut.Load()
	st.view.refs--
	endView := st.view.refs == 0
	var ended []*run
	for _, l := range st.layers {
		if l.run == nil {
			continue
		}
		if l.run.refs--; l.run.refs == 0 {
			delete(s.runs, l.run)
			ended = append(ended, l.run)
		}
	}
	s.mu.Unlock()
	if endView {
		s.endView(st.view)
	}
	for _, r := range ended {
		r.file.Close()
		if r.stored {
			s.removeRun(r)
		}
	}
	if last {
		s.closeFile(s.db)
	}
}

// Close implements kv.Store. Unless the log is short, it brings everything into store.db, so that the next Open has nothing to
// replay; when that fails, the log keeps it.
func (s *Store) Close() error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.shut.Swap(true) {
		return nil
	}
	close(s.stop)
	<-s.done
	s.pages.close()
	if s.log.Broken() == nil && (s.log.Size() > s.tune.closeBytes || len(s.now.layers) > 1) {
		s.drain()
	}
	err := s.log.Close()
	s.release(s.now)
	if err != nil {
		return pathError(err, s.dir)
	}
	return nil
}

// drain writes everything to store.db and begins an empty log. Each step may fail without harm.
func (s *Store) drain() {
	s.freeze()
	for {
		more, err := s.checkpoint()
		if err != nil {
			return
		}
		if !more {
			break
		}
	}
	s.log.DropSpare() // or else it becomes the new segment, and the next Open has to read through it
	if s.log.Size() == 0 || s.log.Rotate() != nil {
		return
	}
	if s.setLogStart(s.log.Segment()) == nil {
		s.log.Cut(s.log.Segment())
		s.log.DropSpare()
	}
}

// Dir is the directory of the store.
func (s *Store) Dir() string { return s.dir }
