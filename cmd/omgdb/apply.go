package main

import "github.com/spf13/cobra"

func applyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "apply PATH PLAN",
		Short: "Make the change of a plan, if the documents still are as it saw them",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			return printColumn(cmd, a[0], `SELECT omgdb.apply_mutation($1)::text`, a[1])
		},
	}
}
