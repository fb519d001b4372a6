package storage

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// sweeper deletes what lies under storage ids that are no longer used: of dropped and truncated relations and indexes, and of index
// builds that came to nothing. Its list is in the store (metaSwept), so that a crash forgets nothing. It works in small commits
// without op-log entries, and only on storage whose drop has left the op-log's retention: until then the past is readable.
type sweeper struct {
	mu     sync.Mutex
	spared map[uint64]int // under construction
}

// spare keeps the sweeper off a storage id, until release.
func (s *sweeper) spare(storage uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spared == nil {
		s.spared = map[uint64]int{}
	}
	s.spared[storage]++
}

func (s *sweeper) release(storage uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spared[storage]--; s.spared[storage] == 0 {
		delete(s.spared, storage)
	}
}

func (s *sweeper) spares(storage uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spared[storage] > 0
}

// sweptID reads the storage id in a key of the sweeper's list.
func sweptID(k []byte) (uint64, error) {
	if len(k) != kv.PrefixLen+8 {
		return 0, wrong("the list of dropped storage has a damaged key %x", k)
	}
	return binary.BigEndian.Uint64(k[kv.PrefixLen:]), nil
}

// dropped is an entry of the sweeper's list.
type dropped struct {
	storage uint64
	lsn     kv.LSN // of the drop; 0 for an index build that was never published
}

func listDropped(ctx context.Context, snap kv.Snapshot) ([]dropped, error) {
	it := snap.Scan(ctx, key.All(key.Meta, metaSwept))
	defer it.Close()
	var out []dropped
	for it.Next() {
		id, err := sweptID(it.Key())
		if err != nil {
			return nil, err
		}
		d := dropped{storage: id}
		if len(it.Value()) == kv.StampLen {
			d.lsn = kv.LSN(binary.BigEndian.Uint64(it.Value()))
		}
		out = append(out, d)
	}
	return out, it.Err()
}

// sweptSpaces are the keyspaces in which a storage id has keys.
var sweptSpaces = []key.Space{key.Row, key.FullText, key.History, key.Ordered, key.Ordinal, key.Vector}

// sweepBytes is about how much a commit of the sweeper deletes.
const sweepBytes = 1 << 20

// sweep deletes what lies under dropped storage ids whose drop is not above horizon, and gives how many ids it finished. Horizon is
// the commit up to which the past is given up; see retention.
func (db *DB) sweep(ctx context.Context, horizon kv.LSN) (int, error) {
	h, err := db.acquire()
	if err != nil {
		return 0, err
	}
	list, err := listDropped(ctx, h.snap)
	h.release()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, d := range list {
		if d.lsn > horizon && !isTemporary(d.storage) || db.sweeper.spares(d.storage) || d.lsn == 0 && db.inUse(d.storage) {
			continue
		}
		if err := db.sweepOne(ctx, d.storage); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// inUse tells whether the catalog names a storage id: a published index whose note is about to be taken back.
func (db *DB) inUse(storage uint64) bool {
	h := db.head.Load()
	if h == nil {
		return true
	}
	used := false
	h.cat.All(catalog.IndexClass, func(d catalog.Descriptor) bool {
		used = used || d.(*catalog.Index).Storage == storage
		return !used
	})
	return used
}

// sweepOne deletes all keys of a storage id, its counter and its place in the list, in several commits.
func (db *DB) sweepOne(ctx context.Context, storage uint64) error {
	for _, space := range sweptSpaces {
		for {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			more, err := db.sweepSome(ctx, key.All(space, storage))
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
	list := metaKey(metaSwept, binary.BigEndian.AppendUint64(nil, storage))
	err := db.background([]kv.Op{{Key: counterKey(storage), Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}}, false)
	if err == nil {
		err = db.background([]kv.Op{{Key: list, Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}}, false)
	}
	if err == nil {
		db.counters.mu.Lock()
		delete(db.counters.m, storage)
		db.counters.mu.Unlock()
	}
	return err
}

// sweepSome deletes the first keys of a range; more tells that there were some.
func (db *DB) sweepSome(ctx context.Context, r kv.Range) (more bool, err error) {
	h, err := db.acquire()
	if err != nil {
		return false, err
	}
	defer h.release()
	it := h.snap.Scan(ctx, r)
	defer it.Close()
	var ops []kv.Op
	for size := 0; size < sweepBytes && it.Next(); {
		k := append([]byte(nil), it.Key()...)
		ops = append(ops, kv.Op{Key: k, Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp})
		size += len(k) + len(it.Value())
	}
	if it.Err() != nil || len(ops) == 0 {
		return false, it.Err()
	}
	return true, db.background(ops, false)
}

// FreeDropped deletes what lies under dropped storage ids at once: the past of dropped relations can no longer be read.
func (db *DB) FreeDropped(ctx context.Context) error {
	h, err := db.acquire()
	if err != nil {
		return err
	}
	list, err := listDropped(ctx, h.snap)
	lsn := h.snap.LSN()
	h.release()
	if err != nil {
		return err
	}
	var ops []kv.Op
	for _, d := range list {
		if d.lsn != 0 && !db.sweeper.spares(d.storage) { // from now on unreadable, whenever the rest is done
			ops = append(ops, plainPut(metaKey(metaSwept, binary.BigEndian.AppendUint64(nil, d.storage)), make([]byte, kv.StampLen)))
		}
	}
	if len(ops) > 0 {
		if err := db.background(ops, false); err != nil {
			return err
		}
	}
	_, err = db.sweep(ctx, lsn)
	return err
}

// readablePast tells whether rows of a storage can be read as of an earlier commit: it is in use, or was dropped after the horizon.
func readablePast(ctx context.Context, h *head, storage uint64, b base) (bool, error) {
	if liveStorageOf(h.cat)[storage] {
		return true, nil
	}
	v, err := h.snap.Get(ctx, metaKey(metaSwept, binary.BigEndian.AppendUint64(nil, storage)))
	return len(v) == kv.StampLen && kv.LSN(binary.BigEndian.Uint64(v)) > b.horizon(), err
}
