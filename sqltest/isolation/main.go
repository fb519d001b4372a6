// Command isolation shows that no isolation level commits what it forbids.
//
//	go run ./sqltest/isolation -a DSN [-b DSN] [-max 40] [-span 3s] [-only REGEXP] [-figures DIR]
//
// Three parts, each a way to find what the others miss:
//
//   - anomalies: the scenarios of testdata are played in all interleavings of their sessions (or -max of them), at each level,
//     on a and on b, a PostgreSQL. At SERIALIZABLE what the sessions saw and left must be what some serial order of the
//     committed ones gives; at the levels below it must be what PostgreSQL gives. A serialization failure where PostgreSQL
//     commits is listed and no failure of the suite.
//   - histories: 16 clients append to lists and read them in transactions; the order of each list tells which transaction came
//     before which, and a cycle among them is what the level must exclude. Single statements on registers must be
//     linearizable.
//   - bank: 16 clients move money; the sum of all accounts never changes for anybody.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"

	"github.com/omgdb/omgdb/sqltest/floors"
)

type options struct {
	a, b    string
	max     int
	lanes   int
	clients int
	span    time.Duration
	bank    time.Duration
	only    *regexp.Regexp
	seed    uint64
	verbose bool
	figures string
}

// level is a transaction isolation level.
type level string

const (
	readCommitted  level = "READ COMMITTED"
	repeatableRead level = "REPEATABLE READ"
	serializable   level = "SERIALIZABLE"
)

var levels = []level{readCommitted, repeatableRead, serializable}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.a, "a", "", "connection string of the server under test")
	flag.StringVar(&o.b, "b", "", "connection string of a PostgreSQL; without it the levels below SERIALIZABLE are not compared")
	flag.IntVar(&o.max, "max", 40, "interleavings of a scenario at a level; 0 for all")
	flag.IntVar(&o.lanes, "lanes", 4, "interleavings played at once")
	flag.IntVar(&o.clients, "clients", 16, "clients of histories and bank")
	flag.DurationVar(&o.span, "span", 3*time.Second, "time for each history")
	flag.DurationVar(&o.bank, "bank", 3*time.Second, "time for the bank at each level")
	only := flag.String("only", "", "regular expression of the parts and scenarios to run")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of what is drawn")
	flag.BoolVar(&o.verbose, "v", false, "print every outcome that differs")
	flag.StringVar(&o.figures, "figures", "", "folder to write the figures to")
	flag.Parse()
	o.only = regexp.MustCompile(*only)
	seen := floors.Figures{}
	err := run(ctx, o, seen)
	if err == nil && o.figures != "" {
		err = floors.WriteFigures(o.figures, "isolation", seen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "isolation:", err)
		os.Exit(1)
	}
}

// run runs the parts that are chosen.
func run(ctx context.Context, o options, seen floors.Figures) error {
	if o.a == "" {
		return fmt.Errorf("-a is missing")
	}
	failed := anomalies(ctx, o, seen)
	for _, part := range []struct {
		name string
		run  func(context.Context, options, level) (string, error)
	}{{"lists", lists}, {"registers", registers}, {"bank", bank}} {
		for _, l := range levels {
			if !o.only.MatchString(part.name) {
				continue
			}
			said, err := part.run(ctx, o, l)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", part.name, l, err))
				continue
			}
			fmt.Printf("%-10s %-16s %s\n", part.name, l, said)
			seen[part.name]++
		}
	}
	return failed
}
