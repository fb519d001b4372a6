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

func indexCmd() *cobra.Command {
	var embedder string
	var maxSize int64
	var verbose bool
	cmd := &cobra.Command{
		Use:   "index DIR",
		Short: "Index the text files of a directory, to be asked with omgdb query",
		Long: "Keeps an index of DIR's text files in DIR/" + contextsvc.StoreName + ", past what .gitignore and .omgdbignore files say, and prints the outcome as\n" +
			"JSON. A later run reads only what has changed. What was skipped is told on standard error.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			dir, store, err := contextsvc.StorePath(a[0])
			if err != nil {
				return err
			}
			var size any
			if cmd.Flags().Changed("max-size") {
				size = maxSize
			}
			o := pgwire.DialOptions{Application: "omgdb", Create: true, Share: true}
			return withConnOf(cmd.Context(), store, o, func(ctx context.Context, c *pgx.Conn) error {
				var answer string
				if err := c.QueryRow(ctx, `SELECT omgdb.context_index($1, $2, $3, true)`, dir, optional(embedder), size).Scan(&answer); err != nil {
					return err
				}
				plain, report, err := contextsvc.SplitReport([]byte(answer))
				if err != nil {
					return err
				}
				printSkipped(cmd.ErrOrStderr(), report.Skipped, verbose)
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", plain)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&embedder, "embedder", "", "static, minilm or none (default: that of the index, static at first)")
	cmd.Flags().Int64Var(&maxSize, "max-size", 0, "size in bytes above which files are skipped (default 4 MiB)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "tell every file that was skipped")
	return cmd
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
