package storage

import (
	"bytes"
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
)

// reverter brings a store back to what it was after an earlier commit, as one transaction: descriptors, rows and indexes. Relations
// whose descriptor or indexes have changed since, or that were dropped or truncated, are made anew in fresh storage; in the others only
// the rows change that differ. Nobody else uses the store meanwhile, so it takes no locks. Rows keep their ordinals, because hidden keys
// are made of them.
type reverter struct {
	ctx       context.Context
	t         *Txn
	lsn       kv.LSN
	now, then *catalog.Committed
	rebuilt   map[catalog.ID]*catalog.Relation // relations in fresh storage, by id
	indexes   []*catalog.Index                 // to build over them
}

// revertTo brings the store back to a moment and gives the newest commit that there is then.
func (db *DB) revertTo(ctx context.Context, m Moment) (kv.LSN, error) {
	t, err := db.Begin(ctx, TxnOptions{Actor: Actor{Role: "postgres", Application: "omgdb restore"}})
	if err != nil {
		return 0, err
	}
	defer t.Rollback()
	if m.LSN == 0 {
		if m.LSN, err = t.LSNAt(ctx, m.At); err != nil {
			return 0, err
		}
	}
	if _, err := t.checkPast(ctx, m.LSN); err != nil {
		return 0, err
	}
	r := reverter{ctx: ctx, t: t, lsn: m.LSN, now: t.now.head.cat, rebuilt: map[catalog.ID]*catalog.Relation{}}
	if err := r.run(); err != nil {
		return 0, err
	}
	if err := t.Commit(ctx); err != nil {
		return 0, err
	}
	h, err := db.acquire()
	if err != nil {
		return 0, err
	}
	defer h.release()
	return h.snap.LSN(), nil
}

func (r *reverter) run() (err error) {
	open := func(class catalog.Class) kv.Iter {
		return r.t.now.asOf(r.ctx, key.Catalog, uint64(class), r.lsn, KeyRange{}, false)
	}
	if r.then, err = r.t.db.decodeCatalog(open, r.lsn); err != nil {
		return err
	}
	if err := r.descriptors(); err != nil {
		return err
	}
	if err := r.eachThen(func(was *catalog.Relation) error {
		if fresh := r.rebuilt[was.ID]; fresh != nil {
			return r.copyRows(was, fresh)
		}
		return r.revertRows(was)
	}); err != nil {
		return err
	}
	if err := r.t.BeginStatement(r.ctx); err != nil { // indexes are built from the rows as they are now
		return err
	}
	for _, x := range r.indexes {
		rel := r.rebuilt[x.Relation]
		m, err := r.t.db.openIndex(rel, x)
		if err != nil {
			return err
		}
		if err := r.t.build(r.ctx, rel, x, m); err != nil {
			return err
		}
	}
	return nil
}

// eachThen calls f for the relations with rows that there were.
func (r *reverter) eachThen(f func(*catalog.Relation) error) (err error) {
	r.then.All(catalog.RelationClass, func(d catalog.Descriptor) bool {
		if rel := d.(*catalog.Relation); rel.Storage != 0 && !rel.Temp {
			err = f(rel)
		}
		return err == nil
	})
	return err
}

// descriptors changes the catalog. All old descriptors go before any new one comes, so that names can change hands.
func (r *reverter) descriptors() error {
	var changes []catalog.Change
	for _, class := range catalogClasses {
		some, err := r.differences(class)
		if err != nil {
			return err
		}
		changes = append(changes, some...)
	}
	changes = r.withRebuilt(changes)
	for _, ch := range changes {
		if ch.Old != nil {
			if err := r.t.change(r.ctx, ch.Old, nil); err != nil {
				return err
			}
		}
	}
	for _, ch := range changes {
		if ch.New != nil {
			if err := r.t.change(r.ctx, nil, ch.New); err != nil {
				return err
			}
		}
	}
	return nil
}

// differences lists the descriptors of a class that are not as they were. Relations and indexes have no new descriptors yet.
func (r *reverter) differences(class catalog.Class) (out []catalog.Change, err error) {
	r.now.All(class, func(now catalog.Descriptor) bool {
		was := r.then.Get(class, now.OID())
		var same bool
		if same, err = alike(now, was); err == nil && !same {
			out = append(out, catalog.Change{Old: now, New: was})
		}
		return err == nil
	})
	r.then.All(class, func(was catalog.Descriptor) bool {
		if r.now.Get(class, was.OID()) == nil {
			out = append(out, catalog.Change{New: was})
		}
		return true
	})
	return out, err
}

// alike tells whether a descriptor is what it was, but for the set of _id types, which only grows. Temporary relations are nobody's
// any more and go.
func alike(now, was catalog.Descriptor) (bool, error) {
	if was == nil {
		return false, nil
	}
	if a, ok := now.(*catalog.Relation); ok {
		b := *was.(*catalog.Relation)
		b.IDTypes = a.IDTypes
		was = &b
	}
	a, err := catalog.Encode(now)
	if err != nil {
		return false, err
	}
	b, err := catalog.Encode(was)
	return bytes.Equal(a, b), err
}

