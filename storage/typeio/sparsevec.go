package typeio

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// Limits of a sparsevec.
const (
	MaxSparseDims  = 1000000000
	MaxSparseElems = 16000
)

// Sparse is a sparsevec: the elements that are not zero, in ascending order of their indices, which count from 0.
type Sparse struct {
	Dims    int
	Indices []int32
	Values  []float32
}

// A sparsevec is held as its dimensions (uint32), then pairs of index from 0 (uint32) and float32, by index.

// PackSparse makes a sparsevec value.
func PackSparse(s Sparse) value.Value {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+8*len(s.Indices)), uint32(s.Dims))
	for i, at := range s.Indices {
		b = binary.LittleEndian.AppendUint32(b, uint32(at))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s.Values[i]))
	}
	return value.Bytes(b)
}

// UnpackSparse gives a sparsevec's elements in new slices.
func UnpackSparse(v value.Value) Sparse {
	b := v.Bytes()
	if len(b) < 4 {
		return Sparse{}
	}
	n := (len(b) - 4) / 8
	s := Sparse{int(binary.LittleEndian.Uint32(b)), make([]int32, n), make([]float32, n)}
	for i := range n {
		at := b[4+8*i:]
		s.Indices[i], s.Values[i] = int32(binary.LittleEndian.Uint32(at)), math.Float32frombits(binary.LittleEndian.Uint32(at[4:]))
	}
	return s
}

// SparseOf drops the zeros of a dense vector.
func SparseOf(dense []float32) (Sparse, error) {
	s := Sparse{Dims: len(dense)}
	for i, f := range dense {
		if f != 0 {
			s.Indices, s.Values = append(s.Indices, int32(i)), append(s.Values, f)
		}
	}
	return s, s.Check()
}

// Dense gives all elements. The dimensions must be few enough for t, which is vector or halfvec.
func (s Sparse) Dense(t *value.Type) ([]float32, error) {
	if err := CheckVectorDims(t, s.Dims); err != nil {
		return nil, err
	}
	out := make([]float32, s.Dims)
	for i, at := range s.Indices {
		out[at] = s.Values[i]
	}
	return out, nil
}

// Check refuses too few and too many dimensions and elements, indices outside and out of order, and elements that are no numbers.
func (s Sparse) Check() error {
	switch {
	case s.Dims < 1:
		return tooFewDims(value.SparseVec)
	case s.Dims > MaxSparseDims:
		return dberr.New(dberr.ProgramLimitExceeded, "sparsevec cannot have more than %d dimensions", MaxSparseDims)
	case len(s.Indices) > MaxSparseElems:
		return dberr.New(dberr.ProgramLimitExceeded, "sparsevec cannot have more than %d non-zero elements", MaxSparseElems)
	}
	for i, at := range s.Indices {
		switch {
		case at < 0 || int(at) >= s.Dims:
			return dberr.New(dberr.DataException, "sparsevec index out of bounds")
		case i > 0 && at < s.Indices[i-1]:
			return dberr.New(dberr.DataException, "sparsevec indices must be in ascending order")
		case i > 0 && at == s.Indices[i-1]:
			return dberr.New(dberr.DataException, "sparsevec indices must not contain duplicates")
		}
		if err := CheckVectorElem(value.SparseVec, float64(s.Values[i])); err != nil {
			return err
		}
	}
	return nil
}

