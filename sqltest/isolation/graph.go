package main

import (
	"fmt"
	"slices"
	"strings"
)

// kind says why one transaction comes before another.
type kind byte

const (
	writeWrite kind = iota // the other one wrote the next version
	writeRead              // the other one read the version
	readWrite              // the other one wrote the version after the one that was read
)

var kindNames = [...]string{"wrote before", "was read by", "did not see"}

type edge struct {
	to   int
	kind kind
	key  int
}

// graph is the order of transactions that follows from a history.
type graph struct{ edges [][]edge }

func (g *graph) add(from, to int, k kind, key int) {
	if from != to {
		g.edges[from] = append(g.edges[from], edge{to, k, key})
	}
}

// check looks for a cycle that the level excludes: at SERIALIZABLE any; at REPEATABLE READ, which is snapshot isolation, any
// without two readWrite edges in a row; at READ COMMITTED any without a readWrite edge.
func (g *graph) check(l level) error {
	allowed := func(last, next kind) bool { return true }
	switch l {
	case readCommitted:
		allowed = func(_, next kind) bool { return next != readWrite }
	case repeatableRead:
		allowed = func(last, next kind) bool { return last != readWrite || next != readWrite }
	}
	cycle := g.cycle(allowed)
	if cycle == nil {
		return nil
	}
	var b strings.Builder
	for _, e := range cycle {
		fmt.Fprintf(&b, " %s (list %d) transaction %d", kindNames[e.kind], e.key, e.to)
	}
	return fmt.Errorf("a cycle of transactions: %d%s", cycle[len(cycle)-1].to, b.String())
}

// cycle gives a shortest closed walk in which each edge may follow the one before, nil for none. A state of the search is a
// transaction and the kind of the edge that led to it.
func (g *graph) cycle(allowed func(last, next kind) bool) []edge {
	component := g.components(allowed)
	var best []edge
	for n := range g.edges {
		for k := writeWrite; k <= readWrite; k++ {
			start := state{n, k}
			if c := component[start.index()]; c > 0 { // more than one state
				if walk := g.walk(start, allowed, component); walk != nil && (best == nil || len(walk) < len(best)) {
					best = walk
				}
			}
		}
		if len(best) == 2 {
			break
		}
	}
	return best
}

type state struct {
	txn  int
	last kind
}

func (s state) index() int { return s.txn*3 + int(s.last) }

// components numbers the strongly connected components that have several states; other states have 0. Tarjan's way, with its own
// stack: histories are long.
func (g *graph) components(allowed func(last, next kind) bool) []int {
	n := len(g.edges) * 3
	component, low, order := make([]int, n), make([]int, n), make([]int, n)
	type frame struct{ state, edge int }
	var stack []int
	var frames []frame
	count, number := 0, 0
	onStack := make([]bool, n)
	for root := range n {
		if order[root] != 0 {
			continue
		}
		frames = append(frames, frame{root, 0})
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			v := f.state
			if f.edge == 0 {
				count++
				order[v], low[v] = count, count
				stack, onStack[v] = append(stack, v), true
			}
			if edges := g.edges[v/3]; f.edge < len(edges) {
				e := edges[f.edge]
				f.edge++
				if !allowed(kind(v%3), e.kind) {
					continue
				}
				w := state{e.to, e.kind}.index()
				if order[w] == 0 {
					frames = append(frames, frame{w, 0})
				} else if onStack[w] {
					low[v] = min(low[v], order[w])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].state
				low[up] = min(low[up], low[v])
			}
			if low[v] != order[v] {
				continue
			}
			at := slices.Index(stack, v)
			if len(stack)-at > 1 {
				number++
				for _, w := range stack[at:] {
					component[w] = number
				}
			}
			for _, w := range stack[at:] {
				onStack[w] = false
			}
			stack = stack[:at]
		}
	}
	return component
}

// walk finds the shortest way from a state back to it, inside its component.
func (g *graph) walk(start state, allowed func(last, next kind) bool, component []int) []edge {
	type step struct {
		from state
		by   edge
	}
	came := map[state]step{}
	queue := []state{start}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, e := range g.edges[s.txn] {
			to := state{e.to, e.kind}
			if !allowed(s.last, e.kind) || component[to.index()] != component[start.index()] {
				continue
			}
			if _, ok := came[to]; ok {
				continue
			}
			came[to] = step{s, e}
			if to == start {
				var walk []edge
				for at := start; ; {
					c := came[at]
					walk = append(walk, c.by)
					if at = c.from; at == start {
						slices.Reverse(walk)
						return walk
					}
				}
			}
			queue = append(queue, to)
		}
	}
	return nil
}
