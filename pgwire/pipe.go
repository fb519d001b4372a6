package pgwire

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// newPipe gives the two ends of a connection inside this process. Unlike net.Pipe it buffers, as a socket does: a writer waits only
// while pipeBuffer bytes lie unread.
func newPipe() (net.Conn, net.Conn) {
	a, b := newHalf(), newHalf()
	return &pipeEnd{in: a, out: b}, &pipeEnd{in: b, out: a}
}

const pipeBuffer = 256 << 10

// half is one direction of a pipe.
type half struct {
	mu      sync.Mutex
	cond    sync.Cond
	buf     []byte
	r       int // buf[r:] is unread
	closed  bool
	readers deadline
	writers deadline
}

// deadline is when waits end; its timer wakes those who wait.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func newHalf() *half {
	h := &half{}
	h.cond.L = &h.mu
	return h
}

func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.r == len(h.buf) {
		if h.readers.passed() {
			return 0, os.ErrDeadlineExceeded
		}
		if h.closed {
			return 0, io.EOF
		}
		h.cond.Wait()
	}
	if h.readers.passed() {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(p, h.buf[h.r:])
	h.r += n
	if h.r == len(h.buf) {
		h.buf, h.r = h.buf[:0], 0
	}
	h.cond.Broadcast()
	return n, nil
}

func (h *half) write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	written := 0
	for len(p) > 0 {
		room := pipeBuffer - (len(h.buf) - h.r)
		switch {
		case h.closed:
			return written, io.ErrClosedPipe
		case h.writers.passed():
			return written, os.ErrDeadlineExceeded
		case room <= 0:
			h.cond.Wait()
			continue
		}
		if h.r > 0 && len(h.buf)+room > cap(h.buf) {
			h.buf = h.buf[:copy(h.buf, h.buf[h.r:])]
			h.r = 0
		}
		n := min(room, len(p))
		h.buf = append(h.buf, p[:n]...)
		p, written = p[n:], written+n
		h.cond.Broadcast()
	}
	return written, nil
}

func (h *half) close() {
	h.mu.Lock()
	h.closed = true
	h.cond.Broadcast()
	h.mu.Unlock()
}

// set changes one of the half's deadlines and wakes whoever waits under the old one.
func (h *half) set(d *deadline, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.at = at
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if wait := time.Until(at); !at.IsZero() && wait > 0 {
		d.timer = time.AfterFunc(wait, func() {
			h.mu.Lock()
			h.cond.Broadcast()
			h.mu.Unlock()
		})
	}
	h.cond.Broadcast()
}

// pipeEnd is one end of a pipe.
type pipeEnd struct{ in, out *half }

// Read implements net.Conn.
func (e *pipeEnd) Read(p []byte) (int, error) { return e.in.read(p) }

// Write implements net.Conn.
func (e *pipeEnd) Write(p []byte) (int, error) { return e.out.write(p) }

// Close ends both directions; what was written before can still be read by the other end.
func (e *pipeEnd) Close() error {
	e.in.close()
	e.out.close()
	return nil
}

// LocalAddr implements net.Conn.
func (e *pipeEnd) LocalAddr() net.Addr { return pipeAddr{} }

// RemoteAddr implements net.Conn.
func (e *pipeEnd) RemoteAddr() net.Addr { return pipeAddr{} }

// SetDeadline implements net.Conn.
func (e *pipeEnd) SetDeadline(t time.Time) error {
	_ = e.SetReadDeadline(t)
	return e.SetWriteDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (e *pipeEnd) SetReadDeadline(t time.Time) error {
	e.in.set(&e.in.readers, t)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (e *pipeEnd) SetWriteDeadline(t time.Time) error {
	e.out.set(&e.out.writers, t)
	return nil
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "in-process" }
