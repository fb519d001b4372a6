package exec

import (
	"context"
	"sort"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

// windowOp computes window functions: it collects its input by partition, each in order, then fills a column for each call, partition after
// partition. Rows come out in the sorted order.
type windowOp struct {
	input  op
	n      *plan.Window
	part   *sortKeys
	order  *sortKeys
	first  eval.Node // rows wanted of each partition, nil for all
	calls  []*winCall
	types  []*value.Type
	mem    memory
	keep   bool
	ready  bool
	rows   *vec.Store // sorted
	at     int
	view   batch.Batch
	out    batch.Batch
	slices []value.Column
}

func (b *builder) window(n *plan.Window) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	scope := b.scope(n.Input.Cols())
	var part []plan.SortKey
	for _, e := range n.Partition {
		part = append(part, plan.SortKey{Expr: e})
	}
	o := &windowOp{input: in, n: n, types: types(n.Input.Cols()), mem: b.memory(), keep: b.depth > 0 && b.steady(n),
		slices: make([]value.Column, len(n.Calls))}
	if o.part, err = b.sortKeys(scope, part); err != nil {
		return nil, err
	}
	if o.order, err = b.sortKeys(scope, n.Order); err != nil {
		return nil, err
	}
	if n.First != nil {
		if o.first, err = b.scope(nil).Compile(n.First); err != nil {
			return nil, err
		}
	}
	for i := range n.Calls {
		c, err := b.winCall(scope, &n.Calls[i])
		if err != nil {
			return nil, err
		}
		o.calls = append(o.calls, c)
	}
	return o, nil
}

func (o *windowOp) open(ctx context.Context) error {
	o.at = 0
	if o.ready && o.keep {
		return nil
	}
	o.ready = false
	o.mem.free()
	limit, err := rowCount(ctx, o.first, -1, negativeLimit)
	if err != nil {
		return err
	}
	all := newWindowRows(o.types, o.part, o.order, limit, o.n.Ties)
	if err := o.input.open(ctx); err != nil {
		return err
	}
	for {
		in, err := nextRows(ctx, o.input)
		if err != nil {
			return err
		}
		if in == nil {
			break
		}
		if err := all.add(ctx, in, &o.mem); err != nil {
			return err
		}
	}
	if err := o.input.close(); err != nil {
		return err
	}
	sorted, starts := all.finish()
	o.rows = arrange(all.rows, sorted)
	if err := o.compute(ctx, arrange(all.keys, sorted), starts); err != nil {
		return err
	}
	o.ready = true
	return nil
}

// arrange copies a store's rows into the given order.
func arrange(s *vec.Store, order []int32) *vec.Store {
	out := &vec.Store{N: len(order), Bytes: s.Bytes}
	for _, c := range s.Cols {
		n := &value.Column{Type: c.Type}
		vec.Gather(n, c, order)
		out.Cols = append(out.Cols, n)
	}
	return out
}

