// Command omgdb is the shell of OMGDB: it makes, fills, asks and serves stores. Every command but create, serve, model and version is a
// thin client of SQL, over one connection: to the process that has the store open, or to this one.
//
// Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/pgwire"
	"github.com/omgdb/omgdb/storage/dberr"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	boundGarbage()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out one command line and gives the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root := rootCmd()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	report(errs, err)
	var usage usageError
	if errors.As(err, &usage) {
		return 2
	}
	return 1
}

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// commands lists the subcommands.
func commands() []*cobra.Command {
	return []*cobra.Command{
		createCmd(), insertCmd(), updateCmd(), deleteCmd(), importCmd(), exportCmd(), getCmd(), findCmd(), searchCmd(), vsearchCmd(),
		contextCmd(), vsyncCmd(), vstaleCmd(), historyCmd(), planCmd(), applyCmd(), rollbackCmd(), backupCmd(), restoreCmd(), compactCmd(), inspectCmd(),
		verifyCmd(), sqlCmd(), indexCmd(), queryCmd(), serveCmd(), userCmd(), mcpCmd(), modelCmd(), demoCmd(), versionCmd(),
	}
}

func rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:           "omgdb",
		Short:         "A document store with PostgreSQL's wire and SQL, full text and vectors",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(commands()...)
	markUsage(root)
	return root
}

// markUsage makes the errors of arguments and flags of a command and of those below it usage errors.
func markUsage(c *cobra.Command) {
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w\nUsage: %s", err, cmd.UseLine())}
		}
		return nil
	}
	for _, sub := range c.Commands() {
		markUsage(sub)
	}
}

// report prints an error as people read it: message, detail and hint, without codes.
func report(w io.Writer, err error) {
	msg, detail, hint := err.Error(), "", ""
	var pg *pgconn.PgError
	var e *dberr.Error
	switch {
	case errors.As(err, &pg):
		// What a command says around the server's error stays; pgconn's severity and code are for drivers.
		msg = strings.Replace(msg, pg.Error(), pg.Message, 1)
		detail, hint = pg.Detail, pg.Hint
	case errors.As(err, &e):
		detail, hint = e.Detail, e.Hint
	}
	fmt.Fprintf(w, "omgdb: %s\n", msg)
	if detail != "" {
		fmt.Fprintf(w, "  %s\n", detail)
	}
	if hint != "" {
		fmt.Fprintf(w, "  Hint: %s\n", hint)
	}
}

func versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "omgdb %s\n", pgwire.Version)
			return err
		},
	}
}
