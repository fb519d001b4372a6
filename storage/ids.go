package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
)

const idField = "_id"

// withID gives d with an _id, generated when it has none, as its first field.
func (t *Txn) withID(ctx context.Context, rel *catalog.Relation, d doc.Doc) (doc.Doc, doc.Value, error) {
	it := d.Elements()
	if k, v, ok := it.Next(); ok && string(k) == idField {
		return d, v, nil
	}
	id := d.Lookup(idField)
	if id.Missing() {
		if err := t.db.observeIDs(ctx, rel); err != nil {
			return nil, id, err
		}
		id = t.db.objectIDs.Next().Value()
	}
	return idFirst(id, d), id, nil
}

// maxAhead is how far a found ObjectId may lie in the future for generated ones to rise above it: further ones are no clock's.
const maxAhead = 24 * time.Hour

// observeIDs makes generated ids rise above those that the collection had when the store was opened: the clock alone doesn't when the
// store is closed and opened within a second.
func (db *DB) observeIDs(ctx context.Context, rel *catalog.Relation) error {
	c, err := db.counter(ctx, rel.Storage)
	if err != nil || c.observed.Load() {
		return err
	}
	h, err := db.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	r := key.Between(key.Row, rel.Storage, []byte{byte(key.ObjectIDClass)}, []byte{byte(key.ObjectIDClass) + 1})
	r.Reverse = true
	it := h.snap.Scan(ctx, r)
	defer it.Close()
	if it.Next() && checkRow(it.Key(), it.Value()) == nil {
		id := rowDoc(it.Value()).Lookup(idField)
		if id.Type == doc.TypeObjectID {
			ahead := time.Unix(int64(binary.BigEndian.Uint32(id.Data)), 0).Sub(db.clock())
			if ahead < maxAhead {
				db.objectIDs.Observe(doc.ObjectID(id.Data))
			}
		}
	}
	c.observed.Store(true)
	return it.Err()
}

// idFirst gives d with id as its first field, whatever _id it had.
func idFirst(id doc.Value, d doc.Doc) doc.Doc {
	out, start := doc.BeginDocument(make([]byte, 0, len(d)+len(id.Data)+6))
	out = doc.AppendElement(out, idField, id)
	for it := d.Elements(); ; {
		k, v, ok := it.Next()
		if !ok {
			return doc.EndDocument(out, start)
		}
		if string(k) != idField {
			out = append(append(append(out, v.Type), k...), 0)
			out = append(out, v.Data...)
		}
	}
}

// keepID gives new with the _id of old: a missing one is kept, a different one refused (22023).
func keepID(old, new doc.Doc) (doc.Doc, error) {
	had, has := old.Lookup(idField), new.Lookup(idField)
	same := has.Type == had.Type && bytes.Equal(has.Data, had.Data)
	if !same && !has.Missing() && !doc.EqualBSON(had, has) {
		return nil, dberr.New(dberr.InvalidParameterValue, "the _id of a document cannot be changed").
			WithDetail("The document has _id %s, the new value %s.", had.Canonical(), has.Canonical()).
			WithHint("Insert the document under its new _id and delete the old one.")
	}
	it := new.Elements()
	if k, _, ok := it.Next(); ok && string(k) == idField && same {
		return new, nil
	}
	return idFirst(had, new), nil // also when an equal number came in another type
}

// idKey gives the row key of an _id.
func idKey(id doc.Value) (RowKey, error) {
	k, err := key.AppendBSON(nil, id.Type, id.Data)
	if err == nil {
		err = key.CheckRowKey(k)
	}
	return k, err
}

// idType gives the type under which an _id stands in Relation.IDTypes: one for all values that share an encoding.
func idType(id doc.Value) byte {
	switch key.BSONClass(id.Type, id.Data) {
	case key.NumberClass:
		return doc.TypeDouble
	case key.StringClass:
		return doc.TypeString
	case key.DateClass:
		return doc.TypeDate
	case key.ArrayClass:
		return doc.TypeArray
	}
	return id.Type
}

// claimID locks a new document's _id by its text, sees to it that no other document has an _id that prints so, and gives its row key.
func (t *Txn) claimID(ctx context.Context, rel *catalog.Relation, id doc.Value) (RowKey, error) {
	if id.Type == doc.TypeUndefined || id.Type == doc.TypeRegex || id.Type == doc.TypeArray {
		return nil, dberr.New(dberr.InvalidParameterValue, "the _id of a document cannot be %s", id.Canonical()).
			WithHint("Use a string, a number, an object or any other single value.")
	}
	rowKey, err := idKey(id)
	if err != nil {
		return nil, err
	}
	text := doc.IDText(id)
	if err := t.lockKey(ctx, rel, text, ForUpdate, Wait); err != nil {
		return nil, err
	}
	typ := idType(id)
	if rel, err = t.widenIDTypes(ctx, rel, typ); err != nil {
		return nil, err
	}
	probes := []RowKey{rowKey}
	if !rel.OnlyIDType(typ) {
		if probes, err = idKeys(rel, text); err != nil {
			return nil, err
		}
	}
	for _, k := range probes {
		taken, err := t.exists(ctx, key.AppendRow(nil, rel.Storage, k))
		if err != nil {
			return nil, err
		}
		if taken {
			return nil, t.duplicate(rel, rel.Name+"_pkey", "_id", text, &Conflict{Key: k})
		}
	}
	return rowKey, nil
}

// idKeys gives the row keys of every _id that prints as text and whose type occurs in the collection.
func idKeys(rel *catalog.Relation, text string) ([]RowKey, error) {
	var out []RowKey
	add := func(id doc.Value) error {
		if !rel.HasIDType(idType(id)) || doc.IDText(id) != text {
			return nil
		}
		k, err := key.AppendBSON(nil, id.Type, id.Data)
		if len(k) <= key.MaxRowKey { // longer ones are never stored
			out = append(out, k)
		}
		return err
	}
	if id, ok := doc.ParseObjectID(text); ok {
		if err := add(id.Value()); err != nil {
			return nil, err
		}
	}
	if err := add(doc.String(text)); err != nil {
		return nil, err
	}
	var plain [4]uint64
	for _, typ := range []byte{doc.TypeObjectID, doc.TypeString} {
		plain[typ>>6] |= 1 << (typ & 63)
	}
	other := false
	for i, set := range rel.IDTypes {
		other = other || set&^plain[i] != 0
	}
	if !other {
		return out, nil
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := add(doc.Double(f)); err != nil {
			return nil, err
		}
	}
	// All other types print as JSON: a number's digits, an object, true, {"$date":…}.
	if id, err := doc.ParseExtJSON([]byte(text)); err == nil && id.Type != doc.TypeString && id.Type != doc.TypeObjectID {
		if err := add(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// IDKeys gives the row keys under which documents may lie whose _id prints as text: the exact keys of an equality on _id.
func IDKeys(rel *catalog.Relation, text string) ([]RowKey, error) { return idKeys(rel, text) }
