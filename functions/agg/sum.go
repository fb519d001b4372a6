package agg

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// Int sums.

// intSum sums integers in 128 bits.
type intSum struct {
	n  int64
	hi int64
	lo uint64
}

func (s *intSum) add(v int64) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(v), 0)
	s.hi += v>>63 + int64(c)
	s.n++
}

func (s *intSum) sub(v int64) {
	var b uint64
	s.lo, b = bits.Sub64(s.lo, uint64(v), 0)
	s.hi -= v>>63 + int64(b)
	s.n--
}

// big gives the sum as a numeric.
func (s *intSum) numeric() (*num.Dec, error) {
	if s.hi == int64(s.lo)>>63 {
		return num.FromInt(int64(s.lo)), nil
	}
	z := big.NewInt(s.hi)
	z.Lsh(z, 64)
	return num.FromBig(z.Add(z, new(big.Int).SetUint64(s.lo)), 0)
}

func addInt(s *intSum, v val) error    { s.add(v.Int()); return nil }
func removeInt(s *intSum, v val) error { s.sub(v.Int()); return nil }

// smallSum is sum(int2) and sum(int4), whose result is int8.
func smallSum() logic[intSum] {
	return logic[intSum]{
		add: addInt, remove: removeInt, column: intColumn((*intSum).add),
		result: func(s *intSum) (val, error) {
			switch {
			case s.n == 0:
				return value.Null, nil
			case s.hi != int64(s.lo)>>63:
				return value.Null, dberr.New(dberr.NumericValueOutOfRange, "bigint out of range")
			}
			return value.Int(int64(s.lo)), nil
		},
	}
}

func bigSum() logic[intSum] {
	return logic[intSum]{
		add: addInt, remove: removeInt, column: intColumn((*intSum).add),
		result: func(s *intSum) (val, error) {
			if s.n == 0 {
				return value.Null, nil
			}
			return boxed(s.numeric())
		},
	}
}

func boxed(d *num.Dec, err error) (val, error) {
	if err != nil {
		return value.Null, err
	}
	return value.Box(d), nil
}

// Numeric sums.

// numSum sums numerics. The finite part is kept as a 128-bit coefficient at one scale while that fits, else as a numeric; the special
// values are counted. scales, when not nil, counts the values of each display scale: once values were taken back the result shows the
// largest that is left.
type numSum struct {
	n, nan, pos, neg int64
	fast             intSum
	scale            int32 // of fast
	slow             *num.Dec
	scales           map[int]int64
}

func (s *numSum) special(d *num.Dec, by int64) bool {
	switch {
	case num.IsNaN(d):
		s.nan += by
	case num.IsInf(d) && d.Negative:
		s.neg += by
	case num.IsInf(d):
		s.pos += by
	default:
		return false
	}
	return true
}

func (s *numSum) add(v val) error {
	d := typeio.Num(v)
	s.n++
	if s.special(d, 1) {
		return nil
	}
	if s.scales != nil {
		s.scales[num.Scale(d)]++
	}
	return s.addFinite(d, false)
}

func (s *numSum) addFinite(d *num.Dec, neg bool) error {
	if s.slow == nil && d.Coeff.BitLen() <= 62 {
		c := int64(d.Coeff.Uint64())
		if d.Negative != neg {
			c = -c
		}
		scale := int32(num.Scale(d))
		if scale > s.scale {
			s.raise(scale)
		}
		if c, ok := num.Scaled(c, s.scale-scale); ok {
			s.fast.add(c)
			return nil
		}
	}
	if err := s.toSlow(); err != nil {
		return err
	}
	var err error
	if neg {
		s.slow, err = num.Sub(s.slow, d)
	} else {
		s.slow, err = num.Add(s.slow, d)
	}
	return err
}

// raise brings the fast sum to a larger scale when it has the room.
func (s *numSum) raise(scale int32) {
	if s.fast.hi == 0 && s.fast.lo == 0 {
		s.scale = scale
		return
	}
	if s.fast.hi != int64(s.fast.lo)>>63 {
		return
	}
	if v, ok := num.Scaled(int64(s.fast.lo), scale-s.scale); ok {
		s.fast.hi, s.fast.lo, s.scale = v>>63, uint64(v), scale
	}
}

func (s *numSum) toSlow() error {
	if s.slow != nil {
		return nil
	}
	d, err := s.fast.numeric()
	if err != nil {
		return err
	}
	s.slow, err = num.FromBig(num.Big(d), int(s.scale))
	return err
}

func (s *numSum) remove(v val) error {
	d := typeio.Num(v)
	s.n--
	if s.special(d, -1) {
		return nil
	}
	s.scales[num.Scale(d)]--
	return s.addFinite(d, true)
}

