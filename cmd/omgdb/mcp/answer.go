package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/omgdb/omgdb/functions/contextsvc"
	"github.com/omgdb/omgdb/storage/doc"
)

// cursor says where an answer goes on: the number of rows that earlier answers had, and of which call.
type cursor struct {
	skip int
	call [8]byte // of the tool's name and the other arguments
}

// read takes the cursor from the arguments of a call.
func (c *cursor) read(t *tool, args arguments) error {
	h := sha256.New()
	fmt.Fprintf(h, "%s", t.name)
	for i := range t.params {
		if name := t.params[i].name; name != pCursor.name {
			fmt.Fprintf(h, "\x00%t%s", args[name] != nil, args.text(name))
		}
	}
	copy(c.call[:], h.Sum(nil))
	given := args[pCursor.name]
	if given == nil || *given == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(*given)
	if err != nil || len(raw) != 16 || binary.BigEndian.Uint64(raw) > 1<<40 {
		return badArg(pCursor.name, "not a cursor of this server")
	}
	if string(raw[8:]) != string(c.call[:]) {
		return badArg(pCursor.name, "it belongs to a call with other arguments")
	}
	c.skip = int(binary.BigEndian.Uint64(raw))
	return nil
}

func (c *cursor) at(skip int) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(skip))
	return base64.RawURLEncoding.EncodeToString(append(raw, c.call[:]...))
}

// answer is what a call gives: canonical JSON.
type answer struct {
	json []byte
	rows int
}

func (a *answer) empty() bool { return a.rows == 0 }

// success is the result of a call that worked. Texts of documents stand inside of JSON strings; the annotation tells clients that the
// content is data.
func (c *call) success(a *answer) *sdk.CallToolResult {
	r := &sdk.CallToolResult{StructuredContent: json.RawMessage(a.json), Content: []sdk.Content{&sdk.TextContent{
		Text: string(a.json), Meta: sdk.Meta{"omgdb/content": "data"},
	}}}
	if c.note != "" {
		r.Content = append(r.Content, &sdk.TextContent{Text: c.note})
	}
	return r
}

// collect makes a statement's rows the answer.
func (c *call) collect(conn *pgx.Conn, r *result) (*answer, error) {
	switch c.tool.shape {
	case rowsJSON, values:
		return c.collectList(r)
	case table:
		return c.collectTable(conn, r)
	}
	var text []byte
	n := 0
	for r.next() {
		text = slices.Clone(r.vals[0])
		n++
	}
	if err := r.close(); err != nil {
		return nil, err
	}
	if n == 0 {
		return &answer{}, nil
	}
	if c.tool.name == "context" {
		return c.contextAnswer(text)
	}
	return c.whole(text, n)
}

// whole is an answer that is one JSON value, or its beginning when a list in it is too long.
func (c *call) whole(text []byte, rows int) (*answer, error) {
	v, err := doc.ParseExtJSON(text)
	if err != nil {
		return nil, err
	}
	if c.tool.list != "" && (len(text) > c.srv.opt.MaxAnswer || c.cursor.skip > 0) {
		return c.page(v, c.tool.list)
	}
	if len(text) > c.srv.opt.MaxAnswer && c.tool.run == nil {
		return nil, fmt.Errorf("the answer has %d bytes, more than the %d that an answer may have: ask for less", len(text), c.srv.opt.MaxAnswer)
	}
	return &answer{json: v.AppendCanonical(nil), rows: rows}, nil
}

// contextAnswer is an answer of the context service; what an index run skipped is told beside it.
func (c *call) contextAnswer(text []byte) (*answer, error) {
	plain, report, err := contextsvc.SplitReport(text)
	if err != nil {
		return nil, err
	}
	c.note = skippedNote(report.Skipped)
	if len(plain) <= c.srv.opt.MaxAnswer && c.cursor.skip == 0 {
		return &answer{json: plain, rows: 1}, nil
	}
	v, err := doc.ParseExtJSON(plain)
	if err != nil {
		return nil, err
	}
	return c.page(v, "matches")
}

// skippedNote says what an index run left out.
func skippedNote(list []contextsvc.Skipped) string {
	const named = 20
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d skipped:", len(list))
	for _, s := range list[:min(len(list), named)] {
		fmt.Fprintf(&b, "\n%s: %s", s.Path, s.Reason)
	}
	if len(list) > named {
		b.WriteString("\n…")
	}
	return b.String()
}

