package storage

import (
	"context"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
	"github.com/omgdb/omgdb/storage/overlay"
)

// commit is a finished batch on its way through the committer.
type commit struct {
	ops  opLists // sorted
	size int64
	lsn  kv.LSN // assigned by the committer

	temporary     opLists // of temporary relations, sorted
	temporarySize int64

	header  []byte // the op-log header inside ops; nil for a background commit, which has none
	logSize uint64 // bytes of its op-log entry
	changes []catalog.Change
	tallies []tally
	rowsOf  []uint64         // storage ids of the rows in ops
	reads   *readSet         // of a serializable transaction
	nextID  []byte           // the value of the id counter inside ops, nil when the commit doesn't store it
	deltas  map[uint64]int64 // bytes of deltas, by the storage id of the index

	done chan error
}

// LSN implements kv.Batch.
func (c *commit) LSN() kv.LSN { return c.lsn }

// Size implements kv.Batch.
func (c *commit) Size() int64 { return c.size }

// Ops implements kv.Batch.
func (c *commit) Ops() kv.OpIter { return c.ops.iter() }

// tally is what a commit does to the counters of one storage. value is the place in ops where the committer writes the result.
type tally struct {
	counter *counter
	rows    int64
	high    uint64
	value   []byte
}

// Commit makes the transaction's writes durable and visible. After an error nothing of it is; the transaction has ended either way.
// Once the commit is queued it ignores ctx.
func (t *Txn) Commit(ctx context.Context) error {
	if t.done {
		return ended()
	}
	defer t.end()
	if t.writes.Empty() {
		return nil
	}
	c, err := t.prepare(ctx)
	if err == nil && c.ops.len()+c.temporary.len() > 0 {
		if err = ctx.Err(); err != nil {
			err = context.Cause(ctx)
		} else {
			err = t.db.commit(c)
		}
	}
	c.ops.close()
	if err != nil {
		t.giveBackOrdinals()
		return err
	}
	if t.dropsTemporary {
		t.db.sweepSoon()
	}
	if c.deltas != nil {
		t.db.gathering.committed(ctx, c.deltas)
	}
	return nil
}

// prepare turns the overlay into a batch: it digests the rows, writes the op-log's records and the history entries beside them, and
// leaves open only what depends on the commit's place: LSN, time, chain, counters. It runs on the session's goroutine. The caller
// closes the commit's lists, also after an error.
func (t *Txn) prepare(ctx context.Context) (*commit, error) {
	b := batchBuilder{txn: t, tallies: map[uint64]*tally{}, c: &commit{done: make(chan error, 1), changes: t.own.Changes(), reads: t.reads}}
	b.c.ops = opLists{&b.before, &b.history, &b.ordered, &b.header, &b.entry, &b.meta, &b.after}
	b.c.temporary = opLists{&b.temporary, &b.temporaryMeta, &b.temporaryAfter}
	b.log = oplog.NewBuilder(t.opt.Actor, b.logChunk)
	if len(b.c.changes) > 0 {
		b.c.nextID = make([]byte, 8)
		b.meta.add(plainPut(metaKey(metaStore, []byte(metaNextID)), b.c.nextID))
	}
	err := t.writes.Finals(func(f *overlay.Final) error { return b.add(ctx, f) })
	if err == nil {
		err = b.finish()
	}
	return b.c, err
}

// batchBuilder collects a commit's operations by keyspace; in the order of these lists, the keyspaces are sorted.
type batchBuilder struct {
	txn *Txn
	c   *commit
	log *oplog.Builder

	before  opList // catalog, rows, full text
	history opList
	ordered opList
	header  opList // the op-log header
	entry   opList // op-log chunks behind it
	meta    opList
	after   opList // ordinals, vectors
	swept   []kv.Op

	// Of temporary relations: before, in and behind the keyspace of counters.
	temporary, temporaryMeta, temporaryAfter opList

	memory  int64 // of the lists
	tallies map[uint64]*tally
	order   []uint64 // storage ids of tallies, ascending
}

