package storage

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// Rows and index entries of temporary relations live in an engine of their own, in memory. Their storage ids carry a bit by which each
// key tells where it lies, so that nothing but the commit path and the snapshots knows of the second engine. They are not in the op-log,
// have no history, and a commit that writes nothing else waits for no disk. The descriptors are in the catalog, where PostgreSQL has
// them too; what a crash leaves of them goes when the store is opened.

// temporaryBit marks the storage ids of temporary relations and their indexes.
const temporaryBit = 1 << 62

// temporaryMemory bounds what all temporary relations of a store hold, in bytes.
var temporaryMemory = int64(2 << 30)

func isTemporary(storage uint64) bool { return storage&temporaryBit != 0 }

// temporaryKey tells whether a key, or the start of a range within one object, is of a temporary relation.
func temporaryKey(k []byte) bool {
	return len(k) >= kv.PrefixLen && k[1]&(temporaryBit>>56) != 0
}

// newStorage gives a fresh storage id for a relation, or for one of its indexes.
func (db *DB) newStorage(rel *catalog.Relation) uint64 {
	id := db.newID()
	if rel.Temp {
		id |= temporaryBit
	}
	return id
}

// bothSnapshots is a snapshot of the store together with its temporary relations. A range lies in one of the two.
type bothSnapshots struct {
	kv.Snapshot
	temporary kv.Snapshot
}

// snapshot opens a snapshot of the newest state.
func (db *DB) snapshot(ctx context.Context) (kv.Snapshot, error) {
	durable, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	temporary, err := db.temporary.Snapshot(ctx)
	if err != nil {
		durable.Close()
		return nil, err
	}
	return &bothSnapshots{durable, temporary}, nil
}

// durable is the part of a head's snapshot that the store's engine has.
func (h *head) durable() kv.Snapshot { return h.snap.(*bothSnapshots).Snapshot }

// Get implements kv.Snapshot.
func (s *bothSnapshots) Get(ctx context.Context, k []byte) ([]byte, error) {
	if temporaryKey(k) {
		return s.temporary.Get(ctx, k)
	}
	return s.Snapshot.Get(ctx, k)
}

// Scan implements kv.Snapshot.
func (s *bothSnapshots) Scan(ctx context.Context, r kv.Range) kv.Iter {
	if temporaryKey(r.Start) {
		return s.temporary.Scan(ctx, r)
	}
	return s.Snapshot.Scan(ctx, r)
}

// LSN implements kv.Snapshot.
func (s *bothSnapshots) LSN() kv.LSN { return max(s.Snapshot.LSN(), s.temporary.LSN()) }

// Close implements kv.Snapshot.
func (s *bothSnapshots) Close() {
	s.Snapshot.Close()
	s.temporary.Close()
}

// temporaryPart is what a commit writes into temporary relations, as a batch of its own.
type temporaryPart struct{ *commit }

// Size implements kv.Batch.
func (p temporaryPart) Size() int64 { return p.temporarySize }

// Ops implements kv.Batch.
func (p temporaryPart) Ops() kv.OpIter { return p.temporary.iter() }

// addTemporary adds a write of a temporary relation or its index.
func (b *batchBuilder) addTemporary(ctx context.Context, op kv.Op, base []byte, space key.Space, id uint64) error {
	list := &b.temporary
	switch {
	case space > key.Meta:
		list = &b.temporaryAfter
	case space == key.Row:
		if base == nil && op.Delete {
			return nil
		}
		if err := b.count(ctx, op, base, id); err != nil {
			return err
		}
	}
	list.add(op)
	b.c.temporarySize += int64(len(op.Key) + len(op.Value))
	return nil
}

// room refuses a commit beyond the memory of temporary relations.
func (c *committer) room(b *commit) error {
	if b.temporarySize == 0 || c.db.temporary.Size()+b.temporarySize <= temporaryMemory {
		return nil
	}
	return dberr.New(dberr.OutOfMemory, "temporary tables have no more room").
		WithDetail("They hold %d MiB of at most %d.", c.db.temporary.Size()>>20, temporaryMemory>>20).
		WithHint("Drop temporary tables that are no longer needed, or use an ordinary table.")
}

// sweepSoon lets the upkeep free dropped temporary relations.
func (db *DB) sweepSoon() {
	select {
	case db.sweepNow <- struct{}{}:
	default:
	}
}

// sweepTemporary deletes what lies under the storage ids of dropped temporary relations, which nobody has to wait for.
func (db *DB) sweepTemporary(ctx context.Context) error {
	_, err := db.sweep(ctx, 0)
	return err
}

// noTemporaryPast refuses to read the past of a temporary relation.
func noTemporaryPast(rel *catalog.Relation) error {
	if !rel.Temp {
		return nil
	}
	return dberr.New(dberr.FeatureNotSupported, "temporary table \"%s\" has no history", rel.Name).
		WithHint("Use an ordinary table where the past matters.")
}
