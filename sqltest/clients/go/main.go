// Command go asks a server through pgx (with its pool and its database/sql driver) and lib/pq, and prints "label: value"
// lines, which sqltest/clients/golden compares with those of PostgreSQL 15.
//
//	go run ./sqltest/clients/go DSN
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go DSN")
		os.Exit(2)
	}
	os.Setenv("PGTZ", "UTC")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for _, part := range []func(context.Context, string) error{types, conversations, copies, events, pools, customTypes, standard, libpq} {
		if err := part(ctx, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "go:", err)
			os.Exit(1)
		}
	}
}

// show prints what f answers, or its error, under a label.
func show(label string, f func() (any, error)) {
	v, err := f()
	s := text(v)
	if err != nil {
		s = "error " + refusal(err)
	}
	fmt.Println(label + ": " + strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(s))
}

// text is a value as it stands in the expected file: bytes in hex, times in UTC, pointers by what they point to.
func text(v any) string {
	switch v := v.(type) {
	case []byte:
		return hex.EncodeToString(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = text(e)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case [16]byte:
		return hex.EncodeToString(v[:])
	}
	return fmt.Sprintf("%+v", v)
}

// refusal is an error with all fields that a server sends except file, line and routine.
func refusal(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return fields(pgErr.Severity, pgErr.Code, pgErr.Message, pgErr.Detail, pgErr.Hint, int(pgErr.Position),
			pgErr.SchemaName, pgErr.TableName, pgErr.ColumnName, pgErr.DataTypeName, pgErr.ConstraintName)
	}
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		position := 0
		fmt.Sscan(pqErr.Position, &position)
		return fields(pqErr.Severity, string(pqErr.Code), pqErr.Message, pqErr.Detail, pqErr.Hint, position,
			pqErr.Schema, pqErr.Table, pqErr.Column, pqErr.DataTypeName, pqErr.Constraint)
	}
	return err.Error()
}

func fields(severity, code, message, detail, hint string, position int, names ...string) string {
	s := severity + " " + code + " " + message
	for _, f := range []struct{ name, value string }{{"detail", detail}, {"hint", hint}, {"schema", names[0]}, {"table", names[1]},
		{"column", names[2]}, {"type", names[3]}, {"constraint", names[4]}} {
		if f.value != "" {
			s += " | " + f.name + " " + f.value
		}
	}
	if position > 0 {
		s += fmt.Sprint(" | position ", position)
	}
	return s
}

// one is the first column of the first row of a query.
func one(ctx context.Context, c interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}, sql string, args ...any) (any, error) {
	var v any
	err := c.QueryRow(ctx, sql, args...).Scan(&v)
	return v, err
}

// all are the rows of a query.
func all(rows pgx.Rows, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (any, error) {
		v, err := r.Values()
		return any(v), err
	})
	return any(out), err
}

// run carries out statements whose answers do not matter.
func run(ctx context.Context, c interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, statements ...string) error {
	for _, sql := range statements {
		if _, err := c.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
