package exec

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// sortKeys are compiled sort keys over an input.
type sortKeys struct {
	nodes []eval.Node
	order []vec.Order
	types []*value.Type
	vecs  []vec.Vec
	wide  []value.Column
	cols  []*value.Column
}

func (b *builder) sortKeys(s *eval.Scope, keys []plan.SortKey) (*sortKeys, error) {
	k := &sortKeys{vecs: make([]vec.Vec, len(keys)), wide: make([]value.Column, len(keys)), cols: make([]*value.Column, len(keys))}
	for _, key := range keys {
		n, err := s.Compile(key.Expr)
		if err != nil {
			return nil, err
		}
		t := key.Expr.Type()
		o := vec.Order{Compare: vec.ComparerOf(t), Desc: key.Desc, NullsFirst: key.NullsFirst}
		if key.Less != nil {
			o.Compare = b.lessComparer(key.Less, t)
		}
		k.nodes, k.order, k.types = append(k.nodes, n), append(k.order, o), append(k.types, t)
	}
	return k, nil
}

// lessComparer orders by a function that tells whether its first argument comes first. Comparers have no way to fail: an error of
// the function panics with it, and the statement ends with that error (eval.Contain).
func (b *builder) lessComparer(less *functions.Scalar, t *value.Type) vec.Comparer {
	call := &functions.Call{Env: b.rt.Env, Args: []*value.Type{t, t}, Mods: []int32{-1, -1}, Ret: value.Boolean}
	args := make([]value.Value, 2)
	first := func(a, b value.Value) bool {
		args[0], args[1] = a, b
		v, err := less.Eval(context.Background(), call, args)
		if err != nil {
			panic(dberr.As(err))
		}
		return v.Bool()
	}
	return func(a *value.Column, i int, b *value.Column, j int) int {
		x, y := a.Get(i), b.Get(j)
		switch {
		case first(x, y):
			return -1
		case first(y, x):
			return 1
		}
		return 0
	}
}

// eval evaluates the keys over a batch; the result is valid until the next eval.
func (k *sortKeys) eval(ctx context.Context, b *batch.Batch) ([]*value.Column, error) {
	for i, n := range k.nodes {
		v, err := n.Eval(ctx, b, b.Sel)
		if err != nil {
			return nil, err
		}
		k.cols[i] = vec.Expand(v, b.Len, &k.wide[i])
	}
	return k.cols, nil
}

// sortOp orders its input.
type sortOp struct {
	input op
	keys  *sortKeys
	topN  eval.Node
	types []*value.Type
	mem   memory
	keep  bool // the input is the same at each open
	ready bool
	// presorted is the scan whose index gives the order already; whether it does is known when it is open.
	presorted *scanOp
	passes    bool
	rows      *sortedRows
	at        int
	out       batch.Batch
	// Beyond spillAt the rows collected so far become a run.
	spillAt int64
	runs    *runs
	merged  *runMerge
}

func (b *builder) sort(n *plan.Sort) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	keys, err := b.sortKeys(b.scope(n.Input.Cols()), n.Keys)
	if err != nil {
		return nil, err
	}
	o := &sortOp{input: in, keys: keys, types: types(n.Input.Cols()), mem: b.memory(), spillAt: b.spillAt()}
	o.runs = &runs{dir: b.rt.SpillDir, types: append(append([]*value.Type(nil), o.types...), keys.types...), nRow: len(o.types), order: keys.order}
	b.atEnd(o.runs.close)
	if n.TopN != nil {
		if o.topN, err = b.scope(nil).Compile(n.TopN); err != nil {
			return nil, err
		}
	}
	o.keep = b.depth > 0 && b.steady(n)
	if n.Presorted == len(n.Keys) {
		o.presorted = scanBelow(in)
	}
	return o, nil
}

// scanBelow finds the scan whose rows reach the operator in their order.
func scanBelow(o op) *scanOp {
	switch x := o.(type) {
	case *scanOp:
		return x
	case *filterOp:
		return scanBelow(x.input)
	case *projectOp:
		return scanBelow(x.input)
	case *countOp:
		return scanBelow(x.op)
	}
	return nil
}

