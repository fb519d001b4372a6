// Command bench runs the same SQL on two servers in alternation and prints how they compare.
//
//	go run ./sqltest/bench -a DSN -b DSN [-jobs REGEXP] [-scale N] [-rounds N] [-json FILE] [-figures DIR]
//
// A round runs a job on a, then on b, with the same constants, which change from round to round; before every run of
// a job that reads much, one row is written, so that no answer can be kept. A round's ratio is a's speed over b's (2
// means that a is twice as fast); a job's ratio is the median of its rounds. Absolute times depend on the machine and
// its mood, ratios much less: compare ratios. The answers of both servers are compared too. Without -b, or where one
// of them cannot do a job, the other's time stands alone.
//
// The tables bench_docs, bench_orders, bench_tenants, bench_texts and bench_load of the databases are dropped at the
// start and, without -keep, at the end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"time"
)

// options of a run.
type options struct {
	a, b    string
	jobs    *regexp.Regexp
	scale   int
	rounds  int
	timeout time.Duration
	seed    uint64
	run     string // tells the rows that this run writes from an earlier one's
	keep    bool
	reuse   bool
	json    string
	figures string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	opts, err := parseFlags()
	if err == nil {
		err = run(ctx, opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseFlags() (options, error) {
	var o options
	flag.StringVar(&o.a, "a", "", "connection string of the server that is measured")
	flag.StringVar(&o.b, "b", "", "connection string of its peer; may be missing")
	jobs := flag.String("jobs", "", "regular expression that a job's name must match")
	flag.IntVar(&o.scale, "scale", 200_000, "documents and typed rows; texts are a tenth")
	flag.IntVar(&o.rounds, "rounds", 9, "rounds per job")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "a side that needs longer for one round is out of the job")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of data and constants")
	flag.BoolVar(&o.keep, "keep", false, "leave the tables")
	flag.BoolVar(&o.reuse, "reuse", false, "use tables that an earlier run with -keep and the same scale and seed left")
	flag.StringVar(&o.json, "json", "", "write the results here")
	flag.StringVar(&o.figures, "figures", "", "folder to write the ratios to")
	flag.Parse()
	if o.a == "" {
		return o, fmt.Errorf("-a is missing")
	}
	if o.scale < 1000 || o.rounds < 1 {
		return o, fmt.Errorf("-scale wants at least 1000, -rounds at least 1")
	}
	o.run = strconv.FormatInt(time.Now().Unix(), 36)
	var err error
	o.jobs, err = regexp.Compile(*jobs)
	return o, err
}

// run connects, loads what the chosen jobs need, runs them and reports.
func run(ctx context.Context, o options) error {
	chosen := chooseJobs(o.jobs)
	if len(chosen) == 0 {
		return fmt.Errorf("no job matches %s", o.jobs)
	}
	sides, err := connect(ctx, o)
	if err != nil {
		return err
	}
	defer closeAll(sides)
	for _, s := range sides {
		if !o.reuse {
			if err := s.load(ctx, o, tablesOf(chosen)); err != nil {
				return fmt.Errorf("%s: load: %w", s.name, err)
			}
		}
		fmt.Printf("%s: server version %s, documents in a %s\n", s.name, s.version, s.docs)
	}
	var results []result
	for _, j := range chosen {
		r, err := measure(ctx, o, j, sides)
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		r.print(os.Stdout)
		results = append(results, r)
	}
	if !o.keep {
		for _, s := range sides {
			if err := s.dropTables(ctx); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return finish(o, results)
}
