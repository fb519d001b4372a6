package main

import (
	"strings"
	"testing"
)

func k(id string) key { return key{docsTable, id} }

func TestSettle(t *testing.T) {
	acked := state{k("a"): 1, k("b"): 2}
	inFlight := transaction{{key: k("a"), remove: true}, {key: k("c"), n: 3}}
	tests := []struct {
		name  string
		found state
		want  string // part of the error, "" for none
	}{
		{"in flight lost", state{k("a"): 1, k("b"): 2}, ""},
		{"in flight kept", state{k("b"): 2, k("c"): 3}, ""},
		{"in flight kept in part", state{k("a"): 1, k("b"): 2, k("c"): 3}, "kept in part"},
		{"acknowledged row lost", state{k("a"): 1}, "crash_docs b is absent, acknowledged was 2"},
		{"old version", state{k("a"): 1, k("b"): 1}, "crash_docs b is 1, acknowledged was 2"},
		{"row from nowhere", state{k("a"): 1, k("b"): 2, k("z"): 9}, "crash_docs z is 9, acknowledged was absent"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := &writer{name: "w", acked: acked, inFlight: inFlight}
			err := w.settle(tc.found)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if err == nil && (w.inFlight != nil || len(w.acked) != 2) {
				t.Errorf("the writer goes on from %v", w.acked)
			}
		})
	}
}

// A writer's transactions never touch a row twice and cover all kinds of change.
func TestPropose(t *testing.T) {
	w := newWriter("w0", 1)
	kinds := map[string]bool{}
	for range 500 {
		tx := w.propose()
		seen := map[key]bool{}
		for _, c := range tx {
			if seen[c.key] {
				t.Fatalf("%v touches %v twice", tx, c.key)
			}
			seen[c.key] = true
			_, exists := w.acked[c.key]
			kinds[kindOf(c, exists)] = true
		}
		w.acked = w.acked.with(tx)
	}
	for _, kind := range []string{"insert " + docsTable, "insert " + rowsTable, "update " + docsTable, "update " + rowsTable, "delete " + docsTable} {
		if !kinds[kind] {
			t.Errorf("no %s among 500 transactions", kind)
		}
	}
}

func kindOf(c change, exists bool) string {
	switch {
	case c.remove:
		return "delete " + c.table
	case exists:
		return "update " + c.table
	}
	return "insert " + c.table
}
