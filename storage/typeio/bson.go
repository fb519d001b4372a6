package typeio

import (
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// How typed values are stored in documents:
//
//	bool, bytea, jsonb                    natively
//	int2 int4                             int32
//	int8, oid and its aliases, pg_lsn …   int64
//	float4 float8                         double
//	numeric                               by the number rule of package doc; NaN and ±Infinity are doubles
//	text varchar char(n) name json xml    string
//	enum                                  its label
//	uuid                                  binary subtype 4
//	date                                  date at 00:00 UTC; ±infinity as timestamps
//	timestamp timestamptz                 date when a whole millisecond, else private microseconds
//	one-dimensional arrays from 1         array, NULL elements as null
//	vector halfvec                        packed float32
//	all others                            private text: PostgreSQL's text form
//
// NULL has no stored form: the field is left out.

// epochDays and epochMicros take PostgreSQL's epoch 2000-01-01 to 1970-01-01.
const (
	epochDays   = 10957
	epochMicros = epochDays * 86400 * 1000000
)

// ToBSON appends the raw BSON value of v, which is not NULL, to dst and gives its BSON type.
func ToBSON(dst []byte, t *value.Type, v value.Value) (typ byte, out []byte, err error) {
	t = Base(t)
	switch t.OID {
	case value.Boolean.OID:
		if v.Bool() {
			return doc.TypeBool, append(dst, 1), nil
		}
		return doc.TypeBool, append(dst, 0), nil
	case value.Int2.OID, value.Int4.OID:
		return doc.TypeInt32, binary.LittleEndian.AppendUint32(dst, uint32(v.Int())), nil
	case value.Float4.OID, value.Float8.OID:
		return doc.TypeDouble, binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Float())), nil
	case value.Numeric.OID:
		n, err := doc.NumberFromDecimal(Num(v))
		return n.Type, append(dst, n.Data...), err
	case value.Date.OID, value.Timestamp.OID, value.TimestampTZ.OID:
		return timeToBSON(dst, t, v)
	case value.UUID.OID:
		return doc.TypeBinary, appendBinary(dst, doc.SubtypeUUID, v.Str()), nil
	case value.Bytea.OID:
		return doc.TypeBinary, appendBinary(dst, doc.SubtypeGeneric, v.Str()), nil
	case value.JSONB.OID:
		s := v.Str()
		if s == "" {
			return 0, dst, dberr.New(dberr.InternalError, "a jsonb value without a type")
		}
		return s[0], append(dst, s[1:]...), nil
	case value.Vector.OID:
		return doc.TypeBinary, appendBinary(dst, doc.SubtypeVector, v.Str()), nil
	case value.HalfVec.OID:
		return doc.TypeBinary, appendBinary(dst, doc.SubtypeVector, PackVector(UnpackHalf(v)).Str()), nil
	case value.Time.OID:
		return doc.TypeBinary, appendText(dst, t, v), nil
	}
	switch {
	case textLike(t.OID):
		return doc.TypeString, appendString(dst, v.Str()), nil
	case t.Class == value.Enum:
		return doc.TypeString, appendString(dst, enumLabel(t, v)), nil
	case t.Kind == value.KindInt:
		return doc.TypeInt64, binary.LittleEndian.AppendUint64(dst, uint64(v.Int())), nil
	case t.IsArray():
		return arrayToBSON(dst, t, v)
	}
	return doc.TypeBinary, appendText(dst, t, v), nil
}

func appendString(dst []byte, s string) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)+1))
	return append(append(dst, s...), 0)
}

func appendBinary(dst []byte, subtype byte, s string) []byte {
	dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), subtype)
	return append(dst, s...)
}

// appendText writes the private text binary.
func appendText(dst []byte, t *value.Type, v value.Value) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, doc.SubtypeText)
	dst = Append(dst, t, v, Default)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-5))
	return dst
}

func timeToBSON(dst []byte, t *value.Type, v value.Value) (byte, []byte, error) {
	us := v.Int()
	if t.OID == value.Date.OID {
		switch us {
		case math.MaxInt32:
			us = math.MaxInt64
		case math.MinInt32:
			us = math.MinInt64
		default:
			ms := (us + epochDays) * 86400000
			return doc.TypeDate, binary.LittleEndian.AppendUint64(dst, uint64(ms)), nil
		}
	}
	switch {
	case us == math.MaxInt64 || us == math.MinInt64:
	case us%1000 == 0:
		return doc.TypeDate, binary.LittleEndian.AppendUint64(dst, uint64(us/1000+epochMicros/1000)), nil
	case us > math.MaxInt64-epochMicros:
		return doc.TypeBinary, appendText(dst, t, v), nil // the last years that the type can hold
	default:
		us += epochMicros
	}
	dst = append(binary.LittleEndian.AppendUint32(dst, 8), doc.SubtypeMicros)
	return doc.TypeBinary, binary.LittleEndian.AppendUint64(dst, uint64(us)), nil
}

