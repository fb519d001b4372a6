package slt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

// script is a fake server: answers by SQL text. It stands for one state; sessions share it.
type script struct {
	answers map[string]answer
	dials   int
	dropped bool
	log     []string
}

type answer struct {
	res *Result
	err error
}

func (s *script) New(context.Context) (State, error) { return s, nil }
func (s *script) Parallel() bool                     { return false }
func (s *script) Drop(context.Context) error         { s.dropped = true; return nil }
func (s *script) Dial(context.Context) (Session, error) {
	s.dials++
	return &scriptSession{s, s.dials}, nil
}
func (s *scriptSession) Close(context.Context) error { return nil }
func pgError(code, msg string) error                 { return &pgconn.PgError{Code: code, Message: msg} }
func table(names string, oid uint32, rows ...[]string) answer {
	return answer{res: rowsOf(names, oid, rows)}
}

type scriptSession struct {
	*script
	id int
}

func (s *scriptSession) Exec(_ context.Context, sql string) (*Result, error) {
	s.log = append(s.log, fmt.Sprintf("%d:%s", s.id, sql))
	a, ok := s.answers[sql]
	if !ok {
		return &Result{}, nil
	}
	return a.res, a.err
}

// rowsOf builds a result in which the word NULL is NULL.
func rowsOf(names string, oid uint32, rows [][]string) *Result {
	res := &Result{Names: strings.Fields(names), Affected: int64(len(rows))}
	for range res.Names {
		res.OIDs = append(res.OIDs, oid)
	}
	for _, row := range rows {
		var out [][]byte
		for _, v := range row {
			if v == "NULL" {
				out = append(out, nil)
			} else {
				out = append(out, []byte(v))
			}
		}
		res.Rows = append(res.Rows, out)
	}
	return res
}

const textOID, intOID = 25, 23

var answers = map[string]answer{
	"pairs":  table("a b", intOID, []string{"2", "x"}, []string{"1", "NULL"}, []string{"10", "y"}),
	"empty":  table("a", intOID),
	"odd":    table("a", textOID, []string{""}, []string{"é"}, []string{"a\nb\\"}),
	"reals":  table("r", 701, []string{"1.5"}, []string{"-0.0005"}),
	"fail":   {err: pgError("42P01", `relation "nosuch" does not exist`)},
	"lost":   {err: errors.New("connection reset")},
	"insert": {res: &Result{Affected: 3}},
	"drift1": table("a", intOID, []string{"1"}),
	"drift2": table("a", intOID, []string{"2"}),
}

