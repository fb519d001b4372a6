package builtin

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/typeio"
)

var (
	rewrite = flag.Bool("rewrite", false, "write the expected results anew from the PostgreSQL at PG_DSN")
	verbose = flag.Int("show", 20, "differences to print per file")
)

// The files testdata/*.txt hold an expression a line, a tab, and what PostgreSQL 15 answers: the text, NULL, or
// !SQLSTATE message. Lines "SET name = 'value'" change the session for what follows; # starts a comment.
// A line that starts with ~ has an answer whose message may differ.
func TestGolden(t *testing.T) {
	reg, err := New(functions.Entries{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			if *rewrite {
				if err := rewriteGolden(file); err != nil {
					t.Fatal(err)
				}
			}
			runGolden(t, newSession(reg), file)
		})
	}
}

func runGolden(t *testing.T, s *session, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	line, rows, bad := 0, 0, 0
	for sc.Scan() {
		line++
		text := sc.Text()
		if text == "" || text[0] == '#' {
			continue
		}
		if name, val, ok := setting(text); ok {
			if err := s.apply(name, val); err != nil {
				t.Fatal(err)
			}
			continue
		}
		loose := strings.HasPrefix(text, "~")
		expr, want, ok := strings.Cut(strings.TrimPrefix(text, "~"), "\t")
		if !ok {
			t.Fatalf("%s:%d has no result; run with -rewrite", file, line)
		}
		rows++
		got := s.answer(expr)
		if got != want && !(loose && len(got) > 6 && len(want) > 6 && got[:6] == want[:6]) {
			if bad++; bad <= *verbose {
				t.Errorf("%s:%d %s\n\tgot  %s\n\twant %s", filepath.Base(file), line, expr, short(got), short(want))
			}
		}
	}
	if sc.Err() != nil {
		t.Fatal(sc.Err())
	}
	if bad > 0 {
		t.Errorf("%d of %d rows differ", bad, rows)
	}
}

// short keeps messages readable.
func short(s string) string {
	if len(s) > 300 {
		return fmt.Sprintf("%s… (%d bytes)", s[:300], len(s))
	}
	return s
}

func setting(line string) (name, val string, ok bool) {
	rest, ok := strings.CutPrefix(line, "SET ")
	if !ok {
		return "", "", false
	}
	name, val, _ = strings.Cut(rest, " = ")
	return name, strings.Trim(val, "'"), true
}

var escaper = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

// answer gives the golden form of an expression's result.
func (s *session) answer(expr string) string {
	if strings.HasPrefix(expr, "@agg ") || strings.HasPrefix(expr, "@set ") {
		out, err := s.rows(expr)
		if err != nil {
			return errorText(err)
		}
		return escaper.Replace(out)
	}
	r, err := s.ev.eval(expr)
	if err != nil {
		return errorText(err)
	}
	if r.v.IsNull() {
		return "NULL"
	}
	return escaper.Replace(typeio.Text(r.t, r.v, s.ev.env.Format))
}

// rewriteGolden asks PostgreSQL for each line of a file.
func rewriteGolden(file string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv("PG_DSN"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	pg := conn.PgConn()
	for _, q := range []string{"SET timezone = 'UTC'", "SET extra_float_digits = 1"} {
		if _, err := pg.Exec(ctx, q).ReadAll(); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		if line == "" || line[0] == '#' {
			fmt.Fprintln(&out, line)
			continue
		}
		if _, _, ok := setting(line); ok {
			if _, err := pg.Exec(ctx, line).ReadAll(); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			fmt.Fprintln(&out, line)
			continue
		}
		loose := ""
		if line[0] == '~' {
			loose, line = "~", line[1:]
		}
		expr, _, _ := strings.Cut(line, "\t")
		fmt.Fprintf(&out, "%s%s\t%s\n", loose, expr, ask(ctx, pg, expr))
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}

func ask(ctx context.Context, pg *pgconn.PgConn, expr string) string {
	res, err := pg.Exec(ctx, pgQuery(expr)).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return escaper.Replace("!" + e.Code + " " + e.Message)
	case err != nil:
		return "!!!!!! " + err.Error()
	case res[0].Rows[0][0] == nil:
		return "NULL"
	}
	return escaper.Replace(string(res[0].Rows[0][0]))
}
