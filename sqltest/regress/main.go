// Command regress sends the statements of PostgreSQL's regression files to PostgreSQL and to omgdb and reports where their
// answers differ. The files are not part of this project: -dir names the src/test/regress of a checkout of PostgreSQL 15.
//
//	go run ./sqltest/regress -dir DIR -bin omgdb -peer DSN [-files "int4 join"] [-v]
//
// Each file runs in a fresh database on the peer and a fresh store here, after test_setup. A statement agrees when both
// servers give the same rows (in the same order when it has ORDER BY), column names and command tags, or the same SQLSTATE.
// Of EXPLAIN only success and columns are compared: plans are each server's own. The mean of the files' shares is the figure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

// measured are the files that the figure is the mean of.
const measured = `boolean char varchar text int2 int4 int8 numeric float4 float8 strings date time timetz timestamp timestamptz
interval uuid enum arrays json jsonb jsonpath jsonb_jsonpath select select_distinct select_distinct_on select_having
select_implicit join aggregates groupingsets window with union case subselect insert insert_conflict update delete returning
limit prepare portals transactions sequence identity rangetypes multirangetypes regex merge point lseg line box path polygon circle geometry domain`

type options struct {
	dir, bin, peer, files, figures string
	timeout                        time.Duration
	verbose                        bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.dir, "dir", "", "src/test/regress of PostgreSQL 15")
	flag.StringVar(&o.bin, "bin", "", "omgdb binary")
	flag.StringVar(&o.peer, "peer", "", "connection string of PostgreSQL")
	flag.StringVar(&o.files, "files", measured, "files to run, without .sql")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Second, "time for one statement")
	flag.BoolVar(&o.verbose, "v", false, "print every difference")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "regress:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, o options) error {
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	o.dir = dir
	sum := report{verbose: o.verbose}
	for _, name := range strings.Fields(o.files) {
		score, err := runFile(ctx, o, name, &sum)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum.file(name, score)
	}
	sum.print()
	if o.figures == "" {
		return nil
	}
	return floors.WriteFigures(o.figures, "regress", floors.Figures{"mean": sum.mean(), "all": sum.share()})
}

// runFile runs test_setup and the file on both sides.
func runFile(ctx context.Context, o options, name string, sum *report) (score, error) {
	steps, err := readFile(o.dir, name)
	if err != nil {
		return score{}, err
	}
	setup, err := readFile(o.dir, "test_setup")
	if err != nil {
		return score{}, err
	}
	peer, drop, err := freshPeer(ctx, o)
	if err != nil {
		return score{}, err
	}
	defer drop()
	ours, stop, err := freshStore(ctx, o)
	if err != nil {
		return score{}, err
	}
	defer stop()
	for _, st := range setup {
		peer.run(ctx, st)
		ours.run(ctx, st)
	}
	var sc score
	for _, st := range steps {
		if err := ctx.Err(); err != nil {
			return sc, err
		}
		a, b := peer.run(ctx, st), ours.run(ctx, st)
		if st.set != "" {
			continue
		}
		k, why := verdict(st, a, b)
		sc.total[k]++
		if why == "" {
			sc.same[k]++
			continue
		}
		sum.difference(name, st, why, a, b)
	}
	return sc, nil
}

func readFile(dir, name string) ([]step, error) {
	text, err := os.ReadFile(filepath.Join(dir, "sql", name+".sql"))
	if err != nil {
		return nil, err
	}
	return readScript(string(text)), nil
}

// freshPeer makes a database on the peer as PostgreSQL's runner does.
func freshPeer(ctx context.Context, o options) (*side, func(), error) {
	admin, err := pgconn.Connect(ctx, o.peer)
	if err != nil {
		return nil, nil, err
	}
	name := fmt.Sprintf("regress_%d", os.Getpid())
	drop := func() {
		admin.Exec(context.WithoutCancel(ctx), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)").Close()
		admin.Close(context.WithoutCancel(ctx))
	}
	if err := admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0").Close(); err != nil {
		drop()
		return nil, nil, err
	}
	cfg, err := pgconn.ParseConfig(o.peer)
	if err != nil {
		drop()
		return nil, nil, err
	}
	url := fmt.Sprintf("host=%s port=%d user=%s password='%s' dbname=%s", cfg.Host, cfg.Port, cfg.User, cfg.Password, name)
	s, err := openSide(ctx, url, o.dir, o.timeout)
	if err != nil {
		drop()
		return nil, nil, err
	}
	return s, func() { s.close(); drop() }, nil
}

// freshStore serves a store of its own.
func freshStore(ctx context.Context, o options) (*side, func(), error) {
	dir, err := os.MkdirTemp("", "omgdb-regress-")
	if err != nil {
		return nil, nil, err
	}
	server, err := sqltest.Start(o.bin, filepath.Join(dir, "store.omgdb"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	stop := func() {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "regress: the server ended badly:", err)
		}
		os.RemoveAll(dir)
	}
	s, err := openSide(ctx, server.URL, o.dir, o.timeout)
	if err != nil {
		stop()
		return nil, nil, err
	}
	return s, func() { s.close(); stop() }, nil
}
