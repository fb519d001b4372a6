package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/functions/contextsvc"
	"github.com/omgdb/omgdb/pgwire"
)

// indexFlags are what omgdb index is told.
type indexFlags struct {
	embedder       string
	maxSize        int64
	verbose, watch bool
	dir, store     string
}

func indexCmd() *cobra.Command {
	var f indexFlags
	cmd := &cobra.Command{
		Use:   "index DIR",
		Short: "Index the text files of a directory, to be asked with omgdb query",
		Long: "Keeps an index of DIR's text files in DIR/" + contextsvc.StoreName + ", past what .gitignore and .omgdbignore files say, and prints the outcome as\n" +
			"JSON. A later run reads only what has changed. What was skipped is told on standard error. With --watch it goes on until it is\n" +
			"interrupted: changes are indexed as they come, a line for each time that something was.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			keepHeapLow()
			var err error
			if f.dir, f.store, err = contextsvc.StorePath(a[0]); err != nil {
				return err
			}
			o := pgwire.DialOptions{Application: "omgdb", Create: true, Share: true}
			return withConnOf(cmd.Context(), f.store, o, func(ctx context.Context, c *pgx.Conn) error {
				if _, err := f.index(cmd, c, true); err != nil || !f.watch {
					return err
				}
				return f.follow(cmd, c)
			})
		},
	}
	cmd.Flags().StringVar(&f.embedder, "embedder", "", "static, minilm or none (default: that of the index, static at first)")
	cmd.Flags().Int64Var(&f.maxSize, "max-size", 0, "size in bytes above which files are skipped (default 4 MiB)")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "tell every file that was skipped")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "go on and index changes as they come")
	return cmd
}

// index makes one run and prints its outcome: always, or only when something was to do. It tells whether something was.
func (f *indexFlags) index(cmd *cobra.Command, c *pgx.Conn, always bool) (did bool, err error) {
	var size any
	if cmd.Flags().Changed("max-size") {
		size = f.maxSize
	}
	done := f.showProgress(cmd)
	var answer string
	err = c.QueryRow(cmd.Context(), `SELECT omgdb.context_index($1, $2, $3, true)`, f.dir, optional(f.embedder), size).Scan(&answer)
	done()
	if err != nil {
		return false, err
	}
	plain, report, err := contextsvc.SplitReport([]byte(answer))
	if err != nil {
		return false, err
	}
	did = report.Added+report.Changed+report.Removed > 0
	if !did && !always {
		return false, nil
	}
	if always {
		printSkipped(cmd.ErrOrStderr(), report.Skipped, f.verbose)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", plain)
	return did, err
}

// skippedShown is how many skipped files are named without --verbose.
const skippedShown = 10

// printSkipped tells how many files were skipped for which reasons, and names some.
func printSkipped(w io.Writer, list []contextsvc.Skipped, verbose bool) {
	if len(list) == 0 {
		return
	}
	counts := map[string]int{}
	for _, s := range list {
		counts[s.Reason]++
	}
	reasons := make([]string, 0, len(counts))
	for r := range counts {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	fmt.Fprintf(w, "skipped %d:\n", len(list))
	for _, r := range reasons {
		fmt.Fprintf(w, "  %d × %s\n", counts[r], r)
	}
	for i, s := range list {
		if i == skippedShown && !verbose {
			fmt.Fprintf(w, "  … (all with --verbose)\n")
			break
		}
		fmt.Fprintf(w, "  %s: %s\n", s.Path, s.Reason)
	}
}
