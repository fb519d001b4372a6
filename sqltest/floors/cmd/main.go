// Command cmd checks the figures that the suites wrote against sqltest/floors.json, or raises its minima to them.
//
//	go run ./sqltest/floors/cmd -figures DIR            exit 1 when a bound is broken or a suite did not run
//	go run ./sqltest/floors/cmd -figures DIR -raise slt,cases
//	go run ./sqltest/floors/cmd -figures DIR -raise bench -factor 0.7
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/sqltest/floors"
)

func main() {
	figures := flag.String("figures", ".ci/tmp/figures", "folder of the suites' figures")
	path := flag.String("floors", "sqltest/floors.json", "the bounds")
	raise := flag.String("raise", "", "suites whose minima to raise to the figures, parted by commas")
	factor := flag.Float64("factor", 1, "with -raise: part of the figure that becomes the minimum")
	flag.Parse()
	problems, err := run(*figures, *path, *raise, *factor)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floors:", err)
		os.Exit(2)
	}
	for _, p := range problems {
		fmt.Println("FLOOR", p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

func run(dir, path, raise string, factor float64) ([]string, error) {
	all, err := floors.ReadFigures(dir)
	if err != nil {
		return nil, err
	}
	bounds, err := floors.Read(path)
	if err != nil {
		return nil, err
	}
	if raise != "" {
		for _, suite := range strings.Split(raise, ",") {
			if all[suite] == nil {
				return nil, fmt.Errorf("no figures of suite %s in %s", suite, dir)
			}
			bounds.Raise(suite, all[suite], factor)
		}
		return nil, bounds.Write(path)
	}
	for _, suite := range slices.Sorted(maps.Keys(all)) {
		for _, name := range slices.Sorted(maps.Keys(all[suite])) {
			fmt.Printf("%-8s %-32s %g\n", suite, name, all[suite][name])
		}
	}
	return bounds.Check(all), nil
}
