package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/storage/doc"
)

// importChunk is how much text goes to the server in one statement, importCommit how much in one transaction.
const (
	importChunk  = 1 << 20
	importCommit = 16 << 20
)

func importCmd() *cobra.Command {
	var sets []string
	var format string
	cmd := &cobra.Command{
		Use:   "import PATH COLLECTION FILE",
		Short: "Import documents from NDJSON or CSV (gzip is recognised, - is standard input)",
		Long: "Imports one document a line (or a row, for CSV with a header line), committing every 16 MiB of text.\n" +
			"--set field='{title} {text}' adds a string field made from other fields of the document.",
		Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			templates, err := parseTemplates(sets)
			if err != nil {
				return err
			}
			src, err := openSource(cmd, a[2], format, templates)
			if err != nil {
				return err
			}
			defer src.close()
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				imp := importer{conn: c, coll: a[1], src: src}
				err := imp.run(ctx)
				if err != nil {
					return fmt.Errorf("%s: line %d: %w (%d document(s) before it stand)", a[2], imp.line, err, imp.committed)
				}
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "imported %d document(s) into %s\n", imp.committed, a[1])
				return err
			})
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "field='{a} {b}': a string field made from others (repeatable)")
	cmd.Flags().StringVar(&format, "format", "", "ndjson or csv (default: by the file's name)")
	return cmd
}

// importer sends documents in chunks, one statement each, and commits every importCommit bytes. When a chunk fails it is sent again
// document by document, so that the error names the line and everything before it stands.
type importer struct {
	conn      *pgx.Conn
	coll      string
	src       *source
	line      int // line of the document that failed, or the last one read
	committed int
}

func (im *importer) run(ctx context.Context) error {
	for {
		done, err := im.transaction(ctx)
		if err != nil || done {
			return err
		}
	}
}

// transaction imports up to importCommit bytes and commits them.
func (im *importer) transaction(ctx context.Context) (done bool, err error) {
	tx, err := im.conn.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	rows, bytes := 0, 0
	for bytes < importCommit && !done {
		var docs []string
		var lines []int
		size := 0
		for size < importChunk {
			text, rerr := im.src.next()
			im.line = im.src.line
			if rerr != nil {
				// Everything read so far is good: it is kept, and the error reported after the commit.
				done = true
				if rerr != io.EOF {
					err = rerr
				}
				break
			}
			docs, lines, size = append(docs, text), append(lines, im.line), size+len(text)
		}
		n, serr := im.send(ctx, tx, docs)
		rows, bytes = rows+n, bytes+size
		if serr != nil {
			im.line, err, done = lines[n], serr, true
		}
	}
	if cerr := tx.Commit(ctx); cerr != nil {
		return false, cerr
	}
	im.committed += rows
	return done, err
}

// send inserts docs and returns how many are in; on an error that is the position of the bad one.
func (im *importer) send(ctx context.Context, tx pgx.Tx, docs []string) (int, error) {
	if len(docs) == 0 {
		return 0, nil
	}
	const many = `SELECT count(omgdb.insert_document($1, d)) FROM unnest($2::json[]) d`
	err := pgx.BeginFunc(ctx, tx, func(sp pgx.Tx) error {
		_, err := sp.Exec(ctx, many, im.coll, docs)
		return err
	})
	if err == nil {
		return len(docs), nil
	}
	for i := range docs {
		if err := pgx.BeginFunc(ctx, tx, func(sp pgx.Tx) error {
			_, err := sp.Exec(ctx, many, im.coll, docs[i:i+1])
			return err
		}); err != nil {
			return i, err
		}
	}
	return len(docs), nil
}

// template makes a string field from others.
type template struct {
	field string
	parts []string // literal, field, literal, field … literal
}

