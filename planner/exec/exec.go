// Package exec runs plans: it turns the nodes of a plan.Query into operators that pull batches from each other.
//
// The life of a query: Open builds an operator for each node and compiles its expressions (package eval); nothing is read yet. Each
// Next of the result pulls one batch through the tree. Operators that must see all their input (sort, hash join, aggregate) keep
// rows as columns (package vec), count the memory they take against the query's account, and move to temporary files beyond
// work_mem. Close ends everything, at any time.
//
// Correlated subqueries and LATERAL are operators too: the subtree is built once; for each outer row its values are put into slots
// (eval.Run) and the subtree is opened again. A subtree that depends on no slot keeps what it has computed.
//
// A plan is immutable and shared; all running state is in the operators. One goroutine pulls a result. Panics below Next become
// errors there, and errors end the statement: afterwards only Close may be called.
package exec

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// Runtime is the world that a statement runs in. It must outlive the Result.
type Runtime struct {
	Txn    *storage.Txn
	Env    *functions.Env
	Params []value.Value
	// Memory counts what the query takes; nil counts nothing.
	Memory *functions.Account
	// WorkMem is how many bytes one operator may hold before it moves to files in SpillDir; 0 means no bound.
	WorkMem  int64
	SpillDir string
	// Again tells that the statement is run again because it met rows newer than its reading point.
	Again    bool
	Registry *functions.Registry
	// CopySource feeds plan.CopySource nodes; nil when the statement has none.
	CopySource batch.Iter
	// Instrument, when not nil, receives counters for each node (EXPLAIN ANALYZE).
	Instrument *Instrument
}

// Result is a running query. Either pull Iter, or call Run when Iter is nil.
type Result struct {
	// Iter gives the rows that the client sees; nil for a statement that shows none. Closing the Result closes it.
	Iter batch.Iter
	root *root
}

// Open prepares q to run. It reads no rows.
func Open(ctx context.Context, rt *Runtime, q *plan.Query) (res *Result, err error) {
	defer eval.Contain(&err)
	b := newBuilder(ctx, rt)
	b.main, b.readOnly = mainNode(q.Root), q.ReadOnly
	o, err := b.build(q.Root)
	if err != nil {
		return nil, err
	}
	r := &root{op: o, b: b, q: q}
	if err := r.shape(); err != nil {
		return nil, err
	}
	res = &Result{root: r}
	if q.HasRows {
		res.Iter = r
	}
	return res, nil
}

// Run runs the statement to its end, rows thrown away.
func (r *Result) Run(ctx context.Context) error {
	for {
		b, err := r.root.Next(ctx)
		if err != nil || b == nil {
			return err
		}
	}
}

// RowsAffected counts the rows that the statement inserted, changed or removed so far.
func (r *Result) RowsAffected() int64 { return r.root.affected() }

// Close ends the query and frees what it holds. It may be called once, at any time.
func (r *Result) Close() error { return r.root.Close() }

// root is the edge of the operator tree: it opens it lazily, contains panics, and shows the query's columns in order.
type root struct {
	op     op
	b      *builder
	q      *plan.Query
	schema value.Schema // of q, once it was asked for
	pick   []int        // nil: the columns as they come
	out    batch.Batch
	state  rootState
}

type rootState uint8

const (
	unopened rootState = iota
	running
	ended
	failed
	closed
)

// shape finds where the query's output columns stand in the root node's.
func (r *root) shape() error {
	cols := r.q.Root.Cols()
	if slices.EqualFunc(cols, r.q.Out, func(a, b plan.Col) bool { return a.ID == b.ID }) {
		return nil
	}
	at := eval.Layout(cols)
	r.pick = make([]int, len(r.q.Out))
	for i, c := range r.q.Out {
		k, ok := at[c.ID]
		if !ok {
			return dberr.New(dberr.InternalError, "output column %q is not produced by the plan", c.Name)
		}
		r.pick[i] = k
	}
	r.out.Cols = make([]*value.Column, len(r.pick))
	return nil
}

func (r *root) Schema() value.Schema {
	if r.schema == nil {
		r.schema = make(value.Schema, len(r.q.Out))
		for i, c := range r.q.Out {
			r.schema[i] = value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod, Table: c.Table, Attr: c.Attr}
		}
	}
	return r.schema
}

func (r *root) affected() int64 {
	if r.b.changes == nil {
		return 0
	}
	return r.b.changes.n
}

func (r *root) Next(ctx context.Context) (b *batch.Batch, err error) {
	switch r.state {
	case ended:
		return nil, nil
	case failed, closed:
		return nil, dberr.New(dberr.InternalError, "the query has ended")
	}
	defer func() {
		if err != nil {
			r.state = failed
		}
	}()
	defer eval.Contain(&err)
	if r.state == unopened {
		r.state = running
		if err := r.op.open(ctx); err != nil {
			return nil, err
		}
	}
	b, err = nextRows(ctx, r.op)
	if err != nil {
		return nil, err
	}
	if b == nil {
		for _, c := range r.b.modifying {
			if err := c.finish(ctx); err != nil {
				return nil, err
			}
		}
		r.state = ended
		return nil, nil
	}
	if r.pick == nil {
		return b, nil
	}
	for i, k := range r.pick {
		r.out.Cols[i] = b.Cols[k]
	}
	r.out.Len, r.out.Sel = b.Len, b.Sel
	return &r.out, nil
}

func (r *root) Close() error {
	if r.state == closed {
		return nil
	}
	r.state = closed
	err := r.op.close()
	for _, c := range r.b.modifying {
		if e := c.close(); err == nil {
			err = e
		}
	}
	if e := closeAll(r.b.subplans...); err == nil {
		err = e
	}
	for _, f := range r.b.ends {
		if e := f(); err == nil {
			err = e
		}
	}
	_ = r.b.account.Grow(-r.b.account.Used()) // giving back never fails
	return err
}
