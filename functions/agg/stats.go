package agg

import (
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// spread names a measure: over the population or a sample, squared or not.
type spread struct {
	name   string
	sample bool
	root   bool
}

var spreads = []spread{
	{"var_pop", false, false}, {"var_samp", true, false}, {"variance", true, false},
	{"stddev_pop", false, true}, {"stddev_samp", true, true}, {"stddev", true, true},
}

// variances gives the variances and standard deviations.
func variances() []def {
	var out []def
	for _, s := range spreads {
		for _, t := range []string{"float4", "float8"} {
			out = append(out, floatSpread(s).def(s.name+"("+t+")", moments{}))
		}
		for _, t := range []string{"int2", "int4", "int8"} {
			out = append(out, numSpread(s, func(v val) *num.Dec { return num.FromInt(v.Int()) }).def(s.name+"("+t+")", numMoments{}))
		}
		out = append(out, numSpread(s, typeio.Num).def(s.name+"(numeric)", numMoments{}))
	}
	return out
}

// moments are count, sum and sum of squared deviations, kept by Youngs and Cramer's updates.
type moments struct{ n, sum, dev float64 }

func overflow() error {
	return dberr.New(dberr.NumericValueOutOfRange, "value out of range: overflow")
}

func (m *moments) add(x float64) error {
	was := *m
	m.n++
	m.sum += x
	if was.n == 0 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			m.dev = math.NaN()
		}
		return nil
	}
	d := x*m.n - m.sum
	m.dev += d * d / (m.n * was.n)
	if math.IsInf(m.sum, 0) || math.IsInf(m.dev, 0) {
		if !math.IsInf(was.sum, 0) && !math.IsInf(x, 0) {
			return overflow()
		}
		m.dev = math.NaN()
	}
	return nil
}

func floatSpread(s spread) logic[moments] {
	return logic[moments]{
		add:    func(m *moments, v val) error { return m.add(v.Float()) },
		column: floatColumn((*moments).add),
		result: func(m *moments) (val, error) {
			if r, ok := floatMeasure(m, s); ok {
				return value.Float(r), nil
			}
			return value.Null, nil
		},
	}
}

// numMoments are count, sum and sum of squares as exact numbers.
type numMoments struct {
	n         int64
	special   int64 // NaNs and infinities
	sum, sum2 *num.Dec
}

func (m *numMoments) step(d *num.Dec, sign int64) error {
	m.n += sign
	if !num.Finite(d) {
		m.special += sign
		return nil
	}
	if m.sum == nil {
		m.sum, m.sum2 = num.Zero, num.Zero
	}
	sq, err := num.Mul(d, d)
	if err != nil {
		return err
	}
	op := num.Add
	if sign < 0 {
		op = num.Sub
	}
	if m.sum, err = op(m.sum, d); err != nil {
		return err
	}
	m.sum2, err = op(m.sum2, sq)
	return err
}

func numSpread(s spread, of func(v val) *num.Dec) logic[numMoments] {
	return logic[numMoments]{
		add: func(m *numMoments, v val) error { return m.step(of(v), 1) },
		result: func(m *numMoments) (val, error) {
			if m.n == 0 || s.sample && m.n == 1 {
				return value.Null, nil
			}
			if m.special > 0 {
				return value.Box(num.NaN), nil
			}
			return boxed(m.spread(s))
		},
	}
}

// spread is (n·Σx² - (Σx)²) / (n·n or n·(n-1)), and its root.
func (m *numMoments) spread(s spread) (*num.Dec, error) {
	n := num.FromInt(m.n)
	a, err := num.Mul(n, m.sum2)
	if err != nil {
		return nil, err
	}
	b, err := num.Mul(m.sum, m.sum)
	if err != nil {
		return nil, err
	}
	top, err := num.Sub(a, b)
	if err != nil {
		return nil, err
	}
	if num.Sign(top) <= 0 {
		return num.Zero, nil
	}
	k := m.n
	if s.sample {
		k--
	}
	bottom, err := num.Mul(n, num.FromInt(k))
	if err != nil {
		return nil, err
	}
	v, err := num.Div(top, bottom)
	if err != nil || !s.root {
		return v, err
	}
	return num.SqrtScale(v, num.Scale(v))
}