// withRebuilt completes the changes: relations that changed, or whose indexes did, get fresh storage, and so do all their indexes.
func (r *reverter) withRebuilt(changes []catalog.Change) []catalog.Change {
	out := changes[:0:0]
	again := map[catalog.ID]bool{}
	for _, ch := range changes {
		switch d := either(ch).(type) {
		case *catalog.Relation:
			again[d.ID] = true
		case *catalog.Index:
			again[d.Relation] = true
		default:
			out = append(out, ch)
		}
	}
	for _, c := range []*catalog.Committed{r.now, r.then} { // what goes, and then what comes
		c.All(catalog.RelationClass, func(d catalog.Descriptor) bool {
			if rel := d.(*catalog.Relation); again[rel.ID] {
				out = append(out, r.relation(c == r.now, rel))
			}
			return true
		})
		c.All(catalog.IndexClass, func(d catalog.Descriptor) bool {
			if x := d.(*catalog.Index); again[x.Relation] {
				out = append(out, r.index(c == r.now, x))
			}
			return true
		})
	}
	return out
}

func either(ch catalog.Change) catalog.Descriptor {
	if ch.New != nil {
		return ch.New
	}
	return ch.Old
}

func (r *reverter) relation(goes bool, rel *catalog.Relation) catalog.Change {
	if goes {
		if rel.Storage != 0 {
			r.t.discard(rel.Storage)
		}
		return catalog.Change{Old: rel}
	}
	fresh := *rel
	fresh.Version, fresh.Published = r.t.db.nextVersion(), 0
	fresh.Shape = fresh.Version
	if rel.Storage != 0 {
		fresh.Storage = r.t.db.newID()
		r.rebuilt[rel.ID] = &fresh
	}
	return catalog.Change{New: &fresh}
}

func (r *reverter) index(goes bool, x *catalog.Index) catalog.Change {
	if goes {
		r.t.discard(x.Storage)
		return catalog.Change{Old: x}
	}
	fresh := *x
	fresh.Storage, fresh.Version, fresh.Published = r.t.db.newID(), r.t.db.nextVersion(), 0
	r.indexes = append(r.indexes, &fresh)
	return catalog.Change{New: &fresh}
}

// copyRows puts the rows that a relation had into its fresh storage.
func (r *reverter) copyRows(was, fresh *catalog.Relation) error {
	if err := r.t.checkPastOf(r.ctx, was, r.lsn); err != nil {
		return err
	}
	past := r.t.now.asOf(r.ctx, key.Row, was.Storage, r.lsn, KeyRange{}, false)
	defer past.Close()
	for past.Next() {
		r.t.put(fresh, slices.Clone(past.Key()[kv.PrefixLen:]), rowValue(rowOrdinal(past.Value()), rowDoc(past.Value())), nil)
		if err := r.t.spillIfLarge(); err != nil {
			return err
		}
	}
	return past.Err()
}

// revertRows changes the rows of a relation that are not as they were, and their index entries: first all go, then all come, so that no
// row meets another one's key on its way.
func (r *reverter) revertRows(was *catalog.Relation) error {
	rel := r.now.Get(catalog.RelationClass, was.ID).(*catalog.Relation)
	err := r.eachDifference(rel, func(rowKey RowKey, now, _ []byte) error {
		if now == nil {
			return nil
		}
		return r.t.putBack(r.ctx, rel, &RowChange{Key: rowKey}, &current{value: now})
	})
	if err != nil {
		return err
	}
	return r.eachDifference(rel, func(rowKey RowKey, _, was []byte) error {
		if was == nil {
			return nil
		}
		return r.t.putBack(r.ctx, rel, &RowChange{Key: rowKey, Before: rowDoc(was), ordinal: rowOrdinal(was)}, &current{})
	})
}

// eachDifference calls f for each row that is not as it was: its committed value now, nil for none, and that of then.
func (r *reverter) eachDifference(rel *catalog.Relation, f func(rowKey RowKey, now, was []byte) error) error {
	now := r.t.now.head.snap.Scan(r.ctx, key.All(key.Row, rel.Storage))
	defer now.Close()
	past := r.t.now.asOf(r.ctx, key.Row, rel.Storage, r.lsn, KeyRange{}, false)
	defer past.Close()
	hasNow, hasPast := now.Next(), past.Next()
	for hasNow || hasPast {
		order := -1
		if !hasNow {
			order = 1
		} else if hasPast {
			order = bytes.Compare(now.Key(), past.Key())
		}
		var rowKey RowKey
		var is, was []byte
		if order <= 0 {
			if rowKey, is = slices.Clone(now.Key()[kv.PrefixLen:]), now.Value(); checkRow(now.Key(), is) != nil {
				return checkRow(now.Key(), is)
			}
			hasNow = now.Next()
		}
		if order >= 0 {
			rowKey, was = slices.Clone(past.Key()[kv.PrefixLen:]), past.Value()
			hasPast = past.Next()
		}
		if is != nil && was != nil && rowOrdinal(is) == rowOrdinal(was) && bytes.Equal(rowDoc(is), rowDoc(was)) {
			continue
		}
		if err := f(rowKey, is, was); err != nil {
			return err
		}
	}
	return firstError(now.Err(), past.Err())
}
