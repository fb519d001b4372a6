package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/overlay"
)

// buildInside is up to how many bytes of entries an index is built inside its transaction; a larger one is committed in chunks of
// about buildChunk.
var (
	buildInside = 4 << 20
	buildChunk  = 32 << 20
)

// CreateIndex makes an index as described over all rows that there are, under a Share lock on the table: nobody writes meanwhile. The
// name must be free (42P07); a unique index over rows with equal keys is 23505. The entries of a large one are committed in chunks of
// their own under a fresh storage id that nobody reads before the transaction publishes the catalog entry; if it doesn't, the sweeper
// deletes them.
func (t *Txn) CreateIndex(ctx context.Context, x catalog.Index) (*catalog.Index, error) {
	rel, made, m, err := t.newIndex(ctx, x, Share)
	if err != nil {
		return nil, err
	}
	if err := t.build(ctx, rel, made, m); err != nil {
		return nil, err
	}
	return made, t.listIndex(ctx, rel, made)
}

// newIndex locks the table and makes the descriptor of an index that does not exist yet.
func (t *Txn) newIndex(ctx context.Context, x catalog.Index, mode TableMode) (*catalog.Relation, *catalog.Index, index.Maintainer, error) {
	if err := t.mayWrite(); err != nil {
		return nil, nil, nil, err
	}
	if err := t.LockTable(ctx, x.Relation, mode, Wait); err != nil {
		return nil, nil, nil, err
	}
	rel := t.Catalog().RelationByID(x.Relation)
	if rel == nil {
		return nil, nil, nil, ErrStale
	}
	if err := t.claimName(ctx, catalog.IndexClass, rel.Schema, x.Name); err != nil {
		return nil, nil, nil, err
	}
	if err := t.lockDescriptor(ctx, rel); err != nil {
		return nil, nil, nil, err
	}
	rel = t.Catalog().RelationByID(x.Relation) // whoever had the lock before has changed it
	x.Schema, x.Storage, x.Valid, x.Version, x.Published = rel.Schema, t.db.newStorage(rel), true, t.db.nextVersion(), 0
	if x.ID == 0 {
		x.ID = t.NewID()
	}
	x.Keys, x.Format = slices.Clone(x.Keys), catalog.IndexFormat
	for i := range x.Keys {
		if k := &x.Keys[i]; k.Col != 0 && k.Type == nil {
			k.Type = rel.Attr(k.Col).Type
		}
	}
	m, err := t.db.openIndex(rel, &x)
	return rel, &x, m, err
}

// listIndex puts a new index into the catalog: from then on every writer keeps it.
func (t *Txn) listIndex(ctx context.Context, rel *catalog.Relation, x *catalog.Index) error {
	if err := t.change(ctx, nil, x); err != nil {
		return err
	}
	wider := *rel
	wider.Indexes = append(slices.Clone(rel.Indexes), x.ID)
	return t.reshape(ctx, rel, &wider)
}

// replaceIndex changes an index's descriptor in a way that plans must know of.
func (t *Txn) replaceIndex(ctx context.Context, old, new *catalog.Index) error {
	if err := t.change(ctx, old, new); err != nil {
		return err
	}
	if err := t.lockDescriptor(ctx, t.Catalog().RelationByID(old.Relation)); err != nil {
		return err
	}
	rel := t.Catalog().RelationByID(old.Relation)
	same := *rel
	return t.reshape(ctx, rel, &same)
}

// reshape changes a relation's descriptor in a way that writers must know of.
func (t *Txn) reshape(ctx context.Context, old, new *catalog.Relation) error {
	new.Version, new.Published = t.db.nextVersion(), 0
	new.Shape = new.Version
	return t.change(ctx, old, new)
}

// DropIndex drops an index under an AccessExclusive lock on its table.
func (t *Txn) DropIndex(ctx context.Context, id catalog.ID) error {
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
	rel := t.Catalog().RelationByID(x.Relation)
	if x = t.Catalog().Index(id); x == nil || rel == nil {
		return ErrStale
	}
	narrower := *rel
	narrower.Indexes = slices.DeleteFunc(slices.Clone(rel.Indexes), func(other catalog.ID) bool { return other == id })
	if err := t.change(ctx, x, nil); err != nil {
		return err
	}
	t.discard(x.Storage)
	return t.reshape(ctx, rel, &narrower)
}

