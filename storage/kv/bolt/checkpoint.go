package bolt

import (
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
)

func (s *Store) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// checkpointer writes frozen layers to store.db until the store is closed. A failure, such as a full disk, leaves everything
// as it was, to be tried again.
func (s *Store) checkpointer() {
	defer close(s.done)
	tick := time.NewTicker(s.tune.idle)
	defer tick.Stop()
	var idleSince kv.LSN
	for {
		for more, err := true, error(nil); more && err == nil && !s.shut.Load(); {
			if more, err = s.checkpoint(); err != nil {
				time.AfterFunc(s.tune.retry, s.wakeUp)
			}
		}
		select {
		case <-s.stop:
			return
		case <-s.wake:
		case <-tick.C:
			idleSince = s.freezeIdle(idleSince)
		}
	}
}

// freezeIdle freezes the active layer if there was no commit since the last call; it gives the newest LSN.
func (s *Store) freezeIdle(since kv.LSN) kv.LSN {
	if !s.applying.TryLock() { // a commit, or Close
		return since
	}
	defer s.applying.Unlock()
	if s.last == since && !s.shut.Load() {
		s.freeze()
	}
	return s.last
}

// checkpoint writes the oldest frozen layers to store.db, those that one transaction holds, and publishes a state without them.
// more tells that there may be others.
func (s *Store) checkpoint() (more bool, err error) {
	s.checkpointing.Lock()
	defer s.checkpointing.Unlock()
	layers, segment := s.oldest()
	if len(layers) == 0 {
		return false, nil
	}
	var v *view
	if err = s.write(layers, segment); err == nil {
		v, err = s.newView()
	}
	if err != nil {
		s.mu.Lock()
		s.stuck = err
		s.change.Broadcast()
		s.mu.Unlock()
		return false, err
	}
	s.publish(func(now state) state {
		s.stuck = nil
		for _, l := range layers {
			if l.run != nil {
				l.run.stored = true
			}
		}
		now.view = v
		now.layers = now.layers[len(layers):]
		return now
	})
	// store.db no longer needs the older segments; if they stay, the next Open removes them.
	s.log.Cut(segment)
	return true, nil
}

// oldest gives the layers of the next checkpoint and the first log segment that is needed after it.
func (s *Store) oldest() ([]layer, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frozen := s.now.layers[:len(s.now.layers)-1]
	n, bytes := 0, int64(0)
	for n < len(frozen) && (n == 0 || bytes+frozen[n].bytes <= s.tune.sliceBytes) {
		bytes += frozen[n].bytes
		n++
	}
	if above := s.now.layers[n]; above.bytes > 0 {
		return frozen[:n], above.segment
	}
	return frozen[:n], s.segment
}

// write puts layers into store.db, in one transaction or, if they are more than a slice, in several. Only the last one
// raises the LSN: what a crash finds of the earlier ones is written again, and readers find the same in the layers.
func (s *Store) write(layers []layer, segment uint64) (err error) {
	lsn := layers[len(layers)-1].lsn
	slice, err := s.beginSlice()
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil { // as bbolt meets a damaged page
			err = slice.abort(damaged(p, s.path()))
		}
	}()
	for i := range layers {
		src := layers[i].source()
		for src.next() {
			if slice.full() {
				if err := slice.commit(nil); err != nil {
					return err
				}
				if slice, err = s.beginSlice(); err != nil {
					return err
				}
			}
			if err := slice.put(src.key(), src.value()); err != nil {
				return slice.abort(err)
			}
		}
		if err := src.fault(); err != nil {
			return slice.abort(err)
		}
	}
	return slice.commit(func(meta *bbolt.Bucket) error {
		if err := meta.Put(metaLSN, be64(uint64(lsn))); err != nil {
			return err
		}
		return meta.Put(metaLog, be64(segment))
	})
}

// source walks all of a layer.
func (l *layer) source() source {
	if l.run != nil {
		return l.run.scan(kv.Range{})
	}
	return mapIter{l.rows.Iter(kv.Range{})}
}

// store.db grows in steps in proportion to its size, since each costs a sync.
const (
	minAlloc = 256 << 10
	maxAlloc = 16 << 20
)

// slice is one transaction of a checkpoint. bbolt keeps the pages that it changes in memory until the commit, so that few
// operations all over a large bucket weigh as much as many at its end.
type slice struct {
	s     *Store
	w     writer
	bytes int64
	ops   int
	nodes int64
}

// full tells that the transaction has taken the memory that it may.
func (c *slice) full() bool {
	if c.ops%64 == 0 && c.s.tune.nodeBytes > 0 {
		stats := c.w.tx.Stats()
		c.nodes = stats.GetNodeCount()
	}
	return c.bytes+c.nodes*c.s.tune.nodeBytes > c.s.tune.sliceBytes
}

// beginSlice begins a transaction, unless store.db could outgrow its map in it: bbolt would wait for a new map until the last
// reader is gone, and the store always has one.
func (s *Store) beginSlice() (*slice, error) {
	info, err := os.Stat(s.path())
	if err != nil {
		return nil, s.fileError(err)
	}
	if room := s.mapped - info.Size(); room < 4*s.tune.sliceBytes && room < s.mapped/2 {
		return nil, dberr.New(dberr.ProgramLimitExceeded, "store %q has grown to the %d GiB of addresses that it took when it was opened", s.dir, s.mapped>>30).
			WithHint("Open the store again: it takes eight times its size.")
	}
	s.db.AllocSize = int(min(max(info.Size()/8, minAlloc), maxAlloc))
	tx, err := s.db.Begin(true)
	if err != nil {
		return nil, s.fileError(err)
	}
	return &slice{s: s, w: writer{tx: tx, targets: map[string]*target{}}}, nil
}

func (c *slice) put(key, value []byte) error {
	c.ops++
	c.bytes += int64(len(key)+len(value)) + c.s.tune.opBytes
	if value == nil {
		return c.w.delete(key)
	}
	return c.w.put(key, value)
}

func (c *slice) abort(err error) error {
	c.w.tx.Rollback()
	return c.s.fileError(err)
}

func (c *slice) commit(meta func(*bbolt.Bucket) error) error {
	err := c.w.finish()
	if err == nil && meta != nil {
		err = meta(c.w.tx.Bucket(metaBucket))
	}
	if err != nil {
		return c.abort(err)
	}
	if err := c.s.tune.commit(c.w.tx.Commit); err != nil {
		return c.abort(err)
	}
	return nil
}
