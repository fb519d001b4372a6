package vec

import (
	"cmp"
	"math"
	"strings"

	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// form is how values of a type are ordered and hashed.
type form uint8

const (
	plainForm form = iota // by the Go value: integers, dates, booleans, text and bytes in the C collation
	floatForm             // NaN is greatest and equal to itself, -0 equals 0
	padForm               // char(n): trailing blanks don't count
	typedForm             // by typeio: jsonb and everything boxed
)

func formOf(t *value.Type) form {
	t = typeio.Base(t)
	switch t.Kind {
	case value.KindBool:
		return plainForm
	case value.KindInt:
		switch t.OID {
		case value.TID.OID, value.XID8.OID, value.PgLSN.OID: // unsigned 64 bits
			return typedForm
		}
		return plainForm
	case value.KindFloat:
		return floatForm
	case value.KindString:
		switch t.OID {
		case value.Text.OID, value.Varchar.OID, value.Name.OID, value.Char.OID, value.Bytea.OID, value.UUID.OID,
			value.Unknown.OID, value.RefCursor.OID, value.CString.OID, value.PgNodeTree.OID:
			return plainForm
		case value.BPChar.OID:
			return padForm
		}
	}
	return typedForm
}

// trimPad cuts the blanks that char(n) is padded with.
func trimPad(s string) string { return strings.TrimRight(s, " ") }

// Comparer orders value i of a against value j of b, neither NULL: negative, 0 or positive.
type Comparer func(a *value.Column, i int, b *value.Column, j int) int

// ComparerOf gives the default order of a type.
func ComparerOf(t *value.Type) Comparer {
	f := formOf(t)
	switch {
	case f == floatForm:
		return func(a *value.Column, i int, b *value.Column, j int) int { return CompareFloat(a.Flts[i], b.Flts[j]) }
	case f == padForm:
		return func(a *value.Column, i int, b *value.Column, j int) int {
			return strings.Compare(trimPad(a.Strs[i]), trimPad(b.Strs[j]))
		}
	case f == typedForm:
		order := typeio.Comparer(t)
		return func(a *value.Column, i int, b *value.Column, j int) int { return order(a.Get(i), b.Get(j)) }
	case t.Kind == value.KindBool:
		return func(a *value.Column, i int, b *value.Column, j int) int { return compareBool(a.Bools[i], b.Bools[j]) }
	case t.Kind == value.KindInt:
		return func(a *value.Column, i int, b *value.Column, j int) int { return cmp.Compare(a.Ints[i], b.Ints[j]) }
	default:
		return func(a *value.Column, i int, b *value.Column, j int) int { return strings.Compare(a.Strs[i], b.Strs[j]) }
	}
}

// CompareFloat is SQL's order of floats.
func CompareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	default:
		return -1
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// CompareValues is the default order of two values of type t, neither NULL.
func CompareValues(t *value.Type, a, b value.Value) int {
	switch formOf(t) {
	case floatForm:
		return CompareFloat(a.Float(), b.Float())
	case padForm:
		return strings.Compare(trimPad(a.Str()), trimPad(b.Str()))
	case typedForm:
		return typeio.Compare(t, a, b)
	}
	switch t.Kind {
	case value.KindBool:
		return compareBool(a.Bool(), b.Bool())
	case value.KindInt:
		return cmp.Compare(a.Int(), b.Int())
	default:
		return strings.Compare(a.Str(), b.Str())
	}
}

// Equaler tells whether value i of a and value j of b, columns of one type, are not distinct: equal, or both NULL.
type Equaler func(a *value.Column, i int, b *value.Column, j int) bool

// EqualerOf gives the default equality of a type.
func EqualerOf(t *value.Type) Equaler {
	f := formOf(t)
	switch {
	case f == plainForm && t.Kind == value.KindInt:
		return func(a *value.Column, i int, b *value.Column, j int) bool {
			if len(a.Nulls)+len(b.Nulls) > 0 && (a.IsNull(i) || b.IsNull(j)) {
				return a.IsNull(i) && b.IsNull(j)
			}
			return a.Ints[i] == b.Ints[j]
		}
	case f == plainForm && t.Kind == value.KindString:
		return func(a *value.Column, i int, b *value.Column, j int) bool {
			if len(a.Nulls)+len(b.Nulls) > 0 && (a.IsNull(i) || b.IsNull(j)) {
				return a.IsNull(i) && b.IsNull(j)
			}
			return a.Strs[i] == b.Strs[j]
		}
	}
	order := ComparerOf(t)
	return func(a *value.Column, i int, b *value.Column, j int) bool {
		if a.IsNull(i) || b.IsNull(j) {
			return a.IsNull(i) && b.IsNull(j)
		}
		return order(a, i, b, j) == 0
	}
}

// Hashable tells whether SQL's = between the two types is the equality by which this package hashes and compares values of either.
func Hashable(a, b *value.Type) bool {
	a, b = typeio.Base(a), typeio.Base(b)
	switch a.OID {
	case value.JSON.OID, value.XML.OID, value.JSONPath.OID, value.Unknown.OID, value.RecordType.OID:
		return false
	}
	return a.OID == b.OID && a.Class != value.Composite || family(a) != 0 && family(a) == family(b)
}

// family groups types that compare with each other by their plain values.
func family(t *value.Type) uint32 {
	switch t.OID {
	case value.Int2.OID, value.Int4.OID, value.Int8.OID:
		return value.Int8.OID
	case value.Text.OID, value.Varchar.OID, value.Name.OID:
		return value.Text.OID
	case value.Float4.OID, value.Float8.OID:
		return value.Float8.OID
	}
	return 0
}
