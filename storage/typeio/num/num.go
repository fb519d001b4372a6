// Package num is SQL's numeric on apd.Decimal: PostgreSQL's scales, rounding, infinities and errors.
//
// A numeric is a *apd.Decimal that nobody changes. A finite one has an Exponent from 0 down to -MaxScale (-Exponent is the
// display scale) and no negative zero. The functions here take such values and give such values.
package num

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Limits of numeric: digits before the decimal point, display scale, and the bounds of computed scales.
const (
	MaxWeightDigits = 131072
	MaxScale        = 16383
	minSigDigits    = 16
	maxDisplayScale = 1000
	maxResultScale  = 2000
)

// Dec is the type that numeric values box.
type Dec = apd.Decimal

// The special values.
var (
	NaN    = &Dec{Form: apd.NaN}
	Inf    = &Dec{Form: apd.Infinite}
	NegInf = &Dec{Form: apd.Infinite, Negative: true}
	Zero   = FromInt(0)
	One    = FromInt(1)
)

func overflow() error {
	return dberr.New(dberr.NumericValueOutOfRange, "value overflows numeric format")
}

// FromInt makes a numeric of scale 0.
func FromInt(i int64) *Dec {
	d := &Dec{}
	d.SetInt64(i)
	return d
}

// FromBig makes a numeric from coef × 10^-scale; it takes coef over. It fails when the result has too many digits.
func FromBig(coef *big.Int, scale int) (*Dec, error) {
	d := &Dec{Exponent: int32(-scale)}
	if coef.Sign() < 0 {
		d.Negative = true
		coef.Neg(coef)
	}
	d.Coeff.SetMathBigInt(coef)
	return check(d)
}

func check(d *Dec) (*Dec, error) {
	if d.Exponent < -MaxScale {
		return nil, overflow()
	}
	if d.Coeff.BitLen() > 435000 && digits(&d.Coeff)+int(d.Exponent) > MaxWeightDigits {
		return nil, overflow()
	}
	return d, nil
}

// Finite tells whether d is neither NaN nor infinite.
func Finite(d *Dec) bool { return d.Form == apd.Finite }

// IsNaN tells whether d is NaN.
func IsNaN(d *Dec) bool { return d.Form == apd.NaN }

// IsInf tells whether d is infinite.
func IsInf(d *Dec) bool { return d.Form == apd.Infinite }

// Scale is the number of digits shown after the decimal point.
func Scale(d *Dec) int { return int(-d.Exponent) }

// Sign gives -1, 0 or 1; NaN counts as 1.
func Sign(d *Dec) int {
	switch {
	case d.Form == apd.NaN:
		return 1
	case d.Negative:
		return -1
	case d.Form == apd.Finite && d.Coeff.Sign() == 0:
		return 0
	}
	return 1
}

// Big gives the signed coefficient as a fresh big.Int.
func Big(d *Dec) *big.Int {
	z := new(big.Int).Set(d.Coeff.MathBigInt())
	if d.Negative {
		z.Neg(z)
	}
	return z
}

// small gives the signed coefficient when it fits in an int64 with room to spare for an addition.
func small(d *Dec) (int64, bool) {
	if d.Coeff.BitLen() > 62 {
		return 0, false
	}
	u := d.Coeff.Uint64()
	if d.Negative {
		return -int64(u), true
	}
	return int64(u), true
}

func fromSmall(v int64, exp int32) *Dec {
	d := &Dec{Exponent: exp}
	if v < 0 {
		d.Negative = true
		d.Coeff.SetUint64(uint64(-v))
	} else {
		d.Coeff.SetUint64(uint64(v))
	}
	return d
}

var pow64 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// scaled gives v × 10^n when that fits in 62 bits.
func scaled(v int64, n int32) (int64, bool) {
	if n < 0 || int(n) >= len(pow64) {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(abs64(v)), uint64(pow64[n]))
	if hi != 0 || lo >= 1<<62 {
		return 0, false
	}
	return v * pow64[n], true
}

// Scaled gives v × 10^n when that fits in 62 bits; n is not negative.
func Scaled(v int64, n int32) (int64, bool) {
	if n == 0 {
		return v, true
	}
	return scaled(v, n)
}

