package agg

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

// Scalars are the functions that PostgreSQL's aggregates are made of and that users' aggregates may be made of, too. The aggregates here
// don't call them.
func Scalars() []functions.Def {
	out := append(countingSteps(), momentSteps()...)
	for _, s := range spreads[:2] {
		out = append(out, momentFinal("float8_"+s.name, func(m *moments) (float64, bool) { return floatMeasure(m, s) }))
	}
	for _, s := range spreads[3:5] {
		out = append(out, momentFinal("float8_"+s.name, func(m *moments) (float64, bool) { return floatMeasure(m, s) }))
	}
	for _, f := range pairMeasures {
		out = append(out, plain("float8_"+f.name+"(float8[])", func(a []val) (val, error) {
			r, err := regressionOf(a[0], "float8_"+f.name)
			if err != nil {
				return value.Null, err
			}
			if x, ok := f.result(&r); ok {
				return value.Float(x), nil
			}
			return value.Null, nil
		}))
	}
	return out
}

func plain(sig string, f func(a []val) (val, error)) functions.Def {
	return functions.Def{Sig: sig, Eval: func(_ context.Context, _ *call, a []val) (val, error) { return f(a) }}
}

// countingSteps count and add integers and truths.
func countingSteps() []functions.Def {
	inc := func(a []val) (val, error) { return added(a[0].Int(), 1) }
	sum := func(a []val) (val, error) { // not strict: NULLs are no part of a sum; as in PostgreSQL nothing looks for overflow
		switch {
		case a[1].IsNull():
			return a[0], nil
		case a[0].IsNull():
			return a[1], nil
		}
		return value.Int(a[0].Int() + a[1].Int()), nil
	}
	mean := func(a []val) (val, error) {
		s, err := ints(a[0], 2, "int4_avg_accum")
		if err != nil {
			return value.Null, err
		}
		return int8Array(s[0]+1, s[1]+a[1].Int()), nil
	}
	return []functions.Def{
		plain("booland_statefunc(bool,bool)", func(a []val) (val, error) { return value.Bool(a[0].Bool() && a[1].Bool()), nil }),
		plain("boolor_statefunc(bool,bool)", func(a []val) (val, error) { return value.Bool(a[0].Bool() || a[1].Bool()), nil }),
		plain("int8inc(int8)", inc), plain("int8inc_any(int8,any)", inc), plain("int8inc_float8_float8(int8,float8,float8)", inc),
		plain("int8dec(int8)", func(a []val) (val, error) { return added(a[0].Int(), -1) }),
		plain("int8dec_any(int8,any)", func(a []val) (val, error) { return added(a[0].Int(), -1) }),
		plain("int2_sum(int8,int2)", sum), plain("int4_sum(int8,int4)", sum),
		plain("int2_avg_accum(int8[],int2)", mean), plain("int4_avg_accum(int8[],int4)", mean),
		plain("int4_avg_combine(int8[],int8[])", func(a []val) (val, error) {
			x, err := ints(a[0], 2, "int4_avg_combine")
			if err != nil {
				return value.Null, err
			}
			y, err := ints(a[1], 2, "int4_avg_combine")
			if err != nil {
				return value.Null, err
			}
			return int8Array(x[0]+y[0], x[1]+y[1]), nil
		}),
		plain("int8_avg(int8[])", func(a []val) (val, error) {
			s, err := ints(a[0], 2, "int8_avg")
			if err != nil || s[0] == 0 {
				return value.Null, err
			}
			return boxed(num.Div(num.FromInt(s[1]), num.FromInt(s[0])))
		}),
	}
}

