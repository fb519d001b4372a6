package key_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
)

var orders = []key.Order{{}, {Desc: true}, {NullsFirst: true}, {Desc: true, NullsFirst: true}}

// field is one kind of component: how values are drawn, written, compared and read back as they print.
type field struct {
	kind    key.Kind
	draw    func(t *rapid.T) any
	append  func(o key.Order, dst []byte, v any) []byte
	compare func(a, b any) int
	read    func(r *key.Reader, o key.Order) (v any, null bool, err error) // nil: not readable
}

var genText = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"\x00", "\x01", "a", "b", "\xff", "ü"}), 0, 6).Draw(t, "text"), "")
})

type interval struct {
	months, days int32
	micros       int64
}

func (i interval) length() *big.Int {
	n := big.NewInt((int64(i.months)*30 + int64(i.days)))
	return n.Mul(n, big.NewInt(86_400_000_000)).Add(n, big.NewInt(i.micros))
}

var fields = map[string]field{
	"int": {key.NumberKind,
		func(t *rapid.T) any { return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3)).Draw(t, "int") },
		func(o key.Order, dst []byte, v any) []byte { return o.AppendInt(dst, v.(int64)) },
		func(a, b any) int { return cmp.Compare(a.(int64), b.(int64)) },
		func(r *key.Reader, o key.Order) (any, bool, error) { return wrap(r.Int(o)) }},
	"float": {key.NumberKind,
		func(t *rapid.T) any {
			return rapid.SampledFrom([]float64{math.Inf(-1), -1e300, -1.5, 0, 1e-9, 0.1, 1, 1e15, math.Inf(1), math.NaN()}).Draw(t, "float")
		},
		func(o key.Order, dst []byte, v any) []byte { return o.AppendFloat(dst, v.(float64)) },
		func(a, b any) int { return -cmp.Compare(-a.(float64), -b.(float64)) }, // Go has NaN lowest
		func(r *key.Reader, o key.Order) (any, bool, error) {
			n, null, err := r.Number(o)
			return n.Float(), null, err
		}},
	"numeric": {key.NumberKind,
		func(t *rapid.T) any { return genDecimal.Draw(t, "numeric") },
		func(o key.Order, dst []byte, v any) []byte { return o.AppendNumeric(dst, v.(*apd.Decimal)) },
		func(a, b any) int { return a.(*apd.Decimal).Cmp(b.(*apd.Decimal)) }, nil},
	"text": {key.TextKind,
		func(t *rapid.T) any { return genText.Draw(t, "text") },
		func(o key.Order, dst []byte, v any) []byte { return o.AppendText(dst, v.(string)) },
		func(a, b any) int { return strings.Compare(a.(string), b.(string)) },
		func(r *key.Reader, o key.Order) (any, bool, error) {
			b, null, err := r.Text(o)
			return string(b), null, err
		}},
	"bool": {key.BoolKind,
		func(t *rapid.T) any { return rapid.Bool().Draw(t, "bool") },
		func(o key.Order, dst []byte, v any) []byte { return o.AppendBool(dst, v.(bool)) },
		func(a, b any) int { return b2i(a.(bool)) - b2i(b.(bool)) },
		func(r *key.Reader, o key.Order) (any, bool, error) { return wrap(r.Bool(o)) }},
	"micros": {key.FixedKind,
		func(t *rapid.T) any {
			return rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, math.MaxInt64})).Draw(t, "micros")
		},
		func(o key.Order, dst []byte, v any) []byte { return o.AppendFixed(dst, v.(int64)) },
		func(a, b any) int { return cmp.Compare(a.(int64), b.(int64)) },
		func(r *key.Reader, o key.Order) (any, bool, error) { return wrap(r.Fixed(o)) }},
	"uuid": {key.WideKind,
		func(t *rapid.T) any { return [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid")) },
		func(o key.Order, dst []byte, v any) []byte { return o.AppendUUID(dst, v.([16]byte)) },
		func(a, b any) int { x, y := a.([16]byte), b.([16]byte); return bytes.Compare(x[:], y[:]) },
		func(r *key.Reader, o key.Order) (any, bool, error) { return wrap(r.UUID(o)) }},
	"interval": {key.WideKind,
		func(t *rapid.T) any {
			return interval{rapid.Int32().Draw(t, "months"), rapid.Int32Range(-40, 40).Draw(t, "days"), rapid.Int64().Draw(t, "micros")}
		},
		func(o key.Order, dst []byte, v any) []byte {
			i := v.(interval)
			return o.AppendInterval(dst, i.months, i.days, i.micros)
		},
		func(a, b any) int { return a.(interval).length().Cmp(b.(interval).length()) }, nil},
	"list": {key.ListKind,
		func(t *rapid.T) any {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "null"}), 0, 4).Draw(t, "list")
		},
		func(o key.Order, dst []byte, v any) []byte {
			dst, l := o.BeginList(dst)
			for _, s := range v.([]string) {
				if s == "null" {
					dst = l.Null(dst)
					continue
				}
				dst = key.AppendText(l.Item(dst, key.TextKind), s)
			}
			return l.End(dst)
		},
		func(a, b any) int { return slices.Compare(a.([]string), b.([]string)) }, nil}, // "null" sorts behind "b"
}

