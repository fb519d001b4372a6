// Command crash kills a server under load, again and again, and looks for what a crash must not do.
//
//	go run ./sqltest/crash [-bin omgdb] [-rounds 20] [-writers 8] [-seed N]
//
// A round: serve the store, let the writers commit transactions over a collection and a typed table for a random time,
// kill -9, have `omgdb verify` check the store, serve it again and compare each writer's rows with its model: every
// acknowledged transaction is there, the one in flight is there whole or not at all, and nothing else is. The last
// round ends with SIGTERM instead, which must end in exit code 0 and lose nothing either.
//
// kill -9 cannot show a missing sync (the kernel keeps what was written): power loss has tests of its own in storage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	bin               string
	rounds, writers   int
	seed              uint64
	shortest, longest time.Duration
	figures           string
	keep              bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.bin, "bin", "", "omgdb binary; built when missing")
	flag.IntVar(&o.rounds, "rounds", 20, "kills")
	flag.IntVar(&o.writers, "writers", 8, "connections that write")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of transactions and times")
	flag.DurationVar(&o.shortest, "shortest", 100*time.Millisecond, "least time of load before a kill")
	flag.DurationVar(&o.longest, "longest", 1500*time.Millisecond, "most time of load before a kill")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.BoolVar(&o.keep, "keep", false, "leave the store, also after a success")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "crash: %v (seed %d)\n", err, o.seed)
		os.Exit(1)
	}
}

// driver is a run's store and writers.
type driver struct {
	options
	path    string
	writers []*writer
	rand    *rand.Rand
	acked   int // transactions, over all rounds
	opening time.Duration
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "omgdb-crash-")
	if err != nil {
		return err
	}
	defer func() {
		if err == nil && !o.keep {
			err = os.RemoveAll(dir)
		} else {
			fmt.Printf("the store is left in %s\n", dir)
		}
	}()
	if o.bin == "" {
		if o.bin, err = sqltest.Build(ctx, dir); err != nil {
			return err
		}
	}
	d := &driver{options: o, path: filepath.Join(dir, "crash.omgdb"), rand: rand.New(rand.NewPCG(o.seed, 1))}
	for i := range o.writers {
		d.writers = append(d.writers, newWriter(fmt.Sprintf("w%02d", i), o.seed))
	}
	for round := range o.rounds + 1 {
		if err := d.round(ctx, round, round == o.rounds); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	fmt.Printf("%d kills, %d transactions acknowledged, nothing lost, verify clean; longest opening %s (seed %d)\n",
		o.rounds, d.acked, d.opening.Round(time.Millisecond), o.seed)
	if o.figures != "" {
		return floors.WriteFigures(o.figures, "crash", floors.Figures{"rounds": float64(o.rounds), "acknowledged": float64(d.acked)})
	}
	return nil
}

// round serves, checks what the round before left, loads, ends the server, and verifies the store.
func (d *driver) round(ctx context.Context, n int, last bool) error {
	start := time.Now()
	s, err := sqltest.Start(d.bin, d.path)
	if err != nil {
		return err
	}
	d.opening = max(d.opening, time.Since(start))
	defer s.Kill()
	if err := d.prepare(ctx, s, n == 0); err != nil {
		return fmt.Errorf("%w; log: %s", err, s.Log())
	}
	span := d.shortest + time.Duration(d.rand.Int64N(int64(d.longest-d.shortest)+1))
	acked, err := d.load(ctx, s, span, last)
	d.acked += acked
	if err != nil {
		return err
	}
	if acked == 0 {
		return fmt.Errorf("no transaction was acknowledged in %s", firstCommit)
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	fmt.Printf("round %d: %d transactions in %s, store verified\n", n, acked, span.Round(time.Millisecond))
	if last {
		return d.final(ctx)
	}
	return nil
}

// final opens the store once more and compares.
func (d *driver) final(ctx context.Context) error {
	s, err := sqltest.Start(d.bin, d.path)
	if err != nil {
		return err
	}
	defer s.Kill()
	if err := d.prepare(ctx, s, false); err != nil {
		return err
	}
	return s.Stop()
}

// prepare makes the tables of a new store, or settles what the store holds with the writers' models.
func (d *driver) prepare(ctx context.Context, s *sqltest.Server, fresh bool) error {
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if fresh {
		for _, sql := range []string{
			"CREATE TABLE " + docsTable + " () USING collection",
			"CREATE TABLE " + rowsTable + " (id text PRIMARY KEY, n int NOT NULL)",
		} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	}
	found, err := readAll(ctx, conn)
	if err != nil {
		return err
	}
	for _, w := range d.writers {
		if err := w.settle(found[w.name]); err != nil {
			return err
		}
		delete(found, w.name)
	}
	if len(found) > 0 {
		return fmt.Errorf("rows of nobody: %v", found)
	}
	return nil
}

// readAll is every row of both tables by writer.
func readAll(ctx context.Context, conn *pgx.Conn) (map[string]state, error) {
	out := map[string]state{}
	for _, q := range []struct{ table, sql string }{
		{docsTable, "SELECT _id, (doc->>'n')::int FROM " + docsTable},
		{rowsTable, "SELECT id, n FROM " + rowsTable},
	} {
		rows, err := conn.Query(ctx, q.sql)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.sql, err)
		}
		var id string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
			if len(id) < 3 {
				return fmt.Errorf("%s: row id %q", q.table, id)
			}
			if out[id[:3]] == nil {
				out[id[:3]] = state{}
			}
			k := key{q.table, id}
			if _, twice := out[id[:3]][k]; twice {
				return fmt.Errorf("%s: row %s came twice", q.table, id)
			}
			out[id[:3]][k] = n
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.sql, err)
		}
	}
	return out, nil
}

