package pgwire

import (
	"context"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/omgdb/omgdb/pgwire/pgenc"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// sendRowDescription writes the shape of a result. Domains show as the types that they stand on, as in PostgreSQL.
func (c *conn) sendRowDescription(cols value.Schema, formats []int16) {
	at := c.out.begin('T')
	b := binary.BigEndian.AppendUint16(c.out.buf, uint16(len(cols)))
	for i, f := range cols {
		t, mod := typeio.BaseMod(f.Type, f.Mod)
		b = append(append(b, f.Name...), 0)
		b = binary.BigEndian.AppendUint32(b, f.Table)
		b = binary.BigEndian.AppendUint16(b, uint16(f.Attr))
		b = binary.BigEndian.AppendUint32(b, t.OID)
		b = binary.BigEndian.AppendUint16(b, uint16(t.Len))
		b = binary.BigEndian.AppendUint32(b, uint32(mod))
		b = binary.BigEndian.AppendUint16(b, uint16(formatOf(formats, i)))
	}
	c.out.buf = b
	c.out.end(at)
}

// prepareEncoders chooses how each column's values are written.
func (c *conn) prepareEncoders(cols value.Schema, formats []int16) error {
	c.enc = c.enc[:0]
	f := c.sess.Format()
	for i := range cols {
		code := formatOf(formats, i)
		if code != 0 && code != 1 {
			return badFormat(code)
		}
		c.enc = append(c.enc, pgenc.NewEncoder(cols[i].Type, code == 1, f))
	}
	return nil
}

// sendBatch writes a DataRow for each row, straight from the columns, and pushes the buffer to the client whenever it is full.
func (c *conn) sendBatch(ctx context.Context, b *batch.Batch) error {
	n := b.Rows()
	for i := range n {
		row := b.Row(i)
		at := c.out.begin('D')
		buf := binary.BigEndian.AppendUint16(c.out.buf, uint16(len(c.enc)))
		for k := range c.enc {
			col := b.Cols[k]
			if col.IsNull(row) {
				buf = append(buf, 0xff, 0xff, 0xff, 0xff)
				continue
			}
			size := len(buf)
			buf = c.enc[k].Append(append(buf, 0, 0, 0, 0), col, row)
			binary.BigEndian.PutUint32(buf[size:], uint32(len(buf)-size-4))
		}
		c.out.buf = buf
		c.out.end(at)
		if len(buf) >= flushAt {
			if err := c.push(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// push sends what is buffered in the middle of a result, and looks whether the statement is still wanted.
func (c *conn) push(ctx context.Context) error {
	if err := c.out.flush(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// sendEvents writes what the session has to tell beside results.
func (c *conn) sendEvents() {
	for _, e := range c.sess.Events() {
		switch {
		case e.Notice != nil:
			m := pgproto3.NoticeResponse(*c.errorFields(e.Notice))
			c.out.put(&m)
		case e.Notification != nil:
			c.out.put(&pgproto3.NotificationResponse{PID: uint32(e.Notification.PID), Channel: e.Notification.Channel, Payload: e.Notification.Payload})
		case e.Parameter != nil:
			c.out.put(&pgproto3.ParameterStatus{Name: e.Parameter.Name, Value: e.Parameter.Value})
		}
	}
}

func (c *conn) sendError(e *dberr.Error) { c.out.put(c.errorFields(e)) }

// errorFields gives an error as the protocol shows it. The position is counted in characters of the query text.
func (c *conn) errorFields(e *dberr.Error) *pgproto3.ErrorResponse {
	sev := e.Severity
	if sev == "" {
		sev = "ERROR"
	}
	m := &pgproto3.ErrorResponse{
		Severity: sev, SeverityUnlocalized: sev, Code: e.Code, Message: clean(e.Message), Detail: clean(e.Detail), Hint: clean(e.Hint), Where: clean(e.Where),
		SchemaName: e.Schema, TableName: e.Table, ColumnName: e.Column, DataTypeName: e.DataType, ConstraintName: e.Constraint, Routine: e.Routine,
	}
	if p := e.Position; p > 0 && p-1 <= len(c.text) {
		m.Position = int32(utf8.RuneCountInString(c.text[:p-1]) + 1)
	}
	return m
}

// clean makes a text fit for a protocol string, which ends at the first zero byte.
func clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
