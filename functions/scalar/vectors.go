package scalar

import (
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Vectors have pgvector's operators and functions. Inner products and cosines are those of package vector, to the bit; OIDs 8200–8249
// are the functions', 8250–8299 the operators'.

// vecFunc is one function of vectors, and the operator that calls it.
type vecFunc struct {
	oid, opOID uint32
	name, op   string
	params     []*value.Type
	ret        *value.Type
	eval       eval
	commutes   bool
}

// distance lifts a function of two vectors of the same length.
func distance(f func(a, b []float32) float64) eval {
	return try(func(a []val) (val, error) {
		x, y := typeio.UnpackVector(a[0]), typeio.UnpackVector(a[1])
		if len(x) != len(y) {
			return value.Null, dberr.New(dberr.DataException, "different vector dimensions %d and %d", len(x), len(y))
		}
		return value.Float(f(x, y)), nil
	})
}

// elementwise lifts an operation on the elements of two vectors of the same length.
func elementwise(f func(x, y float32) float32) eval {
	return try(func(a []val) (val, error) {
		x, y := typeio.UnpackVector(a[0]), typeio.UnpackVector(a[1])
		if len(x) != len(y) {
			return value.Null, dberr.New(dberr.DataException, "different vector dimensions %d and %d", len(x), len(y))
		}
		for i := range x {
			if x[i] = f(x[i], y[i]); math.IsInf(float64(x[i]), 0) {
				return value.Null, floatOverflow()
			}
		}
		return typeio.PackVector(x), nil
	})
}

// cosineDistance is 1 - cosine; a zero vector has no direction: NaN.
func cosineDistance(a, b []float32) float64 {
	na, nb := vector.Norm(a), vector.Norm(b)
	if na == 0 || nb == 0 {
		return math.NaN()
	}
	return 1 - float64(vector.CosineNorms(a, b, na, nb))
}

// euclidean is the length of the difference.
func euclidean(a, b []float32) float64 {
	d := make([]float32, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return math.Sqrt(float64(vector.Dot(d, d)))
}

// taxicab is the sum of the differences.
func taxicab(a, b []float32) float64 {
	s := float32(0)
	for i := range a {
		s += float32(math.Abs(float64(a[i] - b[i])))
	}
	return float64(s)
}

var vecFuncs = func() []vecFunc {
	two := []*value.Type{value.Vector, value.Vector}
	one := two[:1]
	cmp := typeio.Comparer(value.Vector)
	out := []vecFunc{
		{8200, 8250, "l2_distance", "<->", two, value.Float8, distance(euclidean), true},
		{8201, 8251, "vector_negative_inner_product", "<#>", two, value.Float8, distance(func(a, b []float32) float64 { return -float64(vector.Dot(a, b)) }), true},
		{8202, 8252, "cosine_distance", "<=>", two, value.Float8, distance(cosineDistance), true},
		{8203, 8253, "l1_distance", "<+>", two, value.Float8, distance(taxicab), true},
		{8204, 0, "inner_product", "", two, value.Float8, distance(func(a, b []float32) float64 { return float64(vector.Dot(a, b)) }), false},
		{8205, 8254, "vector_add", "+", two, value.Vector, elementwise(func(x, y float32) float32 { return x + y }), true},
		{8206, 8255, "vector_sub", "-", two, value.Vector, elementwise(func(x, y float32) float32 { return x - y }), false},
		{8207, 8256, "vector_mul", "*", two, value.Vector, elementwise(func(x, y float32) float32 { return x * y }), true},
		{8208, 8257, "vector_concat", "||", two, value.Vector, str2(func(s, t string) string { return s + t }), false},
		{8209, 0, "vector_dims", "", one, value.Int4, strInt(func(s string) int { return len(s) / 4 }), false},
		{8210, 0, "vector_norm", "", one, value.Float8, pure(func(a []val) val { return value.Float(float64(vector.Norm(typeio.UnpackVector(a[0])))) }), false},
		{8211, 0, "l2_normalize", "", one, value.Vector, pure(func(a []val) val {
			x := typeio.UnpackVector(a[0])
			vector.Normalize(x)
			return typeio.PackVector(x)
		}), false},
	}
	symbols := [...]string{"=", "<>", "<", "<=", ">", ">="}
	for i, op := range cmpOps {
		out = append(out, vecFunc{8220 + uint32(i), 8260 + uint32(i), "vector_" + op.suffix, symbols[i], two, value.Boolean, cmpEval(cmp, op.holds), i < 2})
	}
	return out
}()

// vecEntries makes the functions and operators of vectors.
func vecEntries() (fns []*functions.Scalar, ops []*functions.Operator) {
	negators := map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	swapped := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}
	for _, f := range vecFuncs {
		s := &functions.Scalar{OID: f.oid, Name: f.name, Ret: f.ret, Strict: true, Volatility: functions.Immutable, Eval: f.eval}
		for _, t := range f.params {
			s.Params = append(s.Params, functions.Param{Type: t})
		}
		fns = append(fns, s)
		if f.op == "" {
			continue
		}
		o := &functions.Operator{OID: f.opOID, Name: f.op, Left: value.Vector, Right: value.Vector, Ret: f.ret, Fn: s, Negator: negators[f.op], Commutator: swapped[f.op]}
		if f.commutes {
			o.Commutator = f.op
		}
		ops = append(ops, o)
	}
	return fns, ops
}

// vecCasts makes vectors of arrays of numbers, and an array of floats of a vector.
func vecCasts() []*functions.Cast {
	var out []*functions.Cast
	for _, elem := range []*value.Type{value.Int4, value.Float4, value.Float8, value.Numeric} {
		from := value.ArrayOf(elem)
		context := functions.Assignment
		if elem.OID == value.Float4.OID {
			context = functions.Implicit
		}
		fn := hidden("array_to_vector", from, value.Vector, try(func(a []val) (val, error) { return vectorOf(arr(a[0])) }))
		out = append(out, &functions.Cast{From: from, To: value.Vector, Context: context, Fn: fn})
	}
	back := hidden("vector_to_float4", value.Vector, value.ArrayOf(value.Float4), pure(func(a []val) val {
		var elems []val
		for _, f := range typeio.UnpackVector(a[0]) {
			elems = append(elems, value.Float(float64(f)))
		}
		return value.Box(value.NewArray(value.Float4, elems))
	}))
	return append(out, &functions.Cast{From: value.Vector, To: value.ArrayOf(value.Float4), Context: functions.Implicit, Fn: back})
}

// vectorOf takes a one-dimensional array of numbers.
func vectorOf(x *value.Array) (val, error) {
	switch {
	case len(x.Dims) > 1:
		return value.Null, dberr.New(dberr.DataException, "array must be 1-D")
	case len(x.Elems) == 0:
		return value.Null, dberr.New(dberr.DataException, "vector must have at least 1 dimension")
	case len(x.Elems) > typeio.MaxVectorDims:
		return value.Null, dberr.New(dberr.ProgramLimitExceeded, "vector cannot have more than %d dimensions", typeio.MaxVectorDims)
	}
	out := make([]float32, len(x.Elems))
	for i, e := range x.Elems {
		if e.IsNull() {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "array must not contain nulls")
		}
		f := e.Float()
		switch x.Elem.OID {
		case value.Int4.OID:
			f = float64(e.Int())
		case value.Numeric.OID:
			v, err := numToFloat(typeio.Num(e), 32, "real")
			if err != nil {
				return v, err
			}
			f = v.Float()
		}
		if err := typeio.CheckVectorElem(value.Vector, float64(float32(f))); err != nil {
			return value.Null, err
		}
		out[i] = float32(f)
	}
	return typeio.PackVector(out), nil
}
