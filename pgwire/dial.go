package pgwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
)

// dialWait is how long Dial waits for the store, or for the socket of the process that has it.
const dialWait = 5 * time.Second

// DialOptions describe a connection to be made.
type DialOptions struct {
	Application string
	Settings    map[string]string // start-up settings such as omgdb.scope
	Create      bool              // make the store when there is none
	Share       bool              // when this process opens the store, let others in through its socket
}

// Dial connects to the store at path: over the socket of the process that has it open, or, when nobody has, by opening it in this
// process. The function returned closes the connection, and the store if it was opened here.
func Dial(ctx context.Context, path string) (*pgx.Conn, func() error, error) {
	return DialWith(ctx, path, DialOptions{Application: "omgdb"})
}

// DialWith is Dial with options.
func DialWith(ctx context.Context, path string, o DialOptions) (*pgx.Conn, func() error, error) {
	deadline := time.Now().Add(dialWait)
	open := Open
	if o.Share {
		open = OpenShared
	}
	for {
		local, err := open(ctx, path, LocalOptions{
			Create: o.Create, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Storage: storage.Options{LockTimeout: time.Millisecond},
		})
		if err == nil {
			return dialLocal(ctx, local, o)
		}
		if !errors.Is(err, storage.ErrHeld) {
			return nil, nil, err
		}
		if h, herr := storage.ReadHolder(path); herr == nil && h.Socket != "" {
			if c, derr := dialSocket(ctx, h.Socket, o); derr == nil {
				return c, func() error { return c.Close(context.Background()) }, nil
			} else if !isRefused(derr) {
				return nil, nil, derr
			}
		}
		if time.Now().After(deadline) {
			return nil, nil, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(25 * time.Millisecond):
		}
	}
}

func dialLocal(ctx context.Context, l *Local, o DialOptions) (*pgx.Conn, func() error, error) {
	c, err := l.Connect(ctx, o)
	if err != nil {
		_ = l.Close()
		return nil, nil, err
	}
	return c, func() error {
		err := c.Close(context.Background())
		if cerr := l.Close(); err == nil {
			err = cerr
		}
		return err
	}, nil
}

// Connect opens a pgx connection inside this process.
func (l *Local) Connect(ctx context.Context, o DialOptions) (*pgx.Conn, error) {
	return connect(ctx, o, func(context.Context, string, string) (net.Conn, error) { return l.Pipe(), nil })
}

func dialSocket(ctx context.Context, socket string, o DialOptions) (*pgx.Conn, error) {
	var d net.Dialer
	c, err := connect(ctx, o, func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "unix", socket) })
	if err != nil {
		return nil, err
	}
	var version string
	if err := c.QueryRow(ctx, "SHOW omgdb.version").Scan(&version); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	if major(version) != major(Version) {
		_ = c.Close(ctx)
		return nil, dberr.New(dberr.FeatureNotSupported, "the store is served by omgdb %s, this is omgdb %s", version, Version).
			WithHint("Use the same major version on both sides.")
	}
	return c, nil
}

// major is the part of a version that both sides must agree on; before 1.0 each minor version counts as one.
func major(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if parts[0] == "0" && len(parts) > 1 {
		return "0." + parts[1]
	}
	return parts[0]
}

func connect(ctx context.Context, o DialOptions, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (*pgx.Conn, error) {
	// Everything that the environment could say otherwise is given here.
	cfg, err := pgx.ParseConfig("host=127.0.0.1 port=5433 user=postgres database=omgdb sslmode=disable connect_timeout=10")
	if err != nil {
		return nil, fmt.Errorf("pgwire: %w", err)
	}
	cfg.DialFunc = dial
	cfg.Password = ""
	cfg.RuntimeParams = map[string]string{"application_name": o.Application}
	for name, val := range o.Settings {
		cfg.RuntimeParams[name] = val
	}
	// A cancelled context cancels the statement, and the connection lives on; it is cut off only when the server doesn't react.
	cfg.BuildContextWatcherHandler = func(pc *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: pc, DeadlineDelay: 5 * time.Second}
	}
	return pgx.ConnectConfig(ctx, cfg)
}

// isRefused tells whether nobody listens at a socket (any more, or yet).
func isRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
