package scalar

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

func arr(v val) *value.Array { return v.Box().(*value.Array) }

// arrOr gives an array argument, an empty one of its type for NULL.
func arrOr(c *call, a []val, i int) *value.Array {
	if a[i].IsNull() {
		return &value.Array{Elem: argType(c, i, c.Ret).Elem}
	}
	return arr(a[i])
}

func arrayError(format string, args ...any) error {
	return dberr.New(dberr.ArraySubscriptError, format, args...)
}

// arrayFunctions gives the functions and operators of arrays.
func arrayFunctions() []def {
	dims := func(f func(d value.Dim) int64) eval {
		return pure(func(a []val) val {
			x, n := arr(a[0]), a[1].Int()
			if n < 1 || n > int64(len(x.Dims)) {
				return value.Null
			}
			return value.Int(f(x.Dims[n-1]))
		})
	}
	return []def{
		{Sig: "array_ndims(anyarray)", Eval: pure(func(a []val) val { return countOr(len(arr(a[0]).Dims)) })},
		{Sig: "array_dims(anyarray)", Eval: pure(arrayDims)},
		{Sig: "array_length(anyarray,int4)", Eval: dims(func(d value.Dim) int64 { return int64(d.Len) })},
		{Sig: "array_lower(anyarray,int4)", Eval: dims(func(d value.Dim) int64 { return int64(d.Lower) })},
		{Sig: "array_upper(anyarray,int4)", Eval: dims(func(d value.Dim) int64 { return int64(d.Lower) + int64(d.Len) - 1 })},
		{Sig: "cardinality(anyarray)", Eval: pure(func(a []val) val { return value.Int(int64(len(arr(a[0]).Elems))) })},
		{Sig: "array_append(anycompatiblearray,anycompatible)", Eval: with(func(c *call, a []val) (val, error) { return push(arrOr(c, a, 0), a[1], false) })},
		{Sig: "array_prepend(anycompatible,anycompatiblearray)", Eval: with(func(c *call, a []val) (val, error) { return push(arrOr(c, a, 1), a[0], true) })},
		{Sig: "array_cat(anycompatiblearray,anycompatiblearray)", Eval: try(arrayCat)},
		{Sig: "array_position(anycompatiblearray,anycompatible)", Eval: equating(try(arrayPosition))},
		{Sig: "array_position(anycompatiblearray,anycompatible,int4)", Eval: equating(try(arrayPosition))},
		{Sig: "array_positions(anycompatiblearray,anycompatible)", Eval: equating(try(arrayPositions))},
		{Sig: "array_remove(anycompatiblearray,anycompatible)", Eval: equating(try(arrayRemove))},
		{Sig: "array_replace(anycompatiblearray,anycompatible,anycompatible)", Eval: equating(try(arrayReplace))},
		{Sig: "array_fill(anyelement,int4[])", Eval: with(arrayFill)}, {Sig: "array_fill(anyelement,int4[],int4[])", Eval: with(arrayFill)},
		{Sig: "trim_array(anyarray,int4)", Eval: try(trimArray)},
		{Sig: "arraycontains(anyarray,anyarray)", Eval: equating(pure(func(a []val) val { return value.Bool(containsAll(arr(a[0]), arr(a[1]))) }))},
		{Sig: "arraycontained(anyarray,anyarray)", Eval: equating(pure(func(a []val) val { return value.Bool(containsAll(arr(a[1]), arr(a[0]))) }))},
		{Sig: "arrayoverlap(anyarray,anyarray)", Eval: equating(pure(func(a []val) val { return value.Bool(overlapsAny(arr(a[0]), arr(a[1]))) }))},
		{Sig: "array_larger(anyarray,anyarray)", Eval: pure(func(a []val) val { return pickBy(a, 1, typeio.Comparer(value.AnyArray)) })},
		{Sig: "array_smaller(anyarray,anyarray)", Eval: pure(func(a []val) val { return pickBy(a, -1, typeio.Comparer(value.AnyArray)) })},
		{Sig: "array_to_string(anyarray,text)", Eval: with(arrayToString)}, {Sig: "array_to_string(anyarray,text,text)", Eval: with(arrayToString)},
		{Sig: "string_to_array(text,text)", Eval: pure(stringToArray)}, {Sig: "string_to_array(text,text,text)", Eval: pure(stringToArray)},
	}
}

