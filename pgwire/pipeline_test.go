package pgwire

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestPipelinedOnline: an index built online commits by itself; behind other statements without a Sync between it would wait for their
// locks for ever, alone it works.
func TestPipelinedOnline(t *testing.T) {
	c := connectTest(t, openTest(t))
	exec(t, c, "CREATE TABLE piped (a int)")
	for _, x := range []struct {
		name   string
		before []string
		code   string
	}{
		{"alone", nil, ""},
		{"behind an INSERT", []string{"INSERT INTO piped VALUES (1)"}, "25001"},
		{"after it failed", nil, ""},
	} {
		batch := &pgconn.Batch{}
		for _, sql := range append(x.before, "CREATE INDEX CONCURRENTLY ON piped (a)") {
			batch.ExecParams(sql, nil, nil, nil, nil)
		}
		_, err := c.PgConn().ExecBatch(context.Background(), batch).ReadAll()
		if got := codeOf(err); got != x.code {
			t.Errorf("%s: %q, want %q (%v)", x.name, got, x.code, err)
		}
	}
	if got := rows(t, c, "SELECT count(*) FROM pg_indexes WHERE tablename = 'piped'"); got[0] != "2" {
		t.Errorf("%v indexes, want 2", got)
	}
}
