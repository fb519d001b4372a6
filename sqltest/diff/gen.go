package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// gen draws documents and predicates from one small world of keys and values, so that they meet often. The values are
// those on which jsonb and other JSON languages disagree: null and missing, 1 and 1.0 and "1", arrays of scalars,
// nested arrays, empty containers, keys with dots and dollars.
type gen struct{ *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 77))} }

func pick[T any](g gen, from []T) T { return from[g.IntN(len(from))] }

var (
	keys    = []string{"a", "b", "n", "tags", "a.b", "$x", ""}
	scalars = []string{
		"null", "true", "false", "0", "1", "1.0", "-1", "10", "2.50", "1e2", "9007199254740993", "9007199254740992",
		"0.1", "12345678901234567890.5", `""`, `"x"`, `"X"`, `"xy"`, `"1"`, `"10"`, `"null"`, `"a"`, `"b"`, `"é"`, `"日本"`, `"a\"b"`, `"%"`,
	}
)

// value is a JSON value of at most the depth.
func (g gen) value(depth int) string {
	roll := g.IntN(10)
	switch {
	case depth == 0 || roll < 6:
		return pick(g, scalars)
	case roll < 8:
		return g.array(depth - 1)
	}
	return g.object(depth - 1)
}

func (g gen) array(depth int) string {
	items := make([]string, g.IntN(4))
	for i := range items {
		items[i] = g.value(depth)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (g gen) object(depth int) string {
	var parts []string
	for _, k := range keys {
		if g.IntN(3) == 0 {
			parts = append(parts, quoteJSON(k)+": "+g.value(depth))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string can fail
	}
	return string(b)
}

// literal quotes text for SQL.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// path is an expression that reaches into the document and gives jsonb.
func (g gen) path() string {
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("doc #> %s", literal(g.steps()))
	case 1:
		return fmt.Sprintf("doc -> %s -> %s", literal(pick(g, keys)), literal(pick(g, keys)))
	case 2:
		return fmt.Sprintf("doc -> %s -> %d", literal(pick(g, keys)), g.IntN(3)-1)
	}
	return fmt.Sprintf("doc -> %s", literal(pick(g, keys)))
}

// textPath gives text.
func (g gen) textPath() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("doc #>> %s", literal(g.steps()))
	case 1:
		return fmt.Sprintf("doc -> %s ->> %s", literal(pick(g, keys)), literal(pick(g, keys)))
	}
	return fmt.Sprintf("doc ->> %s", literal(pick(g, keys)))
}

func (g gen) steps() string {
	steps := make([]string, 1+g.IntN(2))
	for i := range steps {
		steps[i] = pick(g, []string{"a", "b", "n", "tags", "0", "-1", `"a.b"`})
	}
	return "{" + strings.Join(steps, ",") + "}"
}

var comparisons = []string{"=", "<>", "<", "<=", ">", ">="}

var texts = []string{"x", "X", "xy", "1", "10", "1.0", "null", "", "a", "[]", "{}", "true", "é", "%"}

