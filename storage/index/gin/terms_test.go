package gin

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/postings"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// literals are values that are equal in several spellings and types, and those that look alike and are not.
var literals = []string{
	`1`, `1.0`, `{"$numberDecimal":"1.00"}`, `{"$numberLong":"1"}`, `0`, `-0.0`, `0.1`, `{"$numberDecimal":"0.10"}`, `9007199254740993`,
	`{"$numberDecimal":"9007199254740993"}`, `1e400`, `"a"`, `"b"`, `"1"`, `""`, `true`, `false`, `null`, `{"$date":"2024-01-02T03:04:05Z"}`,
	`"2024-01-02T03:04:05Z"`, `{"$oid":"507f1f77bcf86cd799439011"}`, `"507f1f77bcf86cd799439011"`, `{}`, `[]`,
}

func drawJSON(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 || kind < 3 {
		return rapid.SampledFrom(literals).Draw(t, "literal")
	}
	var parts []string
	n := rapid.IntRange(0, 3).Draw(t, "members")
	for i := range n {
		v := drawJSON(t, depth-1)
		if kind == 3 {
			parts = append(parts, v)
			continue
		}
		parts = append(parts, fmt.Sprintf(`"%s":%s`, []string{"a", "b", "c"}[i], v))
	}
	if kind == 3 {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func jsonb(t *rapid.T, text string) value.Value {
	v, err := doc.ParseExtJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value.Bytes(v.Encoded())
}

// has evaluates a combination of terms on those of one value.
func has(n *typeio.TSNode, terms []postings.Term) bool {
	switch n.Op {
	case typeio.TSAnd:
		return has(n.Left, terms) && has(n.Right, terms)
	case typeio.TSOr:
		return has(n.Left, terms) || has(n.Right, terms)
	}
	for _, t := range terms {
		if t.Text == n.Text {
			return true
		}
	}
	return false
}

// TestTermsDemanded: a value that satisfies a condition has the terms that the condition demands.
func TestTermsDemanded(t *testing.T) {
	m := members{keys: true}
	rapid.Check(t, func(t *rapid.T) {
		text, asked := drawJSON(t, 3), drawJSON(t, 2)
		if rapid.Bool().Draw(t, "related") {
			asked = strings.NewReplacer(`1.0`, `1`, `{"$numberDecimal":"0.10"}`, `0.1`).Replace(text)
		}
		d, q := jsonb(t, text), jsonb(t, asked)
		terms := m.of(d)
		for i := 1; i < len(terms); i++ {
			if terms[i-1].Text >= terms[i].Text {
				t.Fatalf("terms of %s out of order", text)
			}
		}
		if n := m.query("jsonb_contains", q); n != nil && doc.Contains(typeio.Doc(d), typeio.Doc(q)) && !has(n, terms) {
			t.Fatalf("%s contains %s but has not its terms", text, asked)
		}
		keys := []string{"a", "b", "1", ""}
		for _, k := range keys {
			if doc.Exists(typeio.Doc(d), k) != has(m.query("jsonb_exists", value.String(k)), terms) {
				t.Fatalf("%s ? %s", text, k)
			}
		}
		list := value.Box(value.NewArray(value.Text, []value.Value{value.String("a"), value.String("1")}))
		if doc.ExistsAny(typeio.Doc(d), []string{"a", "1"}) != has(m.query("jsonb_exists_any", list), terms) ||
			doc.ExistsAll(typeio.Doc(d), []string{"a", "1"}) != has(m.query("jsonb_exists_all", list), terms) {
			t.Fatalf("%s ?| and ?&", text)
		}
	})
}

// TestElements: equal elements have one term, however they are written; NULLs and elements without an order demand nothing.
func TestElements(t *testing.T) {
	array := func(text string) value.Value {
		v, err := typeio.In(value.ArrayOf(value.Numeric), -1, text, typeio.Default)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	e := elements{value.Numeric}
	have := e.of(array("{1.0,2,NULL,30}"))
	for _, c := range []struct {
		function, arg string
		demands, has  bool
	}{
		{"arraycontains", "{1,2.00}", true, true},
		{"arraycontains", "{1,4}", true, false},
		{"arraycontains", "{1,NULL}", false, false},
		{"arraycontains", "{}", false, false},
		{"arrayoverlap", "{4,3e1}", true, true},
		{"arrayoverlap", "{4,5}", true, false},
		{"array_eq", "{1}", false, false},
	} {
		n := e.query(c.function, array(c.arg))
		if (n != nil) != c.demands || n != nil && has(n, have) != c.has {
			t.Errorf("%s %s: %v", c.function, c.arg, n)
		}
	}
}