func countOr(n int) val {
	if n == 0 {
		return value.Null
	}
	return value.Int(int64(n))
}

// pickBy gives the argument that is first in an order times sign.
func pickBy(a []val, sign int, cmp func(a, b val) int) val {
	if cmp(a[0], a[1])*sign > 0 {
		return a[0]
	}
	return a[1]
}

func arrayDims(a []val) val {
	var b []byte
	for _, d := range arr(a[0]).Dims {
		b = strconv.AppendInt(append(b, '['), int64(d.Lower), 10)
		b = append(strconv.AppendInt(append(b, ':'), int64(d.Lower)+int64(d.Len)-1, 10), ']')
	}
	if b == nil {
		return value.Null
	}
	return value.Bytes(b)
}

// push adds an element at one end of an array of at most one dimension.
func push(x *value.Array, e val, front bool) (val, error) {
	out := make([]val, 0, len(x.Elems)+1)
	if len(x.Dims) == 0 {
		return value.Box(value.NewArray(x.Elem, append(out, e))), nil
	}
	if len(x.Dims) > 1 {
		return value.Null, dberr.New(dberr.DataException, "argument must be empty or one-dimensional array")
	}
	d := x.Dims[0]
	if front {
		if d.Lower == math.MinInt32 {
			return value.Null, outOfRange("integer")
		}
		out = append(append(out, e), x.Elems...)
	} else {
		if int64(d.Lower)+int64(d.Len) > math.MaxInt32 {
			return value.Null, outOfRange("integer")
		}
		out = append(append(out, x.Elems...), e)
	}
	return value.Box(&value.Array{Elem: x.Elem, Dims: []value.Dim{{Len: d.Len + 1, Lower: d.Lower}}, Elems: out}), nil
}

// arrayCat joins arrays of the same number of dimensions, or one and another with one dimension less.
func arrayCat(a []val) (val, error) {
	switch {
	case a[0].IsNull():
		return a[1], nil
	case a[1].IsNull():
		return a[0], nil
	}
	x, y := arr(a[0]), arr(a[1])
	nx, ny := len(x.Dims), len(y.Dims)
	switch {
	case nx == 0 && ny > 0:
		return a[1], nil
	case ny == 0:
		return a[0], nil
	}
	bad := func(detail string) (val, error) {
		return value.Null, dberr.New(dberr.ArraySubscriptError, "cannot concatenate incompatible arrays").WithDetail("%s", detail)
	}
	if nx != ny && nx != ny-1 && nx != ny+1 {
		return value.Null, dberr.New(dberr.ArraySubscriptError, "cannot concatenate incompatible arrays").
			WithDetail("Arrays of %d and %d dimensions are not compatible for concatenation.", nx, ny)
	}
	dims := make([]value.Dim, max(nx, ny))
	inner := func(outer, part []value.Dim, detail string) string {
		for i := range part {
			if part[i].Len != outer[i+1].Len || part[i].Lower != outer[i+1].Lower {
				return detail
			}
		}
		return ""
	}
	switch {
	case nx == ny:
		copy(dims, x.Dims)
		dims[0].Len += y.Dims[0].Len
		for i := 1; i < nx; i++ {
			if x.Dims[i] != y.Dims[i] {
				return bad("Arrays with differing element dimensions are not compatible for concatenation.")
			}
		}
	case nx == ny-1: // x is one element of y
		copy(dims, y.Dims)
		dims[0].Len++
		if d := inner(y.Dims, x.Dims, "Arrays with differing dimensions are not compatible for concatenation."); d != "" {
			return bad(d)
		}
	default:
		copy(dims, x.Dims)
		dims[0].Len++
		if d := inner(x.Dims, y.Dims, "Arrays with differing dimensions are not compatible for concatenation."); d != "" {
			return bad(d)
		}
	}
	if _, err := typeio.CheckDims(dims); err != nil {
		return value.Null, err
	}
	out := append(append(make([]val, 0, len(x.Elems)+len(y.Elems)), x.Elems...), y.Elems...)
	return value.Box(&value.Array{Elem: x.Elem, Dims: dims, Elems: out}), nil
}

