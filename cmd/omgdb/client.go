package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/pgwire"
)

// withConn runs fn on one SQL connection to the store at path: over the socket of the process that has it open, or in this process.
func withConn(ctx context.Context, path string, fn func(ctx context.Context, c *pgx.Conn) error) error {
	return withConnOf(ctx, path, pgwire.DialOptions{Application: "omgdb"}, fn)
}

// withConnOf is withConn with options.
func withConnOf(ctx context.Context, path string, o pgwire.DialOptions, fn func(ctx context.Context, c *pgx.Conn) error) (err error) {
	conn, closeStore, err := pgwire.DialWith(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := closeStore(); err == nil {
			err = cerr
		}
	}()
	return fn(ctx, conn)
}

// printColumn prints the one text column of a query's rows, a line each.
func printColumn(cmd *cobra.Command, path, sql string, args ...any) error {
	return withConn(cmd.Context(), path, func(ctx context.Context, c *pgx.Conn) error {
		_, err := eachText(ctx, c, cmd.OutOrStdout(), sql, args...)
		return err
	})
}

// eachText writes the text columns of each row, separated by tabs, and returns the number of rows.
func eachText(ctx context.Context, c *pgx.Conn, w io.Writer, sql string, args ...any) (int, error) {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		vals, err := rows.Values()
		if err != nil {
			return n, err
		}
		for i, v := range vals {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			if v != nil {
				fmt.Fprint(w, v)
			}
		}
		fmt.Fprintln(w)
		n++
	}
	return n, rows.Err()
}

// optional gives nil for an empty flag, so that SQL sees NULL and applies its default.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}
