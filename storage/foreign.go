package storage

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// ConstraintEvent is a change of a row about which a foreign key or a deferrable unique constraint must be asked. It speaks of keys, not
// of rows: that a key is referred to, that a row with the key has gone, or that rows share it. Whoever handles it looks at the newest
// state, so the same event twice is one.
type ConstraintEvent struct {
	Rel        catalog.ID // the relation that has the constraint
	Constraint catalog.ID // a foreign key; with Shared an index
	// Shared, when not nil, is the index key that several rows had.
	Shared []byte
	// Referred: a row that the constraint may refer to has lost the key Key (values of RefCols), by an update if New is not nil. Else a
	// row of Rel has got the key Key (values of Cols).
	Referred bool
	Key, New []value.Value
	id       string
}

// constraintEvents are the events of a transaction since they were taken last.
type constraintEvents struct {
	list []ConstraintEvent
	seen map[string]bool
}

func (f *constraintEvents) add(e ConstraintEvent, id []byte) {
	if f.seen[string(id)] {
		return
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	e.id = string(id)
	f.seen[e.id] = true
	f.list = append(f.list, e)
}

// cut forgets all events but the first n.
func (f *constraintEvents) cut(n int) {
	for n < len(f.list) {
		last := len(f.list) - 1
		delete(f.seen, f.list[last].id)
		f.list = f.list[:last]
	}
}

// TakeEvents gives the events since it was called last, in the order in which they happened.
func (t *Txn) TakeEvents() []ConstraintEvent {
	list := t.events.list
	t.events = constraintEvents{}
	return list
}

// noteForeign notes what a change of a row means to foreign keys; old or new is nil for a new row or a deleted one.
func (t *Txn) noteForeign(rel *catalog.Relation, old, new doc.Doc) {
	if new != nil {
		for i := range rel.Foreign {
			f := &rel.Foreign[i]
			if old == nil || !sameFields(rel, f.Cols, old, new) {
				t.noteReferring(rel, f, new)
			}
		}
	}
	if old != nil && len(rel.Referrers) > 0 {
		t.eachReferring(rel, func(child *catalog.Relation, f *catalog.ForeignKey) bool {
			if new == nil || !sameFields(rel, f.RefCols, old, new) {
				t.noteReferred(rel, child, f, old, new)
			}
			return true
		})
	}
}

// noteReferring notes that a row refers to a key: one without NULLs, or, under MATCH FULL, one that is not NULL altogether.
func (t *Txn) noteReferring(rel *catalog.Relation, f *catalog.ForeignKey, d doc.Doc) {
	vals, nulls := fieldValues(rel, f.Cols, d)
	if nulls > 0 && (f.Match != 'f' || nulls == len(vals)) {
		return
	}
	id := eventID('c', f)
	t.events.add(ConstraintEvent{Rel: rel.ID, Constraint: f.ID, Key: vals}, appendFields(id, rel, f.Cols, d))
}

// noteReferred notes that a key has gone that rows of child may refer to.
func (t *Txn) noteReferred(rel, child *catalog.Relation, f *catalog.ForeignKey, old, new doc.Doc) {
	vals, nulls := fieldValues(rel, f.RefCols, old)
	if nulls > 0 {
		return
	}
	e := ConstraintEvent{Rel: child.ID, Constraint: f.ID, Referred: true, Key: vals}
	id := appendFields(eventID('a', f), rel, f.RefCols, old)
	if new != nil {
		e.New, _ = fieldValues(rel, f.RefCols, new)
		id = appendFields(append(id, 1), rel, f.RefCols, new)
	}
	t.events.add(e, id)
}

// changesReferred tells whether an update changes a key that a foreign key refers to: then the row's lock must exclude those who hold
// the key.
func (t *Txn) changesReferred(rel *catalog.Relation, old, new doc.Doc) bool {
	changes := false
	if len(rel.Referrers) > 0 {
		t.eachReferring(rel, func(_ *catalog.Relation, f *catalog.ForeignKey) bool {
			changes = !sameFields(rel, f.RefCols, old, new)
			return !changes
		})
	}
	return changes
}

// eachReferring calls f with each foreign key to rel until it says no.
func (t *Txn) eachReferring(rel *catalog.Relation, f func(*catalog.Relation, *catalog.ForeignKey) bool) {
	v := t.Catalog()
	for _, id := range rel.Referrers {
		child := v.RelationByID(id)
		if child == nil {
			continue
		}
		for i := range child.Foreign {
			if child.Foreign[i].RefTable == rel.ID && !f(child, &child.Foreign[i]) {
				return
			}
		}
	}
}

func eventID(kind byte, f *catalog.ForeignKey) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(f.ID))
}

func appendFields(dst []byte, rel *catalog.Relation, cols []int16, d doc.Doc) []byte {
	for _, num := range cols {
		v := d.Lookup(rel.Attr(num).Field)
		dst = append(dst, v.Type)
		dst = binary.AppendUvarint(dst, uint64(len(v.Data)))
		dst = append(dst, v.Data...)
	}
	return dst
}

func sameFields(rel *catalog.Relation, cols []int16, a, b doc.Doc) bool {
	for _, num := range cols {
		field := rel.Attr(num).Field
		x, y := a.Lookup(field), b.Lookup(field)
		if x.Type != y.Type || !bytes.Equal(x.Data, y.Data) {
			return false
		}
	}
	return true
}

// fieldValues reads columns of a row, and counts the NULLs. The values share no memory with it.
func fieldValues(rel *catalog.Relation, cols []int16, d doc.Doc) (vals []value.Value, nulls int) {
	for _, num := range cols {
		c := rel.Attr(num)
		v := d.Lookup(c.Field)
		switch {
		case v.Missing():
			nulls++
			vals = append(vals, value.Null)
			continue
		case rel.Kind == catalog.Collection && c.Field == idField:
			vals = append(vals, value.String(doc.IDText(v)))
			continue
		}
		x, err := typeio.FromBSON(c.Type, v.Type, bytes.Clone(v.Data))
		if err != nil {
			x = value.Null // the row was made by ToBSON
			nulls++
		}
		vals = append(vals, x)
	}
	return vals, nulls
}

// HoldKey locks the row of a table whose primary key has the values, which are of the key columns' types, and tells whether there is one
// in the newest state.
func (t *Txn) HoldKey(ctx context.Context, rel *catalog.Relation, vals []value.Value, m RowMode) (bool, error) {
	if err := t.enterRelation(ctx, rel, RowShare); err != nil {
		return false, err
	}
	k, err := PrimaryKey(rel, vals)
	if err != nil {
		return false, err
	}
	if err := t.lockKey(ctx, rel, string(k), m, Wait); err != nil {
		return false, err
	}
	full := key.AppendRow(nil, rel.Storage, k)
	t.reads.addKey(full)
	return t.exists(ctx, full)
}

// BeginNewest starts a statement that reads the newest committed state at every isolation level: a foreign key must hold there.
func (t *Txn) BeginNewest(context.Context) error {
	if t.done {
		return ended()
	}
	h, err := t.db.acquire()
	if err != nil {
		return err
	}
	t.enter(t.newStatement(h, t.seq))
	t.seq++
	return nil
}