func abs64(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

// Pow10 gives 10^n; the result must not be changed.
func Pow10(n int) *big.Int {
	if n < len(bigPow) {
		return bigPow[n]
	}
	return new(big.Int).Exp(bigPow[1], big.NewInt(int64(n)), nil)
}

var bigPow = func() (t [128]*big.Int) {
	t[0] = big.NewInt(1)
	for i := 1; i < len(t); i++ {
		t[i] = new(big.Int).Mul(t[i-1], big.NewInt(10))
	}
	return t
}()

// digits counts the decimal digits of a coefficient; 0 has none.
func digits(c *apd.BigInt) int {
	if c.Sign() == 0 {
		return 0
	}
	if c.BitLen() <= 63 {
		u := c.Uint64()
		n := 1
		for n < len(pow64) && u >= uint64(pow64[n]) {
			n++
		}
		if u >= 1e18 && n == len(pow64) && u < 10e18 {
			return 19
		}
		return n
	}
	return bigDigits(c.MathBigInt())
}

func bigDigits(b *big.Int) int {
	if b.Sign() == 0 {
		return 0
	}
	n := int(math.Floor(float64(b.BitLen()-1)*math.Log10(2))) + 1
	if b.CmpAbs(Pow10(n)) >= 0 {
		n++
	}
	return n
}

// Add gives a + b with the larger scale.
func Add(a, b *Dec) (*Dec, error) { return addSub(a, b, false) }

// Sub gives a - b with the larger scale.
func Sub(a, b *Dec) (*Dec, error) { return addSub(a, b, true) }

func addSub(a, b *Dec, neg bool) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		return addSpecial(a, b, neg), nil
	}
	exp := min(a.Exponent, b.Exponent)
	if x, ok := small(a); ok {
		if y, ok := small(b); ok {
			x, ok1 := scaled(x, a.Exponent-exp)
			y, ok2 := scaled(y, b.Exponent-exp)
			if ok1 && ok2 {
				if neg {
					y = -y
				}
				return fromSmall(x+y, exp), nil
			}
		}
	}
	x, y := rescaleBig(Big(a), a.Exponent-exp), rescaleBig(Big(b), b.Exponent-exp)
	if neg {
		x.Sub(x, y)
	} else {
		x.Add(x, y)
	}
	return FromBig(x, int(-exp))
}

func rescaleBig(z *big.Int, up int32) *big.Int {
	if up == 0 {
		return z
	}
	return z.Mul(z, Pow10(int(up)))
}

func addSpecial(a, b *Dec, neg bool) *Dec {
	if IsNaN(a) || IsNaN(b) {
		return NaN
	}
	bn := b.Negative != neg
	if IsInf(a) {
		if IsInf(b) && a.Negative != bn {
			return NaN
		}
		return a
	}
	if bn {
		return NegInf
	}
	return Inf
}

// Mul gives a × b; the scale is the sum of the scales, at most MaxScale.
func Mul(a, b *Dec) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		switch s := Sign(a) * Sign(b); {
		case IsNaN(a) || IsNaN(b) || s == 0:
			return NaN, nil
		case s < 0:
			return NegInf, nil
		}
		return Inf, nil
	}
	exp := a.Exponent + b.Exponent
	if x, ok := small(a); ok && exp >= -MaxScale {
		if y, ok := small(b); ok {
			if hi, lo := bits.Mul64(uint64(abs64(x)), uint64(abs64(y))); hi == 0 && lo < 1<<62 {
				return fromSmall(x*y, exp), nil
			}
		}
	}
	z := Big(a)
	z.Mul(z, Big(b))
	if exp < -MaxScale {
		z = roundQuo(z, Pow10(int(-MaxScale-exp)))
		exp = -MaxScale
	}
	return FromBig(z, int(-exp))
}

// roundQuo gives x / y rounded half away from zero; it reuses x.
func roundQuo(x, y *big.Int) *big.Int {
	sign := x.Sign() * y.Sign()
	var r big.Int
	x.QuoRem(x, y, &r)
	r.Abs(&r)
	r.Lsh(&r, 1)
	if r.CmpAbs(y) >= 0 {
		x.Add(x, big.NewInt(int64(sign)))
	}
	return x
}

// first gives PostgreSQL's view of the leading digits: the weight in base 10,000 and the leading base-10,000 digit.
func first(d *Dec) (weight int, digit int64) {
	n := digits(&d.Coeff)
	if n == 0 {
		return 0, 0
	}
	k := n - 1 + int(d.Exponent) // decimal weight of the leading digit
	weight = floorDiv(k, 4)
	// the leading digit is floor(|d| / 10^(4·weight))
	shift := 4*weight - int(d.Exponent)
	c := d.Coeff.MathBigInt()
	var q big.Int
	if shift >= 0 {
		q.Quo(c, Pow10(shift))
	} else {
		q.Mul(c, Pow10(-shift))
	}
	return weight, q.Int64()
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func clampScale(rscale int, atLeast ...int) int {
	for _, s := range atLeast {
		rscale = max(rscale, s)
	}
	return min(max(rscale, 0), maxDisplayScale)
}

// divScale is the scale that PostgreSQL gives to a / b: at least 16 significant digits and both scales.
func divScale(a, b *Dec) int {
	w1, d1 := first(a)
	w2, d2 := first(b)
	q := w1 - w2
	if d1 <= d2 {
		q--
	}
	return clampScale(minSigDigits-q*4, Scale(a), Scale(b))
}

func divByZero() error { return dberr.New(dberr.DivisionByZero, "division by zero") }

// Div gives a / b, rounded half away from zero.
func Div(a, b *Dec) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		return divSpecial(a, b)
	}
	if Sign(b) == 0 {
		return nil, divByZero()
	}
	return DivScale(a, b, divScale(a, b))
}

func divSpecial(a, b *Dec) (*Dec, error) {
	if IsNaN(a) || IsNaN(b) {
		return NaN, nil
	}
	if IsInf(a) {
		switch {
		case IsInf(b):
			return NaN, nil
		case Sign(b) == 0:
			return nil, divByZero()
		case Sign(b) == Sign(a):
			return Inf, nil
		}
		return NegInf, nil
	}
	return Zero, nil
}

