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
	ops  []kv.Op // sorted
	size int64
	lsn  kv.LSN // assigned by the committer

	header  []byte // the op-log header inside ops; nil for a background commit, which has none
	logSize uint64 // bytes of its op-log entry
	changes []catalog.Change
	tallies []tally
	reads   *readSet // of a serializable transaction
	nextID  []byte   // the value of the id counter inside ops, nil when the commit doesn't store it

	done chan error
}

// LSN implements kv.Batch.
func (c *commit) LSN() kv.LSN { return c.lsn }

// Size implements kv.Batch.
func (c *commit) Size() int64 { return c.size }

// Ops implements kv.Batch.
func (c *commit) Ops() kv.OpIter { return (&kv.MemBatch{Op: c.ops}).Ops() }

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
	if err == nil && len(c.ops) > 0 {
		if err = ctx.Err(); err != nil {
			err = context.Cause(ctx)
		} else {
			err = t.db.commit(c)
		}
	}
	if err != nil {
		t.giveBackOrdinals()
	}
	return err
}

// prepare turns the overlay into a batch: it digests the rows, writes the op-log's records and the history entries beside them, and
// leaves open only what depends on the commit's place: LSN, time, chain, counters. It runs on the session's goroutine.
func (t *Txn) prepare(ctx context.Context) (*commit, error) {
	b := batchBuilder{txn: t, tallies: map[uint64]*tally{}, done: make(chan error, 1)}
	b.log = oplog.NewBuilder(t.opt.Actor, b.logChunk)
	err := t.writes.Finals(func(f *overlay.Final) error { return b.add(ctx, f) })
	if err != nil {
		return nil, err
	}
	return b.finish()
}

// batchBuilder collects a commit's operations by keyspace; in the order of these lists, the keyspaces are sorted.
type batchBuilder struct {
	txn  *Txn
	log  *oplog.Builder
	done chan error

	before  []kv.Op // catalog, rows, full text
	history []kv.Op
	ordered []kv.Op
	entry   []kv.Op // op-log chunks behind the header
	swept   []kv.Op // the sweeper's part of the meta keyspace
	after   []kv.Op // ordinals, vectors
	size    int64
	tallies map[uint64]*tally
	order   []uint64 // storage ids of tallies, ascending
}

func (b *batchBuilder) add(ctx context.Context, f *overlay.Final) error {
	op := kv.Op{Key: f.Key, Value: f.Value, Delete: f.Value == nil, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
	if !op.Delete {
		op.ValueStamp = f.Stamp
	}
	space, id, rest := key.Split(f.Key)
	switch space {
	case key.Catalog, key.Row:
		return b.addRow(ctx, op, f.Base, space == key.Row, id, rest)
	case key.FullText:
		b.put(&b.before, op)
	case key.Ordered:
		b.put(&b.ordered, op)
	case key.Meta:
		b.put(&b.swept, op)
	default:
		b.put(&b.after, op)
	}
	return nil
}

func (b *batchBuilder) put(list *[]kv.Op, op kv.Op) {
	*list = append(*list, op)
	b.size += int64(len(op.Key) + len(op.Value))
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
	b.put(&b.before, op)
	if base != nil {
		k := key.AppendHistory(make([]byte, 0, len(op.Key)+kv.StampLen), id, rest, key.Unstamped)
		b.put(&b.history, kv.Op{Key: k, Value: place.Append(nil), KeyStamp: key.HistoryStamp(k), ValueStamp: kv.NoStamp})
	}
	if !counted {
		return nil
	}
	t, err := b.tally(ctx, id)
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
	b.put(&b.entry, kv.Op{Key: k, Value: value, KeyStamp: key.LogStamp, ValueStamp: kv.NoStamp})
	return nil
}

// finish puts the parts together.
func (b *batchBuilder) finish() (*commit, error) {
	c := &commit{done: b.done, changes: b.txn.own.Changes(), reads: b.txn.reads}
	header, count, err := b.log.Finish()
	if err != nil {
		return nil, err
	}
	var meta []kv.Op
	if len(c.changes) > 0 {
		c.nextID = make([]byte, 8)
		meta = append(meta, plainPut(metaKey(metaStore, []byte(metaNextID)), c.nextID))
	}
	for _, storage := range b.order {
		if t := b.tallies[storage]; t.rows != 0 || t.high > 0 {
			t.value = make([]byte, countsLen)
			c.tallies = append(c.tallies, *t)
			meta = append(meta, plainPut(counterKey(storage), t.value))
		}
	}
	meta = append(meta, b.swept...)
	n := len(b.before) + len(b.history) + len(b.ordered) + 1 + len(b.entry) + len(meta) + len(b.after)
	c.ops = make([]kv.Op, 0, n)
	c.ops = append(append(append(c.ops, b.before...), b.history...), b.ordered...)
	if count > 0 {
		c.header, c.logSize = header, b.log.Size()
		k := key.AppendLogHeader(nil, key.Unstamped)
		b.size += int64(len(k) + len(header))
		c.ops = append(c.ops, kv.Op{Key: k, Value: header, KeyStamp: key.LogStamp, ValueStamp: kv.NoStamp})
	}
	c.ops = append(append(append(c.ops, b.entry...), meta...), b.after...)
	c.size = b.size
	return c, nil
}

func plainPut(k, v []byte) kv.Op {
	return kv.Op{Key: k, Value: v, KeyStamp: kv.NoStamp, ValueStamp: kv.NoStamp}
}
