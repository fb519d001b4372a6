package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"
)

func sqlCmd() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "sql PATH [STATEMENT…]",
		Short: "Run SQL and print the rows",
		Long:  "Runs each STATEMENT argument, else the SQL in the file of --file, else that on standard input, and prints the rows.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			show, ok := printers[format]
			if !ok {
				return usageError{fmt.Errorf("--format %q: want table, csv or json", format)}
			}
			texts, err := sqlTexts(cmd.InOrStdin(), a[1:], file)
			if err != nil {
				return err
			}
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				for _, text := range texts {
					if err := runSQL(ctx, c, cmd.OutOrStdout(), text, show); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, csv or json")
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the SQL to run")
	return cmd
}

func sqlTexts(in io.Reader, args []string, file string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	if file != "" {
		b, err := os.ReadFile(file)
		return []string{string(b)}, err
	}
	b, err := io.ReadAll(in)
	return []string{string(b)}, err
}

// runSQL runs a text of statements and prints the rows of each.
func runSQL(ctx context.Context, c *pgx.Conn, w io.Writer, text string, show printer) error {
	results := c.PgConn().Exec(ctx, text)
	defer results.Close()
	for results.NextResult() {
		r := results.ResultReader()
		if len(r.FieldDescriptions()) == 0 {
			if _, err := r.Close(); err != nil {
				return err
			}
			continue
		}
		if err := show(w, r); err != nil {
			return err
		}
		if _, err := r.Close(); err != nil {
			return err
		}
	}
	return results.Close()
}

// printer writes one result.
type printer func(w io.Writer, r *pgconn.ResultReader) error

var printers = map[string]printer{"table": printTable, "csv": printCSV, "json": printJSON}

func printTable(w io.Writer, r *pgconn.ResultReader) error {
	fields := r.FieldDescriptions()
	width := make([]int, len(fields))
	for i, f := range fields {
		width[i] = textWidth(f.Name)
	}
	var rows [][]string
	for r.NextRow() {
		row := make([]string, len(fields))
		for i, v := range r.Values() {
			row[i] = strings.ReplaceAll(string(v), "\n", "↵")
			width[i] = max(width[i], textWidth(row[i]))
		}
		rows = append(rows, row)
	}
	head, rule := make([]string, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		head[i] = pad(f.Name, width[i], false)
		rule[i] = strings.Repeat("─", width[i])
	}
	if _, err := fmt.Fprintf(w, "%s\n%s\n", strings.TrimRight(strings.Join(head, "  "), " "), strings.Join(rule, "  ")); err != nil {
		return err
	}
	for _, row := range rows {
		for i := range row {
			row[i] = pad(row[i], width[i], numericOID[fields[i].DataTypeOID])
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "  "), " ")); err != nil {
			return err
		}
	}
	return nil
}

func textWidth(s string) int { return len([]rune(s)) }

func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-textWidth(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// numericOID are the types whose values are numbers: aligned to the right in tables, bare in JSON.
var numericOID = map[uint32]bool{20: true, 21: true, 23: true, 26: true, 700: true, 701: true, 1700: true}

func printCSV(w io.Writer, r *pgconn.ResultReader) error {
	out := csv.NewWriter(w)
	fields := r.FieldDescriptions()
	row := make([]string, len(fields))
	for i, f := range fields {
		row[i] = f.Name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for r.NextRow() {
		for i, v := range r.Values() {
			row[i] = string(v)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
