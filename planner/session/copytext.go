package session

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// textRows reads the text and CSV formats of COPY. Lines are cut out of large chunks; a field without escapes stays where it lies, so
// chunks are never written to again once a row has been given.
type textRows struct {
	opt    *plan.CopyOptions
	cols   []plan.Col
	src    io.Reader
	chunk  []byte // chunk[at:] is unread
	at     int
	eof    bool
	csv    bool
	header bool // the header line is still to come
	eol    eolKind
	num    int
	start  int
	cur    []byte
	fields [][]byte
	null   []byte
	notNul map[int]bool // FORCE_NOT_NULL
	nul    map[int]bool // FORCE_NULL
}

// eolKind is how lines end; the first line decides.
type eolKind uint8

const (
	eolUnknown eolKind = iota
	eolNL
	eolCR
	eolCRNL
)

const copyChunk = 64 << 10

func newTextRows(r io.Reader, st *plan.Copy) *textRows {
	t := &textRows{
		opt: &st.Options, cols: st.Cols, src: r, csv: st.Options.Format == "csv", header: st.Options.Header, null: []byte(st.Options.Null),
		notNul: positions(st.Options.ForceNotNull), nul: positions(st.Options.ForceNull),
	}
	return t
}

func positions(list []int) map[int]bool {
	m := map[int]bool{}
	for _, i := range list {
		m[i] = true
	}
	return m
}

func (t *textRows) line() int   { return t.start }
func (t *textRows) raw() []byte { return t.cur }

func badCopy(format string, args ...any) error {
	return dberr.New(dberr.BadCopyFileFormat, format, args...)
}

// next implements rowSource.
func (t *textRows) next() ([][]byte, error) {
	line, err := t.readLine()
	if err != nil {
		return nil, err
	}
	if t.header {
		t.header = false
		if t.opt.HeaderMatch {
			if err := t.checkHeader(line); err != nil {
				return nil, err
			}
		}
		if line, err = t.readLine(); err != nil {
			return nil, err
		}
	}
	if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
		return nil, dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`)
	}
	if err := t.split(line); err != nil {
		return nil, err
	}
	return t.fields, t.checkCount()
}

func (t *textRows) split(line []byte) error {
	t.fields = t.fields[:0]
	if len(t.cols) == 0 && len(line) == 0 {
		return nil
	}
	if t.csv {
		return t.splitCSV(line)
	}
	return t.splitText(line)
}

func (t *textRows) checkCount() error {
	switch {
	case len(t.fields) > len(t.cols):
		return badCopy("extra data after last expected column")
	case len(t.fields) < len(t.cols):
		return badCopy(`missing data for column "%s"`, t.cols[len(t.fields)].Name)
	}
	return nil
}

func (t *textRows) checkHeader(line []byte) error {
	if err := t.split(line); err != nil {
		return err
	}
	if len(t.fields) != len(t.cols) {
		return badCopy("wrong number of fields in header line: got %d, expected %d", len(t.fields), len(t.cols))
	}
	for i, f := range t.fields {
		if f == nil {
			return badCopy(`column name mismatch in header line field %d: got null value ("%s"), expected "%s"`, i+1, t.opt.Null, t.cols[i].Name)
		}
		if string(f) != t.cols[i].Name {
			return badCopy(`column name mismatch in header line field %d: got "%s", expected "%s"`, i+1, f, t.cols[i].Name)
		}
	}
	return nil
}

// more reads on behind the unread bytes, into a new chunk. False means that there is no more.
func (t *textRows) more() (bool, error) {
	if t.eof {
		return false, nil
	}
	rest := t.chunk[t.at:]
	if cap(t.chunk)-len(t.chunk) < copyChunk/4 {
		fresh := make([]byte, len(rest), max(copyChunk, 2*len(rest)))
		copy(fresh, rest)
		t.chunk, t.at = fresh, 0
	}
	n, err := t.src.Read(t.chunk[len(t.chunk):cap(t.chunk)])
	t.chunk = t.chunk[:len(t.chunk)+n]
	if err == io.EOF {
		t.eof = true
		return n > 0, nil
	}
	return true, err
}

// readLine gives the next row's text without its line end. io.EOF at the end of data, or at the end marker \.
func (t *textRows) readLine() ([]byte, error) {
	t.start, t.cur = t.num+1, nil
	end, skip, err := t.findEnd()
	if err != nil {
		return nil, err
	}
	t.cur = t.chunk[t.at : t.at+end : t.at+end]
	t.at += end + skip
	t.num++
	if skip == 0 && end == 0 {
		return nil, io.EOF
	}
	if len(t.cur) == 2 && t.cur[0] == '\\' && t.cur[1] == '.' {
		return nil, t.drain()
	}
	return t.cur, nil
}

// drain throws away what follows the end marker.
func (t *textRows) drain() error {
	for {
		t.at = len(t.chunk)
		if ok, err := t.more(); err != nil {
			return err
		} else if !ok {
			return io.EOF
		}
	}
}

// findEnd looks for the end of the row that begins at t.at: the row's length, and that of its line end (0 at the end of data).
func (t *textRows) findEnd() (end, skip int, err error) {
	i, quoted := 0, false
	quote, escape := t.quotes()
	for {
		rest := t.chunk[t.at:]
		for i < len(rest) {
			c := rest[i]
			switch {
			case c == '\n' || c == '\r':
				if quoted {
					if c == '\n' {
						t.num++
					}
					break
				}
				if c == '\r' && i+1 == len(rest) && !t.eof {
					goto refill // is a newline behind it?
				}
				n, err := t.lineEnd(rest[i:])
				if err != nil {
					t.cur = rest[:i]
					return 0, 0, err
				}
				if n > 0 {
					return i, n, nil
				}
			case !t.csv && c == '\\':
				if i+1 == len(rest) && !t.eof {
					goto refill
				}
				i++ // whatever follows is data
				if i < len(rest) && rest[i] == '\n' {
					t.num++
				}
			case t.csv && quoted && c == escape && escape != quote:
				if i+1 == len(rest) && !t.eof {
					goto refill
				}
				if i+1 < len(rest) && (rest[i+1] == quote || rest[i+1] == escape) {
					i++
				} else if c == quote {
					quoted = !quoted
				}
			case t.csv && c == quote:
				quoted = !quoted
			}
			i++
		}
	refill:
		ok, err := t.more()
		if err != nil {
			return 0, 0, err
		}
		if !ok && i >= len(t.chunk)-t.at {
			if quoted {
				t.cur = t.chunk[t.at:]
				return 0, 0, badCopy("unterminated CSV quoted field")
			}
			return len(t.chunk) - t.at, 0, nil
		}
	}
}

func (t *textRows) quotes() (quote, escape byte) {
	if !t.csv {
		return 0, 0
	}
	return t.opt.Quote[0], t.opt.Escape[0]
}

// lineEnd gives the length of the line end at the beginning of b, 0 when it is data. A line that ends otherwise than the first did is
// an error: its carriage return was meant as data.
func (t *textRows) lineEnd(b []byte) (int, error) {
	kind, n := eolNL, 1
	if b[0] == '\r' {
		kind = eolCR
		if len(b) > 1 && b[1] == '\n' {
			kind, n = eolCRNL, 2
		}
	}
	if t.eol == eolUnknown {
		t.eol = kind
	}
	if t.eol == kind {
		return n, nil
	}
	what, hint := "carriage return", `Use "\r" to represent carriage return.`
	if b[0] == '\n' {
		what, hint = "newline", `Use "\n" to represent newline.`
	}
	if t.csv {
		return 0, dberr.New(dberr.BadCopyFileFormat, "unquoted %s found in data", what).WithHint("Use quoted CSV field to represent %s.", what)
	}
	return 0, dberr.New(dberr.BadCopyFileFormat, "literal %s found in data", what).WithHint("%s", hint)
}

// splitText cuts a line of the text format into fields and resolves its backslashes.
func (t *textRows) splitText(line []byte) error {
	delim := t.opt.Delimiter[0]
	for {
		end := 0
		escaped := false
		for end < len(line) && line[end] != delim {
			if line[end] == '\\' {
				escaped = true
				end++
			}
			end++
		}
		end = min(end, len(line))
		field := line[:end:end]
		switch {
		case bytes.Equal(field, t.null):
			field = nil
		case escaped:
			var err error
			if field, err = unescape(field); err != nil {
				return err
			}
		}
		t.fields = append(t.fields, field)
		if end == len(line) {
			return nil
		}
		line = line[end+1:]
	}
}

// escapes are the letters behind a backslash that mean a control character.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

func unescape(f []byte) ([]byte, error) {
	out := make([]byte, 0, len(f))
	for i := 0; i < len(f); i++ {
		c := f[i]
		if c != '\\' || i+1 == len(f) {
			out = append(out, c)
			continue
		}
		i++
		c = f[i]
		switch {
		case escapes[c] != 0:
			out = append(out, escapes[c])
		case c >= '0' && c <= '7':
			v := int(c - '0')
			for k := 0; k < 2 && i+1 < len(f) && f[i+1] >= '0' && f[i+1] <= '7'; k++ {
				i++
				v = v*8 + int(f[i]-'0')
			}
			out = append(out, byte(v))
		case c == 'x' && i+1 < len(f) && hexValue(f[i+1]) >= 0:
			i++
			v := hexValue(f[i])
			if i+1 < len(f) && hexValue(f[i+1]) >= 0 {
				i++
				v = v*16 + hexValue(f[i])
			}
			out = append(out, byte(v))
		default:
			out = append(out, c)
		}
	}
	if !utf8.Valid(out) || bytes.IndexByte(out, 0) >= 0 {
		return nil, dberr.New(dberr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`)
	}
	return out, nil
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|32 >= 'a' && c|32 <= 'f':
		return int(c|32-'a') + 10
	}
	return -1
}

