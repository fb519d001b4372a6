package jsonpath

import (
	"context"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// ask calls one of the scalar functions.
func ask(t *testing.T, c *functions.Call, sig string, d doc.Value, path string) (value.Value, error) {
	t.Helper()
	for _, f := range Scalars()[0] {
		if f.Sig == sig {
			return f.Eval(context.Background(), c, []value.Value{typeio.JSONB(d), value.String(path), typeio.JSONB(doc.EmptyObject), value.Bool(false)})
		}
	}
	t.Fatal("no function", sig)
	return value.Null, nil
}

const queryAll = "jsonb_path_query_array(jsonb,jsonpath,jsonb,bool)"

// Values of BSON that JSON lacks count as what they are shown as.
func TestDocuments(t *testing.T) {
	for _, c := range []struct{ doc, path, want string }{
		{`{"z":1,"a":{"$oid":"65f000000000000000000001"}}`, `$.a."$oid"`, `["65f000000000000000000001"]`},
		{`{"z":1,"a":{"$oid":"65f000000000000000000001"}}`, `$.*`, `[{"$oid": "65f000000000000000000001"}, 1]`},
		{`{"zz":1,"a":[2]}`, `$.**{1}`, `[[2], 1]`},
		{`{"d":{"$numberDecimal":"1.50"}}`, `$.d * 2`, `[3.00]`},
		{`{"d":1.25}`, `$.d + 1`, `[2.25]`},
	} {
		d, err := doc.ParseExtJSON([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		v, err := ask(t, &functions.Call{}, queryAll, d, c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if got := typeio.Doc(v).JSONB(); got != c.want {
			t.Errorf("%s on %s gives %s, want %s", c.path, c.doc, got, c.want)
		}
	}
}

// The longest paths that are read can be evaluated.
func TestLongPaths(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"$" + strings.Repeat("[0]", 4000), "[1]"},
		{"$" + strings.Repeat("?(@ == 1)", 2000), "[1]"},
		{strings.Repeat("(", 2000) + "$" + strings.Repeat(" + 1)", 2000), "[2001]"},
		{strings.Repeat("-", 3000) + "$", "[1]"},
		{"$[0].a" + strings.Repeat(".**", 300), "[]"},
	} {
		v, err := ask(t, &functions.Call{}, queryAll, doc.NumberFromInt64(1), c.path)
		if err != nil {
			t.Errorf("%.20s…: %v", c.path, err)
		} else if got := typeio.Doc(v).JSONB(); got != c.want {
			t.Errorf("%.20s… gives %s, want %s", c.path, got, c.want)
		}
	}
}

// A call keeps its compiled path, and compiles anew when the path changes.
func TestState(t *testing.T) {
	c := &functions.Call{}
	d, _ := doc.ParseJSONB([]byte(`{"a":1,"b":2}`))
	for _, path := range []string{"$.a", "$.a", "$.b", "$.a"} {
		v, err := ask(t, c, queryAll, d, path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := typeio.Doc(v).JSONB(), map[string]string{"$.a": "[1]", "$.b": "[2]"}[path]; got != want {
			t.Errorf("%s gives %s, want %s", path, got, want)
		}
		if c.State.(*program).text != path {
			t.Errorf("the call keeps %s, want %s", c.State.(*program).text, path)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	d, err := doc.ParseJSONB([]byte(`{"e":[{"n":"x","v":1},{"n":"y","v":5},{"n":"z","v":[1,2,3]}],"k":"some text"}`))
	if err != nil {
		b.Fatal(err)
	}
	c := &functions.Call{}
	args := []value.Value{typeio.JSONB(d), value.String(`$.e[*] ? (@.n == "y" && @.v > 4)`)}
	eval := Scalars()[0][0].Eval
	b.ReportAllocs()
	for b.Loop() {
		if v, err := eval(context.Background(), c, args); err != nil || !v.Bool() {
			b.Fatal(v, err)
		}
	}
}
