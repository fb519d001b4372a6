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
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// conflict is ON CONFLICT: what happens to a row that a unique key keeps from being inserted. Rows are handled one by one, for each
// may meet a row that an earlier one has just made.
type conflict struct {
	o     *inserter
	c     *plan.Conflict
	where *eval.Predicate
	sets  []setCol
	attrs []*catalog.Column
	// both is the row in the way, then the row that was to be inserted: what WHERE and SET see.
	both batch.Batch
	// shown collects the rows for RETURNING.
	shown *vec.Store
	// made makes the new state of the row in the way.
	made *rowMaker
}

func (b *builder) conflict(o *inserter, n *plan.Insert) (*conflict, error) {
	k := &conflict{o: o, c: n.Conflict, shown: vec.NewStore(types(n.NewCols))}
	for _, c := range n.NewCols {
		k.attrs = append(k.attrs, n.Rel.Attr(c.Attr))
	}
	if n.Conflict.Nothing {
		return k, nil
	}
	var err error
	if k.made, err = b.rowMaker(n.Rel, n.NewCols, n.Generated, n.Checks); err != nil {
		return nil, err
	}
	cols := append(append([]plan.Col(nil), n.Conflict.OldCols...), n.Conflict.ExclCols...)
	for _, c := range cols {
		k.both.Cols = append(k.both.Cols, value.NewColumn(c.Type, 1))
	}
	k.both.Len = 1
	scope := b.scope(cols)
	if n.Conflict.Where != nil {
		if k.where, err = scope.Predicate(n.Conflict.Where); err != nil {
			return nil, err
		}
	}
	for _, s := range n.Conflict.Sets {
		node, err := scope.Compile(s.Expr)
		if err != nil {
			return nil, err
		}
		col, err := k.made.column(s.Attr)
		if err != nil {
			return nil, err
		}
		k.sets = append(k.sets, setCol{col: col, node: node})
	}
	return k, nil
}

// insert stores the rows at pos, or does with them what ON CONFLICT says; then broken, the error of the row after them, is raised.
func (k *conflict) insert(ctx context.Context, pos []int32, broken error) (*batch.Batch, error) {
	k.shown.Reset()
	for _, p := range pos {
		if err := k.row(ctx, p); err != nil {
			return nil, err
		}
	}
	if broken != nil || k.o.ret == nil || k.shown.N == 0 {
		return nil, broken
	}
	var out batch.Batch
	k.shown.View(&out, 0, k.shown.N)
	return k.o.ret.rows(ctx, &out)
}

// row inserts one row. It begins again when the row in the way goes away meanwhile.
func (k *conflict) row(ctx context.Context, p int32) error {
	rel, txn := k.o.n.Rel, k.o.b.rt.Txn
	for {
		d, err := k.o.document(p)
		if err != nil {
			return err
		}
		_, id, err := txn.Insert(ctx, rel, d)
		if err == nil {
			k.o.count.n++
			return k.showInserted(p, id, d)
		}
		var met *storage.Conflict
		if !errors.As(err, &met) {
			return err
		}
		if !k.arbiter(met) {
			if met, err = k.meets(ctx, d, err); err != nil {
				return err
			}
		}
		if k.c.Nothing {
			return txn.CheckSeen(ctx, rel, met.Key)
		}
		again, err := k.update(ctx, p, met.Key, d)
		if err != nil || !again {
			return err
		}
	}
}

// arbiter tells whether ON CONFLICT is about the index whose key was taken.
func (k *conflict) arbiter(met *storage.Conflict) bool {
	switch {
	case k.c.AnyIndex:
		return true
	case k.c.Index == nil:
		return met.Index == 0
	}
	return met.Index == k.c.Index.ID
}

// meets finds the row in the way by the arbiter's key when another key was found taken first; without one what that led to stands.
func (k *conflict) meets(ctx context.Context, d doc.Doc, taken error) (*storage.Conflict, error) {
	if k.c.Index == nil {
		return nil, taken
	}
	met, err := k.o.b.rt.Txn.Meets(ctx, k.o.n.Rel, d, k.c.Index.ID)
	if met == nil && err == nil {
		err = taken
	}
	return met, err
}

