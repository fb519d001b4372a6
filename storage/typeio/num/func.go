package num

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/omgdb/omgdb/storage/dberr"
)

// The functions here compute with more digits than they show and round once to the scale that PostgreSQL chooses.

// SignOf gives -1, 0, 1 or NaN as a numeric.
func SignOf(d *Dec) *Dec {
	if IsNaN(d) {
		return d
	}
	return FromInt(int64(Sign(d)))
}

// MinScale is the least scale that holds a finite d exactly.
func MinScale(d *Dec) int {
	s := Scale(d)
	if s == 0 || d.Coeff.Sign() == 0 {
		return 0
	}
	_, e := strip(Big(d), int64(d.Exponent))
	return int(max(0, -e))
}

// precise is a context with digits significant digits.
func precise(digits int) *apd.Context {
	c := apd.BaseContext.WithPrecision(uint32(max(digits, 20)))
	c.Rounding = apd.RoundHalfUp
	return c
}

// weightOf is the decimal weight of the leading digit; 0 for zero.
func weightOf(d *Dec) int {
	if d.Coeff.Sign() == 0 {
		return 0
	}
	return digits(&d.Coeff) - 1 + int(d.Exponent)
}

// finish rounds an approximation to a scale.
func finish(d *Dec, scale int) (*Dec, error) {
	z := Big(d)
	if e := int(d.Exponent) + scale; e >= 0 {
		z.Mul(z, Pow10(e))
	} else {
		z = roundQuo(z, Pow10(-e))
	}
	return FromBig(z, scale)
}

// Sqrt gives the square root.
func Sqrt(d *Dec) (*Dec, error) {
	if IsNaN(d) || IsInf(d) && !d.Negative {
		return d, nil
	}
	if Sign(d) < 0 {
		return nil, dberr.New(dberr.InvalidArgForPower, "cannot take square root of a negative number")
	}
	w, _ := first(d)
	var sweight int
	if w >= 0 {
		sweight = w*2 + 1
	} else {
		sweight = 1 - (1-w*4)/2
	}
	rscale := clampScale(minSigDigits-sweight, Scale(d))
	return SqrtScale(d, rscale)
}

// approx gives a float near a finite d.
func approx(d *Dec) float64 {
	f, _ := Float(d, 64)
	return f
}

// Exp gives e^d.
func Exp(d *Dec) (*Dec, error) {
	switch {
	case IsNaN(d):
		return d, nil
	case IsInf(d):
		if d.Negative {
			return Zero, nil
		}
		return d, nil
	}
	f := approx(d)
	if f >= maxResultScale*3 {
		return nil, overflow()
	}
	w := f * 0.434294481903252
	w = max(min(w, maxResultScale), -maxResultScale)
	rscale := clampScale(minSigDigits-int(w), Scale(d))
	if f <= -maxResultScale*3 {
		return FromBig(new(big.Int), rscale)
	}
	return expScale(d, rscale)
}

// expScale gives e^d rounded to a scale.
func expScale(d *Dec, rscale int) (*Dec, error) {
	if Sign(d) == 0 {
		return Round(One, rscale)
	}
	w := int(math.Ceil(approx(d) * 0.434294481903252))
	var r Dec
	if _, err := precise(max(w+rscale, 0)+12).Exp(&r, d); err != nil {
		return nil, overflow()
	}
	return finish(&r, rscale)
}

// lnWeight estimates the decimal weight of ln(d), as PostgreSQL does.
func lnWeight(d *Dec) int {
	if Sign(d) <= 0 {
		return 0
	}
	f := approx(d)
	if f >= 0.9 && f <= 1.1 {
		x, err := Sub(d, One)
		if err != nil || x.Coeff.Sign() == 0 {
			return 0
		}
		w, digit := first(Abs(x))
		return w*4 + int(math.Log10(float64(digit)))
	}
	return int(math.Log10(math.Abs(lnApprox(d))))
}

// lnApprox gives a float near ln(d), for any size of d: like PostgreSQL it looks at the first two groups of four digits only, because
// the scale of results depends on it.
func lnApprox(d *Dec) float64 {
	digits := d.Coeff.String()
	adjusted := len(digits) - 1 + int(d.Exponent)
	top := adjusted % 4
	if top < 0 {
		top += 4
	}
	if n := top + 1 + 4; n < len(digits) {
		digits = digits[:n]
	}
	lead, err := strconv.ParseFloat(digits, 64)
	if err != nil || lead == 0 {
		return 0
	}
	return math.Log(lead) + float64(adjusted-len(digits)+1)*math.Ln10
}

func checkLog(d *Dec) error {
	switch Sign(d) {
	case 0:
		return dberr.New(dberr.InvalidArgForLog, "cannot take logarithm of zero")
	case -1:
		return dberr.New(dberr.InvalidArgForLog, "cannot take logarithm of a negative number")
	}
	return nil
}

