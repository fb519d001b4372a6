package pgwire

import (
	"context"
	"fmt"
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

// BenchmarkPointRead is a prepared read of one row by primary key.
func BenchmarkPointRead(b *testing.B) {
	c := benchConn(b, openTest(b))
	ctx := context.Background()
	for _, sql := range []string{
		"DROP TABLE IF EXISTS point", "CREATE TABLE point (id int PRIMARY KEY, v text)",
	} {
		if _, err := c.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	const rows = 10_000
	_, err := c.CopyFrom(ctx, pgx.Identifier{"point"}, []string{"id", "v"}, pgx.CopyFromSlice(rows, func(i int) ([]any, error) {
		return []any{int32(i), "some text of a usual length"}, nil
	}))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Prepare(ctx, "point", "SELECT v FROM point WHERE id = $1"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := int32(0)
	for b.Loop() {
		i = (i*7919 + 13) % rows
		var v string
		if err := c.QueryRow(ctx, "point", i).Scan(&v); err != nil || v == "" {
			b.Fatal(v, err)
		}
	}
}

// BenchmarkDocRead is a prepared read of one document by its _id.
func BenchmarkDocRead(b *testing.B) {
	c := benchConn(b, openTest(b))
	ctx := context.Background()
	const docs = 5000
	for _, sql := range []string{
		"DROP TABLE IF EXISTS point_docs", "CREATE TABLE point_docs () USING collection",
		fmt.Sprintf(`INSERT INTO point_docs (doc) SELECT jsonb_build_object('_id', 'k' || i, 'a', i, 'tags', ARRAY['a','b'], 'user', jsonb_build_object('name', 'somebody'))
			FROM generate_series(0, %d) i`, docs-1),
	} {
		if _, err := c.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := c.Prepare(ctx, "point_doc", "SELECT doc FROM point_docs WHERE _id = $1"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i = (i*7919 + 13) % docs
		var doc []byte
		if err := c.QueryRow(ctx, "point_doc", fmt.Sprintf("k%d", i)).Scan(&doc); err != nil || doc == nil {
			b.Fatal(doc, err)
		}
	}
}
