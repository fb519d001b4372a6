package storage_test

import (
	"fmt"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
)

// TestTemporaryRelation: rows of temporary relations are in no op-log and have no past, share the transaction with others, go with the
// relation, and are gone when the store is opened again.
func TestTemporaryRelation(t *testing.T) {
	db := boltDB(t)
	path := db.Path()
	temporary := tableLike(t, db, catalog.Relation{Name: "t", Temp: true, PrimaryKey: []int16{1}})
	update(t, db, func(tx *storage.Txn) { createIndexes(t, tx, "t") })
	kept := table(t, db, "k", 1)
	fill := func(rel *catalog.Relation, tx *storage.Txn, from, to int) {
		for i := from; i < to; i++ {
			_, _, err := tx.Insert(bg, rel, parse(t, fmt.Sprintf(`{"a":%d,"b":%d,"c":"%d"}`, i, i%10, i)))
			must(t, err)
		}
	}
	temporary, kept = relation(t, db, "t"), relation(t, db, "k")
	records := func() (n int) {
		tx := begin(t, db, storage.ReadCommitted)
		defer tx.Rollback()
		must(t, tx.Log(bg, 1, tx.LSN(), false, func(*storage.Entry) error { n++; return nil }))
		return n
	}
	count := func(rel *catalog.Relation) int64 {
		tx := begin(t, db, storage.ReadCommitted)
		defer tx.Rollback()
		n, err := tx.Count(bg, rel)
		must(t, err)
		return n
	}
	before := records()
	update(t, db, func(tx *storage.Txn) { fill(temporary, tx, 0, 100) })
	if n := records(); n != before {
		t.Errorf("the op-log has grown from %d to %d entries", before, n)
	}
	old := begin(t, db, storage.RepeatableRead)
	update(t, db, func(tx *storage.Txn) { fill(temporary, tx, 100, 200); fill(kept, tx, 0, 10) })
	if n := records(); n != before+1 {
		t.Errorf("a commit into both has made %d entries", n-before)
	}
	if a, b := count(temporary), count(kept); a != 200 || b != 10 {
		t.Errorf("%d temporary rows, %d others", a, b)
	}
	if n, err := old.Count(bg, temporary); n != 100 || err != nil {
		t.Errorf("the older snapshot has %d temporary rows (%v)", n, err)
	}
	old.Rollback()
	tx := begin(t, db, storage.ReadCommitted)
	_, err := tryRows(tx, storage.ScanSpec{Rel: temporary, AsOf: tx.LSN()})
	if dberr.Code(err) != dberr.FeatureNotSupported {
		t.Errorf("the past of a temporary relation: %v", err)
	}
	tx.Rollback()
	sound(t, db)

	tx = begin(t, db, storage.ReadCommitted)
	fill(temporary, tx, 200, 300)
	fill(kept, tx, 10, 20)
	restore := storage.SetTemporaryMemory(db.TemporaryBytes() + 100)
	if err := tx.Commit(bg); dberr.Code(err) != dberr.OutOfMemory {
		t.Errorf("a commit beyond the memory: %v", err)
	}
	restore()
	if a, b := count(temporary), count(kept); a != 200 || b != 10 {
		t.Errorf("after the refused commit: %d temporary rows, %d others", a, b)
	}

	update(t, db, func(tx *storage.Txn) { must(t, tx.DropRelation(bg, temporary.ID)) })
	must(t, db.SweepTemporary(bg))
	if n := db.TemporaryBytes(); n != 0 {
		t.Errorf("%d bytes are left of the dropped relation", n)
	}
	again := tableLike(t, db, catalog.Relation{Name: "t", Temp: true})
	update(t, db, func(tx *storage.Txn) { fill(again, tx, 0, 10) })
	must(t, db.Close())
	db, err = storage.Open(bg, path, storage.Options{})
	must(t, err)
	defer db.Close()
	tx = begin(t, db, storage.ReadCommitted)
	if tx.Catalog().Relation("public", "t") != nil {
		t.Error("a temporary relation is there after the store was opened again")
	}
	tx.Rollback()
	_, err = db.SweepAll(bg)
	must(t, err)
	sound(t, db)
}

func sound(t *testing.T, db *storage.DB) {
	t.Helper()
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Error(report.Problem)
	}
}
