package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/lib/pq"
)

// libpq goes through lib/pq: its own wire code, text parameters by default, COPY behind a prepared statement.
func libpq(ctx context.Context, dsn string) error {
	for _, binary := range []string{"no", "yes"} {
		u, err := url.Parse(dsn)
		if err != nil {
			return err
		}
		q := u.Query()
		q.Set("sslmode", "disable")
		q.Set("binary_parameters", binary)
		q.Set("application_name", "libpq")
		u.RawQuery = q.Encode()
		db, err := sql.Open("postgres", u.String())
		if err != nil {
			return err
		}
		err = errors.Join(sqlChecks(ctx, "lib/pq binary_parameters="+binary, db), pqChecks(ctx, "lib/pq binary_parameters="+binary, db), pqEvents(ctx, u.String(), binary), db.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

func pqChecks(ctx context.Context, driver string, db *sql.DB) error {
	show(driver+" arrays", func() (any, error) {
		var (
			ints  []int64
			texts []string
			raw   pq.ByteaArray
			bools pq.BoolArray
			reals pq.Float64Array
		)
		err := db.QueryRowContext(ctx, "SELECT $1::int[], $2::text[], $3::bytea[], $4::bool[], $5::float8[]", pq.Array([]int64{1, -2}), pq.Array([]string{`a"b`, "", `\`, "NULL"}),
			pq.Array([][]byte{{0, 1}, {}}), pq.Array([]bool{true, false}), pq.Array([]float64{1.5, -0.25})).Scan(pq.Array(&ints), pq.Array(&texts), &raw, &bools, &reals)
		return []any{ints, texts, fmt.Sprintf("%x", raw), bools, reals}, err
	})
	show(driver+" any", func() (any, error) {
		var n int
		err := db.QueryRowContext(ctx, "SELECT count(*) FROM gc.t WHERE name = ANY($1)", pq.Array([]string{"one", "three"})).Scan(&n)
		return n, err
	})
	show(driver+" quoting", func() (any, error) {
		var v string
		err := db.QueryRowContext(ctx, "SELECT "+pq.QuoteLiteral(`it's \ a`)+" AS "+pq.QuoteIdentifier(`a "b"`)).Scan(&v)
		return v, err
	})
	show(driver+" bytes", func() (any, error) {
		var v []byte
		err := db.QueryRowContext(ctx, "SELECT $1::bytea || '\\x02'", []byte{0, 1}).Scan(&v)
		return v, err
	})
	show(driver+" times", func() (any, error) {
		var a, b, d time.Time
		at := time.Date(2024, 2, 29, 12, 0, 0, 1000, time.FixedZone("", 7200))
		err := db.QueryRowContext(ctx, "SELECT $1::timestamptz, $1::timestamptz AT TIME ZONE 'UTC', $2::date", at, at).Scan(&a, &b, &d)
		return []any{a, b, d}, err
	})
	show(driver+" copy", func() (any, error) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(ctx, "CREATE TEMP TABLE cp (a int, b text, c bytea) ON COMMIT DROP"); err != nil {
			return nil, err
		}
		st, err := tx.PrepareContext(ctx, "COPY cp (a, b, c) FROM STDIN")
		if err != nil {
			return nil, err
		}
		for i := range 2000 {
			if _, err := st.ExecContext(ctx, i, fmt.Sprintf("t\t%d\n\\", i), []byte{byte(i), '\\'}); err != nil {
				return nil, err
			}
		}
		if _, err := st.ExecContext(ctx); err != nil {
			return nil, err
		}
		if err := st.Close(); err != nil {
			return nil, err
		}
		var n, sum, length int
		err = tx.QueryRowContext(ctx, "SELECT count(*), sum(a), sum(length(b) + length(c)) FROM cp").Scan(&n, &sum, &length)
		return []any{n, sum, length}, err
	})
	show(driver+" copy fails", func() (any, error) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		defer tx.Rollback()
		st, err := tx.PrepareContext(ctx, "COPY gc.t (id, name) FROM STDIN")
		if err != nil {
			return nil, err
		}
		_, err = st.ExecContext(ctx, 1, "x")
		if err == nil {
			_, err = st.ExecContext(ctx)
		}
		return nil, errors.Join(err, closed(st.Close()))
	})
	show(driver+" alive", func() (any, error) { return nil, db.PingContext(ctx) })
	show(driver+" connector", func() (any, error) {
		c, err := db.Conn(ctx)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		var name string
		err = c.QueryRowContext(ctx, "SHOW application_name").Scan(&name)
		return name, err
	})
	show(driver+" context", func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, "SELECT pg_sleep(30)")
		return err != nil && !errors.Is(err, io.EOF), nil
	})
	return nil
}

// pqEvents are notices and notifications through lib/pq's handlers and its listener.
func pqEvents(ctx context.Context, dsn, binary string) error {
	base, err := pq.NewConnector(dsn)
	if err != nil {
		return err
	}
	var notices []string
	db := sql.OpenDB(pq.ConnectorWithNoticeHandler(base, func(e *pq.Error) { notices = append(notices, refusal(e)) }))
	defer db.Close()
	show("lib/pq binary_parameters="+binary+" notices", func() (any, error) {
		_, err := db.ExecContext(ctx, "DO 'BEGIN RAISE NOTICE ''n'' USING detail = ''d''; END'")
		return notices, err
	})
	show("lib/pq binary_parameters="+binary+" listener", func() (any, error) {
		l := pq.NewListener(dsn, time.Second, time.Minute, nil)
		defer l.Close()
		if err := l.Listen("go pq"); err != nil {
			return nil, err
		}
		if _, err := db.ExecContext(ctx, `NOTIFY "go pq", 'hello'`); err != nil {
			return nil, err
		}
		select {
		case n := <-l.Notify:
			return []any{n.Channel, n.Extra}, errors.Join(l.Unlisten("go pq"), l.Ping())
		case <-time.After(10 * time.Second):
			return nil, errors.New("no notification")
		}
	})
	return nil
}