// arrayToBSON writes a BSON array when that loses nothing.
func arrayToBSON(dst []byte, t *value.Type, v value.Value) (byte, []byte, error) {
	a := v.Box().(*value.Array)
	if !plainArray(t, a) {
		return doc.TypeBinary, appendText(dst, t, v), nil
	}
	dst, start := doc.BeginDocument(dst)
	var key [12]byte
	for i, e := range a.Elems {
		at := len(dst)
		dst = append(dst, doc.TypeNull)
		dst = append(appendInt(dst, key[:0], i), 0)
		if e.IsNull() {
			continue
		}
		typ, out, err := ToBSON(dst, t.Elem, e)
		if err != nil {
			return 0, dst, err
		}
		dst = out
		dst[at] = typ
	}
	return doc.TypeArray, doc.EndDocument(dst, start), nil
}

func appendInt(dst, buf []byte, i int) []byte {
	for {
		buf = append(buf, byte('0'+i%10))
		if i /= 10; i == 0 {
			break
		}
	}
	for j := len(buf) - 1; j >= 0; j-- {
		dst = append(dst, buf[j])
	}
	return dst
}

func plainArray(t *value.Type, a *value.Array) bool {
	if t.OID == value.Int2Vector.OID || t.OID == value.OIDVector.OID {
		return false
	}
	if len(a.Dims) > 1 || len(a.Dims) == 1 && a.Dims[0].Lower != 1 {
		return false
	}
	if Base(t.Elem).OID == value.JSONB.OID {
		for _, e := range a.Elems {
			if !e.IsNull() && e.Str()[0] == doc.TypeNull {
				return false // it would read back as NULL
			}
		}
	}
	return true
}

// mismatch is the error for a stored value that a column's type can't have made.
func mismatch(t *value.Type, typ byte) error {
	return dberr.New(dberr.DataCorrupted, "stored value of BSON type 0x%02x does not fit type %s", typ, t.SQL)
}

// FromBSON reads a stored value of type t: what ToBSON wrote, and number types that another path may have narrowed.
// The value may share data's memory.
func FromBSON(t *value.Type, typ byte, data []byte) (value.Value, error) {
	t = Base(t)
	if t.OID == value.JSONB.OID {
		return value.Bytes(append([]byte{typ}, data...)), nil
	}
	d := doc.Value{Type: typ, Data: data}
	switch t.Kind {
	case value.KindBool:
		if b, ok := d.Bool(); ok {
			return value.Bool(b), nil
		}
	case value.KindInt:
		return intFromBSON(t, d)
	case value.KindFloat:
		if f, ok := d.Float64(); ok {
			return value.Float(f), nil
		}
	case value.KindString:
		return stringFromBSON(t, d)
	}
	return boxFromBSON(t, d)
}

func intFromBSON(t *value.Type, d doc.Value) (value.Value, error) {
	switch t.OID {
	case value.Date.OID, value.Timestamp.OID, value.TimestampTZ.OID:
		if us, ok := timeFromBSON(t, d); ok {
			return value.Int(us), nil
		}
	default:
		if i, ok := d.Int64(); ok {
			return value.Int(i), nil
		}
	}
	if s, ok := d.StringBytes(); ok {
		return inNoMod(t, -1, string(s), Default)
	}
	return value.Null, mismatch(t, d.Type)
}

