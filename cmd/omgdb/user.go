package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

// userCmd manages who may log in. Once a role has a password, everybody who comes over TCP has to show one.
func userCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Add users, change passwords, list who may log in"}
	var super bool
	add := &cobra.Command{
		Use: "add PATH NAME", Short: "Add a user; the password is read from standard input", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			sql := "CREATE ROLE " + pgx.Identifier{a[1]}.Sanitize() + " LOGIN"
			if super {
				sql += " SUPERUSER"
			}
			return withPassword(cmd, a[0], sql)
		},
	}
	add.Flags().BoolVar(&super, "superuser", false, "the user may do everything")
	cmd.AddCommand(add, &cobra.Command{
		Use: "passwd PATH NAME", Short: "Change a user's password, which is read from standard input", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withPassword(cmd, a[0], "ALTER ROLE "+pgx.Identifier{a[1]}.Sanitize())
		},
	}, &cobra.Command{
		Use: "list PATH", Short: "List the roles", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return withConn(cmd.Context(), a[0], func(ctx context.Context, c *pgx.Conn) error {
				_, err := eachText(ctx, c, cmd.OutOrStdout(), `SELECT rolname::text, concat_ws(' ', CASE WHEN rolcanlogin THEN 'login' END,
					CASE WHEN rolsuper THEN 'superuser' END) FROM pg_roles ORDER BY rolname`)
				return err
			})
		},
	})
	return cmd
}

// withPassword runs a statement about a role with the password that stands on the first line of standard input.
func withPassword(cmd *cobra.Command, path, sql string) error {
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return errors.Join(usageError{errors.New("no password on standard input")}, err)
	}
	return withConn(cmd.Context(), path, func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, sql+" PASSWORD '"+strings.ReplaceAll(password, "'", "''")+"'")
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), "done; clients over TCP now need a password")
		}
		return err
	})
}
