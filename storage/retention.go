package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
)

// Retention bounds how far back the op-log reaches: commits beyond either bound are given up, oldest first. Zero means no bound, so
// that the zero Retention keeps everything forever.
type Retention struct {
	Age   time.Duration
	Bytes int64 // of op-log entries
}

// DefaultRetention is that of a store whose retention was never set.
var DefaultRetention = Retention{Age: 7 * 24 * time.Hour, Bytes: 1 << 30}

// Settings of the store.
const (
	metaRetention = "retention" // age in µs (8), bytes (8)
	metaBase      = "base"      // see base
)

// base is where the op-log begins: what is known of the newest commit that was given up. What stays of the commits up to it is, for
// each row that one of them wrote last, the digest of the row: as a history entry under the row's key and LSN, so that verify can
// check the row.
type base struct {
	lsn   kv.LSN
	chain oplog.Chain
	// underWay is a commit behind lsn that is being given up in several steps; its history is gone already, in part or whole.
	underWay kv.LSN
}

const baseLen = 8 + len(oplog.Digest{}) + 3*8

func (b base) encode() []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(b.lsn))
	out = append(out, b.chain.Prev[:]...)
	for _, n := range []uint64{uint64(b.chain.Micros), b.chain.Total, uint64(b.underWay)} {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	return out
}

func readBase(ctx context.Context, snap kv.Snapshot) (b base, err error) {
	v, err := snap.Get(ctx, metaKey(metaStore, []byte(metaBase)))
	if err != nil || v == nil {
		return b, err
	}
	if len(v) != baseLen {
		return b, wrong("the beginning of the op-log is damaged")
	}
	num := func(at int) uint64 { return binary.BigEndian.Uint64(v[at:]) }
	b.lsn, b.chain.Prev = kv.LSN(num(0)), oplog.Digest(v[8:])
	b.chain.Micros, b.chain.Total, b.underWay = int64(num(40)), num(48), kv.LSN(num(56))
	return b, nil
}

// horizon is the oldest commit whose state can still be read.
func (b base) horizon() kv.LSN { return max(b.lsn, b.underWay) }

// Retention gives the store's retention.
func (db *DB) Retention(ctx context.Context) (Retention, error) {
	h, err := db.acquire()
	if err != nil {
		return Retention{}, err
	}
	defer h.release()
	v, err := h.snap.Get(ctx, metaKey(metaStore, []byte(metaRetention)))
	if err != nil || len(v) != 16 {
		return DefaultRetention, err
	}
	return Retention{time.Duration(binary.BigEndian.Uint64(v)) * time.Microsecond, int64(binary.BigEndian.Uint64(v[8:]))}, nil
}

// SetRetention changes the store's retention; it works from the next Maintain on. A negative bound is 22023.
func (db *DB) SetRetention(r Retention) error {
	if r.Age < 0 || r.Bytes < 0 {
		return dberr.New(dberr.InvalidParameterValue, "a retention cannot be negative").WithHint("Use 0 for no bound.")
	}
	v := binary.BigEndian.AppendUint64(nil, uint64(r.Age/time.Microsecond))
	v = binary.BigEndian.AppendUint64(v, uint64(r.Bytes))
	return db.background([]kv.Op{plainPut(metaKey(metaStore, []byte(metaRetention)), v)}, false)
}

// Maintain does the store's upkeep once: it gives up commits that have left the retention and deletes dropped relations that no
// readable past needs. An open store does it every minute by itself.
func (db *DB) Maintain(ctx context.Context) error {
	r, err := db.Retention(ctx)
	if err != nil {
		return err
	}
	if err := db.truncate(ctx, r); err != nil {
		return err
	}
	h, err := db.acquire()
	if err != nil {
		return err
	}
	b, err := readBase(ctx, h.snap)
	h.release()
	if err == nil {
		_, err = db.sweep(ctx, b.horizon())
	}
	return err
}

// maintainEvery is how often an open store does its upkeep.
const maintainEvery = time.Minute