func wrap[T any](v T, null bool, err error) (any, bool, error) { return v, null, err }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

var fieldNames = func() []string {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// TestCompositeProperty compares two composite keys of the same random shape, with NULLs, with the order of SQL's ORDER BY, and
// reads one back.
func TestCompositeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b []byte
		var parts []part
		want := 0
		for range rapid.IntRange(1, 4).Draw(t, "components") {
			p := part{name: rapid.SampledFrom(fieldNames).Draw(t, "type"), order: rapid.SampledFrom(orders).Draw(t, "order")}
			var c int
			a, b, c = p.draw(t, a, b)
			if want == 0 {
				want = c
			}
			parts = append(parts, p)
		}
		if got := bytes.Compare(a, b); got != want {
			t.Fatalf("%v: keys %x and %x compare %d, want %d", parts, a, b, got, want)
		}
		for _, begin := range []func(*key.Reader, []byte){(*key.Reader).RowKey, (*key.Reader).Entry} {
			var r key.Reader
			begin(&r, append(slices.Clone(a), "row key"...))
			readParts(t, &r, parts)
			begin(&r, append(slices.Clone(a), "row key"...))
			skipParts(t, &r, parts, a)
		}
	})
}

type part struct {
	name  string
	order key.Order
	null  bool
	value any // of the first key
}

func (p part) String() string { return fmt.Sprintf("%s %+v %v", p.name, p.order, p.value) }

// draw appends a component to both keys and tells how they compare in it.
func (p *part) draw(t *rapid.T, a, b []byte) ([]byte, []byte, int) {
	f, o := fields[p.name], p.order
	x, y := f.draw(t), f.draw(t)
	if rapid.Bool().Draw(t, "equal") {
		y = x
	}
	nullA, nullB := rapid.IntRange(0, 5).Draw(t, "null a") == 0, rapid.IntRange(0, 5).Draw(t, "null b") == 0
	p.null, p.value = nullA, x
	write := func(dst []byte, null bool, v any) []byte {
		if null {
			return o.AppendNull(dst)
		}
		return f.append(o, dst, v)
	}
	c := f.compare(x, y)
	switch {
	case nullA || nullB:
		if c = b2i(nullA) - b2i(nullB); o.NullsFirst {
			c = -c
		}
	case o.Desc:
		c = -c
	}
	return write(a, nullA, x), write(b, nullB, y), c
}

