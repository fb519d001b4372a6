package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func exportCmd() *cobra.Command {
	var filter string
	cmd := &cobra.Command{
		Use:   "export PATH COLLECTION [FILE]",
		Short: "Write a collection as JSON, one document a line",
		Long: `Writes the documents in key order as canonical JSON, which import reads back without loss, to standard output or to FILE
(compressed when it ends in .gz), and their number to standard error. FILE appears when all is written.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				write := func(w io.Writer) (n int, err error) {
					out := bufio.NewWriterSize(w, 1<<16)
					n, err = eachText(ctx, c, out, `SELECT omgdb.canonical_json(doc) FROM omgdb.find($1, $2::json)`, a[1], optional(filter))
					return n, errors.Join(err, out.Flush())
				}
				var n int
				var err error
				if len(a) == 3 {
					n, err = toFile(a[2], write)
				} else {
					n, err = write(cmd.OutOrStdout())
				}
				if err == nil {
					_, err = fmt.Fprintf(cmd.ErrOrStderr(), "exported %d document(s)\n", n)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "Mongo-style filter (JSON) that documents must match")
	return cmd
}

// toFile lets write fill a file, which gets its name, in place of an older one, when it is complete and safe on disk.
func toFile(path string, write func(io.Writer) (int, error)) (n int, err error) {
	f, err := os.Create(path + ".part")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if strings.HasSuffix(path, ".gz") {
		z := gzip.NewWriter(f)
		if n, err = write(z); err == nil {
			err = z.Close()
		}
	} else {
		n, err = write(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return n, err
}
