package scalar

import (
	"math"

	"github.com/omgdb/omgdb/functions/scalar/libm"
	"github.com/omgdb/omgdb/storage/dberr"
)

func badInput() error { return dberr.New(dberr.NumericValueOutOfRange, "input is out of range") }

// finite lifts a function that has no value at infinity.
func finite(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if x != x {
			return x, nil
		}
		if math.IsInf(x, 0) {
			return 0, badInput()
		}
		return f(x), nil
	}
}

// within lifts a function that is only defined from low to high.
func within(low, high float64, f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if x != x {
			return x, nil
		}
		if x < low || x > high {
			return 0, badInput()
		}
		return f(x), nil
	}
}

func plain(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) { return f(x), nil }
}

func atan2(y, x float64) (float64, error) { return libm.Atan2(y, x), nil }

// trigonometry gives the trigonometric and hyperbolic functions, in radians and degrees.
func trigonometry() []def {
	one := map[string]func(float64) (float64, error){
		"sin": finite(libm.Sin), "cos": finite(libm.Cos), "tan": finite(libm.Tan), "cot": finite(func(x float64) float64 { return 1 / libm.Tan(x) }),
		"asin": within(-1, 1, libm.Asin), "acos": within(-1, 1, libm.Acos), "atan": plain(libm.Atan),
		"sinh": plain(libm.Sinh), "cosh": plain(libm.Cosh), "tanh": plain(libm.Tanh), "asinh": plain(libm.Asinh),
		"acosh": within(1, math.Inf(1), libm.Acosh), "atanh": within(-1, 1, libm.Atanh),
		"sind": finite(sind), "cosd": finite(cosd), "tand": finite(tand), "cotd": finite(cotd),
		"asind": within(-1, 1, asind), "acosd": within(-1, 1, acosd), "atand": plain(atand),
	}
	var out []def
	for name, f := range one {
		out = append(out, def{Sig: name + "(float8)", Eval: floatTry(f)})
	}
	return append(out,
		def{Sig: "atan2(float8,float8)", Eval: float2(atan2)},
		def{Sig: "atan2d(float8,float8)", Eval: float2(func(y, x float64) (float64, error) {
			if x != x || y != y {
				return math.NaN(), nil
			}
			return libm.Atan2(y, x) / libm.Atan(1) * 45, nil
		})})
}

// The functions in degrees are exact where they can be: at multiples of 30 and 45 degrees.

// The angles are variables so that they are multiplied as float64s, not exactly by the compiler.
var (
	radPerDegree = math.Pi / 180.0
	thirty       = 30.0
	sixty        = 60.0
)

// sin30 and the others are what libm makes of the angles that must come out exact.
var (
	sin30    = libm.Sin(thirty * radPerDegree)
	oneCos60 = 1 - libm.Cos(sixty*radPerDegree)
	asinHalf = libm.Asin(0.5)
	acosHalf = libm.Acos(0.5)
	atanOne  = libm.Atan(1)
	tan45    = sindQ1(45) / cosdQ1(45)
	cot45    = cosdQ1(45) / sindQ1(45)
)

// sindQ1 and cosdQ1 are for angles from 0 to 90.
func sindQ1(x float64) float64 {
	if x <= 30 {
		return libm.Sin(x*radPerDegree) / sin30 / 2
	}
	return cosd0to60(90 - x)
}

func cosdQ1(x float64) float64 {
	if x <= 60 {
		return cosd0to60(x)
	}
	return libm.Sin((90-x)*radPerDegree) / sin30 / 2
}

func cosd0to60(x float64) float64 { return 1 - (1-libm.Cos(x*radPerDegree))/oneCos60/2 }

// quadrant brings an angle to 0…90 and says which signs the functions get.
func quadrant(x float64) (y, sinSign, cosSign float64) {
	y, sinSign, cosSign = math.Mod(x, 360), 1, 1
	if y < 0 {
		y, sinSign = -y, -1
	}
	if y > 180 {
		y, sinSign = 360-y, -sinSign
	}
	if y > 90 {
		y, cosSign = 180-y, -1
	}
	return y, sinSign, cosSign
}

func sind(x float64) float64 {
	y, s, _ := quadrant(x)
	return s * sindQ1(y)
}

func cosd(x float64) float64 {
	y, _, c := quadrant(x)
	return c * cosdQ1(y)
}

func tand(x float64) float64 {
	y, s, c := quadrant(x)
	r := s * c * (sindQ1(y) / cosdQ1(y) / tan45)
	if r == 0 {
		return 0 // no negative zero
	}
	return r
}

func cotd(x float64) float64 {
	y, s, c := quadrant(x)
	r := s * c * (cosdQ1(y) / sindQ1(y) / cot45)
	if r == 0 {
		return 0
	}
	return r
}

func asindQ1(x float64) float64 {
	if x <= 0.5 {
		return libm.Asin(x) / asinHalf * 30
	}
	return 90 - libm.Acos(x)/acosHalf*60
}

func acosdQ1(x float64) float64 {
	if x <= 0.5 {
		return 90 - libm.Asin(x)/asinHalf*30
	}
	return libm.Acos(x) / acosHalf * 60
}

func asind(x float64) float64 {
	if x >= 0 {
		return asindQ1(x)
	}
	return -asindQ1(-x)
}

func acosd(x float64) float64 {
	if x >= 0 {
		return acosdQ1(x)
	}
	return 90 + asindQ1(-x)
}

func atand(x float64) float64 { return libm.Atan(x) / atanOne * 45 }
