package exec

import (
	"context"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// inserter stores rows. For each batch it builds the new rows as columns (NewCols), checks them, and hands them to the store one by
// one; a row that breaks a constraint stops the statement after the rows before it, so that errors come in the order of rows.
type inserter struct {
	b      *builder
	n      *plan.Insert
	count  *changeCount
	source []int       // for each of NewCols the input column, -1 for none
	deflt  []eval.Node // its default, nil for NULL
	wide   []value.Column
	rows   *newRows
	ret    *returning
	on     *conflict
	batch  batch.Batch
}

func (b *builder) insert(n *plan.Insert) (op, error) {
	in, err := b.build(n.Input)
	if err != nil {
		return nil, err
	}
	o := &inserter{b: b, n: n, count: b.counter(n), wide: make([]value.Column, len(n.NewCols)), batch: batch.Batch{Cols: make([]*value.Column, len(n.NewCols))}}
	if err := o.columns(b); err != nil {
		return nil, err
	}
	if o.rows, err = b.newRows(n.Rel, n.NewCols, n.NewCols, 0, n.Generated, n.Checks); err != nil {
		return nil, err
	}
	if o.ret, err = b.returning(n.Returning, n.NewCols); err != nil {
		return nil, err
	}
	if n.Conflict != nil {
		if o.on, err = b.conflict(o, n); err != nil {
			return nil, err
		}
	}
	return &dmlOp{input: in, change: o.insert, shows: o.ret != nil}, nil
}

// columns finds where each new column's values come from.
func (o *inserter) columns(b *builder) error {
	outside := b.scope(nil)
	for _, c := range o.n.NewCols {
		source, node := -1, eval.Node(nil)
		for k, t := range o.n.Target {
			if t.Num == c.Attr {
				source = k
			}
		}
		if e := o.n.Defaults[c.Attr]; source < 0 && e != nil {
			var err error
			if node, err = outside.Compile(e); err != nil {
				return err
			}
		}
		o.source, o.deflt = append(o.source, source), append(o.deflt, node)
	}
	return nil
}

func (o *inserter) insert(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	for i, k := range o.source {
		switch {
		case k >= 0:
			o.batch.Cols[i] = in.Cols[k]
		case o.deflt[i] != nil:
			v, err := o.deflt[i].Eval(ctx, in, in.Sel)
			if err != nil {
				return nil, err
			}
			o.batch.Cols[i] = vec.Expand(v, in.Len, &o.wide[i])
		default:
			c := &o.wide[i]
			c.Type = o.n.NewCols[i].Type
			allNull(c, in.Len)
			o.batch.Cols[i] = c
		}
	}
	o.batch.Len, o.batch.Sel = in.Len, in.Sel
	if o.n.Rel.Kind == catalog.Collection {
		return o.documents(ctx)
	}
	if err := o.rows.complete(ctx, &o.batch); err != nil {
		return nil, err
	}
	return o.tuples(ctx)
}

// tuples inserts the batch into a table.
func (o *inserter) tuples(ctx context.Context) (*batch.Batch, error) {
	pos := vec.Positions(o.batch.Sel, o.batch.Len)
	bad, broken := o.rows.check(ctx, &o.batch)
	if bad == 0 && broken != nil {
		return nil, broken
	}
	if o.on != nil {
		return o.on.insert(ctx, pos[:bad], broken)
	}
	for _, p := range pos[:bad] {
		d, err := o.rows.encode(&o.batch, p)
		if err != nil {
			return nil, err
		}
		if _, _, err := o.b.rt.Txn.Insert(ctx, o.n.Rel, d); err != nil {
			return nil, err
		}
		o.count.n++
	}
	if broken != nil {
		return nil, broken
	}
	return o.show(ctx)
}

// documents inserts the batch into a collection; what RETURNING shows is what was stored.
func (o *inserter) documents(ctx context.Context) (*batch.Batch, error) {
	idAt, docAt := collectionColumns(o.n.NewCols)
	ids, docs := o.batch.Cols[idAt], o.batch.Cols[docAt]
	stored := &value.Column{Type: docs.Type}
	named := &value.Column{Type: ids.Type}
	vec.Resize(stored, o.batch.Len)
	vec.Resize(named, o.batch.Len)
	pos := vec.Positions(o.batch.Sel, o.batch.Len)
	if o.on != nil {
		return o.on.insert(ctx, pos, nil)
	}
	for _, p := range pos {
		d, err := collectionRow(o.n.Rel, ids.Get(int(p)), docs.Get(int(p)))
		if err != nil {
			return nil, err
		}
		_, id, err := o.b.rt.Txn.Insert(ctx, o.n.Rel, d)
		if err != nil {
			return nil, err
		}
		o.count.n++
		if o.ret != nil {
			named.Strs[p] = doc.IDText(id)
			stored.Strs[p] = jsonbOf(withID(id, d)).Str()
		}
	}
	o.batch.Cols[idAt], o.batch.Cols[docAt] = named, stored
	return o.show(ctx)
}

// collectionColumns finds _id and doc among a collection's columns.
func collectionColumns(cols []plan.Col) (id, d int) {
	id, d = -1, -1
	for i, c := range cols {
		switch c.Name {
		case idColumn:
			id = i
		case docColumn:
			d = i
		}
	}
	return id, d
}

func (o *inserter) show(ctx context.Context) (*batch.Batch, error) {
	if o.ret == nil {
		return nil, nil
	}
	return o.ret.rows(ctx, &o.batch)
}
