package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func findCmd() *cobra.Command {
	var sort, projection string
	var skip, limit int64
	cmd := &cobra.Command{
		Use:   "find PATH COLLECTION [FILTER]",
		Short: "Print the documents that match a Mongo-style filter",
		Args:  cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, a []string) error {
			filter := "{}"
			if len(a) == 3 {
				filter = a[2]
			}
			var most any
			if cmd.Flags().Changed("limit") {
				most = limit
			}
			return printColumn(cmd, a[0],
				`SELECT omgdb.canonical_json(doc) FROM omgdb.find($1, $2::json, $3::json, $4, $5, $6::json)`,
				a[1], filter, optional(sort), skip, most, optional(projection))
		},
	}
	cmd.Flags().StringVar(&sort, "sort", "", `sort specification, such as {"year":-1}`)
	cmd.Flags().StringVar(&projection, "projection", "", `fields to show, such as {"title":1}`)
	cmd.Flags().Int64Var(&skip, "skip", 0, "documents to skip")
	cmd.Flags().Int64Var(&limit, "limit", 0, "most documents to print (default all)")
	return cmd
}

func getCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "get PATH COLLECTION ID",
		Short: "Print one document by its _id",
		Long:  "Prints the document whose _id has the given text (24 hex digits for an ObjectId, a string itself, a number's digits).",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				n, err := eachText(ctx, c, cmd.OutOrStdout(),
					fmt.Sprintf(`SELECT omgdb.canonical_json(doc) FROM %s WHERE _id = $1`, pgx.Identifier{a[1]}.Sanitize()), a[2])
				if err == nil && n == 0 {
					err = fmt.Errorf("no document with _id %s in collection %q", a[2], a[1])
				}
				return err
			})
		},
	}
}
