package opt

import (
	"slices"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// leastNearest is the size of a relation from which a vector index is used: below it, reading all vectors is as fast, and exact.
const leastNearest = 2000

// distances are the functions by which the rows of a metric are sorted.
var distances = map[string]vector.Metric{
	"l2_distance": vector.ByL2, "cosine_distance": vector.ByCosine,
	"vector_negative_inner_product": vector.ByIP, "halfvec_negative_inner_product": vector.ByIP,
}

// searchVectors reads the first rows of an ORDER BY distance … LIMIT through a vector index. The sort stays.
func searchVectors(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		s, ok := n.(*plan.Sort)
		if !ok || s.Presorted > 0 || len(s.Keys) == 0 {
			return n, nil
		}
		k := s.Keys[0]
		if k.Desc || k.NullsFirst || k.Less != nil {
			return n, nil
		}
		better := *s
		if c.IndexOnly {
			if in := c.indexedOnly(s.Input, k.Expr); in != nil {
				better.Input = in
			}
		}
		if s.TopN != nil {
			if in := c.nearestInput(better.Input, k.Expr, s.TopN, nil); in != nil {
				better.Input = in
			}
		}
		if better.Input == s.Input {
			return n, nil
		}
		return &better, nil
	})
}

// nearestInput gives n with its scan reading the nearest rows through a vector index, nil when none serves.
func (c *Context) nearestInput(n plan.Node, distance, top, pred plan.Expr) plan.Node {
	switch x := n.(type) {
	case *plan.Project:
		if pred != nil {
			return nil
		}
		by := map[plan.ColID]plan.Expr{}
		for i, col := range x.Out {
			by[col.ID] = x.Items[i]
		}
		in := c.nearestInput(x.Input, substitute(distance, by), top, nil)
		if in == nil {
			return nil
		}
		return x.WithInputs([]plan.Node{in})
	case *plan.Filter:
		if pred != nil || volatile(x.Pred) {
			return nil
		}
		return c.nearestInput(x.Input, distance, top, x.Pred)
	case *plan.Scan:
		if near := c.nearestScan(x, distance, top, pred); near != nil {
			return near
		}
	}
	return nil
}

func (c *Context) nearestScan(s *plan.Scan, distance, top, pred plan.Expr) *plan.Nearest {
	call, ok := distance.(*plan.Call)
	if !ok || call.Fn == nil || len(call.Args) != 2 || c.Catalog == nil || s.Lock != nil || s.AsOf != 0 || s.Limit != nil || s.Access.Unique ||
		s.Access.Point != nil || s.Access.AnyOf != nil || s.Access.Either != nil || c.baseRows(s.Rel) < leastNearest {
		return nil
	}
	metric := distances[call.Fn.Name]
	if metric == 0 {
		return nil
	}
	conds := append([]plan.Expr(nil), s.FilterExprs...)
	if pred != nil {
		conds = conjuncts(pred, conds)
	}
	own := setOf(s.Cols())
	for _, ix := range c.indexesOf(s, storage.MethodVector) {
		if vector.MetricOf(ix.x) != metric || ix.keys[0] == nil || ix.where != nil && !implied(ix.where, conds) || ix.x.Options["embedder"] != "" {
			continue
		}
		for i, key := range call.Args {
			query := call.Args[1-i]
			if plan.Equal(key, ix.keys[0]) && !volatile(query) && independent(query, own) {
				return &plan.Nearest{Input: s, Index: ix.x, Sketch: sketchOf(s, key, metric), Distance: distance, Query: query, Count: top, Pred: pred}
			}
		}
	}
	return c.sketchedScan(s, call, metric, conds, own, &plan.Nearest{Input: s, Distance: distance, Count: top, Pred: pred})
}

// sketchedScan completes n, a search without an index for vectors in a column of a table: what is kept in memory of them tells which are
// worth reading. It is nil when there is no such column, or rows are found in another way.
func (c *Context) sketchedScan(s *plan.Scan, call *plan.Call, metric vector.Metric, conds []plan.Expr, own plan.ColSet, n *plan.Nearest) *plan.Nearest {
	if s.Access.Index != nil || slices.ContainsFunc(conds, volatile) {
		return nil
	}
	for i, key := range call.Args {
		if n.Query = call.Args[1-i]; volatile(n.Query) || !independent(n.Query, own) {
			continue
		}
		if n.Sketch = sketchOf(s, key, metric); n.Sketch != nil {
			return n
		}
	}
	return nil
}

// sketchOf gives the column of vectors that an expression is, if it is one of a table; nil otherwise.
func sketchOf(s *plan.Scan, e plan.Expr, metric vector.Metric) *plan.SketchOf {
	ref, ok := e.(*plan.ColRef)
	if !ok || s.Rel.Kind == catalog.Collection || s.Rel.Temp {
		return nil
	}
	for _, col := range s.Out {
		if col.ID != ref.ID || col.Src.Kind != storage.ColField || col.Src.Mod <= 0 {
			continue
		}
		if t := typeio.Base(col.Src.Type); t.OID == value.Vector.OID || t.OID == value.HalfVec.OID {
			return &plan.SketchOf{Field: col.Src.Field, Type: t, Dims: int(col.Src.Mod), Metric: metric}
		}
	}
	return nil
}

// independent tells whether e refers to none of the columns.
func independent(e plan.Expr, own plan.ColSet) bool {
	for id := range plan.RefsOf(e) {
		if own.Has(id) {
			return false
		}
	}
	return true
}
