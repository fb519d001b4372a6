// Package value is the vocabulary that scans, operators, functions and the wire share: SQL types, one scalar Value,
// typed Columns of them, and Schemas.
//
// How a SQL type is held (its Kind) is fixed here, once:
//
//	KindBool     bool
//	KindInt      int2 int4 int8 oid and the reg* types; date (days since 2000-01-01), timestamp and timestamptz
//	             (µs since 2000-01-01 00:00 UTC), time (µs since midnight); infinities as in PostgreSQL's binary forms
//	             (timestamps: int64 limits; date: int32 limits); enum (index of the label in sort order)
//	KindFloat    float8; float4 (the float64 of a float32)
//	KindString   text varchar char(n) name "char" json jsonpath unknown; bytea (raw bytes); uuid (16 bytes);
//	             jsonb (doc.Value in its encoded form: BSON type byte, then the raw value);
//	             vector (packed little-endian float32), halfvec, sparsevec, bit (see typeio)
//	KindBox      numeric (*apd.Decimal), interval (Interval), timetz (TimeTZ), arrays (*Array), ranges (*Range),
//	             multiranges (*Multirange), composites and record (*Record), inet and cidr (netip.Prefix with its type),
//	             macaddr, tsvector, tsquery, point and the other geometric types (see typeio/geo)
//
// A string inside a Value or Column may point into a snapshot's mapped memory: it stays valid until that snapshot is closed,
// everything else is ordinary immutable Go memory. Nobody ever changes the bytes behind it.
package value

import (
	"math"
	"unsafe"
)

// Kind is the physical form of a value.
type Kind uint8

// The physical forms. KindNull is that of a NULL Value and never of a column.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindBox
)

// Value is one SQL value; the zero Value is NULL. It doesn't know its SQL type: whoever handles it does.
type Value struct {
	kind Kind
	num  uint64
	str  string
	box  any
}

// Null is the SQL NULL.
var Null Value

// Bool makes a boolean.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, num: 1}
	}
	return Value{kind: KindBool}
}

// Int makes a value of an integer-held type.
func Int(i int64) Value { return Value{kind: KindInt, num: uint64(i)} }

// Float makes a float8.
func Float(f float64) Value { return Value{kind: KindFloat, num: math.Float64bits(f)} }

// String makes a value of a string-held type.
func String(s string) Value { return Value{kind: KindString, str: s} }

// Bytes makes a value of a string-held type without copying b, which must not be changed afterwards.
func Bytes(b []byte) Value {
	return Value{kind: KindString, str: unsafe.String(unsafe.SliceData(b), len(b))}
}

// Box makes a value of a boxed type; x must not be nil and must not be changed afterwards.
func Box(x any) Value { return Value{kind: KindBox, box: x} }

// Kind gives the physical form.
func (v Value) Kind() Kind { return v.kind }

// IsNull tells whether v is NULL.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool gives a boolean's value; false for NULL.
func (v Value) Bool() bool { return v.num != 0 }

// Int gives an integer-held value.
func (v Value) Int() int64 { return int64(v.num) }

// Float gives a float8's value.
func (v Value) Float() float64 { return math.Float64frombits(v.num) }

// Str gives a string-held value.
func (v Value) Str() string { return v.str }

// Bytes gives a string-held value as bytes that must not be changed.
func (v Value) Bytes() []byte { return unsafe.Slice(unsafe.StringData(v.str), len(v.str)) }

// Box gives a boxed value.
func (v Value) Box() any { return v.box }
