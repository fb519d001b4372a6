package pgwire

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/storage/dberr"
)

// TestUpdatesMeet lets several clients change the same documents by filter: no change is lost, and a document is changed once for each
// call, whatever the others do.
func TestUpdatesMeet(t *testing.T) {
	l := openTest(t)
	c := connectTest(t, l)
	exec(t, c, `SELECT insert_document('n', json_build_object('_id', i, 'n', 0, 'even', i % 2 = 0)) FROM generate_series(1, 6) i`)
	const clients, each = 6, 25
	var wg sync.WaitGroup
	for range clients {
		own := connectTest(t, l)
		wg.Go(func() {
			for range each {
				var matched, modified int64
				err := own.QueryRow(t.Context(), `SELECT matched, modified FROM update_documents('n', '{"even":true}', '{"$inc":{"n":1}}')`).Scan(&matched, &modified)
				if err != nil || matched != 3 || modified != 3 {
					t.Errorf("matched %d, modified %d, %v", matched, modified, err)
					return
				}
			}
		})
	}
	wg.Wait()
	want(t, "the documents", strings.Join(rows(t, c, `SELECT _id, doc->'n' FROM n ORDER BY (doc->>'_id')::int`), "; "),
		fmt.Sprintf("1|0; 2|%[1]d; 3|0; 4|%[1]d; 5|0; 6|%[1]d", clients*each))
	want(t, "their history", strings.Join(rows(t, c, `SELECT count(*), count(DISTINCT lsn), max((doc->>'n')::int) FROM history('n', '4')`), ""),
		fmt.Sprintf("%d|%[1]d|%d", clients*each+1, clients*each))
}

// planOf plans a change of the collection n.
func planOf(t *testing.T, c *pgx.Conn, filter, update string) string {
	t.Helper()
	return rows(t, c, `SELECT plan_mutation('n', $1::json, $2::json)->>'plan'`, filter, update)[0]
}

// TestPlansMeetChanges looks at plans beside other transactions: one that waits for a writer of its documents fails or holds by what the
// writer did, and a plan is applied by one client alone.
func TestPlansMeetChanges(t *testing.T) {
	l := openTest(t)
	c, other := connectTest(t, l), connectTest(t, l)
	exec(t, c, `SELECT insert_document('n', json_build_object('_id', i, 'n', 0)) FROM generate_series(1, 3) i`)
	for _, end := range []struct{ with, code string }{{"ROLLBACK", ""}, {"COMMIT", dberr.SerializationFailure}} {
		plan := planOf(t, c, `{"n":0}`, `{"$set":{"n":7}}`)
		exec(t, other, `BEGIN`)
		exec(t, other, `SELECT matched FROM update_documents('n', '{"_id":2}', '{"$set":{"x":1}}')`)
		done := make(chan string)
		go func() { done <- code(c, `SELECT apply_mutation($1)`, plan) }()
		exec(t, other, end.with)
		if got := <-done; got != end.code {
			t.Errorf("applied beside a writer that ends with %s: %q", end.with, got)
		}
		if end.code == "" {
			want(t, "rolled back", code(c, `SELECT rollback_mutation($1)`, plan), "")
		}
	}
	want(t, "n", strings.Join(rows(t, c, `SELECT DISTINCT doc->>'n' FROM n`), ";"), "0")

	plan := planOf(t, c, `{"n":0}`, `{"$inc":{"n":1}}`)
	codes := make(chan string)
	clients := []*pgx.Conn{c, other, connectTest(t, l)}
	for _, c := range clients {
		go func() { codes <- code(c, `SELECT apply_mutation($1)`, plan) }()
	}
	applied := 0
	for range clients {
		switch got := <-codes; got {
		case "":
			applied++
		case dberr.ObjectNotInPrerequisiteState, dberr.SerializationFailure:
		default:
			t.Errorf("applied by several: %s", got)
		}
	}
	want(t, "applied", applied, 1)
	want(t, "n", strings.Join(rows(t, c, `SELECT DISTINCT doc->>'n' FROM n`), ";"), "1")
	exec(t, c, `BEGIN`)
	again := planOf(t, c, `{"n":1}`, `{"$inc":{"n":1}}`)
	exec(t, c, `SELECT apply_mutation($1)`, again)
	want(t, "rolled back by the transaction that applied it", code(c, `SELECT rollback_mutation($1)`, again), dberr.ObjectNotInPrerequisiteState)
	exec(t, c, `ROLLBACK`)
	want(t, "verify", strings.Join(rows(t, c, `SELECT verify()->>'ok'`), ""), "true")
}

