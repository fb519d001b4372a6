package exec

import (
	"context"
	"errors"

	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/exec/vec"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// updater changes rows. A row that the statement has changed before (a join gave it twice) is left alone.
type updater struct {
	b     *builder
	n     *plan.Update
	count *changeCount
	inLen int
	key   int
	raw   int
	sets  []setCol
	rows  *newRows
	ret   *returning
	old   []value.Column
	batch batch.Batch
	done  []int32
}

// setCol is one assignment.
type setCol struct {
	attr *catalog.Column
	col  int // in NewCols
	node eval.Node
	wide value.Column
	val  *value.Column
}

func (b *builder) update(n *plan.Update) (op, error) {
	in, err := b.changed(n.Input, 'n')
	if err != nil {
		return nil, err
	}
	cols := n.Input.Cols()
	at := eval.Layout(cols)
	o := &updater{b: b, n: n, count: b.counter(n), inLen: len(cols), key: at[n.RowKey], raw: at[n.Raw], old: make([]value.Column, len(n.NewCols))}
	scope := b.scope(cols)
	for _, s := range n.Sets {
		node, err := scope.Compile(s.Expr)
		if err != nil {
			return nil, err
		}
		set := setCol{attr: n.Rel.Attr(s.Attr), col: -1, node: node}
		for i, c := range n.NewCols {
			if c.Attr == s.Attr {
				set.col = i
			}
		}
		if set.col < 0 {
			return nil, dberr.New(dberr.InternalError, "UPDATE sets column %d that its plan doesn't show", s.Attr)
		}
		o.sets = append(o.sets, set)
	}
	all := append(append([]plan.Col(nil), cols...), n.NewCols...)
	if o.rows, err = b.newRows(n.Rel, all, n.NewCols, len(cols), n.Generated, n.Checks); err != nil {
		return nil, err
	}
	if o.ret, err = b.returning(n.Returning, all); err != nil {
		return nil, err
	}
	return &dmlOp{input: in, change: o.update, shows: o.ret != nil}, nil
}

func (o *updater) update(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	o.batch.Cols = append(o.batch.Cols[:0], in.Cols...)
	o.batch.Len, o.batch.Sel = in.Len, in.Sel
	if err := o.oldColumns(in); err != nil {
		return nil, err
	}
	for i := range o.sets {
		s := &o.sets[i]
		v, err := s.node.Eval(ctx, in, in.Sel)
		if err != nil {
			return nil, err
		}
		s.val = vec.Expand(v, in.Len, &s.wide)
		o.batch.Cols[o.inLen+s.col] = s.val
	}
	if o.n.Rel.Kind == catalog.Collection {
		return o.documents(ctx)
	}
	if err := o.rows.complete(ctx, &o.batch); err != nil {
		return nil, err
	}
	return o.tuples(ctx)
}

// oldColumns fills the new columns with the rows' stored state, which the assignments then replace.
func (o *updater) oldColumns(in *batch.Batch) error {
	pos := vec.Positions(in.Sel, in.Len)
	raw := in.Cols[o.raw]
	for i, c := range o.n.NewCols {
		col := &o.old[i]
		col.Type = c.Type
		vec.Resize(col, in.Len)
		o.batch.Cols = append(o.batch.Cols, col)
	}
	if o.n.Rel.Kind == catalog.Collection {
		o.oldDocuments(raw, pos, in.Len)
		return nil
	}
	for i, a := range o.rows.attrs {
		if o.isSet(i) || a == nil {
			continue
		}
		for _, p := range pos {
			v, err := decodeField(doc.Doc(raw.Get(int(p)).Bytes()), a)
			if err != nil {
				return err
			}
			vec.Set(&o.old[i], p, in.Len, v)
		}
	}
	return nil
}

func (o *updater) isSet(col int) bool {
	for i := range o.sets {
		if o.sets[i].col == col {
			return true
		}
	}
	return false
}

func (o *updater) oldDocuments(raw *value.Column, pos []int32, n int) {
	idAt, docAt := collectionColumns(o.n.NewCols)
	for _, p := range pos {
		d := doc.Doc(raw.Get(int(p)).Bytes())
		if idAt >= 0 {
			vec.Set(&o.old[idAt], p, n, value.String(doc.IDText(d.Lookup(idColumn))))
		}
		if docAt >= 0 {
			vec.Set(&o.old[docAt], p, n, jsonbOf(d))
		}
	}
}

// tuples writes the new rows of a table.
func (o *updater) tuples(ctx context.Context) (*batch.Batch, error) {
	pos := vec.Positions(o.batch.Sel, o.batch.Len)
	bad, broken := o.rows.check(ctx, &o.batch)
	o.done = o.done[:0]
	for _, p := range pos[:bad] {
		d, err := o.rows.encode(&o.batch, p)
		if err != nil {
			return nil, err
		}
		if err := o.write(ctx, p, d); err != nil {
			return nil, err
		}
	}
	if broken != nil {
		return nil, broken
	}
	return o.show(ctx)
}

// write replaces the row at position p and notes it as done, unless this statement has changed it before.
func (o *updater) write(ctx context.Context, p int32, d doc.Doc) error {
	key, old := o.batch.Cols[o.key].Get(int(p)).Bytes(), doc.Doc(o.batch.Cols[o.raw].Get(int(p)).Bytes())
	_, err := o.b.rt.Txn.Update(ctx, o.n.Rel, key, old, d)
	if errors.Is(err, storage.ErrTwice) {
		return nil
	}
	if err != nil {
		return err
	}
	o.count.n++
	o.done = append(o.done, p)
	return nil
}

// documents writes the new documents of a collection.
func (o *updater) documents(ctx context.Context) (*batch.Batch, error) {
	_, docAt := collectionColumns(o.n.NewCols)
	pos := vec.Positions(o.batch.Sel, o.batch.Len)
	given := o.batch.Cols[o.inLen+docAt]
	stored := &value.Column{Type: given.Type}
	vec.Resize(stored, o.batch.Len)
	o.done = o.done[:0]
	for _, p := range pos {
		old := doc.Doc(o.batch.Cols[o.raw].Get(int(p)).Bytes())
		d, err := changedDocument(o.n.Rel, old, given.Get(int(p)))
		if err != nil {
			return nil, err
		}
		if err := o.write(ctx, p, d); err != nil {
			return nil, err
		}
		stored.Strs[p] = jsonbOf(d).Str()
	}
	o.batch.Cols[o.inLen+docAt] = stored
	return o.show(ctx)
}

func (o *updater) show(ctx context.Context) (*batch.Batch, error) {
	if o.ret == nil || len(o.done) == 0 {
		return nil, nil
	}
	o.batch.Sel = o.done
	return o.ret.rows(ctx, &o.batch)
}

// deleter removes rows.
type deleter struct {
	b     *builder
	n     *plan.Delete
	count *changeCount
	key   int
	raw   int
	ret   *returning
	old   []value.Column
	attrs []*catalog.Column
	batch batch.Batch
	done  []int32
}

func (b *builder) delete(n *plan.Delete) (op, error) {
	in, err := b.changed(n.Input, 'u')
	if err != nil {
		return nil, err
	}
	cols := n.Input.Cols()
	at := eval.Layout(cols)
	o := &deleter{b: b, n: n, count: b.counter(n), key: at[n.RowKey], raw: at[n.Raw], old: make([]value.Column, len(n.OldCols))}
	for _, c := range n.OldCols {
		o.attrs = append(o.attrs, n.Rel.Attr(c.Attr))
	}
	if o.ret, err = b.returning(n.Returning, append(append([]plan.Col(nil), cols...), n.OldCols...)); err != nil {
		return nil, err
	}
	return &dmlOp{input: in, change: o.delete, shows: o.ret != nil}, nil
}

func (o *deleter) delete(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	o.done = o.done[:0]
	for _, p := range vec.Positions(in.Sel, in.Len) {
		key, old := in.Cols[o.key].Get(int(p)).Bytes(), doc.Doc(in.Cols[o.raw].Get(int(p)).Bytes())
		err := o.b.rt.Txn.Delete(ctx, o.n.Rel, key, old)
		if errors.Is(err, storage.ErrTwice) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o.count.n++
		o.done = append(o.done, p)
	}
	if o.ret == nil || len(o.done) == 0 {
		return nil, nil
	}
	return o.show(ctx, in)
}

func (o *deleter) show(ctx context.Context, in *batch.Batch) (*batch.Batch, error) {
	o.batch = batch.Batch{Cols: append(o.batch.Cols[:0], in.Cols...), Len: in.Len, Sel: o.done}
	raw := in.Cols[o.raw]
	for i, c := range o.n.OldCols {
		col := &o.old[i]
		col.Type = c.Type
		vec.Resize(col, in.Len)
		for _, p := range o.done {
			d := doc.Doc(raw.Get(int(p)).Bytes())
			v, err := oldValue(o.n.Rel, d, c, o.attrs[i])
			if err != nil {
				return nil, err
			}
			vec.Set(col, p, in.Len, v)
		}
		o.batch.Cols = append(o.batch.Cols, col)
	}
	return o.ret.rows(ctx, &o.batch)
}

// oldValue reads a column of a stored row.
func oldValue(rel *catalog.Relation, d doc.Doc, c plan.Col, a *catalog.Column) (value.Value, error) {
	switch {
	case rel.Kind == catalog.Collection && c.Name == idColumn:
		return value.String(doc.IDText(d.Lookup(idColumn))), nil
	case rel.Kind == catalog.Collection && c.Name == docColumn:
		return jsonbOf(d), nil
	case a == nil:
		return value.Null, nil
	}
	return decodeField(d, a)
}
