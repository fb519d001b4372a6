package filter

import (
	"slices"

	"github.com/omgdb/omgdb/storage/doc"
)

// ColumnTest is a condition of a filter that looks at nothing but the value at one path.
type ColumnTest struct {
	path doc.Path
	eval func(v doc.Value) (Tri, error)
}

// Path leads to the value.
func (t *ColumnTest) Path() doc.Path { return t.path }

// True reports whether the condition is true for a document that has v at the path; errors are those of Matcher.Match.
func (t *ColumnTest) True(v doc.Value) (bool, error) {
	r, err := t.eval(v)
	return r == True, err
}

// ColumnTests gives the filter as conditions on values at paths: a document passes when all are true, and an error counts only behind
// conditions that are true. ok is false when a part of the filter looks at more than one value.
func (m *Matcher) ColumnTests() (tests []ColumnTest, ok bool) {
	for _, n := range m.conditions {
		if tests, ok = appendColumnTests(tests, n); !ok {
			return nil, false
		}
	}
	return tests, true
}

func appendColumnTests(tests []ColumnTest, n node) ([]ColumnTest, bool) {
	switch n := n.(type) {
	case *fusedNode:
		ok := true
		for _, x := range n.nodes {
			if tests, ok = appendColumnTests(tests, x); !ok {
				return nil, false
			}
		}
		return tests, true
	case *containsNode:
		if len(n.path.Path()) == 0 && n.value.Type == doc.TypeObject { // a document is an object
			for i := range n.members {
				tests = append(tests, n.members[i].test(n.keys[i]))
			}
			return tests, true
		}
	case valueNode:
	default:
		return nil, false
	}
	v := n.(valueNode)
	path := v.target().path.Path()
	return append(tests, ColumnTest{slices.Clone(path), v.evalValue}), len(path) > 0
}

// test is the member's condition on the value at its key.
func (m *containsMember) test(key string) ColumnTest {
	return ColumnTest{doc.Keys(key), func(have doc.Value) (Tri, error) { return TriOf(m.within(have)), nil }}
}
