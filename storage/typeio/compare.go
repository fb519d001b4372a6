package typeio

import (
	"github.com/omgdb/omgdb/storage/value"
)

// Compare orders two values of type t as PostgreSQL's default btree order does; NULL is greater than everything and equal to itself.
// Types without an order compare by their text.
func Compare(t *value.Type, a, b value.Value) int {
	if a.IsNull() || b.IsNull() {
		switch {
		case a.IsNull() && b.IsNull():
			return 0
		case a.IsNull():
			return 1
		}
		return -1
	}
	return Comparer(t)(a, b)
}

// Comparer gives the comparison of two non-NULL values of type t; get it once for many comparisons.
func Comparer(t *value.Type) func(a, b value.Value) int {
	t = Base(t)
	if c := codecs[t.OID]; c != nil {
		if c.cmp != nil {
			return c.cmp
		}
		return func(a, b value.Value) int { return textCmp(a, b) }
	}
	switch {
	case t.IsArray(), t.OID == value.RecordArray.OID, t.OID == value.AnyArray.OID:
		return arrayCmp
	case t.Class == value.RangeClass:
		return rangeCmp
	case t.Class == value.MultiClass:
		return multirangeCmp
	case t.Class == value.Composite, t.OID == value.RecordType.OID:
		return recordCmp
	case t.Kind == value.KindInt: // enums: values are positions in sort order
		return intCmp
	}
	return textCmp
}

// Equal tells whether two values of type t are the same in GROUP BY's sense (NULL equals NULL).
func Equal(t *value.Type, a, b value.Value) bool { return Compare(t, a, b) == 0 }

// noEquality are the types whose values SQL cannot tell apart, as DISTINCT and arrays would have to.
var noEquality = map[uint32]bool{
	value.JSON.OID: true, value.XML.OID: true, value.JSONPath.OID: true, value.PointT.OID: true, value.LsegT.OID: true, value.BoxT.OID: true,
	value.PathT.OID: true, value.PolygonT.OID: true, value.LineT.OID: true, value.CircleT.OID: true,
}

// HasEquality tells whether a type has an equality.
func HasEquality(t *value.Type) bool { return !noEquality[Base(t).OID] }

// Hash gives values that are Equal the same hash; it goes on from h, so that rows can be hashed field by field.
func Hash(h uint64, t *value.Type, v value.Value) uint64 {
	if v.IsNull() {
		return mix(h, 0x6e756c6c)
	}
	t = Base(t)
	if c := codecs[t.OID]; c != nil {
		if c.hash != nil {
			return c.hash(h, v)
		}
		return textHash(h, v)
	}
	switch {
	case t.IsArray(), t.OID == value.RecordArray.OID, t.OID == value.AnyArray.OID:
		return arrayHash(h, v)
	case t.Class == value.RangeClass:
		return rangeHash(h, v.Box().(*value.Range))
	case t.Class == value.MultiClass:
		return multirangeHash(h, v)
	case t.Class == value.Composite, t.OID == value.RecordType.OID:
		return recordHash(h, v)
	case t.Kind == value.KindInt:
		return intHash(h, v)
	}
	return textHash(h, v)
}

// ApplyMod fits v to a type modifier (-1: none): length, precision and scale, fractional seconds. explicit is that of an
// explicit cast, which cuts strings that are too long instead of refusing them.
func ApplyMod(t *value.Type, mod int32, v value.Value, explicit bool) (value.Value, error) {
	if mod < 0 || v.IsNull() {
		return v, nil
	}
	t = Base(t)
	if c := codecs[t.OID]; c != nil {
		if c.mod == nil {
			return v, nil
		}
		return c.mod(t, mod, v, explicit)
	}
	if t.IsArray() {
		return arrayMod(t, mod, v, explicit)
	}
	return v, nil
}