// firstCommit is how long the writers may take to their first acknowledged transaction, however busy the machine is.
const firstCommit = 30 * time.Second

// load lets the writers commit until the server ends, the given time after the first acknowledged transaction, and counts
// these.
func (d *driver) load(ctx context.Context, s *sqltest.Server, span time.Duration, gently bool) (int, error) {
	var acked atomic.Int64
	begun := make(chan struct{})
	var wg sync.WaitGroup
	errs := make([]error, len(d.writers))
	for i, w := range d.writers {
		wg.Go(func() { errs[i] = w.run(ctx, s.URL, &acked, begun) })
	}
	select {
	case <-begun:
	case <-time.After(firstCommit):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case <-time.After(span):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	var stopErr error
	if gently {
		stopErr = s.Stop()
	} else {
		s.Kill()
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, fmt.Errorf("%w; log: %s", err, s.Log())
	}
	return int(acked.Load()), stopErr
}

// run commits transactions until the connection is lost, and closes begun with the first of all. An error that the server
// sends is a failure, but for the one that says that it is shutting down.
func (w *writer) run(ctx context.Context, url string, acked *atomic.Int64, begun chan<- struct{}) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil // the server was killed before it answered
	}
	defer conn.Close(ctx)
	for {
		w.inFlight = w.propose()
		err := w.commit(ctx, conn, w.inFlight)
		var pg *pgconn.PgError
		switch {
		case errors.As(err, &pg) && pg.Code != "57P01" && pg.Code != "57P03":
			return fmt.Errorf("writer %s: %w", w.name, err)
		case err != nil:
			return nil
		}
		w.acked.apply(w.inFlight)
		w.inFlight = nil
		if acked.Add(1) == 1 {
			close(begun)
		}
	}
}

// commit sends one transaction: a single change as a statement of its own, more in a block.
func (w *writer) commit(ctx context.Context, conn *pgx.Conn, t transaction) error {
	if len(t) == 1 {
		return w.apply(ctx, conn, t[0])
	}
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	for _, c := range t {
		if err := w.apply(ctx, conn, c); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, "COMMIT")
	return err
}

// apply sends one change and checks that it touched one row.
func (w *writer) apply(ctx context.Context, conn *pgx.Conn, c change) error {
	_, exists := w.acked[c.key]
	sql, args := statementOf(c, exists)
	tag, err := conn.Exec(ctx, sql, args...)
	if err == nil && tag.RowsAffected() != 1 {
		return &pgconn.PgError{Code: "XX000", Message: fmt.Sprintf("%s of %s touched %d rows, want 1", sql, c.id, tag.RowsAffected())}
	}
	return err
}

// statementOf is the SQL of a change. Documents carry some ballast, so that commits differ in size.
func statementOf(c change, exists bool) (string, []any) {
	column, value := "_id", any(fmt.Sprintf(`{"_id": %q, "n": %d, "pad": %q}`, c.id, c.n, fmt.Sprintf("%0*d", c.n*37%900, c.n)))
	set := "doc = $2"
	if c.table == rowsTable {
		column, value, set = "id", any(c.n), "n = $2"
	}
	switch {
	case c.remove:
		return fmt.Sprintf("DELETE FROM %s WHERE %s = $1", c.table, column), []any{c.id}
	case exists:
		return fmt.Sprintf("UPDATE %s SET %s WHERE %s = $1", c.table, set, column), []any{c.id, value}
	case c.table == rowsTable:
		return "INSERT INTO " + c.table + " (id, n) VALUES ($1, $2)", []any{c.id, value}
	}
	return "INSERT INTO " + c.table + " (_id, doc) VALUES ($1, $2)", []any{c.id, value}
}

// verify has the product's own check look at the closed store.
func (d *driver) verify(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, d.bin, "verify", d.path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("verify: %w: %s", err, out)
	}
	return nil
}
