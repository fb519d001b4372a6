package pgwire

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/omgdb/omgdb/pgwire/pgenc"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// query runs a simple query: each statement is bound to the unnamed portal and executed with its rows in text form, then comes a sync.
func (c *conn) query(msg []byte) error {
	b := body{rest: msg}
	text := b.text()
	if err := b.end(); err != nil {
		return err
	}
	c.text = text
	script, err := c.sess.Script(c.ctx, text)
	if err != nil {
		return err
	}
	if script.Empty() {
		c.out.short('I')
		return c.endQuery()
	}
	for {
		p, err := script.Next(c.ctx)
		if err != nil {
			return err
		}
		if p == nil {
			return c.endQuery()
		}
		if cols := p.Columns(); cols != nil && !p.Copies() {
			c.sendRowDescription(cols, nil)
		}
		if err := c.run(p, 0); err != nil {
			return err
		}
	}
}

// endQuery ends a simple query or a run of the extended protocol: commit what is implicit, report, and wait for the next.
func (c *conn) endQuery() error {
	c.phase = ready
	if err := c.sess.Sync(c.ctx); err != nil {
		e := c.sess.Fail(c.ctx, err)
		if e.Severity == "FATAL" {
			return e
		}
		c.sendEvents()
		c.sendError(e)
	}
	c.ready()
	return c.out.flush()
}

// ready writes ReadyForQuery behind everything that the client has to hear before it.
func (c *conn) ready() {
	c.sess.ReportChanges()
	c.sendEvents()
	c.out.buf = append(c.out.buf, 'Z', 0, 0, 0, 5, c.sess.Status())
}

func (c *conn) sync(msg []byte) error {
	b := body{rest: msg}
	if err := b.end(); err != nil {
		return err
	}
	return c.endQuery()
}

func (c *conn) flushNow([]byte) error { return c.out.flush() }

func (c *conn) terminate([]byte) error { return errDone }

func (c *conn) parse(msg []byte) error {
	b := body{rest: msg}
	name, text := b.text(), b.text()
	oids := make([]uint32, b.count())
	for i := range oids {
		if o := uint32(b.int32()); o != value.Unknown.OID {
			oids[i] = o
		}
	}
	if err := b.end(); err != nil {
		return err
	}
	c.text = text
	if err := c.sess.Parse(c.ctx, name, text, oids); err != nil {
		return err
	}
	c.out.short('1')
	return nil
}

// bind decodes the parameters by the statement's types. Their memory is one copy of the message's part that holds them, so that the
// portal outlives the read buffer.
func (c *conn) bind(msg []byte) error {
	b := body{rest: msg}
	portal, name := b.text(), b.text()
	if b.err != nil {
		return b.err
	}
	st, err := c.sess.Statement(name)
	if err != nil {
		return err
	}
	c.text = st.Text()
	formats := c.readFormats(&b)
	args, err := c.readArgs(&b, portal, name, st.ParamTypes(), formats)
	if err != nil {
		return err
	}
	results := c.readFormats(&b)
	if err := b.end(); err != nil {
		return err
	}
	p, err := st.Bind(c.ctx, portal, args, results)
	if err == nil {
		err = checkResultFormats(results, p.Columns())
	}
	if err != nil {
		return err
	}
	c.out.short('2')
	return nil
}

// Result format lists that every driver sends; sharing them saves an allocation for each Bind.
var (
	allText   []int16
	allBinary = []int16{1}
)

func (c *conn) readFormats(b *body) []int16 {
	n := b.count()
	raw := b.bytes(2 * n)
	if n == 0 || raw == nil {
		return allText
	}
	uniform := true
	for i := 0; i < len(raw); i++ {
		uniform = uniform && raw[i] == byte(i&1)
	}
	if uniform && n == 1 {
		return allBinary
	}
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(raw[2*i])<<8 | int16(raw[2*i+1])
	}
	return out
}

func (c *conn) readArgs(b *body, portal, name string, types []*value.Type, formats []int16) ([]value.Value, error) {
	n := b.count()
	if b.err != nil {
		return nil, b.err
	}
	if len(formats) > 1 && len(formats) != n {
		return nil, dberr.New(dberr.ProtocolViolation, "bind message has %d parameter formats but %d parameters", len(formats), n)
	}
	if n != len(types) {
		return nil, dberr.New(dberr.ProtocolViolation, `bind message supplies %d parameters, but prepared statement "%s" requires %d`, n, name, len(types))
	}
	if n == 0 {
		return nil, nil
	}
	b.rest = append([]byte(nil), b.rest...)
	args := make([]value.Value, n)
	f := c.sess.Format()
	for i := range args {
		size := b.int32()
		if size == -1 && b.err == nil {
			continue
		}
		raw := b.bytes(size)
		if b.err != nil {
			return nil, argError(b.err, portal, i+1, false)
		}
		v, shown, err := decodeArg(types[i], raw, formatOf(formats, i), f)
		if err != nil {
			return nil, argError(err, portal, i+1, shown)
		}
		args[i] = v
	}
	return args, nil
}

// decodeArg reads a parameter's value. shown tells whether an error is about a value that was read as text.
func decodeArg(t *value.Type, raw []byte, format int16, f *typeio.Format) (v value.Value, shown bool, err error) {
	switch format {
	case 0:
		if e := checkUTF8(raw); e != nil {
			return value.Null, false, e
		}
		v, err = pgenc.DecodeText(t, raw, f)
		return v, true, err
	case 1:
		v, err = pgenc.DecodeBinary(t, raw, f)
		return v, false, err
	}
	return value.Null, false, badFormat(format)
}

