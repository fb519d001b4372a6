package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// copies move rows by COPY, both ways, in all formats.
func copies(ctx context.Context, dsn string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	if err := run(ctx, c, "CREATE TYPE gc.mood AS ENUM ('sad', 'ok')", "CREATE TABLE gc.c (id int PRIMARY KEY, s text, n numeric, a int[], j jsonb, at timestamptz, b bytea, f float8, d date, m gc.mood)"); err != nil {
		return err
	}
	columns := []string{"id", "s", "n", "a", "j", "at", "b", "f", "d"}
	row := func(i int) []any {
		return []any{i, fmt.Sprintf("row\t%d\\\n", i), fmt.Sprintf("%d.50", i), []int{i, -i}, map[string]int{"i": i}, time.Unix(int64(i), 1000).UTC(), []byte{0, byte(i)}, float64(i) / 8, time.Unix(0, 0).AddDate(0, 0, i).UTC()}
	}
	show("copy from", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gc", "c"}, columns, pgx.CopyFromSlice(1000, func(i int) ([]any, error) { return row(i), nil }))
	})
	show("copied", func() (any, error) {
		return all(c.Query(ctx, "SELECT count(*), sum(id), sum(n)::text, sum(a[2]), sum((j->>'i')::int), max(at), sum(length(b)), sum(f), max(d), md5(string_agg(s, '' ORDER BY id)) FROM gc.c"))
	})
	show("copy from breaks a key", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gc", "c"}, columns[:2], pgx.CopyFromRows([][]any{{2000, "x"}, {5, "y"}}))
	})
	show("copy from gives up", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gc", "c"}, columns[:1], pgx.CopyFromSlice(5, func(i int) ([]any, error) {
			if i == 3 {
				return nil, errors.New("no more rows")
			}
			return []any{3000 + i}, nil
		}))
	})
	show("copy from nowhere", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gc", "nope"}, columns[:1], pgx.CopyFromRows(nil))
	})
	show("copy of nothing", func() (any, error) {
		return c.CopyFrom(ctx, pgx.Identifier{"gc", "c"}, columns[:1], pgx.CopyFromRows(nil))
	})
	show("copy keeps nothing of a failure", func() (any, error) { return one(ctx, c, "SELECT count(*) FROM gc.c") })
	text := func(label, options, data string) {
		show("copy text in "+label, func() (any, error) {
			t, err := c.PgConn().CopyFrom(ctx, strings.NewReader(data), "COPY gc.c (id, s, n) FROM STDIN "+options)
			return t.String(), err
		})
	}
	text("plain", "", "5001\ta\\tb\\n\\x41\\101\t\\N\n5002\t\\\\N\t1\n\\.\n")
	text("without a last newline", "", "5003\tx\t2")
	text("csv", "(FORMAT csv, HEADER, NULL 'nil', QUOTE '''', DELIMITER ';')", "id;s;n\n5004;'a;''\nb';nil\n5005;nil;'3'\n")
	text("old options", "WITH CSV FORCE NOT NULL s", "5006,,1\n")
	text("header must match", "(FORMAT csv, HEADER match)", "id,name,n\n5007,a,1\n")
	text("too few columns", "", "5008\tx\n")
	text("too many columns", "", "5008\tx\t1\t2\n")
	text("bad number", "", "5008\tx\t1\n5009\tx\tone\n")
	text("open quote", "(FORMAT csv)", "5009,\"x,1\n")
	text("conditions", "WHERE id > 5010", "5010\ta\t1\n5011\tb\t2\n")
	text("bad option", "(FORMAT nope)", "")
	text("options that exclude each other", "(FORMAT binary, DELIMITER ',')", "")
	show("copied texts", func() (any, error) {
		return all(c.Query(ctx, "SELECT id, s, n::text FROM gc.c WHERE id > 5000 ORDER BY id"))
	})
	out := func(sql string) {
		show("copy out "+sql, func() (any, error) {
			var b bytes.Buffer
			t, err := c.PgConn().CopyTo(ctx, &b, sql)
			if strings.Contains(sql, "binary") {
				return []any{b.Bytes(), t.String()}, err
			}
			return []any{b.String(), t.String()}, err
		})
	}
	out("COPY (SELECT id, s, n, a, j, b FROM gc.c WHERE id IN (1, 5001, 5002, 5006) ORDER BY id) TO STDOUT")
	out("COPY (SELECT id, s, n FROM gc.c WHERE id > 5000 ORDER BY id) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE (s), NULL '-')")
	out("COPY (SELECT s, f, at, d, m FROM gc.c WHERE id IN (7, 5004) ORDER BY id) TO STDOUT (FORMAT csv, FORCE_QUOTE *, DELIMITER '|')")
	out("COPY (SELECT id, s, n, a, j, at, b, f, d FROM gc.c WHERE id = 7) TO STDOUT (FORMAT binary)")
	out("COPY (SELECT 1 / (3 - g) FROM generate_series(1, 5) g) TO STDOUT")
	out("COPY (INSERT INTO gc.c (id) VALUES (6000) RETURNING id, s) TO STDOUT")
	out("COPY gc.nope TO STDOUT")
	show("copy there and back", func() (any, error) {
		r, w := io.Pipe()
		other, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return nil, err
		}
		defer other.Close(ctx)
		go func() {
			_, err := other.PgConn().CopyTo(ctx, w, "COPY gc.c TO STDOUT (FORMAT binary)")
			w.CloseWithError(err)
		}()
		if err := run(ctx, c, "CREATE TEMP TABLE again (LIKE gc.c)"); err != nil {
			return nil, err
		}
		t, err := c.PgConn().CopyFrom(ctx, r, "COPY again FROM STDIN (FORMAT binary)")
		if err != nil {
			return nil, err
		}
		n, err := one(ctx, c, "SELECT count(*) FROM (TABLE again EXCEPT TABLE gc.c) x")
		return []any{t.String(), n}, err
	})
	return nil
}
