package bind

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// The files testdata/*.sql hold statements, each followed by what PostgreSQL 15 says of it when it is prepared: the result's columns
// with their types and the parameters' types, or the error with code, position, message, detail and hint. They were recorded with
//
//	go test ./planner/bind -run Oracle -rewrite -dsn postgres://…
//
// The statements of ddl.sql are run and rolled back instead: PREPARE does not look at utility statements.
//
// A file starts with the statements that make its tables. A block whose first line is "-- differs: why" keeps an answer of ours.
var (
	rewrite = flag.Bool("rewrite", false, "record the answers of the server at -dsn")
	dsn     = flag.String("dsn", "", "a PostgreSQL 15 server, for -rewrite")
)

// block is a statement with its answer.
type block struct {
	comments []string
	sql      string
	answer   string
	setup    bool
}

// readBlocks reads a file: statements end with a line "----", answers with an empty line. A block without an answer line is setup.
func readBlocks(text string) []block {
	var out []block
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		var b block
		sql, answer, found := strings.Cut(part+"\n", "\n----\n")
		b.setup = !found
		b.answer = strings.TrimRight(answer, "\n")
		for _, l := range strings.Split(strings.TrimRight(sql, "\n"), "\n") {
			if strings.HasPrefix(l, "--") && b.sql == "" {
				b.comments = append(b.comments, l)
			} else {
				b.sql += l + "\n"
			}
		}
		b.sql = strings.TrimRight(b.sql, "\n")
		out = append(out, b)
	}
	return out
}

func (b *block) differs() bool {
	return len(b.comments) > 0 && strings.HasPrefix(b.comments[0], "-- differs")
}

func writeBlocks(blocks []block) string {
	var sb strings.Builder
	for i, b := range blocks {
		if i > 0 {
			sb.WriteString("\n")
		}
		for _, c := range b.comments {
			sb.WriteString(c + "\n")
		}
		sb.WriteString(b.sql + "\n")
		if !b.setup {
			sb.WriteString("----\n" + b.answer + "\n")
		}
	}
	return sb.String()
}

func showError(code string, pos int, msg, detail, hint string) string {
	s := "ERROR " + code
	if pos > 0 {
		s += fmt.Sprintf(" at %d", pos)
	}
	s += ": " + msg
	if detail != "" {
		s += "\nDETAIL: " + detail
	}
	if hint != "" {
		s += "\nHINT: " + hint
	}
	return s
}

// ours is what the binder says of a statement.
func (w *world) ours(sql string) string {
	ps, err := w.run(sql)
	if err != nil {
		e := dberr.As(err)
		pos := e.Position
		if pos > 0 {
			pos = utf8.RuneCountInString(sql[:pos-1]) + 1
		}
		return showError(e.Code, pos, e.Message, e.Detail, e.Hint)
	}
	q, ok := ps[len(ps)-1].(*plan.Query)
	if !ok {
		return "OK"
	}
	var lines []string
	for _, c := range q.Out {
		lines = append(lines, c.Name+" "+value.FormatMod(c.Type, c.Mod))
	}
	if len(q.Out) == 0 {
		lines = append(lines, "OK")
	}
	for i, p := range q.Params {
		lines = append(lines, fmt.Sprintf("$%d %s", i+1, p.SQL))
	}
	return strings.Join(lines, "\n")
}

// theirs is what a PostgreSQL server says of it.
func theirs(ctx context.Context, c *pgx.Conn, sql string) string {
	sd, err := c.PgConn().Prepare(ctx, "", sql, nil)
	if err != nil {
		var pe *pgconn.PgError
		if !errors.As(err, &pe) {
			return "CLIENT ERROR " + err.Error()
		}
		return showError(pe.Code, int(pe.Position), pe.Message, pe.Detail, pe.Hint)
	}
	var lines []string
	for _, f := range sd.Fields {
		var t string
		if err := c.QueryRow(ctx, "SELECT format_type($1, $2)", pgx.QueryExecModeSimpleProtocol, f.DataTypeOID, f.TypeModifier).Scan(&t); err != nil {
			return "CLIENT ERROR " + err.Error()
		}
		lines = append(lines, f.Name+" "+t)
	}
	if len(sd.Fields) == 0 {
		lines = append(lines, "OK")
	}
	for i, p := range sd.ParamOIDs {
		var t string
		if err := c.QueryRow(ctx, "SELECT format_type($1, NULL)", pgx.QueryExecModeSimpleProtocol, p).Scan(&t); err != nil {
			return "CLIENT ERROR " + err.Error()
		}
		lines = append(lines, fmt.Sprintf("$%d %s", i+1, t))
	}
	return strings.Join(lines, "\n")
}

// runs tells whether a server carries out a utility statement; what it did is undone.
func runs(ctx context.Context, c *pgx.Conn, sql string) string {
	pg := c.PgConn()
	if err := pg.Exec(ctx, "BEGIN; SAVEPOINT s").Close(); err != nil {
		return "CLIENT ERROR " + err.Error()
	}
	err := pg.Exec(ctx, sql).Close()
	if e := pg.Exec(ctx, "ROLLBACK; DEALLOCATE ALL; RESET ALL; SET search_path = public").Close(); e != nil {
		return "CLIENT ERROR " + e.Error()
	}
	var pe *pgconn.PgError
	switch {
	case err == nil:
		return "OK"
	case errors.As(err, &pe):
		return showError(pe.Code, int(pe.Position), pe.Message, pe.Detail, pe.Hint)
	}
	return "CLIENT ERROR " + err.Error()
}

// connect gives a connection whose new schema is the whole search path.
func connect(t *testing.T, ctx context.Context) *pgx.Conn {
	c, err := pgx.Connect(ctx, *dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(ctx, "DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; SET search_path = public"); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	reg := facts(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks := readBlocks(string(text))
			if *rewrite {
				record(t, file, blocks)
			}
			w := newWorld(t, reg)
			for _, b := range blocks {
				if b.setup {
					if _, err := w.run(b.sql); err != nil {
						t.Fatalf("setup %s: %v", b.sql, err)
					}
					continue
				}
				before := slices.Clone(w.all)
				got := w.ours(b.sql)
				if w.all = before; filepath.Base(file) == "ddl.sql" && !strings.HasPrefix(got, "ERROR") {
					got = "OK"
				}
				if got != b.answer {
					t.Errorf("%s\n--- got\n%s\n--- want\n%s", b.sql, got, b.answer)
				}
			}
		})
	}
}

// record asks the server for the answers of a file.
func record(t *testing.T, file string, blocks []block) {
	ctx := context.Background()
	c := connect(t, ctx)
	defer func() { _ = c.Close(ctx) }()
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.setup:
			if _, err := c.Exec(ctx, b.sql); err != nil {
				t.Fatalf("setup %s: %v", b.sql, err)
			}
		case !b.differs():
			if filepath.Base(file) == "ddl.sql" {
				b.answer = runs(ctx, c, b.sql)
			} else {
				b.answer = theirs(ctx, c, b.sql)
			}
		}
	}
	if err := os.WriteFile(file, []byte(writeBlocks(blocks)), 0o644); err != nil {
		t.Fatal(err)
	}
}
