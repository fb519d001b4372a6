package pgenc

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// wireBytes are PostgreSQL 15's binary forms.
var wireBytes = []struct {
	t    *value.Type
	text string
	hex  string
}{
	{value.Boolean, "t", "01"},
	{value.Int2, "-2", "fffe"},
	{value.Int4, "2147483647", "7fffffff"},
	{value.Int8, "-1", "ffffffffffffffff"},
	{value.OID, "4294967295", "ffffffff"},
	{value.Float4, "1.5", "3fc00000"},
	{value.Float8, "-0", "8000000000000000"},
	{value.Float8, "Infinity", "7ff0000000000000"},
	{value.Numeric, "12345.678", "000300010000000300010929" + "1a7c"},
	{value.Numeric, "0.00", "0000000000000002"},
	{value.Numeric, "NaN", "00000000c0000000"},
	{value.Numeric, "Infinity", "00000000d0000020"},
	{value.Numeric, "-Infinity", "00000000f0000020"},
	{value.Numeric, "10000", "00010001000000000001"},
	{value.Numeric, "-0.0001", "0001ffff400000040001"},
	{value.Numeric, "0.00012", "0002ffff0000000500010" + "7d0"},
	{value.Numeric, "123456789012345678901234567890.5", "0009000700000001000c0d801ed204d2162e23340d801ed21388"},
	{value.Text, "héllo", "68c3a96c6c6f"},
	{value.Bytea, `\x00ff`, "00ff"},
	{value.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc999c0b4ef8bb6d6bb9bd380a11"},
	{value.JSON, `{"a" : 1}`, "7b226122203a20317d"},
	{value.JSONB, `{"b":1,"a":[null]}`, "017b2261223a205b6e756c6c5d2c202262223a20317d"},
	{value.Date, "2000-01-02", "00000001"},
	{value.Date, "infinity", "7fffffff"},
	{value.Timestamp, "2000-01-01 00:00:01", "00000000000f4240"},
	{value.TimestampTZ, "-infinity", "8000000000000000"},
	{value.Time, "00:00:00.000001", "0000000000000001"},
	{value.TimeTZT, "12:00:00+02", "0000000a0eebb000ffffe3e0"},
	{value.IntervalT, "1 mon 2 days 00:00:03", "00000000002dc6c00000000200000001"},
	{value.ArrayOf(value.Int4), "{1,NULL,3}", "0000000100000001000000170000000300000001" + "0000000400000001" + "ffffffff" + "0000000400000003"},
	{value.ArrayOf(value.Text), "{}", "000000000000000000000019"},
	{value.ArrayOf(value.Int4), "[0:1]={7,8}", "0000000100000000000000170000000200000000" + "0000000400000007" + "0000000400000008"},
	{value.Int4Range, "[1,5)", "02" + "0000000400000001" + "0000000400000005"},
	{value.Int4Range, "(,5)", "08" + "0000000400000005"},
	{value.Int4Range, "empty", "01"},
	{value.Inet, "10.0.0.1/8", "020800040a000001"},
	{value.CIDR, "10.0.0.0/8", "020801040a000000"},
	{value.Inet, "::1", "0380001000000000000000000000000000000001"},
	{value.Macaddr, "08:00:2b:01:02:03", "08002b010203"},
	{value.VarBit, "10101", "00000005a8"},
	{value.VarBit, "", "00000000"},
	{value.ByOID(4451), "{[1,2),[5,6)}", "00000002000000110200000004000000010000000400000002000000110200000004000000050000000400000006"},
	{value.Vector, "[1,-2.5]", "00020000" + "3f800000" + "c0200000"},
}

func TestWireBytes(t *testing.T) {
	for _, tt := range wireBytes {
		v, err := typeio.In(tt.t, -1, tt.text, nil)
		if err != nil {
			t.Errorf("%s %q: %v", tt.t, tt.text, err)
			continue
		}
		got := AppendBinary(nil, tt.t, v, typeio.Default)
		want, err := hex.DecodeString(tt.hex)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s %q: got %x, want %s", tt.t, tt.text, got, tt.hex)
		}
		back, err := DecodeBinary(tt.t, bytes.Clone(want), typeio.Default)
		if err != nil {
			t.Errorf("%s %q: %v", tt.t, tt.text, err)
		} else if s := typeio.Text(tt.t, back, nil); s != typeio.Text(tt.t, v, nil) {
			t.Errorf("%s %q: read back as %q", tt.t, tt.text, s)
		}
	}
}

