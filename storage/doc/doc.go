// Package doc is OMGDB's document layer: BSON values read in place, their JSON forms, their orders and their changes.
//
// One representation serves everything that SQL calls jsonb and everything that a collection stores: a Value, which
// is a BSON type byte and that type's raw bytes. A Value made by SQL and one found inside a stored document are the
// same kind of thing; neither is ever decoded into a tree. The life of a document:
//
//	text ── ParseExtJSON ──▶ Doc ── stored ──▶ Doc ── Projector ──▶ Values ──┬─ Compare, Contains, Hash
//	text ── ParseJSONB ────▶ Value ────────────────────────────────────────┼─ SetPath, Concat, …
//	                                                                        └─ AppendJSONB, AppendText, AppendCanonical
//
// Bytes and lifetimes: a Value or Doc aliases the bytes that it was found in and lives as long as they do. Nothing in
// this package changes bytes handed to it. Functions named Append… write to the slice given and return it grown.
//
// Object keys may come in any order. ParseJSONB writes PostgreSQL's order (length, then bytes); documents keep the
// order they were written in. Every jsonb operation gives the answer for PostgreSQL's order whatever order is stored.
// Keys are unique within an object: parsers keep the last duplicate.
//
// Values that JSON lacks (ObjectId, date, binary, NaN …) count in every jsonb operation as the Extended JSON object
// that they are shown as, with one liberty: dates order by time, not by the text of their object.
package doc

import (
	"encoding/binary"
)

// BSON type bytes (bsonspec.org, version 1.1).
const (
	TypeMissing    byte = 0x00 // no value: SQL NULL, an absent field
	TypeDouble     byte = 0x01
	TypeString     byte = 0x02
	TypeObject     byte = 0x03
	TypeArray      byte = 0x04
	TypeBinary     byte = 0x05
	TypeUndefined  byte = 0x06
	TypeObjectID   byte = 0x07
	TypeBool       byte = 0x08
	TypeDate       byte = 0x09 // int64 milliseconds since 1970 UTC
	TypeNull       byte = 0x0A
	TypeRegex      byte = 0x0B
	TypeDBPointer  byte = 0x0C
	TypeCode       byte = 0x0D
	TypeSymbol     byte = 0x0E
	TypeCodeScope  byte = 0x0F
	TypeInt32      byte = 0x10
	TypeTimestamp  byte = 0x11
	TypeInt64      byte = 0x12
	TypeDecimal128 byte = 0x13
	TypeMaxKey     byte = 0x7F
	TypeMinKey     byte = 0xFF
)

// Binary subtypes. Those from SubtypeNumber on are private to OMGDB: only this program writes them, and input that
// brings one along is refused.
const (
	SubtypeGeneric byte = 0x00
	SubtypeUUID    byte = 0x04
	// SubtypeNumber holds an exact number beyond decimal128 as text `[-]digitsE[-]exponent` (see number.go).
	// It is a number in every comparison, hash and output.
	SubtypeNumber byte = 0xF0
	// SubtypeMicros holds int64 microseconds since 1970 UTC, little-endian: a timestamp that is not a whole
	// millisecond, or ±infinity as the limits of int64. It is a date in every comparison and output.
	SubtypeMicros byte = 0xF1
	// SubtypeText holds PostgreSQL's text of a typed value that BSON has no type for. It is a string in every
	// comparison and output.
	SubtypeText byte = 0xF2
	// SubtypeVector holds packed little-endian float32. It is an array of doubles in every comparison and output.
	SubtypeVector byte = 0xF3
)

// Limits of a document.
const (
	MaxDocumentSize = 16 << 20  // bytes of a stored document (54000)
	MaxValueSize    = 255 << 20 // bytes of a jsonb value outside collections (54000)
	MaxDepth        = 200       // nested objects and arrays (54001)
)

// Value is a BSON value in place. The zero Value is "missing". Values compare with Compare, CompareBSON or Equal,
// never with ==.
type Value struct {
	Type byte
	Data []byte // raw BSON bytes of the value, without type and key
}

// Doc is a raw BSON document: int32 length, elements, a zero byte.
type Doc []byte

