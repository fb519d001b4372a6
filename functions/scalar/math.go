package scalar

import (
	"math"
	"strconv"

	"github.com/omgdb/omgdb/functions/scalar/libm"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func floatTry(f func(x float64) (float64, error)) eval {
	return try(func(a []val) (val, error) {
		r, err := f(a[0].Float())
		if err != nil {
			return value.Null, err
		}
		return value.Float(r), nil
	})
}

// aliases gives several names to one function.
func aliases(e eval, sigs ...string) []def {
	out := make([]def, len(sigs))
	for i, s := range sigs {
		out[i] = def{Sig: s, Eval: e}
	}
	return out
}

// mathFunctions gives the mathematical functions.
func mathFunctions() []def {
	var out []def
	for _, f := range [][]def{
		aliases(floatTry(sqrt), "sqrt(float8)", "dsqrt(float8)"),
		aliases(floatTry(func(x float64) (float64, error) { return checked(libm.Cbrt(x), x) }), "cbrt(float8)", "dcbrt(float8)"),
		aliases(floatTry(exp), "exp(float8)", "dexp(float8)"),
		aliases(floatTry(logarithm(libm.Log)), "ln(float8)", "dlog1(float8)"),
		aliases(floatTry(logarithm(libm.Log10)), "log(float8)", "log10(float8)", "dlog10(float8)"),
		aliases(float2(power), "power(float8,float8)", "pow(float8,float8)", "dpow(float8,float8)"),
		aliases(float1(math.Ceil), "ceil(float8)", "ceiling(float8)"), aliases(float1(math.Floor), "floor(float8)"),
		aliases(float1(math.RoundToEven), "round(float8)", "dround(float8)"), aliases(float1(math.Trunc), "trunc(float8)", "dtrunc(float8)"),
		aliases(float1(signOf), "sign(float8)"),
		aliases(floatTry(func(x float64) (float64, error) { return fdiv(x, math.Pi/180) }), "degrees(float8)"),
		aliases(floatTry(func(x float64) (float64, error) { return fmul(x, math.Pi/180) }), "radians(float8)"),
		aliases(pure(func([]val) val { return value.Float(math.Pi) }), "pi()"),
		aliases(with(random), "random()"), aliases(with(setSeed), "setseed(float8)"),
		aliases(try(widthBucket), "width_bucket(float8,float8,float8,int4)"),
		aliases(try(widthBucketNum), "width_bucket(numeric,numeric,numeric,int4)"),
		aliases(try(widthBucketArray), "width_bucket(anycompatible,anycompatiblearray)"),
	} {
		out = append(out, f...)
	}
	return append(append(out, trigonometry()...), numericMath()...)
}

// checked refuses an infinity that the argument doesn't explain.
func checked(r, x float64) (float64, error) {
	switch {
	case math.IsInf(r, 0) && !math.IsInf(x, 0):
		return 0, floatOverflow()
	case r == 0 && x != 0:
		return 0, floatUnderflow()
	}
	return r, nil
}

func sqrt(x float64) (float64, error) {
	if x < 0 {
		return 0, dberr.New(dberr.InvalidArgForPower, "cannot take square root of a negative number")
	}
	return math.Sqrt(x), nil
}

func exp(x float64) (float64, error) {
	switch {
	case math.IsNaN(x):
		return x, nil
	case math.IsInf(x, 1):
		return x, nil
	case math.IsInf(x, -1):
		return 0, nil
	}
	r := libm.Exp(x)
	switch {
	case math.IsInf(r, 0):
		return 0, floatOverflow()
	case r == 0:
		return 0, floatUnderflow()
	}
	return r, nil
}

func logarithm(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		switch {
		case x == 0:
			return 0, dberr.New(dberr.InvalidArgForLog, "cannot take logarithm of zero")
		case x < 0:
			return 0, dberr.New(dberr.InvalidArgForLog, "cannot take logarithm of a negative number")
		}
		return f(x), nil
	}
}

func power(x, y float64) (float64, error) {
	switch {
	case math.IsNaN(x):
		if y == 0 {
			return 1, nil
		}
		return x, nil
	case math.IsNaN(y):
		if x == 1 {
			return 1, nil
		}
		return y, nil
	case x == 0 && y < 0:
		return 0, dberr.New(dberr.InvalidArgForPower, "zero raised to a negative power is undefined")
	case x < 0 && math.Floor(y) != y:
		return 0, dberr.New(dberr.InvalidArgForPower, "a negative number raised to a non-integer power yields a complex result")
	}
	r := libm.Pow(x, y)
	if !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		switch {
		case math.IsInf(r, 0):
			return 0, floatOverflow()
		case r == 0 && x != 0:
			return 0, floatUnderflow()
		}
	}
	return r, nil
}

func signOf(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0 // also for NaN
}

func badBucket(msg string) error { return dberr.New(dberr.InvalidArgForWidthBucket, "%s", msg) }

func widthBucket(a []val) (val, error) {
	x, low, high, n := a[0].Float(), a[1].Float(), a[2].Float(), a[3].Int()
	switch {
	case n <= 0:
		return value.Null, badBucket("count must be greater than zero")
	case x != x || low != low || high != high:
		return value.Null, badBucket("operand, lower bound, and upper bound cannot be NaN")
	case math.IsInf(low, 0) || math.IsInf(high, 0):
		return value.Null, badBucket("lower and upper bounds must be finite")
	case low == high:
		return value.Null, badBucket("lower bound cannot equal upper bound")
	}
	if low > high { // counts downwards
		x, low, high = -x, -low, -high
	}
	switch {
	case x < low:
		return value.Int(0), nil
	case x >= high:
		if n+1 > math.MaxInt32 {
			return value.Null, outOfRange("integer")
		}
		return value.Int(n + 1), nil
	}
	r := (x - low) / (high - low)
	if math.IsInf(high-low, 0) { // halves don't overflow
		r = (x/2 - low/2) / (high/2 - low/2)
	}
	b := int64(r * float64(n))
	if b >= n { // rounding must not leave the range
		b = n - 1
	}
	return value.Int(b + 1), nil
}

