package storage

import (
	"context"
	"fmt"
	"strings"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// Tests make large things small, and call the background's work by hand.
func SetBuildSizes(inside, chunk int) (restore func()) {
	was, wasChunk := buildInside, buildChunk
	buildInside, buildChunk = inside, chunk
	return func() { buildInside, buildChunk = was, wasChunk }
}

func (db *DB) SweepAll(ctx context.Context) (int, error) {
	h, err := db.acquire()
	if err != nil {
		return 0, err
	}
	lsn := h.snap.LSN()
	h.release()
	return db.sweep(ctx, lsn)
}

func SetTruncateBytes(n int) (restore func()) {
	was := truncateBytes
	truncateBytes = n
	return func() { truncateBytes = was }
}

// SetMemory makes transactions spill sooner.
func SetMemory(overlay, batch int64) (restore func()) {
	wasOverlay, wasBatch := overlayMemory, batchMemory
	overlayMemory, batchMemory = overlay, batch
	return func() { overlayMemory, batchMemory = wasOverlay, wasBatch }
}

// SetTemporaryMemory bounds temporary relations.
func SetTemporaryMemory(n int64) (restore func()) {
	was := temporaryMemory
	temporaryMemory = n
	return func() { temporaryMemory = was }
}

// TemporaryBytes is what temporary relations hold.
func (db *DB) TemporaryBytes() int64 { return db.temporary.Size() }

// SweepTemporary frees what dropped temporary relations hold.
func (db *DB) SweepTemporary(ctx context.Context) error { return db.sweepTemporary(ctx) }

// SetEscalation makes row locks become a table lock sooner.
func SetEscalation(n int) (restore func()) {
	was := escalateAfter
	escalateAfter = n
	return func() { escalateAfter = was }
}

// SetGather makes the background gather deltas sooner.
func SetGather(above, limit int64) (restore func()) {
	wasAbove, wasLimit := gatherAbove, gatherLimit
	gatherAbove, gatherLimit = above, limit
	return func() { gatherAbove, gatherLimit = wasAbove, wasLimit }
}

// DumpIndex shows the entries of a btree index, without its storage id.
func (db *DB) DumpIndex(ctx context.Context, id catalog.ID) (string, error) {
	h, err := db.acquire()
	if err != nil {
		return "", err
	}
	defer h.release()
	it := h.snap.Scan(ctx, key.All(key.Ordered, h.cat.Get(catalog.IndexClass, id).(*catalog.Index).Storage))
	defer it.Close()
	var b strings.Builder
	for it.Next() {
		fmt.Fprintf(&b, "%x %x\n", it.Key()[kv.PrefixLen:], it.Value())
	}
	return b.String(), it.Err()
}
