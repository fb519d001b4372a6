package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/cmd/omgdb/mcp"
)

// tokenVariable is the environment variable with the token that HTTP clients must send.
const tokenVariable = "OMGDB_MCP_TOKEN"

type mcpFlags struct {
	scope, http, root string
	maxAnswer         int
}

func mcpCmd() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp [PATH]",
		Short: "Serve stores to language models over the Model Context Protocol",
		Long: "Serves the tools of a scope on standard input and output, or with --http on an address of this machine. Calls name a store by its path\n" +
			"below --root, or use the store at PATH. HTTP clients send the token of " + tokenVariable + "; without that variable one is made and printed.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			store := ""
			if len(a) == 1 {
				store = a[0]
			}
			return runMCP(cmd, &f, store)
		},
	}
	cmd.Flags().StringVar(&f.scope, "scope", "read", "what clients may do: read, write or admin")
	cmd.Flags().StringVar(&f.http, "http", "", "HOST:PORT to serve HTTP on instead of standard input and output")
	cmd.Flags().StringVar(&f.root, "root", "", "directory that paths are confined to (default the current one; required with --http)")
	cmd.Flags().IntVar(&f.maxAnswer, "max-answer", mcp.DefaultMaxAnswer, "bytes above which an answer is cut and continued with a cursor")
	return cmd
}

func runMCP(cmd *cobra.Command, f *mcpFlags, store string) (err error) {
	scope, err := mcp.ParseScope(f.scope)
	if err != nil {
		return usageError{err}
	}
	if f.http != "" && f.root == "" {
		return usageError{errors.New("--http needs --root: the directory that paths are confined to")}
	}
	if f.root == "" {
		f.root = "."
	}
	srv, err := mcp.New(mcp.Options{
		Scope: scope, Root: f.root, Store: store, MaxAnswer: f.maxAnswer, Logger: slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := srv.Close(); err == nil {
			err = cerr
		}
	}()
	if f.http != "" {
		return serveMCP(cmd, srv, f.http)
	}
	err = srv.Run(cmd.Context(), &sdk.StdioTransport{})
	if cmd.Context().Err() != nil {
		return nil // asked to stop
	}
	return err
}

func serveMCP(cmd *cobra.Command, srv *mcp.Server, addr string) error {
	l, err := mcp.Listen(addr)
	if err != nil {
		return usageError{err}
	}
	token, made := os.Getenv(tokenVariable), false
	if token == "" {
		var raw [24]byte
		_, _ = rand.Read(raw[:])
		token, made = base64.RawURLEncoding.EncodeToString(raw[:]), true
	}
	fmt.Fprintf(cmd.OutOrStdout(), "ready: http://%s\n", l.Addr())
	if made {
		fmt.Fprintf(cmd.ErrOrStderr(), "token: %s\n", token)
	}
	return srv.Serve(cmd.Context(), l, token)
}
