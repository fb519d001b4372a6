package filter

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// Matcher is a compiled filter. It is immutable and safe for concurrent use.
type Matcher struct {
	conditions []node // all must be true
}

// Compile prepares a filter for matching.
func Compile(e Expr) (*Matcher, error) {
	m := &Matcher{}
	list := []Expr{e}
	if and, ok := e.(*And); ok {
		list = and.List
	}
	for _, x := range list {
		if x == MatchAll {
			continue
		}
		n, err := compileNode(x)
		if err != nil {
			return nil, err
		}
		m.conditions = append(m.conditions, n)
	}
	return m, nil
}

// Match reports whether the filter is true for the document. An error ends the statement: a cast of SQL that fails as it would
// in PostgreSQL (22P02), a regular expression beyond its time limit (2201B), arithmetic on a value that has none (22023).
func (m *Matcher) Match(d doc.Doc) (bool, error) {
	for _, n := range m.conditions {
		if t, err := n.eval(d); t != True || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Eval gives the filter's three-valued answer. Unlike Match it goes on after a condition that is NULL.
func (m *Matcher) Eval(d doc.Doc) (Tri, error) { return andNode(m.conditions).eval(d) }

// node is a compiled Expr.
type node interface {
	eval(d doc.Doc) (Tri, error)
}

// unknownNode is the error of a tree that was not made by this package or the planner.
func unknownNode(x any) error {
	return dberr.New(dberr.InternalError, "filter: unknown node %T", x)
}

func compileNode(e Expr) (node, error) {
	switch e := e.(type) {
	case Const:
		return constNode(e.Value), nil
	case *And:
		list, err := compileList(e.List)
		return andNode(list), err
	case *Or:
		list, err := compileList(e.List)
		return orNode(list), err
	case *Not:
		n, err := compileNode(e.X)
		return notNode{n}, err
	case *Field:
		return compileField(e)
	case *ExprTest:
		return exprNode{e.agg}, nil
	}
	return compileSQL(e)
}

func compileList(list []Expr) ([]node, error) {
	nodes := make([]node, len(list))
	for i, x := range list {
		var err error
		if nodes[i], err = compileNode(x); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

type constNode Tri

func (n constNode) eval(doc.Doc) (Tri, error) { return Tri(n), nil }

type andNode []node

func (n andNode) eval(d doc.Doc) (Tri, error) {
	result := True
	for _, x := range n {
		switch t, err := x.eval(d); {
		case err != nil || t == False:
			return False, err
		case t == Null:
			result = Null
		}
	}
	return result, nil
}

type orNode []node

func (n orNode) eval(d doc.Doc) (Tri, error) {
	result := False
	for _, x := range n {
		switch t, err := x.eval(d); {
		case err != nil:
			return False, err
		case t == True:
			return True, nil
		case t == Null:
			result = Null
		}
	}
	return result, nil
}

type notNode struct{ x node }

func (n notNode) eval(d doc.Doc) (Tri, error) {
	t, err := n.x.eval(d)
	return t.Not(), err
}

// fieldNode is a Mongo condition on a path.
type fieldNode struct {
	path mongoPath
	test tester
}

func compileField(f *Field) (node, error) {
	t, err := compileTest(f.Test)
	if err != nil {
		return nil, err
	}
	p := newMongoPath(f.Path)
	if c, ok := t.(*compareTester); ok && len(p) == 1 {
		return &compareNode{p[0].find, c}, nil
	}
	return &fieldNode{p, t}, nil
}

func (n *fieldNode) eval(d doc.Doc) (Tri, error) {
	ok, err := n.path.any(d, n.test)
	return TriOf(ok), err
}

// compareNode is the most frequent condition: a top-level key compared with a constant.
type compareNode struct {
	find doc.KeyFinder
	test *compareTester
}

func (n *compareNode) eval(d doc.Doc) (Tri, error) {
	v := n.find.Find(d)
	if n.test.simple && v.Type == n.test.value.Type {
		return TriOf(string(v.Data) == string(n.test.value.Data)), nil
	}
	ok, err := testLeaf(v, n.test)
	return TriOf(ok), err
}
