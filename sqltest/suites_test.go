package sqltest

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omgdb/omgdb/sqltest/floors"
)

// suites are the commands that speak to a server, each in the size that fits the test command; .ci/run has them whole.
// {dsn} is a fresh server's, {bin} the binary, {figures} a folder for the figures.
var suites = []struct {
	name    string // of the figures in floors.json; "" where the exit code says it all
	maxExit int    // 1 where some records may fail as long as the floors hold
	part    bool   // only some of the suite's files: its totals say nothing
	args    []string
}{
	{"slt", 1, true, []string{"./slt/cmd", "-isolation", "server", "-bin", "{bin}", "-q", "-max", "700", "-figures", "{figures}",
		"testdata/sqllogictest/test/select1.test.gz", "testdata/sqllogictest/test/select2.test.gz", "testdata/sqllogictest/test/select3.test.gz"}},
	{"own", 1, false, []string{"./slt/cmd", "-isolation", "server", "-bin", "{bin}", "-suite", "own", "-v", "3", "-figures", "{figures}", "testdata/slt/sql", "testdata/slt/omgdb"}},
	{"cases", 1, false, []string{"./cases/cmd", "-isolation", "server", "-bin", "{bin}", "-cases", "testdata/cases/sql_cases.jsonl", "-figures", "{figures}"}},
	{"wire", 1, false, []string{"./wire/cmd", "-dsn", "{dsn}", "-fresh=false", "-figures", "{figures}", "wire/testdata"}},
	{"ir", 0, true, []string{"./ir", "-dsn", "{dsn}", "-set", "./testdata/ir/cranfield", "-figures", "{figures}"}},
	{"", 0, true, []string{"./isolation", "-a", "{dsn}", "-max", "3", "-span", "300ms", "-bank", "300ms"}},
	{"", 0, true, []string{"./bulk", "-bin", "{bin}", "-rows", "20000"}},
	{"", 0, true, []string{"./crash", "-bin", "{bin}", "-rounds", "2"}},
	{"", 0, true, []string{"./searchers", "-bin", "{bin}", "-rounds", "2", "-span", "3s"}},
	{"", 0, true, []string{"./bench", "-a", "{dsn}", "-scale", "1000", "-rounds", "1"}},
}

// binary builds the product once for all suites, or takes the one that OMGDB_BIN names.
var binary = sync.OnceValues(func() (string, error) {
	if bin := os.Getenv("OMGDB_BIN"); bin != "" {
		return bin, nil
	}
	dir, err := os.MkdirTemp("", "omgdb-suites-")
	if err != nil {
		return "", err
	}
	return Build(context.Background(), dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := binary(); err == nil && os.Getenv("OMGDB_BIN") == "" {
		os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

func TestSuites(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := floors.Read("floors.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		t.Run(strings.Trim(s.args[0], "./"), func(t *testing.T) {
			figures := t.TempDir()
			dsn := ""
			if slices.Contains(s.args, "{dsn}") {
				dsn = startForTest(t, bin).URL
			}
			replace := strings.NewReplacer("{dsn}", dsn, "{bin}", bin, "{figures}", figures)
			args := []string{"run"}
			for _, a := range s.args {
				args = append(args, replace.Replace(a))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "go", args...)
			cmd.WaitDelay = 5 * time.Second
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > s.maxExit) {
				t.Fatalf("%v: %s", err, out)
			}
			t.Logf("%s", out)
			if s.name != "" {
				checkFloors(t, bounds[s.name], s.name, s.part, figures)
			}
		})
	}
}

// startForTest serves a new store until the test ends, which fails when the server does not end well.
func startForTest(t *testing.T, bin string) *Server {
	t.Helper()
	s, err := Start(bin, filepath.Join(t.TempDir(), "store.omgdb"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checkFloors holds the figures against their bounds; of a suite that ran in part, those that it measured.
func checkFloors(t *testing.T, bounds map[string]floors.Bound, suite string, part bool, dir string) {
	t.Helper()
	all, err := floors.ReadFigures(dir)
	if err != nil {
		t.Fatal(err)
	}
	if part {
		bounds = maps.Clone(bounds)
		maps.DeleteFunc(bounds, func(name string, _ floors.Bound) bool {
			_, measured := all[suite][name]
			return !measured || slices.Contains([]string{"all", "queries", "of_peer"}, name)
		})
	}
	if len(bounds) == 0 {
		t.Fatalf("%s gave no figure that has a floor", suite)
	}
	for _, p := range (floors.Floors{suite: bounds}).Check(all) {
		t.Error(p)
	}
}
