package opt

import (
	"context"
	"fmt"

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

// onSample evaluates expressions over one scan's columns for the scan's n sampled rows. ok is false when they read anything else, depend
// on parameters, may not be evaluated before their time, or fail for a row.
func (c *Context) onSample(es []plan.Expr, in plan.Node) (vs []vec.Vec, n int, x *storage.Sample, ok bool) {
	es = c.hint(es)
	scan, cols, read := c.sampled(es, in)
	if scan == nil {
		return nil, 0, nil, false
	}
	if x = c.Sample(scan.Rel); x == nil {
		return nil, 0, nil, false
	}
	b, err := x.Columns(scan.Rel, read)
	if err != nil || b.Len == 0 {
		return nil, 0, nil, false
	}
	s := eval.Scope{Run: eval.NewRun(c.FoldEnv, nil), Cols: eval.Layout(cols), In: cols}
	nodes, err := s.CompileAll(es)
	if err != nil {
		return nil, 0, nil, false
	}
	defer func() {
		if recover() != nil { // an estimate must not end the statement; who reads the rows will meet the fault
			ok = false
		}
	}()
	for _, node := range nodes {
		v, err := node.Eval(context.Background(), b, nil)
		if err != nil {
			return nil, 0, nil, false
		}
		vs = append(vs, v)
	}
	return vs, b.Len, x, true
}

// hint gives the expressions with the hints in place of parameters.
func (c *Context) hint(es []plan.Expr) []plan.Expr {
	if c.Hints == nil {
		return es
	}
	out := make([]plan.Expr, len(es))
	for i, e := range es {
		out[i], _ = plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
			if p, ok := x.(*plan.Param); ok && p.Num <= len(c.Hints) {
				*c.Hinted = true
				return &plan.Const{Typed: p.Typed, Val: c.Hints[p.Num-1]}, nil
			}
			return x, nil
		})
	}
	return out
}

// sampled finds the one scan whose columns the expressions read, and these columns; nil when there is no such scan.
func (c *Context) sampled(es []plan.Expr, in plan.Node) (scan *plan.Scan, cols []plan.Col, read []storage.ScanCol) {
	if c.Sample == nil || c.FoldEnv == nil || in == nil {
		return nil, nil, nil
	}
	seen := plan.ColSet{}
	for _, e := range es {
		if !timeless(e) {
			return nil, nil, nil
		}
		for id := range plan.RefsOf(e) {
			s, col := sourceOf(in, id)
			if s == nil || scan != nil && s != scan {
				return nil, nil, nil
			}
			if scan = s; !seen.Has(id) {
				seen.Add(col.Col)
				cols, read = append(cols, col.Col), append(read, col.Src)
			}
		}
	}
	return scan, cols, read
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
	vs, n, _, ok := c.onSample([]plan.Expr{e}, in)
	if !ok || vs[0].Type.Kind != value.KindBool {
		return 0, false
	}
	v := vs[0]
	hits := 0.5
	for i := range int32(n) {
		if at := v.At(i); !v.IsNull(at) && v.Bools[at] {
			hits++
		}
	}
	return min(1, hits/float64(n)), true
}

// measuredDistinct estimates how many different combinations of values expressions have over the whole relation, by the estimator of Haas and Stokes
// that PostgreSQL's ANALYZE uses: n·d / (n − f₁ + f₁·n/N), with d values in a sample of n from N rows, f₁ of them seen once.
func (c *Context) measuredDistinct(es []plan.Expr, in plan.Node) (distinct float64, ok bool) {
	key, known := c.sampleKey(es, in)
	if known != nil {
		if d, ok := known.Distinct(key); ok {
			return d, true
		}
	}
	vs, n, x, ok := c.onSample(es, in)
	if !ok {
		return 0, false
	}
	types := make([]*value.Type, len(vs))
	for i, v := range vs {
		types[i] = v.Type
	}
	t := vec.NewTable(types)
	ids := make([]int32, n)
	t.Assign(vs, vec.Positions(nil, n), ids)
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
	distinct = rows * d / (rows - once + once*rows/of)
	if known == x {
		x.KeepDistinct(key, distinct)
	}
	return distinct, true
}

// sampleKey names expressions over one scan's columns by what these are in its relation, and gives the relation's sample; nil when there
// is none, or when the expressions have parameters.
func (c *Context) sampleKey(es []plan.Expr, in plan.Node) (string, *storage.Sample) {
	scan, cols, read := c.sampled(es, in)
	if scan == nil {
		return "", nil
	}
	key := []byte(fmt.Sprintf("%d", scan.Rel.Version))
	for _, e := range es {
		named, err := plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
			r, ok := x.(*plan.ColRef)
			if !ok {
				return x, nil
			}
			n := *r
			for i := range cols {
				if cols[i].ID == r.ID {
					n.Name = fmt.Sprint(read[i].Kind, read[i].Field, read[i].Path)
				}
			}
			return &n, nil
		})
		if err != nil {
			return "", nil
		}
		key = append(append(key, 0), plan.Deparse(named)...)
	}
	return string(key), c.Sample(scan.Rel)
}
