// Package agg holds the aggregate functions, a file per family.
//
// An aggregate is a state, what a row does to it and what it says in the end. From these three follow the row form
// (Accumulator) and the form for many groups at once (BatchAccumulator).
package agg

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

type (
	def  = functions.AggDef
	call = functions.Call
	val  = value.Value
)

// Families lists the families of aggregates.
func Families() [][]def {
	return [][]def{
		counts(), sums(), averages(), extremes(), booleans(), bitwise(), collections(), variances(), regressions(), orderedSets(), hypotheticals(), ranges(),
	}
}

// logic describes an aggregate of one argument over a state S: add takes a value that is not NULL, remove (optional) takes
// the oldest one back, result gives the value of the state. column (optional) is a fast way over whole columns.
type logic[S any] struct {
	add    func(s *S, v val) error
	remove func(s *S, v val) error
	result func(s *S) (val, error)
	column func(states []S, col *value.Column, sel []int32, n int, group []int32) error
}

// def makes an entry of a strict aggregate; fresh makes the first state.
func (l logic[S]) def(sig string, fresh S) def {
	d := def{
		Sig: sig, Strict: true, Removable: l.remove != nil,
		New:      func(*call) functions.Accumulator { return &single[S]{logic: &l, state: fresh} },
		NewBatch: func(*call) functions.BatchAccumulator { return &grouped[S]{logic: &l, fresh: fresh} },
	}
	if l.remove != nil {
		d.New = func(*call) functions.Accumulator { return &removable[S]{single[S]{logic: &l, state: fresh}} }
	}
	return d
}

// single is the row form.
type single[S any] struct {
	logic *logic[S]
	state S
}

func (a *single[S]) Add(_ context.Context, args []val) error {
	if args[0].IsNull() {
		return nil
	}
	return a.logic.add(&a.state, args[0])
}

func (a *single[S]) Result(context.Context) (val, error) { return a.logic.result(&a.state) }

// removable is single for moving frames.
type removable[S any] struct{ single[S] }

func (a *removable[S]) Remove(_ context.Context, args []val) error {
	if args[0].IsNull() {
		return nil
	}
	return a.logic.remove(&a.state, args[0])
}

// grouped is the form for many groups.
type grouped[S any] struct {
	logic  *logic[S]
	fresh  S
	states []S
}

func (a *grouped[S]) Grow(n int) {
	for len(a.states) < n {
		a.states = append(a.states, a.fresh)
	}
}

func (a *grouped[S]) AddBatch(_ context.Context, args []*value.Column, sel []int32, n int, group []int32) error {
	col := args[0]
	if a.logic.column != nil && len(col.Nulls) == 0 {
		return a.logic.column(a.states, col, sel, n, group)
	}
	return eachRow(sel, n, func(k, i int) error {
		if col.IsNull(i) {
			return nil
		}
		return a.logic.add(&a.states[group[k]], col.Get(i))
	})
}

func (a *grouped[S]) ResultAt(_ context.Context, g int) (val, error) {
	return a.logic.result(&a.states[g])
}

// eachRow calls f with the running number and the position of each row.
func eachRow(sel []int32, n int, f func(k, i int) error) error {
	if sel == nil {
		for i := range n {
			if err := f(i, i); err != nil {
				return err
			}
		}
		return nil
	}
	for k, i := range sel {
		if err := f(k, int(i)); err != nil {
			return err
		}
	}
	return nil
}

// intColumn makes a fast column form from a step over an int64 that can't fail.
func intColumn[S any](step func(s *S, v int64)) func([]S, *value.Column, []int32, int, []int32) error {
	return func(states []S, col *value.Column, sel []int32, n int, group []int32) error {
		if sel == nil {
			for i, v := range col.Ints[:n] {
				step(&states[group[i]], v)
			}
			return nil
		}
		for k, i := range sel {
			step(&states[group[k]], col.Ints[i])
		}
		return nil
	}
}

// floatColumn is intColumn for floats.
func floatColumn[S any](step func(s *S, v float64) error) func([]S, *value.Column, []int32, int, []int32) error {
	return func(states []S, col *value.Column, sel []int32, n int, group []int32) error {
		return eachRow(sel, n, func(k, i int) error { return step(&states[group[k]], col.Flts[i]) })
	}
}
