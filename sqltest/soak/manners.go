package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// manner is how a guest behaves. A session that is only left standing when it returns loses its socket.
type manner struct {
	name string
	do   func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error
}

// manners are what guests do. All changes of rows are lost with their sessions.
var manners = [...]manner{
	{"asks and leaves", func(ctx context.Context, _ *rand.Rand, c *pgconn.PgConn) error {
		return errors.Join(say(ctx, c, "SELECT count(*) FROM soak"), c.Close(ctx))
	}},
	{"gone at once", func(context.Context, *rand.Rand, *pgconn.PgConn) error { return nil }},
	{"gone in a transaction", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		return say(ctx, c, fmt.Sprintf("SET lock_timeout = '2s'; BEGIN; UPDATE soak SET n = 1 WHERE id = %d; SELECT pg_advisory_lock_shared(1)", 1+r.IntN(rows)))
	}},
	{"gone with everything open", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		return say(ctx, c, "CREATE TEMP TABLE mine AS SELECT g FROM generate_series(1, 100) g; LISTEN soak; PREPARE p AS SELECT 1; SELECT pg_advisory_lock_shared(2);"+
			"DECLARE h CURSOR WITH HOLD FOR SELECT g FROM generate_series(1, 1000) g; NOTIFY soak, 'x'; BEGIN; DECLARE c CURSOR FOR SELECT * FROM soak; FETCH 5 FROM c; SAVEPOINT s; DELETE FROM mine")
	}},
	{"half a message", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		if err := say(ctx, c, "BEGIN; INSERT INTO soak VALUES (1000000 + pg_backend_pid(), 1)"); err != nil {
			return err
		}
		whole, _ := (&pgproto3.Query{String: "SELECT 'a text that is long enough to be cut'"}).Encode(nil)
		_, _ = c.Conn().Write(whole[:1+r.IntN(len(whole)-1)])
		return nil
	}},
	{"half a copy", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		q, _ := (&pgproto3.Query{String: "COPY soak FROM STDIN"}).Encode(nil)
		d, _ := (&pgproto3.CopyData{Data: []byte("2000001\t5\n2000002\t")}).Encode(q)
		_, _ = c.Conn().Write(d)
		return nil
	}},
	{"does not read its rows", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		q, _ := (&pgproto3.Query{String: "SELECT repeat('x', 1000) FROM generate_series(1, 100000)"}).Encode(nil)
		_, _ = c.Conn().Write(q)
		time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond) // so that it goes before, while and after rows come
		return nil
	}},
	{"half a portal", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		b, _ := (&pgproto3.Parse{Name: "s", Query: "SELECT * FROM soak"}).Encode(nil)
		b, _ = (&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s"}).Encode(b)
		b, _ = (&pgproto3.Execute{Portal: "p", MaxRows: 3}).Encode(b)
		b, _ = (&pgproto3.Flush{}).Encode(b)
		_, _ = c.Conn().Write(b)
		return nil
	}},
	{"cancels", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		done := make(chan error, 1)
		go func() { done <- say(ctx, c, "BEGIN; UPDATE tally SET n = n WHERE false; SELECT pg_sleep(30)") }()
		for {
			select {
			case err := <-done:
				if code(err) != "57014" {
					return fmt.Errorf("a cancelled statement ended with %w", err)
				}
				return errors.Join(say(ctx, c, "ROLLBACK; SELECT 1"), c.Close(ctx))
			case <-time.After(time.Duration(1+r.IntN(20)) * time.Millisecond): // a request that comes too early does nothing
				_ = c.CancelRequest(ctx)
			}
		}
	}},
	{"times out", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		if err := say(ctx, c, "SET statement_timeout = 5; SELECT pg_sleep(30)"); code(err) != "57014" {
			return fmt.Errorf("a statement that timed out ended with %w", err)
		}
		return c.Close(ctx)
	}},
	{"gone while it runs", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		q, _ := (&pgproto3.Query{String: "SELECT count(*) FROM generate_series(1, 1000000)"}).Encode(nil)
		_, _ = c.Conn().Write(q)
		return nil
	}},
	{"nonsense", func(ctx context.Context, r *rand.Rand, c *pgconn.PgConn) error {
		b := make([]byte, 1+r.IntN(200))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		_, _ = c.Conn().Write(b)
		return nil
	}},
}

func say(ctx context.Context, c *pgconn.PgConn, sql string) error {
	_, err := c.Exec(ctx, sql).ReadAll()
	if code(err) == "55P03" { // another guest has the row
		return nil
	}
	return err
}

func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// guest is one connection's life. Some never get as far as a session.
func (s *soak) guest(ctx context.Context, r *rand.Rand) error {
	config, err := pgconn.ParseConfig(s.url)
	if err != nil {
		return err
	}
	if r.IntN(10) == 0 {
		return s.stranger(r, config)
	}
	c, err := pgconn.ConnectConfig(ctx, config)
	if code(err) == "53300" {
		s.refused.Add(1)
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond) // comes again later
		return nil
	}
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	i := r.IntN(len(manners))
	err = manners[i].do(ctx, r, c)
	if !c.IsClosed() {
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
	}
	c.Conn().Close()
	s.counts[i].Add(1)
	if err != nil {
		return fmt.Errorf("%s: %w", manners[i].name, err)
	}
	return nil
}

// stranger connects and says nothing, a part of a start-up packet, or a cancel request for nobody.
func (s *soak) stranger(r *rand.Rand, config *pgconn.Config) error {
	nc, err := net.DialTimeout("tcp", net.JoinHostPort(config.Host, fmt.Sprint(config.Port)), 10*time.Second)
	if err != nil {
		return err
	}
	defer nc.Close()
	hello, _ := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "postgres"}}).Encode(nil)
	cancel, _ := (&pgproto3.CancelRequest{ProcessID: r.Uint32N(1000), SecretKey: []byte{1, 2, 3, 4}}).Encode(nil)
	_, _ = nc.Write([][]byte{nil, hello[:r.IntN(len(hello))], cancel, cancel[:r.IntN(len(cancel))]}[r.IntN(4)])
	return nil
}
