package storage

import (
	"bytes"
	"context"
	"fmt"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/oplog"
)

// VerifyReport is what Verify has looked at, and the first thing that it found wrong.
type VerifyReport struct {
	LSN       kv.LSN
	Commits   int64
	Records   int64
	Relations int64
	Rows      int64
	Entries   int64  // of indexes
	Problem   string // "" when everything holds
}

// Verify checks the whole store as of now against itself: the chain of op-log headers, each commit's records against its header, each
// row against the record of the commit that wrote it, superseded and deleted rows against the history, keys against documents,
// counters against rows, the catalog, and that nothing lies where nothing should. A damaged store is a report with a Problem; an error
// means that it could not be checked.
func (db *DB) Verify(ctx context.Context) (VerifyReport, error) {
	h, err := db.acquire()
	if err != nil {
		return VerifyReport{}, err
	}
	defer h.release()
	v := verifier{ctx: ctx, db: db, snap: h.durable(), cat: catalog.NewView(h.cat, catalog.MainDatabase, nil), live: map[uint64]*liveStorage{}}
	v.report.LSN = h.snap.LSN()
	for _, step := range []func() error{v.catalogHolds, v.logHolds, v.rowsHold, v.indexesHold, v.keyspaceHolds} {
		err := step()
		if err != nil && ctx.Err() != nil {
			return v.report, context.Cause(ctx)
		}
		if err != nil {
			v.report.Problem = problem(err)
			break
		}
	}
	return v.report, nil
}

// problem is the text of what is wrong.
func problem(err error) string {
	e := dberr.As(err)
	if e.Detail != "" {
		return e.Message + ": " + e.Detail
	}
	return e.Message
}

func wrong(format string, args ...any) error {
	return dberr.New(dberr.DataCorrupted, format, args...)
}

type verifier struct {
	ctx    context.Context
	db     *DB
	snap   kv.Snapshot
	cat    *catalog.View
	live   map[uint64]*liveStorage // storage of relations by id; the classes of the catalog under their numbers
	hasher oplog.Hasher
	report VerifyReport
	base   base
	prev   kv.LSN
	chain  oplog.Chain
}

// liveStorage counts what is known of one relation's rows.
type liveStorage struct {
	rel     *catalog.Relation // nil for a class of the catalog
	matched int64             // records that the newest row of their key agrees with
	past    int64             // history entries that a record stands behind
}

func (s *liveStorage) name() string {
	if s.rel == nil {
		return "the catalog"
	}
	return fmt.Sprintf("relation %q", s.rel.Name)
}

