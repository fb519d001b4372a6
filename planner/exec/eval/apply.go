package eval

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// applier lifts a scalar function to columns: by its kernel when it has one, else by a call for each row in reused memory.
// It handles the NULL rule of strict functions. Errors of functions have no position, as in PostgreSQL.
type applier struct {
	fn     *functions.Scalar
	call   functions.Call
	vals   []value.Value
	cols   []*value.Column
	consts []bool
	sel    []int32
	nulls  []bool
}

func newApplier(run *Run, fn *functions.Scalar, args []plan.Expr, ret *value.Type) *applier {
	a := &applier{fn: fn, vals: make([]value.Value, len(args)), cols: make([]*value.Column, len(args)), consts: make([]bool, len(args))}
	a.call = functions.Call{Env: run.Env, Ret: ret, Args: make([]*value.Type, len(args)), Mods: make([]int32, len(args))}
	for i, e := range args {
		a.call.Args[i], a.call.Mods[i] = e.Type(), e.Mod()
	}
	return a
}

// apply sets out to the function's values for the positions sel of n.
func (a *applier) apply(ctx context.Context, args []vec.Vec, sel []int32, n int, out *value.Column) error {
	var nulls []bool
	if a.fn.Strict {
		sel, nulls = a.strict(args, sel, n)
		if sel != nil && len(sel) == 0 {
			vec.Resize(out, n)
			out.Nulls = append(out.Nulls[:0], nulls...)
			return nil
		}
	}
	var err error
	switch {
	case a.fn.Kernel != nil:
		err = a.kernel(args, sel, n, out)
	case a.fn.Eval != nil:
		err = a.rows(ctx, args, sel, n, out)
	default:
		err = dberr.New(dberr.FeatureNotSupported, "function %s cannot be called here", a.fn.Name)
	}
	if err != nil {
		return err
	}
	if nulls != nil {
		if len(out.Nulls) == 0 {
			vec.MaskNulls(out, n)
		}
		for i, isNull := range nulls {
			if isNull {
				out.Nulls[i] = true
			}
		}
	}
	return nil
}

// strict narrows sel to the positions where no argument is NULL; nulls marks the others and is nil when there are none.
func (a *applier) strict(args []vec.Vec, sel []int32, n int) (narrowed []int32, nulls []bool) {
	if !slices.ContainsFunc(args, func(v vec.Vec) bool { return len(v.Nulls) > 0 }) {
		return sel, nil
	}
	a.nulls = a.nulls[:0]
	for range n {
		a.nulls = append(a.nulls, false)
	}
	for _, v := range args {
		switch {
		case len(v.Nulls) == 0:
		case !v.Const:
			for i, isNull := range v.Nulls[:n] {
				if isNull {
					a.nulls[i] = true
				}
			}
		case v.Nulls[0]:
			for i := range a.nulls {
				a.nulls[i] = true
			}
		}
	}
	a.sel = a.sel[:0]
	for _, i := range vec.Positions(sel, n) {
		if !a.nulls[i] {
			a.sel = append(a.sel, i)
		}
	}
	if a.sel == nil {
		a.sel = []int32{}
	}
	return a.sel, a.nulls
}

func (a *applier) kernel(args []vec.Vec, sel []int32, n int, out *value.Column) error {
	for k, v := range args {
		a.cols[k], a.consts[k] = v.Column, v.Const
	}
	out.Reset()
	return a.fn.Kernel(&a.call, a.cols, a.consts, sel, n, out)
}

func (a *applier) rows(ctx context.Context, args []vec.Vec, sel []int32, n int, out *value.Column) error {
	vec.Resize(out, n)
	for k, v := range args {
		if v.Const {
			a.vals[k] = v.Get(0)
		}
	}
	for _, i := range vec.Positions(sel, n) {
		for k, v := range args {
			if !v.Const {
				a.vals[k] = v.Get(int(i))
			}
		}
		r, err := a.fn.Eval(ctx, &a.call, a.vals)
		if err != nil {
			return err
		}
		vec.Set(out, i, n, r)
	}
	return nil
}

// callNode applies a function to evaluated arguments.
type callNode struct {
	args []Node
	vecs []vec.Vec
	app  *applier
	out  value.Column
	// reads tells that this is a cast that reads its one argument as something else, which is worth keeping.
	reads bool
}

func (s *Scope) call(e *plan.Call) (Node, Traits, error) {
	args, traits, err := s.compileList(e.Args)
	if err != nil {
		return nil, 0, err
	}
	if e.Fn == nil {
		return &relabel{arg: args[0], t: e.T}, traits, nil
	}
	if e.Fn.Volatility == functions.Volatile {
		traits |= Volatile
	}
	n := &callNode{args: args, vecs: make([]vec.Vec, len(args)), app: newApplier(s.Run, e.Fn, e.Args, e.T)}
	n.reads = e.Style == plan.CastStyle && len(args) == 1 && e.Fn.Volatility == functions.Immutable && e.Args[0].Type().Kind == value.KindString
	n.app.call.Variadic = e.Variadic
	n.out.Type = e.T
	return n, traits, nil
}

func (n *callNode) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	for i, a := range n.args {
		v, err := a.Eval(ctx, b, sel)
		if err != nil {
			return vec.Vec{}, err
		}
		n.vecs[i] = v
	}
	if n.reads && n.vecs[0].Lasting != nil && !n.vecs[0].Const {
		if c := n.derived(ctx); c != nil {
			return vec.Vec{Column: c}, nil
		}
	}
	if err := n.app.apply(ctx, n.vecs, sel, b.Len, &n.out); err != nil {
		return vec.Vec{}, err
	}
	return vec.Vec{Column: &n.out}, nil
}

// derived converts the whole of a lasting column, once; nil when it has values that cannot be converted.
func (n *callNode) derived(ctx context.Context) *value.Column {
	v := n.vecs[0]
	return v.Lasting.Derive(value.Derivation{Fn: n.app.fn}, func() *value.Column {
		c := value.NewColumn(n.out.Type, v.Len())
		if n.app.apply(ctx, n.vecs, nil, v.Len(), c) != nil {
			return nil
		}
		c.Lasting = &value.Lasting{Grow: v.Lasting.Grow}
		return c
	})
}

// relabel shows a value as a type of the same form.
type relabel struct {
	arg Node
	t   *value.Type
	out value.Column
}

func (n *relabel) Eval(ctx context.Context, b *batch.Batch, sel []int32) (vec.Vec, error) {
	v, err := n.arg.Eval(ctx, b, sel)
	if err != nil {
		return v, err
	}
	out := &n.out
	if v.Lasting != nil {
		out = new(value.Column) // lasts too
	}
	*out = *v.Column
	out.Type = n.t
	return vec.Vec{Column: out, Const: v.Const}, nil
}
