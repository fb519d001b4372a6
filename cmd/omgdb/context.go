package main

import "github.com/spf13/cobra"

func contextCmd() *cobra.Command {
	var budget int
	var filter string
	cmd := &cobra.Command{
		Use:   "context PATH COLLECTION FIELD QUERY",
		Short: "Pack the most relevant texts into a token budget, with citations",
		Long:  "Prints a context pack as one line of canonical JSON.",
		Args:  cobra.ExactArgs(4),
		RunE: func(cmd *cobra.Command, a []string) error {
			return printColumn(cmd, a[0], `SELECT omgdb.context_pack_json($1, $2, $3, $4, $5::json)::text`,
				a[1], a[2], a[3], budget, optional(filter))
		},
	}
	cmd.Flags().IntVar(&budget, "budget", 1000, "approximate token budget")
	cmd.Flags().StringVar(&filter, "filter", "", "Mongo-style filter (JSON) that documents must match")
	return cmd
}
