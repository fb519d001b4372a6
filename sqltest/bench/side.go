package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// side is one of the two servers with its open connections.
type side struct {
	name    string // "a" or "b"
	version string
	docs    string // "collection" or "table"
	cfg     *pgconn.Config
	conns   []*pgconn.PgConn
}

// table names what a job reads or writes; load fills it.
type table string

const (
	docs   table = "bench_docs"
	keyed  table = "bench_keyed" // documents with indexes
	orders table = "bench_orders"
	dim    table = "bench_tenants"
	texts  table = "bench_texts"
	bulk   table = "bench_load"
)

var allTables = []table{docs, keyed, orders, dim, texts, bulk}

const ordersColumns = "id text PRIMARY KEY, sku text, tenant text, status text, price float8, qty int, user_id int, city text, created timestamptz"

func connect(ctx context.Context, o options) ([]*side, error) {
	var sides []*side
	for i, dsn := range []string{o.a, o.b} {
		if dsn == "" {
			continue
		}
		cfg, err := pgconn.ParseConfig(dsn)
		if err != nil {
			return nil, err
		}
		s := &side{name: string(rune('a' + i)), cfg: cfg}
		if err := s.open(ctx, 1); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		sides = append(sides, s)
		s.version = s.conns[0].ParameterStatus("server_version")
		if err := s.chooseDocs(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return sides, nil
}

// open makes sure that n connections are open; ones that a failed job broke are replaced.
func (s *side) open(ctx context.Context, n int) error {
	s.conns = slices.DeleteFunc(s.conns, func(c *pgconn.PgConn) bool { return c.IsClosed() })
	for len(s.conns) < n {
		c, err := pgconn.ConnectConfig(ctx, s.cfg)
		if err != nil {
			return err
		}
		s.conns = append(s.conns, c)
	}
	return nil
}

// shrink closes all connections but the first: idle ones must not weigh on the jobs after.
func (s *side) shrink(ctx context.Context) {
	for len(s.conns) > 1 {
		last := len(s.conns) - 1
		s.conns[last].Close(ctx)
		s.conns = s.conns[:last]
	}
}

func closeAll(sides []*side) {
	for _, s := range sides {
		for _, c := range s.conns {
			c.Close(context.Background())
		}
	}
}

func (s *side) exec(ctx context.Context, sql string) error {
	_, err := s.conns[0].Exec(ctx, sql).ReadAll()
	if err != nil && len(sql) < 400 {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return err
}

// chooseDocs finds out whether the server has collections; one without the access method says 42704.
func (s *side) chooseDocs(ctx context.Context) error {
	s.docs = "collection"
	if err := s.exec(ctx, "DROP TABLE IF EXISTS bench_load"); err != nil {
		return err
	}
	err := s.create(ctx, bulk)
	if sqlState(err) == "42704" {
		s.docs = "table"
		err = s.create(ctx, bulk)
	}
	return err
}

// create makes an empty table; documents live in a collection where there are collections.
func (s *side) create(ctx context.Context, t table) error {
	columns := ""
	switch t {
	case orders:
		columns = ordersColumns
	case dim:
		columns = "tenant text PRIMARY KEY, region text, discount float8"
	default:
		if s.docs == "collection" {
			return s.exec(ctx, fmt.Sprintf("CREATE TABLE %s () USING collection", t))
		}
		columns = "_id text PRIMARY KEY, doc jsonb"
	}
	return s.exec(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", t, columns))
}

func (s *side) dropTables(ctx context.Context) error {
	for _, t := range allTables {
		if err := s.exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS %s", t)); err != nil {
			return err
		}
	}
	return nil
}

// load makes the tables anew and fills them, 1,000 rows an INSERT.
func (s *side) load(ctx context.Context, o options, want []table) error {
	if err := s.dropTables(ctx); err != nil {
		return err
	}
	for _, t := range want {
		if err := s.create(ctx, t); err != nil {
			return err
		}
		n, row := rowsOf(t, o)
		for from := 0; from < n; from += 1000 {
			if err := s.exec(ctx, insertSQL(t, from, min(from+1000, n), row)); err != nil {
				return fmt.Errorf("%s: %w", t, err)
			}
		}
		for _, sql := range indexesOf[t] {
			if err := s.exec(ctx, sql); err != nil {
				return err
			}
		}
	}
	// Statistics as they would be after a while; a server without ANALYZE or VACUUM needs none.
	if err := s.exec(ctx, "VACUUM ANALYZE"); err != nil && !slices.Contains([]string{"0A000", "42601"}, sqlState(err)) {
		return err
	}
	return s.exec(ctx, "CHECKPOINT")
}

// indexesOf are the indexes of tables beside their keys.
var indexesOf = map[table][]string{keyed: {
	"CREATE INDEX ON bench_keyed USING gin (doc)",
	"CREATE INDEX ON bench_keyed ((doc->>'sku'))",
	"CREATE INDEX ON bench_keyed (((doc->>'price')::numeric))",
}}

// rowsOf is the number of rows of a table and a maker of its rows, which must be asked for in order.
func rowsOf(t table, o options) (int, func(i int) string) {
	g := newGen(o.seed, "data", t)
	switch t {
	case docs, keyed:
		return o.scale, func(i int) string { return g.document(docID(i)).values() }
	case orders:
		return o.scale, func(i int) string { return g.document(docID(i)).typedValues() }
	case dim:
		return tenants, func(i int) string {
			return fmt.Sprintf("('t%03d', '%s', %v)", i, regions[i%len(regions)], float64(i%7)/100)
		}
	case texts:
		return o.scale / 10, func(i int) string { return g.textValues(docID(i)) }
	}
	return 0, nil
}

func insertSQL(t table, from, to int, row func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO %s %sVALUES ", t, columnsOf(t))
	for i := from; i < to; i++ {
		if i > from {
			b.WriteString(", ")
		}
		b.WriteString(row(i))
	}
	return b.String()
}

// columnsOf is the column list of an INSERT: a collection's and a table's documents go in the same way.
func columnsOf(t table) string {
	switch t {
	case docs, keyed, texts, bulk:
		return "(_id, doc) "
	}
	return ""
}