// sparseIn reads {index:value,…}/dimensions, with indices from 1 in any order.
func sparseIn(t *value.Type, text string, _ *Format) (value.Value, error) {
	s := num.TrimSpace(text)
	if s == "" || s[0] != '{' {
		return value.Null, badVector(t, text, `Vector contents must start with "{".`)
	}
	if n := strings.Count(s, ",") + 1; n > MaxSparseElems {
		return value.Null, dberr.New(dberr.ProgramLimitExceeded, "sparsevec cannot have more than %d non-zero elements", MaxSparseElems)
	}
	body, dims, closed := strings.Cut(s[1:], "}")
	if !closed {
		return value.Null, badVector(t, text, "")
	}
	var out Sparse
	if body = num.TrimSpace(body); body != "" {
		for w := range strings.SplitSeq(body, ",") {
			if err := out.readElem(t, text, w); err != nil {
				return value.Null, err
			}
		}
	}
	if dims = num.TrimSpace(dims); dims == "" || dims[0] != '/' {
		return value.Null, badVector(t, text, "Unexpected end of input.")
	}
	n, rest, ok := clampedInt(num.TrimSpace(dims[1:]))
	switch {
	case !ok:
		return value.Null, badVector(t, text, "")
	case rest != "":
		return value.Null, badVector(t, text, "Junk after closing.")
	}
	out.Dims = int(n)
	out.sort()
	return PackSparse(out), out.Check()
}

// readElem reads index:value; a zero is left out.
func (s *Sparse) readElem(t *value.Type, text, w string) error {
	is, fs, ok := strings.Cut(w, ":")
	at, rest, okAt := clampedInt(num.TrimSpace(is))
	if !ok || !okAt || rest != "" {
		return badVector(t, text, "")
	}
	fs = num.TrimSpace(fs)
	f, err := parseElem(t, text, fs)
	if err != nil {
		return err
	}
	if f != 0 {
		s.Indices, s.Values = append(s.Indices, int32(at-1)), append(s.Values, f)
	} else if mantissa, _, _ := strings.Cut(strings.ToLower(fs), "e"); strings.ContainsAny(mantissa, "123456789") {
		return dberr.New(dberr.NumericValueOutOfRange, `"%s" is out of range for type %s`, fs, t.SQL)
	}
	return nil
}

// clampedInt takes an integer off the beginning of s; one outside of int32 becomes the nearest one whose predecessor is inside.
func clampedInt(s string) (n int64, rest string, ok bool) {
	end := 0
	if end < len(s) && (s[0] == '-' || s[0] == '+') {
		end++
	}
	digits := end
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == digits {
		return 0, s, false
	}
	n, _ = strconv.ParseInt(s[:end], 10, 64) // out of range: the nearest limit
	return max(math.MinInt32+1, min(math.MaxInt32, n)), num.TrimSpace(s[end:]), true
}

// sort brings the elements into the order of their indices.
func (s *Sparse) sort() {
	if slices.IsSorted(s.Indices) {
		return
	}
	order := make([]int, len(s.Indices))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Indices[i], s.Indices[j]) })
	sorted := Sparse{Dims: s.Dims}
	for _, i := range order {
		sorted.Indices, sorted.Values = append(sorted.Indices, s.Indices[i]), append(sorted.Values, s.Values[i])
	}
	*s = sorted
}

func sparseOut(dst []byte, _ *value.Type, v value.Value, _ *Format) []byte {
	s := UnpackSparse(v)
	dst = append(dst, '{')
	for i, at := range s.Indices {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendInt(dst, int64(at)+1, 10), ':')
		dst = AppendFloat(dst, float64(s.Values[i]), 32, 1)
	}
	return strconv.AppendInt(append(dst, '}', '/'), int64(s.Dims), 10)
}

func sparseMod(_ *value.Type, mod int32, v value.Value, _ bool) (value.Value, error) {
	return v, CheckVectorMod(mod, UnpackSparse(v).Dims)
}

// sparseCmp orders sparse vectors as their dense forms: by the first element that differs, then by dimensions.
func sparseCmp(a, b value.Value) int {
	x, y := UnpackSparse(a), UnpackSparse(b)
	for i := 0; ; i++ {
		switch {
		case i == len(x.Indices) && i == len(y.Indices):
			return cmp.Compare(x.Dims, y.Dims)
		case i == len(y.Indices) || i < len(x.Indices) && x.Indices[i] < y.Indices[i]:
			return cmp.Compare(x.Values[i], 0)
		case i == len(x.Indices) || x.Indices[i] > y.Indices[i]:
			return cmp.Compare(0, y.Values[i])
		case x.Values[i] != y.Values[i]:
			return cmp.Compare(x.Values[i], y.Values[i])
		}
	}
}
