package filter

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
)

// gen makes random documents and filters that often have something to do with each other.
type gen struct{ *rand.Rand }

func (g gen) pick(list ...string) string { return list[g.Intn(len(list))] }

func (g gen) scalar() string {
	return g.pick("1", "2", "2.0", "2.50", "3", "-1", `"x"`, `"y"`, `"xy"`, `""`, `"2"`, `"true"`, "true", "false", "null", `{"$oid":"0123456789abcdef01234567"}`, `"0123456789abcdef01234567"`,
		`{"$date":"2020-01-01T00:00:00Z"}`, `"2020-01-01T00:00:00Z"`, `{"$date":"2020-01-01T00:00:00.000001Z"}`, `{"$numberDouble":"NaN"}`, `{"$minKey":1}`, `{"$maxKey":1}`, `"é"`, `{"$regularExpression":{"pattern":"^x","options":""}}`)
}

func (g gen) value(depth int) string {
	switch n := g.Intn(8); {
	case n == 0 && depth > 0:
		return g.object(depth - 1)
	case n <= 2 && depth > 0:
		items := make([]string, g.Intn(4))
		for i := range items {
			items[i] = g.value(depth - 1)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return g.scalar()
}

func (g gen) object(depth int) string {
	var members []string
	for _, k := range []string{"a", "b", "c", "0"} {
		if g.Intn(5) < 3 {
			members = append(members, `"`+k+`":`+g.value(depth))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g gen) path() string { return g.pick("a", "a", "a", "b", "a.b", "a.b", "a.0", "a.0.b", "b.c") }

func (g gen) operators() string {
	var ops []string
	for range 1 + g.Intn(2) {
		ops = append(ops, g.operator())
	}
	return "{" + strings.Join(slices.Compact(ops), ",") + "}"
}

func (g gen) operator() string {
	switch g.Intn(12) {
	case 0:
		return `"$in":[` + g.value(1) + "," + g.scalar() + "]"
	case 1:
		return `"$exists":` + g.pick("true", "false")
	case 2:
		return `"$type":"` + g.pick("number", "string", "array", "null", "date", "bool", "int", "object") + `"`
	case 3:
		return `"$elemMatch":` + g.operators()
	case 4:
		return `"$elemMatch":` + g.filter(0)
	case 5:
		return `"$not":` + g.operators()
	case 6:
		return g.pick(`"$size":2`, `"$mod":[2,0]`, `"$regex":"^x"`, `"$regex":"x"`, `"$all":[2,"x"]`, `"$all":[[2]]`)
	}
	return `"` + g.pick("$eq", "$ne", "$gt", "$gte", "$lt", "$lte") + `":` + g.value(1)
}

func (g gen) filter(depth int) string {
	var members []string
	for range 1 + g.Intn(2) {
		switch n := g.Intn(8); {
		case n == 0 && depth > 0:
			members = append(members, `"`+g.pick("$and", "$or", "$nor")+`":[`+g.filter(depth-1)+","+g.filter(depth-1)+"]")
		case n < 4:
			members = append(members, `"`+g.path()+`":`+g.value(1))
		default:
			members = append(members, `"`+g.path()+`":`+g.operators())
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// randomFilter gives a filter that parses: some operands are refused for some operators.
func (g gen) randomFilter(t *testing.T) Expr {
	for {
		text := g.filter(2)
		e, err := ParseJSON([]byte(text))
		if err == nil {
			return e
		}
		if dberr.Code(err) != dberr.InvalidParameterValue {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

func (g gen) document(t *testing.T) doc.Doc {
	d, err := doc.ParseDocument([]byte(g.object(3)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func inRanges(cmp order, list []Range, v doc.Value) bool {
	return slices.ContainsFunc(list, func(r Range) bool {
		low, high := r.cuts()
		return cmp.cuts(low, cut{v, 0}) < 0 && cmp.cuts(cut{v, 0}, high) < 0
	})
}

// TestPathBounds: a document matches exactly when one of its entries lies in the bounds and the residual matches.
func TestPathBounds(t *testing.T) {
	g := gen{rand.New(rand.NewSource(1))}
	bounded, exact, matched := 0, 0, 0
	for range 20_000 {
		e, path := g.randomFilter(t), g.path()
		docs := make([]doc.Doc, 8)
		for i := range docs {
			docs[i] = g.document(t)
		}
		for _, multikey := range []bool{true, false} {
			b, residual, ok := PathBounds(e, path, multikey)
			if !ok {
				continue
			}
			bounded++
			exact += b2i(b.Exact)
			checkSorted(t, byBSON, b)
			keys := NewPathKeys(path)
			for _, d := range docs {
				entries := keys.Append(nil, d)
				if !multikey && len(entries) > 1 {
					continue
				}
				found := slices.ContainsFunc(entries, func(v doc.Value) bool { return inRanges(byBSON, b.Ranges, v) })
				want := match(t, e, d)
				matched += b2i(want)
				if got := found && match(t, residual, d); got != want {
					t.Fatalf("%s\non %s: %v\npath %s, multikey %v, bounds %s, residual %s, entries %v", e, d.Value().Canonical(), want, path, multikey, b, residual, printAll(entries))
				}
			}
		}
	}
	if bounded < 5000 || exact < 500 || matched < 500 {
		t.Errorf("the test proves little: %d bounds, %d exact, %d matches", bounded, exact, matched)
	}
}

func printAll(list []doc.Value) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Canonical())
	}
	return out
}

func checkSorted(t *testing.T, cmp order, b Bounds) {
	t.Helper()
	for i, r := range b.Ranges {
		low, high := r.cuts()
		if cmp.cuts(low, high) >= 0 {
			t.Fatalf("empty range in %s", b)
		}
		if i > 0 {
			if _, last := b.Ranges[i-1].cuts(); cmp.cuts(last, low) > 0 {
				t.Fatalf("ranges overlap or are not sorted: %s", b)
			}
		}
	}
}

// TestSQLPathBounds does the same for SQL predicates over a path index.
func TestSQLPathBounds(t *testing.T) {
	g := gen{rand.New(rand.NewSource(2))}
	bounded, matched := 0, 0
	for range 20_000 {
		d := g.document(t)
		e := g.sqlPredicate(d)
		path := g.pick("a", "a.b", "b")
		b, residual, ok := PathBounds(e, path, true)
		if !ok {
			continue
		}
		bounded++
		entries := NewPathKeys(path).Append(nil, d)
		found := slices.ContainsFunc(entries, func(v doc.Value) bool { return inRanges(byBSON, b.Ranges, v) })
		want := match(t, e, d)
		matched += b2i(want)
		if got := found && match(t, residual, d); got != want {
			t.Fatalf("%s\non %s: %v\npath %s, bounds %s, residual %s, entries %v", e, d.Value().Canonical(), want, path, b, residual, printAll(entries))
		}
	}
	if bounded < 4000 || matched < 1000 {
		t.Errorf("the test proves little: %d bounds, %d matches", bounded, matched)
	}
}

// sqlPredicate makes a predicate, often from the document's own values.
func (g gen) sqlPredicate(d doc.Doc) Expr {
	r := keys(strings.Split(g.pick("a", "a", "b", "a.b"), ".")...)
	v := d.Walk(r.Path)
	if v.Missing() || g.Intn(4) == 0 {
		v = ext(g.value(1))
	}
	text, _ := v.AppendText(nil)
	plain := jsonb(v.JSONB())
	switch g.Intn(6) {
	case 0:
		return &TextCmp{r, EQ, string(text)}
	case 1:
		return &TextIn{r, []string{string(text), "x"}, g.Intn(2) == 0}
	case 2:
		return &JSONCmp{r, EQ, plain}
	case 3:
		return &IsNull{r, g.Intn(2) == 0}
	case 4:
		return &Contains{r, plain}
	}
	for i := len(r.Path) - 1; i >= 0; i-- {
		plain = jsonb(`{"` + r.Path[i].Key + `":` + plain.JSONB() + `}`)
	}
	return &Contains{DocRef(nil), plain}
}

// TestKeyBounds: the rows for which a predicate is true are those whose key lies in the bounds and whose residual is true.
func TestKeyBounds(t *testing.T) {
	g := gen{rand.New(rand.NewSource(3))}
	bounded, exact, matched := 0, 0, 0
	for range 30_000 {
		d := g.document(t)
		k, e := g.keyPredicate(d)
		b, residual, ok := KeyBounds(e, k)
		if !ok {
			continue
		}
		cmp := nullsLast(k.order())
		checkSorted(t, cmp, b)
		ranges := slices.Clone(b.Ranges)
		for i := range ranges {
			if ranges[i].High.Unbounded {
				ranges[i].High = belowNulls
			}
		}
		key, valid := keyOf(k, d)
		if !valid {
			continue
		}
		m, err := Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Match(d)
		if err != nil {
			continue // a cast that fails: the index would not exist
		}
		bounded++
		exact += b2i(b.Exact)
		matched += b2i(want)
		if got := inRanges(cmp, ranges, key) && match(t, residual, d); got != want {
			t.Fatalf("%s\non %s: %v\nbounds %s, residual %s, key %s", e, d.Value().Canonical(), want, b, residual, key.Canonical())
		}
	}
	if bounded < 8000 || exact < 4000 || matched < 2000 {
		t.Errorf("the test proves little: %d bounds, %d exact, %d matches", bounded, exact, matched)
	}
}

func keyOf(k KeyExpr, d doc.Doc) (doc.Value, bool) {
	v := d.Walk(k.Path)
	text, ok := v.AppendText(nil)
	switch k.Kind {
	case KeyText:
		if !ok {
			return doc.Value{}, true
		}
		return doc.String(text), true
	case KeyCast:
		if !ok {
			return doc.Value{}, true
		}
		n, err := doc.NumberFromText(text)
		return n, err == nil
	}
	return v, true
}

func (g gen) keyPredicate(d doc.Doc) (KeyExpr, Expr) {
	k := KeyExpr{Ref: keys("a"), Kind: []KeyKind{KeyText, KeyJSON, KeyCast, KeyField}[g.Intn(4)], Class: ClassNumeric}
	var tree func(depth int) Expr
	tree = func(depth int) Expr {
		switch n := g.Intn(8); {
		case depth > 0 && n == 0:
			return &Not{tree(depth - 1)}
		case depth > 0 && n == 1:
			return &Or{[]Expr{tree(depth - 1), tree(depth - 1)}}
		case depth > 0 && n == 2:
			return &And{[]Expr{tree(depth - 1), tree(depth - 1)}}
		case n == 3:
			return &TextCmp{keys("b"), EQ, "x"}
		case n == 4:
			return &IsNull{k.Ref, k.Kind == KeyText || k.Kind == KeyCast}
		}
		return g.keyLeaf(k, d)
	}
	return k, tree(2)
}

func (g gen) keyLeaf(k KeyExpr, d doc.Doc) Expr {
	v := d.Walk(k.Path)
	if v.Missing() || g.Intn(2) == 0 {
		v = ext(g.value(1))
	}
	op := CmpOp(g.Intn(6))
	list, hasNull := g.Intn(3) == 0, g.Intn(4) == 0
	switch k.Kind {
	case KeyText:
		switch {
		case list:
			return &TextIn{k.Ref, []string{v.Text(), "x"}[:g.Intn(3)], hasNull}
		case g.Intn(4) == 0:
			return &TextLike{k.Ref, g.pick("x%", "%", "x", "%y", "_", "20%-01")}
		}
		return &TextCmp{k.Ref, op, v.Text()}
	case KeyJSON:
		if list {
			return &JSONIn{k.Ref, []doc.Value{v, ext("2")}[:g.Intn(3)], hasNull}
		}
		return &JSONCmp{k.Ref, op, v}
	}
	n := ext(g.pick("1", "2.5", "3", `{"$numberDouble":"NaN"}`, "-1"))
	if k.Kind == KeyCast {
		return &CastCmp{k.Ref, CastNumeric, op, n}
	}
	if list {
		return &FieldIn{k.Ref, ClassNumeric, []doc.Value{n, ext("2")}[:g.Intn(3)], hasNull}
	}
	return &FieldCmp{k.Ref, ClassNumeric, op, n}
}

// TestBoundsShown holds typical filters to the bounds that EXPLAIN prints.
func TestBoundsShown(t *testing.T) {
	for _, c := range []struct{ filter, path, bounds, residual string }{
		{`{"a":5}`, "a", `[5,5]`, `{}`},
		{`{"a":5,"b":1}`, "a", `[5,5]`, `{"b":1}`},
		{`{"a":{"$gt":1,"$lte":9}}`, "a", `(1,9]`, `{}`},
		{`{"a":{"$gte":"x"}}`, "a", `["x",{})`, `{}`},
		{`{"a":{"$in":[3,1,2,1]}}`, "a", `[1,1] [2,2] [3,3]`, `{}`},
		{`{"$or":[{"a":1},{"a":{"$gt":5}}]}`, "a", `[1,1] (5,"")`, `{}`},
		{`{"a":null}`, "a", `[{"$undefined":true},null]`, `{"a":null}`},
		{`{"a":{"$regex":"^ab"}}`, "a", `["ab","ac") [{"$regularExpression":{"pattern":"^ab","options":""}},{"$regularExpression":{"pattern":"^ab","options":""}}]`, `{}`},
		{`{"a":{"$elemMatch":{"b":5}}}`, "a.b", `[5,5]`, `{"a":{"$elemMatch":{"b":5}}}`},
		{`{"a":{"$elemMatch":{"$gt":1,"$lt":3}}}`, "a", `(1,3)`, `{"a":{"$elemMatch":{"$gt":1,"$lt":3}}}`},
		{`{"a":{"$gt":5,"$lt":3}}`, "a", ``, `{}`},
	} {
		e, err := ParseJSON([]byte(c.filter))
		if err != nil {
			t.Fatal(err)
		}
		b, residual, ok := PathBounds(e, c.path, false)
		if !ok || b.String() != c.bounds || residual.String() != c.residual {
			t.Errorf("%s: %v %s residual %s", c.filter, ok, b, residual)
		}
	}
	for _, c := range []string{`{"b":1}`, `{"$or":[{"a":1},{"b":1}]}`, `{"a":{"$ne":1}}`, `{}`} {
		e, _ := ParseJSON([]byte(c))
		if b, _, ok := PathBounds(e, "a", true); ok {
			t.Errorf("%s has bounds %s", c, b)
		}
	}
}
