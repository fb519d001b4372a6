package main

import "github.com/spf13/cobra"

func rollbackCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "rollback PATH PLAN",
		Short: "Put the documents that an applied plan changed back as they were, if nobody has changed them since",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			return printColumn(cmd, a[0], `SELECT omgdb.rollback_mutation($1)::text`, a[1])
		},
	}
}
