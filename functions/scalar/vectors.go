package scalar

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Vectors have pgvector's types, operators and functions. Sums of products and of differences are those of package vector, to the bit;
// what is made of them is computed in double precision. OIDs: 8200–8249 and 8300–8349 are functions of vector and halfvec, 8400–8449
// of sparsevec and bit; the operators' are 50 higher.

// vecFunc is one function, and the operator that calls it.
type vecFunc struct {
	name, op string
	params   []*value.Type
	ret      *value.Type
	eval     eval
	commutes bool
	kernel   functions.KernelFunc
}

// dense is a type of vectors that hold all their elements.
type dense struct {
	t      *value.Type
	unpack func(v val) []float32 // may share the value's memory
	pack   func(f []float32) (val, error)
	oid    uint32
}

var (
	fullVectors = &dense{value.Vector, vectorFloats, func(f []float32) (val, error) { return typeio.PackVector(f), nil }, 8200}
	halfVectors = &dense{value.HalfVec, typeio.UnpackHalf, typeio.PackHalf, 8300}
)

// littleEndian tells that the stored form of a vector is the processor's own.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// vectorFloats gives a vector's elements where they lie when the processor reads them so; they must not be written to.
func vectorFloats(v val) []float32 {
	s := v.Str()
	if n := len(s) / 4; n > 0 && littleEndian {
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.StringData(s))), n)
	}
	return typeio.UnpackVector(v)
}

// metric computes a function of two vectors of one length.
type metric func(a, b []float32) float64

func innerProduct(a, b []float32) float64    { return float64(vector.Dot(a, b)) }
func negativeProduct(a, b []float32) float64 { return -float64(vector.Dot(a, b)) }
func l2Squared(a, b []float32) float64       { return float64(vector.L2Squared(a, b)) }
func euclidean(a, b []float32) float64       { return math.Sqrt(float64(vector.L2Squared(a, b))) }
func taxicab(a, b []float32) float64         { return float64(vector.L1(a, b)) }

// cosineDistance is 1 - cosine; a zero vector has no direction: NaN.
func cosineDistance(a, b []float32) float64 {
	return vector.CosineDistance(vector.Dot(a, b), vector.Dot(a, a), vector.Dot(b, b))
}

// spherical is the angle between unit vectors, in halves of a turn.
func spherical(a, b []float32) float64 {
	return math.Acos(max(-1, min(1, float64(vector.Dot(a, b))))) / math.Pi
}

func (d *dense) different(a, b []float32) error {
	if len(a) != len(b) {
		return dberr.New(dberr.DataException, "different %s dimensions %d and %d", d.t.SQL, len(a), len(b))
	}
	return nil
}

// distance lifts a metric.
func (d *dense) distance(f metric) eval {
	return try(func(a []val) (val, error) {
		x, y := d.unpack(a[0]), d.unpack(a[1])
		if err := d.different(x, y); err != nil {
			return value.Null, err
		}
		return value.Float(f(x, y)), nil
	})
}

// from is a metric to one vector, b, of which it knows what all distances need. Metrics commute to the bit.
type from func(b []float32) func(a []float32) float64

// fromEach makes a metric one that knows nothing ahead.
func fromEach(f metric) from {
	return func(b []float32) func(a []float32) float64 {
		return func(a []float32) float64 { return f(a, b) }
	}
}

func cosineFrom(b []float32) func(a []float32) float64 {
	square := vector.Dot(b, b)
	return func(a []float32) float64 {
		dot, own := vector.DotAndSquare(a, b)
		return vector.CosineDistance(dot, own, square)
	}
}