// momentSteps keep moments and sums of pairs in arrays.
func momentSteps() []functions.Def {
	accum := func(a []val) (val, error) {
		m, err := momentsOf(a[0], "float8_accum")
		if err == nil {
			err = m.add(a[1].Float())
		}
		if err != nil {
			return value.Null, err
		}
		return floats(m.n, m.sum, m.dev), nil
	}
	return []functions.Def{
		plain("float4_accum(float8[],float4)", accum), plain("float8_accum(float8[],float8)", accum),
		plain("float8_combine(float8[],float8[])", func(a []val) (val, error) {
			x, y, err := both(a, "float8_combine", momentsOf)
			if err != nil {
				return value.Null, err
			}
			switch {
			case x.n == 0:
				return a[1], nil
			case y.n == 0:
				return a[0], nil
			}
			n, d := x.n+y.n, x.sum/x.n-y.sum/y.n
			return floats(n, x.sum+y.sum, x.dev+y.dev+x.n*y.n*d*d/n), nil
		}),
		plain("float8_regr_accum(float8[],float8,float8)", func(a []val) (val, error) {
			r, err := regressionOf(a[0], "float8_regr_accum")
			if err == nil {
				err = r.Add(context.Background(), a[1:])
			}
			if err != nil {
				return value.Null, err
			}
			return r.array(), nil
		}),
		plain("float8_regr_combine(float8[],float8[])", func(a []val) (val, error) {
			x, y, err := both(a, "float8_regr_combine", regressionOf)
			if err != nil {
				return value.Null, err
			}
			switch {
			case x.n == 0:
				return a[1], nil
			case y.n == 0:
				return a[0], nil
			}
			n := x.n + y.n
			dx, dy, w := x.sx/x.n-y.sx/y.n, x.sy/x.n-y.sy/y.n, x.n*y.n/n
			r := regression{n: n, sx: x.sx + y.sx, sxx: x.sxx + y.sxx + w*dx*dx, sy: x.sy + y.sy, syy: x.syy + y.syy + w*dy*dy, sxy: x.sxy + y.sxy + w*dx*dy}
			return r.array(), nil
		}),
		momentFinal("float8_avg", func(m *moments) (float64, bool) { return m.sum / m.n, m.n > 0 }),
	}
}

func momentFinal(name string, result func(m *moments) (float64, bool)) functions.Def {
	return plain(name+"(float8[])", func(a []val) (val, error) {
		m, err := momentsOf(a[0], name)
		if err != nil {
			return value.Null, err
		}
		if x, ok := result(&m); ok {
			return value.Float(x), nil
		}
		return value.Null, nil
	})
}

func added(x, y int64) (val, error) {
	s := x + y
	if y > 0 && s < x || y < 0 && s > x {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, "bigint out of range")
	}
	return value.Int(s), nil
}

// numbersOf gives the n numbers of an array.
func numbersOf(v val, n int, name string) ([]val, error) {
	a, ok := v.Box().(*value.Array)
	if ok && len(a.Dims) == 1 && len(a.Elems) == n {
		for _, e := range a.Elems {
			ok = ok && !e.IsNull()
		}
		if ok {
			return a.Elems, nil
		}
	}
	return nil, dberr.New(dberr.InvalidParameterValue, "%s: expected %d-element array", name, n)
}

func ints(v val, n int, name string) ([]int64, error) {
	list, err := numbersOf(v, n, name)
	out := make([]int64, len(list))
	for i, e := range list {
		out[i] = e.Int()
	}
	return out, err
}

func momentsOf(v val, name string) (m moments, err error) {
	e, err := numbersOf(v, 3, name)
	if err != nil {
		return m, err
	}
	return moments{e[0].Float(), e[1].Float(), e[2].Float()}, nil
}

func regressionOf(v val, name string) (r regression, err error) {
	e, err := numbersOf(v, 6, name)
	if err != nil {
		return r, err
	}
	return regression{n: e[0].Float(), sx: e[1].Float(), sxx: e[2].Float(), sy: e[3].Float(), syy: e[4].Float(), sxy: e[5].Float()}, nil
}

func (r *regression) array() val { return floats(r.n, r.sx, r.sxx, r.sy, r.syy, r.sxy) }

func floats(fs ...float64) val {
	out := make([]val, len(fs))
	for i, f := range fs {
		out[i] = value.Float(f)
	}
	return value.Box(value.NewArray(value.Float8, out))
}

func int8Array(ns ...int64) val {
	out := make([]val, len(ns))
	for i, n := range ns {
		out[i] = value.Int(n)
	}
	return value.Box(value.NewArray(value.Int8, out))
}

// floatMeasure is a variance or standard deviation; false when there are too few values.
func floatMeasure(m *moments, s spread) (float64, bool) {
	n := m.n
	if s.sample {
		n--
	}
	if n <= 0 {
		return 0, false
	}
	r := m.dev / n
	if s.root {
		r = math.Sqrt(r)
	}
	return r, true
}

// both reads the two states that a combine function of a name is given.
func both[T any](a []val, name string, read func(val, string) (T, error)) (x, y T, err error) {
	if x, err = read(a[0], name); err == nil {
		y, err = read(a[1], name)
	}
	return x, y, err
}
