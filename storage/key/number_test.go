package key_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/key"
)

// TestNumberOrder lists numbers in order, several forms of one value in a line; forms are written as type:text.
func TestNumberOrder(t *testing.T) {
	lines := [][]string{
		{"float:-Inf", "numeric:-Infinity"},
		{"text:-1e131071"},
		{"float:-1.7976931348623157e308", "text:-17976931348623157e292"},
		{"float:-9223372036854775808", "numeric:-9223372036854776000"}, // its shortest decimal
		{"int:-9223372036854775808", "numeric:-9223372036854775808.000"},
		{"int:-9223372036854775807"},
		{"int:-100", "float:-100", "numeric:-1e2"},
		{"numeric:-99.999999999999999999999999999999999999999"},
		{"int:-99"},
		{"int:-10"}, {"int:-1", "numeric:-1.000000"},
		{"float:-0.1", "numeric:-0.10"},
		{"numeric:-0.09"},
		{"float:-5e-324"},
		{"text:-1e-16383"},
		{"int:0", "float:0", "float:-0", "numeric:-0.00", "text:0e100", "text:-0"},
		{"text:1e-16383"},
		{"float:5e-324", "text:5e-324"},
		{"text:1e-60"}, {"text:1e-59"}, {"text:1e-58"}, {"text:1e-57"},
		{"float:0.001"},
		{"numeric:0.0999999999999999999999999999"},
		{"float:0.1", "numeric:0.1", "numeric:0.10", "text:1e-1"},
		{"numeric:0.1000000000000000055511151231257827"}, // the double 0.1, taken exactly, is another number
		{"float:0.3"},
		{"float:0.30000000000000004", "numeric:0.30000000000000004"},
		{"int:1", "float:1", "numeric:1.0", "text:+1E0"},
		{"int:9"}, {"int:10"}, {"numeric:10.5", "float:10.5"}, {"int:11"},
		{"float:19.99", "numeric:19.990"},
		{"int:99"}, {"numeric:99.01"}, {"int:100"}, {"int:101"},
		{"int:9007199254740992", "float:9007199254740992"},
		{"int:9007199254740993"},
		{"int:9223372036854775806"},
		{"int:9223372036854775807"},
		{"float:9223372036854775808", "numeric:9223372036854776000"},
		{"text:1e61"}, {"text:1e62"}, {"text:1e63"},
		{"float:1.7976931348623157e308"},
		{"text:1e131071"},
		{"float:Inf", "numeric:Infinity"},
		{"float:NaN", "numeric:NaN"},
	}
	var last []byte
	for _, line := range lines {
		first := encodeForm(t, line[0])
		if bytes.Compare(last, first) >= 0 {
			t.Errorf("%s is not above the line before", line[0])
		}
		for _, form := range line[1:] {
			if got := encodeForm(t, form); !bytes.Equal(got, first) {
				t.Errorf("%s gives %x, %s gives %x", form, got, line[0], first)
			}
		}
		last = first
	}
	if bytes.Compare(key.AppendNaN(nil, key.NaNLowest), key.AppendInfinity(nil, true)) >= 0 {
		t.Error("the lowest NaN is not below -Infinity")
	}
}

func encodeForm(t *testing.T, form string) []byte {
	t.Helper()
	kind, text, _ := strings.Cut(form, ":")
	switch kind {
	case "int":
		i, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return key.AppendInt(nil, i)
	case "float":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if text == "-0" {
			f = math.Copysign(0, -1)
		}
		return key.AppendFloat(nil, f, key.NaNGreatest)
	case "numeric":
		d, _, err := apd.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		return key.AppendNumeric(nil, d, key.NaNGreatest)
	}
	b, ok := key.AppendDecimalText(nil, []byte(text))
	if !ok {
		t.Fatalf("%q is no decimal text", text)
	}
	return b
}

