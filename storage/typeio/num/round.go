package num

import (
	"math"
	"math/big"
	"strconv"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Round rounds half away from zero to scale digits after the point (negative: before it); the result's display scale is max(scale, 0).
func Round(d *Dec, scale int) (*Dec, error) {
	if !Finite(d) {
		return d, nil
	}
	scale = min(max(scale, -MaxWeightDigits), MaxScale)
	return rescale(d, scale, roundQuo)
}

// Trunc cuts to scale digits after the point.
func Trunc(d *Dec, scale int) (*Dec, error) {
	if !Finite(d) {
		return d, nil
	}
	scale = min(max(scale, -MaxWeightDigits), MaxScale)
	return rescale(d, scale, func(x, y *big.Int) *big.Int { return x.Quo(x, y) })
}

// Ceil gives the least integer that is not below d.
func Ceil(d *Dec) (*Dec, error) { return toward(d, 1) }

// Floor gives the greatest integer that is not above d.
func Floor(d *Dec) (*Dec, error) { return toward(d, -1) }

func toward(d *Dec, sign int) (*Dec, error) {
	if !Finite(d) {
		return d, nil
	}
	return rescale(d, 0, func(x, y *big.Int) *big.Int {
		var r big.Int
		x.QuoRem(x, y, &r)
		if r.Sign() == sign {
			x.Add(x, big.NewInt(int64(sign)))
		}
		return x
	})
}

// rescale changes the scale; quo divides where digits go away.
func rescale(d *Dec, scale int, quo func(x, y *big.Int) *big.Int) (*Dec, error) {
	have := Scale(d)
	switch {
	case scale == have:
		return d, nil
	case scale > have:
		if x, ok := small(d); ok {
			if x, ok := scaled(x, int32(scale-have)); ok {
				return fromSmall(x, int32(-scale)), nil
			}
		}
		return FromBig(rescaleBig(Big(d), int32(scale-have)), scale)
	}
	z := quo(Big(d), Pow10(have-scale))
	if scale < 0 {
		z.Mul(z, Pow10(-scale))
		scale = 0
	}
	return FromBig(z, scale)
}

// ModOf splits a numeric type modifier into precision and scale.
func ModOf(mod int32) (precision, scale int) {
	m := mod - 4
	return int(m>>16) & 0xffff, int(m&0x7ff^1024) - 1024
}

// MakeMod makes a type modifier.
func MakeMod(precision, scale int) int32 {
	return int32(precision<<16|scale&0x7ff) + 4
}

// Fit rounds d to the modifier's scale and checks its precision.
func Fit(d *Dec, mod int32) (*Dec, error) {
	if mod < 4 || IsNaN(d) {
		return d, nil
	}
	precision, scale := ModOf(mod)
	if IsInf(d) {
		return nil, dberr.New(dberr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
	}
	r, err := Round(d, scale)
	if err != nil {
		return nil, err
	}
	if n := digits(&r.Coeff); n > 0 && n-Scale(r) > precision-scale {
		limit := "1"
		if precision != scale {
			limit = "10^" + strconv.Itoa(precision-scale)
		}
		return nil, dberr.New(dberr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, limit)
	}
	return r, nil
}

// Int64 gives d rounded to an integer; ok is false outside of int64.
func Int64(d *Dec) (int64, bool) {
	if !Finite(d) {
		return 0, false
	}
	r, err := Round(d, 0)
	if err != nil || r.Coeff.BitLen() > 64 {
		return 0, false
	}
	u := r.Coeff.Uint64()
	switch {
	case r.Negative && u <= 1<<63:
		return -int64(u), true
	case !r.Negative && u < 1<<63:
		return int64(u), true
	}
	return 0, false
}

// Float gives the nearest float64 (bits 64) or float32 (bits 32); ok is false when it overflows or underflows to zero.
func Float(d *Dec, bitSize int) (float64, bool) {
	switch {
	case IsNaN(d):
		return math.NaN(), true
	case IsInf(d) && d.Negative:
		return math.Inf(-1), true
	case IsInf(d):
		return math.Inf(1), true
	}
	if x, ok := small(d); ok && d.Exponent == 0 && abs64(x) < 1<<53 && bitSize == 64 {
		return float64(x), true
	}
	f, err := strconv.ParseFloat(d.Text('E'), bitSize)
	return f, err == nil && (f != 0 || Sign(d) == 0)
}

// FromFloat gives the numeric that PostgreSQL makes of a float: 15 significant digits (6 for bitSize 32).
func FromFloat(f float64, bitSize int) *Dec {
	switch {
	case math.IsNaN(f):
		return NaN
	case math.IsInf(f, 1):
		return Inf
	case math.IsInf(f, -1):
		return NegInf
	}
	prec := 15
	if bitSize == 32 {
		prec = 6
	}
	d, err := Parse(formatG(f, prec))
	if err != nil { // a float never has more digits than numeric takes
		return NaN
	}
	return d
}

// formatG is C's %.*g: significant digits without trailing zeros.
func formatG(f float64, prec int) string {
	return strconv.FormatFloat(f, 'g', prec, 64)
}
