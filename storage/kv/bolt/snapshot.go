package bolt

import (
	"context"
	"sync/atomic"

	"github.com/omgdb/omgdb/storage/kv"
)

// Snapshot implements kv.Store.
func (s *Store) Snapshot(context.Context) (kv.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut.Load() {
		return nil, kv.Closed()
	}
	s.now.refs++
	return &snapshot{store: s, state: s.now}, nil
}

type snapshot struct {
	store  *Store
	state  *state
	closed atomic.Bool
}

func (s *snapshot) LSN() kv.LSN { return s.state.lsn }

func (s *snapshot) Close() {
	if !s.closed.Swap(true) {
		s.store.release(s.state)
	}
}

func (s *snapshot) usable() bool { return !s.closed.Load() && !s.store.shut.Load() }

func (s *snapshot) Get(_ context.Context, key []byte) ([]byte, error) {
	if !s.usable() {
		return nil, kv.Closed()
	}
	return s.state.get(key)
}

func (s *snapshot) Scan(ctx context.Context, r kv.Range) kv.Iter {
	if !s.usable() {
		return &iter{err: kv.Closed()}
	}
	return &iter{snap: s, ctx: ctx, c: s.state.scan(r)}
}

// cancelEvery is the number of rows between two looks at the context.
const cancelEvery = 256

type iter struct {
	snap *snapshot
	ctx  context.Context // of this scan alone
	c    *merge          // nil once the iterator has ended
	n    uint
	err  error
}

func (i *iter) usable() bool {
	if !i.snap.usable() {
		i.err = kv.Closed()
	} else if i.n++; i.n%cancelEvery == 1 && i.ctx.Err() != nil {
		i.err = context.Cause(i.ctx)
	}
	return i.err == nil
}

func (i *iter) Next() bool {
	if i.c == nil {
		return false
	}
	if i.usable() && i.c.next() {
		return true
	}
	if i.err == nil {
		i.err = i.c.err
	}
	i.c = nil
	return false
}

func (i *iter) Key() []byte   { return i.c.key() }
func (i *iter) Value() []byte { return i.c.value() }
func (i *iter) Err() error    { return i.err }
func (i *iter) Close()        { i.c = nil }