func parseTemplates(sets []string) ([]template, error) {
	out := make([]template, 0, len(sets))
	for _, s := range sets {
		field, body, ok := strings.Cut(s, "=")
		if !ok || field == "" {
			return nil, fmt.Errorf("--set %q: want field='{other} text'", s)
		}
		t := template{field: field}
		for {
			lit, rest, found := strings.Cut(body, "{")
			t.parts = append(t.parts, lit)
			if !found {
				break
			}
			name, after, closed := strings.Cut(rest, "}")
			if !closed || name == "" {
				return nil, fmt.Errorf("--set %q: a { without its field and }", s)
			}
			t.parts, body = append(t.parts, name), after
		}
		out = append(out, t)
	}
	return out, nil
}

// applyTemplates gives the document's text with the templates' fields set.
func applyTemplates(text string, ts []template) (string, error) {
	if len(ts) == 0 {
		return text, nil
	}
	v, err := doc.ParseExtJSON([]byte(text))
	if err != nil {
		return "", err
	}
	if !v.IsObject() {
		return "", errors.New("a document must be a JSON object")
	}
	for _, t := range ts {
		var b strings.Builder
		for i, p := range t.parts {
			if i%2 == 0 {
				b.WriteString(p)
				continue
			}
			if f := v.Doc().Lookup(p); !f.Missing() && !f.IsNull() {
				b.WriteString(f.Text())
			}
		}
		if v, err = setField(v.Doc(), t.field, doc.String(b.String())); err != nil {
			return "", err
		}
	}
	return string(v.AppendCanonical(nil)), nil
}

func setField(d doc.Doc, field string, v doc.Value) (doc.Value, error) {
	var b doc.Builder
	b.Reset()
	b.BeginObject()
	seen := false
	for it := d.Elements(); ; {
		key, old, ok := it.Next()
		if !ok {
			break
		}
		b.KeyBytes(key)
		if string(key) == field {
			old, seen = v, true
		}
		b.Append(old)
	}
	if !seen {
		b.Key(field)
		b.Append(v)
	}
	b.End()
	return b.Value()
}

// source reads documents from a file, one at a time, as JSON text.
type source struct {
	next  func() (string, error) // io.EOF at the end
	line  int
	close func()
}

func openSource(cmd *cobra.Command, name, format string, ts []template) (*source, error) {
	var r io.Reader = cmd.InOrStdin()
	s := &source{close: func() {}}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		r, s.close = f, func() { _ = f.Close() }
	}
	in := bufio.NewReaderSize(r, 1<<20)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in = bufio.NewReaderSize(z, 1<<20)
	}
	if format == "" && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".csv") {
		format = "csv"
	}
	switch format {
	case "csv":
		return s, s.readCSV(in, ts)
	case "", "ndjson":
		s.next = func() (string, error) { return s.nextLine(in, ts) }
		return s, nil
	}
	return nil, fmt.Errorf("--format %q: want ndjson or csv", format)
}

func (s *source) nextLine(in *bufio.Reader, ts []template) (string, error) {
	for {
		line, err := in.ReadString('\n')
		if line == "" && err != nil {
			return "", err
		}
		s.line++
		if line = strings.TrimSpace(line); line != "" {
			return applyTemplates(line, ts)
		}
	}
}

// readCSV takes the first row as field names; every value is a string, an empty one is left out.
func (s *source) readCSV(in *bufio.Reader, ts []template) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return fmt.Errorf("CSV header: %w", err)
	}
	names := append([]string(nil), head...)
	s.next = func() (string, error) {
		rec, err := r.Read()
		if err != nil {
			return "", err
		}
		s.line, _ = r.FieldPos(0)
		var b doc.Builder
		b.Reset()
		b.BeginObject()
		for i, val := range rec {
			if val != "" {
				b.Key(names[i])
				b.String(val)
			}
		}
		b.End()
		v, err := b.Value()
		if err != nil {
			return "", err
		}
		return applyTemplates(string(v.AppendCanonical(nil)), ts)
	}
	return nil
}
