package doc

import (
	"encoding/json"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/omgdb/omgdb/storage/dberr"
)

const rounds = 20_000

func forEach(t *testing.T, withBSON bool, f func(g gen)) {
	t.Helper()
	g := gen{rand.New(rand.NewSource(1)), withBSON}
	for i := 0; i < rounds && !t.Failed(); i++ {
		f(g)
	}
}

func TestGeneratedValuesAreValid(t *testing.T) {
	forEach(t, true, func(g gen) {
		v := g.object(4)
		if err := Validate(v, false); err != nil {
			t.Errorf("%s: %v", v.Canonical(), err)
		}
		if err := bson.Raw(v.Data).Validate(); err != nil {
			t.Errorf("the driver refuses %s: %v", v.Canonical(), err)
		}
	})
}

func TestCanonicalRoundTrip(t *testing.T) {
	forEach(t, true, func(g gen) {
		v := g.value(4)
		text := v.Canonical()
		back, err := ParseExtJSON([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again := back.Canonical(); again != text {
			t.Errorf("printed %s\nthen    %s", text, again)
		}
		if CompareBSON(v, back) != 0 && !strings.Contains(text, `"$symbol"`) && !hasPrivateShape(v) {
			t.Errorf("%s reads back as another value, %s", text, back.Canonical())
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("not JSON: %s", text)
		}
	})
}

// hasPrivateShape reports private text and vectors, which are shown as strings and arrays for good.
func hasPrivateShape(v Value) bool {
	if v.private(SubtypeText) || v.private(SubtypeVector) {
		return true
	}
	for e := v.Elements(); ; {
		_, x, ok := e.Next()
		if !ok {
			return false
		}
		if hasPrivateShape(x) {
			return true
		}
	}
}

func TestJSONBRoundTrip(t *testing.T) {
	forEach(t, true, func(g gen) {
		v := g.value(4)
		text := v.JSONB()
		back, err := ParseJSONB([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again := back.JSONB(); again != text {
			t.Errorf("printed %s\nthen    %s", text, again)
		}
		if Compare(v, back) != 0 || Compare(back, v) != 0 || Hash(v) != Hash(back) {
			t.Errorf("%s reads back as another value, %s", text, back.JSONB())
		}
		if !Contains(v, back) || !Contains(back, v) {
			t.Errorf("%s does not contain itself", text)
		}
	})
}

func TestToDocument(t *testing.T) {
	forEach(t, true, func(g gen) {
		v := g.object(4)
		plain := must(ParseJSONB([]byte(v.JSONB())))
		d, err := ToDocument(plain)
		if err != nil {
			t.Fatalf("%s: %v", plain.JSONB(), err)
		}
		if d.JSONB() != v.JSONB() || CompareBSON(g.sorted(d), g.sorted(must(ParseExtJSON([]byte(v.Canonical()))))) != 0 {
			t.Errorf("%s became %s", v.Canonical(), d.Canonical())
		}
	})
}

// sorted gives the value with keys in jsonb's order.
func (g gen) sorted(v Value) Value {
	if v.Doc() == nil {
		return v
	}
	out, start := BeginDocument(nil)
	fields := appendFields(nil, v.Data)
	if v.Type == TypeObject {
		sortFields(v.Data, fields)
	}
	for _, f := range fields {
		out = AppendElement(out, string(f.key(v.Data)), g.sorted(f.value(v.Data)))
	}
	return Value{v.Type, EndDocument(out, start)}
}

func TestKeyOrderDoesNotMatter(t *testing.T) {
	forEach(t, true, func(g gen) {
		v := g.value(4)
		w := g.shuffled(v)
		if Compare(v, w) != 0 || Hash(v) != Hash(w) || v.JSONB() != w.JSONB() || !Contains(v, w) {
			t.Errorf("%s and %s differ", v.Canonical(), w.Canonical())
		}
	})
}

// TestOrders checks that both orders are total orders, and that hashes agree with equality.
func TestOrders(t *testing.T) {
	orders := map[string]func(a, b Value) int{"jsonb": Compare, "bson": CompareBSON}
	forEach(t, true, func(g gen) {
		a, b, c := g.value(2), g.value(2), g.value(2)
		for name, cmp := range orders {
			if cmp(a, a) != 0 {
				t.Errorf("%s: %s is not itself", name, a.Canonical())
			}
			if cmp(a, b) != -cmp(b, a) {
				t.Errorf("%s: %s and %s: %d, %d", name, a.Canonical(), b.Canonical(), cmp(a, b), cmp(b, a))
			}
			if cmp(a, b) <= 0 && cmp(b, c) <= 0 && cmp(a, c) > 0 {
				t.Errorf("%s: not transitive: %s, %s, %s", name, a.Canonical(), b.Canonical(), c.Canonical())
			}
		}
		if Equal(a, b) != (Compare(a, b) == 0) || Equal(a, b) && Hash(a) != Hash(b) {
			t.Errorf("equality or hash is wrong for %s, %s", a.Canonical(), b.Canonical())
		}
	})
}

// TestShownOrder: a value that JSON lacks and the object it is shown as have one place among all values.
func TestShownOrder(t *testing.T) {
	forEach(t, true, func(g gen) {
		a, b := g.special(), g.value(1)
		shown := must(ParseJSONB([]byte(a.JSONB())))
		if Compare(a, b) != Compare(shown, b) || Compare(b, a) != Compare(b, shown) {
			t.Errorf("%s and its object compare differently with %s: %d, %d", a.Canonical(), b.Canonical(), Compare(a, b), Compare(shown, b))
		}
	})
}

func TestNumbersAgainstAPD(t *testing.T) {
	forEach(t, true, func(g gen) {
		a, b := g.number(), g.number()
		var x, y apd.Decimal
		if !a.Decimal(&x) || !b.Decimal(&y) {
			t.Fatalf("%s or %s is no number", a.Canonical(), b.Canonical())
		}
		if c, _ := CompareNumbers(a, b); c != x.Cmp(&y) {
			t.Errorf("%s against %s: %d, apd says %d", a.Canonical(), b.Canonical(), c, x.Cmp(&y))
		}
		if (x.Cmp(&y) == 0) && Hash(a) != Hash(b) {
			t.Errorf("%s (type %x) and %s (type %x) hash apart", a.Canonical(), a.Type, b.Canonical(), b.Type)
		}
		back, err := NumberFromDecimal(&x)
		if err != nil || back.JSONB() != a.JSONB() {
			t.Errorf("%s became %s through apd: %v", a.JSONB(), back.JSONB(), err)
		}
		if f, ok := a.Float64(); ok {
			want, _ := x.Float64()
			if f != want && !(math.IsInf(want, 0)) {
				t.Errorf("%s as double: %v, apd says %v", a.JSONB(), f, want)
			}
		}
		if i, ok := a.Int64(); ok {
			if x.Cmp(apd.New(i, 0)) != 0 {
				t.Errorf("%s as int64: %d", a.JSONB(), i)
			}
		}
	})
}

// TestNumberText: the same number from text is the same bytes, and its text is what PostgreSQL's numeric prints.
func TestNumberText(t *testing.T) {
	forEach(t, false, func(g gen) {
		v := g.number()
		text := v.AppendNumber(nil)
		back, err := NumberFromText(text)
		if err != nil || back.Type != v.Type || string(back.Data) != string(v.Data) {
			t.Errorf("%s: type %x %x, then %x %x: %v", text, v.Type, v.Data, back.Type, back.Data, err)
		}
	})
}

func TestDecimal128AgainstDriver(t *testing.T) {
	forEach(t, true, func(g gen) {
		v := g.number()
		if v.Type != TypeDecimal128 {
			return
		}
		high, low := leUint64(v.Data[8:]), leUint64(v.Data)
		theirs := bson.NewDecimal128(high, low)
		coef, exp, err := theirs.BigInt()
		if err != nil {
			t.Fatal(err)
		}
		var buf DecimalBuf
		d, _ := v.Decompose(&buf)
		digits := string(d.Coef)
		if digits == "" {
			digits = "0"
		}
		if d.Neg && digits != "0" {
			digits = "-" + digits
		}
		if digits != coef.String() || d.Exp != exp {
			t.Errorf("%s E%d here, %s E%d in the driver", digits, d.Exp, coef, exp)
		}
	})
}

func TestLimits(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, parse := range []func([]byte) (Value, error){ParseJSONB, ParseExtJSON} {
		v, err := parse(nested(MaxDepth))
		if err != nil {
			t.Fatal(err)
		}
		_, err = parse(nested(MaxDepth + 1))
		wantCode(t, err, dberr.StatementTooComplex)
		_, err = parse([]byte(strings.Repeat(`{"a":`, 1_000_000)))
		wantCode(t, err, dberr.StatementTooComplex)
		_, err = Concat(v, v)
		if err != nil {
			t.Error(err)
		}
		_, err = Concat(String("x"), v)
		if err != nil {
			t.Error(err)
		}
		obj := must(parse([]byte(strings.Repeat(`{"a":`, MaxDepth) + "1" + strings.Repeat("}", MaxDepth))))
		_, err = Concat(Null(), obj)
		wantCode(t, err, dberr.StatementTooComplex)
		_, err = SetPath(must(parse([]byte(`{}`))), Texts("a"), obj, true)
		wantCode(t, err, dberr.StatementTooComplex)
	}
	wantCode(t, ValidateJSON(nested(MaxDepth+1)), dberr.StatementTooComplex)
	big := []byte(`{"a":"` + strings.Repeat("x", MaxDocumentSize) + `"}`)
	_, err := ParseDocument(big)
	wantCode(t, err, dberr.ProgramLimitExceeded)
	if _, err := ParseJSONB(big); err != nil {
		t.Error(err)
	}
	_, err = ParseJSONB([]byte("[" + strings.Repeat("1,", MaxValueSize/9) + "1]"))
	wantCode(t, err, dberr.ProgramLimitExceeded)
	v := must(ParseJSONB([]byte("1e131071")))
	if n := len(v.JSONB()); n != 131072 {
		t.Errorf("1e131071 prints %d digits", n)
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if dberr.Code(err) != code {
		t.Errorf("got %v (%s), want %s", err, dberr.Code(err), code)
	}
}

func TestObjectIDsRise(t *testing.T) {
	var g ObjectIDs
	last := g.Next()
	for range 100_000 {
		id := g.Next()
		if string(id[:]) <= string(last[:]) {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
	high := last
	high[0]++
	for _, tail := range []byte{0x00, 0xFF} {
		for i := 4; i < 12; i++ {
			high[i] = tail
		}
		g.Observe(high)
		if id := g.Next(); string(id[:]) <= string(high[:]) {
			t.Errorf("%s after %s", id, high)
		}
		high[0]++
	}
}
