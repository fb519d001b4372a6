package pgenc

import (
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// scalar is the binary form of a type: put appends a value that is not NULL, get reads one from all that is left.
type scalar struct {
	put func(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte
	get func(r *reader, t *value.Type) value.Value
}

// scalars is the table of binary forms by OID. A type that is neither here nor a container has no binary form of its own: its text
// goes over the wire.
var scalars = buildScalars()

func buildScalars() map[uint32]scalar {
	text := scalar{putText, getText}
	oid := scalar{putInt(4), getOID}
	m := map[uint32]scalar{
		value.Boolean.OID:     {putBool, getBool},
		value.Int2.OID:        {putInt(2), getInt2},
		value.Int4.OID:        {putInt(4), getInt4},
		value.Int8.OID:        {putInt(8), getInt8},
		value.Float4.OID:      {putFloat4, getFloat4},
		value.Float8.OID:      {putFloat8, getFloat8},
		value.Numeric.OID:     {putNumeric, getNumeric},
		value.Bytea.OID:       {putString, getBytes},
		value.UUID.OID:        {putString, getUUID},
		value.Text.OID:        text,
		value.Varchar.OID:     text,
		value.BPChar.OID:      text,
		value.Name.OID:        text,
		value.Unknown.OID:     text,
		value.CString.OID:     text,
		value.RefCursor.OID:   text,
		value.PgNodeTree.OID:  {putString, nil},
		value.Char.OID:        {putChar, getChar},
		value.Void.OID:        {func(dst []byte, _ *value.Type, _ value.Value, _ *typeio.Format) []byte { return dst }, (*reader).in},
		value.JSON.OID:        {putString, (*reader).in},
		value.XML.OID:         {typeio.Append, (*reader).in},
		value.JSONB.OID:       {putJSONB, getVersioned("jsonb")},
		value.JSONPath.OID:    {putVersioned, getVersioned("jsonpath")},
		value.Date.OID:        {putInt(4), getDate},
		value.Time.OID:        {putInt(8), getTime},
		value.Timestamp.OID:   {putInt(8), getTimestamp},
		value.TimestampTZ.OID: {putInt(8), getTimestamp},
		value.TimeTZT.OID:     {putTimeTZ, getTimeTZ},
		value.IntervalT.OID:   {putInterval, getInterval},
		value.PgLSN.OID:       {putInt(8), getInt8},
		value.XID8.OID:        {putInt(8), getInt8},
		value.TID.OID:         {putTID, getTID},
		value.Vector.OID:      {putVector, getVector},
		value.HalfVec.OID:     {putHalf, getHalf},
		value.SparseVec.OID:   {putSparse, getSparse},
		value.TSVector.OID:    {putTSVector, getTSVector},
		value.TSQuery.OID:     {putTSQuery, getTSQuery},
		value.Inet.OID:        {putInet, getInet},
		value.CIDR.OID:        {putInet, getInet},
		value.Macaddr.OID:     {putMAC, getMAC},
		value.Macaddr8.OID:    {putMAC, getMAC8},
		value.Bit.OID:         {putBits, getBits},
		value.VarBit.OID:      {putBits, getBits},
		value.PointT.OID:      {putShape, getPoint},
		value.LsegT.OID:       {putShape, getSegment},
		value.BoxT.OID:        {putShape, getBox},
		value.LineT.OID:       {putShape, getLine},
		value.CircleT.OID:     {putShape, getCircle},
		value.PathT.OID:       {putPath, getPath},
		value.PolygonT.OID:    {putPolygon, getPolygon},
	}
	for _, t := range []*value.Type{value.OID, value.XID, value.CID, value.RegProc, value.RegProcedure, value.RegOper, value.RegOperator, value.RegClass,
		value.RegType, value.RegNamespace, value.RegRole, value.RegCollation, value.RegConfig, value.RegDictionary} {
		m[t.OID] = oid
	}
	return m
}

// binaryColumns are the types whose binary form is written without a detour.
var binaryColumns = map[uint32]func(dst []byte, c *value.Column, i int) []byte{
	value.Boolean.OID:     func(dst []byte, c *value.Column, i int) []byte { return appendBool(dst, c.Bools[i]) },
	value.Int2.OID:        func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 2) },
	value.Int4.OID:        func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 4) },
	value.OID.OID:         func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 4) },
	value.Date.OID:        func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 4) },
	value.Int8.OID:        func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 8) },
	value.Time.OID:        func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 8) },
	value.Timestamp.OID:   func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 8) },
	value.TimestampTZ.OID: func(dst []byte, c *value.Column, i int) []byte { return appendInt(dst, c.Ints[i], 8) },
	value.Float8.OID:      func(dst []byte, c *value.Column, i int) []byte { return appendFloat8(dst, c.Flts[i]) },
	value.Text.OID:        stringRaw,
	value.Varchar.OID:     stringRaw,
	value.BPChar.OID:      stringRaw,
	value.Name.OID:        stringRaw,
	value.JSON.OID:        stringRaw,
	value.Bytea.OID:       stringRaw,
	value.UUID.OID:        stringRaw,
	value.JSONB.OID: func(dst []byte, c *value.Column, i int) []byte {
		return doc.Decode(value.String(c.Strs[i]).Bytes()).AppendJSONB(append(dst, 1))
	},
}

// Whole numbers: their low bytes.

