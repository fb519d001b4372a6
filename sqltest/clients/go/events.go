package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// events are what reaches a client without having been asked for: notices, notifications, cancels, timeouts, terminations.
func events(ctx context.Context, dsn string) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return err
	}
	var notices []string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		notices = append(notices, refusal((*pgconn.PgError)(n)))
	}
	config.RuntimeParams["application_name"] = "go events"
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, sql := range []string{"DROP TABLE IF EXISTS gc.nope", "CREATE TABLE IF NOT EXISTS gc.t (a int)", "ROLLBACK", "BEGIN; BEGIN; COMMIT", "DO 'BEGIN RAISE NOTICE ''a % b'', 1 USING hint = ''h''; RAISE WARNING ''w''; RAISE INFO ''i''; RAISE DEBUG ''d''; END'",
		"SET client_min_messages = error; DROP TABLE IF EXISTS gc.nope; RESET client_min_messages", "DROP SCHEMA IF EXISTS nope, gcnope"} {
		show("notices "+sql, func() (any, error) {
			notices = nil
			err := run1(ctx, c, sql)
			return notices, err
		})
	}
	show("application name", func() (any, error) {
		return one(ctx, c, "SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()")
	})
	if err := notifications(ctx, c, dsn); err != nil {
		return err
	}
	return interruptions(ctx, c, dsn)
}

func notifications(ctx context.Context, c *pgx.Conn, dsn string) error {
	other, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer other.Close(ctx)
	next := func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return nil, err
		}
		return []any{n.Channel, n.Payload, n.PID == other.PgConn().PID()}, nil
	}
	if err := run(ctx, c, "LISTEN a", `LISTEN "Ünï"`, "SELECT pg_listening_channels()"); err != nil {
		return err
	}
	if err := run(ctx, other, "NOTIFY a", "NOTIFY b, 'nobody'", "NOTIFY a, 'p''q'", "BEGIN", "NOTIFY a, 'rolled back'", "ROLLBACK", "BEGIN", "NOTIFY a, '1'", "NOTIFY a, '2'", "NOTIFY a, '1'", "COMMIT", `SELECT pg_notify('Ünï', 'x')`); err != nil {
		return err
	}
	for i := range 5 {
		show(fmt.Sprint("notification ", i+1), next)
	}
	show("channels", func() (any, error) {
		return all(c.Query(ctx, "SELECT * FROM pg_listening_channels() ORDER BY 1"))
	})
	show("payload too long", func() (any, error) { return nil, run1(ctx, c, "SELECT pg_notify('a', repeat('x', 8000))") })
	show("channel empty", func() (any, error) { return nil, run1(ctx, c, "SELECT pg_notify('', 'x')") })
	show("unlisten", func() (any, error) {
		if err := run(ctx, c, "UNLISTEN a"); err != nil {
			return nil, err
		}
		if err := run(ctx, other, "NOTIFY a, 'unheard'", `NOTIFY "Ünï", 'heard'`); err != nil {
			return nil, err
		}
		return next()
	})
	return nil
}

// interruptions end statements and sessions from outside.
func interruptions(ctx context.Context, c *pgx.Conn, dsn string) error {
	busy := func(label string, stop func(*pgx.Conn) error, sql string) {
		show(label, func() (any, error) {
			v, err := pgx.Connect(ctx, dsn)
			if err != nil {
				return nil, err
			}
			defer v.Close(ctx)
			done := make(chan error, 1)
			go func() {
				_, err := v.PgConn().Exec(ctx, sql).ReadAll()
				done <- err
			}()
			if err := waits(ctx, c, v.PgConn().PID()); err != nil {
				return nil, err
			}
			if err := stop(v); err != nil {
				return nil, err
			}
			err = <-done
			return []any{refusal(err), v.Ping(ctx) == nil}, nil
		})
	}
	const sleep = "SELECT pg_sleep(30)"
	busy("cancel", func(v *pgx.Conn) error { return v.PgConn().CancelRequest(ctx) }, sleep)
	busy("cancel a block", func(v *pgx.Conn) error { return v.PgConn().CancelRequest(ctx) }, "BEGIN; "+sleep)
	busy("pg_cancel_backend", func(v *pgx.Conn) error {
		return run(ctx, c, fmt.Sprintf("SELECT pg_cancel_backend(%d)", v.PgConn().PID()))
	}, sleep)
	busy("pg_terminate_backend", func(v *pgx.Conn) error {
		return run(ctx, c, fmt.Sprintf("SELECT pg_terminate_backend(%d)", v.PgConn().PID()))
	}, sleep)
	show("cancel with a wrong key", func() (any, error) {
		other, err := net.Dial(c.PgConn().Conn().RemoteAddr().Network(), c.PgConn().Conn().RemoteAddr().String())
		if err != nil {
			return nil, err
		}
		defer other.Close()
		if _, err := other.Write([]byte{0, 0, 0, 16, 4, 0xd2, 0x16, 0x2e, 0, 0, 0, 1, 0, 0, 0, 1}); err != nil {
			return nil, err
		}
		n, err := other.Read(make([]byte, 1))
		return []any{n, err}, nil
	})
	show("context", func() (any, error) {
		v, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return nil, err
		}
		defer v.Close(ctx)
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		_, err = v.Exec(ctx, sleep)
		return []any{err != nil, pgconn.Timeout(err), v.IsClosed()}, nil
	})
	show("statement_timeout", func() (any, error) { return nil, run1(ctx, c, "SET statement_timeout = 20; "+sleep) })
	show("lock_timeout", func() (any, error) {
		v, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return nil, err
		}
		defer v.Close(ctx)
		if err := run(ctx, v, "BEGIN", "LOCK TABLE gc.t"); err != nil {
			return nil, err
		}
		return nil, errors.Join(run(ctx, c, "SET statement_timeout = 0", "SET lock_timeout = 20"), run1(ctx, c, "BEGIN; LOCK TABLE gc.t"), run(ctx, c, "ROLLBACK", "RESET lock_timeout"))
	})
	for _, setting := range []string{"idle_session_timeout", "idle_in_transaction_session_timeout"} {
		show(setting, func() (any, error) {
			v, err := pgx.Connect(ctx, dsn)
			if err != nil {
				return nil, err
			}
			defer v.Close(ctx)
			steps := []string{"SET " + setting + " = 30"}
			if setting != "idle_session_timeout" {
				steps = append(steps, "BEGIN")
			}
			if err := run(ctx, v, steps...); err != nil {
				return nil, err
			}
			_, err = v.WaitForNotification(ctx)
			return v.IsClosed(), err
		})
	}
	return nil
}

// waits comes back when a session is inside a statement.
func waits(ctx context.Context, c *pgx.Conn, pid uint32) error {
	for {
		state := ""
		if err := c.QueryRow(ctx, "SELECT coalesce(state, '') FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep%'", pid).Scan(&state); err != nil && err != pgx.ErrNoRows {
			return err
		}
		if state == "active" {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
}
