package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func vsearchCmd() *cobra.Command {
	var k int
	var filter, embedder string
	cmd := &cobra.Command{
		Use:   "vsearch PATH COLLECTION FIELD QUERY",
		Short: "Rank documents by similarity of a text field to a query",
		Long:  "Prints the k best documents, best first: the cosine similarity with four decimals, a tab, the document.",
		Args:  cobra.ExactArgs(4),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				return printScored(ctx, cmd, c, `SELECT score, omgdb.canonical_json(doc) FROM omgdb.vsearch($1, $2, $3, $4, $5::json, $6)`,
					a[1], a[2], a[3], k, optional(filter), optional(embedder))
			})
		},
	}
	cmd.Flags().IntVar(&k, "k", 10, "number of documents")
	cmd.Flags().StringVar(&filter, "filter", "", "Mongo-style filter (JSON) that documents must match")
	cmd.Flags().StringVar(&embedder, "embedder", "", "embedder (default hashing)")
	return cmd
}
