package table

import (
	"time"

	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/typeio/num"
	"github.com/omgdb/omgdb/storage/value"
)

func zeroStep() error {
	return dberr.New(dberr.InvalidParameterValue, "step size cannot equal zero")
}

// series gives generate_series of all kinds and generate_subscripts.
func series() []def {
	out := []def{
		streaming("generate_subscripts(anyarray,int4)", subscripts), streaming("generate_subscripts(anyarray,int4,bool)", subscripts),
		streaming("generate_series(timestamp,timestamp,interval)", func(_ *call, a []val) (filler, error) { return times(a, nil) }),
		streaming("generate_series(timestamptz,timestamptz,interval)", func(c *call, a []val) (filler, error) { return times(a, format(c).Zone()) }),
	}
	for _, args := range []string{"(int4,int4)", "(int4,int4,int4)", "(int8,int8)", "(int8,int8,int8)"} {
		out = append(out, streaming("generate_series"+args, ints))
	}
	for _, args := range []string{"(numeric,numeric)", "(numeric,numeric,numeric)"} {
		out = append(out, streaming("generate_series"+args, numerics))
	}
	return out
}

// ints counts from start to stop.
func ints(_ *call, a []val) (filler, error) {
	cur, stop, step := a[0].Int(), a[1].Int(), int64(1)
	if len(a) > 2 {
		step = a[2].Int()
	}
	if step == 0 {
		return nil, zeroStep()
	}
	done := false
	return func(cols []*value.Column, n int) (bool, error) {
		c := cols[0]
		for ; n > 0 && !done && (step > 0 && cur <= stop || step < 0 && cur >= stop); n-- {
			c.Ints = append(c.Ints, cur)
			next := cur + step
			done = (step > 0) != (next > cur) // the end of the numbers
			cur = next
		}
		return done || n > 0, nil
	}, nil
}

func numerics(_ *call, a []val) (filler, error) {
	cur, stop, step := typeio.Num(a[0]), typeio.Num(a[1]), num.One
	if len(a) > 2 {
		step = typeio.Num(a[2])
	}
	for i, d := range []*num.Dec{cur, stop, step} {
		name := []string{"start value", "stop value", "step size"}[i]
		if num.IsNaN(d) {
			return nil, dberr.New(dberr.InvalidParameterValue, "%s cannot be NaN", name)
		}
		if num.IsInf(d) {
			return nil, dberr.New(dberr.InvalidParameterValue, "%s cannot be infinity", name)
		}
	}
	up := num.Sign(step)
	if up == 0 {
		return nil, zeroStep()
	}
	return func(cols []*value.Column, n int) (bool, error) {
		for ; n > 0 && num.Cmp(cur, stop)*up <= 0; n-- {
			cols[0].Append(value.Box(cur))
			var err error
			if cur, err = num.Add(cur, step); err != nil {
				return false, err
			}
		}
		return n > 0, nil
	}, nil
}

// times steps through timestamps; loc tells where months and days pass for those with zone.
func times(a []val, loc *time.Location) (filler, error) {
	cur, stop, step := a[0].Int(), a[1].Int(), a[2].Box().(value.Interval)
	dir := dt.CmpInterval(step, value.Interval{})
	if dir == 0 {
		return nil, zeroStep()
	}
	return func(cols []*value.Column, n int) (bool, error) {
		for ; n > 0 && (dir > 0 && cur <= stop || dir < 0 && cur >= stop); n-- {
			cols[0].Ints = append(cols[0].Ints, cur)
			if dt.Infinite(cur) {
				continue // it never gets further: the caller's limit or cancel ends it
			}
			var err error
			if cur, err = dt.AddInterval(cur, step, loc); err != nil {
				return false, err
			}
		}
		return n > 0, nil
	}, nil
}

// subscripts counts through a dimension of an array.
func subscripts(_ *call, a []val) (filler, error) {
	x, dim := a[0].Box().(*value.Array), a[1].Int()
	if dim < 1 || dim > int64(len(x.Dims)) {
		return listed(nil), nil
	}
	d := x.Dims[dim-1]
	low, high := int64(d.Lower), int64(d.Lower)+int64(d.Len)-1
	if len(a) > 2 && a[2].Bool() {
		return ints(nil, []val{value.Int(high), value.Int(low), value.Int(-1)})
	}
	return ints(nil, []val{value.Int(low), value.Int(high)})
}
