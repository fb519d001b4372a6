package key_test

import (
	"testing"

	"github.com/cockroachdb/apd/v3"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
)

var long = "forty characters of plain and simple text"

func appends(t testing.TB) map[string]func(dst []byte) []byte {
	numeric, _, err := apd.NewFromString("1234567890.123456789")
	if err != nil {
		t.Fatal(err)
	}
	value := func(x any) func(dst []byte) []byte {
		v := bsonValue(t, x)
		return func(dst []byte) []byte {
			dst, _ = key.AppendBSON(dst, v.Type, v.Data)
			return dst
		}
	}
	var o, desc = key.Order{}, key.Order{Desc: true}
	return map[string]func(dst []byte) []byte{
		"int":             func(dst []byte) []byte { return o.AppendInt(dst, 1234567890123) },
		"float":           func(dst []byte) []byte { return o.AppendFloat(dst, 19.99) },
		"float integer":   func(dst []byte) []byte { return o.AppendFloat(dst, 1999) },
		"numeric":         func(dst []byte) []byte { return o.AppendNumeric(dst, numeric) },
		"text":            func(dst []byte) []byte { return o.AppendText(dst, long) },
		"text desc":       func(dst []byte) []byte { return desc.AppendText(dst, long) },
		"bson int32":      value(int32(42)),
		"bson double":     value(0.1),
		"bson decimal128": value(dec128(t, "12345678901234567890.123")),
		"bson exact":      func(dst []byte) []byte { return appendExact(dst) },
		"bson string":     value(long),
		"bson ObjectId":   value(bson.ObjectID{1, 2, 3}),
		"bson object":     value(bson.D{{Key: "a", Value: int32(1)}, {Key: "b", Value: "text"}, {Key: "c", Value: bson.A{1.5, true}}}),
		"row":             func(dst []byte) []byte { return key.AppendRow(dst, 7, []byte("row key")) },
	}
}

var exact = private(doc.SubtypeNumber, []byte("1234567890123456789012345678901234567890123E-7"))

func appendExact(dst []byte) []byte {
	dst, _ = key.AppendBSON(dst, exact.Type, exact.Data)
	return dst
}

// TestAppendAllocatesNothing holds every encoder to its promise.
func TestAppendAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 1024)
	for name, f := range appends(t) {
		if n := testing.AllocsPerRun(100, func() { buf = f(buf[:0]) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	var r key.Reader
	o := key.Order{Desc: true}
	k := o.AppendText(o.AppendFloat(o.AppendInt(nil, 5), 0.25), "text")
	if n := testing.AllocsPerRun(100, func() {
		r.RowKey(k)
		i, _, _ := r.Int(o)
		n, _, _ := r.Number(o)
		f := n.Float()
		s, _, err := r.Text(o)
		if i != 5 || f != 0.25 || string(s) != "text" || err != nil {
			t.Fatal(i, f, s, err)
		}
	}); n != 0 {
		t.Errorf("reading: %v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, f := range appends(b) {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				buf = f(buf[:0])
			}
		})
	}
}

func BenchmarkReadInt(b *testing.B) {
	k := key.Order{}.AppendInt(nil, 1234567890123)
	var r key.Reader
	b.ReportAllocs()
	for b.Loop() {
		r.RowKey(k)
		if _, _, err := r.Int(key.Order{}); err != nil {
			b.Fatal(err)
		}
	}
}
