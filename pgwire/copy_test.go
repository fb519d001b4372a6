package pgwire

import (
	"io"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/storage/dberr"
)

// dawdler gives a row at a time, long after the one before.
type dawdler struct{ rows, given int }

func (d *dawdler) Read(p []byte) (int, error) {
	if d.given++; d.given > d.rows {
		return 0, io.EOF
	}
	if d.given > 1 {
		time.Sleep(20 * time.Millisecond)
		return copy(p, "1\n"), nil
	}
	return copy(p, "\\N\n"), nil
}

// A client that takes its time hears of a bad row soon, not when a batch of rows is full.
func TestCopyFailsEarly(t *testing.T) {
	c := connectTest(t, openTest(t))
	exec(t, c, "CREATE TABLE cf (a int NOT NULL)")
	rows := &dawdler{rows: 200}
	_, err := c.PgConn().CopyFrom(t.Context(), rows, "COPY cf FROM STDIN")
	want(t, "the copy", codeOf(err), dberr.NotNullViolation)
	if rows.given > 100 {
		t.Errorf("the client heard of it after %d rows", rows.given)
	}
	want(t, "nothing is kept", countOf(t, c), 0)
}

func countOf(t *testing.T, c *pgx.Conn) (n int) {
	t.Helper()
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM cf").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
