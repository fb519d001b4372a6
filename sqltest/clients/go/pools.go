package main

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pools hand out connections that many tasks share: what one leaves behind must not reach the next.
func pools(ctx context.Context, dsn string) error {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return err
	}
	config.MaxConns = 1
	config.ConnConfig.RuntimeParams["search_path"] = "gc"
	config.AfterRelease = func(c *pgx.Conn) bool { return run(ctx, c, "DISCARD ALL") == nil }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	pid := uint32(0)
	show("session leaves things behind", func() (any, error) {
		c, err := pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer c.Release()
		pid = c.Conn().PgConn().PID()
		return nil, run(ctx, c, "SET work_mem = '9MB'", "SET search_path = pg_catalog", "SET TimeZone = 'Asia/Tokyo'", "CREATE TEMP TABLE left_behind (a int)", "PREPARE p AS SELECT 1", "LISTEN left_behind",
			"DECLARE c CURSOR WITH HOLD FOR SELECT 1", "SELECT pg_advisory_lock(42)", "SET SESSION AUTHORIZATION postgres")
	})
	show("next session", func() (any, error) {
		c, err := pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer c.Release()
		v, err := all(c.Query(ctx, `SELECT current_setting('work_mem') = '9MB', current_setting('search_path'), to_regclass('left_behind') IS NULL, (SELECT count(*) FROM pg_prepared_statements WHERE from_sql),
			(SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_cursors WHERE name = 'c'), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())`, pgx.QueryExecModeSimpleProtocol))
		return []any{v, c.Conn().PgConn().PID() == pid, c.Conn().PgConn().ParameterStatus("TimeZone") == "Asia/Tokyo"}, err
	})
	show("DISCARD ALL in a transaction", func() (any, error) {
		err := pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return run1(ctx, c.Conn(), "BEGIN; DISCARD ALL") })
		return nil, err
	})
	show("open transaction", func() (any, error) {
		c, err := pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		err = run(ctx, c, "BEGIN")
		c.Release() // the pool ends a connection that is in a transaction
		if err != nil {
			return nil, err
		}
		return one(ctx, pool, "SELECT pg_backend_pid() <> $1", pid)
	})
	many, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer many.Close()
	show("many tasks", func() (any, error) {
		if _, err := many.Exec(ctx, "CREATE TABLE gc.counter AS SELECT 0 AS n"); err != nil {
			return nil, err
		}
		var wg sync.WaitGroup
		errs := make([]error, 40)
		for i := range errs {
			wg.Go(func() { _, errs[i] = many.Exec(ctx, "UPDATE gc.counter SET n = n + $1", i) })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		return one(ctx, many, "SELECT n FROM gc.counter")
	})
	return nil
}
