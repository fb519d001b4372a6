package scalar

import (
	"math"
	"strings"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Sparse vectors are summed over the places where either has an element, in their order, in single precision.

// paired sums f over the places of x and y.
func paired(x, y typeio.Sparse, f func(a, b float32) float32) float32 {
	s, i, j := float32(0), 0, 0
	for i < len(x.Indices) || j < len(y.Indices) {
		switch {
		case j == len(y.Indices) || i < len(x.Indices) && x.Indices[i] < y.Indices[j]:
			s += f(x.Values[i], 0)
			i++
		case i == len(x.Indices) || x.Indices[i] > y.Indices[j]:
			s += f(0, y.Values[j])
			j++
		default:
			s += f(x.Values[i], y.Values[j])
			i, j = i+1, j+1
		}
	}
	return s
}

func product(a, b float32) float32 { return float32(a * b) }

func sparseDot(x, y typeio.Sparse) float32 { return paired(x, y, product) }

func sparseL2(x, y typeio.Sparse) float32 {
	return paired(x, y, func(a, b float32) float32 { return product(a-b, a-b) })
}

func sparseL1(x, y typeio.Sparse) float32 {
	return paired(x, y, func(a, b float32) float32 { return float32(math.Abs(float64(a - b))) })
}

func sparseCosine(x, y typeio.Sparse) float64 {
	return vector.CosineDistance(sparseDot(x, y), sparseDot(x, x), sparseDot(y, y))
}

func sparseNormalize(a []val) (val, error) {
	x := typeio.UnpackSparse(a[0])
	out, n := typeio.Sparse{Dims: x.Dims}, length(x.Values)
	for i, f := range x.Values {
		if r := float32(float64(f) / n); r != 0 {
			out.Indices, out.Values = append(out.Indices, x.Indices[i]), append(out.Values, r)
		}
	}
	return typeio.PackSparse(out), nil
}

func sparseFuncs() []vecFunc {
	two, one := []*value.Type{value.SparseVec, value.SparseVec}, []*value.Type{value.SparseVec}
	measure := func(fn, op string, f func(x, y typeio.Sparse) float64) vecFunc {
		return vecFunc{name: fn, op: op, params: two, ret: value.Float8, commutes: true, eval: try(func(a []val) (val, error) {
			x, y := typeio.UnpackSparse(a[0]), typeio.UnpackSparse(a[1])
			if x.Dims != y.Dims {
				return value.Null, dberr.New(dberr.DataException, "different sparsevec dimensions %d and %d", x.Dims, y.Dims)
			}
			return value.Float(f(x, y)), nil
		})}
	}
	out := []vecFunc{
		measure("l2_distance", "<->", func(x, y typeio.Sparse) float64 { return math.Sqrt(float64(sparseL2(x, y))) }),
		measure("sparsevec_negative_inner_product", "<#>", func(x, y typeio.Sparse) float64 { return -float64(sparseDot(x, y)) }),
		measure("cosine_distance", "<=>", sparseCosine),
		measure("l1_distance", "<+>", func(x, y typeio.Sparse) float64 { return float64(sparseL1(x, y)) }),
		measure("inner_product", "", func(x, y typeio.Sparse) float64 { return float64(sparseDot(x, y)) }),
		measure("sparsevec_l2_squared_distance", "", func(x, y typeio.Sparse) float64 { return float64(sparseL2(x, y)) }),
		{name: "l2_norm", params: one, ret: value.Float8, eval: pure(func(a []val) val { return value.Float(length(typeio.UnpackSparse(a[0]).Values)) })},
		{name: "l2_normalize", params: one, ret: value.SparseVec, eval: try(sparseNormalize)},
	}
	return append(out, orderFuncs(value.SparseVec)...)
}

// bitDistances lists the distances of bit strings, which are held as the characters 0 and 1.
func bitDistances() []vecFunc {
	two := []*value.Type{value.Bit, value.Bit}
	measure := func(fn, op string, f func(x, y string) float64) vecFunc {
		return vecFunc{name: fn, op: op, params: two, ret: value.Float8, commutes: true, eval: try(func(a []val) (val, error) {
			x, y := a[0].Str(), a[1].Str()
			if len(x) != len(y) {
				return value.Null, dberr.New(dberr.DataException, "different bit lengths %d and %d", len(x), len(y))
			}
			return value.Float(f(x, y)), nil
		})}
	}
	return []vecFunc{measure("hamming_distance", "<~>", hamming), measure("jaccard_distance", "<%>", jaccard)}
}

// hamming counts the places that differ.
func hamming(x, y string) float64 {
	n := 0
	for i := range len(x) {
		n += int(x[i] ^ y[i])
	}
	return float64(n)
}

// jaccard is the share of the places set in either that are not set in both; 1 when they have none in common.
func jaccard(x, y string) float64 {
	both := 0
	for i := range len(x) {
		both += int(x[i] & y[i] & 1)
	}
	if both == 0 {
		return 1
	}
	return 1 - float64(both)/float64(strings.Count(x, "1")+strings.Count(y, "1")-both)
}
