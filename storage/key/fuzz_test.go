package key_test

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
)

// FuzzAppendBSON encodes arbitrary bytes: never a panic, and what is encoded can be skipped.
func FuzzAppendBSON(f *testing.F) {
	for _, v := range []doc.Value{bsonValue(f, "a\x00"), bsonValue(f, []any{1.5, "x", nil}), bsonValue(f, map[string]any{"a": []int{1}}), micros(5)} {
		f.Add(v.Type, v.Data)
	}
	f.Fuzz(func(t *testing.T, typ byte, data []byte) {
		k, err := key.AppendBSON(nil, typ, data)
		if err != nil {
			return
		}
		k, exact := key.Cut(k, 0)
		value, rest, cut, err := key.SkipBSON(append(bytes.Clone(k), "rest"...))
		if err != nil || cut == exact || !bytes.Equal(value, k) || string(rest) != "rest" {
			t.Fatalf("key %x: skipped %x, rest %q, cut %v, error %v", k, value, rest, cut, err)
		}
	})
}

// FuzzSkipBSON reads arbitrary bytes as a key: never a panic, and a value that is found is found again without its tail.
func FuzzSkipBSON(f *testing.F) {
	f.Add(encode(f, bsonValue(f, []any{1.5, "x", nil, map[string]any{"a": []int{1}}})))
	f.Add([]byte{byte(key.NumberClass), 0xC0, 0xFF, 0xFF, 0xFF, 0xFF, 3, 2})
	f.Fuzz(func(t *testing.T, k []byte) {
		value, rest, _, err := key.SkipBSON(k)
		if err != nil {
			return
		}
		if len(value)+len(rest) != len(k) {
			t.Fatalf("%x falls into %x and %x", k, value, rest)
		}
		if again, tail, _, err := key.SkipBSON(value); err != nil || !bytes.Equal(again, value) || len(tail) != 0 {
			t.Fatalf("%x alone: %x, %x, %v", value, again, tail, err)
		}
	})
}

// FuzzReader reads arbitrary bytes as components of every kind: never a panic, never more than there is.
func FuzzReader(f *testing.F) {
	o := key.Order{}
	f.Add(o.AppendText(o.AppendFloat(o.AppendInt(o.AppendNull(nil), -12), 0.1), "a\x00b"), byte(0))
	f.Fuzz(func(t *testing.T, k []byte, pick byte) {
		o := orders[pick%4]
		for _, begin := range []func(*key.Reader, []byte){(*key.Reader).RowKey, (*key.Reader).Entry} {
			for kind := key.NumberKind; kind <= key.ListKind; kind++ {
				var r key.Reader
				begin(&r, k)
				read(&r, o, kind)
				var s key.Reader
				begin(&s, k)
				part, err := s.Skip(o, kind)
				if err == nil && len(part)+len(s.Rest()) != len(k) {
					t.Fatalf("%x falls into %x and %x", k, part, s.Rest())
				}
			}
		}
	})
}

func read(r *key.Reader, o key.Order, kind key.Kind) {
	switch kind {
	case key.NumberKind:
		n, null, err := r.Number(o)
		if err == nil && !null {
			n.Int()
			n.Float()
			var d apd.Decimal
			n.Numeric(&d)
		}
	case key.TextKind:
		r.Text(o)
	case key.BoolKind:
		r.Bool(o)
	case key.FixedKind:
		r.Fixed(o)
	case key.WideKind:
		r.UUID(o)
	}
}

// FuzzDecimalText compares the order of two texts' keys with that of their values, when they are small enough to compute.
func FuzzDecimalText(f *testing.F) {
	f.Add("1.50", "1.5")
	f.Add("-1e-5", "99999.9999e-10")
	f.Fuzz(func(t *testing.T, a, b string) {
		ka, okA := key.AppendDecimalText(nil, []byte(a))
		kb, okB := key.AppendDecimalText(nil, []byte(b))
		x, y, ok := rationals(a, b)
		if !okA || !okB || !ok {
			return
		}
		if got, want := bytes.Compare(ka, kb), x.Cmp(y); got != want {
			t.Fatalf("%s and %s compare %d, their keys %d", a, b, want, got)
		}
	})
}
