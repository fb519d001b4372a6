package storage_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/omgdb/omgdb/storage"
)

// TestLargeTransaction writes, changes and rolls back more than the memory that a transaction may take.
func TestLargeTransaction(t *testing.T) {
	defer storage.SetMemory(128<<10, 128<<10)()
	defer storage.SetEscalation(1000)()
	db := boltDB(t)
	table(t, db, "t", 1)
	update(t, db, func(tx *storage.Txn) { createIndexes(t, tx, "t") })
	const n = 8000
	name := func(i int) string { return fmt.Sprintf(`{"a":%d,"b":%d,"c":"%d"}`, i, i%10, i) }
	update(t, db, func(tx *storage.Txn) {
		for i := range n {
			_, _, err := tx.Insert(bg, tx.Catalog().Relation("public", "t"), parse(t, name(i*7919%n)))
			must(t, err)
		}
		must(t, tx.BeginStatement(bg))
		if got, err := tx.Count(bg, tx.Catalog().Relation("public", "t")); got != n || err != nil {
			t.Errorf("the transaction counts %d of its own rows (%v)", got, err)
		}
	})
	change := func(tx *storage.Txn, by int) {
		rel := tx.Catalog().Relation("public", "t")
		for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
			i := readIndexed(r).a
			_, err := tx.Update(bg, rel, r.key, r.raw, parse(t, fmt.Sprintf(`{"a":%d,"b":%d,"c":"x%d"}`, i, i%10+by, i)))
			must(t, err)
		}
	}
	undone := begin(t, db, storage.ReadCommitted)
	change(undone, 1)
	if l := db.Locks(); len(l) > 100 {
		t.Errorf("%d locks are held for %d rows", len(l), n)
	}
	undone.Rollback()
	update(t, db, func(tx *storage.Txn) {
		m := tx.Mark()
		change(tx, 5)
		tx.RollbackTo(m)
		must(t, tx.BeginStatement(bg))
		change(tx, 2)
	})
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	for i, r := range rows(t, tx, storage.ScanSpec{Rel: tx.Catalog().Relation("public", "t")}) {
		if x := readIndexed(r); x.a != i || x.b != i%10+2 {
			t.Fatalf("row %d is %+v", i, x)
		}
	}
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" || report.Rows != n || report.Entries != 2*n {
		t.Errorf("%+v", report)
	}
	entries, err := os.ReadDir(db.Path())
	must(t, err)
	for _, e := range entries {
		if e.Name() != "store.db" && e.Name() != "wal" && e.Name() != "LOCK" {
			t.Errorf("left in the store's directory: %s", e.Name())
		}
	}
}