// sameElem tells elements apart as IS NOT DISTINCT FROM.
func sameElem(x *value.Array, v val) func(e val) bool {
	cmp := typeio.Comparer(x.Elem)
	return func(e val) bool {
		if e.IsNull() || v.IsNull() {
			return e.IsNull() && v.IsNull()
		}
		return cmp(e, v) == 0
	}
}

func multiSearch() error {
	return dberr.New(dberr.FeatureNotSupported, "searching for elements in multidimensional arrays is not supported")
}

func arrayPosition(a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	x := arr(a[0])
	if len(x.Dims) > 1 {
		return value.Null, multiSearch()
	}
	if len(x.Dims) == 0 || a[1].IsNull() && !slices.ContainsFunc(x.Elems, val.IsNull) {
		return value.Null, nil
	}
	if len(a) > 2 && a[2].IsNull() {
		return value.Null, dberr.New(dberr.NullValueNotAllowed, "initial position must not be null")
	}
	from := int64(x.Dims[0].Lower)
	if len(a) > 2 {
		from = a[2].Int()
	}
	same := sameElem(x, a[1])
	for i, e := range x.Elems {
		if pos := int64(x.Dims[0].Lower) + int64(i); pos >= from && same(e) {
			return value.Int(pos), nil
		}
	}
	return value.Null, nil
}

func arrayPositions(a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	x := arr(a[0])
	if len(x.Dims) > 1 {
		return value.Null, multiSearch()
	}
	var out []val
	same := sameElem(x, a[1])
	for i, e := range x.Elems {
		if same(e) {
			out = append(out, value.Int(int64(x.Dims[0].Lower)+int64(i)))
		}
	}
	return value.Box(value.NewArray(value.Int4, out)), nil
}

func arrayRemove(a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	x := arr(a[0])
	if len(x.Dims) > 1 {
		return value.Null, dberr.New(dberr.FeatureNotSupported, "removing elements from multidimensional arrays is not supported")
	}
	var out []val
	same := sameElem(x, a[1])
	for _, e := range x.Elems {
		if !same(e) {
			out = append(out, e)
		}
	}
	switch len(out) {
	case len(x.Elems):
		return a[0], nil
	case 0:
		return value.Box(&value.Array{Elem: x.Elem}), nil
	}
	return value.Box(&value.Array{Elem: x.Elem, Dims: []value.Dim{{Len: int32(len(out)), Lower: x.Dims[0].Lower}}, Elems: out}), nil
}

func arrayReplace(a []val) (val, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	x := arr(a[0])
	out := make([]val, len(x.Elems))
	same := sameElem(x, a[1])
	for i, e := range x.Elems {
		out[i] = e
		if same(e) {
			out[i] = a[2]
		}
	}
	return value.Box(&value.Array{Elem: x.Elem, Dims: x.Dims, Elems: out}), nil
}

func arrayFill(c *call, a []val) (val, error) {
	if a[1].IsNull() || len(a) > 2 && a[2].IsNull() {
		return value.Null, dberr.New(dberr.NullValueNotAllowed, "dimension array or low bound array cannot be null")
	}
	lens := arr(a[1])
	if len(lens.Dims) > 1 {
		return value.Null, dberr.New(dberr.ArraySubscriptError, "wrong number of array subscripts").WithDetail("Dimension array must be one dimensional.")
	}
	elem := argType(c, 0, value.Text)
	if c.Ret != nil && c.Ret.Elem != nil {
		elem = c.Ret.Elem
	}
	var lows *value.Array
	if len(a) > 2 {
		lows = arr(a[2])
		if hasNull(lens) || hasNull(lows) {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "dimension values cannot be null")
		}
		if len(lows.Elems) != len(lens.Elems) {
			return value.Null, dberr.New(dberr.ArraySubscriptError, "wrong number of array subscripts").
				WithDetail("Low bound array has different size than dimensions array.")
		}
	}
	var dims []value.Dim
	for i, e := range lens.Elems {
		if e.IsNull() {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "dimension values cannot be null")
		}
		d := value.Dim{Len: int32(e.Int()), Lower: 1}
		if lows != nil {
			d.Lower = int32(lows.Elems[i].Int())
		}
		if d.Len < 0 {
			return value.Null, dberr.New(dberr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", typeio.MaxElements)
		}
		dims = append(dims, d)
	}
	n, err := typeio.CheckDims(dims)
	if err != nil {
		return value.Null, err
	}
	if n == 0 {
		return value.Box(&value.Array{Elem: elem}), nil
	}
	out := make([]val, n)
	for i := range out {
		out[i] = a[0]
	}
	return value.Box(&value.Array{Elem: elem, Dims: dims, Elems: out}), nil
}

