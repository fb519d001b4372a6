package opt

import (
	"math"

	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
)

// Guesses where nothing is known, near to PostgreSQL's.
const (
	unknownRows     = 1000.0
	unknownDistinct = 200.0
	eqSelectivity   = 0.005
	rangeSel        = 1.0 / 3
	containsSel     = 0.02
	likeSel         = 0.05
	boolSel         = 0.5
)

// rows estimates the number of rows of a node, once for each.
func (c *Context) rows(n plan.Node) float64 {
	if r, ok := c.counted[n]; ok {
		return r
	}
	r := c.count(n)
	if c.counted == nil {
		c.counted = map[plan.Node]float64{}
	}
	c.counted[n] = r
	return r
}

func (c *Context) count(n plan.Node) float64 {
	switch x := n.(type) {
	case *plan.Scan:
		return c.scanRows(x)
	case *plan.Nearest:
		return min(c.rows(x.Input), unknownDistinct)
	case *plan.VirtualScan:
		return unknownDistinct
	case *plan.FuncScan:
		return callRows(x.Calls)
	case *plan.Values:
		return float64(len(x.Rows))
	case *plan.Columns:
		return float64(x.Len())
	case *plan.Empty:
		return 1
	case *plan.Filter:
		return c.rows(x.Input) * c.selectivity(x.Pred, x.Input)
	case *plan.ProjectSet:
		return c.rows(x.Input) * callRows(x.Calls)
	case *plan.Join:
		return c.joinRows(x)
	case *plan.Aggregate:
		return c.groups(x.Input, x.Groups) * float64(max(1, len(x.Sets)))
	case *plan.Distinct:
		return max(1, c.rows(x.Input)/2)
	case *plan.SetOp:
		l, r := c.rows(x.Left), c.rows(x.Right)
		if x.Op == 'u' {
			return l + r
		}
		return l
	case *plan.Limit:
		in := c.rows(x.Input)
		if k, ok := x.Count.(*plan.Const); ok && !k.Val.IsNull() {
			return min(in, float64(k.Val.Int()))
		}
		return in
	case *plan.CTERef:
		return unknownRows
	}
	if in := n.Inputs(); len(in) > 0 {
		return c.rows(in[len(in)-1])
	}
	return unknownRows
}

func callRows(calls []plan.SetCall) float64 {
	most := 1.0
	for _, s := range calls {
		n := s.Fn.Rows
		if n == 0 {
			n = unknownRows
		}
		if s.Fn.Single {
			n = 1
		}
		most = max(most, n)
	}
	return most
}

func (c *Context) scanRows(s *plan.Scan) float64 {
	n := c.baseRows(s.Rel)
	if len(s.Access.Point) > 0 {
		return min(n, float64(len(s.Access.Point)))
	}
	if len(s.Access.Ranges) > 0 {
		n *= rangeSel
	}
	if len(s.FilterExprs) > 0 {
		n *= c.selectivity(and(s.FilterExprs), s)
	}
	return max(n, 1)
}

func (c *Context) baseRows(rel *catalog.Relation) float64 {
	if c.Rows == nil {
		return unknownRows
	}
	return max(1, float64(c.Rows(rel)))
}

func (c *Context) joinRows(j *plan.Join) float64 {
	l, r := c.rows(j.Left), c.rows(j.Right)
	sel := c.joinSelectivities(conjuncts(j.On, nil), j.Left, j.Right)
	inner := max(1, l*r*sel)
	switch j.Kind {
	case plan.SemiJoin:
		return max(1, l*c.partnered(j))
	case plan.AntiJoin, plan.AntiNullJoin:
		return max(1, l*(1-0.9*c.partnered(j)))
	case plan.LeftJoin:
		return max(l, inner)
	case plan.RightJoin:
		return max(r, inner)
	case plan.FullJoin:
		return max(l, r, inner)
	}
	return inner
}

// partnered is the part of the left rows of a semi or anti join that have a partner: of the values that an equality compares, those which
// the right side has.
func (c *Context) partnered(j *plan.Join) float64 {
	part := boolSel
	for _, e := range conjuncts(j.On, nil) {
		if l, r, _, ok := equality(e, setOf(j.Left.Cols()), setOf(j.Right.Cols())); ok {
			part = min(1, c.distinct(j.Right, r)/c.distinct(j.Left, l))
			break
		}
	}
	return part
}

// joinSelectivities is the part of the pairs of rows that several conditions keep together. Equalities over several columns are mostly
// those of a key: what counts is how many combinations there are.
func (c *Context) joinSelectivities(conds []plan.Expr, left, right plan.Node) float64 {
	sel := 1.0
	var ls, rs []plan.Expr
	for _, e := range conds {
		if l, r, _, ok := equality(e, setOf(left.Cols()), setOf(right.Cols())); ok {
			ls, rs = append(ls, l), append(rs, r)
		}
		sel *= c.joinSelectivity(e, left, right)
	}
	if len(ls) < 2 {
		return sel
	}
	most := 0.0
	for _, side := range []struct {
		n  plan.Node
		es []plan.Expr
	}{{left, ls}, {right, rs}} {
		if d, ok := c.measuredDistinct(side.es, side.n); ok {
			most = max(most, min(d, c.rows(side.n)))
		}
	}
	if most == 0 {
		return sel
	}
	joint := 1 / max(most, 1)
	for _, e := range conds {
		if _, _, _, ok := equality(e, setOf(left.Cols()), setOf(right.Cols())); !ok {
			joint *= c.joinSelectivity(e, left, right)
		}
	}
	return joint
}