// column lifts a metric to columns. Rows that are not asked for may hold anything.
func (d *dense) column(f metric, to from) functions.KernelFunc {
	return func(_ *functions.Call, args []*value.Column, consts []bool, sel []int32, n int, out *value.Column) error {
		var fixed [2][]float32
		for i, c := range consts {
			if c {
				fixed[i] = d.unpack(args[i].Get(0))
			}
		}
		side := func(k, i int) []float32 {
			if consts[k] {
				return fixed[k]
			}
			return d.unpack(args[k].Get(i))
		}
		out.Flts = slices.Grow(out.Flts[:0], n)[:n]
		if consts[0] != consts[1] {
			k, other := 0, args[1]
			if consts[1] {
				k, other = 1, args[0]
			}
			near := to(fixed[k])
			return selected(sel, n, func(i int) error {
				x := d.unpack(other.Get(i))
				if len(x) != len(fixed[k]) {
					return d.different(side(0, i), side(1, i))
				}
				out.Flts[i] = near(x)
				return nil
			})
		}
		return selected(sel, n, func(i int) error {
			x, y := side(0, i), side(1, i)
			if err := d.different(x, y); err != nil {
				return err
			}
			out.Flts[i] = f(x, y)
			return nil
		})
	}
}

// selected calls f with each position of sel, or with all n when it is nil.
func selected(sel []int32, n int, f func(i int) error) error {
	if sel == nil {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, i := range sel {
		if err := f(int(i)); err != nil {
			return err
		}
	}
	return nil
}

// elementwise lifts an operation on elements. A result that rounds to infinity is an overflow; underflows tells when zero is one.
func (d *dense) elementwise(f func(x, y float32) float32, underflows bool) eval {
	return try(func(a []val) (val, error) {
		x, y := d.unpack(a[0]), d.unpack(a[1])
		if err := d.different(x, y); err != nil {
			return value.Null, err
		}
		out := make([]float32, len(x))
		for i := range x {
			r := d.round(f(x[i], y[i]))
			switch {
			case math.IsInf(float64(r), 0):
				return value.Null, floatOverflow()
			case underflows && r == 0 && x[i] != 0 && y[i] != 0:
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, "value out of range: underflow")
			}
			out[i] = r
		}
		return d.pack(out)
	})
}

// VectorAdd computes + of vector or halfvec.
func VectorAdd(t *value.Type) functions.EvalFunc {
	d := fullVectors
	if t.OID == value.HalfVec.OID {
		d = halfVectors
	}
	return d.elementwise(func(x, y float32) float32 { return x + y }, false)
}

// round gives what is left of a number in an element.
func (d *dense) round(f float32) float32 {
	if d == halfVectors {
		return typeio.HalfToFloat(typeio.FloatToHalf(f))
	}
	return f
}

func (d *dense) concat(a []val) (val, error) {
	out := slices.Concat(d.unpack(a[0]), d.unpack(a[1]))
	if err := typeio.CheckVectorDims(d.t, len(out)); err != nil {
		return value.Null, err
	}
	return d.pack(out)
}

// subvector takes count elements from the one numbered start, counting from 1; positions outside of the vector are left out.
func (d *dense) subvector(a []val) (val, error) {
	x, start, count := d.unpack(a[0]), a[1].Int(), a[2].Int()
	first, end := max(start, 1), min(start+count, int64(len(x))+1)
	if count < 1 || first >= end {
		return value.Null, typeio.CheckVectorDims(d.t, 0)
	}
	return d.pack(x[first-1 : end-1])
}

// length is the Euclidean norm, in double precision.
func length(x []float32) float64 {
	s := 0.0
	for _, f := range x {
		s += float64(f) * float64(f)
	}
	return math.Sqrt(s)
}

func (d *dense) normalize(a []val) (val, error) {
	x := d.unpack(a[0])
	out := make([]float32, len(x))
	if n := length(x); n > 0 {
		for i, f := range x {
			out[i] = float32(float64(f) / n)
		}
	}
	return d.pack(out)
}

