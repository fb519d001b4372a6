// Package mem is the key-value engine in memory: for tests and for objects that live no longer than their session.
// Its state is one immutable ordered map; Apply builds the next one as a copy that shares what did not change,
// and swaps it in.
package mem

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/kv/ordmap"
)

// Store implements kv.Store.
type Store struct {
	applying sync.Mutex // held by the one Apply
	now      atomic.Pointer[state]
	closed   atomic.Bool
}

// state is never changed after it is published.
type state struct {
	rows *ordmap.Map
	lsn  kv.LSN
}

// New makes an empty store.
func New() *Store {
	s := new(Store)
	s.now.Store(&state{rows: new(ordmap.Map)})
	return s
}

// Apply implements kv.Store.
func (s *Store) Apply(_ context.Context, group []kv.Batch) error {
	s.applying.Lock()
	defer s.applying.Unlock()
	if s.closed.Load() {
		return kv.Closed()
	}
	now := s.now.Load()
	lsn, err := kv.CheckLSNs(now.lsn, group)
	if err != nil {
		return err
	}
	rows := now.rows.Copy()
	for _, b := range group {
		if err := apply(rows, b); err != nil {
			return err
		}
	}
	s.now.Store(&state{rows: rows, lsn: lsn})
	return nil
}

func apply(rows *ordmap.Map, b kv.Batch) error {
	return kv.Walk(b, func(op *kv.Op) error {
		buf := make([]byte, 0, len(op.Key)+len(op.Value))
		buf = op.AppendKey(buf, b.LSN())
		n := len(buf)
		if op.Delete {
			rows.Delete(buf)
			return nil
		}
		buf = op.AppendValue(buf, b.LSN())
		rows.Set(buf[:n:n], buf[n:])
		return nil
	})
}

// Size is the sum of the lengths of keys and values.
func (s *Store) Size() int64 { return s.now.Load().rows.Bytes() }

// Snapshot implements kv.Store.
func (s *Store) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if s.closed.Load() {
		return nil, kv.Closed()
	}
	return &snapshot{store: s, state: s.now.Load()}, nil
}

// Close implements kv.Store; the content is gone.
func (s *Store) Close() error {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.closed.Store(true)
	return nil
}

type snapshot struct {
	store  *Store
	state  *state
	closed atomic.Bool
}

func (s *snapshot) usable() bool { return !s.closed.Load() && !s.store.closed.Load() }

func (s *snapshot) Get(_ context.Context, key []byte) ([]byte, error) {
	if !s.usable() {
		return nil, kv.Closed()
	}
	value, _ := s.state.rows.Get(key)
	return value, nil
}

func (s *snapshot) Scan(ctx context.Context, r kv.Range) kv.Iter {
	return &iter{snap: s, ctx: ctx, it: s.state.rows.Iter(r)}
}

func (s *snapshot) LSN() kv.LSN { return s.state.lsn }

func (s *snapshot) Close() { s.closed.Store(true) }

// cancelEvery is the number of rows between two looks at the context.
const cancelEvery = 256

type iter struct {
	snap *snapshot
	ctx  context.Context // of this scan alone
	it   *ordmap.Iter
	n    uint
	done bool
	err  error
}

func (i *iter) Next() bool {
	if i.done {
		return false
	}
	i.done = !i.step()
	return !i.done
}

func (i *iter) step() bool {
	if !i.snap.usable() {
		i.err = kv.Closed()
		return false
	}
	if i.n++; i.n%cancelEvery == 1 && i.ctx.Err() != nil {
		i.err = context.Cause(i.ctx)
		return false
	}
	return i.it.Next()
}

func (i *iter) Key() []byte   { return i.it.Key() }
func (i *iter) Value() []byte { return i.it.Value() }
func (i *iter) Err() error    { return i.err }
func (i *iter) Close()        { i.done = true }