// Missing reports whether there is no value at all (JSON null is a value).
func (v Value) Missing() bool { return v.Type == TypeMissing }

// IsNull reports JSON null.
func (v Value) IsNull() bool { return v.Type == TypeNull }

// IsObject reports a JSON object.
func (v Value) IsObject() bool { return v.Type == TypeObject }

// IsArray reports a JSON array.
func (v Value) IsArray() bool { return v.Type == TypeArray }

// Doc gives an object or array as a raw document, nil for any other value.
func (v Value) Doc() Doc {
	if v.Type == TypeObject || v.Type == TypeArray {
		return Doc(v.Data)
	}
	return nil
}

// Value gives the document as a Value of type object.
func (d Doc) Value() Value { return Value{TypeObject, d} }

// AppendEncoded appends the column form: the type byte and the raw bytes. A missing value appends nothing.
func (v Value) AppendEncoded(dst []byte) []byte {
	if v.Type == TypeMissing {
		return dst
	}
	return append(append(dst, v.Type), v.Data...)
}

// Encoded gives the column form in a new slice.
func (v Value) Encoded() []byte { return v.AppendEncoded(make([]byte, 0, 1+len(v.Data))) }

// Decode reads the column form without copying. Empty bytes are the missing value.
func Decode(encoded []byte) Value {
	if len(encoded) == 0 {
		return Value{}
	}
	return Value{encoded[0], encoded[1:]}
}

// Clone copies the value's bytes, so that it outlives what it was found in.
func (v Value) Clone() Value {
	return Value{v.Type, append(make([]byte, 0, len(v.Data)), v.Data...)}
}

// Bool gives a bool value; ok is false for every other type.
func (v Value) Bool() (b, ok bool) {
	if v.Type != TypeBool || len(v.Data) < 1 {
		return false, false
	}
	return v.Data[0] != 0, true
}

// StringBytes gives the bytes of a string, symbol, code or private text in place; ok is false for every other type.
func (v Value) StringBytes() (s []byte, ok bool) {
	switch v.Type {
	case TypeString, TypeSymbol, TypeCode:
		if len(v.Data) < 5 {
			return nil, false
		}
		return v.Data[4 : len(v.Data)-1], true
	case TypeBinary:
		if sub, b, ok := v.Binary(); ok && sub == SubtypeText {
			return b, true
		}
	}
	return nil, false
}

// Binary gives the subtype and the bytes of a binary value in place.
func (v Value) Binary() (subtype byte, b []byte, ok bool) {
	if v.Type != TypeBinary || len(v.Data) < 5 {
		return 0, nil, false
	}
	subtype, b = v.Data[4], v.Data[5:]
	if subtype == 0x02 && len(b) >= 4 { // the old form repeats the length
		b = b[4:]
	}
	return subtype, b, true
}

// subtype gives the binary subtype, or 0 (generic) for anything else.
func (v Value) subtype() byte {
	if v.Type != TypeBinary || len(v.Data) < 5 {
		return 0
	}
	return v.Data[4]
}

// private reports whether v is a binary value of the private subtype.
func (v Value) private(subtype byte) bool { return v.Type == TypeBinary && v.subtype() == subtype }

// Micros gives the time of a date or private timestamp in microseconds since 1970 UTC. Dates beyond the range of
// int64 microseconds are cut to it.
func (v Value) Micros() (us int64, ok bool) {
	switch {
	case v.Type == TypeDate && len(v.Data) >= 8:
		ms := int64(binary.LittleEndian.Uint64(v.Data))
		if ms > maxMicros/1000 {
			return maxMicros, true
		}
		if ms < minMicros/1000 {
			return minMicros, true
		}
		return ms * 1000, true
	case v.private(SubtypeMicros) && len(v.Data) == 13:
		return int64(binary.LittleEndian.Uint64(v.Data[5:])), true
	}
	return 0, false
}

// The infinite timestamps of SubtypeMicros.
const (
	maxMicros = 1<<63 - 1
	minMicros = -1 << 63
)

// IsDate reports a date or a private timestamp.
func (v Value) IsDate() bool { return v.Type == TypeDate || v.private(SubtypeMicros) }
