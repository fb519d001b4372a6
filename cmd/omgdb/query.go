package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/functions/contextsvc"
	"github.com/omgdb/omgdb/pgwire"
)

func queryCmd() *cobra.Command {
	var mode, match string
	var lines bool
	var limit int
	cmd := &cobra.Command{
		Use:   "query DIR TEXT",
		Short: "Find the files of an indexed directory that match a text",
		Long: "Prints the matching files as JSON. Modes: lexical (every word and every \"phrase\" occurs), semantic (the 20 files nearest in meaning),\n" +
			"hybrid (lexical, then the nearest others), fused (both ranked together: the best answer to a question in words).",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			dir, store, err := contextsvc.StorePath(a[0])
			if err != nil {
				return err
			}
			var most any
			if cmd.Flags().Changed("limit") {
				most = limit
			}
			err = withConnOf(cmd.Context(), store, pgwire.DialOptions{Application: "omgdb"}, func(ctx context.Context, c *pgx.Conn) error {
				_, err := eachText(ctx, c, cmd.OutOrStdout(), `SELECT omgdb.context_query($1, $2, $3, $4, $5, $6)::text`,
					dir, a[1], mode, match, lines, most)
				return err
			})
			if pgwire.IsUnmade(err) {
				return contextsvc.NotIndexed(dir)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&mode, "mode", "lexical", "lexical, semantic, hybrid or fused")
	cmd.Flags().StringVar(&match, "match", "all", "all or any: whether every word must occur")
	cmd.Flags().BoolVar(&lines, "lines", false, "tell the line of each match")
	cmd.Flags().IntVar(&limit, "limit", 0, "most files to print (default all that match, 20 for ranked modes)")
	return cmd
}
