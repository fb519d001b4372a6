package pgwire

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/omgdb/omgdb/pgwire/pgenc"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage/dberr"
)

// conn is one client's connection. Its goroutine runs serve; others may only wake it.
type conn struct {
	srv   *Server
	nc    net.Conn
	in    *reader
	out   writer
	sess  *session.Session
	phase phase
	ctx   context.Context // of the message being handled, lent by the session

	alert    atomic.Bool       // wake was called
	draining atomic.Bool       // the server wants to end: so does the session as soon as it is idle
	idleAt   time.Time         // when the wait for the client ends by an idle timeout; zero: never
	text     string            // query text that error positions refer to
	shown    *x509.Certificate // the server's, as this connection has seen it; nil without TLS
	enc      []pgenc.Encoder
}

func newConn(s *Server, nc net.Conn) *conn {
	return &conn{srv: s, nc: nc, in: newReader(nc, s.sessions.MaxMessage()), out: writer{dst: nc}}
}

// past is a read deadline that has been.
var past = time.Unix(1, 0)

// wake makes a wait for the client end, the present one or the next. Any goroutine may call it.
func (c *conn) wake() {
	c.alert.Store(true) // first: whoever sets the deadline looks at alert afterwards
	_ = c.nc.SetReadDeadline(past)
}

// drain makes the connection end as soon as its session is idle.
func (c *conn) drain() {
	c.draining.Store(true)
	c.wake()
}

// serve runs the connection from its first byte to its end.
func (c *conn) serve() {
	defer c.contain()
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		cancel()
		_ = c.nc.Close()
	}()
	if err := c.open(ctx); err != nil {
		c.farewell(err)
		return
	}
	defer c.sess.Close()
	c.farewell(c.loop())
}

// contain keeps a panic outside of statements from ending the process: it ends the connection.
func (c *conn) contain() {
	if r := recover(); r != nil {
		c.srv.log.Error("panic", "remote", c.nc.RemoteAddr().String(), "query", c.text, "panic", r, "stack", string(debug.Stack()))
		_ = c.nc.Close()
	}
}

// farewell tells the client a fatal error, if the reason of the end is one.
func (c *conn) farewell(err error) {
	var e *dberr.Error
	switch {
	case err == nil, err == errDone, err == io.EOF:
	case errors.As(err, &e):
		c.sendError(e)
	case errors.Is(err, errFrame), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded):
		c.srv.log.Info("connection ended", "remote", c.nc.RemoteAddr().String(), "reason", err.Error())
	default:
		c.srv.log.Debug("connection ended", "remote", c.nc.RemoteAddr().String(), "reason", err.Error())
	}
	_ = c.nc.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_ = c.out.flush()
}

// open takes the connection through start-up and authentication and begins the session; ctx lives as long as that.
func (c *conn) open(ctx context.Context) error {
	_ = c.nc.SetReadDeadline(time.Now().Add(c.srv.sessions.AuthTimeout()))
	h, err := c.handshake()
	if err != nil {
		return err
	}
	owner, err := c.authenticate(h)
	if err != nil {
		return err
	}
	c.out.put(&pgproto3.AuthenticationOk{})
	s, err := c.srv.sessions.NewSession(ctx, session.SessionOptions{
		User: h.user, Database: h.database, Remote: c.nc.RemoteAddr(), Local: c.nc.LocalAddr(), Trusted: owner, Settings: h.settings, Wake: c.wake,
	})
	if err != nil {
		return err
	}
	c.sess = s
	_ = c.nc.SetReadDeadline(time.Time{})
	for _, p := range s.Parameters() {
		c.out.put(&pgproto3.ParameterStatus{Name: p.Name, Value: p.Value})
	}
	c.out.put(&pgproto3.BackendKeyData{ProcessID: uint32(s.PID()), SecretKey: s.Key()})
	c.ready()
	return c.out.flush()
}

// loop serves messages until the client leaves or something ends the connection.
func (c *conn) loop() error {
	for {
		typ, msg, err := c.receive()
		if err != nil {
			return err
		}
		if err := c.handle(typ, msg); err != nil {
			return err
		}
	}
}

