package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

func document(t *testing.T, s string) doc.Doc {
	t.Helper()
	d, err := doc.ParseDocument([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return d
}

func TestProjection(t *testing.T) {
	const d = `{"_id":1,"a":{"b":1,"c":{"d":2,"e":3}},"l":[1,{"x":1,"y":2},[{"x":3,"z":4}],{}],"s":"t"}`
	for _, c := range []struct{ projection, result string }{
		{`{}`, d},
		{`{"s":1}`, `{"_id":1,"s":"t"}`},
		{`{"s":true,"_id":0}`, `{"s":"t"}`},
		{`{"_id":1}`, `{"_id":1}`},
		{`{"_id":0}`, strings.Replace(d, `"_id":1,`, "", 1)},
		{`{"s":0,"l":0}`, `{"_id":1,"a":{"b":1,"c":{"d":2,"e":3}}}`},
		{`{"s":0,"_id":0,"l":0,"a.c":0}`, `{"a":{"b":1}}`},
		{`{"a.c.d":1}`, `{"_id":1,"a":{"c":{"d":2}}}`},
		{`{"a":{"c":{"d":1},"b":1}}`, `{"_id":1,"a":{"b":1,"c":{"d":2}}}`},
		{`{"l.x":1}`, `{"_id":1,"l":[{"x":1},[{"x":3}],{}]}`},
		{`{"l.x":0,"a":0}`, `{"_id":1,"l":[1,{"y":2},[{"z":4}],{}],"s":"t"}`},
		{`{"s.q":1}`, `{"_id":1}`},
		{`{"s.q":0,"a":0,"l":0}`, `{"_id":1,"s":"t"}`},
		{`{"nothing":1}`, `{"_id":1}`},
		{`{"l":1,"a.b":1,"_id":false}`, `{"a":{"b":1},"l":[1,{"x":1,"y":2},[{"x":3,"z":4}],{}]}`},
	} {
		p, err := ParseProjection(document(t, c.projection))
		if err != nil {
			t.Errorf("%s: %v", c.projection, err)
			continue
		}
		if got := p.Apply(document(t, d)); got.Value().Canonical() != c.result {
			t.Errorf("%s: %s, want %s", c.projection, got.Value().Canonical(), c.result)
		}
	}
	for projection, part := range map[string]string{
		`{"a":1,"b":0}`: "mixes", `{"a":1,"a.b":1}`: "conflicts", `{"a.b":1,"a":1}`: "conflicts", `{"a":"x"}`: "needs 1 or 0, found string",
		`{"a.$":1}`: "not a path", `{"a":{"$slice":2}}`: "$slice", `{"a":{}}`: "empty object", `{"a..b":1}`: "not a path", `{"$x":1}`: "not a path", `{"a":{"b":1,"c":0}}`: "mixes",
	} {
		_, err := ParseProjection(document(t, projection))
		if err == nil || !strings.Contains(err.Error(), part) || dberr.Code(err) != dberr.InvalidParameterValue {
			t.Errorf("%s: %v, want %s", projection, err, part)
		}
	}
}

func TestSort(t *testing.T) {
	docs := []string{`{"i":0}`, `{"i":1,"a":null}`, `{"i":2,"a":5,"b":1}`, `{"i":3,"a":5,"b":2}`, `{"i":4,"a":"x"}`, `{"i":5,"a":[]}`, `{"i":6,"a":[3,9]}`, `{"i":7,"a":{"c":1}}`, `{"i":8,"a":true}`}
	for _, c := range []struct{ sort, order string }{
		{`{"a":1}`, "501623478"}, // [] below null; [3,9] by its lowest
		{`{"a":-1}`, "874623015"},
		{`{"a":1,"b":-1}`, "501632478"},
		{`{"a.c":1}`, "012345687"}, // [3,9] and the scalars have none
		{`{}`, "012345678"},
	} {
		s, err := ParseSort(document(t, c.sort))
		if err != nil {
			t.Fatal(err)
		}
		type item struct {
			i    string
			keys []doc.Value
		}
		var items []item
		for _, text := range docs {
			d := document(t, text)
			items = append(items, item{d.Lookup("i").Text(), s.Keys(nil, d)})
		}
		slices.SortStableFunc(items, func(a, b item) int { return s.Compare(a.keys, b.keys) })
		got := ""
		for _, it := range items {
			got += it.i
		}
		if got != c.order {
			t.Errorf("%s: %s, want %s", c.sort, got, c.order)
		}
	}
	for _, sort := range []string{`{"a":2}`, `{"a":"x"}`, `{"a":{"$meta":"textScore"}}`, `{"":1}`, `{"$a":1}`} {
		if _, err := ParseSort(document(t, sort)); dberr.Code(err) != dberr.InvalidParameterValue {
			t.Errorf("%s: %v", sort, err)
		}
	}
}
