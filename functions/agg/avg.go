package agg

import (
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// intAverage divides as numeric does.
func intAverage() logic[intSum] {
	return logic[intSum]{
		add: addInt, remove: removeInt, column: intColumn((*intSum).add),
		result: func(s *intSum) (val, error) {
			if s.n == 0 {
				return value.Null, nil
			}
			d, err := s.numeric()
			if err != nil {
				return value.Null, err
			}
			return boxed(num.Div(d, num.FromInt(s.n)))
		},
	}
}

func floatAverage() logic[floatSum] {
	l := floatTotal((*floatSum).add)
	l.result = func(s *floatSum) (val, error) {
		if s.n == 0 {
			return value.Null, nil
		}
		return value.Float(s.sum / float64(s.n)), nil
	}
	return l
}

// averages gives avg over all types.
func averages() []def {
	var out []def
	for _, t := range []string{"int2", "int4", "int8"} {
		out = append(out, intAverage().def("avg("+t+")", intSum{}))
	}
	return append(out,
		numericDef("avg(numeric)", func(s *numSum) (val, error) {
			d, err := s.total()
			if err != nil {
				return value.Null, err
			}
			return boxed(num.Div(d, num.FromInt(s.n)))
		}),
		floatAverage().def("avg(float8)", floatSum{}), floatAverage().def("avg(float4)", floatSum{}),
		intervalSum(func(s *spanSum) (val, error) {
			i, err := dt.IntervalDiv(s.sum, float64(s.n))
			return value.Box(i), err
		}).def("avg(interval)", spanSum{}))
}
