package storage

import (
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv"
)

// Catalog is the newest committed catalog looking at a database (0: the main one), for planning outside of a transaction.
func (db *DB) Catalog(database catalog.ID) (*catalog.View, error) {
	h := db.head.Load()
	if h == nil {
		return nil, kv.Closed()
	}
	if database == 0 {
		database = catalog.MainDatabase
	}
	return catalog.NewView(h.cat, database, nil), nil
}