func (db *DB) maintainLoop(ctx context.Context) {
	defer close(db.maintained)
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-db.sweepNow:
			if err := db.sweepTemporary(ctx); err != nil && ctx.Err() == nil {
				db.logger().Warn("dropped temporary tables could not be freed and will be later", "error", err)
			}
			continue
		}
		if err := db.Maintain(ctx); err != nil && ctx.Err() == nil {
			db.logger().Warn("upkeep of the store failed and will be tried again", "error", err)
		}
	}
}

// truncate gives up what has left the retention, in commits of its own of bounded size.
func (db *DB) truncate(ctx context.Context, r Retention) error {
	for {
		more, err := db.truncateSome(ctx, r)
		if err != nil || !more {
			return err
		}
	}
}

// truncateBytes is about how much one step of truncate changes.
var truncateBytes = 4 << 20

// truncateSome is one step; more tells that it did something.
func (db *DB) truncateSome(ctx context.Context, r Retention) (more bool, err error) {
	h, err := db.acquire()
	if err != nil {
		return false, err
	}
	defer h.release()
	b, err := readBase(ctx, h.snap)
	if err != nil {
		return false, err
	}
	last, err := lastChain(ctx, h.snap)
	if err != nil {
		return false, err
	}
	tr := truncation{ctx: ctx, snap: h.snap, live: liveStorageOf(h.cat), base: b, ops: map[string]kv.Op{}}
	cutoff := int64(0)
	if r.Age > 0 {
		cutoff = db.clock().Add(-r.Age).UnixMicro()
	}
	err = eachEntry(ctx, h.snap, b.lsn+1, key.Unstamped, false, func(e *Entry) error {
		old := e.Micros < cutoff || r.Bytes > 0 && last.Total-e.Total >= uint64(r.Bytes)
		if !old || tr.size >= truncateBytes {
			return errStop
		}
		return tr.giveUp(e)
	})
	if err != nil && err != errStop || len(tr.ops) == 0 {
		if err == errStop {
			err = nil
		}
		return false, err
	}
	tr.put(metaKey(metaStore, []byte(metaBase)), tr.base.encode())
	ops := slices.Collect(maps.Values(tr.ops))
	slices.SortFunc(ops, func(a, b kv.Op) int { return bytes.Compare(a.Key, b.Key) })
	return true, db.background(ops, false)
}

// errStop ends a walk early.
var errStop = dberr.New(dberr.InternalError, "stop")

// liveStorageOf lists what the catalog has: storage of relations, and the classes of the catalog itself.
func liveStorageOf(c *catalog.Committed) map[uint64]bool {
	live := map[uint64]bool{}
	for _, class := range catalogClasses {
		live[uint64(class)] = true
	}
	c.All(catalog.RelationClass, func(d catalog.Descriptor) bool {
		live[d.(*catalog.Relation).Storage] = true
		return true
	})
	return live
}

// truncation gathers the changes that give up commits. A key may be touched by several of them: the last word counts.
type truncation struct {
	ctx  context.Context
	snap kv.Snapshot
	live map[uint64]bool
	base base
	ops  map[string]kv.Op
	size int
}

func (t *truncation) put(k, v []byte) {
	t.ops[string(k)] = plainPut(k, v)
	t.size += len(k) + len(v)
}

