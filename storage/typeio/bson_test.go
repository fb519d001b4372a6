package typeio

import (
	"testing"

	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// Each value must come back from its stored form, alone and through a column, with the BSON type that the design gives it.
func TestStoredForms(t *testing.T) {
	const text = doc.TypeBinary
	for _, c := range []struct {
		t    *value.Type
		in   string
		bson byte
	}{
		{value.Boolean, "t", doc.TypeBool}, {value.Int2, "-5", doc.TypeInt32}, {value.Int4, "2147483647", doc.TypeInt32},
		{value.Int8, "-9223372036854775808", doc.TypeInt64}, {value.OID, "4294967295", doc.TypeInt64},
		{value.Float8, "1e300", doc.TypeDouble}, {value.Float4, "0.1", doc.TypeDouble}, {value.Float8, "NaN", doc.TypeDouble},
		{value.Numeric, "5", doc.TypeInt32}, {value.Numeric, "123456789012", doc.TypeInt64}, {value.Numeric, "0.1", doc.TypeDouble},
		{value.Numeric, "1.50", doc.TypeDecimal128}, {value.Numeric, "NaN", doc.TypeDouble}, {value.Numeric, "-Infinity", doc.TypeDouble},
		{value.Numeric, "123456789012345678901234567890123456789.5", text}, {value.Numeric, "0.00", doc.TypeDecimal128},
		{value.Text, "äöü", doc.TypeString}, {value.BPChar, "ab ", doc.TypeString}, {value.Name, "n", doc.TypeString}, {value.JSON, `{"a": 1}`, doc.TypeString},
		{value.Bytea, `\x00ff`, doc.TypeBinary}, {value.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", doc.TypeBinary},
		{value.JSONB, `{"a": [1, null]}`, doc.TypeObject}, {value.JSONB, "null", doc.TypeNull}, {value.JSONB, "1.50", doc.TypeDecimal128},
		{value.Date, "2024-02-29", doc.TypeDate}, {value.Date, "infinity", doc.TypeBinary}, {value.Date, "0044-03-15 BC", doc.TypeDate},
		{value.Timestamp, "2024-02-29 12:34:56.789", doc.TypeDate}, {value.Timestamp, "2024-02-29 12:34:56.789012", doc.TypeBinary},
		{value.Timestamp, "-infinity", doc.TypeBinary}, {value.Timestamp, "294276-12-31 23:59:59.999999", doc.TypeBinary},
		{value.TimestampTZ, "2024-02-29 12:34:56.789+00", doc.TypeDate}, {value.Time, "12:34:56.789", text}, {value.TimeTZT, "12:34:56+02", text},
		{value.IntervalT, "1 year 2 mons -3 days +04:05:06.7", text}, {value.Inet, "192.168.1.5/24", text}, {value.Macaddr, "08:00:2b:01:02:03", text},
		{value.Bit, "101", text}, {value.Int4Range, "[1,5)", text}, {value.ByOID(4451), "{[1,3),[5,9)}", text},
		{value.ArrayOf(value.Int4), "{1,NULL,3}", doc.TypeArray}, {value.ArrayOf(value.Int4), "{}", doc.TypeArray}, {value.ArrayOf(value.Text), "{{a,b},{c,d}}", text},
		{value.ArrayOf(value.Int4), "[0:1]={1,2}", text}, {value.ArrayOf(value.JSONB), "{1,\"null\"}", text}, {value.Vector, "[1,2.5]", doc.TypeBinary},
		{value.HalfVec, "[1,2.5]", text}, {value.SparseVec, "{1:1.5}/5", text},
	} {
		v, err := In(c.t, -1, c.in, nil)
		if err != nil {
			t.Fatal(c.t, c.in, err)
		}
		typ, raw, err := ToBSON(nil, c.t, v)
		if err != nil || typ != c.bson {
			t.Errorf("%s %s is stored as 0x%02x, want 0x%02x (%v)", c.t, c.in, typ, c.bson, err)
			continue
		}
		back, err := FromBSON(c.t, typ, raw)
		if err != nil {
			t.Errorf("%s %s: %v", c.t, c.in, err)
			continue
		}
		col := value.NewColumn(c.t, 2)
		if err := DecodeInto(col, typ, raw); err != nil {
			t.Errorf("%s %s: %v", c.t, c.in, err)
			continue
		}
		if err := DecodeInto(col, doc.TypeMissing, nil); err != nil || !col.IsNull(1) {
			t.Errorf("%s: a missing field is not NULL", c.t)
		}
		for _, got := range []value.Value{back, col.Get(0)} {
			if s := Text(c.t, got, nil); s != Text(c.t, v, nil) || !Equal(c.t, got, v) || Hash(1, c.t, got) != Hash(1, c.t, v) {
				t.Errorf("%s %s came back as %s", c.t, c.in, s)
			}
		}
	}
}

func BenchmarkDecodeInto(b *testing.B) {
	for _, c := range []struct {
		t  *value.Type
		in string
	}{{value.Int4, "5"}, {value.Float8, "1.5"}, {value.Text, "hello"}, {value.Timestamp, "2024-02-29 12:34:56"}, {value.Numeric, "1.50"}} {
		v, err := In(c.t, -1, c.in, nil)
		if err != nil {
			b.Fatal(err)
		}
		typ, raw, err := ToBSON(nil, c.t, v)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.t.Name, func(b *testing.B) {
			b.ReportAllocs()
			col := value.NewColumn(c.t, 1024)
			for i := 0; b.Loop(); i++ {
				if i%1024 == 0 {
					col.Reset()
				}
				if err := DecodeInto(col, typ, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
