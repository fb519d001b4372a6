package agg

import (
	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// extreme keeps the first value in an order times sign.
type extreme struct {
	best val
	some bool
}

// extremes gives min and max over all types.
func extremes() []def {
	var out []def
	for _, x := range []struct {
		name string
		sign int
	}{{"min", -1}, {"max", 1}} {
		for _, t := range []*value.Type{value.Int2, value.Int4, value.Int8, value.Date, value.Time, value.Timestamp, value.TimestampTZ} {
			out = append(out, intExtreme(x.sign).def(x.name+"("+t.Name+")", intBest{}))
		}
		for _, t := range []*value.Type{value.Float4, value.Float8} {
			out = append(out, floatExtreme(x.sign).def(x.name+"("+t.Name+")", floatBest{}))
		}
		for _, t := range []*value.Type{value.Numeric, value.Text, value.BPChar, value.IntervalT, value.OID, value.TimeTZT, value.Inet, value.PgLSN, value.XID8} {
			out = append(out, anyExtreme(x.sign, typeio.Comparer(t)).def(x.name+"("+t.Name+")", extreme{}))
		}
		out = append(out, polyExtreme(x.name+"(anyarray)", x.sign), polyExtreme(x.name+"(anyenum)", x.sign))
	}
	return out
}

func anyExtreme(sign int, cmp func(a, b val) int) logic[extreme] {
	return logic[extreme]{
		add: func(s *extreme, v val) error {
			if !s.some || cmp(v, s.best)*sign > 0 {
				s.best, s.some = v, true
			}
			return nil
		},
		result: func(s *extreme) (val, error) { return s.best, nil },
	}
}

// polyExtreme finds its order in the resolved argument type.
func polyExtreme(sig string, sign int) def {
	return def{Sig: sig, Strict: true,
		New: func(c *call) functions.Accumulator {
			l := anyExtreme(sign, typeio.Comparer(c.Args[0]))
			return &single[extreme]{logic: &l}
		},
		NewBatch: func(c *call) functions.BatchAccumulator {
			l := anyExtreme(sign, typeio.Comparer(c.Args[0]))
			return &grouped[extreme]{logic: &l}
		}}
}

// intBest and floatBest hold the best value bare.
type intBest struct {
	best int64
	some bool
}

func intExtreme(sign int) logic[intBest] {
	step := func(s *intBest, v int64) {
		if !s.some || v > s.best {
			s.best, s.some = v, true
		}
	}
	if sign < 0 {
		step = func(s *intBest, v int64) {
			if !s.some || v < s.best {
				s.best, s.some = v, true
			}
		}
	}
	return logic[intBest]{
		add:    func(s *intBest, v val) error { step(s, v.Int()); return nil },
		column: intColumn(step),
		result: func(s *intBest) (val, error) {
			if !s.some {
				return value.Null, nil
			}
			return value.Int(s.best), nil
		},
	}
}

type floatBest struct {
	best float64
	some bool
}

func floatExtreme(sign int) logic[floatBest] {
	step := func(s *floatBest, v float64) error {
		if !s.some || typeio.CmpFloat(v, s.best)*sign > 0 {
			s.best, s.some = v, true
		}
		return nil
	}
	return logic[floatBest]{
		add:    func(s *floatBest, v val) error { return step(s, v.Float()) },
		column: floatColumn(step),
		result: func(s *floatBest) (val, error) {
			if !s.some {
				return value.Null, nil
			}
			return value.Float(s.best), nil
		},
	}
}

// booleans gives bool_and, bool_or and every: they count both outcomes.
func booleans() []def {
	and := func(s *truths) (val, error) { return truth(s, s.no == 0) }
	or := func(s *truths) (val, error) { return truth(s, s.yes > 0) }
	return []def{
		boolLogic(and).def("bool_and(bool)", truths{}), boolLogic(and).def("every(bool)", truths{}), boolLogic(or).def("bool_or(bool)", truths{}),
	}
}

type truths struct{ yes, no int64 }

func truth(s *truths, b bool) (val, error) {
	if s.yes+s.no == 0 {
		return value.Null, nil
	}
	return value.Bool(b), nil
}

func boolLogic(result func(s *truths) (val, error)) logic[truths] {
	count := func(s *truths, v val, by int64) error {
		if v.Bool() {
			s.yes += by
		} else {
			s.no += by
		}
		return nil
	}
	return logic[truths]{
		add:    func(s *truths, v val) error { return count(s, v, 1) },
		remove: func(s *truths, v val) error { return count(s, v, -1) },
		result: result,
	}
}