// quantize gives a bit for each element: 1 above zero.
func (d *dense) quantize(a []val) val {
	var b strings.Builder
	for _, f := range d.unpack(a[0]) {
		if f > 0 {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return value.String(b.String())
}

// funcs lists the functions of the type in the order of their OIDs.
func (d *dense) funcs() []vecFunc {
	two, one := []*value.Type{d.t, d.t}, []*value.Type{d.t}
	name := d.t.Name
	measureFrom := func(fn, op string, f metric, to from) vecFunc {
		return vecFunc{name: fn, op: op, params: two, ret: value.Float8, eval: d.distance(f), commutes: true, kernel: d.column(f, to)}
	}
	measure := func(fn, op string, f metric) vecFunc { return measureFrom(fn, op, f, fromEach(f)) }
	norm := "l2_norm"
	if d == fullVectors {
		norm = "vector_norm"
	}
	out := []vecFunc{
		measure("l2_distance", "<->", euclidean),
		measure(name+"_negative_inner_product", "<#>", negativeProduct),
		measureFrom("cosine_distance", "<=>", cosineDistance, cosineFrom),
		measure("l1_distance", "<+>", taxicab),
		measure("inner_product", "", innerProduct),
		{name: name + "_add", op: "+", params: two, ret: d.t, eval: VectorAdd(d.t), commutes: true},
		{name: name + "_sub", op: "-", params: two, ret: d.t, eval: d.elementwise(func(x, y float32) float32 { return x - y }, false)},
		{name: name + "_mul", op: "*", params: two, ret: d.t, eval: d.elementwise(func(x, y float32) float32 { return x * y }, true), commutes: true},
		{name: name + "_concat", op: "||", params: two, ret: d.t, eval: try(d.concat)},
		{name: "vector_dims", params: one, ret: value.Int4, eval: pure(func(a []val) val { return value.Int(int64(len(d.unpack(a[0])))) })},
		{name: norm, params: one, ret: value.Float8, eval: pure(func(a []val) val { return value.Float(length(d.unpack(a[0]))) })},
		{name: "l2_normalize", params: one, ret: d.t, eval: try(d.normalize)},
		{name: "binary_quantize", params: one, ret: value.Bit, eval: pure(d.quantize)},
		{name: "subvector", params: []*value.Type{d.t, value.Int4, value.Int4}, ret: d.t, eval: try(d.subvector)},
		measure(name+"_l2_squared_distance", "", l2Squared),
		measure(name+"_spherical_distance", "", spherical),
	}
	out = append(out, d.sums()...)
	return append(out, orderFuncs(d.t)...)
}

// orderFuncs lists the comparisons of a type of vectors.
func orderFuncs(t *value.Type) []vecFunc {
	symbols := [...]string{"=", "<>", "<", "<=", ">", ">="}
	two, cmp := []*value.Type{t, t}, typeio.Comparer(t)
	out := []vecFunc{{name: t.Name + "_cmp", params: two, ret: value.Int4, eval: pure(func(a []val) val { return value.Int(int64(cmp(a[0], a[1]))) })}}
	for i, op := range cmpOps {
		out = append(out, vecFunc{name: t.Name + "_" + op.suffix, op: symbols[i], params: two, ret: value.Boolean, eval: cmpEval(cmp, op.holds), commutes: i < 2})
	}
	return out
}

// vectors makes the entries of vectors once: operators share their functions.
var vectors = sync.OnceValues(func() (fns []*functions.Scalar, ops []*functions.Operator) {
	for oid, list := range map[uint32][]vecFunc{
		fullVectors.oid: fullVectors.funcs(), halfVectors.oid: halfVectors.funcs(), 8400: append(sparseFuncs(), bitDistances()...),
	} {
		f, o := vecEntries(list, oid)
		fns, ops = append(fns, f...), append(ops, o...)
	}
	return append(fns, conversionFuncs()...), ops
})

// vecEntries makes functions and operators, whose OIDs follow from the place in the list.
func vecEntries(list []vecFunc, oid uint32) (fns []*functions.Scalar, ops []*functions.Operator) {
	negators := map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	swapped := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}
	for i, f := range list {
		s := &functions.Scalar{OID: oid + uint32(i), Name: f.name, Ret: f.ret, Strict: true, Volatility: functions.Immutable, Eval: f.eval, Kernel: f.kernel}
		for _, t := range f.params {
			s.Params = append(s.Params, functions.Param{Type: t})
		}
		fns = append(fns, s)
		if f.op == "" {
			continue
		}
		o := &functions.Operator{
			OID: s.OID + 50, Name: f.op, Left: f.params[0], Right: f.params[1], Ret: f.ret, Fn: s, Negator: negators[f.op], Commutator: swapped[f.op],
		}
		if f.commutes {
			o.Commutator = f.op
		}
		ops = append(ops, o)
	}
	return fns, ops
}
