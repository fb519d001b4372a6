package opt

import (
	"math/bits"

	"github.com/omgdb/omgdb/planner/plan"
)

// orderJoins chooses the order of inner joins that stand together: by looking at all orders for a few relations, greedily for many.
// What an order costs is estimated by the rows that its steps read, keep and produce.
func orderJoins(c *Context, n plan.Node) (plan.Node, error) {
	return eachTree(n, func(n plan.Node) (plan.Node, error) { return c.order(n), nil })
}

// order orders the joins in a tree, group by group from the top.
func (c *Context) order(n plan.Node) plan.Node {
	j, ok := n.(*plan.Join)
	if !ok || !reorderable(j) {
		inputs := n.Inputs()
		changed := false
		better := make([]plan.Node, len(inputs))
		for i, in := range inputs {
			better[i] = c.order(in)
			changed = changed || better[i] != in
		}
		if !changed {
			return n
		}
		return n.WithInputs(better)
	}
	g := &joinGroup{c: c}
	g.collect(j)
	for i, leaf := range g.leaves {
		g.leaves[i] = c.order(leaf)
	}
	return g.best()
}

func reorderable(j *plan.Join) bool { return j.Kind == plan.InnerJoin && !j.Lateral && j.Method == 0 }

// joinGroup is a set of relations joined by inner joins, and their conditions.
type joinGroup struct {
	c      *Context
	leaves []plan.Node
	conds  []groupCond
	rest   []plan.Expr // conditions that stay above
	rows   map[uint64]float64

	written bool // the order stays as it was written
}

// groupCond is a condition, the leaves that it needs, and the part of the pairs that it keeps.
type groupCond struct {
	expr   plan.Expr
	leaves uint64
	sel    float64
	eq     bool
}

// maxLeaves bounds what a bit set holds; larger groups are ordered in parts.
const maxLeaves = 60

func (g *joinGroup) collect(n plan.Node) {
	if j, ok := n.(*plan.Join); ok && reorderable(j) && len(g.leaves) < maxLeaves {
		g.collect(j.Left)
		g.collect(j.Right)
		g.rest = append(g.rest, conjuncts(j.On, nil)...)
		return
	}
	g.leaves = append(g.leaves, n)
}

// classify finds the leaves that each condition needs.
func (g *joinGroup) classify() {
	owner := map[plan.ColID]int{}
	for i, leaf := range g.leaves {
		for _, c := range leaf.Cols() {
			owner[c.ID] = i
		}
	}
	var rest []plan.Expr
	for _, e := range g.rest {
		mask := uint64(0)
		for id := range plan.RefsOf(e) {
			if i, ok := owner[id]; ok {
				mask |= 1 << i
			}
		}
		if bits.OnesCount64(mask) < 2 || volatile(e) {
			rest = append(rest, e)
			continue
		}
		sel, eq := g.condSelectivity(e, mask)
		g.conds = append(g.conds, groupCond{e, mask, sel, eq})
	}
	g.rest = rest
	g.joint()
}

// joint gives several equalities between the same two leaves the selectivity that they have together.
func (g *joinGroup) joint() {
	of := map[uint64][]int{}
	for i, c := range g.conds {
		if c.eq {
			of[c.leaves] = append(of[c.leaves], i)
		}
	}
	for mask, list := range of {
		if len(list) < 2 {
			continue
		}
		var es []plan.Expr
		for _, i := range list {
			es = append(es, g.conds[i].expr)
			g.conds[i].sel = 1
		}
		a, b := g.pair(mask)
		g.conds[list[0]].sel = g.c.joinSelectivities(es, a, b)
	}
}

// pair gives the two leaves of a mask.
func (g *joinGroup) pair(mask uint64) (a, b plan.Node) {
	return g.leaves[bits.TrailingZeros64(mask)], g.leaves[63-bits.LeadingZeros64(mask)]
}

func (g *joinGroup) condSelectivity(e plan.Expr, mask uint64) (sel float64, eq bool) {
	if bits.OnesCount64(mask) == 2 {
		a, b := g.pair(mask)
		_, _, _, eq = equality(e, setOf(a.Cols()), setOf(b.Cols()))
		return g.c.joinSelectivity(e, a, b), eq
	}
	return g.c.selectivity(e, nil), false
}

// size estimates the rows of the join of a set of leaves; it doesn't depend on the order.
func (g *joinGroup) size(set uint64) float64 {
	if n, ok := g.rows[set]; ok {
		return n
	}
	n := 1.0
	for s := set; s != 0; s &= s - 1 {
		n *= g.c.rows(g.leaves[bits.TrailingZeros64(s)])
	}
	for _, c := range g.conds {
		if c.leaves&^set == 0 {
			n *= c.sel
		}
	}
	n = max(n, 1)
	g.rows[set] = n
	return n
}

