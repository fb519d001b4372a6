package storage

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
)

// RenameIndex gives an index another name, which must be free in its schema (42P07), under an AccessExclusive lock on its table.
func (t *Txn) RenameIndex(ctx context.Context, id catalog.ID, name string) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	x := t.Catalog().Index(id)
	if x == nil {
		return ErrStale
	}
	if err := t.LockTable(ctx, x.Relation, AccessExclusive, Wait); err != nil {
		return err
	}
	if x = t.Catalog().Index(id); x == nil {
		return ErrStale
	}
	if err := t.claimName(ctx, catalog.IndexClass, x.Schema, name); err != nil {
		return err
	}
	renamed := *x
	renamed.Name, renamed.Version = name, t.db.nextVersion()
	return t.change(ctx, x, &renamed)
}
