package pgwire

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/omgdb/omgdb/planner/session"
)

// Server serves connections over a session.Server. It owns the listeners given to Serve; the session server stays its maker's.
type Server struct {
	sessions *session.Server
	log      *slog.Logger
	insecure bool
	tls      *TLS // nil: none

	mu        sync.Mutex
	listeners map[net.Listener]bool
	conns     map[*conn]bool
	closing   bool
	wg        sync.WaitGroup // of connections
}

// Options configure a Server.
type Options struct {
	Logger *slog.Logger
	// TLS encrypts connections of clients that ask for it; nil refuses them.
	TLS *TLS
	// Insecure lets clients of other machines in although there are no passwords.
	Insecure bool
}

// New makes a server over sessions.
func New(sessions *session.Server, o Options) *Server {
	s := &Server{sessions: sessions, log: o.Logger, insecure: o.Insecure, tls: o.TLS, listeners: map[net.Listener]bool{}, conns: map[*conn]bool{}}
	if s.log == nil {
		s.log = slog.Default()
	}
	return s
}

// Serve takes connections from l until Shutdown or until l fails. It closes l.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		_ = l.Close()
		return net.ErrClosed
	}
	s.listeners[l] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.listeners, l)
		s.mu.Unlock()
		_ = l.Close()
	}()
	for {
		nc, err := l.Accept()
		if err == nil {
			s.Attach(nc)
			continue
		}
		if s.isClosing() || errors.Is(err, net.ErrClosed) {
			return nil
		}
		var temporary interface{ Temporary() bool }
		if errors.As(err, &temporary) && temporary.Temporary() { // out of file descriptors: others may close theirs
			s.log.Error("cannot accept a connection", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		return err
	}
}

// Attach serves one connection in a goroutine of its own and closes it in the end.
func (s *Server) Attach(nc net.Conn) {
	c := newConn(s, nc)
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		_ = nc.Close()
		return
	}
	s.conns[c] = true
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer func() {
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
			s.wg.Done()
		}()
		c.serve()
	}()
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// Shutdown stops taking connections, lets transactions that are open end until ctx is done, then ends all sessions and waits for
// them. Idle sessions are ended at once.
func (s *Server) Shutdown(ctx context.Context) {
	s.mu.Lock()
	s.closing = true
	for l := range s.listeners {
		_ = l.Close()
	}
	for c := range s.conns {
		c.drain()
	}
	s.mu.Unlock()
	s.sessions.Refuse()
	gone := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return
	case <-ctx.Done():
	}
	s.sessions.Close()
	select {
	case <-gone:
	case <-time.After(5 * time.Second): // stuck in a write to a client that doesn't read
		s.mu.Lock()
		for c := range s.conns {
			_ = c.nc.Close()
		}
		s.mu.Unlock()
		<-gone
	}
}
