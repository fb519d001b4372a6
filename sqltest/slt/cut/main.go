// Command cut makes sqltest/testdata/sqllogictest from the full set: the first records of each file, compressed.
//
//	go run ./sqltest/slt/cut [-max 700] -from $OMGDB_DATA/sqllogictest -to sqltest/testdata/sqllogictest
//
// It copies the README and the baseline too. The output depends on nothing but the input.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omgdb/omgdb/sqltest/slt"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cut:", err)
		os.Exit(1)
	}
}

func run() error {
	n := flag.Int("max", 700, "applicable records to keep of each file")
	from := flag.String("from", filepath.Join(os.Getenv("OMGDB_DATA"), "sqllogictest"), "folder of the full set")
	to := flag.String("to", "sqltest/testdata/sqllogictest", "folder to write")
	flag.Parse()

	paths, err := slt.Expand([]string{filepath.Join(*from, "test")})
	if err != nil {
		return err
	}
	var total int
	for _, p := range paths {
		rel, err := filepath.Rel(*from, p)
		if err != nil {
			return err
		}
		size, err := cut(p, filepath.Join(*to, rel), *n)
		if err != nil {
			return err
		}
		total += size
	}
	for _, name := range []string{"README.md", "pg15_fails_first700.tsv"} {
		text, err := os.ReadFile(filepath.Join(*from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(*to, name), text, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d files, %d KiB\n", len(paths), total/1024)
	return nil
}

func cut(from, to string, n int) (int, error) {
	f, err := slt.ParseFile(from)
	if err != nil {
		return 0, err
	}
	packed, err := slt.Gzip(f.Prefix("postgresql", n))
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, err
	}
	return len(packed), os.WriteFile(to, packed, 0o644)
}
