package scalar

import (
	"math"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// The state of an average of vectors is an array of doubles: the count, then the sum of each element. {0} is the empty one.

// sums lists the functions that the average of the type is made of.
func (d *dense) sums() []vecFunc {
	state := value.ArrayOf(value.Float8)
	name := d.t.Name
	return []vecFunc{
		{name: name + "_accum", params: []*value.Type{state, d.t}, ret: state, eval: try(func(a []val) (val, error) {
			s, err := sumState(a[0], name+"_accum")
			if err == nil {
				s, err = AddToSum(s, d.unpack(a[1]))
			}
			return doubles(s), err
		})},
		{name: name + "_combine", params: []*value.Type{state, state}, ret: state, eval: try(func(a []val) (val, error) {
			s, err := sumState(a[0], name+"_combine")
			if err != nil {
				return value.Null, err
			}
			t, err := sumState(a[1], name+"_combine")
			if err == nil {
				s, err = combine(s, t)
			}
			if err == nil && len(s) > 1 {
				err = typeio.CheckVectorDims(value.Vector, len(s)-1)
			}
			return doubles(s), err
		})},
		{name: name + "_avg", params: []*value.Type{state}, ret: d.t, eval: try(func(a []val) (val, error) {
			s, err := sumState(a[0], name+"_avg")
			if err != nil {
				return value.Null, err
			}
			return Average(d.t, s)
		})},
	}
}

// AddToSum adds a vector to the state of an average, which may be changed in place. The state {0} takes any number of dimensions.
func AddToSum(s []float64, x []float32) ([]float64, error) {
	if len(s) == 1 && s[0] == 0 {
		s = make([]float64, 1+len(x))
	}
	if err := typeio.CheckVectorMod(int32(len(s)-1), len(x)); err != nil {
		return nil, err
	}
	s[0]++
	for i, f := range x {
		if s[i+1] += float64(f); math.IsInf(s[i+1], 0) {
			return nil, floatOverflow()
		}
	}
	return s, nil
}

func combine(s, t []float64) ([]float64, error) {
	switch {
	case s[0] == 0:
		return t, nil
	case t[0] == 0:
		return s, nil
	}
	if err := typeio.CheckVectorMod(int32(len(s)-1), len(t)-1); err != nil {
		return nil, err
	}
	for i, f := range t {
		if s[i] += f; math.IsInf(s[i], 0) {
			return nil, floatOverflow()
		}
	}
	return s, nil
}

// Average gives the average of type t, vector or halfvec, NULL of nothing.
func Average(t *value.Type, s []float64) (val, error) {
	if s[0] == 0 {
		return value.Null, nil
	}
	if err := typeio.CheckVectorDims(t, len(s)-1); err != nil {
		return value.Null, err
	}
	out := make([]float32, len(s)-1)
	for i := range out {
		out[i] = float32(s[i+1] / s[0])
		if err := typeio.CheckVectorElem(t, float64(out[i])); err != nil {
			return value.Null, err
		}
	}
	if t.OID == value.HalfVec.OID {
		return typeio.PackHalf(out)
	}
	return typeio.PackVector(out), nil
}

// sumState reads a state, as a copy.
func sumState(v val, caller string) ([]float64, error) {
	a := arr(v)
	bad := len(a.Dims) != 1 || len(a.Elems) == 0
	out := make([]float64, len(a.Elems))
	for i, e := range a.Elems {
		if bad = bad || e.IsNull(); bad {
			break
		}
		out[i] = e.Float()
	}
	if bad {
		return nil, dberr.New(dberr.DataException, "%s: expected state array", caller)
	}
	return out, nil
}

func doubles(s []float64) val {
	elems := make([]val, len(s))
	for i, f := range s {
		elems[i] = value.Float(f)
	}
	return value.Box(value.NewArray(value.Float8, elems))
}