// timeFromBSON gives a date's days or a timestamp's microseconds since 2000.
func timeFromBSON(t *value.Type, d doc.Value) (int64, bool) {
	date := t.OID == value.Date.OID
	if d.Type == doc.TypeDate && len(d.Data) >= 8 {
		ms := int64(binary.LittleEndian.Uint64(d.Data))
		if date {
			return floorDiv(ms, 86400000) - epochDays, true
		}
		return (ms - epochMicros/1000) * 1000, true
	}
	us, ok := d.Micros()
	switch {
	case !ok:
		return 0, false
	case us == math.MaxInt64 && date:
		return math.MaxInt32, true
	case us == math.MinInt64 && date:
		return math.MinInt32, true
	case date:
		return floorDiv(us, 86400000000) - epochDays, true
	case us == math.MaxInt64 || us == math.MinInt64:
		return us, true
	}
	return us - epochMicros, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func stringFromBSON(t *value.Type, d doc.Value) (value.Value, error) {
	if sub, b, ok := d.Binary(); ok && sub != doc.SubtypeText {
		switch {
		case t.OID == value.UUID.OID && sub == doc.SubtypeUUID && len(b) == 16,
			t.OID == value.Bytea.OID,
			t.OID == value.Vector.OID && sub == doc.SubtypeVector:
			return value.Bytes(b), nil
		case t.OID == value.HalfVec.OID && sub == doc.SubtypeVector:
			return PackHalf(UnpackVector(value.Bytes(b)))
		}
		return value.Null, mismatch(t, d.Type)
	}
	s, ok := d.StringBytes()
	switch {
	case !ok:
		return value.Null, mismatch(t, d.Type)
	case textLike(t.OID):
		return value.Bytes(s), nil
	}
	return inNoMod(t, -1, string(s), Default)
}

func boxFromBSON(t *value.Type, d doc.Value) (value.Value, error) {
	switch {
	case t.OID == value.Numeric.OID:
		return numericFromBSON(d)
	case t.IsArray() && d.Type == doc.TypeArray:
		return arrayFromBSON(t, d)
	}
	if s, ok := d.StringBytes(); ok {
		return inNoMod(t, -1, string(s), Default)
	}
	return value.Null, mismatch(t, d.Type)
}

// DocNumber gives a document's number as a numeric; ok is false for other values.
func DocNumber(d doc.Value) (*num.Dec, bool) {
	dec := &num.Dec{}
	if !d.Decimal(dec) {
		return nil, false
	}
	return num.Normal(dec), true
}

func numericFromBSON(d doc.Value) (value.Value, error) {
	dec, ok := DocNumber(d)
	if !ok {
		return value.Null, mismatch(value.Numeric, d.Type)
	}
	return value.Box(dec), nil
}

func arrayFromBSON(t *value.Type, d doc.Value) (value.Value, error) {
	var elems []value.Value
	it := d.Elements()
	for {
		_, e, ok := it.Next()
		if !ok {
			break
		}
		if e.IsNull() {
			elems = append(elems, value.Null)
			continue
		}
		v, err := FromBSON(t.Elem, e.Type, e.Data)
		if err != nil {
			return value.Null, err
		}
		elems = append(elems, v)
	}
	return value.Box(value.NewArray(t.Elem, elems)), nil
}

// DecodeInto appends a stored value to a column of its type. TypeMissing appends NULL. Strings share data's memory; jsonb, whose
// column form puts the type byte first, is copied.
func DecodeInto(col *value.Column, typ byte, data []byte) error {
	if typ == doc.TypeMissing {
		col.AppendNull()
		return nil
	}
	if len(col.Nulls) > 0 {
		col.Nulls = append(col.Nulls, false)
	}
	if appendFast(col, typ, data) {
		return nil
	}
	v, err := FromBSON(col.Type, typ, data)
	if err != nil {
		if len(col.Nulls) > 0 {
			col.Nulls = col.Nulls[:len(col.Nulls)-1]
		}
		return err
	}
	switch col.Type.Kind {
	case value.KindBool:
		col.Bools = append(col.Bools, v.Bool())
	case value.KindInt:
		col.Ints = append(col.Ints, v.Int())
	case value.KindFloat:
		col.Flts = append(col.Flts, v.Float())
	case value.KindString:
		col.Strs = append(col.Strs, v.Str())
	default:
		col.Boxes = append(col.Boxes, v.Box())
	}
	return nil
}

// appendFast handles the usual stored forms without allocation; false when it did nothing.
func appendFast(col *value.Column, typ byte, data []byte) bool {
	switch col.Type.Kind {
	case value.KindInt:
		switch {
		case typ == doc.TypeInt32 && len(data) == 4:
			col.Ints = append(col.Ints, int64(int32(binary.LittleEndian.Uint32(data))))
		case typ == doc.TypeInt64 && len(data) == 8:
			col.Ints = append(col.Ints, int64(binary.LittleEndian.Uint64(data)))
		case typ == doc.TypeDate && len(data) == 8:
			us, _ := timeFromBSON(col.Type, doc.Value{Type: typ, Data: data})
			col.Ints = append(col.Ints, us)
		default:
			return false
		}
		return true
	case value.KindFloat:
		if typ != doc.TypeDouble || len(data) != 8 {
			return false
		}
		col.Flts = append(col.Flts, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		return true
	case value.KindBool:
		if typ != doc.TypeBool || len(data) != 1 {
			return false
		}
		col.Bools = append(col.Bools, data[0] != 0)
		return true
	case value.KindString:
		if typ != doc.TypeString || len(data) < 5 || !textLike(col.Type.OID) {
			return false
		}
		col.Strs = append(col.Strs, value.Bytes(data[4:len(data)-1]).Str())
		return true
	}
	return false
}
