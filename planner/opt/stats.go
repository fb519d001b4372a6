package opt

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// Sampler gives a sample of a relation's rows; nil knows none.
type Sampler func(rel *catalog.Relation) *storage.Sample

// onSample evaluates an expression over one scan's columns for the scan's sampled rows. ok is false when it reads anything else, depends
// on parameters, may not be evaluated before its time, or fails for a row.
func (c *Context) onSample(e plan.Expr, in plan.Node) (v vec.Vec, n int, x *storage.Sample, ok bool) {
	if c.Sample == nil || c.FoldEnv == nil || in == nil || !timeless(e) {
		return v, 0, nil, false
	}
	var scan *plan.Scan
	var cols []plan.Col
	var read []storage.ScanCol
	for id := range plan.RefsOf(e) {
		s, col := sourceOf(in, id)
		if s == nil || scan != nil && s != scan {
			return v, 0, nil, false
		}
		scan = s
		cols, read = append(cols, col.Col), append(read, col.Src)
	}
	if scan == nil {
		return v, 0, nil, false
	}
	if x = c.Sample(scan.Rel); x == nil {
		return v, 0, nil, false
	}
	b, err := x.Columns(scan.Rel, read)
	if err != nil || b.Len == 0 {
		return v, 0, nil, false
	}
	s := eval.Scope{Run: eval.NewRun(c.FoldEnv, nil), Cols: eval.Layout(cols), In: cols}
	node, err := s.Compile(e)
	if err != nil {
		return v, 0, nil, false
	}
	defer func() {
		if recover() != nil { // an estimate must not end the statement; who reads the rows will meet the fault
			ok = false
		}
	}()
	if v, err = node.Eval(context.Background(), b, nil); err != nil {
		return v, 0, nil, false
	}
	return v, b.Len, x, true
}

// timeless tells whether an expression depends on nothing but the row.
func timeless(e plan.Expr) bool {
	ok := true
	plan.Walk(e, func(x plan.Expr) bool {
		switch x := x.(type) {
		case *plan.Subquery, *plan.Param:
			ok = false
		case *plan.Call:
			ok = ok && x.Fn != nil && x.Fn.Volatility == functions.Immutable
		}
		return ok
	})
	return ok
}

// measured is the part of the rows for which a condition is true, by the sample; never quite none.
func (c *Context) measured(e plan.Expr, in plan.Node) (part float64, ok bool) {
	v, n, _, ok := c.onSample(e, in)
	if !ok || v.Type.Kind != value.KindBool {
		return 0, false
	}
	hits := 0.5
	for i := range int32(n) {
		if at := v.At(i); !v.IsNull(at) && v.Bools[at] {
			hits++
		}
	}
	return min(1, hits/float64(n)), true
}

// measuredDistinct estimates how many different values an expression has over the whole relation, by the estimator of Haas and Stokes
// that PostgreSQL's ANALYZE uses: n·d / (n − f₁ + f₁·n/N), with d values in a sample of n from N rows, f₁ of them seen once.
func (c *Context) measuredDistinct(e plan.Expr, in plan.Node) (distinct float64, ok bool) {
	v, n, x, ok := c.onSample(e, in)
	if !ok {
		return 0, false
	}
	t := vec.NewTable([]*value.Type{v.Type})
	ids := make([]int32, n)
	t.Assign([]vec.Vec{v}, vec.Positions(nil, n), ids)
	seen := make([]int, t.Len())
	for _, id := range ids {
		seen[id]++
	}
	once := 0.0
	for _, k := range seen {
		if k == 1 {
			once++
		}
	}
	d, rows, of := float64(t.Len()), float64(n), max(float64(x.Rows), float64(n))
	return rows * d / (rows - once + once*rows/of), true
}