// joinSelectivity is the part of the pairs of rows that a condition keeps.
func (c *Context) joinSelectivity(e plan.Expr, left, right plan.Node) float64 {
	l, r, _, ok := equality(e, setOf(left.Cols()), setOf(right.Cols()))
	if !ok {
		return c.selectivity(e, nil)
	}
	return 1 / max(c.distinct(left, l), c.distinct(right, r), 1)
}

// distinct estimates the number of different values of an expression over a node's rows.
func (c *Context) distinct(n plan.Node, e plan.Expr) float64 {
	rows := c.rows(n)
	if d, ok := c.measuredDistinct([]plan.Expr{e}, n); ok {
		return max(1, min(rows, d))
	}
	if r, ok := e.(*plan.ColRef); ok {
		if s, col := sourceOf(n, r.ID); s != nil {
			if uniqueColumn(s, col) {
				return min(c.baseRows(s.Rel), max(rows, c.baseRows(s.Rel)*0.1))
			}
			return max(1, min(rows, max(unknownDistinct, c.baseRows(s.Rel)/10)))
		}
	}
	return max(1, min(rows, unknownDistinct))
}

// groups estimates how many groups expressions make of a node's rows.
func (c *Context) groups(n plan.Node, by []plan.Expr) float64 {
	total := 1.0
	for _, e := range by {
		total *= c.distinct(n, e)
	}
	return max(1, min(total, c.rows(n)/2))
}

// sourceOf finds the scan that produces a column below n.
func sourceOf(n plan.Node, id plan.ColID) (*plan.Scan, *plan.ScanCol) {
	var found *plan.Scan
	var col *plan.ScanCol
	plan.WalkNodes(n, func(n plan.Node) bool {
		if s, ok := n.(*plan.Scan); ok {
			for i := range s.Out {
				if s.Out[i].ID == id {
					found, col = s, &s.Out[i]
				}
			}
		}
		return found == nil
	})
	return found, col
}

// uniqueColumn tells whether a scan's column alone is a key.
func uniqueColumn(s *plan.Scan, col *plan.ScanCol) bool {
	switch col.Src.Kind {
	case storage.ColID:
		return s.Rel.Kind == catalog.Collection
	case storage.ColField:
		return len(s.Rel.PrimaryKey) == 1 && s.Rel.PrimaryKey[0] == col.Attr
	}
	return false
}

// selectivity is the part of the rows that a condition keeps.
func (c *Context) selectivity(e plan.Expr, in plan.Node) float64 {
	if part, ok := c.measured(e, in); ok {
		return part
	}
	switch x := e.(type) {
	case *plan.Const:
		if b, ok := constBool(x); ok && b != isTrue {
			return 0
		}
		return 1
	case *plan.BoolOp:
		keep, drop := 1.0, 1.0
		for _, a := range x.Args {
			s := c.selectivity(a, in)
			keep *= s
			drop *= 1 - s
		}
		if x.Or {
			return 1 - drop
		}
		return keep
	case *plan.Not:
		return 1 - c.selectivity(x.Arg, in)
	case *plan.IsNull:
		if x.Not {
			return 1 - eqSelectivity
		}
		return eqSelectivity
	case *plan.InList:
		s := math.Min(0.5, eqSelectivity*float64(len(x.List)))
		if x.Not {
			return 1 - s
		}
		return s
	case *plan.ArrayOp:
		return math.Min(0.5, eqSelectivity*10)
	case *plan.Call:
		if len(plan.RefsOf(x)) == 0 && !volatile(x) {
			return 1 // no column: it keeps all rows or none (current_database() = 'x')
		}
		return c.callSelectivity(x, in)
	}
	return boolSel
}

func (c *Context) callSelectivity(x *plan.Call, in plan.Node) float64 {
	switch x.Name {
	case "=":
		if in != nil && len(x.Args) == 2 {
			for _, a := range x.Args {
				if r, ok := a.(*plan.ColRef); ok {
					if s, col := sourceOf(in, r.ID); s != nil && uniqueColumn(s, col) {
						return 1 / c.baseRows(s.Rel)
					}
				}
			}
		}
		return eqSelectivity
	case "<>":
		return 1 - eqSelectivity
	case "<", "<=", ">", ">=":
		return rangeSel
	case "@>", "<@", "?", "?|", "?&":
		return containsSel
	case "~~", "~~*", "~", "~*":
		return likeSel
	}
	return boolSel
}
