package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func updateCmd() *cobra.Command {
	var one, upsert bool
	cmd := &cobra.Command{
		Use:   "update PATH COLLECTION FILTER UPDATE",
		Short: "Change the documents that match a Mongo-style filter",
		Long: `Changes the documents that match by an update such as {"$set":{"status":"done"},"$inc":{"n":1}}, or replaces them by a document
without operators. Prints how many matched and how many changed.`,
		Args: cobra.ExactArgs(4),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				var matched, modified int64
				var id *string
				err := c.QueryRow(ctx, `SELECT matched, modified, upserted::text FROM omgdb.update_documents($1, $2::json, $3::json, $4, $5)`,
					a[1], a[2], a[3], upsert, !one).Scan(&matched, &modified, &id)
				if err != nil {
					return err
				}
				upserted := ""
				if id != nil {
					upserted = `,"upserted":` + *id
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), `{"matched":%d,"modified":%d%s}`+"\n", matched, modified, upserted)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&one, "one", false, "change the first document in key order only")
	cmd.Flags().BoolVar(&upsert, "upsert", false, "insert a document when none matches")
	return cmd
}
