package index

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// AppendStored appends a stored field of a column of type t as a component of a typed key; a missing field is NULL.
func AppendStored(dst []byte, o key.Order, t *value.Type, stored doc.Value) ([]byte, error) {
	if stored.Missing() {
		return o.AppendNull(dst), nil
	}
	v, err := typeio.FromBSON(t, stored.Type, stored.Data)
	if err != nil {
		return nil, err
	}
	return AppendComponent(dst, o, t, v)
}

// AppendComponent appends v of type t as a component of a typed key in PostgreSQL's order. A type without an order is 42704.
func AppendComponent(dst []byte, o key.Order, t *value.Type, v value.Value) ([]byte, error) {
	if v.IsNull() {
		return o.AppendNull(dst), nil
	}
	t = typeio.Base(t)
	switch t.Kind {
	case value.KindBool:
		return o.AppendBool(dst, v.Bool()), nil
	case value.KindInt:
		switch {
		case fixed(t):
			return o.AppendFixed(dst, v.Int()), nil
		case t.Class == value.Enum:
			return o.AppendFloat(dst, t.Place(v.Int())), nil
		}
		return o.AppendInt(dst, v.Int()), nil
	case value.KindFloat:
		return o.AppendFloat(dst, v.Float()), nil
	case value.KindString:
		return appendString(dst, o, t, v.Str())
	}
	return appendBox(dst, o, t, v)
}

// fixed tells whether the type is held as a number of days or microseconds.
func fixed(t *value.Type) bool {
	switch t.OID {
	case value.Date.OID, value.Time.OID, value.Timestamp.OID, value.TimestampTZ.OID:
		return true
	}
	return false
}

func appendString(dst []byte, o key.Order, t *value.Type, s string) ([]byte, error) {
	switch t.OID {
	case value.Text.OID, value.Varchar.OID, value.Name.OID, value.Char.OID, value.Bytea.OID, value.RefCursor.OID:
		return o.AppendText(dst, s), nil
	case value.BPChar.OID:
		return o.AppendText(dst, strings.TrimRight(s, " ")), nil
	case value.UUID.OID:
		if len(s) == 16 {
			return o.AppendUUID(dst, [16]byte([]byte(s))), nil
		}
	case value.Vector.OID:
		return appendVector(dst, o, typeio.UnpackVector(value.String(s))), nil
	case value.HalfVec.OID:
		return appendVector(dst, o, typeio.UnpackHalf(value.String(s))), nil
	case value.SparseVec.OID:
		return appendSparse(dst, o, typeio.UnpackSparse(value.String(s))), nil
	case value.Bit.OID, value.VarBit.OID:
		return o.AppendText(dst, s), nil
	case value.JSONB.OID:
		return o.AppendBytes(dst, appendJSON(nil, typeio.Doc(value.String(s)))), nil
	}
	return nil, noOrder(t)
}

// appendVector writes a vector's elements in order; a shorter vector stands before a longer one that begins with it.
func appendVector(dst []byte, o key.Order, f []float32) []byte {
	b := make([]byte, 0, 5*len(f)+1)
	for _, x := range f {
		b = appendOrdered(append(b, 1), x)
	}
	return o.AppendBytes(dst, append(b, 0))
}

// appendSparse writes a sparse vector so that it stands where its dense form would: at the first place where two differ, one has no
// element where the other has a negative or a positive one. The earlier a negative element comes the less the vector is, the earlier a
// positive one the greater.
func appendSparse(dst []byte, o key.Order, s typeio.Sparse) []byte {
	const negative, end, positive = 1, 2, 3
	b := make([]byte, 0, 9*len(s.Indices)+5)
	for i, at := range s.Indices {
		if s.Values[i] < 0 {
			b = binary.BigEndian.AppendUint32(append(b, negative), uint32(at))
		} else {
			b = binary.BigEndian.AppendUint32(append(b, positive), ^uint32(at))
		}
		b = appendOrdered(b, s.Values[i])
	}
	return o.AppendBytes(dst, binary.BigEndian.AppendUint32(append(b, end), uint32(s.Dims)))
}

// appendOrdered writes a finite number in 4 bytes whose order is its own; -0 is 0.
func appendOrdered(dst []byte, f float32) []byte {
	bits := math.Float32bits(f + 0)
	if bits>>31 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 31
	}
	return binary.BigEndian.AppendUint32(dst, bits)
}

