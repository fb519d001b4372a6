package pgwire

import (
	"context"
	"net"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

// benchConn connects over TCP loopback: to this package's server, or to the one that OMGDB_BENCH_DSN names.
func benchConn(b *testing.B, l *Local) *pgx.Conn {
	dsn := os.Getenv("OMGDB_BENCH_DSN")
	if dsn == "" {
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		go func() { _ = l.Server.Serve(lis) }()
		dsn = "postgres://postgres@" + lis.Addr().String() + "/omgdb?sslmode=disable"
	}
	c, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// BenchmarkRoundTrip is a prepared statement that touches no table.
func BenchmarkRoundTrip(b *testing.B) {
	c := benchConn(b, openTest(b))
	ctx := context.Background()
	if _, err := c.Prepare(ctx, "echo", "SELECT $1::text"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var s string
		if err := c.QueryRow(ctx, "echo", "abc").Scan(&s); err != nil || s != "abc" {
			b.Fatal(s, err)
		}
	}
}