// Reindex builds an index again from its table's rows, under an AccessExclusive lock.
func (t *Txn) Reindex(ctx context.Context, id catalog.ID) error {
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
	rel := t.Catalog().RelationByID(x.Relation)
	if x = t.Catalog().Index(id); x == nil || rel == nil {
		return ErrStale
	}
	fresh := *x
	fresh.Format = catalog.IndexFormat
	fresh.Storage, fresh.Version, fresh.Published, fresh.Valid = t.db.newStorage(rel), t.db.nextVersion(), 0, true
	m, err := t.db.openIndex(rel, &fresh)
	if err != nil {
		return err
	}
	if err := t.build(ctx, rel, &fresh, m); err != nil {
		return err
	}
	if err := t.change(ctx, x, &fresh); err != nil {
		return err
	}
	t.discard(x.Storage)
	same := *rel
	return t.reshape(ctx, rel, &same)
}

// CanRead tells whether the statement may read an index: whether it was published no later than the statement's snapshot. Older
// snapshots see rows that the index never had.
func (t *Txn) CanRead(x *catalog.Index) bool {
	return x.Valid && x.Published != 0 && x.Published <= t.LSN()
}

// build writes the entries of all rows: what is committed, and what the transaction itself has written.
func (t *Txn) build(ctx context.Context, rel *catalog.Relation, x *catalog.Index, m index.Maintainer) error {
	h, err := t.db.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	w := chunkWriter{t: t, storage: x.Storage, unique: x.Unique}
	emit := func(k, v []byte) error { return w.add(ctx, k, v) }
	var rows index.Loader
	switch m := m.(type) {
	case index.Bulk:
		rows = m.Loader(emit)
	case index.Builder:
		rows = entryLoader{m, emit}
	default:
		return nil // it has nothing of existing rows
	}
	p := t.db.building(t.session.owner.PID, rel, x.ID, t.Catalog().Index(x.ID) != nil)
	defer p.end()
	all := key.All(key.Row, rel.Storage)
	it := merge(h.snap.Scan(ctx, all), t.writes.Cursor(overlay.Prefix(all.Start), all, ^uint64(0)), false)
	defer it.Close()
	for n := int64(1); it.Next(); n++ {
		if n%progressStep == 0 {
			p.done.Store(n)
		}
		if err := checkRow(it.Key(), it.Value()); err != nil {
			return err
		}
		row := index.Row{Key: it.Key()[kv.PrefixLen:], Ordinal: rowOrdinal(it.Value()), LSN: rowLSN(it.Value())}
		if err := rows.Add(ctx, row, rowDoc(it.Value())); err != nil {
			return t.notUnique(ctx, rel, x, m, err)
		}
	}
	if it.Err() != nil {
		return it.Err()
	}
	p.done.Store(max(p.what.Rows, p.done.Load()))
	p.writing.Store(true)
	if err := rows.Finish(ctx); err != nil {
		return err
	}
	if err := w.finish(ctx); err != nil {
		return t.notUnique(ctx, rel, x, m, err)
	}
	if sharing, ok := m.(index.Sharing); ok && x.Unique && x.Deferrable {
		return notUniqueRows(rel, x, sharing.CheckAll(ctx, &indexWriter{t: t, rel: rel}, t.loadNewest(ctx, rel)))
	}
	return nil
}

// notUniqueRows makes two rows with one key an error of the build.
func notUniqueRows(rel *catalog.Relation, x *catalog.Index, err error) error {
	var d *index.Duplicate
	if !errors.As(err, &d) {
		return err
	}
	e := dberr.New(dberr.UniqueViolation, "could not create unique index \"%s\"", x.Name).
		WithDetail("Key (%s)=(%s) is duplicated.", d.Columns, d.Values)
	e.Table, e.Constraint = rel.Name, x.Name
	return e
}

// entryLoader builds an index whose entries are the rows' own.
type entryLoader struct {
	b    index.Builder
	emit func(key, value []byte) error
}

// Add implements index.Loader.
func (l entryLoader) Add(ctx context.Context, row index.Row, d doc.Doc) error {
	return l.b.Entries(ctx, row, d, l.emit)
}

// Finish implements index.Loader.
func (entryLoader) Finish(context.Context) error { return nil }

// sameKey is the error of a build that meets a key twice.
type sameKey struct{ key, value []byte }

func (*sameKey) Error() string { return "the key appears twice" }