func (t *truncation) delete(k []byte) {
	t.ops[string(k)] = kv.Op{Key: k, Delete: true, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
	t.size += len(k)
}

// giveUp gives up a commit. If it is too large for a step, its history goes first, from one step to the next, and then its entry: the
// steps begin anew from its first record, because what is done already costs little.
func (t *truncation) giveUp(e *Entry) error {
	done := true
	err := e.Records(t.ctx, func(r *oplog.Record) error {
		changed, err := t.forget(e.LSN, r)
		if changed && t.size >= truncateBytes {
			done = false
			return errStop
		}
		return err
	})
	if err != nil && err != errStop {
		return err
	}
	if !done {
		t.base.underWay = e.LSN
		return errStop
	}
	for n := range e.Chunks {
		if n == 0 {
			t.delete(key.AppendLogHeader(nil, e.LSN))
		} else {
			t.delete(key.AppendLogRecord(nil, e.LSN, n))
		}
	}
	t.base.lsn, t.base.chain, t.base.underWay = e.LSN, e.After(), 0
	return nil
}

// forget replaces a record's history by the digest of the row that it left, if that is still the row; changed tells that there was
// something to do.
func (t *truncation) forget(lsn kv.LSN, r *oplog.Record) (changed bool, err error) {
	space, id, rowKey := key.Split(r.Key)
	here := key.AppendHistory(nil, id, rowKey, lsn)
	now, err := t.snap.Get(t.ctx, here)
	if err != nil {
		return false, err
	}
	if r.Image != oplog.NoImage {
		before := key.AppendHistory(nil, id, rowKey, r.BeforeLSN)
		if v, err := t.snap.Get(t.ctx, before); err != nil {
			return false, err
		} else if v != nil {
			t.delete(before)
			changed = true
		}
	}
	var digest []byte
	if !r.Deleted && t.live[id] && (space == key.Catalog) == (id < uint64(catalog.FirstUserID)) {
		row, err := t.snap.Get(t.ctx, r.Key)
		if err != nil {
			return false, err
		}
		if row != nil && checkRow(r.Key, row) == nil && rowLSN(row) == lsn {
			digest = r.After[:]
		}
	}
	switch {
	case digest != nil && !bytes.Equal(now, digest):
		t.put(here, bytes.Clone(digest))
		changed = true
	case digest == nil && now != nil:
		t.delete(here)
		changed = true
	}
	return changed, nil
}

// Purge erases what the op-log still holds of a row's past: before images give way to their digests, so that the chain holds. It
// gives the number of images erased. Current rows stay as they are.
func (db *DB) Purge(ctx context.Context, rel *catalog.Relation, rowKey RowKey) (int, error) {
	h, err := db.acquire()
	if err != nil {
		return 0, err
	}
	defer h.release()
	fullKey := key.AppendRow(nil, rel.Storage, rowKey)
	prefix := key.AppendHistory(nil, rel.Storage, rowKey, 0)
	it := h.snap.Scan(ctx, kv.Range{Start: prefix, End: key.PrefixEnd(prefix[:len(prefix)-kv.StampLen])})
	defer it.Close()
	n := 0
	var hasher oplog.Hasher
	for it.Next() {
		place, ok := oplog.DecodePlace(it.Value())
		if !ok || len(it.Key()) != len(prefix) {
			continue // a digest
		}
		_, lsn, err := key.SplitHistory(it.Key())
		if err != nil {
			return n, err
		}
		e, err := readEntry(ctx, h.snap, lsn)
		if err != nil {
			return n, err
		}
		changed, err := db.strip(ctx, e, place.Chunk, fullKey, &hasher)
		if err != nil {
			return n, err
		}
		if changed {
			n++
		}
	}
	return n, it.Err()
}

// strip writes a chunk again without the image of one key.
func (db *DB) strip(ctx context.Context, e *Entry, n uint32, fullKey []byte, hasher *oplog.Hasher) (changed bool, err error) {
	b, at, err := e.chunk(ctx, n)
	if err != nil {
		return false, err
	}
	out := bytes.Clone(b[:at])
	for at < len(b) {
		r, rest, ok := oplog.DecodeRecord(b[at:])
		if !ok {
			return false, e.damaged(n, at)
		}
		if bytes.Equal(r.Key, fullKey) && r.Image == oplog.Whole {
			hasher.Strip(&r)
			changed = true
		}
		out = oplog.AppendRecord(out, &r)
		at = len(b) - len(rest)
	}
	if !changed {
		return false, nil
	}
	k := key.AppendLogHeader(nil, e.LSN)
	if n > 0 {
		k = key.AppendLogRecord(nil, e.LSN, n)
	}
	return true, db.background([]kv.Op{plainPut(k, out)}, false)
}