// Ln gives the natural logarithm.
func Ln(d *Dec) (*Dec, error) {
	if IsNaN(d) {
		return d, nil
	}
	if err := checkLog(d); err != nil {
		return nil, err
	}
	if IsInf(d) {
		return d, nil
	}
	rscale := clampScale(minSigDigits-lnWeight(d), Scale(d))
	r, err := lnPrecise(d, rscale+12)
	if err != nil {
		return nil, err
	}
	return finish(r, rscale)
}

// lnPrecise gives ln(d) with about scale correct digits after the point.
func lnPrecise(d *Dec, scale int) (*Dec, error) {
	if Cmp(d, One) == 0 {
		return Zero, nil
	}
	w := weightOf(d)
	prec := scale + 8
	if w > 0 {
		prec += len(big.NewInt(int64(w)).String())
	}
	c := precise(prec)
	// ln(d) = ln(lead) + w·ln(10), lead between 1 and 10: the library is slow for large exponents
	lead := &Dec{Exponent: d.Exponent - int32(w)}
	lead.Coeff.Set(&d.Coeff)
	var r Dec
	if w == 0 || w == -1 {
		lead, w = d, 0
	}
	if _, err := c.Ln(&r, lead); err != nil {
		return nil, overflow()
	}
	if w != 0 {
		var ten Dec
		if _, err := c.Ln(&ten, FromInt(10)); err != nil {
			return nil, overflow()
		}
		if _, err := c.Mul(&ten, &ten, FromInt(int64(w))); err != nil {
			return nil, overflow()
		}
		if _, err := c.Add(&r, &r, &ten); err != nil {
			return nil, overflow()
		}
	}
	return &r, nil
}

// Log gives the logarithm of d to a base.
func Log(base, d *Dec) (*Dec, error) {
	if IsNaN(base) || IsNaN(d) {
		return NaN, nil
	}
	if err := checkLog(base); err != nil {
		return nil, err
	}
	if err := checkLog(d); err != nil {
		return nil, err
	}
	switch {
	case IsInf(base) && IsInf(d):
		return NaN, nil
	case IsInf(base):
		return Zero, nil
	case IsInf(d):
		return Inf, nil
	}
	rscale := clampScale(minSigDigits-(lnWeight(d)-lnWeight(base)), Scale(base), Scale(d))
	lb, err := lnPrecise(base, rscale+20)
	if err != nil {
		return nil, err
	}
	ln, err := lnPrecise(d, rscale+20)
	if err != nil {
		return nil, err
	}
	if lb.Coeff.Sign() == 0 {
		return nil, divByZero()
	}
	var r Dec
	if _, err := precise(rscale+30).Quo(&r, ln, lb); err != nil {
		return nil, overflow()
	}
	return finish(&r, rscale)
}

// GCD gives the greatest common divisor with the larger scale.
func GCD(a, b *Dec) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		return NaN, nil
	}
	x, y := align(a, b)
	return FromBig(x.GCD(nil, nil, x.Abs(x), y.Abs(y)), max(Scale(a), Scale(b)))
}

// LCM gives the least common multiple with the larger scale.
func LCM(a, b *Dec) (*Dec, error) {
	if !Finite(a) || !Finite(b) {
		return NaN, nil
	}
	scale := max(Scale(a), Scale(b))
	x, y := align(a, b)
	if x.Sign() == 0 || y.Sign() == 0 {
		return FromBig(new(big.Int), scale)
	}
	g := new(big.Int).GCD(nil, nil, x.Abs(x), y.Abs(y))
	return FromBig(x.Mul(x.Quo(x, g), y), scale)
}

// Factorial gives n!.
func Factorial(n int64) (*Dec, error) {
	switch {
	case n < 0:
		return nil, dberr.New(dberr.NumericValueOutOfRange, "factorial of a negative number is undefined")
	case n > 32177:
		return nil, overflow()
	}
	return FromBig(new(big.Int).MulRange(1, max(n, 1)), 0)
}

// SqrtScale gives the square root of a d that is not negative, rounded to a scale.
func SqrtScale(d *Dec, rscale int) (*Dec, error) {
	// the floor of the root of d × 10^2(rscale+1), then rounded by its last digit
	e := 2*(rscale+1) + int(d.Exponent)
	z := Big(d)
	if e >= 0 {
		z.Mul(z, Pow10(e))
	} else {
		z.Quo(z, Pow10(-e))
	}
	return FromBig(roundQuo(z.Sqrt(z), Pow10(1)), rscale)
}

// Scientific writes a finite d with post digits after the point and an exponent of at least two digits. The exponent is that of d
// before rounding: 9.99 with one digit is 10.0e+00, as PostgreSQL writes it.
func Scientific(d *Dec, post int) string {
	w := weightOf(d)
	lead := &Dec{Exponent: d.Exponent - int32(w), Negative: d.Negative}
	lead.Coeff.Set(&d.Coeff)
	r, err := finish(lead, post)
	if err != nil {
		return String(d)
	}
	return String(r) + fmt.Sprintf("e%+03d", w)
}
