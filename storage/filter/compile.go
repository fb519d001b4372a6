package filter

import (
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// Matcher is a compiled filter. It is immutable and safe for concurrent use.
type Matcher struct {
	conditions []node // all must be true
}

// Compile prepares a filter for matching.
func Compile(e Expr) (*Matcher, error) {
	list := []Expr{e}
	if and, ok := e.(*And); ok {
		list = and.List
	}
	nodes, err := compileList(slices.DeleteFunc(slices.Clone(list), func(x Expr) bool { return x == MatchAll }))
	return &Matcher{fuse(nodes)}, err
}

// fuse joins neighbours that look at the same value, such as the two ends of a range: the value is searched once.
func fuse(list []node) []node {
	var out []node
	for _, n := range list {
		v, ok := n.(valueNode)
		if ok && len(out) > 0 {
			switch last := out[len(out)-1].(type) {
			case *fusedNode:
				if last.samePath(v.target()) {
					last.nodes = append(last.nodes, v)
					continue
				}
			case valueNode:
				if f := last.target(); f.samePath(v.target()) {
					out[len(out)-1] = &fusedNode{*f, []valueNode{last, v}}
					continue
				}
			}
		}
		out = append(out, n)
	}
	return out
}

// valueNode is a node whose answer depends on one value that a finder finds.
type valueNode interface {
	node
	target() *finder
	evalValue(v doc.Value) (Tri, error)
}

// fusedNode is the conjunction of conditions on one value, as part of a Matcher's conditions: it stops at the first that is not
// true.
type fusedNode struct {
	finder
	nodes []valueNode
}

func (n *fusedNode) eval(d doc.Doc) (Tri, error) {
	v := n.find(d)
	for _, x := range n.nodes {
		if t, err := x.evalValue(v); t != True || err != nil {
			return t, err
		}
	}
	return True, nil
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
	if len(p) == 1 {
		return &keyNode{finder{path: doc.NewPathFinder(doc.Keys(f.Path))}, t}, nil
	}
	return &fieldNode{p, t}, nil
}

func (n *fieldNode) eval(d doc.Doc) (Tri, error) {
	ok, err := n.path.any(d, n.test)
	return TriOf(ok), err
}

// keyNode is the most frequent condition: a test of a top-level key.
type keyNode struct {
	finder
	test tester
}

func (n *keyNode) eval(d doc.Doc) (Tri, error) { return n.evalValue(n.find(d)) }

func (n *keyNode) evalValue(v doc.Value) (Tri, error) {
	var ok bool
	var err error
	if v.Type == doc.TypeArray || v.Type == doc.TypeBinary {
		ok, err = testLeaf(v, n.test)
	} else {
		ok, err = n.test.one(v)
	}
	return TriOf(ok), err
}
