package storage

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
)

// A row's value is a header of 16 bytes and the document. The header holds the ordinal, which the row keeps for life, and the LSN of
// the commit that wrote it, a stamp.
const (
	lsnAt     = 8
	headerLen = 16
)

func rowValue(ordinal uint64, d doc.Doc) []byte {
	return appendRowValue(make([]byte, 0, headerLen+len(d)), ordinal, d)
}

func (t *Txn) rowValue(ordinal uint64, d doc.Doc) []byte {
	return appendRowValue(t.bytes(headerLen+len(d)), ordinal, d)
}

func appendRowValue(dst []byte, ordinal uint64, d doc.Doc) []byte {
	dst = binary.BigEndian.AppendUint64(dst, ordinal)
	dst = binary.BigEndian.AppendUint64(dst, uint64(key.Unstamped))
	return append(dst, d...)
}

func rowOrdinal(v []byte) uint64 { return binary.BigEndian.Uint64(v) }
func rowLSN(v []byte) kv.LSN     { return kv.LSN(binary.BigEndian.Uint64(v[lsnAt:])) }
func rowDoc(v []byte) doc.Doc    { return doc.Doc(v[headerLen:]) }

// checkRow refuses a stored row that is too short to be one.
func checkRow(k, v []byte) error {
	if len(v) < headerLen+5 {
		return dberr.New(dberr.DataCorrupted, "the row under key %x is damaged: it has %d bytes", k, len(v))
	}
	return nil
}

// Insert stores a new row. In a collection it generates a missing _id and puts _id first. 23505 and 23502 have PostgreSQL's detail.
// The second result is the _id in a collection, and missing in a table. The document is copied.
func (t *Txn) Insert(ctx context.Context, rel *catalog.Relation, d doc.Doc) (RowKey, doc.Value, error) {
	if err := t.enterForWrite(ctx, rel); err != nil {
		return nil, doc.Value{}, err
	}
	var (
		id     doc.Value
		rowKey RowKey
		err    error
	)
	switch {
	case rel.Kind == catalog.Collection:
		if d, id, err = t.withID(ctx, rel, d); err == nil {
			rowKey, err = t.claimID(ctx, rel, id)
		}
	default:
		if err = checkNotNull(rel, d); err == nil && len(rel.PrimaryKey) > 0 {
			rowKey, err = t.claimPrimaryKey(ctx, rel, d)
		}
	}
	if err == nil {
		err = doc.CheckDocument(d)
	}
	if err != nil {
		return nil, doc.Value{}, err
	}
	ordinal, err := t.takeOrdinal(ctx, rel.Storage)
	if err != nil {
		return nil, doc.Value{}, err
	}
	if rowKey == nil {
		rowKey = key.AppendHiddenRowKey(nil, ordinal)
	}
	row := indexRow{rel: rel, key: rowKey, ordinal: ordinal}
	if err := t.indexInsert(ctx, row, d); err != nil {
		return nil, doc.Value{}, err
	}
	t.put(rel, rowKey, t.rowValue(ordinal, d), nil)
	t.noteForeign(rel, nil, d)
	return rowKey, id, t.spillIfLarge()
}

// bytes gives empty room for n bytes that the transaction keeps. Small pieces share a block, which goes when they all have gone.
func (t *Txn) bytes(n int) []byte {
	if n > maxShared {
		return make([]byte, 0, n)
	}
	if cap(t.room)-len(t.room) < n {
		t.room = make([]byte, 0, min(max(2*cap(t.room), 2*n, 256), maxRoom))
	}
	at := len(t.room)
	t.room = t.room[:at+n]
	return t.room[at : at : at+n]
}

const (
	maxShared = 2 << 10
	maxRoom   = 32 << 10
)

// put writes a row value (nil: deletes the row) into the overlay. base is the committed value that it replaces, nil for none; it
// counts only for the transaction's first write of the key.
func (t *Txn) put(rel *catalog.Relation, rowKey RowKey, value, base []byte) {
	t.writes.Put(t.seq, overlay.Write{
		Key: key.AppendRow(t.bytes(kv.PrefixLen+len(rowKey)), rel.Storage, rowKey), Value: value,
		Stamp: lsnAt, Base: base, BaseKnown: true,
	})
}

// current is the newest state of a row: the transaction's own, or the newest committed one.
type current struct {
	value []byte // nil: there is no row. A copy, or the overlay's
	seq   uint64 // of the own write
	own   bool
}

// newest reads the newest state of a key. Only the holder of its lock may rely on it.
func (t *Txn) newest(ctx context.Context, fullKey []byte) (current, error) {
	if v, seq, f, err := t.writes.Newest(fullKey); err != nil || f != overlay.Untouched {
		return current{v, seq, true}, err
	}
	h, err := t.db.acquire()
	if err != nil {
		return current{}, err
	}
	defer h.release()
	v, err := h.snap.Get(ctx, fullKey)
	return current{value: bytes.Clone(v)}, err
}

// exists is newest for those who only ask whether there is something.
func (t *Txn) exists(ctx context.Context, fullKey []byte) (bool, error) {
	if _, _, f, err := t.writes.Newest(fullKey); err != nil || f != overlay.Untouched {
		return f == overlay.Present, err
	}
	h, err := t.db.acquire()
	if err != nil {
		return false, err
	}
	defer h.release()
	v, err := h.snap.Get(ctx, fullKey)
	return v != nil, err
}

