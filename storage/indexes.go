package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/lock"
	"github.com/omgdb/omgdb/storage/overlay"
)

// indexRow is a row as its indexes see it.
type indexRow struct {
	rel     *catalog.Relation
	key     RowKey
	ordinal uint64
}

func (r *indexRow) row() index.Row {
	return index.Row{Key: r.key, Ordinal: r.ordinal, LSN: key.Unstamped}
}

// maintainers gives the maintainers of all indexes that the relation has now: those of the newest committed catalog and of the
// transaction's own changes, also the ones that its snapshot is too old to read.
func (t *Txn) maintainers(rel *catalog.Relation) ([]index.Maintainer, error) {
	v := t.Catalog()
	if t.indexes.view == v && t.indexes.rel == rel.ID {
		return t.indexes.list, nil
	}
	now := v.RelationByID(rel.ID)
	if now == nil {
		return nil, ErrStale
	}
	var list []index.Maintainer
	for _, x := range v.IndexesOf(now) {
		m, err := t.db.openIndex(now, x)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	t.indexes = openIndexes{v, rel.ID, list}
	return list, nil
}

func (db *DB) openIndex(rel *catalog.Relation, x *catalog.Index) (index.Maintainer, error) {
	k := openedIndex{rel, x, db.maintainers.definitions.Load()}
	if m := db.maintainers.get(k); m != nil {
		return m, nil
	}
	kind := db.kinds[x.Method]
	if kind == nil {
		return nil, dberr.New(dberr.FeatureNotSupported, "access method \"%s\" of index \"%s\" is not supported", x.Method, x.Name).
			WithHint("Use %s.", methodNames(db.kinds))
	}
	m, err := kind.Open(rel, x)
	if err == nil {
		db.maintainers.put(k, m)
	}
	return m, err
}

// openIndexes remembers the maintainers of the relation last written to.
type openIndexes struct {
	view *catalog.View
	rel  catalog.ID
	list []index.Maintainer
}

func (t *Txn) indexInsert(ctx context.Context, r indexRow, d doc.Doc) error {
	list, err := t.maintainers(r.rel)
	if err != nil || len(list) == 0 {
		return err
	}
	w := indexWriter{t: t, rel: r.rel}
	for i := 0; err == nil && i < len(list); i++ {
		err = list[i].Insert(ctx, &w, r.row(), d)
	}
	return w.finish(err)
}

// indexError makes the unique violation of an index one of SQL.
func (t *Txn) indexError(rel *catalog.Relation, err error) error {
	var d *index.Duplicate
	if !errors.As(err, &d) {
		return err
	}
	return t.duplicate(rel, d.Index.Name, d.Columns, d.Values, &Conflict{Index: d.Index.ID, Key: d.Row})
}

func (t *Txn) indexRemove(ctx context.Context, r indexRow, d doc.Doc) error {
	list, err := t.maintainers(r.rel)
	w := indexWriter{t: t, rel: r.rel}
	for i := 0; err == nil && i < len(list); i++ {
		err = list[i].Remove(ctx, &w, r.row(), d)
	}
	return w.finish(err)
}

func (t *Txn) indexUpdate(ctx context.Context, before, after indexRow, old, new doc.Doc) error {
	list, err := t.maintainers(before.rel)
	w := indexWriter{t: t, rel: before.rel}
	for i := 0; err == nil && i < len(list); i++ {
		if u, ok := list[i].(index.Updater); ok {
			err = u.Update(ctx, &w, before.row(), after.row(), old, new)
			continue
		}
		if err = list[i].Remove(ctx, &w, before.row(), old); err == nil {
			err = list[i].Insert(ctx, &w, after.row(), new)
		}
	}
	return w.finish(err)
}

// indexWriter is what a transaction lends to its indexes. It keeps what they write about a row until all of them have agreed, so that a
// violation in one leaves nothing of the others behind.
type indexWriter struct {
	t       *Txn
	rel     *catalog.Relation
	pending []overlay.Write
}

// finish writes what was kept, unless an index has refused.
func (w *indexWriter) finish(err error) error {
	if err != nil {
		return w.t.indexError(w.rel, err)
	}
	for _, p := range w.pending {
		w.t.writes.Put(w.t.seq, p)
	}
	return nil
}

// Get implements index.Writer.
func (w *indexWriter) Get(ctx context.Context, k []byte) ([]byte, error) {
	cur, err := w.t.newest(ctx, k)
	return cur.value, err
}

// Scan implements index.Writer.
func (w *indexWriter) Scan(ctx context.Context, r kv.Range) kv.Iter {
	h, err := w.t.db.acquire()
	if err != nil {
		return failedIter{err}
	}
	return &headIter{merge(h.snap.Scan(ctx, r), w.t.writes.Cursor(overlay.Prefix(r.Start), r, math.MaxUint64), r.Reverse), h}
}

// headIter holds the head that it reads.
type headIter struct {
	kv.Iter
	head *head
}

func (i *headIter) Close() {
	i.Iter.Close()
	i.head.release()
}

// failedIter is a scan that could not begin.
type failedIter struct{ err error }

func (failedIter) Next() bool    { return false }
func (failedIter) Key() []byte   { return nil }
func (failedIter) Value() []byte { return nil }
func (i failedIter) Err() error  { return i.err }
func (failedIter) Close()        {}

// Put implements index.Writer.
func (w *indexWriter) Put(k, v []byte, stamp int) {
	w.pending = append(w.pending, overlay.Write{Key: k, Value: v, Stamp: stamp})
}

// Delete implements index.Writer.
func (w *indexWriter) Delete(k []byte) {
	w.pending = append(w.pending, overlay.Write{Key: k, Stamp: kv.NoStamp})
}

// Claim implements index.Writer.
func (w *indexWriter) Claim(ctx context.Context, k []byte) error {
	if w.t.excludesWriters(w.rel) {
		return nil
	}
	tag := lock.Tag{Class: lock.Row, Object: binary.BigEndian.Uint64(k[1:]), Key: string(k[kv.PrefixLen:])}
	err := w.t.db.locks.Acquire(ctx, w.t.session.owner, tag, lock.Update, Wait, w.t.lockTimeout)
	if err == nil {
		w.t.escalate(ctx, w.rel)
	}
	return err
}

// Share implements index.Writer.
func (w *indexWriter) Share(x *catalog.Index, k []byte) {
	id := binary.BigEndian.AppendUint32([]byte{'u'}, uint32(x.ID))
	w.t.events.add(ConstraintEvent{Rel: w.rel.ID, Constraint: x.ID, Shared: k}, append(id, k...))
}
