package sqltest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest/slt"
)

// ServerPerState is the isolation by a server and a store of their own for every file or case. params are start-up
// parameters of its sessions.
func ServerPerState(bin string, protocol slt.Protocol, params map[string]string) slt.Isolation {
	return &serverIsolation{bin, protocol, params}
}

type serverIsolation struct {
	bin      string
	protocol slt.Protocol
	params   map[string]string
}

func (i *serverIsolation) Parallel() bool { return true }

func (i *serverIsolation) New(context.Context) (slt.State, error) {
	dir, err := os.MkdirTemp("", "omgdb-state-")
	if err != nil {
		return nil, err
	}
	s, err := Start(i.bin, filepath.Join(dir, "store.omgdb"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &serverState{i, s, dir}, nil
}

type serverState struct {
	*serverIsolation
	server *Server
	dir    string
}

func (s *serverState) Dial(ctx context.Context) (slt.Session, error) {
	cfg, err := pgconn.ParseConfig(s.server.URL)
	if err != nil {
		return nil, err
	}
	for k, v := range s.params {
		cfg.RuntimeParams[k] = v
	}
	return slt.Dial(ctx, cfg, s.protocol)
}

// Drop stops the server; one that died or does not end well makes the file fail.
func (s *serverState) Drop(context.Context) error {
	err := s.server.Stop()
	if rmErr := os.RemoveAll(s.dir); err == nil {
		err = rmErr
	}
	return err
}
