package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func vsyncCmd() *cobra.Command {
	var embedder string
	cmd := &cobra.Command{
		Use:   "vsync PATH COLLECTION FIELD",
		Short: "Store the embeddings of a text field with their provenance",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				var n int64
				err := c.QueryRow(ctx, `SELECT synced FROM omgdb.vsync($1, $2, $3)`, a[1], a[2], optional(embedder)).Scan(&n)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "synced %d embedding(s) into `%s.__vectors`\n", n, a[1])
				return err
			})
		},
	}
	cmd.Flags().StringVar(&embedder, "embedder", "", "embedder (default hashing)")
	return cmd
}

func vstaleCmd() *cobra.Command {
	var embedder string
	cmd := &cobra.Command{
		Use:   "vstale PATH COLLECTION FIELD",
		Short: "List the documents whose stored embedding is missing or out of date",
		Long:  "Prints the stale _ids as canonical JSON, and their number on stderr.",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				n, err := eachText(ctx, c, cmd.OutOrStdout(), `SELECT id::text FROM omgdb.vstale($1, $2, $3)`, a[1], a[2], optional(embedder))
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%d stale embedding(s)\n", n)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&embedder, "embedder", "", "embedder (default hashing)")
	return cmd
}
