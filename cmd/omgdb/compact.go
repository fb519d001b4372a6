package main

import "github.com/spf13/cobra"

func compactCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "compact PATH",
		Short: "Write a store's file anew without the room of what was deleted, also while a server uses it",
		Long:  "Prints the size in bytes before and after. The past of dropped and truncated relations is freed at once, and can then no longer be read.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return printColumn(cmd, a[0], `SELECT omgdb.compact()::text`)
		},
	}
}
