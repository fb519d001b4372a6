package scalar

import (
	"math"
	"math/bits"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// intType is one of the three integer types.
type intType struct {
	name, sql string
	bits      int
	min, max  int64
}

var (
	int2T = intType{"int2", "smallint", 16, math.MinInt16, math.MaxInt16}
	int4T = intType{"int4", "integer", 32, math.MinInt32, math.MaxInt32}
	int8T = intType{"int8", "bigint", 64, math.MinInt64, math.MaxInt64}
)

func (t intType) fit(v int64) (val, error) {
	if v < t.min || v > t.max {
		return value.Null, outOfRange(t.sql)
	}
	return value.Int(v), nil
}

// wider gives the type of an operation on two integer types.
func wider(a, b intType) intType {
	if a.bits >= b.bits {
		return a
	}
	return b
}

func divByZero() error { return dberr.New(dberr.DivisionByZero, "division by zero") }

// add64, sub64 and mul64 tell whether the result fits.
func add64(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func sub64(a, b int64) (int64, bool) {
	d := a - b
	return d, (a^b)&(a^d) >= 0
}

func mul64(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	p := a * b
	if a != 0 && (p/a != b || a == -1 && b == math.MinInt64) {
		return 0, false
	}
	return p, true
}

// arith makes the Eval of an operation with overflow check.
func arith(t intType, op func(a, b int64) (int64, bool)) eval {
	return try(func(a []val) (val, error) {
		r, ok := op(a[0].Int(), a[1].Int())
		if !ok {
			return value.Null, outOfRange(t.sql)
		}
		return t.fit(r)
	})
}

func intDiv(t intType) eval {
	return try(func(a []val) (val, error) {
		x, y := a[0].Int(), a[1].Int()
		switch {
		case y == 0:
			return value.Null, divByZero()
		case y == -1: // the least number has no opposite
			if x == t.min {
				return value.Null, outOfRange(t.sql)
			}
			return value.Int(-x), nil
		}
		return value.Int(x / y), nil
	})
}

func intMod(t intType) eval {
	return try(func(a []val) (val, error) {
		switch a[1].Int() {
		case 0:
			return value.Null, divByZero()
		case -1:
			return value.Int(0), nil
		}
		return value.Int(a[0].Int() % a[1].Int()), nil
	})
}

// intPairs lists the operand types of the arithmetic functions with their name part: int4pl, int24pl …
var intPairs = []struct {
	part string
	a, b intType
}{
	{"int2", int2T, int2T}, {"int4", int4T, int4T}, {"int8", int8T, int8T}, {"int24", int2T, int4T}, {"int42", int4T, int2T},
	{"int28", int2T, int8T}, {"int82", int8T, int2T}, {"int48", int4T, int8T}, {"int84", int8T, int4T},
}

// integers gives the arithmetic, bit and cast functions of the integer types.
func integers() []def {
	var out []def
	for _, p := range intPairs {
		t := wider(p.a, p.b)
		args := "(" + p.a.name + "," + p.b.name + ")"
		out = append(out,
			def{Sig: p.part + "pl" + args, Eval: arith(t, add64), Kernel: addKernel(t)},
			def{Sig: p.part + "mi" + args, Eval: arith(t, sub64), Kernel: subKernel(t)},
			def{Sig: p.part + "mul" + args, Eval: arith(t, mul64), Kernel: mulKernel(t)},
			def{Sig: p.part + "div" + args, Eval: intDiv(t), Kernel: divKernel(t)})
	}
	for _, t := range []intType{int2T, int4T, int8T} {
		out = append(out, oneType(t)...)
	}
	return append(out, intCasts()...)
}

// oneType gives the functions whose operands have the same type.
func oneType(t intType) []def {
	n := t.name
	one, two := "("+n+")", "("+n+","+n+")"
	neg := try(func(a []val) (val, error) {
		if a[0].Int() == t.min {
			return value.Null, outOfRange(t.sql)
		}
		return value.Int(-a[0].Int()), nil
	})
	abs := try(func(a []val) (val, error) {
		switch v := a[0].Int(); {
		case v == t.min:
			return value.Null, outOfRange(t.sql)
		case v < 0:
			return value.Int(-v), nil
		}
		return a[0], nil
	})
	bit := func(f func(x, y int64) int64) eval {
		return pure(func(a []val) val { return value.Int(f(a[0].Int(), a[1].Int())) })
	}
	// shift counts are taken modulo the width (32 for smallint too, whose result is then cut)
	mask := int64(max(t.bits, 32) - 1)
	cut := func(x int64) int64 {
		switch t.bits {
		case 16:
			return int64(int16(x))
		case 32:
			return int64(int32(x))
		}
		return x
	}
	return []def{
		{Sig: n + "mod" + two, Eval: intMod(t), Kernel: modKernel(t)}, {Sig: "mod" + two, Eval: intMod(t), Kernel: modKernel(t)},
		{Sig: n + "um" + one, Eval: neg}, {Sig: n + "abs" + one, Eval: abs}, {Sig: "abs" + one, Eval: abs},
		{Sig: n + "up" + one, Eval: pure(func(a []val) val { return a[0] })},
		{Sig: n + "and" + two, Eval: bit(func(x, y int64) int64 { return x & y })},
		{Sig: n + "or" + two, Eval: bit(func(x, y int64) int64 { return x | y })},
		{Sig: n + "xor" + two, Eval: bit(func(x, y int64) int64 { return x ^ y })},
		{Sig: n + "not" + one, Eval: pure(func(a []val) val { return value.Int(^a[0].Int()) })},
		{Sig: n + "shl(" + n + ",int4)", Eval: bit(func(x, y int64) int64 { return cut(x << uint64(y&mask)) })},
		{Sig: n + "shr(" + n + ",int4)", Eval: bit(func(x, y int64) int64 { return cut(x >> uint64(y&mask)) })},
		{Sig: n + "larger" + two, Eval: pure(func(a []val) val { return value.Int(max(a[0].Int(), a[1].Int())) })},
		{Sig: n + "smaller" + two, Eval: pure(func(a []val) val { return value.Int(min(a[0].Int(), a[1].Int())) })},
	}
}

// narrow casts between integer types with a range check.
func narrow(t intType) eval {
	return try(func(a []val) (val, error) { return t.fit(a[0].Int()) })
}

func intCasts() []def {
	same := pure(func(a []val) val { return a[0] })
	return []def{
		{Sig: "int2(int4)", Eval: narrow(int2T)}, {Sig: "int2(int8)", Eval: narrow(int2T)}, {Sig: "int4(int8)", Eval: narrow(int4T)},
		{Sig: "int4(int2)", Eval: same}, {Sig: "int8(int2)", Eval: same}, {Sig: "int8(int4)", Eval: same},
		{Sig: "int4(bool)", Eval: pure(func(a []val) val {
			if a[0].Bool() {
				return value.Int(1)
			}
			return value.Int(0)
		})},
		{Sig: "bool(int4)", Eval: pure(func(a []val) val { return value.Bool(a[0].Int() != 0) })},
		{Sig: "oid(int8)", Eval: try(func(a []val) (val, error) {
			if v := a[0].Int(); v < 0 || v > math.MaxUint32 {
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, "OID out of range")
			}
			return a[0], nil
		})},
		{Sig: "int8(oid)", Eval: pure(func(a []val) val { return value.Int(int64(uint32(a[0].Int()))) })},
		{Sig: "gcd(int4,int4)", Eval: gcdOf(int4T)}, {Sig: "gcd(int8,int8)", Eval: gcdOf(int8T)},
		{Sig: "lcm(int4,int4)", Eval: lcmOf(int4T)}, {Sig: "lcm(int8,int8)", Eval: lcmOf(int8T)},
		{Sig: "int4inc(int4)", Eval: try(func(a []val) (val, error) { return int4T.fit(a[0].Int() + 1) })},
		{Sig: "bit_count(bytea)", Eval: pure(func(a []val) val {
			n := 0
			for _, b := range a[0].Bytes() {
				n += bits.OnesCount8(b)
			}
			return value.Int(int64(n))
		})},
	}
}

// gcd gives the greatest common divisor, unsigned.
func gcd(a, b int64) uint64 {
	x, y := absU(a), absU(b)
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

func absU(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func gcdOf(t intType) eval {
	return try(func(a []val) (val, error) {
		g := gcd(a[0].Int(), a[1].Int())
		if g > uint64(t.max) {
			return value.Null, outOfRange(t.sql)
		}
		return value.Int(int64(g)), nil
	})
}

func lcmOf(t intType) eval {
	return try(func(a []val) (val, error) {
		x, y := a[0].Int(), a[1].Int()
		if x == 0 || y == 0 {
			return value.Int(0), nil
		}
		hi, lo := bits.Mul64(absU(x)/gcd(x, y), absU(y))
		if hi != 0 || lo > uint64(t.max) {
			return value.Null, outOfRange(t.sql)
		}
		return value.Int(int64(lo)), nil
	})
}

var (
	oidFromInt = hidden("oid", value.Int4, value.OID, pure(func(a []val) val { return value.Int(int64(uint32(a[0].Int()))) }))
	oidToInt   = hidden("int4", value.OID, value.Int4, pure(func(a []val) val { return value.Int(int64(int32(a[0].Int()))) }))
)

// Relabel gives the function behind a binary coercible cast: nil where the forms are the same, which they are but for oids
// (unsigned) and int4.
func Relabel(from, to *value.Type) *functions.Scalar {
	switch {
	case from.OID == value.Int4.OID && to.Kind == value.KindInt:
		return oidFromInt
	case to.OID == value.Int4.OID && from.Kind == value.KindInt:
		return oidToInt
	}
	return nil
}

// hidden makes an entry that only a cast or operator reaches.
func hidden(name string, from, to *value.Type, e eval) *functions.Scalar {
	return &functions.Scalar{
		Name: name, Params: []functions.Param{{Type: from}}, Ret: to, Strict: true, Volatility: functions.Immutable, Eval: e, Hidden: true,
	}
}
