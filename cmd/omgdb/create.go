package main

import (
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/storage"
)

func createCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "create PATH",
		Short: "Make a new, empty store",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, a []string) error {
			db, err := storage.Create(a[0], storage.Options{Command: "omgdb create"})
			if err != nil {
				return err
			}
			return db.Close()
		},
	}
}
