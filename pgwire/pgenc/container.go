package pgenc

import (
	"encoding/binary"
	"slices"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// appendContainer writes types that are made of others.
func appendContainer(dst []byte, t *value.Type, v value.Value, f *typeio.Format) []byte {
	switch {
	case t.IsArray(), t.OID == value.RecordArray.OID:
		return putArray(dst, v.Box().(*value.Array), f)
	case t.Class == value.RangeClass:
		return putRange(dst, t, v.Box().(*value.Range), f)
	case t.Class == value.MultiClass:
		return putMultirange(dst, t, v.Box().(*value.Multirange), f)
	case t.Class == value.Composite, t.OID == value.RecordType.OID:
		return putRecord(dst, v.Box().(*value.Record), f)
	}
	return typeio.Append(dst, t, v, f) // enums, and types whose binary form is their text
}

// container reads types that are made of others.
func (r *reader) container(t *value.Type) value.Value {
	switch {
	case t.IsArray():
		return r.array(t)
	case t.Class == value.RangeClass:
		return r.rangeValue(t)
	case t.Class == value.MultiClass:
		return r.multirange(t)
	case t.Class == value.Composite:
		return r.record(t)
	case t.OID == value.RecordType.OID:
		r.fail(dberr.FeatureNotSupported, "input of anonymous composite types is not implemented")
		return value.Null
	}
	return r.in(t)
}

// Arrays: number of dimensions, whether there are NULLs, element type, length and lower bound of each dimension, the elements.

const maxDims = 6

func putArray(dst []byte, a *value.Array, f *typeio.Format) []byte {
	hasNull := uint32(0)
	if slices.ContainsFunc(a.Elems, value.Value.IsNull) {
		hasNull = 1
	}
	elem := WireType(a.Elem)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.Dims)))
	dst = binary.BigEndian.AppendUint32(dst, hasNull)
	dst = binary.BigEndian.AppendUint32(dst, elem.OID)
	for _, d := range a.Dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Len))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Lower))
	}
	for _, e := range a.Elems {
		dst = appendSized(dst, elem, e, f)
	}
	return dst
}

