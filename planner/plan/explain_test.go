package plan_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/typeio"
)

var rewrite = flag.Bool("rewrite", false, "write the explanations anew")

// TestExplain prints the plans of the statements in testdata/explain.txt as the binder makes them. A statement is followed by "----"
// and its explanation; CREATE TABLE makes a table for those after it.
func TestExplain(t *testing.T) {
	file := filepath.Join("testdata", "explain.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reg, err := builtin.New(functions.Entries{})
	if err != nil {
		t.Fatal(err)
	}
	all := []catalog.Descriptor{&catalog.Database{ID: catalog.MainDatabase, Name: "omgdb"}, &catalog.Schema{ID: catalog.PublicSchema, Database: catalog.MainDatabase, Name: "public"}}
	next := uint64(0)
	version := func() uint64 { next++; return next }
	var out []string
	for _, part := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		sql, want, _ := strings.Cut(part+"\n", "\n----\n")
		sql, want = strings.TrimSpace(sql), strings.TrimRight(want, "\n")
		stmts, err := parse.Parse(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		bc := &bind.Context{Catalog: catalog.NewView(catalog.NewCommitted(all, version, 1), catalog.MainDatabase, nil), Registry: reg,
			SearchPath: []string{"public"}, Format: typeio.Default, User: "postgres", Database: "omgdb"}
		st, err := bind.Bind(context.Background(), bc, stmts[0])
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		switch x := st.(type) {
		case *plan.CreateTable:
			rel := x.Rel
			rel.ID, rel.Schema = catalog.FirstUserID+catalog.ID(len(all)), catalog.PublicSchema
			all = append(all, &rel)
			out = append(out, sql)
			continue
		case *plan.Explain:
			e := plan.Explanation{Query: x.Stmt.(*plan.Query), Options: x.Options}
			got := strings.Join(e.Lines(), "\n")
			if !*rewrite && got != want {
				t.Errorf("%s\n--- got\n%s\n--- want\n%s", sql, got, want)
			}
			out = append(out, sql+"\n----\n"+got)
		default:
			t.Fatalf("%s: not an EXPLAIN", sql)
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
