package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// state is what a writer's rows are: per table and id the number that the row holds.
type state map[key]int

type key struct{ table, id string }

const (
	docsTable = "crash_docs" // a collection: _id, doc
	rowsTable = "crash_rows" // a typed table: id, n
)

// change is one row of a transaction: put sets a number, or the row goes.
type change struct {
	key
	n      int
	remove bool
}

// transaction is a unit that a crash may keep or lose, but never part.
type transaction []change

func (s state) with(t transaction) state {
	out := maps.Clone(s)
	out.apply(t)
	return out
}

func (s state) apply(t transaction) {
	for _, c := range t {
		if c.remove {
			delete(s, c.key)
		} else {
			s[c.key] = c.n
		}
	}
}

// writer makes transactions on its own ids and knows what the store must hold of them. Not for concurrent use.
type writer struct {
	name string
	rand *rand.Rand
	next int // of the next id and number
	// acked is the state of all acknowledged transactions; inFlight is the one, if any, that was sent but not
	// acknowledged when the server died.
	acked    state
	inFlight transaction
	made     []key // every row ever proposed, for picking
}

func newWriter(name string, seed uint64) *writer {
	return &writer{name: name, rand: rand.New(rand.NewPCG(seed, uint64(len(name))<<32|uint64(name[len(name)-1]))), acked: state{}}
}

// propose makes the next transaction: mostly one new document; also new pairs in both tables, changes and removals of
// older rows, and several of these at once.
func (w *writer) propose() transaction {
	var t transaction
	for n := 1 + w.rand.IntN(3)/2*w.rand.IntN(4); n >= 0; n-- {
		t = append(t, w.some(t)...)
	}
	for _, c := range t {
		if _, old := w.acked[c.key]; !old {
			w.made = append(w.made, c.key)
		}
	}
	return t
}

// some changes rows that the transaction so far does not touch.
func (w *writer) some(sofar transaction) transaction {
	w.next++
	old, found := w.pick(sofar)
	switch roll := w.rand.IntN(10); {
	case roll < 2 && found:
		return transaction{{key: old, n: w.next}}
	case roll < 3 && found:
		return transaction{{key: old, remove: true}}
	case roll < 5:
		id := fmt.Sprintf("%s-%06d", w.name, w.next)
		return transaction{{key: key{docsTable, id}, n: w.next}, {key: key{rowsTable, id}, n: w.next}}
	}
	return transaction{{key: key{docsTable, fmt.Sprintf("%s-%06d", w.name, w.next)}, n: w.next}}
}

// pick is a row that exists and that the transaction does not touch yet, if the draw finds one.
func (w *writer) pick(t transaction) (key, bool) {
	if len(w.made) == 0 {
		return key{}, false
	}
	k := w.made[w.rand.IntN(len(w.made))]
	_, exists := w.acked[k]
	return k, exists && !slices.ContainsFunc(t, func(c change) bool { return c.key == k })
}

// settle compares what the store holds of the writer's rows with what it must, and goes on from there.
func (w *writer) settle(found state) error {
	kept := w.acked
	if w.inFlight != nil {
		kept = w.acked.with(w.inFlight)
	}
	switch {
	case maps.Equal(found, w.acked):
	case maps.Equal(found, kept):
		w.acked = kept
	default:
		return fmt.Errorf("writer %s: %s", w.name, w.explain(found))
	}
	w.inFlight = nil
	return nil
}

// explain names the first row that neither all acknowledged transactions nor these and the one in flight account for.
func (w *writer) explain(found state) string {
	kept := w.acked.with(w.inFlight)
	keys := maps.Clone(found)
	maps.Copy(keys, kept)
	maps.Copy(keys, w.acked)
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b key) int { return strings.Compare(a.id+a.table, b.id+b.table) }) {
		if f := describe(found, k); f != describe(w.acked, k) && f != describe(kept, k) {
			return fmt.Sprintf("%s %s is %s, acknowledged was %s", k.table, k.id, f, describe(w.acked, k))
		}
	}
	return fmt.Sprintf("the transaction in flight was kept in part: %v", w.inFlight)
}

func describe(s state, k key) string {
	if n, ok := s[k]; ok {
		return fmt.Sprint(n)
	}
	return "absent"
}
