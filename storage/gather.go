package storage

import (
	"context"
	"slices"
	"sync"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
)

// Bounds of the deltas of an index, in bytes: above gatherAbove they are gathered in the background, above gatherLimit whoever has
// committed some waits until they are.
var (
	gatherAbove = int64(2 << 20)
	gatherLimit = int64(24 << 20)
)

// gathering keeps count of the deltas that indexes have not gathered yet, and lets one goroutine gather them.
type gathering struct {
	db   *DB
	wake chan struct{} // has room for one
	gone chan struct{} // closed when the goroutine has ended; nil before it began

	mu     sync.Mutex
	behind map[uint64]int64         // bytes of deltas, by the storage id of the index
	busy   map[uint64]chan struct{} // indexes being gathered; closed when done
}

func newGathering(db *DB) *gathering {
	return &gathering{db: db, wake: make(chan struct{}, 1), behind: map[uint64]int64{}, busy: map[uint64]chan struct{}{}}
}

// committed is told of deltas that have been committed. It waits where a writer has run ahead of the background; errors there are the
// background's, not the writer's.
func (g *gathering) committed(ctx context.Context, sizes map[uint64]int64) {
	for storage, n := range sizes {
		g.mu.Lock()
		g.behind[storage] += n
		behind := g.behind[storage]
		g.mu.Unlock()
		switch {
		case behind > gatherLimit:
			if err := g.gather(ctx, storage); err != nil && ctx.Err() == nil {
				g.db.logger().Warn("an index could not be gathered and will be tried again", "error", err)
			}
		case behind > gatherAbove:
			select {
			case g.wake <- struct{}{}:
			default:
			}
		}
	}
}

// run gathers what is behind until ctx ends.
func (g *gathering) run(ctx context.Context) {
	defer close(g.gone)
	if err := g.look(ctx); err != nil && ctx.Err() == nil {
		g.db.logger().Warn("the indexes' deltas could not be counted", "error", err)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.wake:
		}
		for _, storage := range g.due(gatherAbove) {
			if err := g.gather(ctx, storage); err != nil && ctx.Err() == nil {
				g.db.logger().Warn("an index could not be gathered and will be tried again", "error", err)
			}
		}
	}
}

// look counts the deltas that an earlier process has left.
func (g *gathering) look(ctx context.Context) error {
	h, err := g.db.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	var storages []uint64
	h.cat.All(catalog.IndexClass, func(d catalog.Descriptor) bool {
		if x := d.(*catalog.Index); x.Method != MethodBTree {
			storages = append(storages, x.Storage)
		}
		return true
	})
	left := map[uint64]int64{}
	for _, storage := range storages {
		for _, space := range []key.Space{key.FullText, key.Vector} {
			it := h.snap.Scan(ctx, key.Deltas(space, storage, 0, h.snap.LSN()))
			for it.Next() {
				left[storage] += int64(len(it.Key()) + len(it.Value()))
			}
			err := it.Err()
			it.Close()
			if err != nil {
				return err
			}
		}
	}
	if len(left) > 0 {
		g.committed(ctx, left)
	}
	return nil
}

// due lists the indexes with more than above bytes of deltas.
func (g *gathering) due(above int64) []uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []uint64
	for storage, n := range g.behind {
		if n > above {
			out = append(out, storage)
		}
	}
	slices.Sort(out)
	return out
}

// gather gathers one index, alone: whoever comes second waits for the first and finds little left.
func (g *gathering) gather(ctx context.Context, storage uint64) error {
	g.mu.Lock()
	for g.busy[storage] != nil {
		done := g.busy[storage]
		g.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		g.mu.Lock()
		if g.busy[storage] == nil && g.behind[storage] <= gatherAbove {
			g.mu.Unlock()
			return nil
		}
	}
	done := make(chan struct{})
	g.busy[storage] = done
	before := g.behind[storage]
	g.mu.Unlock()
	again, err := true, error(nil)
	for again && err == nil {
		again, err = g.once(ctx, storage)
	}
	g.mu.Lock()
	if err == nil {
		if g.behind[storage] -= before; g.behind[storage] <= 0 {
			delete(g.behind, storage)
		}
	}
	delete(g.busy, storage)
	g.mu.Unlock()
	close(done)
	return err
}

// once does one step of gathering an index, at the newest state. An index that is gone, or not published yet, is left alone.
func (g *gathering) once(ctx context.Context, storage uint64) (again bool, err error) {
	h, err := g.db.acquire()
	if err != nil {
		return false, err
	}
	defer h.release()
	var x *catalog.Index
	h.cat.All(catalog.IndexClass, func(d catalog.Descriptor) bool {
		if d.(*catalog.Index).Storage == storage {
			x = d.(*catalog.Index)
		}
		return x == nil
	})
	if x == nil {
		return false, nil
	}
	rel := catalog.NewView(h.cat, 0, nil).RelationByID(x.Relation)
	if rel == nil {
		return false, nil
	}
	m, err := g.db.openIndex(rel, x)
	if err != nil {
		return false, err
	}
	gatherer, ok := m.(index.Gatherer)
	if !ok {
		return false, nil
	}
	// A drop that comes between has the sweeper delete the rest: until it is done the storage id is spared.
	g.db.sweeper.spare(storage)
	defer g.db.sweeper.release(storage)
	return gatherer.Gather(ctx, snapView{h.snap}, func(ops []kv.Op) error { return g.db.background(ops, false) })
}

// Gather gathers the deltas of all indexes now, so that the next process to open the store finds none to read.
func (db *DB) Gather(ctx context.Context) error {
	for _, storage := range db.gathering.due(0) {
		if err := db.gathering.gather(ctx, storage); err != nil {
			return err
		}
	}
	return nil
}

// snapView is a committed state as an index sees it.
type snapView struct{ kv.Snapshot }

// Own implements index.View.
func (snapView) Own(kv.Range, func(key, value []byte) error) error { return nil }

// indexView is a statement's reading point as an index sees it.
type indexView struct {
	snapView
	stmt *Statement
}

// Own implements index.View.
func (v indexView) Own(r kv.Range, visit func(key, value []byte) error) error {
	c := v.stmt.txn.writes.Cursor(overlay.Prefix(r.Start), r, v.stmt.seq)
	if c == nil {
		return nil
	}
	for c.Key() != nil {
		if err := visit(c.Key(), c.Value()); err != nil {
			return err
		}
		c.Next()
	}
	return c.Err()
}

// OpenIndex gives the maintainer of an index and the statement's view of it. The statement must be allowed to read it (CanRead). To a
// serializable transaction the whole relation counts as read.
func (t *Txn) OpenIndex(ctx context.Context, rel *catalog.Relation, x *catalog.Index) (index.Maintainer, index.View, error) {
	if err := t.enterForRead(ctx, rel); err != nil {
		return nil, nil, err
	}
	m, err := t.db.openIndex(rel, x)
	if err != nil {
		return nil, nil, err
	}
	t.reads.add(key.All(key.Row, rel.Storage))
	return m, indexView{snapView{t.now.head.snap}, t.now}, nil
}
