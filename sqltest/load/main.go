// Command load puts many clients to work on two servers, one after the other, and checks what they leave behind.
//
//		go run ./sqltest/load -a DSN -b DSN [-span 3s] [-rounds 3] [-only REGEXP] [-pgbench PATH] [-figures DIR]
//
//	  - queue: 16 workers take jobs with FOR UPDATE SKIP LOCKED, a tenth of them giving up half-way. Each job must be done once.
//	  - mixed: 16 connections, four reads by key to one durable write. Rates are compared, and the times of half and of 99 of 100 operations.
//	  - pgbench: PostgreSQL's own load, initialised by it: 8 clients. Balances must agree with the history, and nothing may fail.
//
// Ratios are rates of a to rates of b, the median of the rounds, in which a and b take turns.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"

	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	a, b    string
	span    time.Duration
	rounds  int
	pgbench string
}

// part loads one server for one round and gives the rate of what was done. It fails when something was lost, doubled or wrong.
type part struct {
	name string
	run  func(ctx context.Context, o options, dsn string, round int) (rate float64, said string, err error)
}

var parts = []part{{"queue", queue}, {"mixed", mixed}, {"pgbench", pgbench}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.a, "a", "", "connection string of the server under test")
	flag.StringVar(&o.b, "b", "", "connection string of a PostgreSQL")
	flag.DurationVar(&o.span, "span", 3*time.Second, "time for each round of mixed and pgbench")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds of each part and server")
	flag.StringVar(&o.pgbench, "pgbench", "/usr/lib/postgresql/15/bin/pgbench", "pgbench's program")
	only := flag.String("only", "", "regular expression of the parts to run")
	figures := flag.String("figures", "", "folder to write the figures to")
	flag.Parse()
	seen := floors.Figures{}
	err := run(ctx, o, regexp.MustCompile(*only), seen)
	if err == nil && *figures != "" {
		err = floors.WriteFigures(*figures, "load", seen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, only *regexp.Regexp, seen floors.Figures) (failed error) {
	if o.a == "" || o.b == "" {
		return errors.New("-a and -b are needed")
	}
	for _, p := range parts {
		if !only.MatchString(p.name) {
			continue
		}
		ratio, err := compare(ctx, o, p)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		seen[p.name] = ratio
	}
	return failed
}

// compare plays the rounds of a part.
func compare(ctx context.Context, o options, p part) (float64, error) {
	var ratios []float64
	for round := range o.rounds {
		var rates [2]float64
		for i, dsn := range []string{o.a, o.b} {
			rate, said, err := p.run(ctx, o, dsn, round)
			if err != nil {
				return 0, fmt.Errorf("server %c, round %d: %w", 'a'+i, round+1, err)
			}
			fmt.Printf("%-8s %c  %s\n", p.name, 'a'+i, said)
			rates[i] = rate
		}
		ratios = append(ratios, rates[0]/rates[1])
	}
	slices.Sort(ratios)
	median := ratios[len(ratios)/2]
	fmt.Printf("%-8s ratio %.2f (%.2f–%.2f)\n", p.name, median, ratios[0], ratios[len(ratios)-1])
	return median, nil
}