func appendInt(dst []byte, v int64, size int) []byte {
	switch size {
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return binary.BigEndian.AppendUint64(dst, uint64(v))
}

func putInt(size int) func([]byte, *value.Type, value.Value, *typeio.Format) []byte {
	return func(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
		return appendInt(dst, v.Int(), size)
	}
}

func getInt2(r *reader, _ *value.Type) value.Value { return value.Int(int64(r.int16())) }
func getInt4(r *reader, _ *value.Type) value.Value { return value.Int(int64(r.int32())) }
func getInt8(r *reader, _ *value.Type) value.Value { return value.Int(r.int64()) }
func getOID(r *reader, _ *value.Type) value.Value  { return value.Int(int64(r.uint32())) }

// tid is a block and an offset; a ctid is held as block<<16 | offset.

func putTID(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	n := uint64(v.Int())
	dst = binary.BigEndian.AppendUint32(dst, uint32(n>>16))
	return binary.BigEndian.AppendUint16(dst, uint16(n))
}

func getTID(r *reader, _ *value.Type) value.Value {
	block, off := r.uint32(), r.uint16()
	return value.Int(int64(block)<<16 | int64(off))
}

// Booleans and floats.

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func putBool(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	return appendBool(dst, v.Bool())
}

func getBool(r *reader, _ *value.Type) value.Value { return value.Bool(r.uint8() != 0) }

func putFloat4(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	if v.Float() != v.Float() {
		return append(dst, 0x7f, 0xc0, 0, 0) // one NaN for all
	}
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(v.Float())))
}

func getFloat4(r *reader, _ *value.Type) value.Value {
	return value.Float(float64(math.Float32frombits(r.uint32())))
}

func putFloat8(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	return appendFloat8(dst, v.Float())
}

func appendFloat8(dst []byte, f float64) []byte {
	if f != f {
		return append(dst, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0)
	}
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(f))
}

func getFloat8(r *reader, _ *value.Type) value.Value {
	return value.Float(math.Float64frombits(r.uint64()))
}

// Strings.

func putString(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	return append(dst, v.Str()...)
}

func putText(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	return append(dst, v.Str()...)
}

func getText(r *reader, t *value.Type) value.Value {
	b := r.text()
	if t.OID == value.Name.OID && len(b) >= 64 {
		r.fail(dberr.NameTooLong, "identifier too long")
	}
	return value.Bytes(b)
}

func getBytes(r *reader, _ *value.Type) value.Value { return value.Bytes(r.all()) }

func getUUID(r *reader, _ *value.Type) value.Value { return value.Bytes(r.bytes(16)) }

// "char" is one byte; the zero byte is held as the empty string.

func putChar(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	if s := v.Str(); s != "" {
		return append(dst, s[0])
	}
	return append(dst, 0)
}

func getChar(r *reader, _ *value.Type) value.Value {
	b := r.bytes(1)
	if len(b) == 1 && b[0] == 0 {
		b = nil
	}
	return value.Bytes(b)
}

// jsonb and jsonpath are a version byte, 1, and text.

func putJSONB(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	return doc.Decode(v.Bytes()).AppendJSONB(append(dst, 1))
}

func putVersioned(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	return typeio.Append(append(dst, 1), t, v, f)
}

func getVersioned(name string) func(*reader, *value.Type) value.Value {
	return func(r *reader, t *value.Type) value.Value {
		if v := r.uint8(); v != 1 && r.err == nil {
			r.fail(dberr.InternalError, "unsupported %s version number %d", name, v)
			return value.Null
		}
		return r.in(t)
	}
}

// Dates and times count from 2000-01-01; the limits of the integer are the infinities.

const (
	dayMicros    = 86400e6
	minDate      = -2451545 // 4714-11-24 BC
	endDate      = 2145031949
	minTimestamp = -211813488000000000
	endTimestamp = 9223371331200000000
)

func getDate(r *reader, _ *value.Type) value.Value {
	d := int64(int32(r.uint32()))
	if d != math.MaxInt32 && d != math.MinInt32 && (d < minDate || d >= endDate) {
		r.fail(dberr.DatetimeFieldOverflow, "date out of range")
	}
	return value.Int(d)
}

func getTimestamp(r *reader, _ *value.Type) value.Value {
	t := r.int64()
	if t != math.MaxInt64 && t != math.MinInt64 && (t < minTimestamp || t >= endTimestamp) {
		r.fail(dberr.DatetimeFieldOverflow, "timestamp out of range")
	}
	return value.Int(t)
}

func getTime(r *reader, _ *value.Type) value.Value {
	t := r.int64()
	if t < 0 || t > dayMicros {
		r.fail(dberr.DatetimeFieldOverflow, "time out of range")
	}
	return value.Int(t)
}

func putTimeTZ(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	t := v.Box().(value.TimeTZ)
	dst = binary.BigEndian.AppendUint64(dst, uint64(t.Micros))
	return binary.BigEndian.AppendUint32(dst, uint32(t.Zone))
}

func getTimeTZ(r *reader, _ *value.Type) value.Value {
	t := value.TimeTZ{Micros: r.int64(), Zone: int32(r.uint32())}
	switch {
	case t.Micros < 0 || t.Micros > dayMicros:
		r.fail(dberr.DatetimeFieldOverflow, "time out of range")
	case t.Zone <= -16*3600 || t.Zone >= 16*3600:
		r.fail(dberr.InvalidTimeZoneValue, "time zone displacement out of range")
	}
	return value.Box(t)
}

func putInterval(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	i := v.Box().(value.Interval)
	dst = binary.BigEndian.AppendUint64(dst, uint64(i.Micros))
	dst = binary.BigEndian.AppendUint32(dst, uint32(i.Days))
	return binary.BigEndian.AppendUint32(dst, uint32(i.Months))
}

func getInterval(r *reader, _ *value.Type) value.Value {
	return value.Box(value.Interval{Micros: r.int64(), Days: int32(r.uint32()), Months: int32(r.uint32())})
}
