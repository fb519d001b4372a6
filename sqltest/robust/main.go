// Command robust gives a server what nobody should give it, and checks that each gets a clear error while the process
// and the other sessions go on as if nothing had happened.
//
//	go run ./sqltest/with -- go run ./sqltest/robust -dsn {dsn} -bin {bin} -pid {pid} [-import 64]
//
// With -bin the shell's answers to bad stores are checked too; with -pid the server's memory is watched.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/omgdb/omgdb/sqltest/floors"
)

// env is what checks work with.
type env struct {
	dsn     string
	bin     string
	pid     int
	mib     int       // to import while a cursor is idle
	conn    *pgx.Conn // for the check itself
	witness *pgx.Conn // another session, which must not notice anything
}

// check is one hardship. It returns an error when the server does not stand it as it should.
type check struct {
	name string
	run  func(ctx context.Context, e *env) error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	e := &env{}
	flag.StringVar(&e.dsn, "dsn", "", "connection string")
	flag.StringVar(&e.bin, "bin", "", "omgdb binary for the checks of the shell")
	flag.IntVar(&e.pid, "pid", 0, "process id of the server")
	flag.IntVar(&e.mib, "import", 64, "MiB to import while a cursor is idle")
	figures := flag.String("figures", "", "folder to write the figures to")
	flag.Parse()
	failed, run, err := runAll(ctx, e)
	if err == nil && *figures != "" {
		err = floors.WriteFigures(*figures, "robust", floors.Figures{"pass": float64(run - failed)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "robust:", err)
		os.Exit(2)
	}
	fmt.Printf("%d of %d checks pass\n", run-failed, run)
	if failed > 0 {
		os.Exit(1)
	}
}

func runAll(ctx context.Context, e *env) (failed, run int, err error) {
	if e.witness, err = pgx.Connect(ctx, e.dsn); err != nil {
		return 0, 0, err
	}
	defer e.witness.Close(ctx)
	if err := e.prepare(ctx); err != nil {
		return 0, 0, err
	}
	all := checks
	if e.bin != "" {
		all = append(all, shellChecks...)
	}
	for _, c := range all {
		start := time.Now()
		err := e.one(ctx, c)
		if err != nil {
			failed++
			fmt.Printf("FAIL %s: %v\n", c.name, err)
			continue
		}
		fmt.Printf("ok   %s (%s)\n", c.name, time.Since(start).Round(time.Millisecond))
	}
	return failed, len(all), nil
}

// prepare makes the tables that checks use, and the rows that the witness expects to stay.
func (e *env) prepare(ctx context.Context) error {
	for _, sql := range []string{
		"DROP TABLE IF EXISTS robust_docs",
		"CREATE TABLE robust_docs () USING collection",
		`INSERT INTO robust_docs (_id, doc) VALUES ('one', '{"_id": "one", "text": "database search", "n": 1}')`,
		`INSERT INTO robust_docs (_id, doc) VALUES ('two', '{"_id": "two", "text": "chocolate cake", "n": 2}')`,
	} {
		if _, err := e.witness.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// one runs a check on a new session and then asks the witness. A server that answers neither in time has failed.
func (e *env) one(ctx context.Context, c check) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var err error
	if e.conn, err = pgx.Connect(ctx, e.dsn); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer e.conn.Close(context.WithoutCancel(ctx))
	if err := c.run(ctx, e); err != nil {
		return err
	}
	return e.askWitness(ctx)
}

// askWitness checks that the other session works and that the documents are as they were.
func (e *env) askWitness(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var n, sum int
	err := e.witness.QueryRow(ctx, "SELECT count(*), sum((doc->>'n')::int) FROM robust_docs WHERE doc->>'text' IS NOT NULL").Scan(&n, &sum)
	if err != nil {
		return fmt.Errorf("another session was harmed: %w", err)
	}
	if n != 2 || sum != 3 {
		return fmt.Errorf("documents changed: %d of them with sum %d, want 2 with 3", n, sum)
	}
	return nil
}
