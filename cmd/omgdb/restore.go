package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/pgwire"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/kv"
)

func restoreCmd() *cobra.Command {
	var lsn int64
	var at string
	cmd := &cobra.Command{
		Use:   "restore BACKUP PATH",
		Short: "Make a store of a backup, as of its end or of an earlier commit or time",
		Long: `Makes the new store PATH from a backup, or from any store that nobody has open, and checks all of it. With --lsn or --time the store is
brought back to what it was after that commit, or at that time, as far as its op-log reaches; the op-log goes on to tell of what came
after. PATH appears when the store is complete.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			m, err := moment(cmd, lsn, at)
			if err != nil {
				return usageError{err}
			}
			r, err := pgwire.Restore(cmd.Context(), a[0], a[1], m)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), `{"store":%q,"lsn":%d,"bytes":%d}`+"\n", r.Path, r.LSN, r.Bytes)
			return err
		},
	}
	cmd.Flags().Int64Var(&lsn, "lsn", 0, "the commit to go back to")
	cmd.Flags().StringVar(&at, "time", "", "the time to go back to, such as 2026-01-31T12:00:00Z")
	cmd.MarkFlagsMutuallyExclusive("lsn", "time")
	return cmd
}

// moment reads the flags; none is the end of the backup.
func moment(cmd *cobra.Command, lsn int64, at string) (m storage.Moment, err error) {
	if cmd.Flags().Changed("lsn") {
		if lsn <= 0 {
			return m, fmt.Errorf("--lsn must be the number of a commit, not %d", lsn)
		}
		m.LSN = kv.LSN(lsn)
	}
	if at == "" {
		return m, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"} {
		if m.At, err = time.ParseInLocation(layout, at, time.Local); err == nil {
			return m, nil
		}
	}
	return m, fmt.Errorf("--time %q is not a time such as 2026-01-31T12:00:00Z", at)
}