func (o *sortOp) open(ctx context.Context) error {
	o.at = 0
	if o.ready && o.keep {
		return o.startMerge()
	}
	o.ready = false
	o.mem.free()
	if err := o.runs.close(); err != nil {
		return err
	}
	limit := int64(-1)
	if o.topN != nil {
		v, err := eval.Value(ctx, o.topN)
		if err != nil {
			return err
		}
		if !v.IsNull() {
			limit = max(v.Int(), 0)
		}
	}
	o.rows = newSortedRows(o.types, o.keys, limit)
	if err := o.input.open(ctx); err != nil {
		return err
	}
	if o.passes = o.presorted != nil && o.presorted.inOrder; o.passes {
		return nil
	}
	for {
		in, err := nextRows(ctx, o.input)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		if err := o.rows.add(ctx, in, &o.mem); err != nil {
			return err
		}
		if limit < 0 && o.spillAt > 0 && o.mem.held > o.spillAt {
			if err := o.spill(); err != nil {
				return err
			}
		}
	}
	if len(o.runs.files) > 0 {
		if err := o.spill(); err != nil {
			return err
		}
	}
	o.rows.finish()
	o.ready = true
	if err := o.input.close(); err != nil {
		return err
	}
	return o.startMerge()
}

// spill makes a run of the rows in memory.
func (o *sortOp) spill() error {
	r := o.rows
	if err := o.runs.add(r.store, r.key, vec.SortRows(r.keys.order, r.key.Cols, r.key.N)); err != nil {
		return err
	}
	o.rows = newSortedRows(o.types, o.keys, -1)
	o.mem.free()
	return nil
}

func (o *sortOp) startMerge() (err error) {
	o.merged = nil
	if len(o.runs.files) > 0 {
		o.merged, err = o.runs.merge()
	}
	return err
}

func (o *sortOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.passes {
		return o.input.next(ctx)
	}
	if o.merged != nil {
		return o.merged.next()
	}
	n := min(batch.Size, len(o.rows.sorted)-o.at)
	if n <= 0 {
		return nil, nil
	}
	o.rows.store.Gather(&o.out, o.rows.sorted[o.at:o.at+n])
	o.at += n
	return &o.out, nil
}

func (o *sortOp) close() error {
	err := o.input.close()
	if o.keep {
		return err
	}
	o.rows, o.ready, o.merged = nil, false, nil
	o.mem.free()
	if e := o.runs.close(); err == nil {
		err = e
	}
	return err
}

// sortedRows collects rows to sort. With a limit it keeps only what may still be among the first ones: whenever twice as many
// have come together it sorts, throws the rest away, and from then on lets in only rows before the last one kept.
type sortedRows struct {
	keys   *sortKeys
	types  []*value.Type
	limit  int64 // -1: none
	store  *vec.Store
	key    *vec.Store
	bound  *vec.Store // keys of the last row kept
	sorted []int32
	sel    []int32
}

func newSortedRows(types []*value.Type, keys *sortKeys, limit int64) *sortedRows {
	return &sortedRows{keys: keys, types: types, limit: limit, store: vec.NewStore(types), key: vec.NewStore(keys.types)}
}

func (r *sortedRows) add(ctx context.Context, in *batch.Batch, mem *memory) error {
	if r.limit == 0 {
		return nil
	}
	keys, err := r.keys.eval(ctx, in)
	if err != nil {
		return err
	}
	sel := in.Sel
	if r.bound != nil {
		r.sel = r.sel[:0]
		for _, i := range vec.Positions(in.Sel, in.Len) {
			if vec.CompareRows(r.keys.order, keys, int(i), r.bound.Cols, 0) < 0 {
				r.sel = append(r.sel, i)
			}
		}
		sel = r.sel
	}
	n := len(vec.Positions(sel, in.Len))
	grown := r.store.AppendCols(in.Cols, sel, n) + r.key.AppendCols(keys, sel, n)
	if err := mem.take(grown + int64(n)*16); err != nil {
		return err
	}
	if r.limit > 0 && int64(r.store.N) >= max(2*r.limit, batch.Size) {
		r.prune(mem)
	}
	return nil
}

// prune keeps the first limit rows.
func (r *sortedRows) prune(mem *memory) {
	rows := vec.SortRows(r.keys.order, r.key.Cols, r.key.N)
	rows = rows[:min(int64(len(rows)), r.limit)]
	store, key := vec.NewStore(r.types), vec.NewStore(r.keys.types)
	mem.free()
	_ = mem.take(store.AppendCols(r.store.Cols, rows, len(rows)) + key.AppendCols(r.key.Cols, rows, len(rows))) // less than was given back
	r.store, r.key = store, key
	if int64(len(rows)) == r.limit {
		r.bound = vec.NewStore(r.keys.types)
		r.bound.AppendRow(key.Cols, key.N-1)
	}
}

// finish sorts; sorted then lists the rows of store in order.
func (r *sortedRows) finish() {
	r.sorted = vec.SortRows(r.keys.order, r.key.Cols, r.key.N)
	if r.limit >= 0 {
		r.sorted = r.sorted[:min(int64(len(r.sorted)), r.limit)]
	}
	r.key, r.bound = nil, nil
}