// compute fills the columns of all calls.
func (o *windowOp) compute(ctx context.Context, key *vec.Store, starts []int) error {
	for _, c := range o.calls {
		if err := c.arguments(ctx, o.rows); err != nil {
			return err
		}
	}
	for i := range len(starts) - 1 {
		if err := ctx.Err(); err != nil {
			return canceled(ctx)
		}
		p := newPartition(o.order.order, key.Cols, starts[i], starts[i+1])
		for _, c := range o.calls {
			if err := c.partition(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *windowOp) next(context.Context) (*batch.Batch, error) {
	n := min(batch.Size, o.rows.N-o.at)
	if n <= 0 {
		return nil, nil
	}
	o.rows.View(&o.view, o.at, o.at+n)
	o.out.Cols = append(o.out.Cols[:0], o.view.Cols...)
	for i, c := range o.calls {
		vec.Slice(&o.slices[i], c.out, o.at, o.at+n)
		o.out.Cols = append(o.out.Cols, &o.slices[i])
	}
	o.out.Len = n
	o.at += n
	return &o.out, nil
}

func (o *windowOp) close() error {
	if !o.keep {
		o.rows, o.ready = nil, false
		o.mem.free()
	}
	return o.input.close()
}

// partition is the rows [from, to) of the sorted input, with their groups of peers.
type partition struct {
	from, to int
	order    []vec.Order
	keys     []*value.Column // order keys of all sorted rows
	group    []int32         // by row of the partition: its peer group
	starts   []int32         // by group: its first row in the partition; one more entry for the end
}

func newPartition(order []vec.Order, keys []*value.Column, from, to int) *partition {
	p := &partition{from: from, to: to, order: order, keys: keys, group: make([]int32, to-from), starts: []int32{0}}
	for i := 1; i < to-from; i++ {
		if len(order) > 0 && vec.CompareRows(order, keys, from+i-1, keys, from+i) != 0 {
			p.starts = append(p.starts, int32(i))
		}
		p.group[i] = int32(len(p.starts) - 1)
	}
	p.starts = append(p.starts, int32(to-from))
	return p
}

// peers gives the group of row i as a range of rows.
func (p *partition) peers(i int) (int, int) {
	g := p.group[i]
	return int(p.starts[g]), int(p.starts[g+1])
}

func (p *partition) size() int { return p.to - p.from }

// winCall is a compiled window call; out collects its results in the sorted order of the rows.
type winCall struct {
	call   *plan.WinCall
	args   []eval.Node
	filter eval.Node
	frame  *frame
	fc     functions.Call
	cols   []*value.Column // argument values of all sorted rows
	passes []bool          // by row: FILTER, nil without one
	out    *value.Column
	wide   []value.Column
	part   *partition
	vals   []value.Value
}

func (b *builder) winCall(s *eval.Scope, c *plan.WinCall) (*winCall, error) {
	w := &winCall{call: c, wide: make([]value.Column, len(c.Args)), vals: make([]value.Value, len(c.Args))}
	var err error
	if w.args, err = s.CompileAll(c.Args); err != nil {
		return nil, err
	}
	if c.Filter != nil {
		if w.filter, err = s.Compile(c.Filter); err != nil {
			return nil, err
		}
	}
	if w.frame, err = b.frame(&c.Frame); err != nil {
		return nil, err
	}
	w.fc = functions.Call{Env: b.rt.Env, Ret: c.Col.Type}
	for _, a := range c.Args {
		w.fc.Args, w.fc.Mods = append(w.fc.Args, a.Type()), append(w.fc.Mods, a.Mod())
	}
	return w, nil
}

// arguments evaluates the call's arguments for all rows.
func (w *winCall) arguments(ctx context.Context, rows *vec.Store) error {
	w.cols, w.passes = w.cols[:0], nil
	for _, a := range w.call.Args {
		w.cols = append(w.cols, value.NewColumn(a.Type(), rows.N))
	}
	w.out = value.NewColumn(w.call.Col.Type, rows.N)
	if err := w.frame.evaluate(ctx); err != nil {
		return err
	}
	if w.filter != nil {
		w.passes = make([]bool, 0, rows.N)
	}
	var b batch.Batch
	for at := 0; at < rows.N; at += batch.Size {
		rows.View(&b, at, min(rows.N, at+batch.Size))
		for i, n := range w.args {
			v, err := n.Eval(ctx, &b, nil)
			if err != nil {
				return err
			}
			w.cols[i].AppendFrom(vec.Expand(v, b.Len, &w.wide[i]), nil)
		}
		if w.filter != nil {
			v, err := w.filter.Eval(ctx, &b, nil)
			if err != nil {
				return err
			}
			for i := range int32(b.Len) {
				k := v.At(i)
				w.passes = append(w.passes, !v.IsNull(k) && v.Bools[k])
			}
		}
	}
	return nil
}

// partition computes the results of one partition's rows.
func (w *winCall) partition(ctx context.Context, p *partition) error {
	w.part = p
	if w.call.Fn == nil {
		return w.aggregate(ctx, p)
	}
	for i := range p.size() {
		v, err := w.call.Fn.Eval(ctx, &w.fc, w, i)
		if err != nil {
			return err
		}
		w.out.Append(v)
	}
	return nil
}

// Len implements functions.Partition.
func (w *winCall) Len() int { return w.part.size() }

// Arg implements functions.Partition.
func (w *winCall) Arg(n, i int) (value.Value, error) { return w.cols[n].Get(w.part.from + i), nil }

// Peers implements functions.Partition.
func (w *winCall) Peers(i int) (int, int) { return w.part.peers(i) }

// Frame implements functions.Partition.
func (w *winCall) Frame(i int) ([][2]int, error) { return w.frame.ranges(w.part, i) }

// searchRows finds the first row in [from, to) of a partition for which f holds; f is false, then true.
func searchRows(from, to int, f func(i int) bool) int {
	return from + sort.Search(to-from, func(k int) bool { return f(from + k) })
}
