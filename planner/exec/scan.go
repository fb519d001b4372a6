package exec

import (
	"cmp"
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/scanfilter"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// scanOp reads a stored relation. What the scan asks of storage is made at each open: bounds, filter constants and the limit may
// be parameters or come from an enclosing query.
type scanOp struct {
	b     *builder
	n     *plan.Scan
	cols  []storage.ScanCol
	fixed *fixedExprs
	iter  batch.Iter
	// bounds, when not nil, are what is read instead of the bounds of the plan: a part of them.
	bounds []storage.KeyRange
	// inOrder tells, after open, whether the rows come in the order of the plan's index.
	inOrder bool
	// lock, when not nil, is taken on the rows, as if the plan said so.
	lock *plan.RowLock
	// asked is the spec for the next open, none that it finds nothing, when they are known already.
	asked *storage.ScanSpec
	none  bool
}

func (b *builder) scan(n *plan.Scan) (op, error) {
	o := &scanOp{b: b, n: n, cols: make([]storage.ScanCol, len(n.Out)), fixed: &fixedExprs{scope: b.scope(nil)}}
	for i := range n.Out {
		o.cols[i] = n.Out[i].Src
	}
	return o, nil
}

// fixedExprs evaluates expressions that depend on no row of the operator, compiling each once.
type fixedExprs struct {
	scope *eval.Scope
	nodes map[plan.Expr]eval.Node
}

func (f *fixedExprs) value(ctx context.Context, e plan.Expr) (value.Value, error) {
	switch x := e.(type) {
	case *plan.Const:
		return x.Val, nil
	case *plan.Param:
		return f.scope.Run.Param(x.Num)
	}
	n := f.nodes[e]
	if n == nil {
		var err error
		if n, err = f.scope.Compile(e); err != nil {
			return value.Null, err
		}
		if f.nodes == nil {
			f.nodes = map[plan.Expr]eval.Node{}
		}
		f.nodes[e] = n
	}
	return eval.Value(ctx, n)
}

func (o *scanOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	spec, some, err := o.asked, !o.none, error(nil)
	if o.asked, o.none = nil, false; spec == nil && some {
		spec, some, err = o.spec(ctx)
	}
	if err != nil || !some {
		return err
	}
	o.iter, err = o.b.rt.Txn.Scan(ctx, spec)
	return err
}

// spec makes the scan's orders; some is false when no row can be found.
func (o *scanOp) spec(ctx context.Context) (spec *storage.ScanSpec, some bool, err error) {
	spec = &storage.ScanSpec{Rel: o.n.Rel, Cols: o.cols, Reverse: o.n.Access.Reverse, AsOf: o.n.AsOf}
	if l := cmp.Or(o.n.Lock, o.lock); l != nil {
		spec.Lock, spec.Wait = lockModes[l.Strength], lockWaits[l.Wait]
	}
	if o.n.Limit != nil {
		v, err := o.fixed.value(ctx, o.n.Limit)
		if err != nil {
			return nil, false, err
		}
		if !v.IsNull() {
			if spec.Limit = v.Int(); spec.Limit <= 0 {
				return nil, false, nil
			}
		}
	}
	spec.Filter, err = scanfilter.Build(o.n, o.n.FilterExprs, func(e plan.Expr) (value.Value, error) { return o.fixed.value(ctx, e) })
	if err != nil {
		return nil, false, err
	}
	a := o.access(ctx, &o.n.Access)
	if o.n.Access.Either != nil {
		some, err = o.either(ctx, spec)
		return spec, some, err
	}
	if x := o.n.Access.Index; x != nil && o.n.Access.AnyOf != nil {
		some, err = o.byTerms(ctx, spec)
		return spec, some, err
	}
	if spec.Keys, err = a.keys(); err != nil {
		return nil, false, err
	}
	if (o.n.Access.Point != nil || o.n.Access.AnyOf != nil) && len(spec.Keys) == 0 {
		return nil, false, nil
	}
	if spec.Bounds = o.bounds; spec.Bounds != nil {
		return spec, true, nil
	}
	ranges, err := a.ranges()
	if err != nil || ranges != nil && len(ranges) == 0 {
		return nil, false, err
	}
	if o.n.Access.Index == nil {
		spec.Bounds = ranges
		return spec, true, nil
	}
	return spec, true, o.throughIndex(ctx, spec, ranges, a.cut)
}

// access evaluates an access of the scan.
func (o *scanOp) access(ctx context.Context, by *plan.Access) *access {
	return &access{rel: o.n.Rel, by: by, value: func(e plan.Expr) (value.Value, error) { return o.fixed.value(ctx, e) }}
}

// throughIndex lets the scan go through the index, unless that is newer than what the statement sees, or would lead to so many rows
// that reading them all in their own order is cheaper.
func (o *scanOp) throughIndex(ctx context.Context, spec *storage.ScanSpec, ranges []storage.KeyRange, cut bool) error {
	txn, x := o.b.rt.Txn, o.n.Access.Index
	if o.inOrder = txn.CanRead(x); !o.inOrder {
		return nil
	}
	if ranges == nil {
		ranges = []storage.KeyRange{{}}
	}
	exact := o.n.Access.Exact && spec.Lock == storage.NoRowLock && !cut
	if exact && len(o.cols) == 0 {
		spec.Index, spec.Filter = &storage.IndexBounds{Index: x, Ranges: ranges, Only: true}, nil
		return nil
	}
	if !o.n.Access.Unique && !o.n.Access.Ordered && o.b.depth == 0 {
		rows, err := txn.Count(ctx, o.n.Rel)
		if err != nil {
			return err
		}
		few := max(rows/lookupCost, minLookups)
		n, err := txn.IndexCount(ctx, x, ranges, few+1)
		if err != nil {
			return err
		}
		if n > few {
			o.inOrder, spec.Reverse = false, false
			return nil
		}
	}
	spec.Index = &storage.IndexBounds{Index: x, Ranges: ranges, First: o.n.Access.Wanted}
	if exact {
		spec.Filter = nil
	}
	return nil
}

// lookupCost is how many rows a scan reads in the time in which one is found through an index; minLookups are always worth it.
const (
	lookupCost = 12
	minLookups = 100
)

func (o *scanOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.iter == nil {
		return nil, nil
	}
	return o.iter.Next(ctx)
}

func (o *scanOp) close() error {
	if o.iter == nil {
		return nil
	}
	it := o.iter
	o.iter = nil
	return it.Close()
}

// copySourceOp reads the rows that a COPY FROM brings.
type copySourceOp struct{ iter batch.Iter }

func (b *builder) copySource(*plan.CopySource) (op, error) {
	if b.rt.CopySource == nil {
		return nil, dberr.New(dberr.InternalError, "COPY FROM has no source of rows")
	}
	return &copySourceOp{b.rt.CopySource}, nil
}

func (o *copySourceOp) open(context.Context) error { return nil }

func (o *copySourceOp) next(ctx context.Context) (*batch.Batch, error) { return o.iter.Next(ctx) }

func (o *copySourceOp) close() error { return nil }

// iterOp reads a stream that a function opens; open makes a new one each time.
type iterOp struct {
	start func(ctx context.Context) (batch.Iter, error)
	iter  batch.Iter
}

func (o *iterOp) open(ctx context.Context) error {
	if err := o.close(); err != nil {
		return err
	}
	it, err := o.start(ctx)
	o.iter = it
	return err
}

func (o *iterOp) next(ctx context.Context) (*batch.Batch, error) {
	if o.iter == nil {
		return nil, nil
	}
	return o.iter.Next(ctx)
}

func (o *iterOp) close() error {
	if o.iter == nil {
		return nil
	}
	it := o.iter
	o.iter = nil
	return it.Close()
}