func hasNull(x *value.Array) bool {
	return slices.ContainsFunc(x.Elems, val.IsNull)
}

func trimArray(a []val) (val, error) {
	x, n := arr(a[0]), a[1].Int()
	size := int64(0)
	if len(x.Dims) > 0 {
		size = int64(x.Dims[0].Len)
	}
	if n < 0 || n > size {
		return value.Null, arrayError("number of elements to trim must be between 0 and %d", size)
	}
	if n == size {
		return value.Box(&value.Array{Elem: x.Elem}), nil
	}
	dims := append([]value.Dim(nil), x.Dims...)
	for i := range dims { // a slice counts from 1
		dims[i].Lower = 1
	}
	per := int64(len(x.Elems)) / size
	dims[0].Len -= int32(n)
	return value.Box(&value.Array{Elem: x.Elem, Dims: dims, Elems: x.Elems[:(size-n)*per]}), nil
}

// containsAll tells whether each element of y is in x; a NULL is in nothing.
func containsAll(x, y *value.Array) bool {
	cmp := typeio.Comparer(x.Elem)
	for _, e := range y.Elems {
		if e.IsNull() || !hasElem(x, e, cmp) {
			return false
		}
	}
	return true
}

func hasElem(x *value.Array, e val, cmp func(a, b val) int) bool {
	for _, f := range x.Elems {
		if !f.IsNull() && cmp(e, f) == 0 {
			return true
		}
	}
	return false
}

func overlapsAny(x, y *value.Array) bool {
	cmp := typeio.Comparer(x.Elem)
	for _, e := range y.Elems {
		if !e.IsNull() && hasElem(x, e, cmp) {
			return true
		}
	}
	return false
}

func arrayToString(c *call, a []val) (val, error) {
	if a[0].IsNull() || a[1].IsNull() {
		return value.Null, nil
	}
	x := arr(a[0])
	var b []byte
	first := true
	for _, e := range x.Elems {
		if e.IsNull() && (len(a) < 3 || a[2].IsNull()) {
			continue
		}
		if !first {
			b = append(b, a[1].Str()...)
		}
		first = false
		if e.IsNull() {
			b = append(b, a[2].Str()...)
		} else {
			b = typeio.Append(b, x.Elem, e, format(c))
		}
	}
	return value.Bytes(b), nil
}

// SplitText cuts a text at a separator: NULL cuts between all characters, the empty text nowhere. Pieces equal to null become NULL.
func SplitText(s string, sep val, null val) []val {
	var out []val
	add := func(p string) {
		if !null.IsNull() && p == null.Str() {
			out = append(out, value.Null)
		} else {
			out = append(out, text(p))
		}
	}
	switch {
	case s == "":
	case sep.IsNull():
		for len(s) > 0 {
			_, n := utf8.DecodeRuneInString(s)
			add(s[:n])
			s = s[n:]
		}
	case sep.Str() == "":
		add(s)
	default:
		for p := range strings.SplitSeq(s, sep.Str()) {
			add(p)
		}
	}
	return out
}

func stringToArray(a []val) val {
	if a[0].IsNull() {
		return value.Null
	}
	null := value.Null
	if len(a) > 2 {
		null = a[2]
	}
	return value.Box(value.NewArray(value.Text, SplitText(a[0].Str(), a[1], null)))
}

// equating makes an entry that compares the elements of its first argument: there must be an equality of their type.
func equating(f eval) eval {
	return func(ctx context.Context, c *call, a []val) (val, error) {
		if t := argType(c, 0, value.AnyArray); t.Elem != nil && !typeio.HasEquality(t.Elem) {
			return value.Null, dberr.New(dberr.UndefinedFunction, "could not identify an equality operator for type %s", t.Elem.SQL)
		}
		return f(ctx, c, a)
	}
}
