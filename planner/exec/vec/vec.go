// Package vec holds what operators and expressions do to columns below the level of SQL: filling, copying, hashing and
// comparing values of typed columns, and Stores of materialised rows. Nothing here knows plans or functions.
package vec

import "github.com/omgdb/omgdb/storage/value"

// Vec is what an expression gives for a batch: a column with a value at every position of the batch, or, when Const, a column of
// length 1 whose value stands at every position.
type Vec struct {
	*value.Column
	Const bool
}

// At is the index in the column of the batch's position i.
func (v Vec) At(i int32) int {
	if v.Const {
		return 0
	}
	return int(i)
}

// NullAt tells whether the value at position i is NULL.
func (v Vec) NullAt(i int32) bool {
	return len(v.Nulls) > 0 && v.Nulls[v.At(i)]
}

// HasNulls tells whether c may hold NULLs.
func HasNulls(c *value.Column) bool { return len(c.Nulls) > 0 }

// Constant makes the Vec of one value.
func Constant(t *value.Type, v value.Value) Vec {
	c := value.NewColumn(t, 1)
	c.Append(v)
	return Vec{Column: c, Const: true}
}

// Resize gives c exactly n values of which none is NULL; what they are is not said. It keeps c's memory.
func Resize(c *value.Column, n int) {
	c.Nulls = c.Nulls[:0]
	switch c.Type.Kind {
	case value.KindBool:
		c.Bools = resized(c.Bools, n)
	case value.KindInt:
		c.Ints = resized(c.Ints, n)
	case value.KindFloat:
		c.Flts = resized(c.Flts, n)
	case value.KindString:
		c.Strs = resized(c.Strs, n)
	default:
		c.Boxes = resized(c.Boxes, n)
	}
}

func resized[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, max(n, min(2*cap(s), 1024)))
}

// MaskNulls gives c a null mask for n values, all false, and returns it.
func MaskNulls(c *value.Column, n int) []bool {
	c.Nulls = resized(c.Nulls, n)
	clear(c.Nulls)
	return c.Nulls
}

// SetNull makes value i of the n values of c NULL.
func SetNull(c *value.Column, i int32, n int) {
	if len(c.Nulls) == 0 {
		MaskNulls(c, n)
	}
	c.Nulls[i] = true
}

// Set puts v at position i of the n values of c. The position must not be marked NULL unless v is.
func Set(c *value.Column, i int32, n int, v value.Value) {
	if v.IsNull() {
		SetNull(c, i, n)
		return
	}
	switch c.Type.Kind {
	case value.KindBool:
		c.Bools[i] = v.Bool()
	case value.KindInt:
		c.Ints[i] = v.Int()
	case value.KindFloat:
		c.Flts[i] = v.Float()
	case value.KindString:
		c.Strs[i] = v.Str()
	default:
		c.Boxes[i] = v.Box()
	}
}

// Scatter copies the values of src at the positions sel (nil: all n) to the same positions of dst, which has n values.
func Scatter(dst *value.Column, src Vec, sel []int32, n int) {
	if src.Const && src.Type.Kind != dst.Type.Kind && len(src.Nulls) > 0 && src.Nulls[0] {
		if len(dst.Nulls) == 0 {
			MaskNulls(dst, n) // a bare NULL keeps no value of the type
		}
		scatter(dst.Nulls, src.Nulls, true, sel)
		return
	}
	switch dst.Type.Kind {
	case value.KindBool:
		scatter(dst.Bools, src.Bools, src.Const, sel)
	case value.KindInt:
		scatter(dst.Ints, src.Ints, src.Const, sel)
	case value.KindFloat:
		scatter(dst.Flts, src.Flts, src.Const, sel)
	case value.KindString:
		scatter(dst.Strs, src.Strs, src.Const, sel)
	default:
		scatter(dst.Boxes, src.Boxes, src.Const, sel)
	}
	switch {
	case len(src.Nulls) > 0:
		if len(dst.Nulls) == 0 {
			MaskNulls(dst, n)
		}
		scatter(dst.Nulls, src.Nulls, src.Const, sel)
	case len(dst.Nulls) > 0:
		scatter(dst.Nulls, notNull, true, sel)
	}
}

var notNull = []bool{false}

func scatter[T any](dst, src []T, constant bool, sel []int32) {
	switch {
	case constant && sel == nil:
		for i := range dst {
			dst[i] = src[0]
		}
	case constant:
		for _, i := range sel {
			dst[i] = src[0]
		}
	case sel == nil:
		copy(dst, src)
	default:
		for _, i := range sel {
			dst[i] = src[i]
		}
	}
}

// Expand gives v as a column of n values: itself, or the constant repeated in buf.
func Expand(v Vec, n int, buf *value.Column) *value.Column {
	if !v.Const {
		return v.Column
	}
	buf.Type = v.Type
	Resize(buf, n)
	Scatter(buf, v, nil, n)
	return buf
}

// Gather empties dst and fills it with the values of src at the positions idx; an index below 0 gives NULL.
func Gather(dst, src *value.Column, idx []int32) {
	n := len(idx)
	Resize(dst, n)
	switch dst.Type.Kind {
	case value.KindBool:
		gather(dst.Bools, src.Bools, idx)
	case value.KindInt:
		gather(dst.Ints, src.Ints, idx)
	case value.KindFloat:
		gather(dst.Flts, src.Flts, idx)
	case value.KindString:
		gather(dst.Strs, src.Strs, idx)
	default:
		gather(dst.Boxes, src.Boxes, idx)
	}
	if len(src.Nulls) == 0 {
		for i, j := range idx {
			if j < 0 {
				SetNull(dst, int32(i), n)
			}
		}
		return
	}
	nulls := MaskNulls(dst, n)
	for i, j := range idx {
		nulls[i] = j < 0 || src.Nulls[j]
	}
}

func gather[T any](dst, src []T, idx []int32) {
	for i, j := range idx {
		if j >= 0 {
			dst[i] = src[j]
		}
	}
}

// Iota gives 0 … n-1 in a slice that everybody shares and nobody changes, for n up to a few batches; above that a new one.
func Iota(n int) []int32 {
	if n <= len(iota32) {
		return iota32[:n:n]
	}
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

var iota32 = func() []int32 {
	s := make([]int32, 4096)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}()

// Positions gives the positions that sel (nil: all n) stands for.
func Positions(sel []int32, n int) []int32 {
	if sel != nil {
		return sel
	}
	return Iota(n)
}

// Size estimates the bytes that value i of c holds, for memory accounts.
func Size(c *value.Column, i int) int64 {
	switch c.Type.Kind {
	case value.KindBool:
		return 1
	case value.KindInt, value.KindFloat:
		return 8
	case value.KindString:
		return 16 + int64(len(c.Strs[i]))
	default:
		return boxSize(c.Boxes[i])
	}
}
