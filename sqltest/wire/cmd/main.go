// Command cmd plays wire scripts against a server, or records what it answers.
//
//	go run ./sqltest/wire/cmd -dsn DSN [-rewrite] [-fresh=false] [-v] SCRIPTS or FOLDERS…
//
// Without arguments it plays sqltest/wire/testdata. Each script runs in a database of its own unless -fresh=false;
// scripts do not share table names, so on an empty server one database serves them all.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/omgdb/omgdb/sqltest/floors"
	"github.com/omgdb/omgdb/sqltest/wire"
)

func main() {
	dsn := flag.String("dsn", "", "connection string; only address, user and database count")
	rewrite := flag.Bool("rewrite", false, "record the server's answers in the scripts")
	fresh := flag.Bool("fresh", true, "make a database for each script")
	verbose := flag.Bool("v", false, "print the differences")
	figures := flag.String("figures", "", "folder to write the figures to")
	flag.Parse()
	code, err := run(*dsn, *rewrite, *fresh, *verbose, *figures, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		code = 2
	}
	os.Exit(code)
}

func run(dsn string, rewrite, fresh, verbose bool, figures string, args []string) (int, error) {
	if dsn == "" {
		return 2, fmt.Errorf("-dsn is missing")
	}
	target, err := wire.TargetOf(dsn)
	if err != nil {
		return 2, err
	}
	if len(args) == 0 {
		args = []string{"sqltest/wire/testdata"}
	}
	paths, err := wire.Expand(args)
	if err != nil {
		return 2, err
	}
	var sum wire.Summary
	for _, path := range paths {
		s, err := wire.ReadScript(path)
		if err != nil {
			return 2, err
		}
		out, playErr := play(target, s, fresh)
		sum.Add(out, playErr)
		report(path, out, playErr, verbose)
		if rewrite && playErr == nil {
			if err := s.Rewrite(out); err != nil {
				return 2, err
			}
		}
	}
	fmt.Println(sum)
	if figures != "" {
		err := floors.WriteFigures(figures, "wire", floors.Figures{"pass": float64(sum.Pass), "exact": float64(sum.Exact)})
		if err != nil {
			return 2, err
		}
	}
	if sum.Exact < sum.Run {
		return 1, nil
	}
	return 0, nil
}

func play(target wire.Target, s *wire.Script, fresh bool) (out *wire.Outcome, err error) {
	if !fresh {
		return target.Run(s)
	}
	err = target.InFreshDatabase(context.Background(), func(t wire.Target) error {
		out, err = t.Run(s)
		return err
	})
	return out, err
}

func report(path string, out *wire.Outcome, err error, verbose bool) {
	switch {
	case err != nil:
		fmt.Printf("FAIL %s: %v\n", path, err)
	case !out.Pass:
		fmt.Printf("FAIL %s\n", path)
	case !out.Exact:
		fmt.Printf("near %s\n", path)
	}
	if out != nil && verbose {
		for _, p := range out.Problems {
			fmt.Println(p)
		}
	}
}