// notUnique makes a key that appears twice in a new unique index an error of SQL; other errors stay as they are.
func (t *Txn) notUnique(ctx context.Context, rel *catalog.Relation, x *catalog.Index, m index.Maintainer, err error) error {
	var twice *sameKey
	if !errors.As(err, &twice) {
		return err
	}
	e := dberr.New(dberr.UniqueViolation, "could not create unique index \"%s\"", x.Name)
	e.Table, e.Constraint = rel.Name, x.Name
	rowKey, err := m.(index.Reader).RowKey(twice.key, twice.value)
	if err != nil {
		return err
	}
	row, err := t.newest(ctx, key.AppendRow(nil, rel.Storage, rowKey))
	if err != nil {
		return err
	}
	// The index itself says what the key is called when the row meets another with its key.
	var d *index.Duplicate
	err = m.Insert(ctx, &meeting{indexWriter{t: t, rel: rel}, twice}, index.Row{Key: append(bytes.Clone(rowKey), 0)}, rowDoc(row.value))
	if errors.As(err, &d) {
		e.Detail = "Key (" + d.Columns + ")=(" + d.Values + ") is duplicated."
	}
	return e
}

// meeting is a Writer in which a key is taken.
type meeting struct {
	indexWriter
	taken *sameKey
}

func (m *meeting) Get(ctx context.Context, k []byte) ([]byte, error) {
	if bytes.Equal(k, m.taken.key) {
		return m.taken.value, nil
	}
	return m.indexWriter.Get(ctx, k)
}

// chunkWriter gathers the entries of a new index. When they become many it commits them in sorted chunks, with a note for the sweeper
// before the first, which the transaction takes back when it commits.
type chunkWriter struct {
	t       *Txn
	storage uint64
	unique  bool // keys may appear twice, which is an error
	ops     []kv.Op
	size    int
	noted   bool
}

func (w *chunkWriter) note() []byte {
	return metaKey(metaSwept, binary.BigEndian.AppendUint64(nil, w.storage))
}

func (w *chunkWriter) add(ctx context.Context, k, v []byte) error {
	w.ops = append(w.ops, plainPut(k, v))
	if w.size += len(k) + len(v) + 64; w.size >= buildChunk {
		return w.flush(ctx)
	}
	return nil
}

// sort puts the chunk in order and looks for keys that it or an earlier chunk has.
func (w *chunkWriter) sort(ctx context.Context) error {
	slices.SortFunc(w.ops, func(a, b kv.Op) int { return bytes.Compare(a.Key, b.Key) })
	if !w.unique {
		return nil
	}
	for i := 1; i < len(w.ops); i++ {
		if bytes.Equal(w.ops[i-1].Key, w.ops[i].Key) {
			return &sameKey{w.ops[i].Key, w.ops[i].Value}
		}
	}
	if !w.noted {
		return nil
	}
	h, err := w.t.db.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	for i := range w.ops {
		if v, err := h.snap.Get(ctx, w.ops[i].Key); v != nil || err != nil {
			return firstError(err, &sameKey{w.ops[i].Key, w.ops[i].Value})
		}
	}
	return nil
}

func (w *chunkWriter) flush(ctx context.Context) error {
	if err := w.sort(ctx); err != nil {
		return err
	}
	if !w.noted {
		w.noted = true
		w.t.db.sweeper.spare(w.storage)
		w.t.built = append(w.t.built, w.storage)
		if err := w.t.db.background([]kv.Op{plainPut(w.note(), make([]byte, kv.StampLen))}, true); err != nil {
			return err
		}
	}
	err := w.t.db.background(w.ops, false)
	w.ops, w.size = nil, 0
	return err
}

// finish brings the rest into the store, or all of it into the transaction.
func (w *chunkWriter) finish(ctx context.Context) error {
	t := w.t
	if !w.noted && w.size <= buildInside {
		if err := w.sort(ctx); err != nil {
			return err
		}
		for _, op := range w.ops {
			t.writes.Put(t.seq, overlay.Write{Key: op.Key, Value: op.Value, Stamp: kv.NoStamp})
		}
		return t.spillIfLarge()
	}
	if len(w.ops) > 0 || !w.noted {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	t.writes.Put(t.seq, overlay.Write{Key: w.note(), Stamp: kv.NoStamp})
	return nil
}

// background commits sorted operations that are no transaction's: they get an LSN but no op-log entry. newIDs tells that they use an
// id that was not committed before, so that it is never given out again.
func (db *DB) background(ops []kv.Op, newIDs bool) error {
	c := &commit{done: make(chan error, 1)}
	if newIDs {
		c.nextID = make([]byte, 8)
		ops = append([]kv.Op{plainPut(metaKey(metaStore, []byte(metaNextID)), c.nextID)}, ops...)
	}
	for i := range ops {
		c.size += int64(len(ops[i].Key) + len(ops[i].Value))
	}
	if len(ops) > 0 && temporaryKey(ops[0].Key) {
		c.temporary, c.temporarySize, c.size = opLists{&opList{ops: ops}}, c.size, 0
	} else {
		c.ops = opLists{&opList{ops: ops}}
	}
	return db.commit(c)
}
