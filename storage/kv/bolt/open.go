package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/bolt/wal"
	"github.com/omgdb/omgdb/storage/kv/ordmap"
)

// Open opens the store in directory dir. It fails with 58P01 when there is none, 42809 when dir is something else,
// 0A000 when its format is newer than this program, 55006 when another process (or this one) holds it, XX001 when it is damaged.
func Open(dir string, o Options) (*Store, error) {
	if o.Create {
		if err := Create(dir); err != nil && !isExist(err) {
			return nil, err
		}
	}
	if o.tune.fs == nil {
		o.tune = usual
	}
	db, mapped, err := openFile(dir, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: dir, tune: o.tune, db: db, mapped: mapped, fs: o.tune.fs(filepath.Join(dir, logDir)),
		views: map[*bbolt.DB]int{}, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	s.change.L, s.runs = &s.mu, map[*run]bool{}
	s.pages = watchResidency(s.forgetPages)
	if err := s.start(); err != nil {
		s.pages.close()
		return nil, errors.Join(pathError(err, dir), db.Close())
	}
	if s.tune.manual {
		close(s.done)
	} else {
		go s.checkpointer()
	}
	s.wakeUp()
	return s, nil
}

// start opens the log, builds the first state and brings the directory in order.
func (s *Store) start() error {
	v, err := s.newView()
	if err != nil {
		return err
	}
	lsn, segment := readMeta(v.tx)
	if segment == 0 { // a new store
		if segment, err = 1, s.beginLog(); err != nil {
			return errors.Join(err, v.tx.Rollback())
		}
	}
	layers, err := s.replay(lsn, segment)
	if err != nil {
		return errors.Join(err, v.tx.Rollback())
	}
	s.active = layers[len(layers)-1]
	s.last = max(lsn, s.active.lsn)
	for _, l := range layers {
		s.last = max(s.last, l.lsn)
	}
	layers[len(layers)-1].rows = s.active.rows.Copy()
	s.segment = s.log.Segment()
	s.install(&state{view: v, layers: layers, lsn: s.last})
	return s.removeOrphans(layers)
}

// beginLog makes the log of a new store and tells store.db of it.
func (s *Store) beginLog() error {
	if err := os.Mkdir(filepath.Join(s.dir, logDir), 0o700); err != nil && !isExist(err) {
		return err
	}
	if err := wal.Create(s.fs); err != nil {
		return err
	}
	if !s.tune.noSync {
		if err := syncDir(s.dir); err != nil {
			return err
		}
	}
	return s.setLogStart(1)
}

// setLogStart tells store.db which log segment is the first that it needs.
func (s *Store) setLogStart(segment uint64) error {
	return s.tune.commit(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket(metaBucket).Put(metaLog, be64(segment))
		})
	})
}

// replay opens the log and builds the layers of all batches above lsn.
func (s *Store) replay(lsn kv.LSN, segment uint64) ([]layer, error) {
	layers := []layer{{rows: new(ordmap.Map)}}
	var err error
	s.log, err = wal.Open(s.fs, segment, func(segment uint64, payload []byte) error {
		n := len(layers) - 1
		more, err := s.absorb(layers[n], segment, payload, lsn, s.findRun)
		layers = append(layers[:n], more...)
		return err
	})
	if err == nil {
		return layers, nil
	}
	for _, l := range layers {
		if l.run != nil {
			l.run.file.Close()
		}
	}
	if errors.Is(err, fs.ErrNotExist) { // of wal/ or a file in it: store.db is there
		err = dberr.Wrap(err, dberr.DataCorrupted, "the log of store %q is incomplete: %v", s.dir, err).
			WithHint("Restore the store from a backup.")
	}
	return nil, err
}

// findRun opens a run file that a record of the log names.
func (s *Store) findRun(number, length uint64) (*run, error) { return openRun(s.fs, number, length) }

// removeOrphans removes the run files of batches that store.db has, or that were never committed.
func (s *Store) removeOrphans(layers []layer) error {
	used := map[uint64]bool{}
	for _, l := range layers {
		if l.run != nil {
			used[l.run.number] = true
		}
	}
	names, err := s.fs.List()
	if err != nil {
		return err
	}
	for _, name := range names {
		n, ok := runNumber(name)
		if !ok {
			continue
		}
		s.nextRun = max(s.nextRun, n+1)
		if !used[n] {
			if err := s.fs.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}