// splitCSV cuts a row of the CSV format into fields.
func (t *textRows) splitCSV(line []byte) error {
	delim := t.opt.Delimiter[0]
	quote, escape := t.quotes()
	for {
		field, n, wasQuoted := csvField(line, delim, quote, escape)
		col := len(t.fields)
		isNull := bytes.Equal(field, t.null)
		if (isNull && !wasQuoted && !t.notNul[col]) || (isNull && wasQuoted && t.nul[col]) {
			field = nil
		} else if field == nil {
			field = []byte{}
		}
		t.fields = append(t.fields, field)
		if n >= len(line) {
			return nil
		}
		line = line[n+1:]
	}
}

// csvField reads one field: its text, where the delimiter behind it stands (the line's length at its end), and whether any of it
// was quoted. Text without quotes is given in place.
func csvField(line []byte, delim, quote, escape byte) (field []byte, n int, quoted bool) {
	for n < len(line) && line[n] != delim && line[n] != quote {
		n++
	}
	if n == len(line) || line[n] == delim {
		return line[:n:n], n, false
	}
	out := append(make([]byte, 0, len(line)), line[:n]...)
	inside := false
	for n < len(line) {
		c := line[n]
		switch {
		case !inside && c == delim:
			return out, n, quoted
		case !inside && c == quote:
			inside, quoted = true, true
		case inside && c == escape && n+1 < len(line) && (line[n+1] == quote || line[n+1] == escape):
			n++
			out = append(out, line[n])
		case inside && c == quote:
			inside = false
		default:
			out = append(out, c)
		}
		n++
	}
	return out, n, quoted
}
