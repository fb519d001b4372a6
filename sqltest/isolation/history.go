package main

import (
	"fmt"
	"slices"
)

// history is what transactions did with lists. Since each value is appended once, a list tells the order of the transactions that
// wrote it, and what a reader saw tells which of them came before it. (The way of Kingsbury and Alvaro's Elle.)
type history struct {
	txns  []record
	final map[int][]int // the lists in the end
}

// place is where a value stands.
type place struct {
	txn  int  // who appended it
	last bool // it is the transaction's last one to that list
	at   int  // in the final list, -1 when it is not there
}

// check looks for what a level excludes.
func (h *history) check(l level) error {
	places, err := h.places()
	if err != nil {
		return err
	}
	g := graph{edges: make([][]edge, len(h.txns))}
	for k, list := range h.final {
		for i := 1; i < len(list); i++ {
			g.add(places[list[i-1]].txn, places[list[i]].txn, writeWrite, k)
		}
	}
	for n := range h.txns {
		if err := h.reads(&g, places, n, l); err != nil {
			return err
		}
	}
	return g.check(l)
}

// places finds every value, and refuses lists with values that are there twice, lost, or of transactions that were not committed.
func (h *history) places() (map[int]place, error) {
	places := map[int]place{}
	for n, t := range h.txns {
		last := map[int]int{}
		for _, m := range t.ops {
			if m.value != 0 {
				places[m.value] = place{txn: n, at: -1}
				last[m.key] = m.value
			}
		}
		for _, v := range last {
			p := places[v]
			p.last = true
			places[v] = p
		}
	}
	for k, list := range h.final {
		for i, v := range list {
			p, ok := places[v]
			switch {
			case !ok:
				return nil, fmt.Errorf("list %d has %d, which nobody appended", k, v)
			case p.at >= 0:
				return nil, fmt.Errorf("list %d has %d twice", k, v)
			case !h.txns[p.txn].committed:
				return nil, fmt.Errorf("list %d has %d of a transaction that was refused: %v", k, v, h.txns[p.txn].ops)
			}
			p.at = i
			places[v] = p
		}
	}
	for _, t := range h.txns {
		for _, m := range t.ops {
			if t.committed && m.value != 0 && places[m.value].at < 0 {
				return nil, fmt.Errorf("%d, committed to list %d, is lost", m.value, m.key)
			}
		}
	}
	return places, nil
}

// reads checks what a transaction read and adds what follows from it to the graph.
func (h *history) reads(g *graph, places map[int]place, n int, l level) error {
	t := h.txns[n]
	seen := map[int][]int{} // by list: what the transaction must see when it reads again
	for _, m := range t.ops {
		if m.value != 0 {
			if before, ok := seen[m.key]; ok {
				seen[m.key] = append(slices.Clone(before), m.value)
			}
			continue
		}
		before, again := seen[m.key]
		if again && l != readCommitted && !slices.Equal(before, m.list) {
			return fmt.Errorf("a transaction saw list %d as %v, then as %v: %v", m.key, before, m.list, t.ops)
		}
		seen[m.key] = m.list
		if !t.committed {
			continue // what it saw harms nobody
		}
		if err := h.read(g, places, n, m); err != nil {
			return fmt.Errorf("%w: %v", err, t.ops)
		}
	}
	return nil
}

// read checks one read of a committed transaction: what others wrote, it saw as a beginning of the final list that ends where a
// transaction ended.
func (h *history) read(g *graph, places map[int]place, n int, m mop) error {
	others := m.list
	for len(others) > 0 && places[others[len(others)-1]].txn == n {
		others = others[:len(others)-1]
	}
	final := h.final[m.key]
	if len(others) > len(final) || !slices.Equal(others, final[:len(others)]) {
		return fmt.Errorf("list %d was read as %v and became %v", m.key, m.list, final)
	}
	if len(others) > 0 {
		p := places[others[len(others)-1]]
		if !p.last {
			return fmt.Errorf("list %d was read as %v, in the middle of a transaction", m.key, m.list)
		}
		g.add(p.txn, n, writeRead, m.key)
	}
	if len(others) < len(final) {
		g.add(n, places[final[len(others)]].txn, readWrite, m.key)
	}
	return nil
}
