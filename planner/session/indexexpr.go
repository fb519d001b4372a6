package session

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// IndexExpressions computes the keys and predicates of indexes for the store, which knows documents and no SQL. It is given to
// the store when that is opened, and told of the store afterwards.
type IndexExpressions struct {
	registry *functions.Registry
	db       atomic.Pointer[storage.DB]
}

// NewIndexExpressions makes the compiler of a store to be opened.
func NewIndexExpressions(registry *functions.Registry) *IndexExpressions {
	return &IndexExpressions{registry: registry}
}

// Attach tells which store it works for, so that expressions may use types that users made.
func (x *IndexExpressions) Attach(db *storage.DB) { x.db.Store(db) }

// Compile implements index.Expressions.
func (x *IndexExpressions) Compile(rel *catalog.Relation, ix *catalog.Index) (index.Evaluator, error) {
	ctx := context.Background()
	e := &indexEvaluator{rel: rel}
	v := catalog.NewView(catalog.NewCommitted(nil, func() uint64 { return 0 }, 0), 0, nil)
	if db := x.db.Load(); db != nil {
		var err error
		if v, err = db.Catalog(0); err != nil {
			return nil, err
		}
	}
	bc := &bind.Context{Catalog: v, Registry: x.registry, Format: typeio.Default, NoParams: true}
	for _, c := range rel.Columns {
		if !c.Dropped {
			e.cols = append(e.cols, plan.Col{ID: plan.ColID(len(e.cols) + 1), Name: c.Name, Type: c.Type, Mod: c.Mod, Table: uint32(rel.ID), Attr: c.Num, Coll: c.Collation})
		}
	}
	used := plan.ColSet{}
	for _, k := range ix.Keys {
		expr, err := e.key(ctx, bc, k)
		if err != nil {
			return nil, err
		}
		plan.Refs(expr, used)
		e.keys = append(e.keys, expr)
	}
	if ix.Where != "" {
		var err error
		if e.where, err = bind.Expr(ctx, bc, ix.Where, rel, e.cols, value.Boolean, -1); err != nil {
			return nil, err
		}
		plan.Refs(e.where, used)
	}
	for i, c := range e.cols {
		if used.Has(c.ID) {
			e.used = append(e.used, i)
		}
	}
	p, err := e.compile()
	if err == nil {
		e.pool.Put(p)
	}
	return e, err
}

// indexEvaluator implements index.Evaluator. Compiled expressions hold state, so each call takes a copy of its own from the pool.
type indexEvaluator struct {
	rel   *catalog.Relation
	cols  []plan.Col // the live columns
	keys  []plan.Expr
	where plan.Expr
	used  []int // columns that are looked at
	pool  sync.Pool
}

func (e *indexEvaluator) key(ctx context.Context, bc *bind.Context, k catalog.IndexKey) (plan.Expr, error) {
	if k.Col == 0 {
		return bind.Expr(ctx, bc, k.Expr, e.rel, e.cols, k.Type, -1)
	}
	for _, c := range e.cols {
		if c.Attr == k.Col {
			return &plan.ColRef{Typed: plan.Typed{T: c.Type, M: c.Mod}, ID: c.ID, Name: c.Name}, nil
		}
	}
	return &plan.Const{Typed: plan.Typed{T: k.Type, M: -1}}, nil // a dropped column
}

// indexProgram is one compiled copy, with the batch of one row that it works on.
type indexProgram struct {
	keys  []eval.Node
	where eval.Node
	row   batch.Batch
	run   *eval.Run
}

func (e *indexEvaluator) compile() (*indexProgram, error) {
	p := &indexProgram{row: batch.Batch{Len: 1, Cols: make([]*value.Column, len(e.cols))}}
	for i, c := range e.cols {
		p.row.Cols[i] = value.NewColumn(c.Type, 1)
	}
	p.run = eval.NewRun(&functions.Env{Format: typeio.Default}, nil)
	scope := &eval.Scope{Run: p.run, Cols: eval.Layout(e.cols), In: e.cols}
	var err error
	if p.keys, err = scope.CompileAll(e.keys); err != nil {
		return nil, err
	}
	if e.where != nil {
		p.where, err = scope.Compile(e.where)
	}
	return p, err
}

// with runs f on a program that holds the row d.
func (e *indexEvaluator) with(d doc.Doc, f func(p *indexProgram) error) (err error) {
	p, _ := e.pool.Get().(*indexProgram)
	if p == nil {
		if p, err = e.compile(); err != nil {
			return err
		}
	}
	defer eval.Contain(&err)
	for _, i := range e.used {
		c := p.row.Cols[i]
		c.Reset()
		v, err := e.field(d, i)
		if err != nil {
			return err
		}
		c.Append(v)
	}
	if err := f(p); err != nil {
		return err
	}
	e.pool.Put(p)
	return nil
}

// field reads column i of a row.
func (e *indexEvaluator) field(d doc.Doc, i int) (value.Value, error) {
	if e.rel.Kind == catalog.Collection {
		if e.cols[i].Attr == 1 {
			return value.String(d.Lookup("_id").Text()), nil
		}
		return value.Bytes(d.Value().Encoded()), nil
	}
	v := d.Lookup(e.rel.Attr(e.cols[i].Attr).Field)
	if v.Missing() {
		return value.Null, nil
	}
	return typeio.FromBSON(e.cols[i].Type, v.Type, v.Data)
}

// Keys implements index.Evaluator.
func (e *indexEvaluator) Keys(ctx context.Context, d doc.Doc, dst []value.Value) ([]value.Value, error) {
	err := e.with(d, func(p *indexProgram) error {
		for _, k := range p.keys {
			v, err := k.Eval(ctx, &p.row, nil)
			if err != nil {
				return err
			}
			dst = append(dst, v.Column.Get(v.At(0)))
		}
		return nil
	})
	return dst, err
}

// Holds implements index.Evaluator.
func (e *indexEvaluator) Holds(ctx context.Context, d doc.Doc) (bool, error) {
	if e.where == nil {
		return true, nil
	}
	holds := false
	err := e.with(d, func(p *indexProgram) error {
		v, err := p.where.Eval(ctx, &p.row, nil)
		if err == nil {
			x := v.Column.Get(v.At(0))
			holds = !x.IsNull() && x.Bool()
		}
		return err
	})
	return holds, err
}
