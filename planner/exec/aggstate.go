package exec

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// accumulator is the state of one aggregate call in all groups. add takes the arguments at the positions pos of a batch of n, groups[k]
// being the group of pos[k]; result gives a group's value after the last add.
type accumulator interface {
	grow(groups int)
	add(ctx context.Context, args []*value.Column, pos []int32, n int, groups []int32) error
	finish(ctx context.Context) error
	result(ctx context.Context, group int) (value.Value, error)
}

// batchAcc uses the aggregate's own form for many groups.
type batchAcc struct{ functions.BatchAccumulator }

func (a batchAcc) grow(n int) { a.Grow(n) }

func (a batchAcc) add(ctx context.Context, args []*value.Column, pos []int32, n int, groups []int32) error {
	return a.AddBatch(ctx, args, pos, n, groups)
}

func (a batchAcc) finish(context.Context) error { return nil }

func (a batchAcc) result(ctx context.Context, g int) (value.Value, error) { return a.ResultAt(ctx, g) }

// rowAcc has an accumulator for each group.
type rowAcc struct {
	make func() functions.Accumulator
	accs []functions.Accumulator
	vals []value.Value
}

func (a *rowAcc) grow(n int) {
	for len(a.accs) < n {
		a.accs = append(a.accs, a.make())
	}
}

func (a *rowAcc) add(ctx context.Context, args []*value.Column, pos []int32, _ int, groups []int32) error {
	for k, i := range pos {
		for j, c := range args {
			a.vals[j] = c.Get(int(i))
		}
		if err := a.accs[groups[k]].Add(ctx, a.vals); err != nil {
			return err
		}
	}
	return nil
}

func (a *rowAcc) finish(context.Context) error { return nil }

func (a *rowAcc) result(ctx context.Context, g int) (value.Value, error) {
	return a.accs[g].Result(ctx)
}

// distinctAcc lets each combination of arguments reach a group once.
type distinctAcc struct {
	accumulator
	mem    *memory
	table  *vec.Table
	group  value.Column
	vecs   []vec.Vec
	ids    []int32
	sel    []int32
	groups []int32
}

func newDistinctAcc(inner accumulator, mem *memory, types []*value.Type) *distinctAcc {
	a := &distinctAcc{accumulator: inner, mem: mem, vecs: make([]vec.Vec, 1+len(types))}
	a.group.Type = value.Int8
	a.table = vec.NewTable(append([]*value.Type{value.Int8}, types...))
	return a
}

func (a *distinctAcc) add(ctx context.Context, args []*value.Column, pos []int32, n int, groups []int32) error {
	vec.Resize(&a.group, n)
	for k, i := range pos {
		a.group.Ints[i] = int64(groups[k])
	}
	a.vecs[0] = vec.Vec{Column: &a.group}
	for j, c := range args {
		a.vecs[1+j] = vec.Vec{Column: c}
	}
	var err error
	if a.sel, err = firsts(a.table, a.mem, a.vecs, pos, &a.ids, a.sel); err != nil {
		return err
	}
	a.groups = a.groups[:0]
	for _, i := range a.sel {
		a.groups = append(a.groups, int32(a.group.Ints[i]))
	}
	return a.accumulator.add(ctx, args, a.sel, n, a.groups)
}

// orderedAcc keeps the rows of all groups and adds them in order at the end; with distinct, equal neighbours once.
type orderedAcc struct {
	accumulator
	mem      *memory
	keys     *sortKeys // over the input of the aggregation
	width    int       // arguments
	distinct bool
	same     []vec.Equaler
	rows     *vec.Store // group, arguments
	key      *vec.Store // group, keys
	group    value.Column
}

func newOrderedAcc(inner accumulator, mem *memory, args []*value.Type, keys *sortKeys, distinct bool) *orderedAcc {
	a := &orderedAcc{accumulator: inner, mem: mem, keys: keys, width: len(args), distinct: distinct}
	a.group.Type = value.Int8
	for _, t := range args {
		a.same = append(a.same, vec.EqualerOf(t))
	}
	a.rows = vec.NewStore(append([]*value.Type{value.Int8}, args...))
	a.key = vec.NewStore(append([]*value.Type{value.Int8}, keys.types...))
	return a
}

// addKeyed takes rows with their sort keys.
func (a *orderedAcc) addKeyed(args, keys []*value.Column, pos []int32, n int, groups []int32) error {
	vec.Resize(&a.group, n)
	for k, i := range pos {
		a.group.Ints[i] = int64(groups[k])
	}
	grown := a.rows.AppendCols(append([]*value.Column{&a.group}, args...), pos, len(pos))
	grown += a.key.AppendCols(append([]*value.Column{&a.group}, keys...), pos, len(pos))
	return a.mem.take(grown)
}

