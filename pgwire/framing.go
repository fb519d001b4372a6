package pgwire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
)

const (
	// readBuffer is what a connection starts with; it grows while a longer message arrives and shrinks back after it.
	readBuffer = 8 << 10
	keepBuffer = 256 << 10
	// flushAt is the size of pending output at which rows are pushed to the client without being asked.
	flushAt = 32 << 10
	// smallMessage bounds the messages that never carry data, as PostgreSQL bounds them.
	smallMessage = 10000
)

// errFrame reports a length word that no sane client sends. Nothing can be read after it: the connection just ends.
var errFrame = errors.New("pgwire: invalid message length")

// reader cuts the incoming bytes into messages. Its buffer grows only as bytes really arrive (to at most twice of them), so a length
// word by itself never makes it allocate. A failed read loses nothing: after a deadline next may be called again.
type reader struct {
	src   io.Reader
	buf   []byte
	r, w  int // unread bytes are buf[r:w]
	limit int // largest body of a message that carries data
}

func newReader(src io.Reader, limit int) *reader {
	return &reader{src: src, buf: make([]byte, readBuffer), limit: limit}
}

// peek gives the next byte without consuming it.
func (in *reader) peek() (byte, error) {
	if err := in.need(1); err != nil {
		return 0, err
	}
	return in.buf[in.r], nil
}

// rest gives a connection that reads what is buffered here before it reads nc, and writes to nc.
func (in *reader) rest(nc net.Conn) net.Conn {
	return &resumed{Conn: nc, ahead: append([]byte(nil), in.buf[in.r:in.w]...)}
}

// resumed is a connection some of whose bytes have been read already.
type resumed struct {
	net.Conn
	ahead []byte
}

func (r *resumed) Read(p []byte) (int, error) {
	if len(r.ahead) > 0 {
		n := copy(p, r.ahead)
		r.ahead = r.ahead[n:]
		return n, nil
	}
	return r.Conn.Read(p)
}

// buffered tells how many bytes have arrived and are not consumed yet.
func (in *reader) buffered() int { return in.w - in.r }

// next gives the type and the body of the next message; the body is valid until the following call.
// The end of the stream between two messages is io.EOF, inside of one io.ErrUnexpectedEOF.
func (in *reader) next() (byte, []byte, error) {
	if err := in.need(5); err != nil {
		return 0, nil, err
	}
	typ := in.buf[in.r]
	size := binary.BigEndian.Uint32(in.buf[in.r+1:])
	limit := smallMessage
	if carriesData(typ) {
		limit = in.limit
	}
	if size < 4 || int64(size)-4 > int64(limit) {
		return typ, nil, errFrame
	}
	total := 1 + int(size)
	if err := in.need(total); err != nil {
		return typ, nil, err
	}
	body := in.buf[in.r+5 : in.r+total]
	in.r += total
	return typ, body, nil
}

func carriesData(typ byte) bool {
	switch typ {
	case 'Q', 'P', 'B', 'F', 'd':
		return true
	}
	return false
}

// take gives the next n raw bytes, for the packets before the protocol proper. Valid like a body.
func (in *reader) take(n int) ([]byte, error) {
	if err := in.need(n); err != nil {
		return nil, err
	}
	b := in.buf[in.r : in.r+n]
	in.r += n
	return b, nil
}

