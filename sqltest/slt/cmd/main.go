// Command cmd runs sqllogictest files against a server that speaks the PostgreSQL protocol.
//
//	go run ./sqltest/slt/cmd -dsn postgres://postgres@localhost/postgres -max 700 FILES…
//
// A directory stands for the .test, .slt and .gz files below it. The exit code is 0 when every record passed, 1 when
// some failed, 2 when a file could not be read or run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
	"github.com/omgdb/omgdb/sqltest/slt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slt:", err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context) (int, error) {
	opts := slt.Options{}
	dsn := flag.String("dsn", "", "connection string of the server under test")
	bin := flag.String("bin", "", "omgdb binary, for -isolation server")
	flag.IntVar(&opts.Max, "max", 0, "applicable records to run per file, 0 for all")
	flag.StringVar(&opts.Engine, "engine", "postgresql", "the engine that skipif and onlyif mean")
	flag.DurationVar(&opts.Timeout, "timeout", 60*time.Second, "time for one record")
	flag.BoolVar(&opts.Rewrite, "rewrite", false, "put the server's results in place of the expected ones")
	parallel := flag.Int("parallel", runtime.NumCPU(), "files at once")
	isolation := flag.String("isolation", "database", "fresh state per file by: database, schema, drop, none, or server (an omgdb for each)")
	protocol := flag.String("protocol", "simple", "simple or extended")
	baseline := flag.String("baseline", "", "file of the records that the peer fails")
	figures := flag.String("figures", "", "folder to write the figures to")
	suite := flag.String("suite", "slt", "name of the figures")
	jsonPath := flag.String("json", "", "write the report here as JSON")
	verbose := flag.Int("v", 0, "failures to print per file")
	quiet := flag.Bool("q", false, "print only the total")
	flag.Parse()

	iso, err := makeIsolation(*dsn, *bin, *isolation, *protocol)
	if err != nil {
		return 2, err
	}
	var base slt.Baseline
	if *baseline != "" {
		if base, err = slt.ReadBaseline(*baseline); err != nil {
			return 2, err
		}
	}
	paths, err := slt.Expand(flag.Args())
	if err != nil {
		return 2, err
	}
	report, err := opts.Suite(ctx, iso, paths, *parallel, base, func(o slt.Outcome) {
		if !*quiet {
			printOutcome(o, *verbose)
		}
	})
	if err != nil {
		return 2, err
	}
	fmt.Printf("total: %s\n", report.Line())
	if report.Peer != nil {
		fmt.Printf("of the records that the peer passes: %s\n", report.Peer.Line())
	}
	if *figures != "" {
		if err := floors.WriteFigures(*figures, *suite, figuresOf(report)); err != nil {
			return 2, err
		}
	}
	if *jsonPath != "" {
		if err := writeJSON(report, *jsonPath); err != nil {
			return 2, err
		}
	}
	if broken := report.Broken(); len(broken) > 0 {
		return 2, fmt.Errorf("%d files could not be run: %s", len(broken), broken[0])
	}
	if all := report.All(); all.Pass < all.Run {
		return 1, nil
	}
	return 0, nil
}

func makeIsolation(dsn, bin, isolation, protocol string) (slt.Isolation, error) {
	p := slt.Protocol(protocol)
	if p != slt.Simple && p != slt.Extended {
		return nil, fmt.Errorf("-protocol %s: want simple or extended", protocol)
	}
	if isolation == "server" {
		if bin == "" {
			return nil, fmt.Errorf("-isolation server wants -bin")
		}
		return sqltest.ServerPerState(bin, p, nil), nil
	}
	makeIt, ok := slt.Isolations[isolation]
	if !ok {
		return nil, fmt.Errorf("-isolation %s: want database, schema, drop, none or server", isolation)
	}
	if dsn == "" {
		return nil, fmt.Errorf("-dsn is missing")
	}
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	return makeIt(cfg, p), nil
}

// figuresOf counts passed records by the group of files that they stand in, all of them, and the part of the peer's
// records that pass.
func figuresOf(r *slt.Report) floors.Figures {
	f := floors.Figures{}
	for _, o := range r.Files {
		f[groupOf(o.Path)] += float64(o.All().Pass)
		f["all"] += float64(o.All().Pass)
		f["queries"] += float64(o.Queries.Pass)
	}
	if r.Peer != nil && r.Peer.Run > 0 {
		f["of_peer"] = float64(r.Peer.Pass) / float64(r.Peer.Run)
	}
	return f
}

// groupOf is the folder below test/ of a file of the sqllogictest set (evidence, index, random), else the file's name.
func groupOf(path string) string {
	if _, below, ok := strings.Cut(path, "/test/"); ok {
		path, _, _ = strings.Cut(below, "/")
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

func printOutcome(o slt.Outcome, failures int) {
	fmt.Printf("%s: %s  %.1f s\n", o.Path, o.Line(), o.Seconds)
	if o.Broken != "" {
		fmt.Printf("  BROKEN: %s\n", o.Broken)
	}
	for _, f := range o.Failures[:min(failures, len(o.Failures))] {
		fmt.Printf("  line %d: %s\n    %s\n", f.Line, f.Problem, f.SQL)
	}
}

func writeJSON(r *slt.Report, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := r.WriteJSON(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
