package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	clients = 16
	jobs    = 1500
	rows    = 20_000
)

func script(ctx context.Context, dsn string, statements ...string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// crew gives each of the clients a connection and a source of chance.
func crew(ctx context.Context, dsn string, round int, work func(ctx context.Context, conn *pgx.Conn, client int, rng *rand.Rand) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for client := range clients {
		group.Go(func() error {
			conn, err := pgx.Connect(ctx, dsn)
			if err != nil {
				return err
			}
			defer conn.Close(context.Background())
			return work(ctx, conn, client, rand.New(rand.NewPCG(uint64(round), uint64(client))))
		})
	}
	return group.Wait()
}

// queue lets workers empty a queue of jobs.
func queue(ctx context.Context, _ options, dsn string, round int) (float64, string, error) {
	err := script(ctx, dsn, "DROP TABLE IF EXISTS load_queue, load_done", "CREATE TABLE load_queue (id int PRIMARY KEY, worker int)",
		"CREATE TABLE load_done (id int, worker int)", fmt.Sprintf("INSERT INTO load_queue SELECT i FROM generate_series(1, %d) i", jobs))
	if err != nil {
		return 0, "", err
	}
	var given atomic.Int64
	began := time.Now()
	err = crew(ctx, dsn, round, func(ctx context.Context, conn *pgx.Conn, client int, rng *rand.Rand) error {
		for {
			more, err := takeJob(ctx, conn, client, rng.IntN(10) == 0, &given)
			if err != nil || !more {
				return err
			}
		}
	})
	took := time.Since(began)
	if err != nil {
		return 0, "", err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, "", err
	}
	defer conn.Close(ctx)
	var done, distinct, open, astray int
	err = conn.QueryRow(ctx, `SELECT count(*), count(DISTINCT d.id), (SELECT count(*) FROM load_queue WHERE worker IS NULL),
		count(*) FILTER (WHERE q.worker IS DISTINCT FROM d.worker) FROM load_done d LEFT JOIN load_queue q USING (id)`).Scan(&done, &distinct, &open, &astray)
	if err == nil && (done != jobs || distinct != jobs || open != 0 || astray != 0) {
		err = fmt.Errorf("of %d jobs %d were done, %d different ones, %d are left, %d are another worker's", jobs, done, distinct, open, astray)
	}
	rate := jobs / took.Seconds()
	return rate, fmt.Sprintf("%d jobs done once by %d workers, %d given back, %.0f a second", jobs, clients, given.Load(), rate), err
}

// takeJob takes the next free job, does it, or gives it back. more is false when none is free.
func takeJob(ctx context.Context, conn *pgx.Conn, client int, giveUp bool, given *atomic.Int64) (more bool, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer tx.Rollback(ctx)
	var id int
	err = tx.QueryRow(ctx, "SELECT id FROM load_queue WHERE worker IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		var open bool // somebody may still give one back
		err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM load_queue WHERE worker IS NULL)").Scan(&open)
		return open, err
	}
	if err != nil {
		return false, err
	}
	if _, err := tx.Exec(ctx, "UPDATE load_queue SET worker = $1 WHERE id = $2", client, id); err != nil {
		return false, err
	}
	if giveUp {
		given.Add(1)
		return true, tx.Rollback(ctx)
	}
	if _, err := tx.Exec(ctx, "INSERT INTO load_done VALUES ($1, $2)", id, client); err != nil {
		return false, err
	}
	return true, tx.Commit(ctx)
}

// mixed reads and writes by key: four reads to one write.
func mixed(ctx context.Context, o options, dsn string, round int) (float64, string, error) {
	err := script(ctx, dsn, "DROP TABLE IF EXISTS load_mixed", "CREATE TABLE load_mixed (id int PRIMARY KEY, n int NOT NULL, doc jsonb NOT NULL)",
		fmt.Sprintf("INSERT INTO load_mixed SELECT i, 0, jsonb_build_object('name', 'n' || i, 'tags', jsonb_build_array('a', 'b', i %% 100)) FROM generate_series(1, %d) i", rows))
	if err != nil {
		return 0, "", err
	}
	var mu sync.Mutex
	var reads, writes []time.Duration
	end := time.Now().Add(o.span)
	err = crew(ctx, dsn, round, func(ctx context.Context, conn *pgx.Conn, _ int, rng *rand.Rand) error {
		var r, w []time.Duration
		for time.Now().Before(end) {
			id, began := 1+rng.IntN(rows), time.Now()
			if rng.IntN(5) > 0 {
				var name string
				if err := conn.QueryRow(ctx, "SELECT doc->>'name' FROM load_mixed WHERE id = $1", id).Scan(&name); err != nil {
					return err
				}
				if name != fmt.Sprint("n", id) {
					return fmt.Errorf("row %d is called %s", id, name)
				}
				r = append(r, time.Since(began))
				continue
			}
			if _, err := conn.Exec(ctx, "UPDATE load_mixed SET n = n + 1 WHERE id = $1", id); err != nil {
				return err
			}
			w = append(w, time.Since(began))
		}
		mu.Lock()
		defer mu.Unlock()
		reads, writes = append(reads, r...), append(writes, w...)
		return nil
	})
	if err != nil {
		return 0, "", err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, "", err
	}
	defer conn.Close(ctx)
	var sum int
	if err := conn.QueryRow(ctx, "SELECT sum(n) FROM load_mixed").Scan(&sum); err != nil {
		return 0, "", err
	}
	if sum != len(writes) {
		return 0, "", fmt.Errorf("%d updates were acknowledged, the rows have %d", len(writes), sum)
	}
	rate := float64(len(reads)+len(writes)) / o.span.Seconds()
	return rate, fmt.Sprintf("%.0f operations a second; reads p50 %v p99 %v, writes p50 %v p99 %v", rate,
		part100(reads, 50), part100(reads, 99), part100(writes, 50), part100(writes, 99)), nil
}

// part100 is the time that so many of a hundred stay below.
func part100(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)*percent/100, len(times)-1)].Round(10 * time.Microsecond)
}
