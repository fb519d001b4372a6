package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Documents are valid JSON and meet the values that matter; statements are drawn from all kinds of predicate.
func TestGenerator(t *testing.T) {
	g := newGen(1)
	all := ""
	for i := range 300 {
		d := withID("x", g.object(3))
		if !json.Valid([]byte(d)) {
			t.Fatalf("document %d is no JSON: %s", i, d)
		}
		all += d
	}
	for _, want := range []string{": null", ": 1.0", `: "1"`, ": []", ": {}", "[[", `"a.b"`, `"$x"`, `"":`} {
		if !strings.Contains(all, want) {
			t.Errorf("no document has %s", want)
		}
	}
	all = ""
	for range 1000 {
		all += g.query() + "\n"
	}
	for _, want := range []string{"@>", "<@", " ? ", "?|", "?&", "#>>", "NOT IN", "LIKE", "BETWEEN", "CASE", "IS NOT TRUE", "GROUP BY", "DISTINCT", "LIMIT", "::numeric"} {
		if !strings.Contains(all, want) {
			t.Errorf("no statement has %s", want)
		}
	}
}

func TestGeneratorIsDeterministic(t *testing.T) {
	a, b := newGen(5), newGen(5)
	for range 50 {
		if x, y := a.query(), b.query(); x != y {
			t.Fatalf("%s\n%s", x, y)
		}
	}
}