// TestPastInQueries reads the past in joins, aggregates, prepared statements and transactions with a snapshot of their own.
func TestPastInQueries(t *testing.T) {
	l := openTest(t)
	c := connectTest(t, l)
	exec(t, c, `CREATE TABLE t (a int PRIMARY KEY, b text)`)
	exec(t, c, `INSERT INTO t SELECT i, 'old' FROM generate_series(1, 2000) i`)
	lsn := rows(t, c, `SELECT lsn()`)[0]
	exec(t, c, `CREATE INDEX t_b ON t (b)`)
	exec(t, c, `UPDATE t SET b = 'new' WHERE a % 2 = 0`)
	exec(t, c, `DELETE FROM t WHERE a > 1000`)
	for _, q := range []struct{ sql, want string }{
		{`SELECT count(*), min(b), max(b) FROM collection_as_of('t', %s)`, "2000|old|old"},
		{`SELECT count(*) FROM collection_as_of('t', %s) p JOIN t USING (a) WHERE p.b <> t.b`, "500"},
		{`SELECT b FROM collection_as_of('t', %s) WHERE a = 1500`, "old"},
		{`SELECT count(*) FROM collection_as_of('t', %s) WHERE b = 'new'`, "0"},
		{`SELECT a FROM collection_as_of('t', %s) ORDER BY a DESC LIMIT 1`, "2000"},
		{`SELECT count(*) FROM t WHERE a IN (SELECT a FROM collection_as_of('t', %s) WHERE a BETWEEN 990 AND 1010)`, "11"},
	} {
		want(t, q.sql, strings.Join(rows(t, c, fmt.Sprintf(q.sql, lsn)), ";"), q.want)
	}
	want(t, "by parameter", strings.Join(rows(t, c, `SELECT count(*) FROM collection_as_of('t', $1::bigint)`, lsn), ""), "2000")
	exec(t, c, `ALTER TABLE t ADD c int DEFAULT 5`)
	want(t, "columns of then", strings.Join(rows(t, c, fmt.Sprintf(`SELECT * FROM collection_as_of('t', %s) WHERE a = 3`, lsn)), ""), "3|old")
	want(t, "other columns by parameter", code(c, `SELECT * FROM collection_as_of('t', $1::bigint)`, lsn), dberr.DatatypeMismatch)

	other := connectTest(t, l)
	exec(t, other, `BEGIN ISOLATION LEVEL REPEATABLE READ`)
	rows(t, other, `SELECT 1 FROM t LIMIT 1`)
	exec(t, c, `UPDATE t SET b = 'newest'`)
	now := rows(t, c, `SELECT lsn()`)[0]
	want(t, "beyond a snapshot", code(other, `SELECT count(*) FROM collection_as_of('t', `+now+`)`), dberr.InvalidParameterValue)
	exec(t, other, `ROLLBACK`)
	exec(t, c, `DROP TABLE t`)
	want(t, "of a dropped table", strings.Join(rows(t, c, fmt.Sprintf(`SELECT count(*) FROM collection_as_of('t', %s)`, lsn)), ""), "2000")
	want(t, "oplog", strings.Join(rows(t, c, `SELECT operation, count(*) FROM oplog() WHERE collection = 't' GROUP BY 1 ORDER BY 1`), ";"),
		"alter|2;create|1;delete|1000;drop|1;insert|2000;update|3000")
}