func (b *batchBuilder) add(ctx context.Context, f *overlay.Final) error {
	op := kv.Op{Key: f.Key, Value: f.Value, Delete: f.Value == nil, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
	if !op.Delete {
		op.ValueStamp = f.Stamp
	}
	space, id, rest := key.Split(f.Key)
	if (space == key.FullText || space == key.Vector) && key.IsDelta(f.Key) {
		op.KeyStamp = key.DeltaStamp
		b.noteDelta(id, len(f.Key)+len(f.Value))
	}
	if isTemporary(id) {
		return b.addTemporary(ctx, op, f.Base, space, id)
	}
	switch space {
	case key.Catalog, key.Row:
		return b.addRow(ctx, op, f.Base, space == key.Row, id, rest)
	case key.FullText:
		return b.put(&b.before, op)
	case key.Ordered:
		return b.put(&b.ordered, op)
	case key.Meta: // the sweeper's list; the counters come before it
		b.swept = append(b.swept, op)
		return nil
	}
	return b.put(&b.after, op)
}

// noteDelta counts a delta.
func (b *batchBuilder) noteDelta(storage uint64, size int) {
	if b.c.deltas == nil {
		b.c.deltas = map[uint64]int64{}
	}
	b.c.deltas[storage] += int64(size)
}

// perOp is roughly what an operation costs beside its bytes.
const perOp = 96

func (b *batchBuilder) put(list *opList, op kv.Op) error {
	list.add(op)
	n := int64(len(op.Key) + len(op.Value))
	b.c.size += n
	if b.memory += n + perOp; b.memory < batchMemory {
		return nil
	}
	b.memory = 0
	for _, l := range []*opList{&b.before, &b.history, &b.ordered, &b.entry, &b.after} {
		if err := l.spill(b.txn.db.spillDir()); err != nil {
			return err
		}
	}
	return nil
}

// addRow adds a write of a logged keyspace with its record. The first version of a row has no history entry: its own LSN tells that
// it was not there before.
func (b *batchBuilder) addRow(ctx context.Context, op kv.Op, base []byte, counted bool, id uint64, rest []byte) error {
	if base == nil && op.Delete {
		return nil // made and removed again
	}
	place, err := b.log.Add(op.Key, base, op.Value)
	if err != nil {
		return err
	}
	if err := b.put(&b.before, op); err != nil {
		return err
	}
	if base != nil {
		k := key.AppendHistory(make([]byte, 0, len(op.Key)+kv.StampLen), id, rest, key.Unstamped)
		h := kv.Op{Key: k, Value: place.Append(nil), KeyStamp: key.HistoryStamp(k), ValueStamp: kv.NoStamp}
		if err := b.put(&b.history, h); err != nil {
			return err
		}
	}
	if !counted {
		return nil
	}
	return b.count(ctx, op, base, id)
}

// count counts a write of a row for the relation's counters.
func (b *batchBuilder) count(ctx context.Context, op kv.Op, base []byte, storage uint64) error {
	t, err := b.tally(ctx, storage)
	if err != nil {
		return err
	}
	switch {
	case base == nil:
		t.rows++
		t.high = max(t.high, rowOrdinal(op.Value)+1)
	case op.Delete:
		t.rows--
	default:
		t.high = max(t.high, rowOrdinal(op.Value)+1)
	}
	return nil
}

func (b *batchBuilder) tally(ctx context.Context, storage uint64) (*tally, error) {
	t := b.tallies[storage]
	if t == nil {
		c, err := b.txn.db.counter(ctx, storage)
		if err != nil {
			return nil, err
		}
		t = &tally{counter: c}
		b.tallies[storage] = t
		b.order = append(b.order, storage)
	}
	return t, nil
}

// logChunk takes a finished chunk of records from the op-log builder.
func (b *batchBuilder) logChunk(n uint32, value []byte) error {
	k := key.AppendLogRecord(make([]byte, 0, key.LogStamp+kv.StampLen+4), key.Unstamped, n)
	return b.put(&b.entry, kv.Op{Key: k, Value: value, KeyStamp: key.LogStamp, ValueStamp: kv.NoStamp})
}

// finish adds what stands for the commit as a whole.
func (b *batchBuilder) finish() error {
	header, count, err := b.log.Finish()
	if err != nil {
		return err
	}
	if count > 0 {
		b.c.header, b.c.logSize = header, b.log.Size()
		b.header.add(kv.Op{Key: key.AppendLogHeader(nil, key.Unstamped), Value: header, KeyStamp: key.LogStamp, ValueStamp: kv.NoStamp})
		b.c.size += int64(len(header))
	}
	b.c.rowsOf = b.order
	for _, storage := range b.order {
		if t := b.tallies[storage]; t.rows != 0 || t.high > 0 {
			t.value = make([]byte, countsLen)
			b.c.tallies = append(b.c.tallies, *t)
			if isTemporary(storage) {
				b.temporaryMeta.add(plainPut(counterKey(storage), t.value))
			} else {
				b.meta.add(plainPut(counterKey(storage), t.value))
			}
		}
	}
	for _, op := range b.swept {
		b.meta.add(op)
	}
	for _, l := range b.c.ops {
		if err := l.done(); err != nil {
			return err
		}
	}
	return nil
}

func plainPut(k, v []byte) kv.Op {
	return kv.Op{Key: k, Value: v, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}