func widthBucketNum(a []val) (val, error) {
	x, low, high, n := typeio.Num(a[0]), typeio.Num(a[1]), typeio.Num(a[2]), a[3].Int()
	switch {
	case n <= 0:
		return value.Null, badBucket("count must be greater than zero")
	case num.IsNaN(x) || num.IsNaN(low) || num.IsNaN(high):
		return value.Null, badBucket("operand, lower bound, and upper bound cannot be NaN")
	case num.IsInf(low) || num.IsInf(high):
		return value.Null, badBucket("lower and upper bounds must be finite")
	case num.Cmp(low, high) == 0:
		return value.Null, badBucket("lower bound cannot equal upper bound")
	}
	if num.Cmp(low, high) > 0 {
		x, low, high = num.Neg(x), num.Neg(low), num.Neg(high)
	}
	switch {
	case num.Cmp(x, low) < 0:
		return value.Int(0), nil
	case num.Cmp(x, high) >= 0:
		if n+1 > math.MaxInt32 {
			return value.Null, outOfRange("integer")
		}
		return value.Int(n + 1), nil
	}
	width, err := num.Sub(high, low)
	if err != nil {
		return value.Null, err
	}
	d, err := num.Sub(x, low)
	if err != nil {
		return value.Null, err
	}
	if d, err = num.Mul(d, num.FromInt(n)); err != nil {
		return value.Null, err
	}
	// the quotient is rounded before it is cut, as PostgreSQL's is
	q, err := num.Div(d, width)
	if err == nil {
		q, err = num.Floor(q)
	}
	if err != nil {
		return value.Null, err
	}
	i, _ := num.Int64(q)
	return value.Int(i + 1), nil
}

// widthBucketArray counts the thresholds (sorted) that are not above the value.
func widthBucketArray(a []val) (val, error) {
	arr := a[1].Box().(*value.Array)
	if len(arr.Dims) > 1 {
		return value.Null, dberr.New(dberr.ArraySubscriptError, "thresholds must be one-dimensional array")
	}
	cmp := typeio.Comparer(arr.Elem)
	low, high := 0, len(arr.Elems)
	for low < high {
		mid := (low + high) / 2
		if arr.Elems[mid].IsNull() {
			return value.Null, dberr.New(dberr.NullValueNotAllowed, "thresholds array must not contain NULLs")
		}
		if cmp(a[0], arr.Elems[mid]) < 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return value.Int(int64(low)), nil
}

// numericMath gives the functions of numeric that approximate, and factorial and the like.
func numericMath() []def {
	var out []def
	for _, f := range [][]def{
		aliases(num1(num.Sqrt), "sqrt(numeric)", "numeric_sqrt(numeric)"), aliases(num1(num.Exp), "exp(numeric)", "numeric_exp(numeric)"),
		aliases(num1(num.Ln), "ln(numeric)", "numeric_ln(numeric)"), aliases(num2(num.Log), "log(numeric,numeric)", "numeric_log(numeric,numeric)"),
		aliases(num1(func(x *num.Dec) (*num.Dec, error) { return num.Log(num.FromInt(10), x) }), "log(numeric)", "log10(numeric)"),
		aliases(num2(num.Pow), "power(numeric,numeric)", "pow(numeric,numeric)", "numeric_power(numeric,numeric)"),
		aliases(num1(sure(num.SignOf)), "sign(numeric)"),
		aliases(pure(func(a []val) val {
			if d := typeio.Num(a[0]); num.Finite(d) {
				return value.Int(int64(num.Scale(d)))
			}
			return value.Null
		}), "scale(numeric)"),
		aliases(pure(func(a []val) val {
			if d := typeio.Num(a[0]); num.Finite(d) {
				return value.Int(int64(num.MinScale(d)))
			}
			return value.Null
		}), "min_scale(numeric)"),
		aliases(num1(func(x *num.Dec) (*num.Dec, error) {
			if !num.Finite(x) {
				return x, nil
			}
			return num.Round(x, num.MinScale(x))
		}), "trim_scale(numeric)"),
		aliases(num2(num.GCD), "gcd(numeric,numeric)"), aliases(num2(num.LCM), "lcm(numeric,numeric)"),
		aliases(try(func(a []val) (val, error) { return box(num.Factorial(a[0].Int())) }), "factorial(int8)"),
	} {
		out = append(out, f...)
	}
	return out
}

func random(c *call, _ []val) (val, error) { return value.Float(c.Env.Random.Float64()), nil }

// setSeed is setseed: random() of the session gives the same numbers after the same seed.
func setSeed(c *call, a []val) (val, error) {
	x := a[0].Float()
	if math.IsNaN(x) || x < -1 || x > 1 {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "setseed parameter %s is out of allowed range [-1,1]", strconv.FormatFloat(x, 'g', -1, 64))
	}
	if c.Env.Random != nil {
		c.Env.Random.Seed(x)
	}
	return value.String(""), nil
}
