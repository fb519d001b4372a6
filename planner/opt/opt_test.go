package opt_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/opt"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/typeio"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the test files with the plans that came out")

var bg = context.Background()

var registry = sync.OnceValue(func() *functions.Registry {
	r, err := builtin.New(functions.Entries{})
	if err != nil {
		panic(err)
	}
	return r
})

// TestPlans shows the plan of each statement as bound and after every rule that changed it. A file has blocks separated by blank lines:
// "table NAME ROWS" makes a table as the statement on the next line says and pretends that it has so many rows, "collection NAME ROWS"
// makes a collection; anything else is a statement, then ---- and its plans.
func TestPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			blocks := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n\n")
			for i, b := range blocks {
				blocks[i] = w.block(b)
			}
			if *rewrite {
				if err := os.WriteFile(f, []byte(strings.Join(blocks, "\n\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// world is a store in memory whose relations pretend to have rows.
type world struct {
	t    *testing.T
	db   *storage.DB
	rows map[string]int64
}

func newWorld(t *testing.T) *world {
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &world{t: t, db: db, rows: map[string]int64{}}
}

func (w *world) block(b string) string {
	head, body, _ := strings.Cut(b, "\n")
	words := strings.Fields(head)
	switch words[0] {
	case "table", "collection":
		n := int64(0)
		for _, d := range words[2] {
			n = n*10 + int64(d-'0')
		}
		w.rows[words[1]] = n
		if words[0] == "table" {
			w.create(body)
		} else if err := w.db.EnsureCollection(bg, storage.Actor{Role: "postgres"}, catalog.MainDatabase, "public", words[1]); err != nil {
			w.t.Fatal(err)
		}
		return b
	}
	sql, want, _ := strings.Cut(b, "\n----")
	got := w.plans(sql)
	want = strings.TrimPrefix(want, "\n")
	if got != want && !*rewrite {
		w.t.Errorf("%s\ngot:\n%s\nwant:\n%s", sql, got, want)
	}
	return sql + "\n----\n" + got
}

func (w *world) bind(txn *storage.Txn, sql string) plan.Statement {
	stmts, err := parse.Parse(sql)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	st, err := bind.Bind(bg, &bind.Context{Catalog: txn.Catalog(), Registry: registry(), SearchPath: []string{"public"}, Format: typeio.Default, User: "postgres"}, stmts[0])
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return st
}

func (w *world) begin() *storage.Txn {
	txn, err := w.db.Begin(bg, storage.TxnOptions{Actor: storage.Actor{Role: "postgres"}})
	if err != nil {
		w.t.Fatal(err)
	}
	return txn
}

func (w *world) create(sql string) {
	txn := w.begin()
	defer txn.Rollback()
	ct := w.bind(txn, sql).(*plan.CreateTable)
	r := ct.Rel
	r.Schema, r.Name = catalog.PublicSchema, ct.Name.Name
	if _, err := txn.CreateRelation(bg, r); err != nil {
		w.t.Fatal(err)
	}
	if err := txn.Commit(bg); err != nil {
		w.t.Fatal(err)
	}
}

// plans gives the plan as bound, and after each rule that made it look different.
func (w *world) plans(sql string) string {
	txn := w.begin()
	defer txn.Rollback()
	q := w.bind(txn, sql).(*plan.Query)
	last := explain(q, q.Root)
	out := []string{"bound:", last}
	c := &opt.Context{Registry: registry(), Catalog: txn.Catalog(), FoldEnv: &functions.Env{Format: typeio.Default},
		Rows: func(r *catalog.Relation) int64 { return w.rows[r.Name] }}
	c.Trace = func(rule string, n plan.Node) {
		if now := explain(q, n); now != last {
			out = append(out, rule+":", now)
			last = now
		}
	}
	if _, err := opt.Optimize(c, q); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(out, "\n")
}

func explain(q *plan.Query, n plan.Node) string {
	shown := *q
	shown.Root = n
	lines := (&plan.Explanation{Query: &shown, Options: plan.ExplainOptions{Format: "text", Verbose: true}}).Lines()
	lines = slices.DeleteFunc(lines, func(s string) bool { return strings.TrimSpace(s) == "" })
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return strings.Join(lines, "\n")
}
