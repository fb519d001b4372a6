package parse

import (
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
)

func TestStatements(t *testing.T) {
	cases := []struct {
		sql  string
		want []string // texts
		at   []int
	}{
		{"", nil, nil},
		{" ;; -- nothing\n /* a /* nested */ comment */ ;", nil, nil},
		{"SELECT 1", []string{"SELECT 1"}, []int{0}},
		{" SELECT 'a;b' ; /* c */ SELECT $$x;y$$ ;\n", []string{"SELECT 'a;b'", "SELECT $$x;y$$"}, []int{1, 24}},
		{"SELECT 'é'; SELECT 2", []string{"SELECT 'é'", "SELECT 2"}, []int{0, 13}},
		{"BEGIN; COMMIT", []string{"BEGIN", "COMMIT"}, []int{0, 7}},
	}
	for _, c := range cases {
		got, err := Parse(c.sql)
		if err != nil {
			t.Errorf("%q: %v", c.sql, err)
			continue
		}
		if len(got) != len(c.want) {
			t.Errorf("%q: %d statements, want %d", c.sql, len(got), len(c.want))
			continue
		}
		for i, s := range got {
			if s.Text != c.want[i] || s.Offset != c.at[i] || s.Node == nil {
				t.Errorf("%q: statement %d is %q at %d, want %q at %d", c.sql, i, s.Text, s.Offset, c.want[i], c.at[i])
			}
		}
	}
}

func TestErrors(t *testing.T) {
	cases := []struct {
		sql, code, msg string
		pos            int // byte offset, from 0; -1 none
	}{
		{"SELECT FROM FROM", "42601", `syntax error at or near "FROM"`, 12},
		{"SELECT 'é', x FROM FROM", "42601", `syntax error at or near "FROM"`, 20},
		{"SELEC 1", "42601", `syntax error at or near "SELEC"`, 0},
		{"SELECT 1 +", "42601", "syntax error at end of input", 10},
		{"SELECT 'abc", "42601", `unterminated quoted string at or near "'abc"`, 7},
		{"SELECT /* x", "42601", `unterminated /* comment at or near "/* x"`, 7},
		{`SELECT "" FROM t`, "42601", "zero-length delimited identifier at or near \"\"\"\"", 7},
		{"SELECT a\x00b", "22021", `invalid byte sequence for encoding "UTF8": 0x00`, 8},
		{"SELECT '\xc3\x28'", "22021", `invalid byte sequence for encoding "UTF8": 0xc3 0x28`, 8},
		{"SELECT '\xff'", "22021", `invalid byte sequence for encoding "UTF8": 0xff`, 8},
		{`SELECT U&'\zzzz'`, "42601", "invalid Unicode escape", 10},
		{"CREATE ASSERTION a CHECK (true)", "0A000", "", -2},
		{"SELECT sum(x) OVER (ROWS UNBOUNDED FOLLOWING)", "42P20", "frame start cannot be UNBOUNDED FOLLOWING", -2},
	}
	for _, c := range cases {
		_, err := Parse(c.sql)
		e := dberr.As(err)
		if e == nil {
			t.Errorf("%q: no error", c.sql)
			continue
		}
		if e.Code != c.code || c.msg != "" && e.Message != c.msg || c.pos != -2 && e.Position != c.pos+1 {
			t.Errorf("%q: %s %q at %d", c.sql, e.Code, e.Message, e.Position-1)
		}
	}
}