func appendBox(dst []byte, o key.Order, t *value.Type, v value.Value) ([]byte, error) {
	switch {
	case t.OID == value.Numeric.OID:
		return o.AppendNumeric(dst, typeio.Num(v)), nil
	case t.OID == value.IntervalT.OID:
		i := v.Box().(value.Interval)
		return o.AppendInterval(dst, i.Months, i.Days, i.Micros), nil
	case t.IsArray():
		return appendArray(dst, o, v.Box().(*value.Array))
	case t.Class == value.RangeClass:
		return appendRange(dst, o, v.Box().(*value.Range))
	case t.Class == value.MultiClass:
		return appendMultirange(dst, o, v.Box().(*value.Multirange))
	}
	form, err := orderedForm(t, v)
	if err != nil {
		return nil, err
	}
	return o.AppendBytes(dst, form), nil
}

// appendRange writes a range in the order of PostgreSQL: empty ones first, then by lower bound, then by upper bound. An exclusive lower
// bound comes after an inclusive one of the same value, an exclusive upper bound before.
func appendRange(dst []byte, o key.Order, r *value.Range) ([]byte, error) {
	if r.Empty {
		return o.AppendInt(dst, 0), nil
	}
	dst = o.AppendInt(dst, 1)
	dst, err := appendBound(dst, o, r.Elem, r.Lower, 0, !r.LowerInc)
	if err != nil {
		return nil, err
	}
	return appendBound(dst, o, r.Elem, r.Upper, 2, r.UpperInc)
}

// appendBound writes a bound: infinite is the place of an infinite one (0 before all others, 2 after them), late tells of two bounds of
// the same value which comes second.
func appendBound(dst []byte, o key.Order, elem *value.Type, v value.Value, infinite int64, late bool) ([]byte, error) {
	if v.IsNull() {
		return o.AppendInt(dst, infinite), nil
	}
	dst, err := AppendComponent(o.AppendInt(dst, 1), o, elem, v)
	if err != nil {
		return nil, err
	}
	return o.AppendBool(dst, late), nil
}

// appendMultirange writes a multirange range by range; one that is the beginning of another comes first.
func appendMultirange(dst []byte, o key.Order, m *value.Multirange) (_ []byte, err error) {
	for _, r := range m.Ranges {
		if dst, err = appendRange(o.AppendInt(dst, 1), o, r); err != nil {
			return nil, err
		}
	}
	return o.AppendInt(dst, 0), nil
}

func noOrder(t *value.Type) error {
	return dberr.New(dberr.UndefinedObject, "data type %s has no default operator class for access method \"btree\"", t.SQL).
		WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
}

// KindOf tells how values of a scalar type are encoded; false for types that are no single component.
func KindOf(t *value.Type) (key.Kind, bool) {
	t = typeio.Base(t)
	switch t.Kind {
	case value.KindBool:
		return key.BoolKind, true
	case value.KindInt:
		if fixed(t) {
			return key.FixedKind, true
		}
		return key.NumberKind, true
	case value.KindFloat:
		return key.NumberKind, true
	case value.KindString:
		if t.OID == value.UUID.OID {
			return key.WideKind, true
		}
		return key.TextKind, true
	}
	switch t.OID {
	case value.Numeric.OID:
		return key.NumberKind, true
	case value.IntervalT.OID:
		return key.WideKind, true
	}
	return 0, false
}

// appendArray writes an array by its elements, as PostgreSQL compares arrays; arrays of several dimensions that have the same elements
// in other shapes are told apart by what follows: the dimensions.
func appendArray(dst []byte, o key.Order, a *value.Array) ([]byte, error) {
	kind, single := KindOf(a.Elem)
	if !single {
		kind = key.TextKind
	}
	out, l := o.BeginList(dst)
	for _, e := range a.Elems {
		if e.IsNull() {
			out = l.Null(out)
			continue
		}
		// An element is a component without its first byte.
		c, err := AppendComponent(nil, key.Order{}, a.Elem, e)
		if err != nil {
			return nil, err
		}
		if !single {
			c = key.Order{}.AppendBytes(nil, c)
		}
		out = append(l.Item(out, kind), c[1:]...)
	}
	out = l.End(out)
	out = o.AppendInt(out, int64(len(a.Dims)))
	for _, d := range a.Dims {
		out = o.AppendInt(o.AppendInt(out, int64(d.Len)), int64(d.Lower))
	}
	return out, nil
}