// forChange gives the newest state of a row that the statement saw as old and has locked, or the reason why it cannot be changed.
func (t *Txn) forChange(ctx context.Context, fullKey []byte, old doc.Doc) (current, error) {
	cur, err := t.newest(ctx, fullKey)
	switch {
	case err != nil:
		return cur, err
	case cur.own && cur.seq > t.now.seq:
		return cur, ErrTwice
	case cur.own && cur.value != nil:
		return cur, nil
	case cur.value != nil && rowLSN(cur.value) <= t.LSN():
		return cur, nil
	case t.opt.Isolation != ReadCommitted:
		return cur, concurrent(cur.value == nil)
	case cur.value != nil && bytes.Equal(rowDoc(cur.value), old):
		return cur, nil // the statement has judged the newest state already
	}
	return cur, ErrRestart
}

func concurrent(deleted bool) error {
	what := "update"
	if deleted {
		what = "delete"
	}
	return dberr.New(dberr.SerializationFailure, "could not serialize access due to concurrent %s", what)
}

// Update replaces the row at key, which the statement saw as old, by new, and gives its key, which changes with the primary key.
// ErrTwice: this statement has changed the row before. ErrRestart, and 40001 at REPEATABLE READ and above: another transaction has
// changed it since the statement's snapshot. The document is copied.
func (t *Txn) Update(ctx context.Context, rel *catalog.Relation, rowKey RowKey, old, new doc.Doc) (RowKey, error) {
	if err := t.enterForWrite(ctx, rel); err != nil {
		return nil, err
	}
	if rel.Kind == catalog.Collection {
		var err error
		if new, err = keepID(old, new); err != nil {
			return nil, err
		}
	} else if err := checkNotNull(rel, new); err != nil {
		return nil, err
	}
	if err := doc.CheckDocument(new); err != nil {
		return nil, err
	}
	newKey, err := t.movedKey(rel, rowKey, old, new)
	if err != nil {
		return nil, err
	}
	mode := ForNoKeyUpdate
	if newKey != nil || t.changesReferred(rel, old, new) {
		mode = ForUpdate
	}
	if err := t.lockRow(ctx, rel, rowKey, old, mode, Wait); err != nil {
		return nil, err
	}
	fullKey := key.AppendRow(nil, rel.Storage, rowKey)
	cur, err := t.forChange(ctx, fullKey, old)
	if err != nil {
		return nil, err
	}
	if newKey != nil {
		if newKey, err = t.claimPrimaryKey(ctx, rel, new); err != nil {
			return nil, err
		}
	} else {
		newKey = rowKey
	}
	ordinal := rowOrdinal(cur.value)
	before, after := indexRow{rel, rowKey, ordinal}, indexRow{rel, newKey, ordinal}
	if err := t.indexUpdate(ctx, before, after, rowDoc(cur.value), new); err != nil {
		return nil, err
	}
	if !bytes.Equal(newKey, rowKey) {
		t.put(rel, rowKey, nil, cur.base())
		t.put(rel, newKey, t.rowValue(ordinal, new), nil)
	} else {
		t.put(rel, rowKey, t.rowValue(ordinal, new), cur.base())
	}
	t.noteForeign(rel, rowDoc(cur.value), new)
	return newKey, t.spillIfLarge()
}

// base is the committed value for the overlay; it keeps that of the first write by itself.
func (c *current) base() []byte {
	if c.own {
		return nil
	}
	return c.value
}

// Delete removes the row at key, which the statement saw as old. Errors are those of Update.
func (t *Txn) Delete(ctx context.Context, rel *catalog.Relation, rowKey RowKey, old doc.Doc) error {
	if err := t.enterForWrite(ctx, rel); err != nil {
		return err
	}
	if err := t.lockRow(ctx, rel, rowKey, old, ForUpdate, Wait); err != nil {
		return err
	}
	cur, err := t.forChange(ctx, key.AppendRow(nil, rel.Storage, rowKey), old)
	if err != nil {
		return err
	}
	if err := t.indexRemove(ctx, indexRow{rel, rowKey, rowOrdinal(cur.value)}, rowDoc(cur.value)); err != nil {
		return err
	}
	t.put(rel, rowKey, nil, cur.base())
	t.noteForeign(rel, rowDoc(cur.value), nil)
	return t.spillIfLarge()
}

// Get reads the row at key as the statement sees it.
func (t *Txn) Get(ctx context.Context, rel *catalog.Relation, rowKey RowKey) (doc.Doc, bool, error) {
	if err := t.enterForRead(ctx, rel); err != nil {
		return nil, false, err
	}
	v, err := t.now.get(ctx, key.AppendRow(nil, rel.Storage, rowKey))
	if v == nil || err != nil {
		return nil, false, err
	}
	return rowDoc(v), true, nil
}

// get reads a row value at the reading point, nil for none.
func (s *Statement) get(ctx context.Context, fullKey []byte) ([]byte, error) {
	s.txn.reads.addKey(fullKey)
	v, f, err := s.txn.writes.Get(fullKey, s.seq)
	switch {
	case err != nil:
		return nil, err
	case f == overlay.Present:
		return v, nil
	case f == overlay.Deleted:
		return nil, nil
	}
	v, err = s.head.snap.Get(ctx, fullKey)
	if v == nil || err != nil {
		return nil, err
	}
	return v, checkRow(fullKey, v)
}

// GetByID reads the document of a collection whose _id prints as id.
func (t *Txn) GetByID(ctx context.Context, rel *catalog.Relation, id string) (RowKey, doc.Doc, bool, error) {
	keys, err := idKeys(rel, id)
	if err != nil {
		return nil, nil, false, err
	}
	for _, k := range keys {
		if d, ok, err := t.Get(ctx, rel, k); ok || err != nil {
			return k, d, ok, err
		}
	}
	return nil, nil, false, nil
}
