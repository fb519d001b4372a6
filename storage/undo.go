package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
)

// RowChange is what a commit did to one row.
type RowChange struct {
	Space     key.Space // key.Row, or key.Catalog for a descriptor
	Storage   uint64    // of the row's relation; the class of a descriptor
	Key       RowKey
	Before    doc.Doc // nil when there was no row, or when Stripped
	Stripped  bool    // retention or a purge has taken the row as it was
	BeforeLSN kv.LSN  // of the commit that had made it
	Deleted   bool
	LSN       kv.LSN // of this commit

	ordinal uint64 // of Before
}

// Changes calls f for each row that the commit changed, in key order, until it fails. A change and its bytes are valid as long as the
// statement's reading point.
func (e *Entry) Changes(ctx context.Context, f func(*RowChange) error) error {
	return e.Records(ctx, func(r *oplog.Record) error {
		c := &RowChange{Deleted: r.Deleted, LSN: e.LSN}
		c.Space, c.Storage, c.Key = key.Split(r.Key)
		switch r.Image {
		case oplog.Whole:
			if err := checkRow(r.Key, r.Before); err != nil {
				return err
			}
			c.Before, c.ordinal, c.BeforeLSN = rowDoc(r.Before), rowOrdinal(r.Before), r.BeforeLSN
		case oplog.Stripped:
			c.Stripped, c.BeforeLSN = true, r.BeforeLSN
		}
		return f(c)
	})
}

// ChangedLater is the error of Undo when the row is not what the commit left.
type ChangedLater struct {
	ID      doc.Value // the row's _id, where it is known
	Deleted bool
	LSN     kv.LSN // of the newest commit that changed it; 0 for the running transaction
	Actor   Actor
}

func (c *ChangedLater) Error() string { return fmt.Sprintf("the row was changed by commit %d", c.LSN) }

// Undo gives a row back the state that it had before a commit: removes what the commit made, makes again, under its old ordinal, what it
// deleted. It is *ChangedLater when anybody has changed the row since, and 22023 when the op-log no longer has its earlier state.
func (t *Txn) Undo(ctx context.Context, rel *catalog.Relation, c *RowChange) error {
	if err := t.enterForWrite(ctx, rel); err != nil {
		return err
	}
	fullKey := key.AppendRow(nil, rel.Storage, c.Key)
	cur, err := t.newest(ctx, fullKey)
	if err != nil {
		return err
	}
	shown := c.Before
	if cur.value != nil {
		shown = rowDoc(cur.value)
	}
	if shown != nil {
		if err := t.lockRow(ctx, rel, c.Key, shown, ForUpdate, Wait); err != nil {
			return err
		}
		if cur, err = t.newest(ctx, fullKey); err != nil {
			return err
		}
	}
	if err := t.checkUntouched(ctx, rel, c, &cur, shown); err != nil {
		return err
	}
	if c.Stripped {
		return gone(c.LSN - 1)
	}
	return t.putBack(ctx, rel, c, &cur)
}

// checkUntouched refuses a row that the commit was not the last to change.
func (t *Txn) checkUntouched(ctx context.Context, rel *catalog.Relation, c *RowChange, cur *current, shown doc.Doc) error {
	later := &ChangedLater{ID: shown.Lookup(idField), Deleted: cur.value == nil}
	if cur.own {
		return later
	}
	h, err := t.db.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	last := kv.LSN(0)
	if cur.value != nil {
		last = rowLSN(cur.value)
	} else if last, err = lastOfPast(ctx, h.snap, rel.Storage, c.Key); err != nil {
		return err
	}
	if last == c.LSN && c.Deleted == (cur.value == nil) {
		return nil
	}
	if later.LSN = last; last != 0 {
		if e, err := readEntry(ctx, h.snap, last); err == nil { // else retention has taken the entry: its actor is not known
			later.Actor = e.Actor
		}
	}
	return later
}

// lastOfPast gives the newest commit of which a row's history tells, 0 for none.
func lastOfPast(ctx context.Context, snap kv.Snapshot, storage uint64, rowKey RowKey) (kv.LSN, error) {
	prefix := key.AppendHistory(nil, storage, rowKey, 0)
	it := snap.Scan(ctx, kv.Range{Start: prefix, End: key.PrefixEnd(prefix[:len(prefix)-kv.StampLen]), Reverse: true})
	defer it.Close()
	for it.Next() {
		if len(it.Key()) == len(prefix) {
			return kv.LSN(binary.BigEndian.Uint64(it.Key()[key.HistoryStamp(it.Key()):])), nil
		}
	}
	return 0, it.Err()
}

// putBack writes the row as it was before. The row is locked, and is what the commit left.
func (t *Txn) putBack(ctx context.Context, rel *catalog.Relation, c *RowChange, cur *current) error {
	was := indexRow{rel, bytes.Clone(c.Key), c.ordinal}
	switch {
	case c.Before == nil && cur.value == nil: // made and deleted by the same commit: it left nothing
		return nil
	case c.Before == nil:
		if err := t.indexRemove(ctx, indexRow{rel, was.key, rowOrdinal(cur.value)}, rowDoc(cur.value)); err != nil {
			return err
		}
		t.put(rel, was.key, nil, cur.base())
	case cur.value == nil:
		if rel.Kind == catalog.Collection {
			if _, err := t.claimID(ctx, rel, c.Before.Lookup(idField)); err != nil {
				return err
			}
		}
		if err := t.indexInsert(ctx, was, c.Before); err != nil {
			return err
		}
		t.put(rel, was.key, rowValue(c.ordinal, c.Before), nil)
	default:
		if err := t.indexUpdate(ctx, indexRow{rel, was.key, rowOrdinal(cur.value)}, was, rowDoc(cur.value), c.Before); err != nil {
			return err
		}
		t.put(rel, was.key, rowValue(c.ordinal, c.Before), cur.base())
	}
	return t.spillIfLarge()
}