// joined tells whether a condition connects two disjoint sets, and whether an equality does.
func (g *joinGroup) joined(a, b uint64) (any, eq bool) {
	for _, c := range g.conds {
		if c.leaves&^(a|b) == 0 && c.leaves&a != 0 && c.leaves&b != 0 {
			any = true
			eq = eq || c.eq
		}
	}
	return any, eq
}

// step is the cost of joining two sets: reading the left one, keeping the right one, and the result.
func (g *joinGroup) step(a, b uint64) float64 {
	l, r := g.size(a), g.size(b)
	if r > l {
		l, r = r, l
	}
	if _, eq := g.joined(a, b); !eq {
		return l*r + r
	}
	return l + 2*r + g.size(a|b)
}

// joinPlan is a way to join a set of leaves.
type joinPlan struct {
	set         uint64
	cost        float64
	left, right *joinPlan
}

const maxExhaustive = 9

func (g *joinGroup) best() plan.Node {
	g.classify()
	g.rows = map[uint64]float64{}
	var p *joinPlan
	switch {
	case onlyCatalogs(g.leaves...):
		p, g.written = g.asWritten(), true
	case len(g.leaves) <= maxExhaustive:
		p = g.exhaustive()
	default:
		p = g.greedy()
	}
	return filtered(g.build(p), g.rest)
}

// asWritten joins the leaves one after the other, each as soon as an equality connects it. Relations of the catalog are small and their
// readers seldom say an order: the rows come in that of the first relation, as they do where an index leads from it to the others.
func (g *joinGroup) asWritten() *joinPlan {
	p := &joinPlan{set: 1}
	all := uint64(1)<<len(g.leaves) - 1
	for p.set != all {
		p = &joinPlan{set: 0, left: p, right: &joinPlan{set: g.next(p.set, all)}}
		p.set = p.left.set | p.right.set
	}
	return p
}

// next is the first leaf that an equality connects to a set; without one the first that is missing.
func (g *joinGroup) next(set, all uint64) uint64 {
	for s := all &^ set; s != 0; s &= s - 1 {
		if _, eq := g.joined(set, s&-s); eq {
			return s & -s
		}
	}
	return (all &^ set) & -(all &^ set)
}

// onlyCatalogs tells whether nodes read relations of the catalog and nothing that is stored.
func onlyCatalogs(nodes ...plan.Node) bool {
	for _, n := range nodes {
		in := n.Inputs()
		if _, ok := n.(*plan.VirtualScan); !ok && (len(in) == 0 || !onlyCatalogs(in...)) {
			return false
		}
	}
	return true
}

// exhaustive finds the cheapest tree of any shape by combining the cheapest trees of all subsets.
func (g *joinGroup) exhaustive() *joinPlan {
	n := len(g.leaves)
	plans := make([]*joinPlan, 1<<n)
	for i := range n {
		plans[1<<i] = &joinPlan{set: 1 << i}
	}
	for set := uint64(1); set < 1<<n; set++ {
		if plans[set] != nil {
			continue
		}
		lowest := set & -set
		// The part with the lowest leaf, so that each pair of parts is seen once.
		for a := (set - 1) & set; a != 0; a = (a - 1) & set {
			if a&lowest == 0 {
				continue
			}
			b := set &^ a
			cost := plans[a].cost + plans[b].cost + g.step(a, b)
			if p := plans[set]; p == nil || cost < p.cost {
				plans[set] = &joinPlan{set: set, cost: cost, left: plans[a], right: plans[b]}
			}
		}
	}
	return plans[1<<n-1]
}

// greedy joins, again and again, the two parts whose join costs least.
func (g *joinGroup) greedy() *joinPlan {
	parts := make([]*joinPlan, len(g.leaves))
	for i := range parts {
		parts[i] = &joinPlan{set: 1 << i}
	}
	for len(parts) > 1 {
		var bi, bj int
		var best *joinPlan
		for i := range parts {
			for j := i + 1; j < len(parts); j++ {
				cost := g.step(parts[i].set, parts[j].set)
				if best == nil || cost < best.cost {
					best = &joinPlan{set: parts[i].set | parts[j].set, cost: cost, left: parts[i], right: parts[j]}
					bi, bj = i, j
				}
			}
		}
		parts[bi] = best
		parts = append(parts[:bj], parts[bj+1:]...)
	}
	return parts[0]
}

// build makes the nodes of a plan; each condition stands at the first join that has all it needs.
func (g *joinGroup) build(p *joinPlan) plan.Node {
	if p.left == nil {
		return g.leaves[bits.TrailingZeros64(p.set)]
	}
	left, right := p.left, p.right
	if !g.written && g.size(right.set) > g.size(left.set) {
		left, right = right, left
	}
	j := &plan.Join{Kind: plan.InnerJoin, Left: g.build(left), Right: g.build(right)}
	var on []plan.Expr
	for _, c := range g.conds {
		if c.leaves&^p.set == 0 && c.leaves&^left.set != 0 && c.leaves&^right.set != 0 {
			on = append(on, c.expr)
		}
	}
	j.On = and(on)
	return j
}
