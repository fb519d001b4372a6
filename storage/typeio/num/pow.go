package num

import (
	"math"
	"math/big"

	"github.com/omgdb/omgdb/storage/dberr"
)

// Pow gives base^exp.
func Pow(base, exp *Dec) (*Dec, error) {
	if !Finite(base) || !Finite(exp) {
		return powSpecial(base, exp)
	}
	if Sign(base) == 0 && Sign(exp) < 0 {
		return nil, dberr.New(dberr.InvalidArgForPower, "zero raised to a negative power is undefined")
	}
	integer := isInteger(exp)
	if Sign(base) < 0 && !integer {
		return nil, dberr.New(dberr.InvalidArgForPower, "a negative number raised to a non-integer power yields a complex result")
	}
	if integer {
		if n, ok := Int64(exp); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
			return powInt(base, n)
		}
	}
	if Sign(base) == 0 {
		return FromBig(new(big.Int), minSigDigits)
	}
	return powReal(base, exp)
}

func isInteger(d *Dec) bool { return MinScale(d) == 0 }

func powSpecial(base, exp *Dec) (*Dec, error) {
	switch {
	case IsNaN(base):
		if Finite(exp) && Sign(exp) == 0 {
			return One, nil
		}
		return NaN, nil
	case IsNaN(exp):
		if Finite(base) && Cmp(base, One) == 0 {
			return One, nil
		}
		return NaN, nil
	case Sign(base) == 0 && Sign(exp) < 0:
		return nil, dberr.New(dberr.InvalidArgForPower, "zero raised to a negative power is undefined")
	case Finite(exp) && Sign(base) < 0 && !isInteger(exp):
		return nil, dberr.New(dberr.InvalidArgForPower, "a negative number raised to a non-integer power yields a complex result")
	case Finite(base) && Cmp(base, One) == 0:
		return One, nil
	case Finite(exp) && Sign(exp) == 0:
		return One, nil
	case Sign(base) == 0:
		return Zero, nil
	}
	if IsInf(exp) {
		c := 1 // how |base| compares to 1
		if Finite(base) {
			c = Cmp(Abs(base), One)
		}
		switch {
		case c == 0:
			return One, nil
		case (c > 0) == !exp.Negative:
			return Inf, nil
		}
		return Zero, nil
	}
	// base is infinite
	if Sign(exp) < 0 {
		return Zero, nil
	}
	if base.Negative && isInteger(exp) {
		if Big(mustRound(exp)).Bit(0) == 1 {
			return NegInf, nil
		}
	}
	return Inf, nil
}

func mustRound(d *Dec) *Dec {
	r, err := Round(d, 0)
	if err != nil {
		return d
	}
	return r
}

// powInt raises to an integer.
func powInt(base *Dec, n int64) (*Dec, error) {
	f := 0.0
	if Sign(base) != 0 {
		f = float64(n) * log10Approx(base)
	}
	if f > MaxWeightDigits+4 {
		return nil, overflow()
	}
	if f+1 < -maxDisplayScale-1 {
		return FromBig(new(big.Int), clampScale(minSigDigits, Scale(base)))
	}
	rscale := clampScale(minSigDigits, Scale(base))
	switch {
	case n == 0:
		return Round(One, rscale)
	case Sign(base) == 0:
		return FromBig(new(big.Int), rscale)
	case n == 1:
		return Round(base, rscale)
	case n == -1:
		return DivScale(One, base, rscale)
	}
	return powBig(base, n, f, rscale)
}

// log10Approx gives a float near log10(|d|).
func log10Approx(d *Dec) float64 {
	return lnApprox(Abs(d)) / math.Ln10
}

// powBig multiplies with enough digits; exactly when the exact power is small.
func powBig(base *Dec, n int64, f float64, rscale int) (*Dec, error) {
	m := n
	if m < 0 {
		m = -m
	}
	if exactDigits := float64(digits(&base.Coeff)) * float64(m); n > 0 && exactDigits < 300000 {
		z := new(big.Int).Exp(Big(base), big.NewInt(m), nil)
		d := &Dec{Exponent: base.Exponent * int32(m), Negative: z.Sign() < 0}
		d.Coeff.SetMathBigInt(z.Abs(z))
		return finish(d, rscale)
	}
	prec := max(int(math.Ceil(f))+rscale, 0) + int(math.Log10(float64(m))) + 20
	c := precise(prec)
	result, sq := FromInt(1), &Dec{}
	sq.Set(base)
	for k := m; ; {
		if k&1 == 1 {
			if _, err := c.Mul(result, result, sq); err != nil {
				return nil, overflow()
			}
		}
		if k >>= 1; k == 0 {
			break
		}
		if _, err := c.Mul(sq, sq, sq); err != nil {
			return nil, overflow()
		}
	}
	if n < 0 {
		if _, err := c.Quo(result, FromInt(1), result); err != nil {
			return nil, overflow()
		}
	}
	return finish(result, rscale)
}

// roughPower gives exp·ln(base) to about eight digits, rounded as PostgreSQL rounds it: the scale of the result depends on it.
func roughPower(base, exp *Dec) float64 {
	places := max(8-lnWeight(base), 0)
	scale := math.Pow(10, float64(places))
	w := weightOf(base)
	lead := &Dec{Exponent: base.Exponent - int32(w)}
	lead.Coeff.Set(&base.Coeff)
	ln := math.Log(approx(lead)) + float64(w)*math.Ln10
	short := &Dec{Exponent: int32(-places)}
	short.Coeff.SetInt64(int64(math.Round(math.Abs(ln) * scale)))
	short.Negative = ln < 0 && short.Coeff.Sign() != 0
	var product Dec
	if _, err := precise(digits(&short.Coeff)+digits(&exp.Coeff)).Mul(&product, short, exp); err != nil {
		return math.Inf(Sign(short) * Sign(exp))
	}
	if r, err := finish(&product, places); err == nil {
		return approx(r)
	}
	return approx(&product)
}

// powReal gives e^(exp·ln(base)).
func powReal(base, exp *Dec) (*Dec, error) {
	negative := Sign(base) < 0
	if negative { // exp is a huge integer
		base = Abs(base)
	}
	f := roughPower(base, exp)
	if math.Abs(f) > maxResultScale*3.01 {
		if f > 0 {
			return nil, overflow()
		}
		return FromBig(new(big.Int), maxDisplayScale)
	}
	w := f * 0.434294481903252
	rscale := clampScale(minSigDigits-int(w), Scale(base), Scale(exp))
	need := max(int(w)+rscale, 0) + 12
	ln, err := lnPrecise(base, need+max(weightOf(exp), 0)+4)
	if err != nil {
		return nil, err
	}
	var p, r Dec
	c := precise(need + 10)
	if _, err := c.Mul(&p, ln, exp); err != nil {
		return nil, overflow()
	}
	if _, err := c.Exp(&r, &p); err != nil {
		return nil, overflow()
	}
	if negative && Big(mustRound(exp)).Bit(0) == 1 {
		r.Negative = true
	}
	return finish(&r, rscale)
}
