package pgwire

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/functions/contextsvc"
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/functions/history"
	"github.com/omgdb/omgdb/functions/mutation"
	"github.com/omgdb/omgdb/functions/retrieval"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// Version is OMGDB's. Clients and servers of different major versions refuse each other.
const Version = "0.1.0"

// Local is a store that this process has open, with the server over it. Close ends both.
type Local struct {
	DB       *storage.DB
	Sessions *session.Server
	Server   *Server
}

// LocalOptions configure a Local.
type LocalOptions struct {
	Create   bool              // make the store when there is none
	Settings map[string]string // start values of settings
	Logger   *slog.Logger
	Insecure bool
	TLS      *TLS
	Storage  storage.Options
}

// Open opens the store at path with everything that sessions need.
func Open(ctx context.Context, path string, o LocalOptions) (*Local, error) {
	registry, err := newRegistry()
	if err != nil {
		return nil, err
	}
	if o.Storage.Logger == nil {
		o.Storage.Logger = o.Logger
	}
	expressions := session.NewIndexExpressions(registry)
	embedders := builtin.Embedders()
	o.Storage.Expressions = expressions
	o.Storage.Indexes = indexKinds(expressions, embedders)
	db, err := openStore(ctx, path, o)
	if err != nil {
		return nil, err
	}
	expressions.Attach(db)
	sessions, err := session.New(db, session.Options{
		Registry: registry, Embedders: embedders, Logger: o.Logger, Version: Version, Settings: o.Settings,
	})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &Local{DB: db, Sessions: sessions, Server: New(sessions, Options{Logger: o.Logger, Insecure: o.Insecure, TLS: o.TLS})}, nil
}

// indexKinds are the kinds of indexes that need more than the store has.
func indexKinds(x index.Expressions, e *embed.Set) map[string]index.Kind {
	embedder := func(name string) (vector.Embedder, error) { return e.Get(name) }
	return map[string]index.Kind{storage.MethodVector: &vector.Kind{Expressions: x, Embedders: embedder}}
}

// newRegistry makes the registry of all functions that SQL can call.
func newRegistry() (*functions.Registry, error) {
	r, err := builtin.New(retrieval.Entries())
	for _, more := range []functions.Entries{contextsvc.Entries(), mutation.Entries(), history.Entries()} {
		if err == nil {
			r, err = r.With(more)
		}
	}
	return r, err
}

// IsUnmade tells whether an error of Open says that there is no store yet: nothing at the path, or a directory without its file, as one
// looks in the moment when it is made, and after a crash then.
func IsUnmade(err error) bool {
	return errors.Is(err, fs.ErrNotExist) && !errors.Is(err, storage.ErrHeld)
}

func openStore(ctx context.Context, path string, o LocalOptions) (*storage.DB, error) {
	db, err := storage.Open(ctx, path, o.Storage)
	if !o.Create || !IsUnmade(err) {
		return db, err
	}
	if db, err = storage.Create(path, o.Storage); dberr.Code(err) == dberr.DuplicateFile {
		return storage.Open(ctx, path, o.Storage) // another process was faster
	}
	return db, err
}

// Pipe opens a connection inside this process.
func (l *Local) Pipe() net.Conn {
	client, server := newPipe()
	l.Server.Attach(server)
	return client
}

// Close ends all sessions, giving running statements a moment, and closes the store.
func (l *Local) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return l.Drain(ctx)
}

// Drain is Close with patience: open transactions may end until ctx is done.
func (l *Local) Drain(ctx context.Context) error {
	l.Server.Shutdown(ctx)
	return l.DB.Close()
}