func TestRun(t *testing.T) {
	tests := []struct {
		name, text string
		counts     string
		problems   []string // "line: problem"
	}{
		{"statement ok", "statement ok\ninsert\n", "q0/0 s1/1 e0/0 skip0", nil},
		{"statement ok that fails", "\nstatement ok\nfail\n", "q0/0 s0/1 e0/0 skip0", []string{`2: : relation "nosuch" does not exist (SQLSTATE 42P01)`}},
		{"any error", "statement error\nfail\n", "q0/0 s0/0 e1/1 skip0", nil},
		{"error with comment", "statement error # why\nfail\n", "q0/0 s0/0 e1/1 skip0", nil},
		{"code and text", "statement error 42P01 does not exist\nfail\n", "q0/0 s0/0 e1/1 skip0", nil},
		{"other code", "query error 42703\nfail\n", "q0/0 s0/0 e0/1 skip0", []string{`1: got SQLSTATE 42P01 (relation "nosuch" does not exist), want 42703`}},
		{"other text", "statement error column\nfail\n", "q0/0 s0/0 e0/1 skip0", []string{`1: got message "relation \"nosuch\" does not exist", want it to hold "column"`}},
		{"error that succeeds", "statement error\ninsert\n", "q0/0 s0/0 e0/1 skip0", []string{"1: succeeded, want an error"}},
		{"a lost connection is no expected error", "statement error\nlost\n", "q0/0 s0/0 e0/1 skip0", []string{"1: connection reset"}},
		{"count", "statement count 3\ninsert\n\nstatement count 4\ninsert\n", "q0/0 s1/2 e0/0 skip0", []string{"4: 3 rows affected, want 4"}},
		{"nosort", "query IT\npairs\n----\n2\nx\n1\nNULL\n10\ny\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"rowsort is bytewise by row", "query IT rowsort\npairs\n----\n1\nNULL\n10\ny\n2\nx\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"valuesort", "query IT valuesort\npairs\n----\n1\n10\n2\nNULL\nx\ny\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"order matters", "query IT\npairs\n----\n1\nNULL\n2\nx\n10\ny\n", "q0/1 s0/0 e0/0 skip0", []string{`1: line 1: got "2", want "1"`}},
		{"too few", "query I\ndrift1\n----\n1\n2\n", "q0/1 s0/0 e0/0 skip0", []string{`1: got 1 lines, want 2; missing "2"`}},
		{"too many", "query I\ndrift1\n----\n", "q0/1 s0/0 e0/0 skip0", []string{`1: got 1 lines, want 0; extra "1"`}},
		{"columns", "query III\npairs\n----\n", "q0/1 s0/0 e0/0 skip0", []string{"1: got 2 columns, want 3"}},
		{"columns of no rows", "query II\nempty\n----\n", "q0/1 s0/0 e0/0 skip0", []string{"1: got 1 columns, want 2"}},
		{"no rows", "query I\nempty\n----\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"T", "query T\nodd\n----\n(empty)\n@@\na@b\\\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"S", "query S\nodd\n----\n(empty)\né\na\\nb\\\\\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"R", "query R\nreals\n----\n1.500\n-0.001\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"rows and names", "query IT rowsort rows names\npairs\n----\na | b\n1 | NULL\n10 | y\n2 | x\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"names", "query IT names\npairs\n----\na\nc\n", "q0/1 s0/0 e0/0 skip0", []string{`1: line 2: got "b", want "c"`}},
		{"hash", "query I\ndrift1\n----\n1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1\n", "q1/1 s0/0 e0/0 skip0", nil},
		{"other hash", "query I\ndrift2\n----\n1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1\n", "q0/1 s0/0 e0/0 skip0",
			[]string{"1: got 1 values hashing to 26ab0db90d72e28ad0ba1e22ee510510, want 1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1"}},
		{"label", "query I nosort L\ndrift1\n\nquery I nosort L\ndrift2\n", "q1/2 s0/0 e0/0 skip0",
			[]string{"4: label L: got 1 values hashing to 26ab0db90d72e28ad0ba1e22ee510510, but an earlier query gave 1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1"}},
		{"skipif", "skipif postgresql # no\nstatement ok\nfail\n\nskipif mysql\nstatement ok\ninsert\n", "q0/0 s1/1 e0/0 skip1", nil},
		{"onlyif", "onlyif postgresql\nstatement ok\ninsert\n\nonlyif mysql\nstatement ok\nfail\n\nstatement ok\ninsert\n", "q0/0 s2/2 e0/0 skip1", nil},
		{"halt", "onlyif mysql\nhalt\n\nstatement ok\ninsert\n\nhalt\n\nstatement ok\nfail\n", "q0/0 s1/1 e0/0 skip1", nil},
		{"max counts what applies", "onlyif mysql\nstatement ok\nfail\n\n" + strings.Repeat("statement ok\ninsert\n\n", 9), "q0/0 s6/6 e0/0 skip1", nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Parse([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			srv := &script{answers: answers}
			out := Options{Engine: "postgresql", Max: 6}.Run(t.Context(), srv, f, nil)
			if got := brief(out.Counts); got != tc.counts {
				t.Errorf("counts %s, want %s", got, tc.counts)
			}
			var problems []string
			for _, p := range out.Failures {
				problems = append(problems, fmt.Sprintf("%d: %s", p.Line, p.Problem))
			}
			if d := cmp.Diff(tc.problems, problems); d != "" {
				t.Error(d)
			}
			if !srv.dropped || out.Broken != "" {
				t.Errorf("dropped %v, broken %q", srv.dropped, out.Broken)
			}
		})
	}
}

func brief(c Counts) string {
	return fmt.Sprintf("q%d/%d s%d/%d e%d/%d skip%d", c.Queries.Pass, c.Queries.Run, c.Statements.Pass, c.Statements.Run, c.Errors.Pass, c.Errors.Run, c.Skipped)
}

// A connection line chooses the session of one record; a lost session is opened anew for the next.
func TestSessions(t *testing.T) {
	f, err := Parse([]byte("statement ok\na\n\nconnection two\nstatement ok\nb\n\nstatement ok\nlost\n\nstatement ok\nc\n\nconnection two\nstatement ok\nd\n"))
	if err != nil {
		t.Fatal(err)
	}
	srv := &script{answers: answers}
	Options{}.Run(t.Context(), srv, f, nil)
	want := []string{"1:a", "2:b", "1:lost", "3:c", "2:d"}
	if d := cmp.Diff(want, srv.log); d != "" {
		t.Error(d)
	}
}

// slow blocks until its context ends, as a server that hangs does.
type slow struct{ script }

func (s *slow) New(context.Context) (State, error)    { return s, nil }
func (s *slow) Dial(context.Context) (Session, error) { return s, nil }
func (s *slow) Close(context.Context) error           { return nil }
func (s *slow) Exec(ctx context.Context, _ string) (*Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTimeoutFailsTheRecord(t *testing.T) {
	f, err := Parse([]byte("statement error\nhang\n\nquery I\nhang\n----\n"))
	if err != nil {
		t.Fatal(err)
	}
	out := Options{Timeout: time.Millisecond}.Run(t.Context(), &slow{}, f, nil)
	if got := brief(out.Counts); got != "q0/1 s0/0 e0/1 skip0" || out.Broken != "" {
		t.Errorf("counts %s, broken %q", got, out.Broken)
	}
}

func TestPeerTally(t *testing.T) {
	f, err := Parse([]byte("statement ok\nfail\n\nstatement ok\ninsert\n\nquery I\ndrift1\n----\n2\n"))
	if err != nil {
		t.Fatal(err)
	}
	out := Options{}.Run(t.Context(), &script{answers: answers}, f, map[int]bool{1: true})
	if want := (Tally{Run: 2, Pass: 1}); *out.Peer != want {
		t.Errorf("peer tally %+v, want %+v", *out.Peer, want)
	}
}
