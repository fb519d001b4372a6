// Command cmd runs the SQL cases against a server and prints, per area, how many pass and how many are exact.
//
//	go run ./sqltest/cases/cmd -dsn postgres://postgres@localhost/postgres [-area jsonb] [-v]
//
// The exit code is 0 when all cases are exact, 1 when some are not, 2 when they could not be run.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/cases"
	"github.com/omgdb/omgdb/sqltest/floors"
	"github.com/omgdb/omgdb/sqltest/slt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context) (int, error) {
	dsn := flag.String("dsn", "", "connection string of the server under test")
	bin := flag.String("bin", "", "omgdb binary, for -isolation server")
	path := flag.String("cases", "sqltest/testdata/cases/sql_cases.jsonl", "case file")
	area := flag.String("area", "", "only areas that start so")
	isolation := flag.String("isolation", "database", "fresh state per case by: database, schema, drop, none, or server (an omgdb for each)")
	parallel := flag.Int("parallel", runtime.NumCPU(), "cases at once")
	timeout := flag.Duration("timeout", 30*time.Second, "time for one case")
	figures := flag.String("figures", "", "folder to write the figures to")
	verbose := flag.Bool("v", false, "print every case that is not exact")
	flag.Parse()

	iso, err := makeIsolation(*dsn, *bin, *isolation)
	if err != nil {
		return 2, err
	}
	all, err := cases.Read(*path)
	if err != nil {
		return 2, err
	}
	all = slices.DeleteFunc(all, func(c cases.Case) bool { return !strings.HasPrefix(c.Area, *area) })
	verdicts := cases.RunAll(ctx, iso, all, *parallel, *timeout)
	pass, exact := report(verdicts, *verbose)
	if *figures != "" {
		if err := floors.WriteFigures(*figures, "cases", figuresOf(verdicts)); err != nil {
			return 2, err
		}
	}
	fmt.Printf("total: %d of %d pass, %d exact\n", pass, len(all), exact)
	if exact < len(all) {
		return 1, nil
	}
	return 0, nil
}

func makeIsolation(dsn, bin, isolation string) (slt.Isolation, error) {
	if isolation == "server" {
		if bin == "" {
			return nil, fmt.Errorf("-isolation server wants -bin")
		}
		return sqltest.ServerPerState(bin, slt.Simple, cases.Settings), nil
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
	maps.Copy(cfg.RuntimeParams, cases.Settings)
	return makeIt(cfg, slt.Simple), nil
}

// report prints a line per area and, when verbose, per case that is not exact.
func report(verdicts []cases.Verdict, verbose bool) (pass, exact int) {
	type count struct{ run, pass, exact int }
	areas := map[string]count{}
	for _, v := range verdicts {
		c := areas[v.Area]
		c.run++
		if v.Pass {
			c.pass++
			pass++
		}
		if v.Exact {
			c.exact++
			exact++
		} else if verbose {
			fmt.Printf("%s: %s\n", v.ID, v.Problem)
		}
		areas[v.Area] = c
	}
	for _, area := range slices.Sorted(maps.Keys(areas)) {
		c := areas[area]
		fmt.Printf("%-18s %2d of %2d pass, %2d exact\n", area, c.pass, c.run, c.exact)
	}
	return pass, exact
}

// figuresOf counts passes per area, all passes and all exact ones.
func figuresOf(verdicts []cases.Verdict) floors.Figures {
	f := floors.Figures{"all": 0, "exact": 0}
	for _, v := range verdicts {
		f[v.Area] += 0
		if v.Pass {
			f[v.Area]++
			f["all"]++
		}
		if v.Exact {
			f["exact"]++
		}
	}
	return f
}