// catalogHolds reads all descriptors again and compares them with the catalog in use.
func (v *verifier) catalogHolds() error {
	stored, err := v.db.loadCatalog(v.ctx, v.snap)
	if err != nil {
		return err
	}
	for _, class := range catalogClasses {
		v.live[uint64(class)] = &liveStorage{}
		stored.All(class, func(d catalog.Descriptor) bool {
			if r, ok := d.(*catalog.Relation); ok && r.Storage != 0 && !r.Temp {
				if other := v.live[r.Storage]; other != nil {
					err = wrong("relation %q has the storage of %s", r.Name, other.name())
				}
				v.live[r.Storage] = &liveStorage{rel: r}
				v.report.Relations++
			}
			used := v.cat.Get(class, d.OID())
			if used == nil || used.Label() != d.Label() || used.Home() != d.Home() {
				err = wrong("the stored catalog entry %d (%q) is not the one in use", d.OID(), d.Label())
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// logHolds walks the op-log from the first entry on.
func (v *verifier) logHolds() error {
	var err error
	if v.base, err = readBase(v.ctx, v.snap); err != nil {
		return err
	}
	v.prev, v.chain = v.base.lsn, v.base.chain
	return eachEntry(v.ctx, v.snap, 0, key.Unstamped, false, func(e *Entry) error {
		if err := v.headerHolds(e); err != nil {
			return err
		}
		v.prev, v.chain = e.LSN, e.After()
		var sum oplog.BodyCheck
		var count uint64
		var last []byte
		err := e.places(v.ctx, func(p oplog.Place, r *oplog.Record) error {
			if last != nil && bytes.Compare(last, r.Key) >= 0 {
				return wrong("op-log entry %d: its records are out of order", e.LSN)
			}
			last = append(last[:0], r.Key...)
			sum.Add(r)
			count++
			return v.recordHolds(e.LSN, p, r)
		})
		if err != nil {
			return err
		}
		if count != e.Count || sum.Sum() != e.Body {
			return wrong("op-log entry %d: its records are not those that it was committed with", e.LSN)
		}
		v.report.Commits++
		v.report.Records += int64(count)
		return nil
	})
}

func (v *verifier) headerHolds(e *Entry) error {
	switch {
	case e.LSN > v.report.LSN:
		return wrong("op-log entry %d is newer than the store's newest commit %d", e.LSN, v.report.LSN)
	case !oplog.CheckHash(e.LSN, e.head):
		return wrong("op-log entry %d: its header does not have the hash that it states", e.LSN)
	case e.Prev != v.chain.Prev:
		return wrong("op-log entry %d does not follow entry %d: the chain of hashes is broken", e.LSN, v.prev)
	case e.Micros <= v.chain.Micros || e.Total <= v.chain.Total:
		return wrong("op-log entry %d is not later than entry %d", e.LSN, v.prev)
	case e.LSN <= v.base.lsn:
		return wrong("op-log entry %d was given up, but is still there", e.LSN)
	}
	return nil
}

// recordHolds checks a record against what became of its key.
func (v *verifier) recordHolds(lsn kv.LSN, p oplog.Place, r *oplog.Record) error {
	space, id, rest := key.Split(r.Key)
	live := v.live[id]
	if live == nil || (space == key.Catalog) != (live.rel == nil) {
		return nil // of a relation that was dropped or truncated since
	}
	if lsn <= v.base.horizon() {
		return v.partlyGivenUp(lsn, id, rest, r, live)
	}
	if r.Image != oplog.NoImage {
		if err := v.pastHolds(lsn, p, id, rest, live); err != nil {
			return err
		}
	}
	row, err := v.snap.Get(v.ctx, r.Key)
	if err != nil {
		return err
	}
	if row != nil {
		if err := checkRow(r.Key, row); err != nil {
			return err
		}
		switch at := rowLSN(row); {
		case at == lsn && (r.Deleted || v.hasher.Row(row) != r.After):
			return wrong("the row %s of %s is not what commit %d wrote", v.show(r.Key, row), live.name(), lsn)
		case at == lsn:
			live.matched++
			return nil
		case at < lsn:
			return wrong("the row %s of %s says that commit %d wrote it, but commit %d did so later", v.show(r.Key, row), live.name(), at, lsn)
		}
	}
	if r.Deleted {
		return nil
	}
	return v.supersededHolds(lsn, id, rest, r, live)
}

// partlyGivenUp checks a record of the commit that is being given up: its row has a digest already, or the record must still do.
func (v *verifier) partlyGivenUp(lsn kv.LSN, id uint64, rowKey []byte, r *oplog.Record, live *liveStorage) error {
	b, err := v.snap.Get(v.ctx, key.AppendHistory(nil, id, rowKey, lsn))
	if err != nil {
		return err
	}
	if _, place := oplog.DecodePlace(b); place {
		live.past++
	} else if b != nil {
		return nil
	}
	row, err := v.snap.Get(v.ctx, r.Key)
	if err != nil || row == nil {
		return err
	}
	if err := checkRow(r.Key, row); err != nil {
		return err
	}
	if rowLSN(row) == lsn && !r.Deleted && v.hasher.Row(row) == r.After {
		live.matched++
	}
	return nil
}

// pastHolds checks that the history leads to the record.
func (v *verifier) pastHolds(lsn kv.LSN, p oplog.Place, id uint64, rowKey []byte, live *liveStorage) error {
	b, err := v.snap.Get(v.ctx, key.AppendHistory(nil, id, rowKey, lsn))
	if err != nil {
		return err
	}
	if got, ok := oplog.DecodePlace(b); !ok || got != p {
		return wrong("the history of %s does not lead to the record of key %x in op-log entry %d", live.name(), rowKey, lsn)
	}
	live.past++
	return nil
}

// supersededHolds checks that the state that the record left was the one that the next record of the key found.
func (v *verifier) supersededHolds(lsn kv.LSN, id uint64, rowKey []byte, r *oplog.Record, live *liveStorage) error {
	from := key.AppendHistory(nil, id, rowKey, lsn+1)
	it := v.snap.Scan(v.ctx, kv.Range{Start: from, End: key.AppendHistory(nil, id, rowKey, key.Unstamped)})
	defer it.Close()
	if !it.Next() {
		if it.Err() != nil {
			return it.Err()
		}
		return wrong("the row under key %x of %s, written by commit %d, has disappeared without a record", rowKey, live.name(), lsn)
	}
	_, next, err := key.SplitHistory(it.Key())
	if err != nil {
		return err
	}
	place, ok := oplog.DecodePlace(it.Value())
	if !ok {
		return wrong("the history entry of key %x of %s at commit %d is damaged", rowKey, live.name(), next)
	}
	e, err := readEntry(v.ctx, v.snap, next)
	if err != nil {
		return err
	}
	after, err := e.record(v.ctx, place)
	if err != nil {
		return err
	}
	digest := after.BeforeDigest
	if after.Image == oplog.Whole {
		digest = v.hasher.Row(after.Before)
	}
	if !bytes.Equal(after.Key, r.Key) || after.BeforeLSN != lsn || digest != r.After {
		return wrong("the row under key %x of %s, written by commit %d, is not what commit %d found", rowKey, live.name(), lsn, next)
	}
	return nil
}

// show names a row for a report.
func (v *verifier) show(k, row []byte) string {
	if id := rowDoc(row).Lookup(idField); !id.Missing() {
		return doc.IDText(id)
	}
	return fmt.Sprintf("%x", k[kv.PrefixLen:])
}

// rowsHold walks all rows: each has a record, lies under the key that its document gives, and is counted.
func (v *verifier) rowsHold() error {
	for id, live := range v.live {
		space := key.Row
		if live.rel == nil {
			space = key.Catalog
		}
		if err := v.historyHolds(space, id, live); err != nil {
			return err
		}
		n, high, err := v.eachRow(space, id, live)
		if err != nil {
			return err
		}
		if n != live.matched {
			return v.findStranger(space, id, live)
		}
		if live.rel == nil {
			continue
		}
		c, err := readCounts(v.ctx, v.snap, id)
		if err != nil {
			return err
		}
		if c.rows != n || c.high < high {
			return wrong("%s has %d rows and ordinals below %d, its counters say %d and %d", live.name(), n, high, c.rows, c.high)
		}
		v.report.Rows += n
	}
	return nil
}

func (v *verifier) eachRow(space key.Space, id uint64, live *liveStorage) (n int64, high uint64, err error) {
	it := v.snap.Scan(v.ctx, key.All(space, id))
	defer it.Close()
	for it.Next() {
		n++
		if err := checkRow(it.Key(), it.Value()); err != nil {
			return n, high, err
		}
		high = max(high, rowOrdinal(it.Value())+1)
		if live.rel != nil {
			if err := v.rowHolds(it.Key(), it.Value(), live.rel); err != nil {
				return n, high, err
			}
		}
	}
	return n, high, it.Err()
}

// rowHolds checks that a document is sound and lies under its key.
func (v *verifier) rowHolds(k, row []byte, rel *catalog.Relation) error {
	d := rowDoc(row)
	if err := doc.Validate(d.Value(), false); err != nil {
		return wrong("the row %s of relation %q: %v", v.show(k, row), rel.Name, err)
	}
	want, err := rowKeyOf(rel, row)
	if err != nil || !bytes.Equal(want, k[kv.PrefixLen:]) {
		return wrong("the row %s of relation %q lies under key %x, its content belongs under %x", v.show(k, row), rel.Name, k[kv.PrefixLen:], want)
	}
	if rel.Kind == catalog.Collection && !rel.HasIDType(idType(d.Lookup(idField))) {
		return wrong("the _id of row %s has a type that collection %q is not known to have", v.show(k, row), rel.Name)
	}
	return nil
}

// rowKeyOf computes the row key that a row's content gives.
func rowKeyOf(rel *catalog.Relation, row []byte) (RowKey, error) {
	switch {
	case rel.Kind == catalog.Collection:
		return idKey(rowDoc(row).Lookup(idField))
	case len(rel.PrimaryKey) > 0:
		return primaryKey(rel, rowDoc(row))
	}
	return key.AppendHiddenRowKey(nil, rowOrdinal(row)), nil
}

// findStranger names the row that no record stands behind.
func (v *verifier) findStranger(space key.Space, id uint64, live *liveStorage) error {
	it := v.snap.Scan(v.ctx, key.All(space, id))
	defer it.Close()
	for it.Next() {
		lsn := rowLSN(it.Value())
		if lsn <= v.base.horizon() {
			b, err := v.snap.Get(v.ctx, key.AppendHistory(nil, id, it.Key()[kv.PrefixLen:], lsn))
			if err != nil {
				return err
			}
			if b == nil {
				return wrong("nothing is known of the row %s of %s", v.show(it.Key(), it.Value()), live.name())
			}
			continue
		}
		e, err := readEntry(v.ctx, v.snap, lsn)
		if err != nil {
			return wrong("the row %s of %s says that commit %d wrote it, which the op-log does not have", v.show(it.Key(), it.Value()), live.name(), lsn)
		}
		if _, ok, err := e.find(v.ctx, it.Key()); err != nil || !ok {
			return wrong("the row %s of %s has no record in op-log entry %d", v.show(it.Key(), it.Value()), live.name(), lsn)
		}
	}
	return firstError(it.Err(), wrong("%s has other rows than the op-log tells", live.name()))
}

// historyHolds checks that no history entry is without its record, and the digests that stand for commits that were given up.
func (v *verifier) historyHolds(space key.Space, id uint64, live *liveStorage) error {
	it := v.snap.Scan(v.ctx, key.All(key.History, id))
	defer it.Close()
	n := int64(0)
	for it.Next() {
		if len(it.Value()) != len(oplog.Digest{}) {
			n++
			continue
		}
		rowKey, lsn, err := key.SplitHistory(it.Key())
		if err != nil {
			return err
		}
		if err := v.digestHolds(space, id, rowKey, lsn, oplog.Digest(it.Value()), live); err != nil {
			return err
		}
	}
	if it.Err() == nil && n != live.past {
		return wrong("the history of %s has %d entries, the op-log has records for %d", live.name(), n, live.past)
	}
	return it.Err()
}

// digestHolds checks a digest against its row, or against the record of the commit that changed the row later.
func (v *verifier) digestHolds(space key.Space, id uint64, rowKey []byte, lsn kv.LSN, d oplog.Digest, live *liveStorage) error {
	k := append(key.AppendPrefix(nil, space, id), rowKey...)
	row, err := v.snap.Get(v.ctx, k)
	if err != nil {
		return err
	}
	if row != nil {
		if err := checkRow(k, row); err != nil {
			return err
		}
		if rowLSN(row) == lsn {
			if v.hasher.Row(row) != d {
				return wrong("the row %s of %s is not what commit %d wrote", v.show(k, row), live.name(), lsn)
			}
			live.matched++
			return nil
		}
	}
	return v.supersededHolds(lsn, id, rowKey, &oplog.Record{Key: k, After: d}, live)
}

// keyspaceHolds checks that nothing lies under ids that nobody has.
func (v *verifier) keyspaceHolds() error {
	known := map[uint64]bool{metaStore: true, metaCounters: true, metaSwept: true}
	for id := range v.live {
		known[id] = true
	}
	for _, r := range v.cat.AllRelations() {
		for _, x := range v.cat.IndexesOf(r) {
			known[x.Storage] = true
		}
	}
	swept := v.snap.Scan(v.ctx, key.All(key.Meta, metaSwept))
	defer swept.Close()
	for swept.Next() {
		id, err := sweptID(swept.Key())
		if err != nil {
			return err
		}
		known[id] = true
	}
	if swept.Err() != nil {
		return swept.Err()
	}
	var at []byte
	for {
		it := v.snap.Scan(v.ctx, kv.Range{Start: at})
		more := it.Next()
		if !more {
			err := it.Err()
			it.Close()
			return err
		}
		space, id, _ := key.Split(it.Key())
		it.Close()
		if space != key.Log && !known[id] {
			return wrong("keyspace %q holds keys of object %d, which the catalog does not have", string(space), id)
		}
		at = key.PrefixEnd(key.AppendPrefix(nil, space, id))
	}
}
