package pgwire

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// openTest opens a store in memory with a server over it.
func openTest(t testing.TB) *Local {
	t.Helper()
	l, err := Open(context.Background(), "", LocalOptions{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Storage: storage.Options{Engine: mem.New()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// connectTest opens a pgx connection.
func connectTest(t testing.TB, l *Local) *pgx.Conn {
	t.Helper()
	c, err := l.Connect(context.Background(), DialOptions{Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func TestSelectOne(t *testing.T) {
	c := connectTest(t, openTest(t))
	for range 3 {
		var n int
		if err := c.QueryRow(context.Background(), "SELECT 1").Scan(&n); err != nil || n != 1 {
			t.Fatal(n, err)
		}
	}
}