func (a *orderedAcc) finish(ctx context.Context) error {
	order := append([]vec.Order{{Compare: vec.ComparerOf(value.Int8)}}, a.keys.order...)
	sorted := vec.SortRows(order, a.key.Cols, a.key.N)
	groups, pos := make([]int32, 0, batch.Size), make([]int32, 0, batch.Size)
	last := int32(-1)
	for k, i := range sorted {
		if !a.distinct || last < 0 || !a.equalRows(last, i) {
			pos = append(pos, i)
			groups = append(groups, int32(a.rows.Cols[0].Ints[i]))
			last = i
		}
		if len(pos) == batch.Size || k == len(sorted)-1 {
			if err := ctx.Err(); err != nil {
				return canceled(ctx)
			}
			if err := a.accumulator.add(ctx, a.rows.Cols[1:], pos, a.rows.N, groups); err != nil {
				return err
			}
			groups, pos = groups[:0], pos[:0]
		}
	}
	return a.accumulator.finish(ctx)
}

func (a *orderedAcc) equalRows(i, j int32) bool {
	if a.rows.Cols[0].Ints[i] != a.rows.Cols[0].Ints[j] {
		return false
	}
	for k, same := range a.same {
		if c := a.rows.Cols[1+k]; !same(c, int(i), c, int(j)) {
			return false
		}
	}
	return true
}

// orderless lists the aggregates whose result doesn't depend on the order of rows: their DISTINCT needs no sort.
var orderless = map[string]bool{
	"count": true, "min": true, "max": true, "bool_and": true, "bool_or": true, "every": true, "bit_and": true, "bit_or": true,
	"bit_xor": true, "sum": true, "avg": true,
}

// aggCall is a compiled aggregate call: how its arguments are computed, and how states for it are made.
type aggCall struct {
	agg    *plan.Agg
	args   []eval.Node   // direct ones first
	direct [][]eval.Node // by grouping set: the direct arguments where they use what the set doesn't group by; nil: as in args
	types  []*value.Type
	filter *eval.Predicate
	keys   *sortKeys
	env    *functions.Env
	strict bool

	wide   []value.Column
	cols   []*value.Column
	sel    []int32
	groups []int32
}

