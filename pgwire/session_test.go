package pgwire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/storage/dberr"
)

func exec(t testing.TB, c *pgx.Conn, sql string, args ...any) pgconn.CommandTag {
	t.Helper()
	tag, err := c.Exec(context.Background(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return tag
}

// rows gives a query's rows as text, columns separated by |.
func rows(t testing.TB, c *pgx.Conn, sql string, args ...any) []string {
	t.Helper()
	r, err := c.Query(context.Background(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	out, err := pgx.CollectRows(r, func(row pgx.CollectableRow) (string, error) {
		vals, err := row.Values()
		parts := make([]string, len(vals))
		for i, v := range vals {
			parts[i] = fmt.Sprint(v)
		}
		return strings.Join(parts, "|"), err
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// code gives the SQLSTATE of a statement's error, "" when it works.
func code(c *pgx.Conn, sql string, args ...any) string {
	_, err := c.Exec(context.Background(), sql, args...)
	return codeOf(err)
}

func codeOf(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func TestCursors(t *testing.T) {
	c := connectTest(t, openTest(t))
	exec(t, c, "CREATE TABLE n (i int PRIMARY KEY)")
	exec(t, c, "INSERT INTO n VALUES (1),(2),(3),(4),(5)")
	want(t, "outside of a block", code(c, "DECLARE x CURSOR FOR SELECT i FROM n"), dberr.NoActiveSQLTransaction)
	exec(t, c, "BEGIN")
	exec(t, c, "DECLARE c SCROLL CURSOR FOR SELECT i FROM n ORDER BY i")
	// The cursor does not see what is written after it.
	exec(t, c, "INSERT INTO n VALUES (6)")
	for _, step := range []struct{ sql, want string }{
		{"FETCH c", "[1]"}, {"FETCH 2 FROM c", "[2 3]"}, {"FETCH RELATIVE 0 FROM c", "[3]"}, {"FETCH PRIOR FROM c", "[2]"},
		{"FETCH BACKWARD 5 FROM c", "[1]"}, {"FETCH NEXT FROM c", "[1]"}, {"FETCH ABSOLUTE 4 FROM c", "[4]"}, {"FETCH ABSOLUTE -1 FROM c", "[5]"},
		{"FETCH ALL FROM c", "[]"}, {"FETCH PRIOR FROM c", "[5]"}, {"FETCH BACKWARD ALL FROM c", "[4 3 2 1]"}, {"FETCH LAST FROM c", "[5]"},
		{"FETCH FIRST FROM c", "[1]"}, {"FETCH RELATIVE 2 FROM c", "[3]"}, {"FETCH RELATIVE -2 FROM c", "[1]"}, {"FETCH ABSOLUTE 9 FROM c", "[]"},
	} {
		want(t, step.sql, rows(t, c, step.sql), step.want)
	}
	want(t, "MOVE", exec(t, c, "MOVE BACKWARD 2 FROM c").String(), "MOVE 2")
	want(t, "after MOVE", rows(t, c, "FETCH c"), "[5]")
	exec(t, c, "SAVEPOINT s")
	exec(t, c, "DECLARE d NO SCROLL CURSOR FOR SELECT i FROM n ORDER BY i DESC")
	want(t, "a cursor opened later", rows(t, c, "FETCH 2 FROM d"), "[6 5]")
	want(t, "backwards", code(c, "FETCH PRIOR FROM d"), dberr.ObjectNotInPrerequisiteState)
	exec(t, c, "ROLLBACK TO s")
	want(t, "a cursor of the savepoint", code(c, "FETCH d"), dberr.InvalidCursorName)
	exec(t, c, "ROLLBACK")

	exec(t, c, "BEGIN")
	exec(t, c, "DECLARE h CURSOR WITH HOLD FOR SELECT i FROM n ORDER BY i")
	want(t, "before the commit", rows(t, c, "FETCH 2 FROM h"), "[1 2]")
	exec(t, c, "COMMIT")
	exec(t, c, "DELETE FROM n")
	want(t, "after the commit", rows(t, c, "FETCH 2 FROM h"), "[3 4]")
	exec(t, c, "CLOSE h")
	want(t, "closed", code(c, "FETCH h"), dberr.InvalidCursorName)
	exec(t, c, "BEGIN")
	exec(t, c, "DECLARE h CURSOR WITH HOLD FOR SELECT i FROM n")
	exec(t, c, "ROLLBACK")
	want(t, "of an undone transaction", code(c, "FETCH h"), dberr.InvalidCursorName)
}

// TestSnapshots: in READ COMMITTED each statement sees what is committed, a suspended portal goes on reading where it began.
func TestSnapshots(t *testing.T) {
	l := openTest(t)
	a, b := connectTest(t, l), connectTest(t, l)
	exec(t, a, "CREATE TABLE n (i int PRIMARY KEY)")
	exec(t, a, "INSERT INTO n VALUES (1),(2),(3)")
	exec(t, a, "BEGIN")
	want(t, "before", rows(t, a, "SELECT count(*) FROM n"), "[3]")
	exec(t, a, "DECLARE c CURSOR FOR SELECT i FROM n ORDER BY i")
	want(t, "first row", rows(t, a, "FETCH c"), "[1]")
	exec(t, b, "DELETE FROM n WHERE i = 2")
	exec(t, b, "INSERT INTO n VALUES (4),(5)")
	want(t, "a new statement", rows(t, a, "SELECT count(*) FROM n"), "[4]")
	want(t, "the cursor", rows(t, a, "FETCH ALL FROM c"), "[2 3]")
	exec(t, a, "COMMIT")
	exec(t, a, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	want(t, "before", rows(t, a, "SELECT count(*) FROM n"), "[4]")
	exec(t, b, "INSERT INTO n VALUES (6)")
	want(t, "repeatable", rows(t, a, "SELECT count(*) FROM n"), "[4]")
	want(t, "a later level", code(a, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"), dberr.ActiveSQLTransaction)
	exec(t, a, "ROLLBACK")
	exec(t, a, "BEGIN READ ONLY")
	want(t, "a write", code(a, "INSERT INTO n VALUES (9)"), dberr.ReadOnlySQLTransaction)
	exec(t, a, "ROLLBACK")
}

func TestNotify(t *testing.T) {
	l := openTest(t)
	a, b := connectTest(t, l), connectTest(t, l)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	exec(t, a, "LISTEN news")
	exec(t, b, "BEGIN")
	for _, p := range []string{"one", "two", "one"} {
		exec(t, b, "NOTIFY news, '"+p+"'")
	}
	exec(t, b, "SAVEPOINT s")
	exec(t, b, "NOTIFY news, 'undone'")
	exec(t, b, "ROLLBACK TO s")
	exec(t, b, "COMMIT")
	for _, payload := range []string{"one", "two"} {
		n, err := a.WaitForNotification(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "payload", n.Channel+" "+n.Payload, "news "+payload)
		want(t, "sender", n.PID, b.PgConn().PID())
	}
	exec(t, a, "NOTIFY news, 'self'")
	if n, err := a.WaitForNotification(ctx); err != nil || n.Payload != "self" {
		t.Fatal(n, err)
	}
	exec(t, a, "UNLISTEN *")
	exec(t, b, "NOTIFY news, 'nobody'")
	exec(t, b, "NOTIFY other")
	exec(t, a, "LISTEN other")
	exec(t, b, "NOTIFY other, 'last'")
	if n, err := a.WaitForNotification(ctx); err != nil || n.Payload != "last" {
		t.Fatal(n, err)
	}
}

func TestCopyThroughPgx(t *testing.T) {
	c := connectTest(t, openTest(t))
	ctx := context.Background()
	exec(t, c, "CREATE TABLE m (i int PRIMARY KEY, s text, f float8, n numeric, j jsonb, t timestamptz, b bytea, a int[])")
	at := time.Date(2024, 2, 29, 12, 30, 0, 123456000, time.UTC)
	const many = 5000
	n, err := c.CopyFrom(ctx, pgx.Identifier{"m"}, []string{"i", "s", "f", "n", "j", "t", "b", "a"}, pgx.CopyFromSlice(many, func(i int) ([]any, error) {
		if i%7 == 0 {
			return []any{i, nil, nil, nil, nil, nil, nil, nil}, nil
		}
		return []any{i, "tab\tnl\n\\", 1.5, "12.50", map[string]any{"k": i}, at, []byte{0, 1}, []int32{1, 2}}, nil
	}))
	if err != nil || n != many {
		t.Fatal(n, err)
	}
	want(t, "a row", rows(t, c, "SELECT i, s, f, n::text, j, t, b, a FROM m WHERE i = 1"),
		[]string{fmt.Sprintf("1|tab\tnl\n\\|1.5|12.50|map[k:1]|%v|[0 1]|[1 2]", at.Local())})
	for _, format := range []string{"text", "csv", "binary"} {
		var out strings.Builder
		if _, err := c.PgConn().CopyTo(ctx, &out, "COPY m TO STDOUT (FORMAT "+format+")"); err != nil {
			t.Fatal(err)
		}
		exec(t, c, "TRUNCATE m")
		tag, err := c.PgConn().CopyFrom(ctx, strings.NewReader(out.String()), "COPY m FROM STDIN (FORMAT "+format+")")
		if err != nil || tag.RowsAffected() != many {
			t.Fatal(format, tag, err)
		}
		var again strings.Builder
		if _, err := c.PgConn().CopyTo(ctx, &again, "COPY m TO STDOUT (FORMAT "+format+")"); err != nil || again.String() != out.String() {
			t.Errorf("%s: what was copied in differs from what was copied out, %v", format, err)
		}
	}
}

// TestStalePlans: a plan is made again when what it uses has changed, and refused when its result would change shape.
func TestStalePlans(t *testing.T) {
	l := openTest(t)
	a, b := connectTest(t, l), connectTest(t, l)
	ctx := context.Background()
	exec(t, a, "CREATE TABLE p (i int PRIMARY KEY, s text)")
	exec(t, a, "INSERT INTO p VALUES (1, 'x')")
	for name, sql := range map[string]string{"star": "SELECT * FROM p", "named": "SELECT s FROM p WHERE i = $1", "ins": "INSERT INTO p (i) VALUES ($1)"} {
		if _, err := a.Prepare(ctx, name, sql); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "before", rows(t, a, "named", 1), "[x]")
	exec(t, b, "ALTER TABLE p ADD COLUMN d int DEFAULT 7")
	want(t, "a named column", rows(t, a, "named", 1), "[x]")
	_, err := a.Exec(ctx, "star")
	want(t, "a star", codeOf(err), dberr.FeatureNotSupported)
	exec(t, a, "ins", 2)
	want(t, "new default", rows(t, a, "SELECT i, d FROM p ORDER BY i"), "[1|7 2|7]")
	exec(t, b, "DROP TABLE p")
	want(t, "dropped", code(a, "named", 1), dberr.UndefinedTable)
	exec(t, b, "CREATE TABLE p (s text, i int PRIMARY KEY)")
	exec(t, b, "INSERT INTO p VALUES ('new', 1)")
	want(t, "another table of the name", rows(t, a, "named", 1), "[new]")
	// A table that comes earlier on the search path takes over.
	exec(t, b, "CREATE SCHEMA first")
	exec(t, b, "CREATE TABLE first.p (s text, i int PRIMARY KEY)")
	exec(t, b, "INSERT INTO first.p VALUES ('first', 1)")
	want(t, "not on the path", rows(t, a, "named", 1), "[new]")
	exec(t, a, "SET search_path = first, public")
	want(t, "on the path", rows(t, a, "SELECT s FROM p WHERE i = 1"), "[first]")
}

func TestTemporaryTables(t *testing.T) {
	l := openTest(t)
	a, b := connectTest(t, l), connectTest(t, l)
	exec(t, a, "CREATE TABLE x (i int)")
	exec(t, a, "CREATE TEMP TABLE x (i int)")
	exec(t, a, "INSERT INTO x VALUES (1)")
	want(t, "own", rows(t, a, "SELECT count(*) FROM x"), "[1]")
	want(t, "other", rows(t, b, "SELECT count(*) FROM x"), "[0]")
	want(t, "permanent", rows(t, a, "SELECT count(*) FROM public.x"), "[0]")
	exec(t, a, "DISCARD TEMP")
	want(t, "discarded", rows(t, a, "SELECT count(*) FROM x"), "[0]")
	exec(t, a, "CREATE TEMP TABLE y (i int)")
	_ = a.Close(context.Background())
	for deadline := time.Now().Add(5 * time.Second); ; {
		if n := rows(t, b, "SELECT count(*) FROM pg_class WHERE relname = 'y'"); slices.Equal(n, []string{"0"}) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a temporary table outlives its session")
		}
	}
}