// argError adds to an error which parameter it is about. Values are never shown: they may be secrets, and errors are logged.
func argError(err error, portal string, n int, shown bool) error {
	e := *dberr.As(err)
	if e.Code == dberr.InvalidBinaryRepresentation && e.Message == pgenc.TrailingData {
		e.Message += fmt.Sprintf(" in bind parameter %d", n)
	}
	where := fmt.Sprintf("unnamed portal parameter $%d", n)
	if portal != "" {
		where = fmt.Sprintf(`portal "%s" parameter $%d`, portal, n)
	}
	if shown {
		where += " = '...'"
	}
	if e.Where != "" {
		where = e.Where + "\n" + where
	}
	e.Where = where
	return &e
}

func badFormat(f int16) error {
	return dberr.New(dberr.InvalidParameterValue, "unsupported format code: %d", f)
}

// formatOf gives the format code of column or parameter i: none means text, one stands for all.
func formatOf(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return 0
	case 1:
		return formats[0]
	}
	return formats[i]
}

func checkResultFormats(formats []int16, cols value.Schema) error {
	if len(formats) > 1 && len(formats) != len(cols) {
		return dberr.New(dberr.ProtocolViolation, "bind message has %d result formats but query has %d columns", len(formats), len(cols))
	}
	return nil
}

func (c *conn) describe(msg []byte) error {
	b := body{rest: msg}
	kind, name := b.byte(), b.text()
	if err := b.end(); err != nil {
		return err
	}
	switch kind {
	case 'S':
		st, err := c.sess.Statement(name)
		if err != nil {
			return err
		}
		oids := make([]uint32, len(st.ParamTypes()))
		for i, t := range st.ParamTypes() {
			oids[i] = t.OID
		}
		if err := c.sess.MayDescribe(st.Columns()); err != nil {
			return err
		}
		c.out.put(&pgproto3.ParameterDescription{ParameterOIDs: oids})
		c.describeRows(st.Columns(), nil)
	case 'P':
		p, err := c.sess.Portal(name)
		if err != nil {
			return err
		}
		if err := c.sess.MayDescribe(p.Columns()); err != nil {
			return err
		}
		c.describeRows(p.Columns(), p.Formats)
	default:
		return dberr.New(dberr.ProtocolViolation, "invalid DESCRIBE message subtype %d", kind)
	}
	return nil
}

func (c *conn) describeRows(cols value.Schema, formats []int16) {
	if cols == nil {
		c.out.short('n')
		return
	}
	c.sendRowDescription(cols, formats)
}

func (c *conn) execute(msg []byte) error {
	b := body{rest: msg}
	name, max := b.text(), b.int32()
	if err := b.end(); err != nil {
		return err
	}
	p, err := c.sess.Portal(name)
	if err != nil {
		return err
	}
	c.text = p.Text()
	return c.run(p, max)
}

func (c *conn) close(msg []byte) error {
	b := body{rest: msg}
	kind, name := b.byte(), b.text()
	if err := b.end(); err != nil {
		return err
	}
	switch kind {
	case 'S':
		c.sess.CloseStatement(name)
	case 'P':
		c.sess.ClosePortal(name)
	default:
		return dberr.New(dberr.ProtocolViolation, "invalid CLOSE message subtype %d", kind)
	}
	c.out.short('3')
	return nil
}

// run executes a portal: at most max rows of it, 0 or less for all. CommandComplete, PortalSuspended or EmptyQueryResponse ends its
// answer.
func (c *conn) run(p *session.Portal, max int) error {
	if p.Empty() {
		c.out.short('I')
		return nil
	}
	if p.Copies() {
		return c.copy(p)
	}
	max = maxRows(max, p)
	shown, err := c.sendRows(c.ctx, p, max)
	if err != nil {
		return err
	}
	c.sendEvents()
	if max > 0 && shown == int64(max) {
		c.out.short('s')
		return nil
	}
	c.complete(p, shown)
	return nil
}

// maxRows takes the limit away from statements that show no rows.
func maxRows(max int, p *session.Portal) int {
	if max < 0 || p.Columns() == nil {
		return 0
	}
	return max
}

func (c *conn) complete(p *session.Portal, shown int64) {
	at := c.out.begin('C')
	c.out.buf = append(p.AppendTag(c.out.buf, shown), 0)
	c.out.end(at)
}

// sendRows fetches and sends rows until the portal's end, or until max are sent.
func (c *conn) sendRows(ctx context.Context, p *session.Portal, max int) (int64, error) {
	var shown int64
	first := true
	for {
		want := 0
		if max > 0 {
			if want = max - int(shown); want == 0 {
				return shown, nil
			}
		}
		b, done, err := p.Fetch(ctx, want)
		if err != nil {
			return shown, err
		}
		if b != nil {
			if first {
				if err := c.prepareEncoders(p.Columns(), p.Formats); err != nil {
					return shown, err
				}
				first = false
			}
			if err := c.sendBatch(ctx, b); err != nil {
				return shown, err
			}
			shown += int64(b.Rows())
			if p.Waits() && !done {
				if err := c.push(ctx); err != nil {
					return shown, err
				}
			}
		}
		if done {
			return shown, nil
		}
	}
}