// need waits until n unread bytes are buffered.
func (in *reader) need(n int) error {
	if in.w-in.r >= n {
		return nil
	}
	in.makeRoom(n)
	for in.w-in.r < n {
		if in.w == len(in.buf) {
			grown := make([]byte, min(2*len(in.buf), in.r+n))
			copy(grown, in.buf[:in.w])
			in.buf = grown
		}
		k, err := in.src.Read(in.buf[in.w:])
		in.w += k
		if err != nil && in.w-in.r < n {
			if err == io.EOF && in.w > in.r {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// makeRoom moves the unread bytes to the front when n don't fit behind them, and gives back a buffer grown by a long message.
func (in *reader) makeRoom(n int) {
	unread := in.w - in.r
	if len(in.buf) > keepBuffer && n <= readBuffer && unread <= readBuffer {
		small := make([]byte, readBuffer)
		copy(small, in.buf[in.r:in.w])
		in.buf, in.r, in.w = small, 0, unread
		return
	}
	if in.r > 0 && (unread == 0 || in.r+n > len(in.buf)) {
		copy(in.buf, in.buf[in.r:in.w])
		in.r, in.w = 0, unread
	}
}

// writer gathers messages; one flush is one write to the connection. After a failed write everything is dropped: the reader's side
// finds the connection broken.
type writer struct {
	dst  io.Writer
	buf  []byte
	err  error
	half int // one more than the position of a message that was begun and has not ended; 0 when there is none
}

// begin starts a message of type typ and gives the position that end needs.
func (o *writer) begin(typ byte) int {
	o.half = len(o.buf) + 1
	o.buf = append(o.buf, typ, 0, 0, 0, 0)
	return len(o.buf) - 4
}

// end fills in the length of the message begun at position at.
func (o *writer) end(at int) {
	o.half = 0
	binary.BigEndian.PutUint32(o.buf[at:], uint32(len(o.buf)-at))
}

// drop takes back a message that a panic left unfinished, so that the client can read what follows.
func (o *writer) drop() {
	if o.half > 0 {
		o.buf, o.half = o.buf[:o.half-1], 0
	}
}

// short writes a message without a body.
func (o *writer) short(typ byte) { o.buf = append(o.buf, typ, 0, 0, 0, 4) }

// encoder is any of pgproto3's backend messages.
type encoder interface {
	Encode(dst []byte) ([]byte, error)
}

// put appends a message coded by pgproto3.
func (o *writer) put(m encoder) {
	buf, err := m.Encode(o.buf)
	if err != nil { // only a message beyond 1 GiB
		o.err = err
		return
	}
	o.buf = buf
}

func (o *writer) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.dst.Write(o.buf)
	}
	if cap(o.buf) > keepBuffer {
		o.buf = nil
	} else {
		o.buf = o.buf[:0]
	}
	return o.err
}

// body reads the fields of one message. The first failure sticks; end reports it.
type body struct {
	rest []byte
	err  *dberr.Error
}

func (b *body) fail(format string, args ...any) {
	if b.err == nil {
		b.err = dberr.New(dberr.ProtocolViolation, format, args...)
	}
	b.rest = nil
}

// bytes gives the next n bytes, aliasing the message.
func (b *body) bytes(n int) []byte {
	if n < 0 || n > len(b.rest) {
		b.fail("insufficient data left in message")
		return nil
	}
	v := b.rest[:n:n]
	b.rest = b.rest[n:]
	return v
}

func (b *body) int16() int {
	v := b.bytes(2)
	if v == nil {
		return 0
	}
	return int(int16(binary.BigEndian.Uint16(v)))
}

func (b *body) count() int {
	v := b.bytes(2)
	if v == nil {
		return 0
	}
	return int(binary.BigEndian.Uint16(v))
}

func (b *body) int32() int {
	v := b.bytes(4)
	if v == nil {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(v)))
}

func (b *body) byte() byte {
	v := b.bytes(1)
	if v == nil {
		return 0
	}
	return v[0]
}

// cstring gives the bytes up to the next zero, without it.
func (b *body) cstring() []byte {
	for i, c := range b.rest {
		if c == 0 {
			v := b.rest[:i:i]
			b.rest = b.rest[i+1:]
			return v
		}
	}
	b.fail("invalid string in message")
	return nil
}

// text is cstring as a checked string of its own memory.
func (b *body) text() string {
	v := b.cstring()
	if err := checkUTF8(v); err != nil && b.err == nil {
		b.err = err
	}
	return string(v)
}

// end tells whether the message had exactly the fields that were read.
func (b *body) end() error {
	if b.err == nil && len(b.rest) > 0 {
		b.fail("invalid message format")
	}
	if b.err != nil {
		return b.err
	}
	return nil
}

// checkUTF8 refuses text that isn't UTF-8 or has a zero byte in it, showing the first bad sequence as PostgreSQL does.
func checkUTF8(b []byte) *dberr.Error {
	if utf8.Valid(b) && indexZero(b) < 0 {
		return nil
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if b[i] != 0 && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		seq := ""
		for _, c := range b[i:min(len(b), i+sequenceLen(b[i]))] {
			const hex = "0123456789abcdef"
			if seq != "" {
				seq += " "
			}
			seq += "0x" + string(hex[c>>4]) + string(hex[c&15])
		}
		return dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": %s`, seq)
	}
	return nil
}

func indexZero(b []byte) int {
	for i, c := range b {
		if c == 0 {
			return i
		}
	}
	return -1
}

// sequenceLen is the length that a UTF-8 lead byte promises; 1 for a byte that leads nothing.
func sequenceLen(lead byte) int {
	switch {
	case lead&0xe0 == 0xc0:
		return 2
	case lead&0xf0 == 0xe0:
		return 3
	case lead&0xf8 == 0xf0:
		return 4
	}
	return 1
}
