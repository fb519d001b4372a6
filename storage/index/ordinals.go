package index

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
)

// Ordinals leads from ordinals to row keys, for an index that knows rows by ordinal. Rows whose key is hidden need nothing: their key is
// the ordinal. Earlier versions kept one entry a row in the keyspace Ordinal under the index's storage id; now indexes keep row keys in
// blocks of their own, and such entries are only read and removed.
type Ordinals struct {
	id     uint64
	hidden bool
}

// OrdinalsOf gives the ordinals of an index.
func OrdinalsOf(rel *catalog.Relation, x *catalog.Index) Ordinals {
	return Ordinals{x.Storage, rel.Kind != catalog.Collection && len(rel.PrimaryKey) == 0}
}

// Hidden tells that rows have no key but the ordinal.
func (o Ordinals) Hidden() bool { return o.hidden }

// Key is that of the entry of an ordinal.
func (o Ordinals) Key(ordinal uint64) []byte { return key.AppendOrdinal(nil, o.id, ordinal) }

// RowKey gives the key of the row with an ordinal as the view sees it.
func (o Ordinals) RowKey(ctx context.Context, v View, ordinal uint64) ([]byte, error) {
	if o.hidden {
		return key.AppendHiddenRowKey(nil, ordinal), nil
	}
	rowKey, err := v.Get(ctx, o.Key(ordinal))
	if err == nil && rowKey == nil {
		err = dberr.New(dberr.IndexCorrupted, "an index speaks of row number %d, which it has no key for", ordinal).
			WithHint("Build the index again with REINDEX.")
	}
	return rowKey, err
}
