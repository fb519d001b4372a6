package pgenc

import (
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// The binary forms of vectors are pgvector's. A vector and a halfvec are a count and an unused word of 2 bytes each, then the elements;
// a sparsevec is dimensions, a count and an unused word of 4 bytes each, then the indices from 0, then the elements.

func putVector(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	s := v.Str()
	dst = append(binary.BigEndian.AppendUint16(dst, uint16(len(s)/4)), 0, 0)
	for i := 0; i+4 <= len(s); i += 4 {
		dst = append(dst, s[i+3], s[i+2], s[i+1], s[i])
	}
	return dst
}

// dims reads the beginning of a vector or halfvec.
func (r *reader) dims(t *value.Type) int {
	dim, unused := r.int16(), r.int16()
	if r.err == nil && unused != 0 {
		r.fail(dberr.DataException, "expected unused to be 0, not %d", unused)
	}
	if r.err == nil {
		r.err = typeio.CheckVectorDims(t, dim)
	}
	if r.err != nil {
		return 0
	}
	return dim
}

func getVector(r *reader, t *value.Type) value.Value {
	b := r.bytes(4 * r.dims(t))
	out := make([]byte, len(b))
	for i := 0; i < len(b); i += 4 {
		bits := binary.BigEndian.Uint32(b[i:])
		r.check(t, math.Float32frombits(bits))
		binary.LittleEndian.PutUint32(out[i:], bits)
	}
	return value.Bytes(out)
}

// check refuses an element that is no number.
func (r *reader) check(t *value.Type, f float32) {
	if r.err == nil {
		r.err = typeio.CheckVectorElem(t, float64(f))
	}
}

func putHalf(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	s := v.Str()
	dst = append(binary.BigEndian.AppendUint16(dst, uint16(len(s)/2)), 0, 0)
	for i := 0; i+2 <= len(s); i += 2 {
		dst = append(dst, s[i+1], s[i])
	}
	return dst
}

func getHalf(r *reader, t *value.Type) value.Value {
	b := r.bytes(2 * r.dims(t))
	out := make([]byte, len(b))
	for i := 0; i < len(b); i += 2 {
		bits := binary.BigEndian.Uint16(b[i:])
		r.check(t, typeio.HalfToFloat(bits))
		binary.LittleEndian.PutUint16(out[i:], bits)
	}
	return value.Bytes(out)
}

func putSparse(dst []byte, _ *value.Type, v value.Value, _ *typeio.Format) []byte {
	s := typeio.UnpackSparse(v)
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.Dims))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s.Indices)))
	dst = binary.BigEndian.AppendUint32(dst, 0)
	for _, at := range s.Indices {
		dst = binary.BigEndian.AppendUint32(dst, uint32(at))
	}
	for _, f := range s.Values {
		dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(f))
	}
	return dst
}

func getSparse(r *reader, _ *value.Type) value.Value {
	dims, n, unused := int32(r.uint32()), int32(r.uint32()), int32(r.uint32())
	switch {
	case r.err != nil:
	case n < 0:
		r.fail(dberr.DataException, "sparsevec cannot have negative number of elements")
	case n > typeio.MaxSparseElems:
		r.fail(dberr.ProgramLimitExceeded, "sparsevec cannot have more than %d non-zero elements", typeio.MaxSparseElems)
	case unused != 0:
		r.fail(dberr.DataException, "expected unused to be 0, not %d", unused)
	}
	if r.err != nil {
		return value.Null
	}
	s := typeio.Sparse{Dims: int(dims), Indices: make([]int32, n), Values: make([]float32, n)}
	for i := range s.Indices {
		s.Indices[i] = int32(r.uint32())
	}
	for i := range s.Values {
		s.Values[i] = math.Float32frombits(r.uint32())
		if r.err == nil && s.Values[i] == 0 {
			r.fail(dberr.DataException, "binary representation of sparsevec cannot contain zero values")
		}
	}
	if r.err == nil {
		r.err = s.Check()
	}
	if r.err != nil {
		return value.Null
	}
	return typeio.PackSparse(s)
}
