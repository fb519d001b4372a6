package storage_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// TestBuildOnline builds, rebuilds and drops indexes while others insert, update and delete, one of them always the same row, and
// expects each to hold exactly its rows.
func TestBuildOnline(t *testing.T) {
	db := memDB(t)
	rel := table(t, db, "t", 1)
	const n = 5000
	update(t, db, func(tx *storage.Txn) {
		for i := range n {
			_, _, err := tx.Insert(bg, rel, parse(t, indexed{i, i % 7, fmt.Sprint("c", i)}.json()))
			must(t, err)
		}
	})
	var stop atomic.Bool
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for i := 0; !stop.Load(); i++ {
				if err := writeOne(t, db, w, r, n, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 3 {
		name := fmt.Sprint("i", i)
		must(t, db.CreateIndexOnline(bg, storage.TxnOptions{}, catalog.Index{Name: name, Method: storage.MethodBTree, Unique: i == 0, Relation: rel.ID,
			Keys: []catalog.IndexKey{{Col: int16(3 - i%2)}}}))
		sound(t, db)
		v, err := db.Catalog(0)
		must(t, err)
		must(t, db.ReindexOnline(bg, storage.TxnOptions{}, v.IndexByName("public", name).ID))
		sound(t, db)
	}
	stop.Store(true)
	writers.Wait()
	v, err := db.Catalog(0)
	must(t, err)
	list := v.IndexesOf(v.RelationByID(rel.ID))
	if len(list) != 3 {
		t.Errorf("%d indexes", len(list))
	}
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	want := len(rows(t, tx, storage.ScanSpec{Rel: v.RelationByID(rel.ID)}))
	for _, x := range list {
		if got := scanIndex(t, tx, v.RelationByID(rel.ID), x, storage.KeyRange{}, false); !tx.CanRead(x) || len(got) != want {
			t.Errorf("index %s has %d of %d rows, readable: %v", x.Name, len(got), want, tx.CanRead(x))
		}
	}
	sound(t, db)
}

// writeOne changes a row of the writer's own share, or, as the first writer, always the first row.
func writeOne(t *testing.T, db *storage.DB, w int, r *rand.Rand, n, i int) error {
	for {
		tx := begin(t, db, storage.ReadCommitted)
		err := func() error {
			rel := tx.Catalog().Relation("public", "t")
			id := 0
			if w > 0 {
				id = r.IntN(n/4)*4 + w
			}
			found, err := tryRows(tx, storage.ScanSpec{Rel: rel, Keys: [][]byte{intKey(t, rel, id)}})
			if err != nil {
				return err
			}
			d := parse(t, indexed{id, i % 11, fmt.Sprintf("w%d-%d", w, i)}.json())
			if len(found) == 0 {
				_, _, err = tx.Insert(bg, rel, d)
				return err
			}
			if w > 0 && r.IntN(3) == 0 {
				return tx.Delete(bg, rel, found[0].key, found[0].raw)
			}
			_, err = tx.Update(bg, rel, found[0].key, found[0].raw, d)
			return err
		}()
		if err == nil {
			err = tx.Commit(bg)
		}
		tx.Rollback()
		if err != storage.ErrRestart && err != storage.ErrStale {
			return err
		}
	}
}

// TestBuildOnlineFails: a unique index over equal keys stays behind, invalid; REINDEX makes it valid when they are gone.
func TestBuildOnlineFails(t *testing.T) {
	db := memDB(t)
	rel := table(t, db, "t", 1)
	update(t, db, func(tx *storage.Txn) {
		for i := range 10 {
			_, _, err := tx.Insert(bg, rel, parse(t, indexed{i, i, fmt.Sprint("c", i%9)}.json()))
			must(t, err)
		}
	})
	err := db.CreateIndexOnline(bg, storage.TxnOptions{}, catalog.Index{Name: "u", Method: storage.MethodBTree, Unique: true, Relation: rel.ID, Keys: []catalog.IndexKey{{Col: 3}}})
	if e := dberr.As(err); e == nil || e.Code != dberr.UniqueViolation || e.Message != `could not create unique index "u"` || e.Detail != "Key (c)=(c0) is duplicated." {
		t.Errorf("%+v", e)
	}
	rel = relation(t, db, "t")
	v, err := db.Catalog(0)
	must(t, err)
	x := v.IndexByName("public", "u")
	if x == nil || x.Valid {
		t.Fatalf("the index that failed: %+v", x)
	}
	sound(t, db)
	update(t, db, func(tx *storage.Txn) {
		last := rows(t, tx, storage.ScanSpec{Rel: rel, Reverse: true, Limit: 1})[0]
		must(t, tx.Delete(bg, rel, last.key, last.raw))
	})
	update(t, db, func(tx *storage.Txn) { must(t, tx.Reindex(bg, x.ID)) })
	sound(t, db)
}

func intKey(t *testing.T, rel *catalog.Relation, id int) storage.RowKey {
	t.Helper()
	k, err := storage.PrimaryKey(rel, []value.Value{value.Int(int64(id))})
	must(t, err)
	return k
}