func (r *reader) array(t *value.Type) value.Value {
	dims, flags, oid := r.int32(), r.int32(), r.uint32()
	elem := WireType(t.Elem)
	switch {
	case r.err != nil:
		return value.Null
	case dims < 0:
		r.fail(dberr.InvalidBinaryRepresentation, "invalid number of dimensions: %d", dims)
	case dims > maxDims:
		r.fail(dberr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", dims, maxDims)
	case flags != 0 && flags != 1:
		r.fail(dberr.InvalidBinaryRepresentation, "invalid array flags")
	case oid != elem.OID && oid != t.Elem.OID:
		r.fail(dberr.DatatypeMismatch, "binary data has array element type %d instead of expected %d (%s)", oid, elem.OID, elem.SQL)
	}
	a := &value.Array{Elem: t.Elem}
	count := 1
	for range dims {
		d := value.Dim{Len: int32(r.uint32()), Lower: int32(r.uint32())}
		if d.Len < 0 || int64(d.Lower)+int64(d.Len)-1 > 1<<31-1 {
			r.fail(dberr.ProgramLimitExceeded, "array lower bound is too large: %d", d.Lower)
		}
		// Each element has a length word: more elements than words is an error to find before memory is taken.
		if count *= int(d.Len); count > len(r.rest)/4 {
			r.fail(dberr.ProtocolViolation, "insufficient data left in message")
		}
		if r.err != nil {
			return value.Null
		}
		a.Dims = append(a.Dims, d)
	}
	if r.err != nil {
		return value.Null
	}
	if dims == 0 || count == 0 {
		a.Dims = nil
		return value.Box(a)
	}
	a.Elems = make([]value.Value, count)
	for i := range a.Elems {
		a.Elems[i] = r.sized(elem)
	}
	return value.Box(a)
}

// Ranges: flags, then the finite bounds.

const (
	rangeEmpty    = 0x01
	rangeLowerInc = 0x02
	rangeUpperInc = 0x04
	rangeLowerInf = 0x08
	rangeUpperInf = 0x10
)

func putRange(dst []byte, t *value.Type, x *value.Range, f *typeio.Format) []byte {
	if x.Empty {
		return append(dst, rangeEmpty)
	}
	flags := byte(0)
	for _, b := range []struct {
		set bool
		bit byte
	}{{x.Lower.IsNull(), rangeLowerInf}, {x.Upper.IsNull(), rangeUpperInf}, {x.LowerInc && !x.Lower.IsNull(), rangeLowerInc}, {x.UpperInc && !x.Upper.IsNull(), rangeUpperInc}} {
		if b.set {
			flags |= b.bit
		}
	}
	dst = append(dst, flags)
	if !x.Lower.IsNull() {
		dst = appendSized(dst, t.Elem, x.Lower, f)
	}
	if !x.Upper.IsNull() {
		dst = appendSized(dst, t.Elem, x.Upper, f)
	}
	return dst
}

// rangeValue reads the parts and lets the text input put them into canonical form and check their order.
func (r *reader) rangeValue(t *value.Type) value.Value {
	flags := r.uint8()
	if flags&rangeEmpty != 0 {
		return r.fromText(t, []byte("empty"))
	}
	text := []byte{'('}
	if flags&rangeLowerInc != 0 {
		text[0] = '['
	}
	if flags&rangeLowerInf == 0 {
		text = r.bound(text, t.Elem)
	}
	text = append(text, ',')
	if flags&rangeUpperInf == 0 {
		text = r.bound(text, t.Elem)
	}
	if flags&rangeUpperInc != 0 {
		text = append(text, ']')
	} else {
		text = append(text, ')')
	}
	return r.fromText(t, text)
}

// bound reads a bound and appends it as quoted text in the default format.
func (r *reader) bound(dst []byte, t *value.Type) []byte {
	v := r.sized(t)
	if r.err != nil {
		return dst
	}
	if v.IsNull() {
		r.fail(dberr.InvalidBinaryRepresentation, "range bound is null")
		return dst
	}
	dst = append(dst, '"')
	for _, c := range typeio.Append(nil, t, v, typeio.Default) {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

func (r *reader) fromText(t *value.Type, text []byte) value.Value {
	if r.err != nil {
		return value.Null
	}
	v, err := typeio.In(t, -1, string(text), typeio.Default)
	if err != nil {
		r.err, r.rest = err, nil
	}
	return v
}

// Multiranges: their number, then each range with its length.

func putMultirange(dst []byte, t *value.Type, m *value.Multirange, f *typeio.Format) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(m.Ranges)))
	for _, x := range m.Ranges {
		at := len(dst)
		dst = putRange(append(dst, 0, 0, 0, 0), t, x, f)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}

func (r *reader) multirange(t *value.Type) value.Value {
	text := []byte{'{'}
	rng := rangeOver(t.Elem)
	for i := range r.int32() {
		if i > 0 {
			text = append(text, ',')
		}
		v := r.sized(rng)
		if r.err != nil || v.IsNull() {
			r.fail(dberr.InvalidBinaryRepresentation, "invalid range in multirange")
			return value.Null
		}
		text = typeio.Append(text, rng, v, typeio.Default)
	}
	return r.fromText(t, append(text, '}'))
}

// rangeOver finds the built-in range type over an element type, or makes one that stands for a user's.
func rangeOver(elem *value.Type) *value.Type {
	for _, t := range []*value.Type{value.Int4Range, value.Int8Range, value.NumRange, value.DateRange, value.TSRange, value.TSTZRange} {
		if t.Elem.OID == elem.OID {
			return t
		}
	}
	return &value.Type{Kind: value.KindBox, Class: value.RangeClass, Category: 'R', Elem: elem, Len: -1}
}

// Records: number of fields, then type and value of each.

func putRecord(dst []byte, x *value.Record, f *typeio.Format) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(x.Vals)))
	for i, v := range x.Vals {
		t := WireType(x.Fields[i].Type)
		dst = binary.BigEndian.AppendUint32(dst, t.OID)
		dst = appendSized(dst, t, v, f)
	}
	return dst
}

func (r *reader) record(t *value.Type) value.Value {
	n := r.int32()
	if n != len(t.Fields) && r.err == nil {
		r.fail(dberr.DatatypeMismatch, "wrong number of columns: %d, expected %d", n, len(t.Fields))
	}
	out := &value.Record{Fields: t.Fields}
	for i, f := range t.Fields {
		if r.err != nil {
			return value.Null
		}
		if oid := r.uint32(); oid != WireType(f.Type).OID && oid != f.Type.OID && r.err == nil {
			r.fail(dberr.DatatypeMismatch, "binary data has type %d instead of expected %d (%s) in record column %d", oid, f.Type.OID, f.Type.SQL, i+1)
		}
		out.Vals = append(out.Vals, r.sized(f.Type))
	}
	return value.Box(out)
}
