package bind

import (
	"context"
	"testing"

	"github.com/omgdb/omgdb/planner/parse"
)

func BenchmarkBind(b *testing.B) {
	w := newWorld(b, facts(b))
	for _, sql := range []string{
		"CREATE TABLE t (a int PRIMARY KEY, b text, c numeric(8,2), d timestamptz)",
		"CREATE TABLE docs () USING collection",
	} {
		if _, err := w.run(sql); err != nil {
			b.Fatal(err)
		}
	}
	bc := w.context()
	for name, sql := range map[string]string{
		"point":  "SELECT b FROM t WHERE a = $1",
		"insert": "INSERT INTO t (a, b, c) VALUES ($1, $2, $3)",
		"json":   "SELECT _id, doc->>'title' AS title FROM docs WHERE doc->>'lang' = 'en' AND (doc->>'n')::int > 3 ORDER BY title LIMIT 10",
		"group":  "SELECT b, count(*), sum(c) AS s FROM t WHERE d > now() - interval '1 day' GROUP BY b HAVING count(*) > 1 ORDER BY s DESC",
	} {
		stmts, err := parse.Parse(sql)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Bind(context.Background(), bc, stmts[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
