package key_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
)

// bsonValue makes a value of any Go type that the driver marshals.
func bsonValue(t testing.TB, v any) doc.Value {
	t.Helper()
	if v == nil {
		return doc.Value{Type: doc.TypeNull}
	}
	typ, data, err := bson.MarshalValue(v)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Value{Type: byte(typ), Data: data}
}

func encode(t testing.TB, v doc.Value) []byte {
	t.Helper()
	k, err := key.AppendBSON(nil, v.Type, v.Data)
	if err != nil {
		t.Fatalf("%x %x: %v", v.Type, v.Data, err)
	}
	return k
}

func private(subtype byte, b []byte) doc.Value {
	return doc.Value{Type: doc.TypeBinary, Data: append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), subtype), b...)}
}

func micros(us int64) doc.Value {
	return private(doc.SubtypeMicros, binary.LittleEndian.AppendUint64(nil, uint64(us)))
}

func dec128(t testing.TB, s string) bson.Decimal128 {
	d, err := bson.ParseDecimal128(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBSONOrder lists values of all types in MongoDB's order; equal ones stand in one line.
func TestBSONOrder(t *testing.T) {
	oid := func(b byte) bson.ObjectID { return bson.ObjectID{11: b} }
	date := func(ms int64) bson.DateTime { return bson.DateTime(ms) }
	d := func(kv ...any) bson.D {
		var out bson.D
		for i := 0; i < len(kv); i += 2 {
			out = append(out, bson.E{Key: kv[i].(string), Value: kv[i+1]})
		}
		return out
	}
	type scope = bson.CodeWithScope
	lines := [][]any{
		{bson.MinKey{}},
		{bson.Undefined{}},
		{nil},
		{math.NaN(), dec128(t, "NaN")},
		{math.Inf(-1), dec128(t, "-Infinity")},
		{private(doc.SubtypeNumber, []byte("-123456789012345678901234567890123456789012E5"))},
		{int64(math.MinInt64)}, {int32(-1), -1.0, dec128(t, "-1.00")},
		{int32(0), math.Copysign(0, -1), dec128(t, "-0E+10")},
		{0.1, dec128(t, "0.10")},
		{private(doc.SubtypeNumber, []byte("12345678901234567890123456789012345678901E-41"))},
		{int32(5), int64(5), 5.0, dec128(t, "5"), private(doc.SubtypeNumber, []byte("5E0"))},
		{19.99, dec128(t, "19.990")},
		{int64(math.MaxInt64)}, {math.Inf(1), dec128(t, "Infinity")},
		{""}, {"\x00"}, {"a", bson.Symbol("a"), private(doc.SubtypeText, []byte("a"))}, {"a\x00"}, {"aa"}, {"b"}, {"ä"},
		{bson.D{}},
		{d("b", int32(1))},           // the class of a member counts before its key
		{d("b", int32(1), "a", nil)}, // the longer of two that begin alike is above
		{d("b", int32(2))},
		{d("a", "x")}, {d("b", "w")}, {d("a", bson.D{})},
		{bson.A{}, private(doc.SubtypeVector, nil)},
		{bson.A{nil}}, {bson.A{int32(1)}}, {bson.A{int32(1), nil}},
		{bson.A{0.5 + 0.75, int32(2)}, private(doc.SubtypeVector, []byte{0, 0, 0xA0, 0x3F, 0, 0, 0, 0x40})},
		{bson.A{int32(2)}}, {bson.A{"a"}}, {bson.A{bson.A{}}},
		{bson.Binary{Data: nil}}, {bson.Binary{Subtype: 0x80}},
		{bson.Binary{Data: []byte("b")}}, {bson.Binary{Subtype: 4, Data: []byte("a")}}, {bson.Binary{Data: []byte("aa")}},
		{oid(1)}, {oid(2)},
		{false}, {true},
		{micros(math.MinInt64)},
		{date(-1), micros(-1000)}, {micros(-999)}, {micros(-1)}, {date(0), micros(0)}, {micros(1)}, {micros(999)}, {date(1), micros(1000)},
		{date(math.MaxInt64)}, {micros(math.MaxInt64)},
		{bson.Timestamp{T: 1, I: 2}}, {bson.Timestamp{T: 2, I: 1}}, {bson.Timestamp{T: math.MaxUint32}},
		{bson.Regex{Pattern: "a", Options: "i"}}, {bson.Regex{Pattern: "a", Options: "im"}}, {bson.Regex{Pattern: "ab"}},
		{bson.DBPointer{DB: "z", Pointer: oid(9)}}, {bson.DBPointer{DB: "aa", Pointer: oid(1)}},
		{bson.JavaScript("f")}, {bson.JavaScript("g")},
		{scope{Code: "f", Scope: bson.D{}}}, {scope{Code: "f", Scope: d("a", int32(1))}}, {scope{Code: "g", Scope: bson.D{}}},
		{bson.MaxKey{}},
	}
	var keys [][]byte
	for _, line := range lines {
		for i, x := range line {
			v, ok := x.(doc.Value)
			if !ok {
				v = bsonValue(t, x)
			}
			k := encode(t, v)
			switch last := len(keys) - 1; {
			case i > 0:
				if !bytes.Equal(k, keys[last]) {
					t.Errorf("%v gives %x, %v gives %x", x, k, line[0], keys[last])
				}
			case last >= 0 && bytes.Compare(keys[last], k) >= 0:
				t.Errorf("%v (%x) is not above the line before (%x)", x, k, keys[last])
			}
			if i == 0 {
				keys = append(keys, k)
			}
			if c := key.BSONClass(v.Type, v.Data); k[0] != byte(c) {
				t.Errorf("%v: class %x, key %x", x, c, k)
			}
			checkSkip(t, k)
		}
	}
}

func checkSkip(t testing.TB, k []byte) {
	t.Helper()
	value, rest, cut, err := key.SkipBSON(append(slices.Clone(k), "row key"...))
	if err != nil || cut || !bytes.Equal(value, k) || string(rest) != "row key" {
		t.Fatalf("skip of %x: %x, rest %q, cut %v, error %v", k, value, rest, cut, err)
	}
}

var genScalar = rapid.Custom(func(t *rapid.T) any {
	switch rapid.IntRange(0, 17).Draw(t, "type") {
	case 0:
		return rapid.Int32Range(-5, 5).Draw(t, "int32")
	case 1:
		return rapid.Int64().Draw(t, "int64")
	case 2, 3:
		return genFloat.Draw(t, "double")
	case 4, 5:
		coef := rapid.Int64Range(-1000, 1000).Draw(t, "coef")
		d, _ := bson.ParseDecimal128FromBigInt(big.NewInt(coef), rapid.IntRange(-4, 4).Draw(t, "exp"))
		return d
	case 6, 7:
		return genText.Filter(func(s string) bool { return !strings.Contains(s, "\xff") }).Draw(t, "string")
	case 8:
		return bson.Binary{Subtype: rapid.SampledFrom([]byte{0, 2, 4, 0x80}).Draw(t, "sub"), Data: rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "binary")}
	case 9:
		return bson.DateTime(rapid.Int64Range(-2, 2).Draw(t, "date"))
	case 10:
		return bson.Timestamp{T: rapid.Uint32().Draw(t, "t"), I: rapid.Uint32().Draw(t, "i")}
	case 11:
		return bson.ObjectID(rapid.SliceOfN(rapid.Byte(), 12, 12).Draw(t, "oid"))
	case 12:
		return bson.Regex{Pattern: rapid.SampledFrom([]string{"", "a", "ab"}).Draw(t, "re"), Options: rapid.SampledFrom([]string{"", "i"}).Draw(t, "opt")}
	case 13:
		return bson.JavaScript(rapid.SampledFrom([]string{"", "a", "ab"}).Draw(t, "js"))
	case 14:
		us := rapid.Int64Range(-2000, 2000).Draw(t, "micros")
		return bson.Binary{Subtype: doc.SubtypeMicros, Data: binary.LittleEndian.AppendUint64(nil, uint64(us))}
	case 15:
		return bson.Binary{Subtype: doc.SubtypeNumber, Data: []byte(rapid.StringMatching(`-?[1-9][0-9]{0,40}E-?[0-9]{1,2}`).Draw(t, "number"))}
	case 16:
		return rapid.Bool().Draw(t, "bool")
	}
	return rapid.SampledFrom([]any{nil, bson.MinKey{}, bson.MaxKey{}, bson.Undefined{}}).Draw(t, "rest")
})

func genAny(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return genScalar
	}
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			return bson.A(rapid.SliceOfN(genAny(depth-1), 0, 3).Draw(t, "array"))
		case 1:
			var d bson.D
			for i := range rapid.IntRange(0, 3).Draw(t, "members") {
				name := rapid.SampledFrom([]string{"", "a", "aa", "b"}).Draw(t, "name")
				d = append(d, bson.E{Key: name + strings.Repeat("_", i), Value: genAny(depth-1).Draw(t, "member")})
			}
			return append(bson.D{}, d...)
		}
		return genScalar.Draw(t, "scalar")
	})
}

