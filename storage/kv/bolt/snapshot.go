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
	it := &iter{snap: s, ctx: ctx}
	if !s.usable() {
		it.done, it.err = true, kv.Closed()
		return it
	}
	it.rows.init(s.state, r)
	return it
}

// cancelEvery is the number of rows between two looks at the context.
const cancelEvery = 256

type iter struct {
	snap *snapshot
	ctx  context.Context // of this scan alone
	n    uint
	done bool
	err  error
	rows merge
}

func (i *iter) Next() bool {
	if i.done {
		return false
	}
	if i.usable() && i.rows.next() {
		return true
	}
	if i.err == nil {
		i.err = i.rows.err
	}
	i.Close()
	return false
}

func (i *iter) usable() bool {
	if !i.snap.usable() {
		i.err = kv.Closed()
	} else if i.n++; i.n%cancelEvery == 1 && i.ctx.Err() != nil {
		i.err = context.Cause(i.ctx)
	}
	return i.err == nil
}

func (i *iter) Key() []byte   { return i.rows.key() }
func (i *iter) Value() []byte { return i.rows.value() }
func (i *iter) Err() error    { return i.err }

func (i *iter) Close() {
	if !i.done {
		i.done = true
		i.rows.close()
	}
}