// genValue makes values of t in text form.
func genText(t *value.Type) *rapid.Generator[string] {
	switch t.OID {
	case value.Boolean.OID:
		return rapid.SampledFrom([]string{"t", "f"})
	case value.Int2.OID, value.Int4.OID, value.Int8.OID, value.OID.OID:
		bits := map[uint32]int{value.Int2.OID: 16, value.Int4.OID: 32, value.Int8.OID: 64, value.OID.OID: 32}[t.OID]
		return rapid.Custom(func(r *rapid.T) string {
			if t.OID == value.OID.OID {
				return typeio.Text(value.Int8, value.Int(int64(rapid.Uint32().Draw(r, "oid"))), nil)
			}
			return typeio.Text(value.Int8, value.Int(rapid.Int64().Draw(r, "int")>>(64-bits)), nil)
		})
	case value.Float8.OID:
		return rapid.Custom(func(r *rapid.T) string { return typeio.Text(t, value.Float(rapid.Float64().Draw(r, "float")), nil) })
	case value.Float4.OID:
		return rapid.Custom(func(r *rapid.T) string {
			return typeio.Text(t, value.Float(float64(rapid.Float32().Draw(r, "float"))), nil)
		})
	case value.Numeric.OID:
		return rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,40}(\.[0-9]{1,40})?`), rapid.SampledFrom([]string{"NaN", "Infinity", "-Infinity", "0", "0.000", "1e100", "1e-300"}))
	case value.Date.OID:
		return rapid.Custom(func(r *rapid.T) string {
			return typeio.Text(t, value.Int(int64(rapid.Int32Range(minDate, 2000000).Draw(r, "day"))), nil)
		})
	case value.Timestamp.OID, value.TimestampTZ.OID:
		return rapid.Custom(func(r *rapid.T) string {
			return typeio.Text(t, value.Int(rapid.Int64Range(minTimestamp, endTimestamp-1).Draw(r, "µs")), nil)
		})
	case value.JSONB.OID, value.JSON.OID:
		return rapid.SampledFrom([]string{"1", `"x"`, "null", `{"a":{"b":[1,2.50,"é"]}}`, "[]", `[1e2, -0.0]`})
	case value.UUID.OID:
		return rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	case value.Bytea.OID:
		return rapid.StringMatching(`\\x([0-9a-f]{2}){0,20}`)
	}
	return rapid.Custom(func(r *rapid.T) string {
		return strings.Map(func(c rune) rune {
			if c == 0 {
				return -1
			}
			return c
		}, rapid.String().Draw(r, "text"))
	})
}

// TestRoundTrip: the text of a value is that of its binary form read back, alone and as the element of an array.
func TestRoundTrip(t *testing.T) {
	types := []*value.Type{value.Boolean, value.Int2, value.Int4, value.Int8, value.OID, value.Float4, value.Float8, value.Numeric, value.Text,
		value.Bytea, value.UUID, value.JSON, value.JSONB, value.Date, value.Timestamp, value.TimestampTZ}
	for _, typ := range types {
		t.Run(typ.Name, rapid.MakeCheck(func(r *rapid.T) {
			var elems []value.Value
			for _, text := range rapid.SliceOfN(genText(typ), 1, 5).Draw(r, "values") {
				v, err := typeio.In(typ, -1, text, nil)
				if err != nil {
					r.Fatalf("%q: %v", text, err)
				}
				roundTrip(r, typ, v)
				elems = append(elems, v, value.Null)
			}
			roundTrip(r, value.ArrayOf(typ), value.Box(value.NewArray(typ, elems)))
		}))
	}
}

func roundTrip(r *rapid.T, typ *value.Type, v value.Value) {
	b := AppendBinary(nil, typ, v, typeio.Default)
	back, err := DecodeBinary(typ, bytes.Clone(b), typeio.Default)
	if err != nil {
		r.Fatalf("%s: %v", typ, err)
	}
	if got, want := typeio.Text(typ, back, nil), typeio.Text(typ, v, nil); got != want {
		r.Fatalf("%s: %q became %q", typ, want, got)
	}
	// The encoder that works on columns writes the same.
	c := value.NewColumn(typ, 1)
	c.Append(v)
	for _, bin := range []bool{false, true} {
		e := NewEncoder(typ, bin, typeio.Default)
		if got, want := e.Append(nil, c, 0), e.Value(nil, v); !bytes.Equal(got, want) {
			r.Fatalf("%s: column gives %x, value %x", typ, got, want)
		}
	}
}

func TestBadBinary(t *testing.T) {
	for _, tt := range []struct {
		t    *value.Type
		hex  string
		code string
	}{
		{value.Int4, "000000", dberr.ProtocolViolation},
		{value.Int4, "0000000000", dberr.InvalidBinaryRepresentation},
		{value.JSONB, "022222", dberr.InternalError},
		{value.JSONB, "01", dberr.InvalidTextRepresentation},
		{value.Text, "ff", dberr.CharacterNotInRepertoire},
		{value.Text, "6100", dberr.CharacterNotInRepertoire},
		{value.Numeric, "0001000000000000" + "2710", dberr.InvalidBinaryRepresentation},
		{value.Numeric, "0000000012340000", dberr.InvalidBinaryRepresentation},
		{value.Numeric, "ffff", dberr.ProtocolViolation},
		{value.Date, "7ffffffe", dberr.DatetimeFieldOverflow},
		{value.ArrayOf(value.Int4), "00000001000000000000001700ffffff00000001", dberr.ProtocolViolation},
		{value.ArrayOf(value.Int4), "7fffffff0000000000000017", dberr.ProgramLimitExceeded},
		{value.ArrayOf(value.Int4), "000000010000000000000019000000010000000100000000", dberr.DatatypeMismatch},
		{value.Vector, "00010000" + "7fc00000", dberr.DataException},
	} {
		b, _ := hex.DecodeString(tt.hex)
		if _, err := DecodeBinary(tt.t, b, typeio.Default); dberr.Code(err) != tt.code {
			t.Errorf("%s %s: got %v (%s), want %s", tt.t, tt.hex, err, dberr.Code(err), tt.code)
		}
	}
}

// FuzzDecodeBinary: no input panics, and what is accepted can be written again.
func FuzzDecodeBinary(f *testing.F) {
	all := value.Builtins()
	byOID := map[uint32]*value.Type{}
	for _, t := range all {
		byOID[t.OID] = t
	}
	for _, tt := range wireBytes {
		b, _ := hex.DecodeString(tt.hex)
		f.Add(tt.t.OID, b)
	}
	f.Fuzz(func(t *testing.T, oid uint32, b []byte) {
		typ := byOID[oid]
		if typ == nil || typ.Class == value.Pseudo {
			return
		}
		v, err := DecodeBinary(typ, bytes.Clone(b), typeio.Default)
		if err == nil && !v.IsNull() {
			AppendBinary(nil, typ, v, typeio.Default)
		}
	})
}

func BenchmarkNumericBinary(b *testing.B) {
	v := value.Box(num.FromInt(1234567890))
	buf := make([]byte, 0, 64)
	for b.Loop() {
		buf = AppendBinary(buf[:0], value.Numeric, v, typeio.Default)
	}
}

func BenchmarkInt8Text(b *testing.B) {
	c := value.NewColumn(value.Int8, 1)
	c.Append(value.Int(math.MaxInt64))
	e := NewEncoder(value.Int8, false, typeio.Default)
	buf := make([]byte, 0, 64)
	for b.Loop() {
		buf = e.Append(buf[:0], c, 0)
	}
}
