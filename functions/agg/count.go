package agg

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

// counts gives count(*) and count(x).
func counts() []def {
	return []def{
		{Sig: "count()", New: func(*call) functions.Accumulator { return new(counter) }, NewBatch: newCounters, Removable: true},
		{Sig: "count(any)", Strict: true, New: func(*call) functions.Accumulator { return new(counter) }, NewBatch: newCounters, Removable: true},
	}
}

// counter counts rows without a NULL argument.
type counter struct{ n int64 }

func (c *counter) Add(_ context.Context, args []val) error {
	if len(args) == 0 || !args[0].IsNull() {
		c.n++
	}
	return nil
}

func (c *counter) Remove(_ context.Context, args []val) error {
	if len(args) == 0 || !args[0].IsNull() {
		c.n--
	}
	return nil
}

func (c *counter) Result(context.Context) (val, error) { return value.Int(c.n), nil }

// counters counts by group.
type counters struct{ n []int64 }

func newCounters(*call) functions.BatchAccumulator { return new(counters) }

func (c *counters) Grow(n int) {
	for len(c.n) < n {
		c.n = append(c.n, 0)
	}
}

func (c *counters) AddBatch(_ context.Context, args []*value.Column, sel []int32, n int, group []int32) error {
	if len(args) == 0 || len(args[0].Nulls) == 0 {
		rows := n
		if sel != nil {
			rows = len(sel)
		}
		for _, g := range group[:rows] {
			c.n[g]++
		}
		return nil
	}
	return eachRow(sel, n, func(k, i int) error {
		if !args[0].IsNull(i) {
			c.n[group[k]]++
		}
		return nil
	})
}

func (c *counters) ResultAt(_ context.Context, g int) (val, error) { return value.Int(c.n[g]), nil }
