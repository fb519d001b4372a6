package storage

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// Objects of the meta keyspace.
const (
	metaStore    = 0 // settings of the store by name
	metaCounters = 1 // counters by storage id
	metaSwept    = 2 // what the sweeper has to delete, by storage id
)

// metaNextID is the setting that holds the next free object id.
const metaNextID = "next id"

func metaKey(object uint64, rest []byte) []byte {
	return append(key.AppendPrefix(nil, key.Meta, object), rest...)
}

func counterKey(storage uint64) []byte {
	return binary.BigEndian.AppendUint64(key.AppendPrefix(make([]byte, 0, 17), key.Meta, metaCounters|storage&temporaryBit), storage)
}

// counts is the stored form of a relation's counters: how many rows there are, and the first ordinal that no commit has used.
// Every commit that changes them stores them, so that each snapshot has its own exact count.
type counts struct {
	rows int64
	high uint64
}

const countsLen = 16

func (c counts) put(dst []byte) {
	binary.BigEndian.PutUint64(dst, uint64(c.rows))
	binary.BigEndian.PutUint64(dst[8:], c.high)
}

func readCounts(ctx context.Context, snap kv.Snapshot, storage uint64) (c counts, err error) {
	b, err := snap.Get(ctx, counterKey(storage))
	if len(b) == countsLen {
		c = counts{int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])}
	}
	return c, err
}

// counter hands out the ordinals of one relation's storage. Ordinals of transactions that roll back are given back if nobody took
// later ones; otherwise the gap is closed when the store is opened again.
type counter struct {
	next      atomic.Uint64
	committed counts      // the committer's own
	observed  atomic.Bool // generated ids are known to rise above those of the collection
}

// counters keeps a counter for each storage id in use.
type counters struct {
	mu sync.RWMutex
	m  map[uint64]*counter
}

// counter finds the counter of a storage id, reading it from the newest state the first time.
func (db *DB) counter(ctx context.Context, storage uint64) (*counter, error) {
	db.counters.mu.RLock()
	c := db.counters.m[storage]
	db.counters.mu.RUnlock()
	if c != nil {
		return c, nil
	}
	db.counters.mu.Lock()
	defer db.counters.mu.Unlock()
	if c := db.counters.m[storage]; c != nil {
		return c, nil
	}
	h, err := db.acquire()
	if err != nil {
		return nil, err
	}
	defer h.release()
	// Nobody can have committed into the storage since: a commit needs the counter that is made here.
	stored, err := readCounts(ctx, h.snap, storage)
	if err != nil {
		return nil, err
	}
	c = &counter{committed: stored}
	c.next.Store(stored.high)
	db.counters.m[storage] = c
	return c, nil
}

// reserved is the run of ordinals that a transaction took from one counter.
type reserved struct {
	counter     *counter
	first, next uint64 // [first, next) were taken without anybody between
}

// take gives the next ordinal of a storage.
func (t *Txn) takeOrdinal(ctx context.Context, storage uint64) (uint64, error) {
	r := t.ordinals[storage]
	if r == nil {
		c, err := t.db.counter(ctx, storage)
		if err != nil {
			return 0, err
		}
		r = &reserved{counter: c, first: ^uint64(0)}
		if t.ordinals == nil {
			t.ordinals = map[uint64]*reserved{}
		}
		t.ordinals[storage] = r
	}
	n := r.counter.next.Add(1) - 1
	if n != r.next {
		r.first = n
	}
	r.next = n + 1
	return n, nil
}

// giveBackOrdinals returns what a transaction that rolls back took last, if nobody took more.
func (t *Txn) giveBackOrdinals() {
	for _, r := range t.ordinals {
		if r.first < r.next {
			r.counter.next.CompareAndSwap(r.next, r.first)
		}
	}
}
