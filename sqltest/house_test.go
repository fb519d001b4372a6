package sqltest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/omgdb/omgdb/"

// floorsOfHouse is the height of the top folders: a package may import from its own height and below.
var floorsOfHouse = map[string]int{"storage": 1, "functions": 2, "planner": 3, "pgwire": 4, "cmd": 5}

// maxLines is the length from which a file surely has a second subject.
const maxLines = 600

// sourceFile is a Go file of the repository.
type sourceFile struct {
	path  string // from the root, with slashes
	text  []byte
	ast   *ast.File
	fset  *token.FileSet
	tests bool
}

func (f *sourceFile) dir() string { return filepath.ToSlash(filepath.Dir(f.path)) }

func (f *sourceFile) line(p token.Pos) int { return f.fset.Position(p).Line }

func house(t *testing.T) []*sourceFile {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	var out []*sourceFile
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f := &sourceFile{path: filepath.ToSlash(rel), fset: token.NewFileSet(), tests: strings.HasSuffix(path, "_test.go")}
		if f.text, err = os.ReadFile(path); err != nil {
			return err
		}
		f.ast, err = parser.ParseFile(f.fset, path, f.text, parser.SkipObjectResolution|parser.ParseComments)
		out = append(out, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("only %d files found: this is not the whole house", len(out))
	}
	return out
}

// Imports run one way: cmd, pgwire, planner, functions, storage; packages under storage never import storage itself;
// nothing of the product imports the tests; the C parser stands behind planner/parse alone.
func TestImportGraph(t *testing.T) {
	for _, f := range house(t) {
		for _, spec := range f.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := forbidden(f.dir(), path); why != "" {
				t.Errorf("%s:%d imports %s: %s", f.path, f.line(spec.Pos()), path, why)
			}
		}
	}
}

// forbidden says why a package in dir may not import path, or "".
func forbidden(dir, path string) string {
	if strings.HasPrefix(path, "github.com/pganalyze/pg_query_go") && dir != "planner/parse" && dir != "planner/parse/ast" {
		return "only planner/parse and its ast may"
	}
	target, inside := strings.CutPrefix(path, module)
	if !inside {
		return ""
	}
	from, to := top(dir), top(target)
	switch {
	case from == "sqltest":
		return ""
	case to == "sqltest":
		return "the product does not know its tests"
	case floorsOfHouse[from] < floorsOfHouse[to]:
		return "imports run downwards"
	case from == "storage" && dir != "storage" && target == "storage":
		return "what is under storage does not know storage"
	}
	return ""
}

func top(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

func TestForbidden(t *testing.T) {
	tests := []struct {
		dir, path string
		ok        bool
	}{
		{"cmd/omgdb", module + "pgwire", true},
		{"cmd/omgdb", module + "storage/doc", true},
		{"pgwire", module + "planner/session", true},
		{"storage", module + "storage/kv", true},
		{"storage/kv", module + "storage/dberr", true},
		{"storage/kv", module + "storage", false},
		{"storage/index/vector", module + "storage", false},
		{"storage", module + "functions", false},
		{"functions/scalar", module + "planner/plan", false},
		{"functions", module + "pgwire/pgenc", false},
		{"planner/exec", module + "pgwire", false},
		{"planner/exec", module + "sqltest/slt", false},
		{"planner/bind", "github.com/pganalyze/pg_query_go/v5", false},
		{"planner/parse", "github.com/pganalyze/pg_query_go/v5", true},
		{"sqltest/bench", module + "storage", true},
	}
	for _, tc := range tests {
		if why := forbidden(tc.dir, tc.path); (why == "") != tc.ok {
			t.Errorf("%s importing %s: %q, want allowed %v", tc.dir, tc.path, why, tc.ok)
		}
	}
}

// Registries are built by value; nothing depends on the order in which packages start.
func TestNoInit(t *testing.T) {
	for _, f := range house(t) {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s:%d has an init function", f.path, f.line(fn.Pos()))
			}
		}
	}
}

// What is undone is done, or is a clear error; it is no note to ourselves.
func TestNothingLeftUndone(t *testing.T) {
	note := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	for _, f := range house(t) {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				if found := note.FindString(c.Text); found != "" {
					t.Errorf("%s:%d: %s", f.path, f.line(c.Pos()), found)
				}
			}
		}
	}
}

// A file has one subject.
func TestFileLength(t *testing.T) {
	for _, f := range house(t) {
		if f.tests || ast.IsGenerated(f.ast) {
			continue
		}
		if n := bytes.Count(f.text, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines: which second subject moved in?", f.path, n)
		}
	}
}

// A test that skips itself hides that it did not run.
func TestNoSkips(t *testing.T) {
	skip := regexp.MustCompile(`^[btf]\.Skip(f|Now)?\($`)
	for _, f := range house(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && f.tests && skip.Match(f.text[f.fset.Position(call.Pos()).Offset:f.fset.Position(call.Lparen).Offset+1]) {
				t.Errorf("%s:%d skips itself", f.path, f.line(call.Pos()))
			}
			return true
		})
	}
}
