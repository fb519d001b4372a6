// Command searchers lets writers and searchers work on one collection with full-text and vector indexes, kills the server in the middle,
// and looks for a search that does not see exactly its snapshot.
//
//	go run ./sqltest/searchers [-bin omgdb] [-span 30s] [-rounds 3] [-writers 3] [-searchers 3] [-seed N]
//
// Each transaction of a writer leaves the number of documents of each group as it was, so every search for a group's word must find that
// number; inside the transaction it finds what the writer has changed so far. In a repeatable read transaction a searcher compares what
// indexes find with what reading the rows finds, twice. All rounds but the last end with kill -9: then `omgdb verify` must be content,
// and the indexes must find each acknowledged document.
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
	bin                        string
	span                       time.Duration
	rounds, writers, searchers int
	seed                       uint64
	figures                    string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.bin, "bin", "", "omgdb binary; built when missing")
	flag.DurationVar(&o.span, "span", 30*time.Second, "time of load, over all rounds")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds; all but the last end with a kill")
	flag.IntVar(&o.writers, "writers", 3, "connections that write")
	flag.IntVar(&o.searchers, "searchers", 3, "connections that search")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of transactions")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "searchers: %v (seed %d)\n", err, o.seed)
		os.Exit(1)
	}
}

// driver is a run's store, writers and counts.
type driver struct {
	options
	path               string
	writers            []*writer
	commits, searched  atomic.Int64
	perGroup, allTexts int
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "omgdb-searchers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.bin == "" {
		if o.bin, err = sqltest.Build(ctx, dir); err != nil {
			return err
		}
	}
	d := &driver{options: o, path: filepath.Join(dir, "searchers.omgdb"), perGroup: o.writers * ownPerGroup}
	d.allTexts = ballast + len(groups)*d.perGroup
	for i := range o.writers {
		d.writers = append(d.writers, newWriter(i, o.seed))
	}
	for n := range o.rounds {
		if err := d.round(ctx, n); err != nil {
			return fmt.Errorf("round %d: %w", n, err)
		}
	}
	fmt.Printf("%d kills, %d transactions, %d searches, each of its snapshot; nothing lost, verify clean (seed %d)\n",
		o.rounds-1, d.commits.Load(), d.searched.Load(), o.seed)
	if o.figures == "" {
		return nil
	}
	return floors.WriteFigures(o.figures, "searchers", floors.Figures{
		"rounds": float64(o.rounds), "commits": float64(d.commits.Load()), "searches": float64(d.searched.Load())})
}

// round serves the store, checks it, loads it, ends the server and verifies the store.
func (d *driver) round(ctx context.Context, n int) error {
	s, err := sqltest.Start(d.bin, d.path)
	if err != nil {
		return err
	}
	defer s.Kill()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if n == 0 {
		if err := d.create(ctx, conn); err != nil {
			return err
		}
	}
	for _, w := range d.writers {
		if err := w.settle(ctx, conn); err != nil {
			return fmt.Errorf("%w; log: %s", err, s.Log())
		}
	}
	if err := d.load(ctx, s, n == d.rounds-1); err != nil {
		return fmt.Errorf("%w; log: %s", err, s.Log())
	}
	if out, err := exec.CommandContext(ctx, d.bin, "verify", d.path).CombinedOutput(); err != nil {
		return fmt.Errorf("verify: %w: %s", err, out)
	}
	return nil
}

// create makes the collection, its indexes and its first documents.
func (d *driver) create(ctx context.Context, conn *pgx.Conn) error {
	for _, sql := range []string{
		"CREATE EXTENSION IF NOT EXISTS vector",
		"CREATE TABLE s () USING collection",
		fmt.Sprintf(`INSERT INTO s (_id, doc) SELECT 'b' || i, jsonb_build_object('t', 'ballast stone number ' || i, 'e', jsonb_build_array(i %% 97, i %% 89, i, 1)) FROM generate_series(1, %d) i`, ballast),
		"CREATE INDEX ON s USING fulltext ((doc->>'t'))",
		"CREATE INDEX ON s USING vector ((doc->>'t')) WITH (embedder = 'static')",
		"CREATE INDEX ON s USING hnsw (((doc->>'e')::vector(4)) vector_l2_ops)",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	for _, w := range d.writers {
		if err := w.begin(ctx, conn); err != nil {
			return err
		}
	}
	return nil
}

// load runs writers and searchers for a round's time, then ends the server.
func (d *driver) load(ctx context.Context, s *sqltest.Server, gently bool) error {
	var wg sync.WaitGroup
	var over atomic.Bool
	errs := make([]error, d.options.writers+d.searchers)
	start := func(i int, work func(context.Context, *pgx.Conn) error) {
		wg.Go(func() { errs[i] = until(ctx, s.URL, &over, work) })
	}
	for i, w := range d.writers {
		start(i, func(ctx context.Context, conn *pgx.Conn) error { return w.transaction(ctx, conn, d) })
	}
	for i := range d.searchers {
		r := rand.New(rand.NewPCG(d.seed, uint64(1000+i)))
		start(d.options.writers+i, func(ctx context.Context, conn *pgx.Conn) error { return d.search(ctx, conn, r) })
	}
	before := d.commits.Load()
	select {
	case <-time.After(d.span / time.Duration(d.rounds)):
	case <-ctx.Done():
	}
	var stop error
	if gently {
		over.Store(true)
		wg.Wait()
		stop = s.Stop()
	} else {
		over.Store(true)
		s.Kill()
		wg.Wait()
	}
	if d.commits.Load() == before {
		errs = append(errs, errors.New("no transaction was committed"))
	}
	return errors.Join(append(errs, stop, ctx.Err())...)
}

// until repeats work until the round is over. Only what the server says, or a check finds, is an error: the connection of a killed server
// breaks.
func until(ctx context.Context, url string, over *atomic.Bool, work func(context.Context, *pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for !over.Load() {
		err := work(ctx, conn)
		var pg *pgconn.PgError
		var wrong *wrongError
		switch {
		case err == nil:
		case errors.As(err, &wrong), errors.As(err, &pg), !over.Load():
			return err
		default:
			return nil
		}
	}
	return nil
}

// wrongError is what a check found.
type wrongError struct{ text string }

func (e *wrongError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &wrongError{fmt.Sprintf(format, args...)} }
