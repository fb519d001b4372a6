package storage

import (
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv"
)

// head is the state after a commit: a snapshot and the catalog in it. The committer publishes a new one with every group; all who
// read at it share it and count themselves in. The snapshot is closed with the last of them.
type head struct {
	snap kv.Snapshot
	cat  *catalog.Committed
	refs atomic.Int64 // the publication counts as one
}

func newHead(snap kv.Snapshot, cat *catalog.Committed) *head {
	h := &head{snap: snap, cat: cat}
	h.refs.Store(1)
	return h
}

// release gives a reference back.
func (h *head) release() {
	if h.refs.Add(-1) == 0 {
		h.snap.Close()
	}
}

// retain adds a reference to a head that the caller holds one of.
func (h *head) retain() *head {
	h.refs.Add(1)
	return h
}

// acquire gives the newest head with a reference for the caller; an error when the store is closed.
func (db *DB) acquire() (*head, error) {
	for {
		h := db.head.Load()
		if h == nil {
			return nil, kv.Closed()
		}
		for {
			n := h.refs.Load()
			if n == 0 {
				break // replaced and let go between the two loads
			}
			if h.refs.CompareAndSwap(n, n+1) {
				return h, nil
			}
		}
	}
}

// publish makes h the newest head.
func (db *DB) publish(h *head) {
	if old := db.head.Swap(h); old != nil {
		old.release()
	}
}
