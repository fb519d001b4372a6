package pgwire

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// TestLargeCursors walks about at random in cursors that keep more rows than work_mem holds, in and beyond their transaction, beside a
// model of positions.
func TestLargeCursors(t *testing.T) {
	const n = 9000
	c := connectTest(t, openTest(t))
	exec(t, c, `SET work_mem = '64kB'`)
	for _, how := range []string{"SCROLL CURSOR", "SCROLL CURSOR WITH HOLD"} {
		exec(t, c, `BEGIN`)
		exec(t, c, fmt.Sprintf(`DECLARE c %s FOR SELECT i, CASE WHEN i %% 7 <> 0 THEN 'row ' || i END AS t, i / 4.0 AS x, ARRAY[i, i + 1] AS a FROM generate_series(1, %d) i`, how, n))
		if strings.HasSuffix(how, "HOLD") {
			exec(t, c, `COMMIT`)
		}
		r := rand.New(rand.NewPCG(1, 2))
		pos := 0 // 0 before the first row, n+1 behind the last
		for range 120 {
			k := 1 + r.IntN(1500)
			var sql string
			var from, to, step int // the rows that come
			switch r.IntN(4) {
			case 0:
				sql, from, to, step = fmt.Sprintf("FETCH FORWARD %d FROM c", k), pos+1, min(pos+k, n), 1
				if pos = pos + k; pos > n {
					pos = n + 1
				}
			case 1:
				sql, from, to, step = fmt.Sprintf("FETCH BACKWARD %d FROM c", k), pos-1, max(pos-k, 1), -1
				pos = max(pos-k, 0)
			case 2:
				at := 1 + r.IntN(n)
				sql, from, to, step, pos = fmt.Sprintf("FETCH ABSOLUTE %d FROM c", at), at, at, 1, at
			case 3:
				at := 1 + r.IntN(n)
				sql, from, to, step, pos = fmt.Sprintf("FETCH ABSOLUTE -%d FROM c", at), n+1-at, n+1-at, 1, n+1-at
			}
			var rowsWanted []string
			for i := from; (to-i)*step >= 0; i += step {
				text := fmt.Sprintf("row %d", i)
				if i%7 == 0 {
					text = "NULL"
				}
				rowsWanted = append(rowsWanted, fmt.Sprintf("%d|%s|%.2f|{%d,%d}", i, text, float64(i)/4, i, i+1))
			}
			if diff := cmp.Diff(rowsWanted, fetched(t, c, sql)); diff != "" {
				t.Fatalf("%s of %s: %.2000s", sql, how, diff)
			}
		}
		exec(t, c, `CLOSE c`)
		if !strings.HasSuffix(how, "HOLD") {
			exec(t, c, `COMMIT`)
		}
	}
}

// fetched gives rows as text with two decimals in numbers.
func fetched(t *testing.T, c *pgx.Conn, sql string) []string {
	t.Helper()
	r := c.PgConn().Exec(t.Context(), sql)
	results, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for _, row := range results[0].Rows {
		var vals []string
		for i, v := range row {
			switch {
			case v == nil:
				vals = append(vals, "NULL")
			case i == 2:
				x, err := strconv.ParseFloat(string(v), 64)
				if err != nil {
					t.Fatal(err)
				}
				vals = append(vals, fmt.Sprintf("%.2f", x))
			default:
				vals = append(vals, string(v))
			}
		}
		out = append(out, strings.Join(vals, "|"))
	}
	return out
}
