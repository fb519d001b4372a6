package pgenc

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// reader takes binary forms apart. The first failure sticks.
type reader struct {
	rest  []byte
	f     *typeio.Format
	depth int
	err   error
}

// maxDepth bounds arrays of records of arrays …
const maxDepth = 64

func (r *reader) fail(code, format string, args ...any) {
	if r.err == nil {
		r.err = dberr.New(code, format, args...)
	}
	r.rest = nil
}

// bytes gives the next n bytes in place.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail(dberr.ProtocolViolation, "insufficient data left in message")
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// fixed is bytes that always gives n bytes, zeros after a failure.
func (r *reader) fixed(n int) []byte {
	if b := r.bytes(n); b != nil {
		return b
	}
	return make([]byte, n)
}

// all gives what is left, in place.
func (r *reader) all() []byte { return r.bytes(len(r.rest)) }

func (r *reader) uint8() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint16() uint16 {
	if b := r.bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) int16() int { return int(int16(r.uint16())) }
func (r *reader) int32() int { return int(int32(r.uint32())) }
func (r *reader) int64() int64 {
	return int64(r.uint64())
}

// text gives what is left as checked text.
func (r *reader) text() []byte {
	b := r.all()
	if !utf8.Valid(b) {
		r.fail(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`)
		return nil
	}
	for _, c := range b {
		if c == 0 {
			r.fail(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
			return nil
		}
	}
	return b
}

// in reads the rest as the text form of t, for types whose binary form is text.
func (r *reader) in(t *value.Type) value.Value {
	b := r.text()
	if r.err != nil {
		return value.Null
	}
	v, err := typeio.In(t, -1, value.Bytes(b).Str(), r.f)
	if err != nil {
		r.err = err
	}
	return v
}

// value reads the rest as a value of type t.
func (r *reader) value(t *value.Type) value.Value {
	base := WireType(t)
	if c, ok := scalars[base.OID]; ok {
		if c.get == nil {
			r.fail(dberr.UndefinedFunction, "no binary input function available for type %s", base.SQL)
			return value.Null
		}
		return c.get(r, base)
	}
	if r.depth++; r.depth > maxDepth {
		r.fail(dberr.StatementTooComplex, "binary value is nested too deeply")
		return value.Null
	}
	defer func() { r.depth-- }()
	return r.container(base)
}

// sized reads a length and so many bytes as a value of type t; a length of -1 is NULL.
func (r *reader) sized(t *value.Type) value.Value {
	n := r.int32()
	if n == -1 && r.err == nil {
		return value.Null
	}
	b := r.bytes(n)
	if r.err != nil {
		return value.Null
	}
	sub := reader{rest: b, f: r.f, depth: r.depth}
	v := sub.value(t)
	if sub.err == nil && len(sub.rest) > 0 {
		sub.fail(dberr.InvalidBinaryRepresentation, "improper binary format")
	}
	if sub.err != nil {
		r.err, r.rest = sub.err, nil
	}
	return v
}

// appendSized adds a value with its length; NULL is -1.
func appendSized(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	if v.IsNull() {
		return append(dst, 0xff, 0xff, 0xff, 0xff)
	}
	at := len(dst)
	dst = AppendBinary(append(dst, 0, 0, 0, 0), t, v, f)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}