// TestBSONOrderProperty holds the keys against the document layer's comparison, which works on the values themselves.
func TestBSONOrderProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := genAny(3).Draw(rt, "x")
		y := genAny(3).Draw(rt, "y")
		a, b := bsonValue(t, x), bsonValue(t, y)
		ka, kb := encode(t, a), encode(t, b)
		if got, want := bytes.Compare(ka, kb), doc.CompareBSON(a, b); got != want {
			rt.Fatalf("%v and %v compare %d, their keys %x and %x %d", x, y, want, ka, kb, got)
		}
		if len(ka) <= key.CutAt {
			checkSkip(t, ka)
		}
	})
}

func TestBSONRefuses(t *testing.T) {
	deep := []byte{5, 0, 0, 0, 0}
	for range 300 {
		deep = append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(deep)+8)), byte(doc.TypeArray), '0', 0), append(deep, 0)...)
	}
	for name, v := range map[string]doc.Value{
		"missing": {}, "unknown type": {Type: 0x20}, "short int": {Type: doc.TypeInt32, Data: []byte{1}}, "long null": {Type: doc.TypeNull, Data: []byte{1}},
		"string length": {Type: doc.TypeString, Data: []byte{9, 0, 0, 0, 'a', 0}}, "string end": {Type: doc.TypeString, Data: []byte{2, 0, 0, 0, 'a', 'b'}},
		"bool": {Type: doc.TypeBool, Data: []byte{2}}, "binary length": {Type: doc.TypeBinary, Data: []byte{9, 0, 0, 0, 0}},
		"regex": {Type: doc.TypeRegex, Data: []byte("a")}, "regex tail": {Type: doc.TypeRegex, Data: []byte("a\x00i\x00x")},
		"number text": private(doc.SubtypeNumber, []byte("12x")), "micros length": private(doc.SubtypeMicros, []byte{1}), "vector length": private(doc.SubtypeVector, []byte{1}),
		"object": {Type: doc.TypeObject, Data: []byte{6, 0, 0, 0, 1, 0}}, "depth": {Type: doc.TypeArray, Data: deep},
		"scope": {Type: doc.TypeCodeScope, Data: []byte{12, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0}},
	} {
		k, err := key.AppendBSON([]byte("before"), v.Type, v.Data)
		if dberr.Code(err) != dberr.DataCorrupted || string(k) != "before" {
			t.Errorf("%s: %x, %v", name, k, err)
		}
	}
}

func TestCutBSON(t *testing.T) {
	for _, x := range []any{strings.Repeat("a", 3000), bson.A{strings.Repeat("a", 3000), 1}, bson.Binary{Data: make([]byte, 3000)}} {
		k, exact := key.Cut(encode(t, bsonValue(t, x)), 0)
		value, rest, cut, err := key.SkipBSON(append(slices.Clone(k), "row key"...))
		if exact || err != nil || !cut || !bytes.Equal(value, k) || string(rest) != "row key" {
			t.Errorf("%.20v: exact %v, cut %v, rest %q, error %v", x, exact, cut, rest, err)
		}
	}
}