// chains makes texts that are deep in one way each; n is the number of repetitions.
var chains = map[string]func(n int) string{
	"plus":   func(n int) string { return "SELECT 1" + strings.Repeat("+1", n) },
	"minus":  func(n int) string { return "SELECT " + strings.Repeat("- ", n) + "x" },
	"not":    func(n int) string { return "SELECT " + strings.Repeat("NOT ", n) + "x" },
	"paren":  func(n int) string { return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
	"func":   func(n int) string { return "SELECT " + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n) },
	"row":    func(n int) string { return "SELECT " + strings.Repeat("(1,", n) + "1" + strings.Repeat(")", n) },
	"array":  func(n int) string { return "SELECT " + strings.Repeat("ARRAY[", n) + "1" + strings.Repeat("]", n) },
	"scalar": func(n int) string { return strings.Repeat("SELECT (", n) + "SELECT 1" + strings.Repeat(")", n) },
	"from": func(n int) string {
		return strings.Repeat("SELECT * FROM (", n) + "SELECT 1" + strings.Repeat(") a", n)
	},
	"union":   func(n int) string { return "SELECT 1" + strings.Repeat(" UNION SELECT 1", n) },
	"join":    func(n int) string { return "SELECT 1 FROM a" + strings.Repeat(" JOIN b ON true", n) },
	"natural": func(n int) string { return "SELECT 1 FROM a" + strings.Repeat(" NATURAL JOIN b", n) },
	"cast":    func(n int) string { return "SELECT 1" + strings.Repeat("::int", n) },
	"case": func(n int) string {
		return "SELECT " + strings.Repeat("CASE WHEN ", n) + "x" + strings.Repeat(" THEN 1 END", n)
	},
	"else": func(n int) string {
		return "SELECT " + strings.Repeat("CASE WHEN x THEN 1 ELSE ", n) + "1" + strings.Repeat(" END", n)
	},
	"isnull":   func(n int) string { return "SELECT x" + strings.Repeat(" IS NULL", n) },
	"postfix":  func(n int) string { return "SELECT x" + strings.Repeat(" ISNULL", n) },
	"collate":  func(n int) string { return "SELECT x" + strings.Repeat(` COLLATE "C"`, n) },
	"attime":   func(n int) string { return "SELECT x" + strings.Repeat(" AT TIME ZONE 'UTC'", n) },
	"arrow":    func(n int) string { return "SELECT x" + strings.Repeat("->'a'", n) },
	"operator": func(n int) string { return "SELECT x" + strings.Repeat(" OPERATOR(pg_catalog.+) 1", n) },
	"comments": func(n int) string { return "SELECT 1" + strings.Repeat("/*\"*/ +/*'*/ 1--'\n", n) },
	"both":     func(n int) string { return "SELECT " + strings.Repeat("(1+", n) + "1" + strings.Repeat(")+1", n) },
	"cte": func(n int) string {
		return strings.Repeat("WITH a AS (", n) + "SELECT 1" + strings.Repeat(") SELECT 1", n)
	},
}

// TestDeep: what is too deep is refused before the C parser is entered (which would end this process), what is at the limit passes.
func TestDeep(t *testing.T) {
	for name, make := range chains {
		for _, n := range []int{20_000, 100_000} {
			if _, err := Parse(make(n)); dberr.Code(err) != dberr.StatementTooComplex {
				t.Errorf("%s, %d times: %v, want 54001", name, n, err)
			}
		}
		lo, hi := 1, 20_000
		for lo+1 < hi {
			if mid := (lo + hi) / 2; checkLimits(make(mid)) == nil {
				lo = mid
			} else {
				hi = mid
			}
		}
		if _, err := Parse(make(lo)); err != nil {
			t.Errorf("%s, %d times, is at the limit: %v", name, lo, err)
		}
		if lo < 200 {
			t.Errorf("%s: only %d levels are allowed", name, lo)
		}
	}
}