// page cuts the list in an answer to what fits, from the cursor on.
func (c *call) page(v doc.Value, list string) (*answer, error) {
	p := c.newPage()
	all := v.Doc().Lookup(list)
	n := 0
	for it := all.Elements(); ; n++ {
		_, item, ok := it.Next()
		if !ok {
			break
		}
		if n < c.cursor.skip {
			continue
		}
		if more, err := p.add(item.AppendCanonical(nil)); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	out := []byte{'{'}
	for it := v.Elements(); ; {
		name, member, ok := it.Next()
		if !ok {
			break
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(doc.AppendQuoted(out, name), ':')
		if string(name) == list {
			out = p.appendList(out)
		} else {
			out = member.AppendCanonical(out)
		}
	}
	return &answer{json: append(p.appendCursor(out), '}'), rows: p.n}, nil
}

// pageOf collects items while they fit.
type pageOf struct {
	call  *call
	items []byte
	n     int
	more  bool
}

func (c *call) newPage() *pageOf { return &pageOf{call: c} }

// add takes an item; more is false when it didn't fit any more.
func (p *pageOf) add(item []byte) (more bool, err error) {
	limit := p.call.srv.opt.MaxAnswer
	if len(p.items)+len(item) > limit {
		if p.n == 0 {
			return false, fmt.Errorf("result %d alone has %d bytes, more than the %d that an answer may have: ask for parts of it, with a projection or with sql",
				p.call.cursor.skip+1, len(item), limit)
		}
		p.more = true
		return false, nil
	}
	if p.n > 0 {
		p.items = append(p.items, ',')
	}
	p.items = append(p.items, item...)
	p.n++
	return true, nil
}

func (p *pageOf) appendList(dst []byte) []byte {
	return append(append(append(dst, '['), p.items...), ']')
}

func (p *pageOf) appendCursor(dst []byte) []byte {
	if !p.more {
		return dst
	}
	return append(append(append(dst, `,"nextCursor":"`...), p.call.cursor.at(p.call.cursor.skip+p.n)...), '"')
}

// collectList makes a list of rows: objects by column name, or the rows' only value.
func (c *call) collectList(r *result) (*answer, error) {
	p, err := c.rows(r, r.next(), func(dst []byte) []byte {
		if c.tool.shape == values {
			return append(dst, r.vals[0]...)
		}
		dst = append(dst, '{')
		for i, f := range r.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(doc.AppendQuoted(dst, f.Name), ':')
			dst = appendValue(dst, f.DataTypeOID, r.vals[i])
		}
		return append(dst, '}')
	})
	if err != nil {
		return nil, err
	}
	out := append(doc.AppendQuoted([]byte{'{'}, c.tool.list), ':')
	return &answer{json: append(p.appendCursor(p.appendList(out)), '}'), rows: p.n}, nil
}

// rows reads rows into a page; more tells whether r stands at one. What doesn't fit is left unread: the connection ends there. But a
// statement that writes is carried out.
func (c *call) rows(r *result, more bool, write func([]byte) []byte) (*pageOf, error) {
	p := c.newPage()
	var item []byte
	for n := 0; more; n++ {
		if n >= c.cursor.skip && !p.more {
			item = write(item[:0])
			fits, err := p.add(item)
			if err != nil {
				return nil, err
			}
			if !fits && !c.tool.writes {
				r.abandon()
				return p, nil
			}
		}
		more = r.next()
	}
	return p, r.close()
}

// collectTable shows the rows of any statement.
func (c *call) collectTable(conn *pgx.Conn, r *result) (*answer, error) {
	more := r.next()
	out := []byte(`{"columns":[`)
	for i, f := range r.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(doc.AppendQuoted(append(out, `{"name":`...), f.Name), `,"type":`...)
		out = append(doc.AppendQuoted(out, typeName(conn, f.DataTypeOID)), '}')
	}
	p, err := c.rows(r, more, func(dst []byte) []byte {
		dst = append(dst, '[')
		for i, f := range r.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, f.DataTypeOID, r.vals[i])
		}
		return append(dst, ']')
	})
	if err != nil {
		return nil, err
	}
	out = p.appendList(append(out, `],"rows":`...))
	out = doc.AppendQuoted(append(out, `,"command":`...), r.tag)
	if c.tool.writes && p.more {
		return &answer{json: append(out, `,"truncated":true}`...), rows: p.n}, nil // it cannot be run again for the rest
	}
	return &answer{json: append(p.appendCursor(out), '}'), rows: p.n}, nil
}

func typeName(conn *pgx.Conn, oid uint32) string {
	if t, ok := conn.TypeMap().TypeForOID(oid); ok {
		return t.Name
	}
	return strconv.Itoa(int(oid))
}

// OIDs of types whose text is JSON, or nearly.
const (
	oidBool    = 16
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidOID     = 26
	oidJSON    = 114
	oidFloat4  = 700
	oidFloat8  = 701
	oidNumeric = 1700
	oidJSONB   = 3802
)

// appendValue writes a value of a row, given in PostgreSQL's text form, as JSON: numbers, booleans and JSON as such, the rest as text.
func appendValue(dst []byte, oid uint32, text []byte) []byte {
	if text == nil {
		return append(dst, "null"...)
	}
	switch oid {
	case oidBool:
		return strconv.AppendBool(dst, string(text) == "t")
	case oidInt2, oidInt4, oidInt8, oidOID, oidJSON, oidJSONB:
		return append(dst, text...)
	case oidFloat4, oidFloat8:
		if f, err := strconv.ParseFloat(string(text), 64); err == nil && f-f == 0 {
			return doc.Double(f).AppendCanonical(dst)
		}
	case oidNumeric:
		if c := text[0]; c == '-' || c >= '0' && c <= '9' {
			return append(dst, text...)
		}
	}
	return doc.AppendQuoted(dst, text)
}
