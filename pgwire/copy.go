package pgwire

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/omgdb/omgdb/pgwire/pgenc"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage/dberr"
)

// copy runs a COPY statement whose other end is the client.
func (c *conn) copy(p *session.Portal) error {
	info, err := p.StartCopy(c.ctx)
	if err != nil {
		return err
	}
	if info.In {
		c.sendCopyResponse('G', info)
		err = c.copyIn(p)
	} else {
		c.sendCopyResponse('H', info)
		err = p.CopyOut(c.ctx, copySink{c, c.ctx}, pgenc.Codec{})
		if err == nil {
			c.out.short('c')
		}
	}
	if err != nil {
		return err
	}
	c.sendEvents()
	c.complete(p, 0)
	return nil
}

func (c *conn) sendCopyResponse(typ byte, info session.CopyInfo) {
	format := byte(0)
	if info.Binary {
		format = 1
	}
	at := c.out.begin(typ)
	b := append(c.out.buf, format)
	b = binary.BigEndian.AppendUint16(b, uint16(info.Columns))
	for range info.Columns {
		b = append(b, 0, format)
	}
	c.out.buf = b
	c.out.end(at)
}

// copyIn lets the portal read the client's data.
func (c *conn) copyIn(p *session.Portal) error {
	if err := c.out.flush(); err != nil {
		return err
	}
	c.phase = copyIn
	src := &copySource{c: c}
	err := p.CopyIn(c.ctx, src, pgenc.Codec{})
	c.phase = ready
	if src.err != nil && !errors.Is(err, src.err) {
		err = src.err // what the client did counts, not what the reader made of it
	}
	if src.lost {
		c.sendError(c.sess.Fail(c.ctx, err))
		return fatal(dberr.ProtocolViolation, "terminating connection because protocol synchronization was lost")
	}
	return err
}

// copySource reads the data of CopyData messages; the end is CopyDone.
type copySource struct {
	c    *conn
	rest []byte
	done bool
	err  error // why the copy cannot go on, if it is the client's doing
	lost bool  // the client sent something that has no place in a copy
}

func (s *copySource) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.done {
			return 0, io.EOF
		}
		if s.err != nil {
			return 0, s.err
		}
		if err := s.next(); err != nil {
			s.err = err
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Idle tells that the next Read would wait for the client.
func (s *copySource) Idle() bool { return len(s.rest) == 0 && !s.done && s.c.in.buffered() == 0 }

// next reads one message.
func (s *copySource) next() error {
	typ, msg, err := s.c.in.next()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if err := s.c.woken(); err != nil {
			return err
		}
		return context.Cause(s.c.ctx)
	}
	if err != nil {
		return err
	}
	step := machine[copyIn][typ]
	if step == nil {
		s.lost = true
		return dberr.New(dberr.ProtocolViolation, "unexpected message type 0x%02X during COPY from stdin", typ)
	}
	switch typ {
	case 'd':
		s.rest = msg
	case 'c':
		s.done = true
	case 'f':
		b := body{rest: msg}
		why := b.text()
		if err := b.end(); err != nil {
			return err
		}
		return dberr.New(dberr.QueryCanceled, "COPY from stdin failed: %s", why)
	}
	return nil
}

// copySink sends each Write as one CopyData message.
type copySink struct {
	c   *conn
	ctx context.Context
}

func (s copySink) Write(p []byte) (int, error) {
	at := s.c.out.begin('d')
	s.c.out.buf = append(s.c.out.buf, p...)
	s.c.out.end(at)
	if len(s.c.out.buf) >= flushAt {
		if err := s.c.push(s.ctx); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