// DivScale gives finite a / finite nonzero b at a given scale, rounded half away from zero.
func DivScale(a, b *Dec, scale int) (*Dec, error) {
	x, y := Big(a), Big(b)
	// a/b × 10^scale = x/y × 10^(scale + ea - eb)
	if e := scale + int(a.Exponent) - int(b.Exponent); e >= 0 {
		x.Mul(x, Pow10(e))
	} else {
		y.Mul(y, Pow10(-e))
	}
	return FromBig(roundQuo(x, y), scale)
}

// DivTrunc is div(a, b): the quotient cut to an integer.
func DivTrunc(a, b *Dec) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		return divSpecial(a, b)
	}
	if Sign(b) == 0 {
		return nil, divByZero()
	}
	x, y := align(a, b)
	return FromBig(x.Quo(x, y), 0)
}

// Mod gives the remainder of a / b with the sign of a.
func Mod(a, b *Dec) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		switch {
		case IsNaN(a) || IsNaN(b):
			return NaN, nil
		case IsInf(a):
			if Sign(b) == 0 {
				return nil, divByZero()
			}
			return NaN, nil
		}
		return a, nil
	}
	if Sign(b) == 0 {
		return nil, divByZero()
	}
	x, y := align(a, b)
	return FromBig(x.Rem(x, y), max(Scale(a), Scale(b)))
}

// align gives the coefficients of a and b at their larger scale.
func align(a, b *Dec) (x, y *big.Int) {
	exp := min(a.Exponent, b.Exponent)
	return rescaleBig(Big(a), a.Exponent-exp), rescaleBig(Big(b), b.Exponent-exp)
}

// Neg gives -d.
func Neg(d *Dec) *Dec {
	if Sign(d) == 0 || IsNaN(d) {
		return d
	}
	n := &Dec{Form: d.Form, Negative: !d.Negative, Exponent: d.Exponent}
	n.Coeff.Set(&d.Coeff)
	return n
}

// Abs gives |d|.
func Abs(d *Dec) *Dec {
	if d.Negative {
		return Neg(d)
	}
	return d
}

// Cmp orders numerics: NaN is equal to itself and greater than all others.
func Cmp(a, b *Dec) int {
	if !Finite(a) || !Finite(b) {
		return cmpInt(rank(a), rank(b))
	}
	if sa, sb := Sign(a), Sign(b); sa != sb {
		return cmpInt(sa, sb)
	}
	if a.Exponent == b.Exponent {
		c := a.Coeff.Cmp(&b.Coeff)
		if a.Negative {
			return -c
		}
		return c
	}
	if x, ok := small(a); ok {
		if y, ok := small(b); ok {
			exp := min(a.Exponent, b.Exponent)
			x, ok1 := scaled(x, a.Exponent-exp)
			y, ok2 := scaled(y, b.Exponent-exp)
			if ok1 && ok2 {
				return cmp64(x, y)
			}
		}
	}
	x, y := align(a, b)
	return x.Cmp(y)
}

// rank places the special values around all finite ones.
func rank(d *Dec) int {
	switch {
	case IsNaN(d):
		return 3
	case IsInf(d) && d.Negative:
		return -2
	case IsInf(d):
		return 2
	}
	return 0
}

func cmpInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func cmp64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Append writes d as numeric's text form.
func Append(dst []byte, d *Dec) []byte {
	switch {
	case IsNaN(d):
		return append(dst, "NaN"...)
	case IsInf(d) && d.Negative:
		return append(dst, "-Infinity"...)
	case IsInf(d):
		return append(dst, "Infinity"...)
	}
	if d.Negative {
		dst = append(dst, '-')
	}
	scale := Scale(d)
	start := len(dst)
	if d.Coeff.BitLen() <= 64 {
		dst = strconv.AppendUint(dst, d.Coeff.Uint64(), 10)
	} else {
		dst = d.Coeff.MathBigInt().Append(dst, 10)
	}
	if scale == 0 {
		return dst
	}
	n := len(dst) - start
	if pad := scale + 1 - n; pad > 0 { // at least one digit before the point
		dst = append(dst, make([]byte, pad)...)
		copy(dst[start+pad:], dst[start:start+n])
		for i := start; i < start+pad; i++ {
			dst[i] = '0'
		}
	}
	dst = append(dst, 0)
	point := len(dst) - 1 - scale
	copy(dst[point+1:], dst[point:len(dst)-1])
	dst[point] = '.'
	return dst
}

// String gives d's text form.
func String(d *Dec) string { return string(Append(nil, d)) }

// Normal takes d over and brings it into numeric's form: no positive exponent, no negative zero.
func Normal(d *Dec) *Dec {
	if !Finite(d) {
		return d
	}
	if d.Exponent > 0 {
		z := rescaleBig(Big(d), d.Exponent)
		d.Coeff.SetMathBigInt(z.Abs(z))
		d.Exponent = 0
	}
	if d.Coeff.Sign() == 0 {
		d.Negative = false
	}
	return d
}
