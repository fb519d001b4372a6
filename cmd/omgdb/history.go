package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

// versionLine is a line of the output of history. Members that are not known are left out.
type versionLine struct {
	LSN         int64           `json:"lsn"`
	Time        *string         `json:"time,omitempty"`
	Role        *string         `json:"role,omitempty"`
	Application *string         `json:"application,omitempty"`
	Plan        *string         `json:"plan,omitempty"`
	Operation   *string         `json:"operation,omitempty"`
	Doc         json.RawMessage `json:"doc"`
}

func historyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "history PATH COLLECTION ID",
		Short: "Print the states that a document had, newest first, and who made them",
		Long:  "Prints one line a state. doc is null for a delete, and where the content has been purged.",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				n, err := printHistory(ctx, cmd, c, a[1], a[2])
				if err == nil && n == 0 {
					err = fmt.Errorf("the history of collection %q knows no document with _id %s", a[1], a[2])
				}
				return err
			})
		},
	}
}

func printHistory(ctx context.Context, cmd *cobra.Command, c *pgx.Conn, coll, id string) (n int, err error) {
	rows, err := c.Query(ctx, `SELECT lsn, "time", role, application, plan, operation, omgdb.canonical_json(doc) FROM omgdb.history($1, $2)`, coll, id)
	if err != nil {
		return 0, err
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetEscapeHTML(false)
	var v versionLine
	var at *time.Time
	var doc *string
	_, err = pgx.ForEachRow(rows, []any{&v.LSN, &at, &v.Role, &v.Application, &v.Plan, &v.Operation, &doc}, func() error {
		v.Time, v.Doc = nil, json.RawMessage("null")
		if at != nil {
			s := at.UTC().Format(time.RFC3339Nano)
			v.Time = &s
		}
		if doc != nil {
			v.Doc = json.RawMessage(*doc)
		}
		n++
		return out.Encode(v)
	})
	return n, err
}