func (k *conflict) showInserted(p int32, id doc.Value, d doc.Doc) error {
	if k.o.ret == nil {
		return nil
	}
	if k.o.n.Rel.Kind != catalog.Collection {
		k.shown.AppendRow(k.o.batch.Cols, int(p))
		return nil
	}
	return k.showRow(withID(id, d))
}

// showRow adds a stored row to those that RETURNING shows.
func (k *conflict) showRow(d doc.Doc) error {
	for i, c := range k.o.n.NewCols {
		v, err := oldValue(k.o.n.Rel, d, c, k.attrs[i])
		if err != nil {
			return err
		}
		k.shown.Cols[i].Append(v)
	}
	k.shown.N++
	return nil
}

var errTwice = dberr.New(dberr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
	WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")

// update changes the row in the way; again tells that it is gone.
func (k *conflict) update(ctx context.Context, p int32, rowKey []byte, d doc.Doc) (again bool, err error) {
	rel, txn := k.o.n.Rel, k.o.b.rt.Txn
	seen, visible, err := txn.Get(ctx, rel, rowKey)
	if err != nil {
		return false, err
	}
	if !visible {
		seen = d // names the same key
	}
	state, old, err := txn.LockRow(ctx, rel, rowKey, seen, storage.ForUpdate, storage.Wait)
	switch {
	case err != nil:
		return false, err
	case state == storage.RowGone:
		return true, nil
	case state == storage.RowUnchanged && len(old) == 0:
		return false, errTwice // the row was made by this statement
	}
	if err := k.see(p, old); err != nil {
		return false, err
	}
	if k.where != nil {
		sel, err := k.where.Select(ctx, &k.both)
		if err != nil || len(sel) == 0 {
			return false, err
		}
	}
	next, err := k.next(ctx, old)
	if err != nil {
		return false, err
	}
	_, err = txn.Update(ctx, rel, rowKey, old, next)
	if errors.Is(err, storage.ErrTwice) {
		return false, errTwice
	}
	if err != nil {
		return false, err
	}
	k.o.count.n++
	if k.o.ret == nil {
		return false, nil
	}
	return false, k.showRow(next)
}

// see fills both with the row in the way and the row to insert.
func (k *conflict) see(p int32, old doc.Doc) error {
	n := len(k.c.OldCols)
	for i, c := range k.c.OldCols {
		v, err := oldValue(k.o.n.Rel, old, c, k.o.n.Rel.Attr(c.Attr))
		if err != nil {
			return err
		}
		k.both.Cols[i].Reset()
		k.both.Cols[i].Append(v)
	}
	for i, c := range k.c.ExclCols {
		col := k.both.Cols[n+i]
		col.Reset()
		for j, nc := range k.o.n.NewCols {
			if nc.Attr == c.Attr {
				vec.AppendAt(col, k.o.batch.Cols[j], int(p))
			}
		}
		if col.Len() == 0 {
			col.AppendNull()
		}
	}
	return nil
}

// next computes and checks the new state of the row in the way.
func (k *conflict) next(ctx context.Context, old doc.Doc) (doc.Doc, error) {
	if err := k.made.start(old); err != nil {
		return nil, err
	}
	for i := range k.sets {
		v, err := valueAt(ctx, k.sets[i].node, &k.both, 0)
		if err != nil {
			return nil, err
		}
		k.made.set(k.sets[i].col, v)
	}
	return k.made.finish(ctx, old)
}

// document makes the document of the row at position p.
func (o *inserter) document(p int32) (doc.Doc, error) {
	if o.n.Rel.Kind != catalog.Collection {
		return o.rows.encode(&o.batch, p)
	}
	idAt, docAt := collectionColumns(o.n.NewCols)
	d := o.batch.Cols[docAt].Get(int(p))
	return collectionRow(o.n.Rel, o.batch.Cols[idAt].Get(int(p)), d)
}

// jsonbOf shows a stored document as jsonb.
func jsonbOf(d doc.Doc) value.Value { return typeio.JSONB(d.Value()) }
