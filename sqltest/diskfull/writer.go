package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest"
)

// writer inserts rows with rising ids and knows which were acknowledged.
type writer struct {
	conn    *pgx.Conn
	rows    int // acknowledged, with ids 1…rows
	refused int
}

func newWriter(ctx context.Context, url string) (*writer, error) {
	w := &writer{}
	if err := w.connect(ctx, url); err != nil {
		return nil, err
	}
	_, err := w.conn.Exec(ctx, "CREATE TABLE full_rows (id int PRIMARY KEY, pad text)")
	return w, err
}

func (w *writer) connect(ctx context.Context, url string) (err error) {
	w.conn, err = pgx.Connect(ctx, url)
	return err
}

// Rows of an insert: a few, as most commits have, and so many that the transaction spills to files.
const (
	fewRows  = 200
	manyRows = 100_000
)

// insert adds n rows with one statement.
func (w *writer) insert(ctx context.Context, n int) error {
	_, err := w.conn.Exec(ctx, "INSERT INTO full_rows SELECT i, repeat(md5(i::text), 12) FROM generate_series($1::int, $2::int) i", w.rows+1, w.rows+n)
	if err == nil {
		w.rows += n
	}
	return err
}

// fill inserts until the disk is full, some times over: a checkpoint may make room between two refusals. A large transaction after
// that may yet fit where only single files are limited, for it has files of its own.
func (w *writer) fill(ctx context.Context) error {
	const (
		enough = 5
		most   = 4000
	)
	for n := 0; w.refused < enough; n++ {
		if n == most {
			return fmt.Errorf("the disk never filled: %d rows", w.rows)
		}
		if err := w.isFull(w.insert(ctx, fewRows)); err != nil {
			return err
		}
	}
	if err := w.check(ctx); err != nil {
		return err
	}
	if err := w.isFull(w.insert(ctx, manyRows)); err != nil {
		return fmt.Errorf("a large transaction: %w", err)
	}
	return w.check(ctx)
}

// isFull counts a refusal for want of space; any other error is a failure.
func (w *writer) isFull(err error) error {
	if err == nil {
		return nil
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return fmt.Errorf("the connection was lost: %w", err)
	}
	if pg.Code != "53100" || pg.Hint == "" {
		return fmt.Errorf("want 53100 with a hint, got %s: %s (%s)", pg.Code, pg.Message, pg.Hint)
	}
	w.refused++
	return nil
}

// check wants exactly the acknowledged rows.
func (w *writer) check(ctx context.Context) error {
	var n, most, bad int
	err := w.conn.QueryRow(ctx, "SELECT count(*), coalesce(max(id), 0), count(*) FILTER (WHERE pad <> repeat(md5(id::text), 12)) FROM full_rows").Scan(&n, &most, &bad)
	if err == nil && (n != w.rows || most != w.rows || bad > 0) {
		err = fmt.Errorf("%d rows up to %d, %d of them wrong; acknowledged are %d", n, most, bad, w.rows)
	}
	return err
}

// recover wants writes to succeed soon after there is space again.
func (w *writer) recover(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := w.insert(ctx, fewRows)
		if err == nil {
			return w.check(ctx)
		}
		if err := w.isFull(err); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("writes still fail: %w", err)
		}
		time.Sleep(100 * time.Millisecond) // between two tries
	}
}

// close ends the server, has the store verified, and looks at the rows once more.
func (w *writer) close(ctx context.Context, bin string, s *sqltest.Server) error {
	w.conn.Close(ctx)
	if err := s.Stop(); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, bin, "verify", s.Path).CombinedOutput(); err != nil {
		return fmt.Errorf("verify: %w: %s", err, out)
	}
	again, err := sqltest.Start(bin, s.Path)
	if err != nil {
		return err
	}
	defer again.Kill()
	if err := w.connect(ctx, again.URL); err != nil {
		return err
	}
	defer w.conn.Close(ctx)
	if err := w.check(ctx); err != nil {
		return fmt.Errorf("opened again: %w", err)
	}
	return again.Stop()
}
