package bind

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
)

// FuzzBind: whatever the text is, binding ends with a plan or with an error of the user's; a plan can be walked, rebuilt and printed.
func FuzzBind(f *testing.F) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil {
		f.Fatal(err)
	}
	var setup []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, b := range readBlocks(string(text)) {
			if b.setup && filepath.Base(file) == "dml.sql" {
				setup = append(setup, b.sql)
			} else if !b.setup {
				f.Add(b.sql)
			}
		}
	}
	w := newWorld(f, facts(f))
	for _, sql := range setup {
		if _, err := w.run(sql); err != nil {
			f.Fatal(err)
		}
	}
	bc := w.context()
	f.Fuzz(func(t *testing.T, sql string) {
		stmts, err := parse.Parse(sql)
		if err != nil {
			return
		}
		for _, st := range stmts {
			p, err := Bind(context.Background(), bc, st)
			if err != nil {
				if e := dberr.As(err); e.Code == dberr.InternalError || e.Position > len(sql)+1 {
					t.Fatalf("%q: %s %v at %d", sql, e.Code, err, e.Position)
				}
				continue
			}
			if q, ok := p.(*plan.Query); ok {
				checkPlan(t, sql, q)
			}
		}
	})
}

// checkPlan checks what every plan keeps: all columns that it reads are made in it, it holds none of the binder's private expressions,
// and it survives being rebuilt and printed.
func checkPlan(t *testing.T, sql string, q *plan.Query) {
	if free := plan.Free(q.Root); len(free) > 0 {
		t.Fatalf("%q: the plan reads columns that nothing makes: %v", sql, free)
	}
	cols := plan.ColSet{}
	cols.Add(q.Root.Cols()...)
	for _, c := range q.Out {
		if !cols.Has(c.ID) {
			t.Fatalf("%q: output column %s is not made by the plan", sql, c.Name)
		}
	}
	plan.WalkExprs(q.Root, func(e plan.Expr) bool {
		switch e.(type) {
		case *aggExpr, *winExpr, *setExpr, *groupingExpr:
			t.Fatalf("%q: a %T is left in the plan", sql, e)
		}
		if e.Type() == nil {
			t.Fatalf("%q: a %T has no type", sql, e)
		}
		return true
	})
	if _, err := plan.TransformExprs(q.Root, func(e plan.Expr) (plan.Expr, error) { return e.With(e.Children()), nil }); err != nil {
		t.Fatalf("%q: %v", sql, err)
	}
	(&plan.Explanation{Query: q, Options: plan.ExplainOptions{Verbose: true, Format: "json"}}).Lines()
}
