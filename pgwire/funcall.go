package pgwire

import (
	"encoding/binary"

	"github.com/omgdb/omgdb/pgwire/pgenc"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// functionCall calls one function by its OID, the protocol's oldest interface. ReadyForQuery follows.
func (c *conn) functionCall(msg []byte) error {
	b := body{rest: msg}
	oid := uint32(b.int32())
	if b.err != nil {
		return b.err
	}
	fn, err := c.sess.Function(oid)
	if err != nil {
		return err
	}
	formats := c.readFormats(&b)
	types := make([]*value.Type, len(fn.Params))
	for i, p := range fn.Params {
		types[i] = p.Type
	}
	args, err := c.functionArgs(&b, types, formats)
	if err != nil {
		return err
	}
	format := int16(b.int16())
	if err := b.end(); err != nil {
		return err
	}
	if format != 0 && format != 1 {
		return badFormat(format)
	}
	v, err := c.sess.CallFunction(c.ctx, fn, args)
	if err != nil {
		return err
	}
	at := c.out.begin('V')
	if v.IsNull() {
		c.out.buf = append(c.out.buf, 0xff, 0xff, 0xff, 0xff)
	} else {
		size := len(c.out.buf)
		e := pgenc.NewEncoder(fn.Ret, format == 1, c.sess.Format())
		c.out.buf = e.Value(append(c.out.buf, 0, 0, 0, 0), v)
		binary.BigEndian.PutUint32(c.out.buf[size:], uint32(len(c.out.buf)-size-4))
	}
	c.out.end(at)
	return c.endQuery()
}

func (c *conn) functionArgs(b *body, types []*value.Type, formats []int16) ([]value.Value, error) {
	n := b.count()
	if b.err != nil {
		return nil, b.err
	}
	if n != len(types) {
		return nil, dberr.New(dberr.ProtocolViolation, "function call message contains %d arguments but function requires %d", n, len(types))
	}
	if len(formats) > 1 && len(formats) != n {
		return nil, dberr.New(dberr.ProtocolViolation, "function call message contains %d argument formats but %d arguments", len(formats), n)
	}
	b.rest = append([]byte(nil), b.rest...)
	args := make([]value.Value, n)
	for i := range args {
		size := b.int32()
		if size == -1 && b.err == nil {
			continue
		}
		raw := b.bytes(size)
		if b.err != nil {
			return nil, b.err
		}
		v, _, err := decodeArg(types[i], raw, formatOf(formats, i), c.sess.Format())
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return args, nil
}
