package index

import (
	"bytes"
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// Ordinals leads from ordinals to row keys, for an index that knows rows by ordinal and keeps one entry a row in the keyspace Ordinal
// under its own storage id. Rows whose key is hidden need none: their key is the ordinal.
type Ordinals struct {
	id     uint64
	hidden bool
}

// OrdinalsOf gives the ordinals of an index.
func OrdinalsOf(rel *catalog.Relation, x *catalog.Index) Ordinals {
	return Ordinals{x.Storage, rel.Kind != catalog.Collection && len(rel.PrimaryKey) == 0}
}

// Hidden tells that rows have no key but the ordinal, so that there are no entries.
func (o Ordinals) Hidden() bool { return o.hidden }

// Entry gives a row's entry; both are nil when it needs none.
func (o Ordinals) Entry(row Row) (k, v []byte) {
	if o.hidden {
		return nil, nil
	}
	return key.AppendOrdinal(nil, o.id, row.Ordinal), bytes.Clone(row.Key)
}

// Insert writes a row's entry.
func (o Ordinals) Insert(w Writer, row Row) {
	if k, v := o.Entry(row); k != nil {
		w.Put(k, v, kv.NoStamp)
	}
}

// Remove deletes a row's entry.
func (o Ordinals) Remove(w Writer, row Row) {
	if !o.hidden {
		w.Delete(key.AppendOrdinal(nil, o.id, row.Ordinal))
	}
}

// Update moves a row's entry to its new key; mostly there is nothing to do.
func (o Ordinals) Update(w Writer, before, after Row) {
	if !bytes.Equal(before.Key, after.Key) {
		o.Insert(w, after)
	}
}

// RowKey gives the key of the row with an ordinal as the view sees it.
func (o Ordinals) RowKey(ctx context.Context, v View, ordinal uint64) ([]byte, error) {
	if o.hidden {
		return key.AppendHiddenRowKey(nil, ordinal), nil
	}
	k := key.AppendOrdinal(nil, o.id, ordinal)
	var own []byte
	err := v.Own(kv.Range{Start: k, End: append(k[:len(k):len(k)], 0)}, func(_, value []byte) error { own = value; return nil })
	if own != nil || err != nil {
		return own, err
	}
	rowKey, err := v.Get(ctx, k)
	if err == nil && rowKey == nil {
		err = dberr.New(dberr.IndexCorrupted, "an index speaks of row number %d, which it has no key for", ordinal).
			WithHint("Build the index again with REINDEX.")
	}
	return rowKey, err
}
