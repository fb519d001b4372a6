package session

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// rowWriter writes rows in a format of COPY TO, one Write a row.
type rowWriter struct {
	opt   *plan.CopyOptions
	cols  []plan.Col
	dst   io.Writer
	f     *typeio.Format
	codec BinaryCodec
	buf   []byte
	field []byte
	quote map[int]bool // FORCE_QUOTE
	put   func(w *rowWriter, cols []*value.Column, row int)
}

func newRowWriter(st *plan.Copy, dst io.Writer, f *typeio.Format, codec BinaryCodec) *rowWriter {
	w := &rowWriter{opt: &st.Options, cols: st.Cols, dst: dst, f: f, codec: codec, quote: positions(st.Options.ForceQuote)}
	switch st.Options.Format {
	case "binary":
		w.put = (*rowWriter).binaryRow
	case "csv":
		w.put = (*rowWriter).csvRow
	default:
		w.put = (*rowWriter).textRow
	}
	return w
}

func (w *rowWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.dst.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// begin writes the header. That of the binary format goes out with the first row.
func (w *rowWriter) begin() error {
	if w.opt.Format == "binary" {
		w.buf = append(append(w.buf, copySignature...), 0, 0, 0, 0, 0, 0, 0, 0)
		return nil
	}
	if !w.opt.Header {
		return nil
	}
	for i, c := range w.cols {
		if i > 0 {
			w.buf = append(w.buf, w.opt.Delimiter...)
		}
		if w.opt.Format == "csv" {
			w.appendCSV([]byte(c.Name), false)
		} else {
			w.buf = appendEscaped(w.buf, []byte(c.Name), w.opt.Delimiter[0])
		}
	}
	w.buf = append(w.buf, '\n')
	return w.flush()
}

func (w *rowWriter) row(cols []*value.Column, row int) error {
	w.put(w, cols, row)
	return w.flush()
}

func (w *rowWriter) end() error {
	if w.opt.Format == "binary" {
		w.buf = append(w.buf, 0xff, 0xff)
	}
	return w.flush()
}

// text gives a value's text in the writer's scratch.
func (w *rowWriter) text(c *value.Column, t *value.Type, row int) []byte {
	w.field = typeio.Append(w.field[:0], t, c.Get(row), w.f)
	return w.field
}

func (w *rowWriter) textRow(cols []*value.Column, row int) {
	for i, c := range cols {
		if i > 0 {
			w.buf = append(w.buf, w.opt.Delimiter...)
		}
		if c.IsNull(row) {
			w.buf = append(w.buf, w.opt.Null...)
			continue
		}
		w.buf = appendEscaped(w.buf, w.text(c, w.cols[i].Type, row), w.opt.Delimiter[0])
	}
	w.buf = append(w.buf, '\n')
}

// plainByte marks bytes that the text format writes as they are, whatever the delimiter.
var plainByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c != '\\' && (c < '\b' || c > '\r')
	}
	return t
}()

func appendEscaped(dst, b []byte, delim byte) []byte {
	from := 0
	for i, c := range b {
		if plainByte[c] && c != delim {
			continue
		}
		dst = append(append(dst, b[from:i]...), '\\')
		switch c {
		case '\b', '\t', '\n', '\v', '\f', '\r':
			c = "btnvfr"[c-'\b']
		}
		dst = append(dst, c)
		from = i + 1
	}
	return append(dst, b[from:]...)
}

func (w *rowWriter) csvRow(cols []*value.Column, row int) {
	for i, c := range cols {
		if i > 0 {
			w.buf = append(w.buf, w.opt.Delimiter...)
		}
		if c.IsNull(row) {
			w.buf = append(w.buf, w.opt.Null...)
			continue
		}
		w.appendCSV(w.text(c, w.cols[i].Type, row), w.opt.ForceQuoteAll || w.quote[i])
	}
	w.buf = append(w.buf, '\n')
}

// appendCSV adds a field, in quotes when it needs them: what looks like NULL or like the end marker does, too.
func (w *rowWriter) appendCSV(b []byte, force bool) {
	quote, escape := w.opt.Quote[0], w.opt.Escape[0]
	if !force && string(b) != w.opt.Null && (len(w.cols) > 1 || string(b) != `\.`) && bytes.IndexByte(b, w.opt.Delimiter[0]) < 0 &&
		bytes.IndexByte(b, quote) < 0 && bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 {
		w.buf = append(w.buf, b...)
		return
	}
	w.buf = append(w.buf, quote)
	for _, c := range b {
		if c == quote || c == escape {
			w.buf = append(w.buf, escape)
		}
		w.buf = append(w.buf, c)
	}
	w.buf = append(w.buf, quote)
}

func (w *rowWriter) binaryRow(cols []*value.Column, row int) {
	w.buf = binary.BigEndian.AppendUint16(w.buf, uint16(len(cols)))
	for i, c := range cols {
		if c.IsNull(row) {
			w.buf = append(w.buf, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		at := len(w.buf)
		w.buf = w.codec.AppendBinary(append(w.buf, 0, 0, 0, 0), w.cols[i].Type, c.Get(row), w.f)
		binary.BigEndian.PutUint32(w.buf[at:], uint32(len(w.buf)-at-4))
	}
}
