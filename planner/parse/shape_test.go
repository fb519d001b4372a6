package parse

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/value"
)

// TestShapeOf pins which literals are values: what is not in the shape's list stands in its text as it came.
func TestShapeOf(t *testing.T) {
	const text, i4, i8, num = 0, uint32(23), uint32(20), uint32(1700)
	if i4 != value.Int4.OID || i8 != value.Int8.OID || num != value.Numeric.OID {
		t.Fatal("types have other numbers")
	}
	for _, c := range []struct {
		sql, shape string
		oids       []uint32
		values     []string
	}{
		{"SELECT a FROM t WHERE id = 5", "SELECT a FROM t WHERE id = $1", []uint32{i4}, []string{"5"}},
		{"select a from t where s='it''s' and n>=1.50 -- 7\n;", "select a from t where s=$1 and n>=$2 -- 7\n;", []uint32{text, num}, []string{"it's", "1.50"}},
		{"SELECT doc->>'a' FROM t WHERE doc->>'b' = 'x' ORDER BY 1 LIMIT 20", "SELECT doc->>'a' FROM t WHERE doc->>'b' = $1 ORDER BY 1 LIMIT 20", []uint32{text}, []string{"x"}},
		{"SELECT 1 WHERE 3000000000 > x AND x < 3000000000", "SELECT 1 WHERE 3000000000 > x AND x < $1", []uint32{i8}, []string{"3000000000"}},
		{"SELECT x FROM t WHERE x = -5 AND y = x - 6", "SELECT x FROM t WHERE x = -$1 AND y = x - $2", []uint32{i4, i4}, []string{"5", "6"}},
		{"SELECT x FROM t WHERE x BETWEEN 1 AND 2 AND y = 3", "SELECT x FROM t WHERE x BETWEEN $1 AND $2 AND y = $3", []uint32{i4, i4, i4}, []string{"1", "2", "3"}},
		{"SELECT sum(x) OVER (ORDER BY y ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM t WHERE x = 4",
			"SELECT sum(x) OVER (ORDER BY y ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM t WHERE x = $1", []uint32{i4}, []string{"4"}},
		{"INSERT INTO t (a, b) VALUES (1, 'x'), (f(2), 3 + 4) ON CONFLICT (a) DO UPDATE SET b = 'y'",
			"INSERT INTO t (a, b) VALUES ($1, $2), (f(2), $3 + $4) ON CONFLICT (a) DO UPDATE SET b = $5", []uint32{i4, text, i4, i4, text}, []string{"1", "x", "3", "4", "y"}},
		{"UPDATE t SET a = a + 7 WHERE id = 8", "UPDATE t SET a = a + $1 WHERE id = $2", []uint32{i4, i4}, []string{"7", "8"}},
		{"SELECT x FROM t WHERE x = 2147483648 AND y = 1", "SELECT x FROM t WHERE x = 2147483648 AND y = $1", []uint32{i4}, []string{"1"}},
		{`SELECT x FROM t WHERE x = 'a\b' AND y = E'c' AND z = $$d$$ AND w = 'v'`, "", nil, nil}, // dollar quotes look like parameters
		{`SELECT x FROM t WHERE x = 'a\b' AND y = E'c' AND w = 'v'`, `SELECT x FROM t WHERE x = 'a\b' AND y = E'c' AND w = $1`, []uint32{text}, []string{"v"}},
		{"SELECT f(k := 5, b => 6), x % 7 FROM t", "SELECT f(k := 5, b => 6), x % $1 FROM t", []uint32{i4}, []string{"7"}},
		{"SELECT 1; SELECT 2 = 2", "", nil, nil},
		{"SELECT x FROM t WHERE a = $1 AND b = 2", "", nil, nil},
		{"SELECT x FROM t WHERE a = 'b'\n'c'", "", nil, nil},
		{"SELECT x FROM t ORDER BY -1", "", nil, nil},
		{"SELECT x FROM t LIMIT + 1", "", nil, nil},
		{"CREATE TABLE t (a int DEFAULT 1 + 1)", "", nil, nil},
		{"SELECT x FROM t WHERE a = 'unfinished", "", nil, nil},
		{"", "", nil, nil},
	} {
		s, ok := ShapeOf(c.sql)
		if ok != (c.shape != "") || s.Text != c.shape || !slices.Equal(s.OIDs, c.oids) {
			t.Errorf("%s:\n got %q %v %v\nwant %q %v", c.sql, s.Text, s.OIDs, ok, c.shape, c.oids)
			continue
		}
		for i, want := range c.values {
			if got := s.Value(i); got != want {
				t.Errorf("%s: value %d is %q, want %q", c.sql, i+1, got, want)
			}
		}
	}
}

// FuzzShapeOf puts the literals back into a shape: that is the text again, whatever it was.
func FuzzShapeOf(f *testing.F) {
	for _, s := range []string{"SELECT a FROM t WHERE id = 5 AND s = 'it''s'", "insert into t values (1, 'x'), (-2.5, $$y$$)", "UPDATE t SET a = - 7 -- 8\n;",
		"SELECT '", "SELECT x = '", "SELECT x BETWEEN 1 AND 'b", "DELETE FROM t WHERE a = E'\\'' AND b = 1e", "SELECT x = 1 /* 'open", "SELECT \"a\" = U&'\\0041' + 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		s, ok := ShapeOf(sql)
		if !ok {
			if s.Text != "" || s.OIDs != nil {
				t.Fatalf("%q has no shape, and half of one", sql)
			}
			return
		}
		var b strings.Builder
		from := 0
		for i, l := range s.lits {
			b.WriteString(sql[from:l.start])
			b.WriteString("$" + strconv.Itoa(i+1))
			from = int(l.end)
			if s.OIDs[i] != 0 {
				if _, err := strconv.ParseFloat(s.Value(i), 64); err != nil && !strings.Contains(err.Error(), "range") {
					t.Fatalf("%q: %q is no number", sql, s.Value(i))
				}
			} else if l.start < 0 || sql[l.start] != '\'' || sql[l.end-1] != '\'' {
				t.Fatalf("%q: %q is no string", sql, sql[l.start:l.end])
			}
		}
		if b.WriteString(sql[from:]); b.String() != s.Text {
			t.Fatalf("%q became %q", sql, s.Text)
		}
	})
}
