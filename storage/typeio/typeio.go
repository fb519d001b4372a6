// Package typeio gives each SQL type its text form, its order, its hash, its modifiers and its stored (BSON) form.
//
// Text in and out is PostgreSQL's: what In refuses it refuses with PostgreSQL's message and SQLSTATE, and what Append writes
// reads back to the same value. A type is a codec, a row of functions in a table by OID; arrays, ranges, composites,
// enums and domains are built from the codecs of their parts.
package typeio

import (
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// codec holds what a scalar type needs. cmp and hash may be nil for types without an order (json, point …).
type codec struct {
	in   func(t *value.Type, s string, f *Format) (value.Value, error)
	out  func(dst []byte, t *value.Type, v value.Value, f *Format) []byte
	cmp  func(a, b value.Value) int
	hash func(h uint64, v value.Value) uint64
	mod  func(t *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error)
}

// Base gives the type that a domain stands on in the end, and any other type itself.
func Base(t *value.Type) *value.Type {
	for t.Class == value.Domain && t.Under != nil {
		t = t.Under
	}
	return t
}

// BaseMod is the base type of a domain and the modifier that values of it have; of other types they are t and mod.
func BaseMod(t *value.Type, mod int32) (*value.Type, int32) {
	for t.Class == value.Domain && t.Under != nil {
		if mod < 0 {
			mod = t.UnderMod
		}
		t = t.Under
	}
	return t, mod
}

// In reads a value of type t from text and fits it to the modifier mod (-1: none), as an input function does:
// too long strings are an error unless only blanks are lost. The value may share text's memory.
func In(t *value.Type, mod int32, text string, f *Format) (value.Value, error) {
	t = Base(t)
	v, err := inNoMod(t, mod, text, f)
	if err != nil || mod < 0 || v.IsNull() {
		return v, err
	}
	return ApplyMod(t, mod, v, false)
}

func inNoMod(t *value.Type, mod int32, text string, f *Format) (value.Value, error) {
	if f == nil {
		f = Default
	}
	if t.OID == value.IntervalT.OID { // the modifier says what a bare number means
		return intervalIn(mod, text, f)
	}
	if c := codecs[t.OID]; c != nil {
		if c.in == nil {
			return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot accept a value of type %s", t.SQL)
		}
		return c.in(t, text, f)
	}
	switch {
	case t.IsArray():
		return arrayIn(t, mod, text, f)
	case t.Class == value.Enum:
		return enumIn(t, text)
	case t.Class == value.RangeClass:
		return rangeIn(t, text, f)
	case t.Class == value.MultiClass:
		return multirangeIn(t, text, f)
	case t.Class == value.Composite:
		return recordIn(t, text, f)
	}
	return value.Null, dberr.New(dberr.FeatureNotSupported, "cannot accept a value of type %s", t.SQL)
}

// Append adds the text form of v, which is not NULL, to dst.
func Append(dst []byte, t *value.Type, v value.Value, f *Format) []byte {
	if f == nil {
		f = Default
	}
	t = Base(t)
	if c := codecs[t.OID]; c != nil {
		return c.out(dst, t, v, f)
	}
	switch {
	case t.IsArray(), t.OID == value.RecordArray.OID, t.OID == value.AnyArray.OID:
		return arrayOut(dst, v.Box().(*value.Array), f)
	case t.Class == value.Enum:
		return append(dst, enumLabel(t, v)...)
	case t.Class == value.RangeClass:
		return rangeOut(dst, v.Box().(*value.Range), f)
	case t.Class == value.MultiClass:
		return multirangeOut(dst, v.Box().(*value.Multirange), f)
	case t.Class == value.Composite, t.OID == value.RecordType.OID:
		return recordOut(dst, v.Box().(*value.Record), f)
	}
	if v.Kind() == value.KindString {
		return append(dst, v.Str()...)
	}
	return dst
}

// Text gives the text form of v, which is not NULL, as a string.
func Text(t *value.Type, v value.Value, f *Format) string {
	if base := Base(t).OID; v.Kind() == value.KindString && textLike(base) && base != value.XML.OID {
		return v.Str()
	}
	return string(Append(nil, t, v, f))
}

// textLike tells whether the stored form of a string-held type is its text form.
func textLike(oid uint32) bool {
	switch oid {
	case value.Text.OID, value.Varchar.OID, value.BPChar.OID, value.Name.OID, value.JSON.OID, value.JSONPath.OID, value.Unknown.OID, value.CString.OID,
		value.XML.OID, value.RefCursor.OID:
		return true
	}
	return false
}
