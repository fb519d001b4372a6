package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// TargetOf is the target that a DSN names.
func TargetOf(dsn string) (Target, error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return Target{}, err
	}
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	return Target{Network: network, Address: address, User: cfg.User, Database: cfg.Database}, nil
}

// Expand replaces directories by the scripts in them.
func Expand(args []string) (out []string, err error) {
	for _, a := range args {
		if filepath.Ext(a) == ".wire" {
			out = append(out, a)
			continue
		}
		found, err := filepath.Glob(filepath.Join(a, "*.wire"))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no scripts given")
	}
	return out, nil
}

// InFreshDatabase runs f with the target turned to a database that exists only meanwhile.
func (t Target) InFreshDatabase(ctx context.Context, f func(Target) error) error {
	name := fmt.Sprintf("wire_%08x", rand.Uint32())
	if err := t.admin(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	inside := t
	inside.Database = name
	err := f(inside)
	// A backend may still be leaving after its socket was closed; FORCE ends it.
	if dropErr := t.admin(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err == nil {
		err = dropErr
	}
	return err
}

func (t Target) admin(ctx context.Context, sql string) error {
	cfg, err := pgconn.ParseConfig("")
	if err != nil {
		return err
	}
	cfg.User, cfg.Database, cfg.TLSConfig, cfg.Fallbacks = t.User, t.Database, nil, nil
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, t.Network, t.Address)
	}
	cfg.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"localhost"}, nil }
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// Summary counts scripts.
type Summary struct{ Run, Pass, Exact int }

// Add counts one outcome; a script that could not be played to its end counts as run only.
func (s *Summary) Add(o *Outcome, err error) {
	s.Run++
	if err == nil && o.Pass {
		s.Pass++
	}
	if err == nil && o.Exact {
		s.Exact++
	}
}

func (s Summary) String() string {
	return strconv.Itoa(s.Pass) + " of " + strconv.Itoa(s.Run) + " scripts pass, " + strconv.Itoa(s.Exact) + " exact"
}
