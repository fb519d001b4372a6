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

// Expressions over entries have the shape of their kind, and arguments of the types that the entries want.
func TestExprGen(t *testing.T) {
	entries := []*entry{
		newEntry("function", "f", [3]string{"lpad", "text int4", "text"}), newEntry("operator", "o", [3]string{"+", "int4 int4", "int4"}),
		newEntry("cast", "c", [3]string{"numeric", "int4", "numeric"}), newEntry("function", "p", [3]string{"array_append", "anycompatiblearray anycompatible", "anycompatiblearray"}),
	}
	if newEntry("function", "x", [3]string{"pg_sleep", "float8", "void"}) != nil || newEntry("function", "x", [3]string{"f", "internal", "text"}) != nil {
		t.Error("functions that cannot be asked about are entries")
	}
	g := newExprGen(3, entries)
	for _, c := range []struct {
		e    *entry
		want string
	}{{entries[0], "pg_catalog.lpad("}, {entries[1], " + "}, {entries[2], "AS numeric)"}, {entries[3], "[]"}} {
		for range 20 {
			if sql := g.call(c.e, 2); !strings.Contains(sql, c.want) || strings.Count(sql, "(") != strings.Count(sql, ")") && !strings.Contains(sql, "'") {
				t.Errorf("%s: %s", c.e.id, sql)
			}
		}
	}
}
