package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func deleteCmd() *cobra.Command {
	var one bool
	cmd := &cobra.Command{
		Use:   "delete PATH COLLECTION FILTER",
		Short: "Delete the documents that match a Mongo-style filter ({} for all)",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				var n int64
				if err := c.QueryRow(ctx, `SELECT omgdb.delete_documents($1, $2::json, $3)`, a[1], a[2], !one).Scan(&n); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), `{"deleted":%d}`+"\n", n)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&one, "one", false, "delete the first document in key order only")
	return cmd
}
