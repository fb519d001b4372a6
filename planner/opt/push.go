package opt

import (
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/value"
)

// pushPredicates moves conditions as far down as they go, turns outer joins whose padded rows a condition above drops into inner
// ones, and makes what is never true empty.
func pushPredicates(_ *Context, n plan.Node) (plan.Node, error) {
	return eachTree(n, func(n plan.Node) (plan.Node, error) { return push(n, nil), nil })
}

// push gives n with the conditions in it, or in a Filter above it.
func push(n plan.Node, conds []plan.Expr) plan.Node {
	for _, c := range conds {
		if b, ok := constBool(c); ok && b != isTrue {
			return nothing(n)
		}
	}
	switch x := n.(type) {
	case *plan.Filter:
		return push(x.Input, append(conjuncts(x.Pred, nil), conds...))
	case *plan.Project:
		return pushProject(x, conds)
	case *plan.Join:
		return pushJoin(x, conds)
	case *plan.Aggregate:
		return pushAggregate(x, conds)
	case *plan.Window:
		return pushWindow(x, conds)
	case *plan.SetOp:
		return pushSetOp(x, conds)
	case *plan.Sort:
		if x.TopN == nil {
			return pushThrough(x, conds)
		}
	case *plan.Distinct:
		if x.On == nil {
			return pushThrough(x, conds)
		}
	case *plan.With:
		return pushWith(x, conds)
	case *plan.ProjectSet:
		down, stay := split(conds, setOf(x.Cols()), setOf(x.Input.Cols()))
		return filtered(x.WithInputs([]plan.Node{push(x.Input, down)}), stay)
	}
	return filtered(pushBelow(n), conds)
}

// pushBelow pushes inside the inputs of n.
func pushBelow(n plan.Node) plan.Node {
	inputs := n.Inputs()
	if len(inputs) == 0 {
		return n
	}
	better := make([]plan.Node, len(inputs))
	for i, in := range inputs {
		better[i] = push(in, nil)
	}
	return n.WithInputs(better)
}

// nothing is n without rows.
func nothing(n plan.Node) plan.Node {
	switch n.(type) {
	case *plan.Insert, *plan.Update, *plan.Delete, *plan.Merge:
		return n
	}
	return &plan.Values{Out: n.Cols()}
}