// atoms are the kinds of simple predicate.
var atoms = []func(g gen) string{
	func(g gen) string { return "doc @> " + literal(g.object(2)) },
	func(g gen) string { return "doc @> " + literal(g.value(2)) },
	func(g gen) string { return "doc <@ " + literal(g.object(2)) },
	func(g gen) string { return fmt.Sprintf("%s @> %s", g.path(), literal(g.value(2))) },
	func(g gen) string { return fmt.Sprintf("%s <@ %s", g.path(), literal(g.value(2))) },
	func(g gen) string { return "doc ? " + literal(pick(g, keys)) },
	func(g gen) string { return fmt.Sprintf("%s ? %s", g.path(), literal(pick(g, texts))) },
	func(g gen) string { return fmt.Sprintf("doc ?| %s", g.textArray(keys)) },
	func(g gen) string { return fmt.Sprintf("doc ?& %s", g.textArray(keys)) },
	func(g gen) string { return fmt.Sprintf("%s ?| %s", g.path(), g.textArray(texts)) },
	func(g gen) string {
		return fmt.Sprintf("%s %s %s", g.textPath(), pick(g, comparisons), literal(pick(g, texts)))
	},
	func(g gen) string { return fmt.Sprintf("%s = %s", g.textPath(), literal(pick(g, texts))) },
	func(g gen) string {
		return fmt.Sprintf("%s %s %s", g.path(), pick(g, comparisons), literal(g.value(2)))
	},
	func(g gen) string {
		return fmt.Sprintf("%s IN (%s, %s, %s)", g.textPath(), literal(pick(g, texts)), literal(pick(g, texts)), pick(g, []string{"NULL", "'1'"}))
	},
	func(g gen) string {
		return fmt.Sprintf("%s NOT IN (%s, %s)", g.textPath(), literal(pick(g, texts)), literal(pick(g, texts)))
	},
	func(g gen) string { return fmt.Sprintf("%s IS NULL", g.textPath()) },
	func(g gen) string { return fmt.Sprintf("%s IS NOT NULL", g.path()) },
	func(g gen) string {
		return fmt.Sprintf("%s LIKE %s", g.textPath(), literal(pick(g, []string{"x%", "%", "_", "1%", "", "%é%", `\%`})))
	},
	func(g gen) string {
		return fmt.Sprintf("%s BETWEEN %s AND %s", g.textPath(), literal(pick(g, texts)), literal(pick(g, texts)))
	},
	func(g gen) string {
		return fmt.Sprintf("jsonb_typeof(%s) = %s", g.path(), literal(pick(g, []string{"null", "string", "number", "array", "object", "boolean"})))
	},
	func(g gen) string { return fmt.Sprintf("%s = %s", g.textPath(), g.textPath()) },
	func(g gen) string { return fmt.Sprintf("%s IS NOT DISTINCT FROM %s", g.path(), literal(g.value(1))) },
	func(g gen) string {
		k := literal(pick(g, keys))
		return fmt.Sprintf("CASE WHEN jsonb_typeof(doc -> %s) = 'number' THEN (doc ->> %s)::numeric %s %s END", k, k, pick(g, comparisons), pick(g, []string{"1", "0.1", "10", "9007199254740993"}))
	},
	func(g gen) string {
		return fmt.Sprintf("(doc ->> 'n')::numeric %s %s", pick(g, comparisons), pick(g, []string{"1", "2.5", "1e3"}))
	},
	func(g gen) string {
		return fmt.Sprintf("_id %s %s", pick(g, comparisons), literal(fmt.Sprintf("d%03d", g.IntN(400))))
	},
}

func (g gen) textArray(from []string) string {
	items := make([]string, g.IntN(3))
	for i := range items {
		items[i] = literal(pick(g, from))
	}
	return "ARRAY[" + strings.Join(items, ", ") + "]::text[]"
}

// predicate combines atoms by AND, OR, NOT and the tests of truth.
func (g gen) predicate(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return pick(g, atoms)(g)
	}
	switch g.IntN(6) {
	case 0:
		return "NOT (" + g.predicate(depth-1) + ")"
	case 1, 2:
		return "(" + g.predicate(depth-1) + ") AND (" + g.predicate(depth-1) + ")"
	case 3, 4:
		return "(" + g.predicate(depth-1) + ") OR (" + g.predicate(depth-1) + ")"
	}
	return "(" + g.predicate(depth-1) + ") " + pick(g, []string{"IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT NULL"})
}

// query is a statement whose answer has one right order.
func (g gen) query() string {
	where := g.predicate(2)
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("SELECT %s AS k, count(*), min(_id) FROM diff_docs WHERE %s GROUP BY 1 ORDER BY 1 NULLS FIRST", g.textPath(), where)
	case 1:
		// Which of several equal values (1, 1.0) stands for their group is open, so the key itself is not printed.
		k := g.path()
		return fmt.Sprintf("SELECT jsonb_typeof(%s), count(*) FROM diff_docs WHERE %s GROUP BY %s ORDER BY %s", k, where, k, k)
	case 2:
		return fmt.Sprintf("SELECT _id, %s FROM diff_docs WHERE %s ORDER BY %s DESC, _id LIMIT 7", g.path(), where, g.path())
	case 3:
		return fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT %s FROM diff_docs WHERE %s) s", g.path(), where)
	}
	return fmt.Sprintf("SELECT _id FROM diff_docs WHERE %s ORDER BY _id", where)
}
