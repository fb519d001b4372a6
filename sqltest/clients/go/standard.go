package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"
)

// standard goes through database/sql on pgx.
func standard(ctx context.Context, dsn string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	return sqlChecks(ctx, "stdlib", db)
}

// sqlChecks are asked of every database/sql driver.
func sqlChecks(ctx context.Context, driver string, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, s := range samples {
		show(driver+" "+s.typ+" "+s.value, func() (any, error) {
			var v any
			err := conn.QueryRowContext(ctx, "SELECT $1::"+s.typ, s.value).Scan(&v)
			if b, ok := v.([]byte); ok && s.typ != "bytea" {
				v = string(b)
			}
			return v, err
		})
	}
	show(driver+" columns", func() (any, error) {
		rows, err := conn.QueryContext(ctx, "SELECT id, name, n, at, ARRAY[id] AS l, '{}'::jsonb AS j, 'x'::varchar(9) AS v FROM gc.t")
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		types, err := rows.ColumnTypes()
		var out []any
		for _, t := range types {
			length, hasLength := t.Length()
			precision, scale, decimal := t.DecimalSize()
			out = append(out, t.Name(), t.DatabaseTypeName(), []any{length, hasLength, precision, scale, decimal})
		}
		return out, err
	})
	show(driver+" result sets", func() (any, error) {
		rows, err := conn.QueryContext(ctx, "SELECT 1; SELECT 2, 'b'")
		if err != nil {
			return nil, errors.New("refused")
		}
		defer rows.Close()
		var out []any
		for more := true; more; more = rows.NextResultSet() {
			for rows.Next() {
				names, _ := rows.Columns()
				out = append(out, len(names))
			}
		}
		return out, rows.Err()
	})
	show(driver+" prepared", func() (any, error) {
		st, err := conn.PrepareContext(ctx, "SELECT $1::int * 2, $2::text")
		if err != nil {
			return nil, err
		}
		defer st.Close()
		var out []any
		for i := range 3 {
			var n int
			var s sql.NullString
			if err := st.QueryRowContext(ctx, i, sql.NullString{String: "x", Valid: i == 1}).Scan(&n, &s); err != nil {
				return nil, err
			}
			out = append(out, n, s)
		}
		return out, nil
	})
	show(driver+" affected", func() (any, error) {
		r, err := conn.ExecContext(ctx, "UPDATE gc.t SET n = n WHERE id < $1", 3)
		if err != nil {
			return nil, err
		}
		return r.RowsAffected()
	})
	show(driver+" unique", func() (any, error) {
		_, err := conn.ExecContext(ctx, "INSERT INTO gc.t (id, name) VALUES ($1, $2)", 1, "x")
		return nil, err
	})
	show(driver+" transaction", func() (any, error) {
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
		if err != nil {
			return nil, err
		}
		defer tx.Rollback()
		var level string
		if err := tx.QueryRowContext(ctx, "SHOW transaction_isolation").Scan(&level); err != nil {
			return nil, err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM gc.t")
		return []any{level, refusal(err)}, nil
	})
	show(driver+" rolled back", func() (any, error) {
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM gc.t WHERE id = 3"); err != nil {
			return nil, err
		}
		if err := tx.Rollback(); err != nil {
			return nil, err
		}
		var n int
		return n, errors.Join(conn.QueryRowContext(ctx, "SELECT count(*) FROM gc.t").Scan(&n), map[bool]error{true: fmt.Errorf("%d rows", n)}[n < 3])
	})
	show(driver+" large", func() (any, error) {
		var n int
		err := conn.QueryRowContext(ctx, "SELECT length($1::text)", strings.Repeat("ä", 1<<20)).Scan(&n)
		return n, err
	})
	return nil
}

var _ = stdlib.GetDefaultDriver // registers "pgx"