// total gives the sum of what is in, NULL handled by the caller.
func (s *numSum) total() (*num.Dec, error) {
	switch {
	case s.nan > 0 || s.pos > 0 && s.neg > 0:
		return num.NaN, nil
	case s.pos > 0:
		return num.Inf, nil
	case s.neg > 0:
		return num.NegInf, nil
	}
	if s.slow == nil {
		d, err := s.fast.numeric()
		if err != nil {
			return nil, err
		}
		if d, err = num.FromBig(num.Big(d), int(s.scale)); err != nil || s.scales == nil {
			return d, err
		}
		return num.Round(d, s.maxScale())
	}
	if s.scales == nil {
		return s.slow, nil
	}
	return num.Round(s.slow, s.maxScale())
}

func (s *numSum) maxScale() int {
	m := 0
	for scale, n := range s.scales {
		if n > 0 {
			m = max(m, scale)
		}
	}
	return m
}

// numericDef makes an entry over numeric sums; the row form, which may have to take values back, counts their scales.
func numericDef(sig string, result func(s *numSum) (val, error)) def {
	l := numericSum(result)
	d := l.def(sig, numSum{})
	d.New = func(*call) functions.Accumulator {
		return &removable[numSum]{single[numSum]{logic: &l, state: numSum{scales: map[int]int64{}}}}
	}
	return d
}

func numericSum(result func(s *numSum) (val, error)) logic[numSum] {
	return logic[numSum]{
		add:    func(s *numSum, v val) error { return s.add(v) },
		remove: func(s *numSum, v val) error { return s.remove(v) },
		result: func(s *numSum) (val, error) {
			if s.n == 0 {
				return value.Null, nil
			}
			return result(s)
		},
	}
}

// Float sums add in the order of the rows, as PostgreSQL's do.
type floatSum struct {
	n   int64
	sum float64
}

func (s *floatSum) add(v float64) error {
	r := s.sum + v
	if math.IsInf(r, 0) && !math.IsInf(s.sum, 0) && !math.IsInf(v, 0) {
		return dberr.New(dberr.NumericValueOutOfRange, "value out of range: overflow")
	}
	s.sum = r
	s.n++
	return nil
}

// add4 sums float4s: the sum is one too.
func (s *floatSum) add4(v float64) error {
	r := float64(float32(s.sum) + float32(v))
	if math.IsInf(r, 0) && !math.IsInf(s.sum, 0) && !math.IsInf(v, 0) {
		return dberr.New(dberr.NumericValueOutOfRange, "value out of range: overflow")
	}
	s.sum = r
	s.n++
	return nil
}

func floatTotal(step func(s *floatSum, v float64) error) logic[floatSum] {
	return logic[floatSum]{
		add:    func(s *floatSum, v val) error { return step(s, v.Float()) },
		column: floatColumn(step),
		result: func(s *floatSum) (val, error) {
			if s.n == 0 {
				return value.Null, nil
			}
			return value.Float(s.sum), nil
		},
	}
}

// Interval sums.
type spanSum struct {
	n   int64
	sum value.Interval
}

func (s *spanSum) add(v val, sign int64) error {
	i := v.Box().(value.Interval)
	months := int64(s.sum.Months) + sign*int64(i.Months)
	days := int64(s.sum.Days) + sign*int64(i.Days)
	micros := s.sum.Micros + sign*i.Micros
	over := sign > 0 && (s.sum.Micros^micros)&(i.Micros^micros) < 0 || sign < 0 && (s.sum.Micros^i.Micros)&(s.sum.Micros^micros) < 0
	if over || months != int64(int32(months)) || days != int64(int32(days)) {
		return dberr.New(dberr.DatetimeFieldOverflow, "interval out of range")
	}
	s.sum = value.Interval{Months: int32(months), Days: int32(days), Micros: micros}
	s.n += sign
	return nil
}

func intervalSum(result func(s *spanSum) (val, error)) logic[spanSum] {
	return logic[spanSum]{
		add:    func(s *spanSum, v val) error { return s.add(v, 1) },
		remove: func(s *spanSum, v val) error { return s.add(v, -1) },
		result: func(s *spanSum) (val, error) {
			if s.n == 0 {
				return value.Null, nil
			}
			return result(s)
		},
	}
}

// sums gives sum over all types.
func sums() []def {
	return []def{
		smallSum().def("sum(int2)", intSum{}), smallSum().def("sum(int4)", intSum{}), bigSum().def("sum(int8)", intSum{}),
		numericDef("sum(numeric)", func(s *numSum) (val, error) { return boxed(s.total()) }),
		floatTotal((*floatSum).add).def("sum(float8)", floatSum{}), floatTotal((*floatSum).add4).def("sum(float4)", floatSum{}),
		intervalSum(func(s *spanSum) (val, error) { return value.Box(s.sum), nil }).def("sum(interval)", spanSum{}),
	}
}
