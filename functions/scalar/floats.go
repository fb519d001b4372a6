package scalar

import (
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// binaryForms gives the functions that show the binary form of numbers, most significant byte first.
func binaryForms() []def {
	fixed := func(n int, bits func(v val) uint64) eval {
		return pure(func(a []val) val {
			b := binary.BigEndian.AppendUint64(nil, bits(a[0]))
			return value.Bytes(b[8-n:])
		})
	}
	integer := func(v val) uint64 { return uint64(v.Int()) }
	return []def{
		{Sig: "int2send(int2)", Eval: fixed(2, integer)}, {Sig: "int4send(int4)", Eval: fixed(4, integer)}, {Sig: "int8send(int8)", Eval: fixed(8, integer)},
		{Sig: "float4send(float4)", Eval: fixed(4, func(v val) uint64 { return uint64(math.Float32bits(float32(v.Float()))) })},
		{Sig: "float8send(float8)", Eval: fixed(8, func(v val) uint64 { return math.Float64bits(v.Float()) })},
	}
}

func floatOverflow() error {
	return dberr.New(dberr.NumericValueOutOfRange, "value out of range: overflow")
}

func floatUnderflow() error {
	return dberr.New(dberr.NumericValueOutOfRange, "value out of range: underflow")
}

// The four operations, with PostgreSQL's checks: an infinity or a zero that the operands don't explain is an error.

func fadd(x, y float64) (float64, error) { return overflowed(x+y, x, y) }
func fsub(x, y float64) (float64, error) { return overflowed(x-y, x, y) }

func overflowed(r, x, y float64) (float64, error) {
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return 0, floatOverflow()
	}
	return r, nil
}

func fmul(x, y float64) (float64, error) {
	r := x * y
	if r == 0 && x != 0 && y != 0 {
		return 0, floatUnderflow()
	}
	return overflowed(r, x, y)
}

func fdiv(x, y float64) (float64, error) {
	if y == 0 && x == x {
		return 0, divByZero()
	}
	r := x / y
	switch {
	case r == 0 && x != 0 && !math.IsInf(y, 0):
		return 0, floatUnderflow()
	case math.IsInf(r, 0) && !math.IsInf(x, 0):
		return 0, floatOverflow()
	}
	return r, nil
}

// single rounds an operation on float4 to float4.
func single(f func(x, y float64) (float64, error)) func(x, y float64) (float64, error) {
	return func(x, y float64) (float64, error) {
		r, err := f(x, y)
		if err != nil {
			return 0, err
		}
		s := float64(float32(r))
		switch {
		case math.IsInf(s, 0) && !math.IsInf(r, 0):
			return 0, floatOverflow()
		case s == 0 && r != 0:
			return 0, floatUnderflow()
		}
		return s, nil
	}
}

func float2(f func(x, y float64) (float64, error)) eval {
	return try(func(a []val) (val, error) {
		r, err := f(a[0].Float(), a[1].Float())
		if err != nil {
			return value.Null, err
		}
		return value.Float(r), nil
	})
}

func float1(f func(x float64) float64) eval {
	return pure(func(a []val) val { return value.Float(f(a[0].Float())) })
}

// floats gives the arithmetic and cast functions of float4 and float8.
func floats() []def {
	ops := []struct {
		name string
		f    func(x, y float64) (float64, error)
	}{{"pl", fadd}, {"mi", fsub}, {"mul", fmul}, {"div", fdiv}}
	var out []def
	for _, op := range ops {
		out = append(out,
			def{Sig: "float8" + op.name + "(float8,float8)", Eval: float2(op.f), Kernel: floatArith(op.f)},
			def{Sig: "float48" + op.name + "(float4,float8)", Eval: float2(op.f), Kernel: floatArith(op.f)},
			def{Sig: "float84" + op.name + "(float8,float4)", Eval: float2(op.f), Kernel: floatArith(op.f)},
			def{Sig: "float4" + op.name + "(float4,float4)", Eval: float2(single(op.f)), Kernel: floatArith(single(op.f))})
	}
	for _, t := range []string{"float4", "float8"} {
		one, two := "("+t+")", "("+t+","+t+")"
		out = append(out,
			def{Sig: t + "um" + one, Eval: float1(func(x float64) float64 { return -x })},
			def{Sig: t + "up" + one, Eval: float1(func(x float64) float64 { return x })},
			def{Sig: t + "abs" + one, Eval: float1(math.Abs)}, def{Sig: "abs" + one, Eval: float1(math.Abs)},
			def{Sig: t + "larger" + two, Eval: larger(1)}, def{Sig: t + "smaller" + two, Eval: larger(-1)},
		)
	}
	return append(out, floatCasts()...)
}

// larger gives the argument that is first in the order times sign.
func larger(sign int) eval {
	return pure(func(a []val) val {
		if cmpNaN(a[0].Float(), a[1].Float())*sign > 0 {
			return a[0]
		}
		return a[1]
	})
}

// toInt rounds a float half to even and checks the range.
func toInt(t intType) eval {
	low, high := float64(t.min), -float64(t.min) // the limits are exact, t.max+1 = -t.min
	return try(func(a []val) (val, error) {
		r := math.RoundToEven(a[0].Float())
		if !(r >= low && r < high) {
			return value.Null, outOfRange(t.sql)
		}
		return value.Int(int64(r)), nil
	})
}

func floatCasts() []def {
	var out []def
	for _, f := range []string{"float4", "float8"} {
		for _, t := range []intType{int2T, int4T, int8T} {
			out = append(out, def{Sig: t.name + "(" + f + ")", Eval: toInt(t)})
		}
	}
	for _, t := range []string{"int2", "int4", "int8"} {
		out = append(out,
			def{Sig: "float8(" + t + ")", Eval: pure(func(a []val) val { return value.Float(float64(a[0].Int())) }), Kernel: intToFloat},
			def{Sig: "float4(" + t + ")", Eval: pure(func(a []val) val { return value.Float(float64(float32(a[0].Int()))) })})
	}
	return append(out,
		def{Sig: "float8(float4)", Eval: pure(func(a []val) val { return a[0] })},
		def{Sig: "float4(float8)", Eval: try(func(a []val) (val, error) {
			r, err := single(fadd)(a[0].Float(), 0)
			if a[0].Float() == 0 {
				return a[0], nil // keeps the sign of zero
			}
			return value.Float(r), err
		})},
		def{Sig: "numeric(float8)", Eval: pure(func(a []val) val { return value.Box(num.FromFloat(a[0].Float(), 64)) })},
		def{Sig: "numeric(float4)", Eval: pure(func(a []val) val { return value.Box(num.FromFloat(a[0].Float(), 32)) })},
	)
}

func intToFloat(_ *functions.Call, args []*value.Column, consts []bool, _ []int32, n int, out *value.Column) error {
	res, a := flts(out, n), args[0].Ints
	for i := range res {
		res[i] = float64(a[pick(consts[0], i)])
	}
	return nil
}
