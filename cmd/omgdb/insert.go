package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func insertCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "insert PATH COLLECTION JSON…",
		Short: "Insert documents and print their _ids",
		Long:  "Inserts the documents in one transaction and prints each new _id. The argument - reads documents from standard input, one a line.",
		Args:  cobra.MinimumNArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
					for _, arg := range a[2:] {
						if err := insertArg(ctx, cmd, tx, a[1], arg); err != nil {
							return err
						}
					}
					return nil
				})
			})
		},
	}
}

func insertArg(ctx context.Context, cmd *cobra.Command, tx pgx.Tx, coll, arg string) error {
	if arg != "-" {
		return insertOne(ctx, cmd, tx, coll, arg)
	}
	in := bufio.NewReaderSize(cmd.InOrStdin(), 1<<20)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := insertOne(ctx, cmd, tx, coll, string(line)); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func insertOne(ctx context.Context, cmd *cobra.Command, tx pgx.Tx, coll, json string) error {
	var id string
	if err := tx.QueryRow(ctx, `SELECT omgdb.insert_document($1, $2::json)::text`, coll, json).Scan(&id); err != nil {
		return err
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), id)
	return err
}
