package main

import "github.com/spf13/cobra"

func planCmd() *cobra.Command {
	var preview int
	var remove bool
	cmd := &cobra.Command{
		Use:   "plan PATH COLLECTION FILTER [UPDATE | --delete]",
		Short: "Remember a change without making it, and show what it would do",
		Long: `Prints the plan: its id, how many documents match and would change, and the first of them before and after. apply makes the change if the
same documents still match; rollback takes it back if nobody has changed them since.`,
		Args: func(cmd *cobra.Command, a []string) error {
			if remove {
				return cobra.ExactArgs(3)(cmd, a)
			}
			return cobra.ExactArgs(4)(cmd, a)
		},
		RunE: func(cmd *cobra.Command, a []string) error {
			update := ""
			if !remove {
				update = a[3]
			}
			return printColumn(cmd, a[0], `SELECT omgdb.plan_mutation($1, $2::json, $3::json, $4)::text`, a[1], a[2], optional(update), preview)
		},
	}
	cmd.Flags().IntVar(&preview, "preview", 3, "number of documents to show")
	cmd.Flags().BoolVar(&remove, "delete", false, "plan to delete the documents")
	return cmd
}