func TestDecimalTextRefuses(t *testing.T) {
	for _, text := range []string{"", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "1 ", " 1", "1e1.5", "1e99999999999", "1e1073741824", "NaN", "--1"} {
		if b, ok := key.AppendDecimalText([]byte("before"), []byte(text)); ok || string(b) != "before" {
			t.Errorf("%q gives %x, %v", text, b, ok)
		}
	}
}

// genDecimal draws decimals whose differences are small, large and far behind the point.
var genDecimal = rapid.Custom(func(t *rapid.T) *apd.Decimal {
	digits := rapid.StringOfN(rapid.SampledFrom([]rune("00019")), 1, rapid.SampledFrom([]int{1, 3, 20, 45}).Draw(t, "len"), -1).Draw(t, "digits")
	d := new(apd.Decimal)
	d.Coeff.SetString(digits, 10)
	d.Exponent = int32(rapid.OneOf(rapid.IntRange(-25, 25), rapid.IntRange(-150, 150)).Draw(t, "exp"))
	d.Negative = rapid.Bool().Draw(t, "neg")
	return d
})

func TestNumericOrderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDecimal.Draw(t, "a"), genDecimal.Draw(t, "b")
		ka, kb := key.AppendNumeric(nil, a, key.NaNGreatest), key.AppendNumeric(nil, b, key.NaNGreatest)
		if got, want := bytes.Compare(ka, kb), a.Cmp(b); got != want {
			t.Fatalf("%s and %s compare %d, their keys %x and %x %d", a, b, want, ka, kb, got)
		}
		if text, ok := key.AppendDecimalText(nil, []byte(a.String())); !ok || !bytes.Equal(text, ka) {
			t.Fatalf("the text of %s gives %x, %v, not %x", a, text, ok, ka)
		}
		var back apd.Decimal
		n := readNumber(t, key.Order{}, key.Order{}.AppendNumeric(nil, a))
		n.Numeric(&back)
		if back.Cmp(a) != 0 || back.Exponent > 0 {
			t.Fatalf("%s reads back as %s", a, &back)
		}
	})
}

func readNumber(t *rapid.T, o key.Order, k []byte) key.Number {
	var r key.Reader
	r.RowKey(append(slices.Clone(k), "rest"...))
	n, null, err := r.Number(o)
	if err != nil || null || string(r.Rest()) != "rest" {
		t.Fatalf("number %x: null %v, error %v, rest %q", k, null, err, r.Rest())
	}
	return n
}

// genFloat draws doubles from their bits, from short decimals, and next to integers.
var genFloat = rapid.OneOf(
	rapid.Custom(func(t *rapid.T) float64 { return math.Float64frombits(rapid.Uint64().Draw(t, "bits")) }),
	rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-100000, 100000).Draw(t, "n")) / 1000 }),
	rapid.Custom(func(t *rapid.T) float64 {
		return math.Nextafter(float64(rapid.Int64().Draw(t, "n")), rapid.SampledFrom([]float64{math.Inf(1), 0}).Draw(t, "to"))
	}),
)

func TestFloatProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, g := genFloat.Draw(t, "f"), genFloat.Draw(t, "g")
		kf, kg := key.AppendFloat(nil, f, key.NaNGreatest), key.AppendFloat(nil, g, key.NaNGreatest)
		want := 0
		switch {
		case f < g || g != g && f == f:
			want = -1
		case f > g || f != f && g == g:
			want = 1
		}
		if got := bytes.Compare(kf, kg); got != want {
			t.Fatalf("%v and %v compare %d, their keys %x and %x %d", f, g, want, kf, kg, got)
		}
		for _, o := range orders {
			n := readNumber(t, o, o.AppendFloat(nil, f))
			if back := n.Float(); back != f && (back == back || f == f) {
				t.Fatalf("%v reads back as %v", f, back)
			}
		}
		if math.IsInf(f, 0) || f != f {
			return
		}
		shortest, _, err := apd.NewFromString(strconv.FormatFloat(f, 'e', -1, 64))
		if err != nil {
			t.Fatal(err)
		}
		if k := key.AppendNumeric(nil, shortest, key.NaNGreatest); !bytes.Equal(k, kf) {
			t.Fatalf("%v gives %x, its shortest decimal %x", f, kf, k)
		}
	})
}

func TestIntProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1000, 1000))
		i, j := gen.Draw(t, "i"), gen.Draw(t, "j")
		if got, want := bytes.Compare(key.AppendInt(nil, i), key.AppendInt(nil, j)), big.NewInt(i).Cmp(big.NewInt(j)); got != want {
			t.Fatalf("%d and %d compare %d, their keys %d", i, j, want, got)
		}
		for _, o := range orders {
			n := readNumber(t, o, o.AppendInt(nil, i))
			if back, ok := n.Int(); !ok || back != i {
				t.Fatalf("%d reads back as %d, %v", i, back, ok)
			}
		}
	})
}

func TestIntRefusesOtherNumbers(t *testing.T) {
	for _, text := range []string{"0.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e300"} {
		k, _ := key.AppendDecimalText([]byte{2}, []byte(text)) // 2 begins a component that is not NULL
		var r key.Reader
		r.RowKey(k)
		if i, _, err := r.Int(key.Order{}); err == nil {
			t.Errorf("%s reads as the integer %d", text, i)
		}
	}
}

// TestDecimal128Property compares the two words with the numeric of the same value.
func TestDecimal128Property(t *testing.T) {
	limit, _ := new(big.Int).SetString("10000000000000000000000000000000000", 10)
	rapid.Check(t, func(t *rapid.T) {
		coef := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 14).Draw(t, "coef"))
		coef.Mod(coef, new(big.Int).Lsh(big.NewInt(1), 113))
		exp, neg := rapid.IntRange(-6176, 6111).Draw(t, "exp"), rapid.Bool().Draw(t, "neg")
		b := decimal128(coef, exp, neg)
		want := new(apd.Decimal)
		if coef.Cmp(limit) < 0 { // a greater coefficient counts as 0
			want.Coeff.SetMathBigInt(coef)
			want.Exponent, want.Negative = int32(exp), neg
		}
		if got, k := key.AppendDecimal128(nil, b, key.NaNLowest), key.AppendNumeric(nil, want, key.NaNLowest); !bytes.Equal(got, k) {
			t.Fatalf("decimal128 %s E%d gives %x, want %x", coef, exp, got, k)
		}
	})
	for high, want := range map[uint64][]byte{
		0x7C << 56: key.AppendNaN(nil, key.NaNLowest), 0xFC << 56: key.AppendNaN(nil, key.NaNLowest), 0x7E << 56: key.AppendNaN(nil, key.NaNLowest),
		0x78 << 56: key.AppendInfinity(nil, false), 0xF8 << 56: key.AppendInfinity(nil, true), 0x6C << 56: key.AppendInt(nil, 0),
	} {
		b := binary.LittleEndian.AppendUint64(make([]byte, 8), high)
		if got := key.AppendDecimal128(nil, b, key.NaNLowest); !bytes.Equal(got, want) {
			t.Errorf("decimal128 %x gives %x, want %x", high, got, want)
		}
	}
}

func decimal128(coef *big.Int, exp int, neg bool) []byte {
	var w [16]byte
	coef.FillBytes(w[:])
	high, low := binary.BigEndian.Uint64(w[:]), binary.BigEndian.Uint64(w[8:])
	high |= uint64(exp+6176) << 49
	if neg {
		high |= 1 << 63
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
}

// rationals gives the exact values of two texts, unless that would take too much memory.
func rationals(a, b string) (x, y *big.Rat, ok bool) {
	for _, s := range []string{a, b} {
		i := strings.IndexAny(s, "eE")
		if e, err := strconv.Atoi(s[i+1:]); i >= 0 && (err != nil || e < -5000 || e > 5000) {
			return nil, nil, false
		}
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return x, y, okX && okY
}
