package slt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// State is one file's fresh, empty database. Dial may be called often; the state is the same for all its sessions
// and gone after Drop, which the owner calls once, after closing the sessions.
type State interface {
	Dial(ctx context.Context) (Session, error)
	Drop(ctx context.Context) error
}

// Isolation makes fresh states; New may be called from several goroutines.
type Isolation interface {
	New(ctx context.Context) (State, error)
	// Parallel says whether states made by it may be in use at the same time.
	Parallel() bool
}

// Isolations are the ways to a fresh state by name, for flags.
var Isolations = map[string]func(cfg *pgconn.Config, p Protocol) Isolation{
	"database": func(cfg *pgconn.Config, p Protocol) Isolation { return newScope(databaseScope, cfg, p) },
	"schema":   func(cfg *pgconn.Config, p Protocol) Isolation { return newScope(schemaScope, cfg, p) },
	"drop":     func(cfg *pgconn.Config, p Protocol) Isolation { return &dropping{cfg: cfg, protocol: p} },
	"none":     func(cfg *pgconn.Config, p Protocol) Isolation { return asItIs{cfg, p} },
}

// scope is an isolation by a name space that one statement makes and another drops.
type scope struct {
	kind     scopeKind
	cfg      *pgconn.Config
	protocol Protocol
	prefix   string
	serial   atomic.Int64
}

type scopeKind struct {
	create, drop string
	enter        func(cfg *pgconn.Config, name string)
}

var databaseScope = scopeKind{
	create: "CREATE DATABASE %s",
	drop:   "DROP DATABASE %s",
	enter:  func(cfg *pgconn.Config, name string) { cfg.Database = name },
}

var schemaScope = scopeKind{
	create: "CREATE SCHEMA %s",
	drop:   "DROP SCHEMA %s CASCADE",
	enter:  func(cfg *pgconn.Config, name string) { cfg.RuntimeParams["search_path"] = name },
}

// newScope draws a random prefix, so that runs side by side on one server do not meet.
func newScope(kind scopeKind, cfg *pgconn.Config, p Protocol) Isolation {
	return &scope{kind: kind, cfg: cfg, protocol: p, prefix: fmt.Sprintf("slt_%08x", rand.Uint32())}
}

func (s *scope) Parallel() bool { return true }

func (s *scope) New(ctx context.Context) (State, error) {
	name := fmt.Sprintf("%s_%d", s.prefix, s.serial.Add(1))
	if err := admin(ctx, s.cfg, fmt.Sprintf(s.kind.create, name)); err != nil {
		return nil, err
	}
	inside := s.cfg.Copy()
	s.kind.enter(inside, name)
	return &scopeState{scope: s, cfg: inside, name: name}, nil
}

type scopeState struct {
	scope *scope
	cfg   *pgconn.Config
	name  string
}

func (s *scopeState) Dial(ctx context.Context) (Session, error) {
	return Dial(ctx, s.cfg, s.scope.protocol)
}

func (s *scopeState) Drop(ctx context.Context) error {
	return admin(ctx, s.scope.cfg, fmt.Sprintf(s.scope.kind.drop, s.name))
}

// admin runs one statement on a connection of its own.
func admin(ctx context.Context, cfg *pgconn.Config, sql string) error {
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

// asItIs is no isolation: files see what the database holds and what earlier files left.
type asItIs struct {
	cfg      *pgconn.Config
	protocol Protocol
}

func (a asItIs) Parallel() bool                            { return false }
func (a asItIs) New(context.Context) (State, error)        { return a, nil }
func (a asItIs) Dial(ctx context.Context) (Session, error) { return Dial(ctx, a.cfg, a.protocol) }
func (a asItIs) Drop(context.Context) error                { return nil }

// dropping is for servers with one name space: each file works in it alone, and what its statements created is
// dropped afterwards, newest first. It notes the names as the statements pass by.
type dropping struct {
	cfg      *pgconn.Config
	protocol Protocol
	mu       sync.Mutex // held from New to Drop
}

func (d *dropping) Parallel() bool { return false }

func (d *dropping) New(context.Context) (State, error) {
	d.mu.Lock()
	return &dropState{dropping: d}, nil
}

type dropState struct {
	*dropping
	created []string // "TABLE name", in order of creation
}

func (s *dropState) Dial(ctx context.Context) (Session, error) {
	inner, err := Dial(ctx, s.cfg, s.protocol)
	if err != nil {
		return nil, err
	}
	return &notingSession{inner, s}, nil
}

func (s *dropState) Drop(ctx context.Context) error {
	defer s.mu.Unlock()
	for i := len(s.created) - 1; i >= 0; i-- {
		if err := admin(ctx, s.cfg, "DROP "+s.created[i]); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// isMissing says that an object was not there, which is no fault when dropping: the file dropped it itself.
func isMissing(err error) bool {
	switch SQLState(err) {
	case "42P01", "42704", "3F000":
		return true
	}
	return false
}

// notingSession tells its state what a statement created.
type notingSession struct {
	Session
	state *dropState
}

func (s *notingSession) Exec(ctx context.Context, sql string) (*Result, error) {
	res, err := s.Session.Exec(ctx, sql)
	if err == nil {
		if what := createdObject(sql); what != "" {
			s.state.created = append(s.state.created, what)
		}
	}
	return res, err
}

// createdObject is "TABLE name" or "VIEW name" for a statement that creates one, else "".
func createdObject(sql string) string {
	words := strings.Fields(strings.ReplaceAll(sql, "(", " ("))
	if len(words) < 3 || !strings.EqualFold(words[0], "CREATE") {
		return ""
	}
	kind := strings.ToUpper(words[1])
	if kind == "TABLE" || kind == "VIEW" {
		return kind + " " + words[2]
	}
	return ""
}