func TestFlat(t *testing.T) {
	const n = 50_000
	flat := map[string]string{
		"in":     "SELECT x IN (1" + strings.Repeat(",1", n) + ")",
		"and":    "SELECT 1 WHERE a=1" + strings.Repeat(" AND a=1+1", n),
		"or":     "SELECT 1 WHERE a=1" + strings.Repeat(" OR a=1 AND NOT b", n),
		"values": "INSERT INTO t VALUES (1)" + strings.Repeat(",(-1,'x')", n),
		"array":  "SELECT ARRAY[1" + strings.Repeat(",1", n) + "]",
		"when":   "SELECT CASE" + strings.Repeat(" WHEN a=1 THEN 2", n) + " END",
		"script": strings.Repeat("INSERT INTO t VALUES (1+1);\n", n),
		"froms":  "SELECT 1 FROM a" + strings.Repeat(",a", n),
		"string": "SELECT '" + strings.Repeat("((((1+1", n) + "'",
	}
	for name, sql := range flat {
		if _, err := Parse(sql); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, make := range chains {
		f.Add(make(3))
	}
	for _, s := range []string{"SELECT E'\\'' , U&\"a\\0041\" , $a$ ' $a$ , $1", "/* /* */ SELECT", "a$b$ 'x", "SELECT 1e+5, .5, 0x1F, 1_0", "COPY t FROM STDIN; --"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		stmts, err := Parse(sql)
		if err != nil {
			if e := dberr.As(err); e.Code == dberr.InternalError || e.Position > len(sql)+1 {
				t.Fatalf("%q: %s %v at %d", sql, e.Code, err, e.Position)
			}
			return
		}
		for _, s := range stmts {
			if sql[s.Offset:s.Offset+len(s.Text)] != s.Text {
				t.Fatalf("%q: text %q is not at %d", sql, s.Text, s.Offset)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	sql := "SELECT _id, doc->>'title' AS title, score FROM vsearch('docs','text',$1,5) WHERE doc->>'lang' = 'en' AND score > 0.5 ORDER BY score DESC"
	for b.Loop() {
		if _, err := Parse(sql); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRows: which lists of rows are read here, how many, and that the whole statement comes back.
func TestRows(t *testing.T) {
	eight := "(1, 'a''b'), (-2, NULL), (3.5, 'é'), (1e3, ''), (5, 'x'), (6, 'y'), (7, 'z'), (8, TRUE)"
	cases := []struct {
		sql  string
		rows int // 0: left to the parser
	}{
		{"INSERT INTO t VALUES " + eight, 8},
		{"SELECT ';'; insert into t (a, b) values " + eight + ";", 8},
		{"PREPARE p AS INSERT INTO t VALUES" + eight + " RETURNING a", 8},
		{"WITH w AS (SELECT 1) INSERT INTO t VALUES " + eight + " ON CONFLICT DO NOTHING", 8},
		{"INSERT INTO t VALUES (1), (2), (3)", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, 1 + 1)", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, DEFAULT)", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, $1)", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, E'a')", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, 'a'\n'b')", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, 'a'::text)", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, 010)", 0},
		{"INSERT INTO t VALUES " + eight + ", (9, - 1)", 0},
		{"SELECT * FROM (VALUES " + eight + ") v", 0},
		{"VALUES " + eight, 0},
	}
	for _, c := range cases {
		stmts, err := Parse(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		st := stmts[len(stmts)-1]
		if (st.Rows != nil) != (c.rows > 0) || st.Rows != nil && st.Rows.Len() != c.rows {
			t.Errorf("%s: rows are %v, want %d", c.sql, st.Rows, c.rows)
			continue
		}
		if st.Rows == nil {
			continue
		}
		if c.sql[st.Rows.At] != '(' || !strings.Contains(st.Text, "a''b") {
			t.Errorf("%s: rows at %d, text %q", c.sql, st.Rows.At, st.Text)
		}
		got := ""
		for i := range st.Rows.Lits {
			got += st.Rows.Text(&st.Rows.Lits[i]) + "|"
		}
		if want := "1|a'b|-2|NULL|3.5|é|1e3||5|x|6|y|7|z|8|TRUE|"; got != want {
			t.Errorf("%s: literals %s, want %s", c.sql, got, want)
		}
		whole, err := st.Whole()
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if whole.Rows != nil || whole.Text != st.Text || whole.Offset != st.Offset {
			t.Errorf("%s: the whole statement is %q at %d", c.sql, whole.Text, whole.Offset)
		}
	}
	_, err := Parse("INSERT INTO t VALUES " + eight + ") RETURNING")
	if e, _ := err.(*dberr.Error); e == nil || e.Code != "42601" {
		t.Errorf("an extra parenthesis gives %v", err)
	}
}
