package agg

import (
	"context"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// Ordered-set aggregates get their rows sorted: the direct arguments first, then the sorted ones.

// orderedSets gives the percentiles and mode.
func orderedSets() []def {
	entry := func(sig string, at func(s *sorted, p float64) (val, error), many bool) def {
		return def{Sig: sig, New: func(c *call) functions.Accumulator { return &percentile{call: c, at: at, many: many} }}
	}
	return []def{
		entry("percentile_disc(float8,anyelement)", (*sorted).discrete, false), entry("percentile_disc(float8[],anyelement)", (*sorted).discrete, true),
		entry("percentile_cont(float8,float8)", (*sorted).float, false), entry("percentile_cont(float8[],float8)", (*sorted).float, true),
		entry("percentile_cont(float8,interval)", (*sorted).interval, false), entry("percentile_cont(float8[],interval)", (*sorted).interval, true),
		{Sig: "mode(anyelement)", New: func(c *call) functions.Accumulator { return &mode{call: c} }},
	}
}

// sorted keeps the values that are not NULL, in order.
type sorted struct{ vals []val }

// discrete gives the first value whose place is at or beyond the fraction.
func (s *sorted) discrete(p float64) (val, error) {
	k := int(math.Ceil(p * float64(len(s.vals))))
	return s.vals[max(k, 1)-1], nil
}

// between finds the two values around a fraction and how far it is from the first.
func (s *sorted) between(p float64) (low, high val, rest float64) {
	x := p * float64(len(s.vals)-1)
	low, high = s.vals[int(math.Floor(x))], s.vals[int(math.Ceil(x))]
	return low, high, x - math.Floor(x)
}

func (s *sorted) float(p float64) (val, error) {
	low, high, rest := s.between(p)
	if rest == 0 {
		return low, nil
	}
	return value.Float(low.Float() + rest*(high.Float()-low.Float())), nil
}

func (s *sorted) interval(p float64) (val, error) {
	low, high, rest := s.between(p)
	if rest == 0 {
		return low, nil
	}
	l := low.Box().(value.Interval)
	d, err := dt.IntervalSub(high.Box().(value.Interval), l)
	if err == nil {
		d, err = dt.IntervalMul(d, rest)
	}
	if err == nil {
		d, err = dt.IntervalAdd(d, l)
	}
	return value.Box(d), err
}

type percentile struct {
	sorted
	call   *call
	at     func(s *sorted, p float64) (val, error)
	many   bool
	direct val
}

func (p *percentile) Add(_ context.Context, a []val) error {
	p.direct = a[0]
	if !a[1].IsNull() {
		p.vals = append(p.vals, a[1])
	}
	return nil
}

func (p *percentile) Result(context.Context) (val, error) {
	if p.direct.IsNull() || len(p.vals) == 0 {
		return value.Null, nil
	}
	if !p.many {
		return p.one(p.direct)
	}
	x := p.direct.Box().(*value.Array)
	out := make([]val, len(x.Elems))
	for i, e := range x.Elems {
		if e.IsNull() {
			continue
		}
		var err error
		if out[i], err = p.one(e); err != nil {
			return value.Null, err
		}
	}
	elem := p.call.Args[1]
	if p.call.Ret != nil && p.call.Ret.Elem != nil {
		elem = p.call.Ret.Elem
	}
	return value.Box(&value.Array{Elem: elem, Dims: x.Dims, Elems: out}), nil
}

func (p *percentile) one(v val) (val, error) {
	f := v.Float()
	if !(f >= 0 && f <= 1) {
		return value.Null, dberr.New(dberr.NumericValueOutOfRange, "percentile value %s is not between 0 and 1", string(typeio.AppendFloat(nil, f, 64, -9)))
	}
	return p.at(&p.sorted, f)
}

// mode finds the most frequent value, the first one of several.
type mode struct {
	call        *call
	cur, best   val
	n, most     int64
	some, began bool
}

func (m *mode) Add(_ context.Context, a []val) error {
	v := a[0]
	if v.IsNull() {
		return nil
	}
	if m.began && typeio.Comparer(m.call.Args[0])(m.cur, v) == 0 {
		m.n++
	} else {
		m.cur, m.n, m.began = v, 1, true
	}
	if m.n > m.most {
		m.best, m.most, m.some = m.cur, m.n, true
	}
	return nil
}

func (m *mode) Result(context.Context) (val, error) {
	if !m.some {
		return value.Null, nil
	}
	return m.best, nil
}

// hypotheticals gives the ranks that a row would have.
func hypotheticals() []def {
	entry := func(name string, result func(h *hypothetical) val) def {
		return def{Sig: name + "(any)", New: func(c *call) functions.Accumulator { return &hypothetical{call: c, result: result} }}
	}
	return []def{
		entry("rank", func(h *hypothetical) val { return value.Int(h.before + 1) }),
		entry("dense_rank", func(h *hypothetical) val { return value.Int(h.distinct + 1) }),
		entry("percent_rank", func(h *hypothetical) val {
			if h.n == 0 {
				return value.Float(0)
			}
			return value.Float(float64(h.before) / float64(h.n))
		}),
		entry("cume_dist", func(h *hypothetical) val { return value.Float(float64(h.n-h.after+1) / float64(h.n+1)) }),
	}
}

// hypothetical counts the rows before and after the row that its direct arguments make.
type hypothetical struct {
	call                       *call
	result                     func(h *hypothetical) val
	n, before, after, distinct int64
	last                       []val // the last row before
}

func (h *hypothetical) Add(_ context.Context, a []val) error {
	k := len(a) / 2
	h.n++
	switch c := h.compare(a[k:], a[:k], k); {
	case c < 0:
		h.before++
		if h.last == nil || h.compare(h.last, a[k:], k) != 0 {
			h.distinct++
			h.last = append(h.last[:0], a[k:]...)
		}
	case c > 0:
		h.after++
	}
	return nil
}

// compare orders two rows of k columns as WITHIN GROUP does.
func (h *hypothetical) compare(x, y []val, k int) int {
	for i := range k {
		var d functions.Direction
		if i < len(h.call.Order) {
			d = h.call.Order[i]
		}
		if x[i].IsNull() || y[i].IsNull() {
			switch {
			case x[i].IsNull() && y[i].IsNull():
				continue
			case x[i].IsNull() == d.NullsFirst:
				return -1
			}
			return 1
		}
		if c := typeio.Comparer(h.call.Args[k+i])(x[i], y[i]); c != 0 {
			if d.Desc {
				return -c
			}
			return c
		}
	}
	return 0
}

func (h *hypothetical) Result(context.Context) (val, error) { return h.result(h), nil }
