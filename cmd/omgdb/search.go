package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

// searches are the functions behind the modes of search.
var searches = map[string]string{
	"hybrid":   `SELECT score, omgdb.canonical_json(doc) FROM omgdb.hybrid_search($1, $2, $3, $4, $5::json, embedder => $6)`,
	"lexical":  `SELECT score, omgdb.canonical_json(doc) FROM omgdb.text_search($1, $2, $3, $4, $5::json)`,
	"semantic": `SELECT score, omgdb.canonical_json(doc) FROM omgdb.vsearch($1, $2, $3, $4, $5::json, $6)`,
}

func searchCmd() *cobra.Command {
	var k int
	var filter, mode, embedder string
	cmd := &cobra.Command{
		Use:   "search PATH COLLECTION FIELD QUERY",
		Short: "Find the documents that match a query best, by words and meaning",
		Long:  "Prints the k best documents, best first: the score with four decimals, a tab, the document.",
		Args:  cobra.ExactArgs(4),
		RunE: func(cmd *cobra.Command, a []string) error {
			sql, ok := searches[mode]
			if !ok {
				return usageError{fmt.Errorf("--mode must be hybrid, lexical or semantic, not %q", mode)}
			}
			args := []any{a[1], a[2], a[3], k, optional(filter)}
			if mode != "lexical" {
				args = append(args, embedder)
			}
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error { return printScored(ctx, cmd, c, sql, args...) })
		},
	}
	cmd.Flags().IntVar(&k, "k", 10, "number of documents")
	cmd.Flags().StringVar(&filter, "filter", "", "Mongo-style filter (JSON) that documents must match")
	cmd.Flags().StringVar(&mode, "mode", "hybrid", "hybrid, lexical (BM25 over words) or semantic (cosine of embeddings)")
	cmd.Flags().StringVar(&embedder, "embedder", "static", "embedder of the modes hybrid and semantic")
	return cmd
}

// printScored prints rows of score and document, a line each.
func printScored(ctx context.Context, cmd *cobra.Command, c *pgx.Conn, sql string, args ...any) error {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	var score float64
	var doc string
	_, err = pgx.ForEachRow(rows, []any{&score, &doc}, func() error {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%.4f\t%s\n", score, doc)
		return err
	})
	return err
}