func readParts(t *rapid.T, r *key.Reader, parts []part) {
	for _, p := range parts {
		f := fields[p.name]
		if f.read == nil {
			if _, err := r.Skip(p.order, f.kind); err != nil {
				t.Fatalf("%v: %v", p, err)
			}
			continue
		}
		v, null, err := f.read(r, p.order)
		if err != nil || null != p.null || !null && fmt.Sprint(v) != fmt.Sprint(p.value) {
			t.Fatalf("%v reads back as %v, null %v, error %v", p, v, null, err)
		}
	}
	if string(r.Rest()) != "row key" {
		t.Fatalf("rest %q", r.Rest())
	}
}

func skipParts(t *rapid.T, r *key.Reader, parts []part, whole []byte) {
	var joined []byte
	for _, p := range parts {
		b, err := r.Skip(p.order, fields[p.name].kind)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		joined = append(joined, b...)
	}
	if !bytes.Equal(joined, whole) || string(r.Rest()) != "row key" {
		t.Fatalf("skipped %x of %x, rest %q", joined, whole, r.Rest())
	}
}

func TestReaderRefuses(t *testing.T) {
	cut, _ := key.Cut(key.Order{}.AppendText(nil, strings.Repeat("x", 5000)), 0)
	for name, k := range map[string][]byte{
		"nothing": {}, "no value": {2}, "unknown mark": {9, 9}, "null at the other end": {1}, "text without end": {2, 'a'},
		"bad escape": {2, 0, 7, 0, 1}, "half an escape": {2, 'a', 0}, "cut in the hash": cut[:len(cut)-1],
	} {
		var r key.Reader
		r.Entry(k)
		if b, null, err := r.Text(key.Order{}); dberr.Code(err) != dberr.DataCorrupted {
			t.Errorf("%s: %q, null %v, error %v", name, b, null, err)
		}
	}
}

// TestCut checks what a cut component still promises: its place among keys that are not cut, another hash for another value, bounds
// that lose nothing, and a reader that finds its end.
func TestCut(t *testing.T) {
	for _, o := range orders {
		long := strings.Repeat("a", key.CutAt+100)
		at := func(s string) []byte { return o.AppendText([]byte("prefix"), s)[6:] }
		cut := func(s string) []byte {
			k, exact := key.Cut(at(s), 0)
			if exact != (len(at(s)) <= key.CutAt) || len(k) > key.CutAt+16 {
				t.Fatalf("exact %v, %d bytes", exact, len(k))
			}
			return k
		}
		want := func(what string, a, b []byte, c int) {
			t.Helper()
			if o.Desc {
				c = -c
			}
			if bytes.Compare(a, b) != c {
				t.Errorf("%+v: %s", o, what)
			}
		}
		want("below", cut(long[:100]), cut(long), -1)
		want("below, by the last byte", cut(long[:key.CutAt-3]), cut(long), -1)
		want("above", cut("b"), cut(long), 1)
		if bytes.Equal(cut(long), cut(long+"b")) {
			t.Error("two values have one key")
		}
		low, exact := key.CutBound(at(long+"x"), 0)
		high := key.PrefixEnd(low)
		for _, s := range []string{long, long + "b", long + "z"} {
			if exact || bytes.Compare(cut(s), low) < 0 || bytes.Compare(cut(s), high) >= 0 {
				t.Errorf("%+v: a value outside the bounds, or bounds said to be exact", o)
			}
		}
		var r key.Reader
		r.Entry(o.AppendInt(append(cut(long), "" /* the next component */ ...), 7))
		if _, _, err := r.Text(o); err != key.ErrCut {
			t.Fatalf("%+v: reading a cut text: %v", o, err)
		}
		if i, _, err := r.Int(o); i != 7 || err != nil {
			t.Fatalf("%+v: behind a cut text: %d, %v", o, i, err)
		}
		r.RowKey(at(long))
		if b, _, err := r.Text(o); string(b) != long || err != nil {
			t.Fatalf("%+v: a long row key: %.20q, %v", o, b, err)
		}
	}
}
