package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/pgwire"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
)

// Limits of the stores that a server has open, and how long it keeps one after a call.
const (
	maxStores = 8
	keepFor   = 30 * time.Second
)

// stores are the stores that calls use. One that another process has open is reached through its socket; others are opened here, shared by
// all calls, served to other commands meanwhile, and closed when no call has used them for a while.
type stores struct {
	keep time.Duration

	mu     sync.Mutex
	open   map[string]*store
	closed bool
}

// store is one open store. Its fields are guarded by stores.mu, but local and err, which are set before ready is closed.
type store struct {
	path   string
	create bool // load makes a missing store
	ready  chan struct{}
	local  *pgwire.Local
	err    error
	users  int
	used   time.Time
	idle   *time.Timer
}

func newStores() *stores { return &stores{keep: keepFor, open: map[string]*store{}} }

// connect opens a connection to the store at path. The function returned closes it.
func (s *stores) connect(ctx context.Context, path string, o pgwire.DialOptions) (*pgx.Conn, func(), error) {
	st, err := s.use(ctx, path, o.Create)
	if errors.Is(err, storage.ErrHeld) {
		c, done, err := pgwire.DialWith(ctx, path, o)
		if err != nil {
			return nil, nil, err
		}
		return c, func() { _ = done() }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := st.local.Connect(ctx, o)
	if err != nil {
		s.leave(st)
		return nil, nil, err
	}
	return c, func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(closing)
		s.leave(st)
	}, nil
}

// use finds or opens a store and counts its user.
func (s *stores) use(ctx context.Context, path string, create bool) (*store, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errors.New("the server is stopping")
	}
	st := s.open[path]
	if st == nil {
		if len(s.open) >= maxStores && !s.evict() {
			s.mu.Unlock()
			return nil, fmt.Errorf("%d stores are in use; try again when a call has ended", maxStores)
		}
		st = &store{path: path, create: create, ready: make(chan struct{})}
		s.open[path] = st
		go s.load(st)
	}
	st.users++
	if st.idle != nil {
		st.idle.Stop()
		st.idle = nil
	}
	s.mu.Unlock()
	select {
	case <-st.ready:
	case <-ctx.Done():
		s.leave(st)
		return nil, context.Cause(ctx)
	}
	if st.err == nil {
		return st, nil
	}
	s.forget(st)
	if create && !st.create && dberr.Code(st.err) == dberr.UndefinedFile {
		return s.use(ctx, path, create) // it was opened for a call that must not make it
	}
	return nil, st.err
}

// forget takes out a store that could not be opened, so that the next call tries anew.
func (s *stores) forget(st *store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[st.path] == st {
		delete(s.open, st.path)
	}
}

func (s *stores) load(st *store) {
	st.local, st.err = pgwire.OpenShared(context.Background(), st.path, pgwire.LocalOptions{
		Create: st.create, Logger: slog.New(slog.DiscardHandler), Storage: storage.Options{LockTimeout: time.Millisecond, Command: "omgdb mcp"},
	})
	close(st.ready)
	if st.err != nil {
		s.forget(st)
	}
}

// evict closes the store that has been idle longest; false when all are in use.
func (s *stores) evict() bool {
	var oldest *store
	for _, st := range s.open {
		if st.users == 0 && (oldest == nil || st.used.Before(oldest.used)) {
			oldest = st
		}
	}
	if oldest != nil {
		s.drop(oldest)
	}
	return oldest != nil
}

// drop closes an idle store. It must not be opened again before that is done, so the lock is held.
func (s *stores) drop(st *store) {
	if st.idle != nil {
		st.idle.Stop()
	}
	delete(s.open, st.path)
	if <-st.ready; st.err == nil {
		_ = st.local.Close()
	}
}

// leave ends one use of a store, and begins to count the time when it was the last.
func (s *stores) leave(st *store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.users--
	st.used = time.Now()
	if st.users > 0 || s.open[st.path] != st {
		return
	}
	st.idle = time.AfterFunc(s.keep, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if st.users == 0 && s.open[st.path] == st {
			s.drop(st)
		}
	})
}

// close closes all stores; calls that run are given a moment by the stores themselves.
func (s *stores) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var errs []error
	for path, st := range s.open {
		delete(s.open, path)
		if st.idle != nil {
			st.idle.Stop()
		}
		if <-st.ready; st.err == nil {
			errs = append(errs, st.local.Close())
		}
	}
	return errors.Join(errs...)
}
