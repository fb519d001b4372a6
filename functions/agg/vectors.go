package agg

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/scalar"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Own lists the aggregates that PostgreSQL doesn't have: pgvector's.
func Own() []*functions.Aggregate {
	var out []*functions.Aggregate
	for i, t := range []*value.Type{value.Vector, value.HalfVec} {
		oid := 8480 + uint32(2*i)
		out = append(out, vectorAverage(t).own(oid, "avg", t, vectorSum{}), vectorTotal(t).own(oid+1, "sum", t, val{}))
	}
	return out
}

// own makes an entry that has no facts of PostgreSQL.
func (l logic[S]) own(oid uint32, name string, t *value.Type, fresh S) *functions.Aggregate {
	d := l.def("", fresh)
	return &functions.Aggregate{OID: oid, Name: name, Params: []functions.Param{{Type: t}}, Ret: t, Strict: true, New: d.New, NewBatch: d.NewBatch}
}

// vectorSum is the state of an average, see scalar.AddToSum; nil before the first vector.
type vectorSum struct{ s []float64 }

func vectorAverage(t *value.Type) logic[vectorSum] {
	unpack := typeio.UnpackVector
	if t.OID == value.HalfVec.OID {
		unpack = typeio.UnpackHalf
	}
	return logic[vectorSum]{
		add: func(s *vectorSum, v val) (err error) {
			if s.s == nil {
				s.s = []float64{0}
			}
			s.s, err = scalar.AddToSum(s.s, unpack(v))
			return err
		},
		result: func(s *vectorSum) (val, error) {
			if s.s == nil {
				return value.Null, nil
			}
			return scalar.Average(t, s.s)
		},
	}
}

// vectorTotal adds vectors as + does.
func vectorTotal(t *value.Type) logic[val] {
	add := scalar.VectorAdd(t)
	return logic[val]{
		add: func(s *val, v val) (err error) {
			if s.IsNull() {
				*s = value.String(strings.Clone(v.Str())) // the row may go
				return nil
			}
			*s, err = add(context.Background(), nil, []val{*s, v})
			return err
		},
		result: func(s *val) (val, error) { return *s, nil },
	}
}