// receive waits for the next message. While it waits the session is idle: it can time out, be woken for notifications, and end.
func (c *conn) receive() (byte, []byte, error) {
	for {
		if c.in.buffered() == 0 {
			if err := c.rest(); err != nil {
				return 0, nil, err
			}
		}
		typ, msg, err := c.in.next()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if err := c.woken(); err != nil {
				return 0, nil, err
			}
			continue
		}
		if c.idleAt != (time.Time{}) {
			c.idleAt = time.Time{}
			_ = c.nc.SetReadDeadline(time.Time{})
		}
		return typ, msg, err
	}
}

// rest prepares for a wait: it sets the clock of the idle timeouts, if there is one, and looks whether somebody has called.
func (c *conn) rest() error {
	if c.phase != ready {
		return nil
	}
	c.sess.Idle()
	if d, _ := c.sess.IdleTimeout(); d > 0 {
		c.idleAt = time.Now().Add(d)
		_ = c.nc.SetReadDeadline(c.idleAt)
	}
	if c.alert.Load() || c.draining.Load() {
		return c.woken()
	}
	return nil
}

// woken does what a wait was interrupted for. The deadline is taken back before anything is looked at, so that a call which comes
// meanwhile interrupts the next wait.
func (c *conn) woken() error {
	c.alert.Store(false)
	expired := c.idleAt != (time.Time{}) && !time.Now().Before(c.idleAt)
	_ = c.nc.SetReadDeadline(c.idleAt)
	if e := c.sess.Ended(); e != nil {
		return e
	}
	if c.phase != ready {
		return nil
	}
	if expired {
		_, e := c.sess.IdleTimeout()
		return e
	}
	if c.draining.Load() && c.sess.Status() == 'I' {
		return fatal(dberr.AdminShutdown, "terminating connection due to administrator command")
	}
	c.sendEvents()
	return c.out.flush()
}

// handle does one message. A panic below it is this session's alone: it is logged with its stack and reported as an internal error.
func (c *conn) handle(typ byte, msg []byte) (err error) {
	e := machine[c.phase][typ]
	if e == nil {
		return fatal(dberr.ProtocolViolation, "invalid frontend message type %d", typ)
	}
	c.ctx = c.sess.Enter()
	defer c.sess.Leave()
	defer func() {
		if r := recover(); r != nil {
			c.out.drop()
			c.srv.log.Error("panic", "pid", c.sess.PID(), "query", c.text, "panic", r, "stack", string(debug.Stack()))
			err = c.failed(typ, dberr.New(dberr.InternalError, "internal error: %v", r).
				WithHint("This is a bug in OMGDB; the server's log has the details. Please report it."))
		}
	}()
	if c.ctx.Err() != nil && c.phase == ready { // the statement's time was up before this part of it came
		if err := c.failed(typ, context.Cause(c.ctx)); err != nil || typ != 'S' {
			return err
		}
		c.ctx = c.sess.Enter()
	}
	if err := e.do(c, msg); err != nil {
		return c.failed(typ, err)
	}
	return nil
}

// failed reports what a message ran into. The session learns of it; the extended protocol then skips to the next Sync, a simple query
// ends. Errors of the connection itself, and fatal ones, end it.
func (c *conn) failed(typ byte, err error) error {
	if isBroken(err) || c.out.err != nil {
		return err
	}
	e := c.sess.Fail(c.ctx, err)
	if e.Code == dberr.InternalError {
		c.logInternal(e)
	}
	if e.Severity == "FATAL" {
		return e
	}
	c.sendEvents()
	c.sendError(e)
	if typ == 'Q' || typ == 'F' {
		return c.endQuery()
	}
	if typ != 'S' {
		c.phase = skipping
	}
	return c.out.flush() // the client may be waiting for an answer without having sent Sync
}

// logInternal logs an error that is a fault of OMGDB, with the stack of the panic that it was, if it was one.
func (c *conn) logInternal(e *dberr.Error) {
	attrs := []any{"pid", c.sess.PID(), "query", c.text, "error", e.Message}
	var p *eval.Panic
	if errors.As(e, &p) {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	c.srv.log.Error("internal error", attrs...)
}

// isBroken tells whether an error is the connection's: then there is nobody to tell it to.
func isBroken(err error) bool {
	var ne net.Error
	return err == errDone || err == errFrame || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &ne) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe)
}
