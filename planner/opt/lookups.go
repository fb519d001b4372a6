package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
)

// joinByLookup turns a hash join whose left side is expected to be small into look-ups of the right side's key or index for each left
// row. What the look-up finds is joined by LATERAL: the right scan refers to the left columns.
func joinByLookup(c *Context, n plan.Node) (plan.Node, error) {
	return everyNode(n, func(n plan.Node) (plan.Node, error) {
		j, ok := n.(*plan.Join)
		if !ok || j.Method != 'h' || j.Lateral {
			return n, nil
		}
		if x := c.lookup(j); x != nil {
			return x, nil
		}
		if mirror := *j; j.Kind == plan.InnerJoin {
			swapSides(&mirror)
			if x := c.lookup(&mirror); x != nil {
				return x, nil
			}
		}
		return n, nil
	})
}

// lookupCost is how many rows a scan reads while one key is looked up, fetchCost while one row of several with that key is fetched.
const (
	lookupCost = 25
	fetchCost  = 12
)

// lookup gives the join by look-ups of its right side, nil when that isn't possible or not cheaper.
func (c *Context) lookup(j *plan.Join) plan.Node {
	switch j.Kind {
	case plan.InnerJoin, plan.LeftJoin, plan.SemiJoin, plan.AntiJoin:
	default:
		return nil
	}
	s := lookupScan(j.Right)
	if s == nil || c.Rows == nil || c.rows(j.Left)*lookupCost > c.baseRows(s.Rel) {
		return nil
	}
	keys := make([]plan.Expr, len(j.HashKeys))
	for i, k := range j.HashKeys {
		keys[i] = k[1]
	}
	if d, ok := c.measuredDistinct(keys, s); ok {
		each := c.baseRows(s.Rel) / max(d, 1)
		if c.rows(j.Left)*(lookupCost+fetchCost*max(0, each-1)) > c.baseRows(s.Rel) {
			return nil
		}
	}
	var conds []plan.Expr
	for i, k := range j.HashKeys {
		conds = append(conds, &plan.Call{Typed: boolTyped, Fn: j.HashEq[i], Args: []plan.Expr{k[1], k[0]}, Style: plan.OpStyle, Name: "=", Pos: -1})
	}
	found := c.keyed(s, conds)
	if found == nil {
		return nil
	}
	better := *j
	better.Method, better.Lateral, better.HashKeys, better.HashEq, better.Residual = 'n', true, nil, nil, nil
	better.Right = replaceScan(j.Right, s, found)
	return &better
}

var boolTyped = boolConst(true).Typed

// lookupScan finds a plain scan below filters and projections.
func lookupScan(n plan.Node) *plan.Scan {
	switch x := n.(type) {
	case *plan.Filter:
		return lookupScan(x.Input)
	case *plan.Project:
		return lookupScan(x.Input)
	case *plan.Scan:
		if x.Lock == nil && x.Limit == nil && x.Access.Whole() {
			return x
		}
	}
	return nil
}

func replaceScan(n plan.Node, s, by *plan.Scan) plan.Node {
	if n == plan.Node(s) {
		return by
	}
	return n.WithInputs([]plan.Node{replaceScan(n.Inputs()[0], s, by)})
}

// keyed gives the scan with its rows looked up by equalities with outer values: the whole key, or the leading keys of an index.
func (c *Context) keyed(s *plan.Scan, conds []plan.Expr) *plan.Scan {
	trial := *s
	trial.FilterExprs = append(append([]plan.Expr(nil), s.FilterExprs...), conds...)
	var got plan.Node
	if s.Rel.Kind == catalog.Collection {
		got = lookUpID(&trial)
	} else {
		got = lookUpPrimary(&trial)
	}
	if k := got.(*plan.Scan); k.Access.Point != nil && usesAll(k, conds) {
		k.FilterExprs = s.FilterExprs
		return k
	}
	for _, ix := range c.indexes(s) {
		m := matchIndex(s, ix, trial.FilterExprs)
		if m != nil && m.eq > 0 && matchIndex(s, ix, s.FilterExprs) == nil {
			better := *s
			better.Access = plan.Access{Index: ix.x, Ranges: m.ranges, Unique: m.unique}
			return &better
		}
	}
	return nil
}

// usesAll tells whether none of the scan's own conditions was used up by its key, so that they can stay as they were.
func usesAll(k *plan.Scan, conds []plan.Expr) bool {
	left := 0
	for _, e := range k.FilterExprs {
		for _, c := range conds {
			if e == c {
				left++
			}
		}
	}
	return left < len(conds)
}
