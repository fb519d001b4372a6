// Package opt makes plans fast. It is an ordered list of rules, each a function from tree to tree that keeps the query's meaning:
// the rows, their order where one was asked for, and which errors a guard protects from. A rule builds new nodes around the
// unchanged ones; the binder's tree stays as it was.
//
// Optimize applies every rule to the statement's tree and, before that, to the trees of the subqueries inside its expressions. The
// order matters: first expressions get smaller (fold), then blocks melt into each other (inline, rename, decorrelate), predicates
// sink (push), joins get an order and a method, and last the leaves learn what to read (paths, filters, access, limits, prune).
package opt

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// Context is what rules may look at.
type Context struct {
	Registry *functions.Registry
	Catalog  *catalog.View
	// FoldEnv is the world for immutable functions of constants; nil folds nothing.
	FoldEnv *functions.Env
	// Rows estimates the number of rows of a stored relation; nil knows nothing.
	Rows func(rel *catalog.Relation) int64
	// Sample gives samples of stored relations; nil leaves the planner to guesses.
	Sample Sampler
	// IndexExprs binds the expressions of indexes; nil leaves out indexes that have some.
	IndexExprs IndexExprs
	// IndexOnly tells that indexes are to be read where there are any (enable_seqscan off).
	IndexOnly bool
	// Hints are values of the parameters, for estimates alone: the plan is to serve others as well. When an estimate has used one, *Hinted
	// becomes true.
	Hints  []value.Value
	Hinted *bool
	// Trace, when not nil, is called with the tree after each rule that changed it.
	Trace func(rule string, n plan.Node)

	nextID  plan.ColID
	counted map[plan.Node]float64 // estimates of nodes, which never change
	out     []plan.Col            // of the query, remapped by renames
}

// Rule is a named rewriting of a whole tree.
type Rule struct {
	Name  string
	Apply func(c *Context, n plan.Node) (plan.Node, error)
}

// Rules lists the rules in the order of their application.
func Rules() []Rule {
	return []Rule{
		{"fold constants", foldConstants},
		{"inline CTEs", inlineCTEs},
		{"fail early", failEarly},
		{"drop renaming", dropRenaming},
		{"decorrelate", decorrelate},
		{"drop renaming", dropRenaming},
		{"push predicates", pushPredicates},
		{"order joins", orderJoins},
		{"choose join methods", chooseJoins},
		{"push filters into scans", pushFilters},
		{"look up keys", lookUpKeys},
		{"use indexes", useIndexes},
		{"join by look-up", joinByLookup},
		{"drop sorts", dropSorts},
		{"keep the first rows", keepFirstRows},
		{"read in order", readInOrder},
		{"read extremes", readExtremes},
		{"search vectors", searchVectors},
		{"keep the first of partitions", keepFirstOfPartition},
		{"cast stored numbers", castNumbers},
		{"project paths", projectPaths},
		{"drop renaming", dropRenaming},
		{"prune columns", pruneColumns},
		{"split scans", splitScans},
	}
}

// Optimize gives a better plan for q. It leaves q itself alone.
func Optimize(ctx *Context, q *plan.Query) (*plan.Query, error) {
	c := *ctx
	c.counted = nil
	c.nextID = maxID(q)
	c.out = append([]plan.Col(nil), q.Out...)
	n := q.Root
	for _, r := range Rules() {
		changed, err := r.Apply(&c, n)
		if err != nil {
			return nil, err
		}
		if changed != n && c.Trace != nil {
			c.Trace(r.Name, changed)
		}
		n = changed
	}
	better := *q
	better.Root, better.Out = n, c.out
	return &better, nil
}

