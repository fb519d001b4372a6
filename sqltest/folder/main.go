// Command folder holds omgdb index and omgdb query to what they promise of a directory, however awkward it is, and measures how well
// they answer questions.
//
//	go run ./sqltest/folder [-bin omgdb] [-only REGEXP] [-v] [-figures DIR] [CASES.jsonl…]
//	go run ./sqltest/folder [-bin omgdb] [-figures DIR] -questions sqltest/testdata/folder/questions_go.jsonl -tree $(go env GOROOT)/src
//
// Each line of the data is a case: a directory of its own, steps that change it, and commands with what they must say (step.go). The examples of the
// service's description come first, by the shell and by the Model Context Protocol (examples.go). Commands run as a user without privileges, so that a file without rights is one that cannot be read.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/omgdb/omgdb/sqltest"
	"github.com/omgdb/omgdb/sqltest/floors"
)

// defaultCases are run when none are named.
const defaultCases = "sqltest/testdata/folder/awkward*.jsonl"

// testCase is a line of the data.
type testCase struct {
	Name  string `json:"case"`
	Why   string `json:"why"`
	Steps []step `json:"steps"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bin := flag.String("bin", "", "omgdb binary; built when missing")
	only := flag.String("only", "", "run the cases whose name matches")
	verbose := flag.Bool("v", false, "name every case")
	figures := flag.String("figures", "", "folder to write the figures to")
	questions := flag.String("questions", "", "ask the questions of this file instead")
	tree := flag.String("tree", "", "the tree of files that the questions are about; it is copied")
	flag.Parse()
	if *questions != "" {
		if err := ask(ctx, *bin, *questions, *tree, *figures); err != nil {
			fmt.Fprintln(os.Stderr, "folder:", err)
			os.Exit(1)
		}
		return
	}
	passed, failed, err := run(ctx, *bin, regexp.MustCompile(*only), *verbose, flag.Args())
	fmt.Printf("%d checks passed, %d cases failed\n", passed, failed)
	if err == nil && *figures != "" {
		err = floors.WriteFigures(*figures, "folder", floors.Figures{"pass": float64(passed)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "folder:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

func ask(ctx context.Context, bin, questions, tree, figures string) error {
	w, err := newWorld(ctx, bin)
	if err != nil {
		return err
	}
	defer w.close()
	f, err := w.ask(ctx, questions, tree)
	if err != nil || figures == "" {
		return err
	}
	return floors.WriteFigures(figures, strings.TrimSuffix(filepath.Base(questions), ".jsonl"), f)
}

func run(ctx context.Context, bin string, only *regexp.Regexp, verbose bool, files []string) (passed, failed int, err error) {
	cases, err := readCases(files)
	if err != nil {
		return 0, 0, err
	}
	w, err := newWorld(ctx, bin)
	if err != nil {
		return 0, 0, err
	}
	defer w.close()
	if only.MatchString("examples") {
		if passed, err = w.runExamples(ctx); err != nil {
			failed++
			fmt.Printf("FAIL examples: %v\n", err)
		} else if verbose {
			fmt.Printf("ok   examples (%d)\n", passed)
		}
	}
	for i, c := range cases {
		if !only.MatchString(c.Name) {
			continue
		}
		n, err := w.play(ctx, fmt.Sprint(i), c)
		passed += n
		if err != nil {
			failed++
			fmt.Printf("FAIL %s: %v\n     (%s)\n", c.Name, err, c.Why)
		} else if verbose {
			fmt.Printf("ok   %s (%d)\n", c.Name, n)
		}
	}
	return passed, failed, ctx.Err()
}

// readCases reads the cases of all files; a field that means nothing is an error.
func readCases(files []string) ([]testCase, error) {
	if len(files) == 0 {
		var err error
		if files, err = filepath.Glob(defaultCases); err != nil {
			return nil, err
		}
	}
	var out []testCase
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.DisallowUnknownFields()
			var c testCase
			if err := d.Decode(&c); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
			out = append(out, c)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no cases in %q", files)
	}
	return out, nil
}

// newWorld makes the folder that cases play in, with a copy of the binary that everybody may run.
func newWorld(ctx context.Context, bin string) (*world, error) {
	dir, err := os.MkdirTemp("", "omgdb-folder-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, bin: filepath.Join(dir, "omgdb")}
	if bin == "" {
		if bin, err = sqltest.Build(ctx, dir); err != nil {
			return w, err
		}
	}
	text, err := os.ReadFile(bin)
	if err != nil {
		return w, err
	}
	if err := os.WriteFile(w.bin+".run", text, 0o755); err != nil {
		return w, err
	}
	w.bin += ".run"
	return w, os.Chmod(dir, 0o755)
}