func (b *builder) aggCall(s *eval.Scope, a *plan.Agg) (*aggCall, error) {
	c := &aggCall{agg: a, env: b.rt.Env, strict: a.Fn.Strict}
	exprs := append(append([]plan.Expr(nil), a.Direct...), a.Args...)
	var err error
	if c.args, err = s.CompileAll(exprs); err != nil {
		return nil, err
	}
	for _, e := range exprs {
		c.types = append(c.types, e.Type())
	}
	c.wide, c.cols = make([]value.Column, len(exprs)), make([]*value.Column, len(exprs))
	if a.Filter != nil {
		if c.filter, err = s.Predicate(a.Filter); err != nil {
			return nil, err
		}
	}
	order := a.Order
	if a.Distinct && (len(order) > 0 || !orderless[a.Fn.Name] || isFloat(c.types)) {
		order = withArguments(order, a.Args)
	}
	if len(order) > 0 {
		if c.keys, err = b.sortKeys(s, order); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// directBySet compiles the direct arguments for the grouping sets: a grouping expression that a set leaves out is NULL in its groups.
func (c *aggCall) directBySet(s *eval.Scope, n *plan.Aggregate) error {
	if len(c.agg.Direct) == 0 || len(n.Sets) == 0 {
		return nil
	}
	c.direct = make([][]eval.Node, len(n.Sets))
	for i, keys := range n.Sets {
		list := make([]plan.Expr, len(c.agg.Direct))
		for j, d := range c.agg.Direct {
			var err error
			list[j], err = plan.Transform(d, func(e plan.Expr) (plan.Expr, error) {
				at := slices.IndexFunc(n.Groups, func(g plan.Expr) bool { return plan.Equal(g, e) })
				if at >= 0 && !slices.Contains(keys, at) {
					return &plan.Const{Typed: plan.Typed{T: e.Type(), M: e.Mod()}, Val: value.Null}, nil
				}
				return e, nil
			})
			if err != nil {
				return err
			}
		}
		var err error
		if c.direct[i], err = s.CompileAll(list); err != nil {
			return err
		}
	}
	return nil
}

// forSet is a prepared batch with the direct arguments that hold for grouping set i.
func (c *aggCall) forSet(ctx context.Context, in *batch.Batch, p prepared, i int) (prepared, error) {
	if c.direct == nil || len(p.pos) == 0 {
		return p, nil
	}
	for j, n := range c.direct[i] {
		v, err := n.Eval(ctx, in, p.pos)
		if err != nil {
			return p, err
		}
		c.cols[j] = vec.Expand(v, in.Len, &c.wide[j])
	}
	return p, nil
}

// isFloat tells whether a sum could depend on the order.
func isFloat(types []*value.Type) bool {
	for _, t := range types {
		if t.Kind == value.KindFloat {
			return true
		}
	}
	return false
}

// withArguments adds the arguments that are not among the keys, so that equal ones come together.
func withArguments(keys []plan.SortKey, args []plan.Expr) []plan.SortKey {
	keys = append([]plan.SortKey(nil), keys...)
	for _, a := range args {
		known := false
		for _, k := range keys {
			known = known || plan.Equal(k.Expr, a)
		}
		if !known {
			keys = append(keys, plan.SortKey{Expr: a})
		}
	}
	return keys
}

// state makes the accumulator for one set of groups.
func (c *aggCall) state(mem *memory) (accumulator, error) {
	call := functions.Call{Env: c.env, Args: c.types, Ret: c.agg.Col.Type}
	for _, a := range append(append([]plan.Expr(nil), c.agg.Direct...), c.agg.Args...) {
		call.Mods = append(call.Mods, a.Mod())
	}
	if c.agg.Fn.Hypothetical {
		for _, k := range c.agg.Order {
			call.Order = append(call.Order, functions.Direction{Desc: k.Desc, NullsFirst: k.NullsFirst})
		}
	}
	var acc accumulator
	switch {
	case c.agg.Fn.NewBatch != nil:
		acc = batchAcc{c.agg.Fn.NewBatch(&call)}
	case c.agg.Fn.New != nil:
		acc = &rowAcc{make: func() functions.Accumulator { own := call; return c.agg.Fn.New(&own) }, vals: make([]value.Value, len(c.types))}
	default:
		return nil, dberr.New(dberr.FeatureNotSupported, "aggregate function %s cannot be called here", c.agg.Fn.Name)
	}
	switch {
	case c.keys != nil:
		return newOrderedAcc(acc, mem, c.types, c.keys, c.agg.Distinct), nil
	case c.agg.Distinct:
		return newDistinctAcc(acc, mem, c.types), nil
	}
	return acc, nil
}

// prepared is what a batch brings to an aggregate call, before it is given to the states: a selection and argument columns.
type prepared struct {
	pos  []int32
	args []*value.Column
	keys []*value.Column
	all  bool // pos is the whole batch's selection
}

// prepare evaluates filter, arguments and sort keys for a batch.
func (c *aggCall) prepare(ctx context.Context, in *batch.Batch) (prepared, error) {
	p := prepared{pos: vec.Positions(in.Sel, in.Len), all: true}
	if c.filter != nil {
		sel, err := c.filter.Select(ctx, in)
		if err != nil {
			return p, err
		}
		p.pos, p.all = sel, false
	}
	if len(p.pos) == 0 {
		return p, nil
	}
	for i, n := range c.args {
		v, err := n.Eval(ctx, in, p.pos)
		if err != nil {
			return p, err
		}
		c.cols[i] = vec.Expand(v, in.Len, &c.wide[i])
	}
	p.args = c.cols
	if c.keys != nil {
		keys, err := c.keys.eval(ctx, &batch.Batch{Cols: in.Cols, Len: in.Len, Sel: p.pos})
		if err != nil {
			return p, err
		}
		p.keys = keys
	}
	if c.strict {
		c.dropNulls(&p)
	}
	return p, nil
}

// dropNulls leaves out the rows that a strict aggregate doesn't see.
func (c *aggCall) dropNulls(p *prepared) {
	for _, col := range p.args {
		if len(col.Nulls) == 0 {
			continue
		}
		sel := c.sel[:0]
		for _, i := range p.pos {
			if !col.Nulls[i] {
				sel = append(sel, i)
			}
		}
		c.sel = sel
		p.pos, p.all = sel, false
	}
}

// feed gives a prepared batch to a state; groups[i] is the group of batch position i.
func (c *aggCall) feed(ctx context.Context, acc accumulator, p prepared, n int, groups []int32) error {
	if len(p.pos) == 0 {
		return nil
	}
	c.groups = c.groups[:0]
	for _, i := range p.pos {
		c.groups = append(c.groups, groups[i])
	}
	if o, ok := acc.(*orderedAcc); ok {
		return o.addKeyed(p.args, p.keys, p.pos, n, c.groups)
	}
	return acc.add(ctx, p.args, p.pos, n, c.groups)
}
