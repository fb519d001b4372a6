package bind

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// Aggregates of users: a transition function is called for each row with the state so far, a final function makes the result of it.

// userAggregate is the entry of a user's aggregate as candidates see it; instance makes the one that a call runs.
func (b *binder) userAggregate(f *catalog.Function, params []functions.Param, variadic bool, ret *value.Type) *functions.Aggregate {
	return &functions.Aggregate{OID: uint32(f.ID), Name: f.Name, Params: params, Variadic: variadic, Ret: ret, NumDirect: -1}
}

// scalarByOID finds a function that a definition refers to. What is a user's becomes part of what the plan depends on.
func (b *binder) scalarByOID(oid uint32) (*functions.Scalar, error) {
	if s, ok := b.Registry.ByOID(oid).(*functions.Scalar); ok {
		return s, nil
	}
	if f := b.Catalog.Function(catalog.ID(oid)); f != nil {
		if r := b.routineOf(f); r != nil && r.scalar != nil {
			b.usesFunction(f)
			return r.scalar, nil
		}
	}
	return nil, dberr.New(dberr.UndefinedFunction, "function with OID %d does not exist", oid)
}

// aggInstance makes the aggregate of a call for arguments of the types.
func (b *binder) aggInstance(f *catalog.Function, entry *functions.Aggregate, args []*value.Type) (*functions.Aggregate, error) {
	p, key := f.Agg, itoa(int(f.ID))
	for _, t := range args {
		key += "," + itoa(int(t.OID))
	}
	if known := b.instances[key]; known != nil {
		return known, nil // one and the same for equal calls, which are computed once
	}
	state := b.anyTypeByOID(p.State)
	if state == nil {
		return nil, dberr.New(dberr.UndefinedObject, "type with OID %d does not exist", p.State)
	}
	declared := make([]*value.Type, len(args))
	for i := range args {
		declared[i] = entry.Params[min(i, len(entry.Params)-1)].Type
	}
	_, state, err := b.instantiate(args, declared, state)
	if err != nil {
		return nil, err
	}
	run := &aggRun{stateArgs: append([]*value.Type{state}, args...), extra: p.Extra}
	if run.trans, err = b.scalarByOID(p.Trans); err != nil {
		return nil, err
	}
	if p.Final != 0 {
		if run.final, err = b.scalarByOID(p.Final); err != nil {
			return nil, err
		}
	}
	if run.hasInit = p.HasInit; p.HasInit {
		if run.init, err = typeio.In(state, -1, p.Init, b.Format); err != nil {
			return nil, err
		}
	}
	own := *entry
	own.New = func(c *functions.Call) functions.Accumulator {
		a := &aggState{aggRun: run, state: run.init}
		a.step = functions.Call{Env: c.Env, Args: run.stateArgs, Mods: noMods(len(run.stateArgs)), Ret: state}
		a.last = functions.Call{Env: c.Env, Args: run.stateArgs[:1], Mods: noMods(1), Ret: c.Ret}
		if run.extra {
			a.last.Args, a.last.Mods = a.step.Args, a.step.Mods
		}
		return a
	}
	if b.instances == nil {
		b.instances = map[string]*functions.Aggregate{}
	}
	b.instances[key] = &own
	return &own, nil
}

func noMods(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

// aggRun is what the states of a call share.
type aggRun struct {
	trans, final *functions.Scalar
	stateArgs    []*value.Type // the state's type, then the arguments'
	init         value.Value
	hasInit      bool
	extra        bool // the final function takes the arguments, too, as NULLs
}

// aggState is the state of one group.
type aggState struct {
	*aggRun
	step, last functions.Call
	state      value.Value
	begun      bool // of a strict transition without a first state: the first row was it
}

// Add implements functions.Accumulator.
func (a *aggState) Add(ctx context.Context, args []value.Value) error {
	if a.trans.Strict {
		for _, v := range args {
			if v.IsNull() {
				return nil
			}
		}
		if a.state.IsNull() {
			if !a.hasInit && !a.begun {
				a.state, a.begun = args[0], true
			}
			return nil // once NULL, always NULL
		}
	}
	v, err := a.trans.Eval(ctx, &a.step, append([]value.Value{a.state}, args...))
	a.state = v
	return err
}

// Result implements functions.Accumulator.
func (a *aggState) Result(ctx context.Context) (value.Value, error) {
	if a.final == nil {
		return a.state, nil
	}
	if a.final.Strict && (a.state.IsNull() || len(a.last.Args) > 1) {
		return value.Null, nil
	}
	args := make([]value.Value, len(a.last.Args))
	args[0] = a.state
	return a.final.Eval(ctx, &a.last, args)
}