// split parts conditions into those that refer, of all, only to columns in part, and the rest. Once a volatile condition stays, what
// follows it in the same AND may still go: its order against others is nobody's promise.
func split(conds []plan.Expr, all, part plan.ColSet) (down, stay []plan.Expr) {
	for _, c := range conds {
		if !volatile(c) && refsWithin(plan.RefsOf(c), all, part) {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	return down, stay
}

func pushThrough(n plan.Node, conds []plan.Expr) plan.Node {
	down, stay := split(conds, plan.ColSet{}, plan.ColSet{})
	return filtered(n.WithInputs([]plan.Node{push(n.Inputs()[0], down)}), stay)
}

// pushProject rewrites conditions over the computed columns into the expressions that compute them.
func pushProject(p *plan.Project, conds []plan.Expr) plan.Node {
	items := map[plan.ColID]plan.Expr{}
	for i, c := range p.Out {
		items[c.ID] = p.Items[i]
	}
	var down, stay []plan.Expr
	for _, c := range conds {
		movable := !volatile(c)
		for id := range plan.RefsOf(c) {
			if e := items[id]; e != nil && (volatile(e) || hasSubquery(e)) {
				movable = false
			}
		}
		if !movable {
			stay = append(stay, c)
			continue
		}
		down = append(down, substitute(c, items))
	}
	return filtered(&plan.Project{Input: push(p.Input, down), Out: p.Out, Items: p.Items}, stay)
}

// substitute replaces columns by expressions, inside subqueries too.
func substitute(e plan.Expr, by map[plan.ColID]plan.Expr) plan.Expr {
	out, _ := plan.TransformDeep(e, func(x plan.Expr) (plan.Expr, error) {
		if r, ok := x.(*plan.ColRef); ok && by[r.ID] != nil {
			return by[r.ID], nil
		}
		return x, nil
	})
	return out
}

// pushAggregate lets conditions over group columns that are part of every grouping set act before the grouping.
func pushAggregate(a *plan.Aggregate, conds []plan.Expr) plan.Node {
	always := map[plan.ColID]plan.Expr{}
	part := plan.ColSet{}
	for i, c := range a.GroupCols {
		if inAllSets(a.Sets, i) && !volatile(a.Groups[i]) {
			always[c.ID] = a.Groups[i]
			part.Add(c)
		}
	}
	var down, stay []plan.Expr
	if len(part) > 0 { // without groups a condition decides about the one row, not about its input
		own, rest := split(conds, setOf(a.Cols()), part)
		for _, c := range own {
			if len(plan.RefsOf(c)) == 0 {
				rest = append(rest, c)
				continue
			}
			down = append(down, substitute(c, always))
		}
		stay = rest
	} else {
		stay = conds
	}
	return filtered(a.WithInputs([]plan.Node{push(a.Input, down)}), stay)
}

func inAllSets(sets [][]int, group int) bool {
	for _, s := range sets {
		found := false
		for _, g := range s {
			found = found || g == group
		}
		if !found {
			return false
		}
	}
	return true
}

// pushWindow lets conditions over partition columns drop whole partitions early.
func pushWindow(w *plan.Window, conds []plan.Expr) plan.Node {
	part := plan.ColSet{}
	for _, e := range w.Partition {
		if r, ok := e.(*plan.ColRef); ok {
			part[r.ID] = struct{}{}
		}
	}
	down, stay := split(conds, setOf(w.Cols()), part)
	return filtered(w.WithInputs([]plan.Node{push(w.Input, down)}), stay)
}

// pushSetOp copies conditions to both sides: a row passes the operation's result exactly when it passes before.
func pushSetOp(s *plan.SetOp, conds []plan.Expr) plan.Node {
	var down, stay []plan.Expr
	for _, c := range conds {
		if volatile(c) || hasSubquery(c) {
			stay = append(stay, c)
		} else {
			down = append(down, c)
		}
	}
	side := func(in plan.Node) plan.Node {
		by := map[plan.ColID]plan.Expr{}
		for i, c := range in.Cols() {
			by[s.Out[i].ID] = colRef(c)
		}
		own := make([]plan.Expr, len(down))
		for i, c := range down {
			own[i] = substitute(c, by)
		}
		return push(in, own)
	}
	return filtered(s.WithInputs([]plan.Node{side(s.Left), side(s.Right)}), stay)
}

func pushWith(w *plan.With, conds []plan.Expr) plan.Node {
	inputs := w.Inputs()
	better := make([]plan.Node, len(inputs))
	for i, in := range inputs {
		if i == len(inputs)-1 {
			better[i] = push(in, conds)
		} else {
			better[i] = push(in, nil)
		}
	}
	return w.WithInputs(better)
}

// pushJoin sorts the conditions of a join and those above it to where they belong.
func pushJoin(j *plan.Join, conds []plan.Expr) plan.Node {
	kind := simplifyKind(j, conds)
	left, right := setOf(j.Left.Cols()), setOf(j.Right.Cols())
	all := setOf(j.Left.Cols())
	all.Add(j.Right.Cols()...)
	on := conjuncts(j.On, nil)
	var toLeft, toRight, stay []plan.Expr
	if kind == plan.InnerJoin {
		on = append(on, conds...)
		conds = nil
	}
	// Conditions above the join act on rows of a side that the join doesn't pad.
	if kind == plan.LeftJoin || kind == plan.SemiJoin || kind == plan.AntiJoin || kind == plan.AntiNullJoin {
		toLeft, conds = split(conds, all, left)
	}
	if kind == plan.RightJoin {
		toRight, conds = split(conds, all, right)
	}
	stay = conds
	var own []plan.Expr
	for _, c := range on {
		refs := plan.RefsOf(c)
		switch l, r := refsWithin(refs, all, left), refsWithin(refs, all, right); {
		case volatile(c):
			own = append(own, c)
		case r && (l && kind == plan.InnerJoin || !l && keepsOnlyMatches(kind, false)):
			toRight = append(toRight, c)
			if l { // refers to neither side: it decides about everything
				toLeft = append(toLeft, c)
			}
		case l && !r && keepsOnlyMatches(kind, true):
			toLeft = append(toLeft, c)
		default:
			own = append(own, c)
			if kind != plan.InnerJoin {
				continue
			}
			if x := requires(c, all, left); x != nil {
				toLeft = append(toLeft, x)
			}
			if x := requires(c, all, right); x != nil {
				toRight = append(toRight, x)
			}
		}
	}
	better := *j
	better.Kind, better.On = kind, and(own)
	better.Left, better.Right = push(j.Left, toLeft), push(j.Right, toRight)
	if kind == plan.InnerJoin && (isNothing(better.Left) || isNothing(better.Right)) {
		return nothing(&better)
	}
	if j.Lateral && !refsAny(plan.Free(better.Right), left) {
		better.Lateral = false
	}
	return filtered(&better, stay)
}

func isNothing(n plan.Node) bool {
	v, ok := n.(*plan.Values)
	return ok && len(v.Rows) == 0
}

// keepsOnlyMatches tells whether rows of a side that fail the join's condition vanish without a trace, so that a condition on that
// side alone may act before the join.
func keepsOnlyMatches(kind plan.JoinKind, left bool) bool {
	switch kind {
	case plan.InnerJoin, plan.SemiJoin:
		return true
	case plan.LeftJoin, plan.AntiJoin:
		return !left
	case plan.RightJoin:
		return left
	}
	return false
}

// simplifyKind gives the kind that a join may have when the conditions above it drop all rows padded with NULLs on one side.
func simplifyKind(j *plan.Join, conds []plan.Expr) plan.JoinKind {
	dropsLeft, dropsRight := false, false // rows whose left (right) columns are all padding
	left, right := setOf(j.Left.Cols()), setOf(j.Right.Cols())
	for _, c := range conds {
		r := rejects(c)
		dropsLeft = dropsLeft || refsAny(r, left)
		dropsRight = dropsRight || refsAny(r, right)
	}
	switch {
	case j.Kind == plan.LeftJoin && dropsRight, j.Kind == plan.RightJoin && dropsLeft, j.Kind == plan.FullJoin && dropsLeft && dropsRight:
		return plan.InnerJoin
	case j.Kind == plan.FullJoin && dropsLeft:
		return plan.LeftJoin
	case j.Kind == plan.FullJoin && dropsRight:
		return plan.RightJoin
	}
	return j.Kind
}

// rejects lists columns of which a NULL makes the condition not true.
func rejects(e plan.Expr) plan.ColSet {
	switch x := e.(type) {
	case *plan.BoolOp:
		return combine(x, rejects)
	case *plan.IsNull:
		if x.Not {
			return strictIn(x.Arg)
		}
		return nil
	case *plan.BoolTest:
		if x.Want != 'u' && !x.Not || x.Want == 'u' && x.Not {
			return strictIn(x.Arg)
		}
		return nil
	}
	return strictIn(e)
}

// combine unites for AND and intersects for OR.
func combine(x *plan.BoolOp, of func(plan.Expr) plan.ColSet) plan.ColSet {
	out := plan.ColSet{}
	for i, a := range x.Args {
		set := of(a)
		if !x.Or || i == 0 {
			for id := range set {
				out[id] = struct{}{}
			}
			continue
		}
		for id := range out {
			if !set.Has(id) {
				delete(out, id)
			}
		}
	}
	return out
}

// strictIn lists columns of which a NULL makes the expression NULL.
func strictIn(e plan.Expr) plan.ColSet {
	out := plan.ColSet{}
	add := func(es ...plan.Expr) {
		for _, e := range es {
			for id := range strictIn(e) {
				out[id] = struct{}{}
			}
		}
	}
	switch x := e.(type) {
	case *plan.ColRef:
		out[x.ID] = struct{}{}
	case *plan.Call:
		if x.Fn == nil || x.Fn.Strict {
			add(x.Args...)
		}
	case *plan.Cast:
		if x.Method != plan.DomainCast {
			add(x.Arg)
		}
	case *plan.Collate:
		add(x.Arg)
	case *plan.Not:
		add(x.Arg)
	case *plan.InList:
		if len(x.List) > 0 {
			add(x.Left)
		}
	case *plan.ArrayOp:
		if k, ok := x.Right.(*plan.Const); ok && !k.Val.IsNull() && len(k.Val.Box().(*value.Array).Elems) > 0 {
			add(x.Left)
		}
	case *plan.BoolOp:
		if !x.Or {
			return plan.ColSet{} // false AND NULL is false
		}
		return plan.ColSet{}
	}
	return out
}
