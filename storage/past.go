package storage

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// LSNAt gives the newest commit that was made at a time or before it, as the current statement sees the op-log. A time before the
// reach of the op-log and one in the future are 22023.
func (t *Txn) LSNAt(ctx context.Context, at time.Time) (kv.LSN, error) {
	if at.After(t.db.clock()) {
		return 0, dberr.New(dberr.InvalidParameterValue, "%s is in the future", at.UTC().Format(time.RFC3339Nano))
	}
	snap := t.now.head.snap
	b, err := readBase(ctx, snap)
	if err != nil {
		return 0, err
	}
	micros := at.UnixMicro()
	if b.lsn > 0 && micros < b.chain.Micros {
		return 0, dberr.New(dberr.InvalidParameterValue, "the state of %s is no longer kept", at.UTC().Format(time.RFC3339Nano)).
			WithDetail("The op-log begins at %s.", time.UnixMicro(b.chain.Micros).UTC().Format(time.RFC3339Nano)).
			WithHint("Raise the retention of the op-log to look back further.")
	}
	// Times rise with LSNs. Invariant: the commit lo is not later than at; the first commit at or above hi is.
	lo, hi := b.lsn, snap.LSN()+1
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		e, err := firstEntry(ctx, snap, mid, hi)
		if err != nil {
			return 0, err
		}
		if e != nil && e.Micros <= micros {
			lo = e.LSN
		} else {
			hi = mid
		}
	}
	if lo < b.horizon() {
		return 0, gone(lo)
	}
	return lo, nil
}

// firstEntry reads the first commit in [from, to), nil when there is none.
func firstEntry(ctx context.Context, snap kv.Snapshot, from, to kv.LSN) (found *Entry, err error) {
	err = eachEntry(ctx, snap, from, to-1, false, func(e *Entry) error {
		found = e
		return errStop
	})
	if err == errStop {
		err = nil
	}
	return found, err
}

// Reach is how far back the past can be read.
type Reach struct {
	LSN    kv.LSN // the oldest commit whose state can be read
	Micros int64  // when it was made, µs since 1970 UTC; 0 for a store that has given up nothing
	Bytes  int64  // of the op-log
}

// Reach tells how far back the past can be read, as the current statement sees it.
func (t *Txn) Reach(ctx context.Context) (Reach, error) {
	snap := t.now.head.snap
	b, err := readBase(ctx, snap)
	if err != nil {
		return Reach{}, err
	}
	last, err := lastChain(ctx, snap)
	return Reach{b.horizon(), b.chain.Micros, int64(last.Total - b.chain.Total)}, err
}

// RowKeys gives the row keys under which a row of the relation may lie, or may have lain, whose key prints as text (see ColID):
// several only in a collection, whose _ids of different types may print the same. A text that no key prints as has none.
func RowKeys(rel *catalog.Relation, text string) ([]RowKey, error) {
	switch {
	case rel.Kind == catalog.Collection:
		return idKeys(rel, text)
	case len(rel.PrimaryKey) == 0:
		v, err := typeio.In(value.Int8, -1, text, typeio.Default)
		if err != nil || v.Int() < 0 {
			return nil, nil
		}
		return []RowKey{key.AppendHiddenRowKey(nil, uint64(v.Int()))}, nil
	case len(rel.PrimaryKey) == 1:
		col := rel.Attr(rel.PrimaryKey[0])
		v, err := typeio.In(col.Type, col.Mod, text, typeio.Default)
		if err != nil {
			return nil, nil
		}
		k, err := PrimaryKey(rel, []value.Value{v})
		return []RowKey{k}, err
	}
	return compositeKey(rel, text)
}

// compositeKey reads a key of several columns, which prints as a JSON array of their stored values.
func compositeKey(rel *catalog.Relation, text string) ([]RowKey, error) {
	x, err := doc.ParseExtJSON([]byte(text))
	if err != nil || !x.IsArray() {
		return nil, nil
	}
	var k RowKey
	it := x.Elements()
	for _, num := range rel.PrimaryKey {
		_, v, ok := it.Next()
		if !ok || v.IsNull() {
			return nil, nil
		}
		if k, err = index.AppendStored(k, key.Order{}, rel.Attr(num).Type, v); err != nil {
			return nil, nil
		}
	}
	return []RowKey{k}, nil
}

// RowID is the text of a row's key (see ColID). d is the row, nil where it is not known: the text then is so too, unless the key is a
// hidden one.
func RowID(rel *catalog.Relation, rowKey RowKey, d doc.Doc) (text string, known bool) {
	switch {
	case rel.Kind != catalog.Collection && len(rel.PrimaryKey) == 0:
		n, err := key.HiddenRowKey(rowKey)
		return strconv.FormatUint(n, 10), err == nil
	case d == nil:
		return "", false
	case rel.Kind == catalog.Collection:
		return doc.IDText(d.Lookup(idField)), true
	}
	b, err := appendRowID(nil, rel, d)
	return string(b), err == nil
}

// After gives the row that a change left: nil when it was deleted, or is no longer known because retention or a purge has taken it.
func (t *Txn) After(ctx context.Context, c *RowChange) (doc.Doc, error) {
	if c.Deleted {
		return nil, nil
	}
	snap := t.now.head.snap
	fullKey := append(key.AppendPrefix(nil, c.Space, c.Storage), c.Key...)
	row, err := snap.Get(ctx, fullKey)
	if err != nil {
		return nil, err
	}
	if row != nil && checkRow(fullKey, row) == nil && rowLSN(row) == c.LSN {
		return rowDoc(row), nil
	}
	return t.replaced(ctx, c)
}

// replaced is After for a row that was changed again: the before image of the next change.
func (t *Txn) replaced(ctx context.Context, c *RowChange) (doc.Doc, error) {
	snap := t.now.head.snap
	start := key.AppendHistory(nil, c.Storage, c.Key, c.LSN+1)
	it := snap.Scan(ctx, kv.Range{Start: start, End: key.PrefixEnd(start[:len(start)-kv.StampLen])})
	defer it.Close()
	for it.Next() {
		k, lsn, err := key.SplitHistory(it.Key())
		if err != nil || !bytes.Equal(k, c.Key) {
			continue // damage, which verify tells of
		}
		place, ok := oplog.DecodePlace(it.Value())
		if !ok {
			return nil, nil // a digest: the entry was given up
		}
		e, err := readEntry(ctx, snap, lsn)
		if err != nil {
			return nil, err
		}
		r, err := e.record(ctx, place)
		if err != nil || r.Image != oplog.Whole || r.BeforeLSN != c.LSN {
			return nil, err
		}
		return rowDoc(r.Before), nil
	}
	return nil, it.Err()
}

// Shown gives a table's row by the names of its columns, as ColDoc does; a document is its own.
func Shown(rel *catalog.Relation, d doc.Doc) doc.Doc {
	if r := newRenamer(rel); r != nil && d != nil {
		return r.show(d)
	}
	return d
}