// maxID finds the greatest column id in a query.
func maxID(q *plan.Query) plan.ColID {
	top := plan.ColID(0)
	see := func(cols []plan.Col) {
		for _, c := range cols {
			top = max(top, c.ID)
		}
	}
	var tree func(n plan.Node)
	expr := func(e plan.Expr) bool {
		switch x := e.(type) {
		case *plan.ColRef:
			top = max(top, x.ID)
		case *plan.Case:
			top = max(top, x.ArgCol)
		case *plan.Cast:
			top = max(top, x.ElemCol)
		case *plan.Subquery:
			tree(x.Query)
		}
		return true
	}
	tree = func(n plan.Node) {
		plan.WalkNodes(n, func(n plan.Node) bool {
			see(n.Cols())
			for _, e := range n.Exprs() {
				plan.Walk(e, expr)
			}
			return true
		})
	}
	tree(q.Root)
	see(q.Out)
	return top
}

// newCol makes a column with a fresh id.
func (c *Context) newCol(col plan.Col) plan.Col {
	c.nextID++
	col.ID = c.nextID
	return col
}

// eachTree applies f to the trees of all subqueries in expressions below n, inner ones first, and then to n itself.
func eachTree(n plan.Node, f func(n plan.Node) (plan.Node, error)) (plan.Node, error) {
	n, err := inSubqueries(n, func(q plan.Node) (plan.Node, error) { return eachTree(q, f) })
	if err != nil {
		return nil, err
	}
	return f(n)
}

// inSubqueries applies f to the trees of the subqueries that stand in the expressions of the tree n.
func inSubqueries(n plan.Node, f func(n plan.Node) (plan.Node, error)) (plan.Node, error) {
	return plan.TransformNodes(n, func(n plan.Node) (plan.Node, error) {
		return plan.MapExprs(n, func(e plan.Expr) (plan.Expr, error) {
			return plan.Transform(e, func(x plan.Expr) (plan.Expr, error) {
				s, ok := x.(*plan.Subquery)
				if !ok {
					return x, nil
				}
				q, err := f(s.Query)
				if err != nil || q == s.Query {
					return x, err
				}
				better := *s
				better.Query = q
				return &better, nil
			})
		})
	})
}

// colRef refers to a column.
func colRef(c plan.Col) *plan.ColRef {
	return &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name, Coll: c.Coll, Pos: -1}
}

// setOf is the set of columns.
func setOf(cols []plan.Col) plan.ColSet {
	s := plan.ColSet{}
	s.Add(cols...)
	return s
}

// refsWithin tells whether everything of which e refers to in all lies in part. References that are in neither are outer ones and
// don't count.
func refsWithin(refs, all, part plan.ColSet) bool {
	for id := range refs {
		if all.Has(id) && !part.Has(id) {
			return false
		}
	}
	return true
}

// refsAny tells whether one of refs is in the set.
func refsAny(refs, set plan.ColSet) bool {
	for id := range refs {
		if set.Has(id) {
			return true
		}
	}
	return false
}

// conjuncts appends the arguments of nested ANDs in order.
func conjuncts(e plan.Expr, to []plan.Expr) []plan.Expr {
	if e == nil {
		return to
	}
	if a, ok := e.(*plan.BoolOp); ok && !a.Or {
		for _, c := range a.Args {
			to = conjuncts(c, to)
		}
		return to
	}
	return append(to, e)
}

// and joins conditions; nil for none.
func and(conds []plan.Expr) plan.Expr {
	switch len(conds) {
	case 0:
		return nil
	case 1:
		return conds[0]
	}
	return &plan.BoolOp{Args: conds}
}

// filtered puts a Filter over n when there are conditions.
func filtered(n plan.Node, conds []plan.Expr) plan.Node {
	if len(conds) == 0 {
		return n
	}
	return &plan.Filter{Input: n, Pred: and(conds)}
}

// volatile tells whether e calls a volatile function, subqueries included.
func volatile(e plan.Expr) bool {
	found := false
	plan.WalkDeep(e, func(x plan.Expr) bool {
		if c, ok := x.(*plan.Call); ok && c.Fn != nil && c.Fn.Volatility == functions.Volatile {
			found = true
		}
		return !found
	})
	return found
}

// hasSubquery tells whether a subquery stands in e.
func hasSubquery(e plan.Expr) bool {
	found := false
	plan.Walk(e, func(x plan.Expr) bool {
		_, sub := x.(*plan.Subquery)
		found = found || sub
		return !found
	})
	return found
}
