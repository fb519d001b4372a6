package exec

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// op is an operator. open starts it, or starts it again with the slots' present values; next gives a batch with the columns of its node,
// nil at the end, perhaps one without rows; close frees everything, and open may follow. close also follows a failed open.
// A batch is valid until the next call of any method.
type op interface {
	open(ctx context.Context) error
	next(ctx context.Context) (*batch.Batch, error)
	close() error
}

// nextRows is next that skips batches without rows and looks for cancellation.
func nextRows(ctx context.Context, o op) (*batch.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, canceled(ctx)
		}
		b, err := o.next(ctx)
		if err != nil || b == nil || b.Rows() > 0 {
			return b, err
		}
	}
}

// canceled is the error of a context that ended: its cause when that has an SQLSTATE.
func canceled(ctx context.Context) error {
	cause := context.Cause(ctx)
	if e, ok := cause.(*dberr.Error); ok {
		return e
	}
	return dberr.Wrap(cause, dberr.QueryCanceled, "canceling statement due to user request")
}

// builder makes operators for one run of a statement.
type builder struct {
	ctx       context.Context // of Open: plans may ask functions for row shapes while they are built
	rt        *Runtime
	run       *eval.Run
	ctes      map[int]*cteState
	modifying []*cteState
	readOnly  bool
	main      plan.Node // the DML node that the command tag counts for
	changes   *changeCount
	account   *functions.Account // of this query
	subplans  []op               // inside expressions
	ends      []func() error     // run when the query is closed
	// depth counts the enclosing operators that open their subtree again and again.
	depth int
}

func newBuilder(ctx context.Context, rt *Runtime) *builder {
	return &builder{ctx: ctx, rt: rt, run: eval.NewRun(rt.Env, rt.Params),
		account: &functions.Account{Parent: rt.Memory}}
}

// atEnd has f called when the query is closed: for what operators keep from one open to the next.
func (b *builder) atEnd(f func() error) { b.ends = append(b.ends, f) }

// scope is what expressions over the given columns may refer to.
func (b *builder) scope(cols []plan.Col) *eval.Scope {
	return &eval.Scope{Run: b.run, Cols: eval.Layout(cols), In: cols, Subquery: b.subquery}
}

// build makes the operator of n and, when asked for, one around it that counts.
func (b *builder) build(n plan.Node) (op, error) {
	o, err := b.operator(n)
	if err != nil || b.rt.Instrument == nil {
		return o, err
	}
	return b.rt.Instrument.wrap(n, o), nil
}

func (b *builder) operator(n plan.Node) (op, error) {
	if p, err := b.parallel(n); p != nil || err != nil {
		return p, err
	}
	if o, err := b.sketched(n); o != nil || err != nil {
		return o, err
	}
	switch n := n.(type) {
	case *plan.Empty:
		return &emptyOp{rows: !n.No}, nil
	case *plan.Scan:
		return b.scan(n)
	case *plan.Nearest:
		return b.nearest(n)
	case *plan.VirtualScan:
		return b.virtualScan(n)
	case *plan.FuncScan:
		return b.funcScan(n)
	case *plan.Columns:
		return &columnsOp{cols: n.Vals}, nil
	case *plan.Values:
		return b.values(n)
	case *plan.Project:
		return b.project(n)
	case *plan.ProjectSet:
		return b.projectSet(n)
	case *plan.Filter:
		return b.filter(n)
	case *plan.Join:
		return b.join(n)
	case *plan.Aggregate:
		return b.aggregate(n)
	case *plan.Window:
		return b.window(n)
	case *plan.Sort:
		return b.sort(n)
	case *plan.Distinct:
		return b.distinct(n)
	case *plan.SetOp:
		return b.setOp(n)
	case *plan.Limit:
		return b.limit(n)
	case *plan.With:
		return b.with(n)
	case *plan.CTERef:
		return b.cteRef(n)
	case *plan.Lock:
		return b.lock(n)
	case *plan.Insert:
		return b.insert(n)
	case *plan.Update:
		return b.update(n)
	case *plan.Delete:
		return b.delete(n)
	case *plan.Merge:
		return b.merge(n)
	case *plan.CopySource:
		return b.copySource(n)
	}
	return nil, dberr.New(dberr.InternalError, "no operator for a plan node of kind %T", n)
}

// steady tells whether n gives the same rows each time it is opened: it refers to nothing outside and calls nothing volatile.
func (b *builder) steady(n plan.Node) bool {
	if len(plan.Free(n)) > 0 {
		return false
	}
	ok := true
	plan.WalkNodes(n, func(x plan.Node) bool {
		switch x := x.(type) {
		case *plan.CTERef: // its rows may depend on what it stands in
			s := b.ctes[x.ID]
			ok = ok && !x.Self && s != nil && (s.keep || s.depth == 0)
		case *plan.Insert, *plan.Update, *plan.Delete, *plan.Merge, *plan.Lock, *plan.CopySource:
			ok = false
		case *plan.FuncScan:
			ok = ok && !volatileCalls(x.Calls)
		case *plan.ProjectSet:
			ok = ok && !volatileCalls(x.Calls)
		}
		return ok
	})
	if ok {
		plan.WalkExprs(n, func(e plan.Expr) bool {
			if c, isCall := e.(*plan.Call); isCall && c.Fn != nil && c.Fn.Volatility == functions.Volatile {
				ok = false
			}
			return ok
		})
	}
	return ok
}

func volatileCalls(calls []plan.SetCall) bool {
	for _, c := range calls {
		if c.Fn.Volatility == functions.Volatile {
			return true
		}
	}
	return false
}

// types lists the types of columns.
func types(cols []plan.Col) []*value.Type {
	out := make([]*value.Type, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}

// schema describes columns as a stream's schema.
func schema(cols []plan.Col) value.Schema {
	out := make(value.Schema, len(cols))
	for i, c := range cols {
		out[i] = value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod, Table: c.Table, Attr: c.Attr}
	}
	return out
}

// closeAll closes operators and gives the first error.
func closeAll(ops ...op) error {
	var first error
	for _, o := range ops {
		if o == nil {
			continue
		}
		if err := o.close(); first == nil {
			first = err
		}
	}
	return first
}
