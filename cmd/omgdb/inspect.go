package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func inspectCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect PATH",
		Short: "Describe the store: collections, counts, sizes, op-log",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return printColumn(cmd, a[0], `SELECT omgdb.inspect()::text`)
		},
	}
}

func verifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "verify PATH",
		Short: "Check the hash chain, every row and every index; exit 1 when something is wrong",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				var report string
				var ok bool
				if err := c.QueryRow(ctx, `SELECT v::text, (v->>'ok')::bool FROM omgdb.verify() v`).Scan(&report, &ok); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), report); err != nil {
					return err
				}
				if !ok {
					return errors.New("the store is damaged; see the report")
				}
				return nil
			})
		},
	}
}
