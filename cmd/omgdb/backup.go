package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

func backupCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "backup PATH DIRECTORY",
		Short: "Copy a store into a new directory, also while a server writes to it",
		Long: `Copies the store as it is after its newest commit, with its op-log, and prints where, up to which commit, and how large. The copy is
complete and safe on disk when the command ends. restore makes a store of it.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			dir, err := filepath.Abs(a[1])
			if err != nil {
				return err
			}
			return printColumn(cmd, a[0], `SELECT omgdb.backup($1)::text`, dir)
		},
	}
}
