package agg

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// regression keeps the sums of pairs (y, x), updated as moments are.
type regression struct {
	n, sx, sxx, sy, syy, sxy float64
	result                   func(r *regression) (float64, bool)
}

// pairMeasures are what is computed of the sums; false when there are too few pairs.
var pairMeasures = []struct {
	name   string
	result func(r *regression) (float64, bool)
}{
	{"regr_sxx", func(r *regression) (float64, bool) { return r.sxx, r.n > 0 }},
	{"regr_syy", func(r *regression) (float64, bool) { return r.syy, r.n > 0 }},
	{"regr_sxy", func(r *regression) (float64, bool) { return r.sxy, r.n > 0 }},
	{"regr_avgx", func(r *regression) (float64, bool) { return r.sx / r.n, r.n > 0 }},
	{"regr_avgy", func(r *regression) (float64, bool) { return r.sy / r.n, r.n > 0 }},
	{"covar_pop", func(r *regression) (float64, bool) { return r.sxy / r.n, r.n > 0 }},
	{"covar_samp", func(r *regression) (float64, bool) { return r.sxy / (r.n - 1), r.n > 1 }},
	{"corr", func(r *regression) (float64, bool) {
		return r.sxy / math.Sqrt(r.sxx*r.syy), r.n > 0 && r.sxx != 0 && r.syy != 0
	}},
	{"regr_r2", func(r *regression) (float64, bool) {
		if r.syy == 0 {
			return 1, r.n > 0 && r.sxx != 0
		}
		return r.sxy * r.sxy / (r.sxx * r.syy), r.n > 0 && r.sxx != 0
	}},
	{"regr_slope", func(r *regression) (float64, bool) { return r.sxy / r.sxx, r.n > 0 && r.sxx != 0 }},
	{"regr_intercept", func(r *regression) (float64, bool) { return (r.sy - r.sx*r.sxy/r.sxx) / r.n, r.n > 0 && r.sxx != 0 }},
}

// regressions gives the aggregates of pairs.
func regressions() []def {
	out := []def{{Sig: "regr_count(float8,float8)", Strict: true, New: func(*call) functions.Accumulator { return &pairs{} }}}
	for _, m := range pairMeasures {
		out = append(out, def{Sig: m.name + "(float8,float8)", Strict: true, New: func(*call) functions.Accumulator { return &regression{result: m.result} }})
	}
	return out
}

func (r *regression) Add(_ context.Context, a []val) error {
	if a[0].IsNull() || a[1].IsNull() {
		return nil
	}
	y, x := a[0].Float(), a[1].Float()
	was := *r
	r.n++
	r.sx += x
	r.sy += y
	if was.n == 0 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			r.sxx, r.sxy = math.NaN(), math.NaN()
		}
		if math.IsNaN(y) || math.IsInf(y, 0) {
			r.syy, r.sxy = math.NaN(), math.NaN()
		}
		return nil
	}
	dx, dy := x*r.n-r.sx, y*r.n-r.sy
	scale := 1 / (r.n * was.n)
	r.sxx += dx * dx * scale
	r.syy += dy * dy * scale
	r.sxy += dx * dy * scale
	return r.check(&was, x, y)
}

// check reports infinities that finite inputs led to.
func (r *regression) check(was *regression, x, y float64) error {
	inf := func(f float64) bool { return math.IsInf(f, 0) }
	fineX, fineY := !inf(was.sx) && !inf(x), !inf(was.sy) && !inf(y)
	if (inf(r.sx) || inf(r.sxx)) && fineX || (inf(r.sy) || inf(r.syy)) && fineY || inf(r.sxy) && fineX && fineY {
		return overflow()
	}
	for _, p := range []*float64{&r.sxx, &r.syy, &r.sxy} {
		if inf(*p) {
			*p = math.NaN()
		}
	}
	return nil
}

func (r *regression) Result(context.Context) (val, error) {
	f, ok := r.result(r)
	if !ok {
		return value.Null, nil
	}
	return value.Float(f), nil
}

// pairs counts rows without NULL.
type pairs struct{ n int64 }

func (p *pairs) Add(_ context.Context, a []val) error {
	if !a[0].IsNull() && !a[1].IsNull() {
		p.n++
	}
	return nil
}

func (p *pairs) Result(context.Context) (val, error) { return value.Int(p.n), nil }
