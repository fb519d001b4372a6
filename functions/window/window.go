// Package window holds the pure window functions: what they compute depends on a row's place among its peers, not on a running state.
package window

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.WinDef
	call = functions.Call
	part = functions.Partition
	val  = value.Value
)

// Functions lists the window functions.
func Functions() []def {
	return []def{
		{Sig: "row_number()", Eval: func(_ context.Context, _ *call, _ part, i int) (val, error) { return value.Int(int64(i) + 1), nil }},
		{Sig: "rank()", Eval: func(_ context.Context, _ *call, p part, i int) (val, error) {
			first, _ := p.Peers(i)
			return value.Int(int64(first) + 1), nil
		}},
		{Sig: "dense_rank()", Eval: denseRank},
		{Sig: "percent_rank()", Eval: func(_ context.Context, _ *call, p part, i int) (val, error) {
			if p.Len() == 1 {
				return value.Float(0), nil
			}
			first, _ := p.Peers(i)
			return value.Float(float64(first) / float64(p.Len()-1)), nil
		}},
		{Sig: "cume_dist()", Eval: func(_ context.Context, _ *call, p part, i int) (val, error) {
			_, end := p.Peers(i)
			return value.Float(float64(end) / float64(p.Len())), nil
		}},
		{Sig: "ntile(int4)", Eval: ntile},
		{Sig: "lag(anyelement)", Eval: shifted(-1)}, {Sig: "lag(anyelement,int4)", Eval: shifted(-1)}, {Sig: "lag(anycompatible,int4,anycompatible)", Eval: shifted(-1)},
		{Sig: "lead(anyelement)", Eval: shifted(1)}, {Sig: "lead(anyelement,int4)", Eval: shifted(1)}, {Sig: "lead(anycompatible,int4,anycompatible)", Eval: shifted(1)},
		{Sig: "first_value(anyelement)", Eval: firstValue}, {Sig: "last_value(anyelement)", Eval: lastValue},
		{Sig: "nth_value(anyelement,int4)", Eval: nthValue},
	}
}

// rankState remembers the last dense rank, so that a walk in row order costs no more than the rows.
type rankState struct {
	part  part
	first int
	rank  int64
}

func denseRank(_ context.Context, c *call, p part, i int) (val, error) {
	first, _ := p.Peers(i)
	s, _ := c.State.(*rankState)
	if s == nil || s.part != p || first < s.first {
		s = &rankState{part: p}
		c.State = s
		s.rank = 1
	}
	for s.first < first {
		_, s.first = p.Peers(s.first)
		s.rank++
	}
	return value.Int(s.rank), nil
}

// ntile spreads the rows over n buckets, the first ones larger by one where it doesn't come out even. The number is that of the first row.
func ntile(_ context.Context, _ *call, p part, i int) (val, error) {
	v, err := p.Arg(0, 0)
	if err != nil || v.IsNull() {
		return value.Null, err
	}
	n := v.Int()
	if n <= 0 {
		return value.Null, dberr.New(dberr.InvalidArgForNtile, "argument of ntile must be greater than zero")
	}
	rows := int64(p.Len())
	size, larger := rows/n, rows%n
	row := int64(i)
	if row < larger*(size+1) {
		return value.Int(row/(size+1) + 1), nil
	}
	return value.Int(larger + (row-larger*(size+1))/size + 1), nil
}

// shifted is lag (dir -1) and lead (dir 1): the value so many rows away, by default one, or a default.
func shifted(dir int64) func(context.Context, *call, part, int) (val, error) {
	return func(_ context.Context, c *call, p part, i int) (val, error) {
		off := int64(1)
		if len(c.Args) > 1 {
			v, err := p.Arg(1, i)
			if err != nil || v.IsNull() {
				return value.Null, err
			}
			off = v.Int()
		}
		if j := int64(i) + dir*off; j >= 0 && j < int64(p.Len()) {
			return p.Arg(0, int(j))
		}
		if len(c.Args) > 2 {
			return p.Arg(2, i)
		}
		return value.Null, nil
	}
}

func firstValue(_ context.Context, _ *call, p part, i int) (val, error) {
	frame, err := p.Frame(i)
	if err != nil {
		return value.Null, err
	}
	for _, r := range frame {
		if r[0] < r[1] {
			return p.Arg(0, r[0])
		}
	}
	return value.Null, nil
}

func lastValue(_ context.Context, _ *call, p part, i int) (val, error) {
	frame, err := p.Frame(i)
	if err != nil {
		return value.Null, err
	}
	for k := len(frame) - 1; k >= 0; k-- {
		if r := frame[k]; r[0] < r[1] {
			return p.Arg(0, r[1]-1)
		}
	}
	return value.Null, nil
}

func nthValue(_ context.Context, _ *call, p part, i int) (val, error) {
	v, err := p.Arg(1, i)
	if err != nil || v.IsNull() {
		return value.Null, err
	}
	n := v.Int()
	if n <= 0 {
		return value.Null, dberr.New(dberr.InvalidArgForNthValue, "argument of nth_value must be greater than zero")
	}
	frame, err := p.Frame(i)
	if err != nil {
		return value.Null, err
	}
	for _, r := range frame {
		size := int64(r[1] - r[0])
		if size < n {
			n -= max(size, 0)
			continue
		}
		return p.Arg(0, r[0]+int(n)-1)
	}
	return value.Null, nil
}
