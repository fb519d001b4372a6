package plan

// Walk visits e and the expressions below it, outside in, without entering the queries of Subqueries; f tells whether to go deeper.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, c := range e.Children() {
		Walk(c, f)
	}
}

// WalkDeep is Walk that also visits the expressions of the queries inside Subqueries.
func WalkDeep(e Expr, f func(Expr) bool) {
	Walk(e, func(x Expr) bool {
		if !f(x) {
			return false
		}
		if s, ok := x.(*Subquery); ok {
			WalkExprs(s.Query, f)
		}
		return true
	})
}

// WalkNodes visits n and the nodes below it, outside in, without entering Subqueries; f tells whether to go deeper.
func WalkNodes(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, in := range n.Inputs() {
		WalkNodes(in, f)
	}
}

// Waits tells whether e calls a function that may sleep or wait for a lock.
func Waits(e Expr) bool {
	found := false
	WalkDeep(e, func(x Expr) bool {
		c, ok := x.(*Call)
		found = found || ok && c.Fn != nil && c.Fn.Waits
		return !found
	})
	return found
}

// WalkExprs visits every expression in the tree of n, Subqueries included.
func WalkExprs(n Node, f func(Expr) bool) {
	WalkNodes(n, func(n Node) bool {
		for _, e := range n.Exprs() {
			WalkDeep(e, f)
		}
		return true
	})
}

// Transform rebuilds e bottom up: f gets each expression with its children already transformed and answers what stands in its place.
// Unchanged parts are shared. Queries inside Subqueries are not entered.
func Transform(e Expr, f func(Expr) (Expr, error)) (Expr, error) {
	if e == nil {
		return nil, nil
	}
	children := e.Children()
	var changed []Expr
	for i, c := range children {
		n, err := Transform(c, f)
		if err != nil {
			return nil, err
		}
		if n != c && changed == nil {
			changed = append(make([]Expr, 0, len(children)), children...)
		}
		if changed != nil {
			changed[i] = n
		}
	}
	if changed != nil {
		e = e.With(changed)
	}
	return f(e)
}

// TransformDeep is Transform that also rewrites the expressions inside Subqueries.
func TransformDeep(e Expr, f func(Expr) (Expr, error)) (Expr, error) {
	return Transform(e, func(x Expr) (Expr, error) {
		if s, ok := x.(*Subquery); ok {
			q, err := TransformExprs(s.Query, f)
			if err != nil {
				return nil, err
			}
			if q != s.Query {
				c := *s
				c.Query = q
				x = &c
			}
		}
		return f(x)
	})
}

// TransformNodes rebuilds a tree bottom up, as Transform does; Subqueries are not entered.
func TransformNodes(n Node, f func(Node) (Node, error)) (Node, error) {
	if n == nil {
		return nil, nil
	}
	inputs := n.Inputs()
	var changed []Node
	for i, in := range inputs {
		m, err := TransformNodes(in, f)
		if err != nil {
			return nil, err
		}
		if m != in && changed == nil {
			changed = append(make([]Node, 0, len(inputs)), inputs...)
		}
		if changed != nil {
			changed[i] = m
		}
	}
	if changed != nil {
		n = n.WithInputs(changed)
	}
	return f(n)
}

// TransformExprs rewrites every expression in the tree of n with TransformDeep.
func TransformExprs(n Node, f func(Expr) (Expr, error)) (Node, error) {
	return TransformNodes(n, func(n Node) (Node, error) {
		return MapExprs(n, func(e Expr) (Expr, error) { return TransformDeep(e, f) })
	})
}

// MapExprs gives n with each of its own expressions replaced by f's answer; n itself when nothing changed.
func MapExprs(n Node, f func(Expr) (Expr, error)) (Node, error) {
	exprs := n.Exprs()
	changed := false
	for i, e := range exprs {
		x, err := f(e)
		if err != nil {
			return nil, err
		}
		if x != e {
			if !changed {
				exprs = append([]Expr(nil), exprs...)
				changed = true
			}
			exprs[i] = x
		}
	}
	if !changed {
		return n, nil
	}
	return n.WithExprs(exprs), nil
}

// ColSet is a set of columns.
type ColSet map[ColID]struct{}

// Has tells whether id is in the set.
func (s ColSet) Has(id ColID) bool {
	_, ok := s[id]
	return ok
}

// Add puts columns into the set.
func (s ColSet) Add(cols ...Col) {
	for i := range cols {
		s[cols[i].ID] = struct{}{}
	}
}

// Refs adds to into the columns that e refers to and that nothing inside e produces: Subqueries' correlations included, columns bound
// by Case and Cast left out.
func Refs(e Expr, into ColSet) {
	switch x := e.(type) {
	case nil:
	case *ColRef:
		into[x.ID] = struct{}{}
	case *Case, *Cast:
		own := boundCol(x)
		for _, c := range x.Children() {
			refsExcept(c, own, into)
		}
	case *Subquery:
		inner := ColSet{}
		if x.Compare != nil {
			Refs(x.Compare, inner)
		}
		for _, c := range x.Query.Cols() {
			delete(inner, c.ID)
		}
		for id := range inner {
			into[id] = struct{}{}
		}
		for _, t := range x.Test {
			Refs(t, into)
		}
		for id := range Free(x.Query) {
			into[id] = struct{}{}
		}
	default:
		for _, c := range e.Children() {
			Refs(c, into)
		}
	}
}

func boundCol(e Expr) ColID {
	switch x := e.(type) {
	case *Case:
		return x.ArgCol
	case *Cast:
		return x.ElemCol
	}
	return 0
}

func refsExcept(e Expr, own ColID, into ColSet) {
	if own == 0 {
		Refs(e, into)
		return
	}
	inner := ColSet{}
	Refs(e, inner)
	delete(inner, own)
	for id := range inner {
		into[id] = struct{}{}
	}
}

// RefsOf is Refs into a new set.
func RefsOf(es ...Expr) ColSet {
	s := ColSet{}
	for _, e := range es {
		Refs(e, s)
	}
	return s
}

// Free lists the columns that the tree of n refers to and that no node in it produces: its correlations.
func Free(n Node) ColSet {
	refs, made := ColSet{}, ColSet{}
	WalkNodes(n, func(n Node) bool {
		for _, e := range n.Exprs() {
			Refs(e, refs)
		}
		made.Add(n.Cols()...)
		made.Add(hiddenCols(n)...)
		return true
	})
	for id := range made {
		delete(refs, id)
	}
	return refs
}

// hiddenCols lists the columns that a node binds for its own expressions only.
func hiddenCols(n Node) []Col {
	switch x := n.(type) {
	case *Scan:
		out := make([]Col, len(x.FilterCols))
		for i := range x.FilterCols {
			out[i] = x.FilterCols[i].Col
		}
		return out
	case *Insert:
		out := append([]Col(nil), x.NewCols...)
		if c := x.Conflict; c != nil {
			out = append(append(out, c.OldCols...), c.ExclCols...)
		}
		return out
	case *Update:
		return x.NewCols
	case *Merge:
		return x.NewCols
	case *Delete:
		return x.OldCols
	}
	return nil
}
