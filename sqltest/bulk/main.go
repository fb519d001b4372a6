// Command bulk gives a server transactions that are far larger than its memory may be, and watches its memory and its
// other sessions meanwhile.
//
//	go run ./sqltest/bulk [-bin omgdb] [-rows 5000000] [-limit 350] [-figures DIR]
//
// The steps: one transaction that COPYs all rows, an UPDATE of all of them, another one that is rolled back, a DELETE of
// half of them. After each the table is counted and summed. A reader and a writer work on another table all the time: their
// slowest answers are printed, and no step may make the server's resident memory (mapped file pages count) pass the limit.
//
// Before these, on a smaller table, the server is stopped, killed and started again: with a sixteenth, a quarter and all of the rows it must
// answer equally soon, since opening a store costs nothing by its size.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	bin     string
	rows    int
	limit   int64 // MiB
	slowest time.Duration
	figures string
	keep    bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.bin, "bin", "", "omgdb binary; built when missing")
	flag.IntVar(&o.rows, "rows", 5_000_000, "rows of the one transaction")
	flag.Int64Var(&o.limit, "limit", 350, "MiB of resident memory that the server may take")
	flag.DurationVar(&o.slowest, "slowest", 10*time.Second, "longest time that another session may wait for an answer")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.BoolVar(&o.keep, "keep", false, "leave the store")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bulk:", err)
		os.Exit(1)
	}
}

// driver is a run: the server of the moment, and what was seen.
type driver struct {
	options
	server *sqltest.Server
	conn   *pgx.Conn
	seen   floors.Figures
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "omgdb-bulk-")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Printf("the store is left in %s\n", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	if o.bin == "" {
		if o.bin, err = sqltest.Build(ctx, dir); err != nil {
			return err
		}
	}
	d := &driver{options: o, seen: floors.Figures{}}
	if err := d.startUp(ctx, dir); err != nil {
		return fmt.Errorf("start-up: %w", err)
	}
	if err := d.large(ctx, filepath.Join(dir, "large.omgdb")); err != nil {
		return err
	}
	if o.figures != "" {
		return floors.WriteFigures(o.figures, "bulk", d.seen)
	}
	return nil
}

// open starts a server on the store at path.
func (d *driver) open(ctx context.Context, path string) (err error) {
	if d.server, err = sqltest.Start(d.bin, path); err != nil {
		return err
	}
	if d.conn, err = pgx.Connect(ctx, d.server.URL); err != nil {
		d.server.Kill()
	}
	return err
}

// stop ends the server in good order.
func (d *driver) stop(ctx context.Context) error {
	d.conn.Close(ctx)
	return d.server.Stop()
}

func (d *driver) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := d.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// large runs the steps on a new store.
func (d *driver) large(ctx context.Context, path string) error {
	if err := d.open(ctx, path); err != nil {
		return err
	}
	defer func() { d.server.Kill() }()
	if err := d.exec(ctx, "CREATE TABLE bulk (id int PRIMARY KEY, n int, note text)", "CREATE TABLE aside (id int PRIMARY KEY, n int)",
		"INSERT INTO aside SELECT i, i FROM generate_series(1, 1000) i"); err != nil {
		return err
	}
	for _, s := range steps {
		if err := d.step(ctx, s); err != nil {
			return fmt.Errorf("%s: %w; log: %s", s.name, err, d.server.Log())
		}
	}
	return d.stop(ctx)
}
