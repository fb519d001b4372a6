//go:build postgres

package filter

import (
	"math/rand"
	"testing"
)

// TestSQLRandom compares random trees with a live PostgreSQL; the fixed answers are in TestSQLAnswers.
func TestSQLRandom(t *testing.T) {
	p := connect(t)
	defer p.close()
	r := rand.New(rand.NewSource(3))
	leaves := sqlExprs()
	leaves = leaves[:len(leaves)-2]
	var tree func(depth int) Expr
	tree = func(depth int) Expr {
		switch n := r.Intn(6); {
		case depth == 0 || n < 2:
			return leaves[r.Intn(len(leaves))]
		case n == 2:
			return &Not{tree(depth - 1)}
		case n == 3:
			return &Or{[]Expr{tree(depth - 1), tree(depth - 1)}}
		default:
			return &And{[]Expr{tree(depth - 1), tree(depth - 1), tree(0)}}
		}
	}
	for range 300 {
		e := tree(3)
		for i, want := range p.ask(t, e, "docs", len(jsonDocs)) {
			checkAnswer(t, e, jsonDocs[i], want)
		}
		if t.Failed() {
			return
		}
	}
}
