package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// checks run on any server; shellChecks need the binary.
var checks = []check{
	{"truncated JSON", wants(`INSERT INTO robust_docs (_id, doc) VALUES ('x', '{"a": [1, 2')`, "22P02")},
	{"JSON with a bad escape", wants(`INSERT INTO robust_docs (_id, doc) VALUES ('x', '{"a": "\u12"}')`, "22P02")},
	{"document of 17 MiB", wantsParam("INSERT INTO robust_docs (_id, doc) VALUES ('x', $1)", `{"pad": "`+strings.Repeat("x", 17<<20)+`"}`, "54000")},
	{"document of 1,000 levels", wantsParam("INSERT INTO robust_docs (_id, doc) VALUES ('x', $1)", strings.Repeat(`{"a":`, 1000)+"1"+strings.Repeat("}", 1000), "54000", "54001")},
	{"JSON of 1,000,000 levels", wantsParam("SELECT $1::jsonb", strings.Repeat("[", 1_000_000), "54001", "54000")},
	{"unknown filter operator", wants(`SELECT * FROM find('robust_docs', '{"n": {"$nosuch": 1}}')`, "22023")},
	{"unknown operator in vsearch", wants(`SELECT * FROM vsearch('robust_docs', 'text', 'x', 3, '{"n": {"$nosuch": 1}}')`, "22023")},
	{"filter that is no document", wants(`SELECT * FROM vsearch('robust_docs', 'text', 'x', 3, '[1]')`, "22023")},
	{"negative k", wants(`SELECT * FROM vsearch('robust_docs', 'text', 'x', -1)`, "22023")},
	{"negative budget", wants(`SELECT * FROM context_pack('robust_docs', 'text', 'x', -5)`, "22023")},
	{"missing collection", wants(`SELECT * FROM vsearch('nosuch', 'text', 'x')`, "42P01")},
	{"unknown embedder", wants(`SELECT * FROM vsearch('robust_docs', 'text', 'x', embedder => 'nosuch')`, "42704")},
	{"a sum of 100,000 terms", wants("SELECT 1"+strings.Repeat("+1", 100_000), "54001")},
	{"100,000 parentheses", wants("SELECT "+strings.Repeat("(", 100_000)+"1"+strings.Repeat(")", 100_000), "54001")},
	{"100,000 NOTs", wants("SELECT "+strings.Repeat("NOT ", 100_000)+"true", "54001")},
	{"10,000 nested subqueries", wants(strings.Repeat("SELECT (", 10_000)+"1"+strings.Repeat(")", 10_000), "54001")},
	{"IN list of 50,000 numbers", answers("SELECT count(*) FROM robust_docs WHERE (doc->>'n')::int IN ("+numbers(50_000)+")", "2")},
	{"AND list of 5,000 terms", answers("SELECT count(*) FROM robust_docs WHERE true"+strings.Repeat(" AND (doc->>'n')::int > 0", 5_000), "2")},
	{"division by zero", wants("SELECT 1/0", "22012")},
	{"half a statement", wants("SELECT * FROM", "42601")},
	{"invalid UTF-8", invalidUTF8},
	{"message that claims 2 GiB", claims2GiB},
	{"start-up packet that claims 2 GiB", startupClaims2GiB},
	{"half a message, then gone", halfMessage},
	{"answers that nobody reads", unreadAnswers},
	{"200 sessions that come and go", comeAndGo},
	{"idle cursor beside an import", idleCursor},
}

// wants is a check that a statement fails with one of the SQLSTATEs and a message, and that its session goes on.
func wants(sql string, codes ...string) func(context.Context, *env) error {
	return func(ctx context.Context, e *env) error {
		_, err := e.conn.PgConn().Exec(ctx, sql).ReadAll()
		return e.clearError(ctx, err, codes)
	}
}

// wantsParam is wants with one text parameter.
func wantsParam(sql, param string, codes ...string) func(context.Context, *env) error {
	return func(ctx context.Context, e *env) error {
		r := e.conn.PgConn().ExecParams(ctx, sql, [][]byte{[]byte(param)}, nil, nil, nil).Read()
		return e.clearError(ctx, r.Err, codes)
	}
}

func (e *env) clearError(ctx context.Context, err error, codes []string) error {
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return fmt.Errorf("accepted, want SQLSTATE %s", strings.Join(codes, " or "))
	case !errors.As(err, &pg):
		return fmt.Errorf("the session broke: %w", err)
	case !slices.Contains(codes, pg.Code):
		return fmt.Errorf("SQLSTATE %s (%.200s), want %s", pg.Code, pg.Message, strings.Join(codes, " or "))
	case strings.TrimSpace(pg.Message) == "" || len(pg.Message) > 4000:
		return fmt.Errorf("a message of %d bytes helps nobody", len(pg.Message))
	}
	var one int
	if err := e.conn.QueryRow(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("the session is dead after the error: %w", err)
	}
	return nil
}

// answers is a check that a statement gives one value.
func answers(sql, want string) func(context.Context, *env) error {
	return func(ctx context.Context, e *env) error {
		res, err := e.conn.PgConn().Exec(ctx, sql).ReadAll()
		if err != nil {
			return err
		}
		if got := string(res[0].Rows[0][0]); got != want {
			return fmt.Errorf("got %s, want %s", got, want)
		}
		return nil
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, i)
	}
	return b.String()
}
