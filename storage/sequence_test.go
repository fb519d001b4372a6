package storage_test

import (
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

func makeSequence(t testing.TB, tx *storage.Txn, name string, p catalog.SequenceParams) *catalog.Relation {
	t.Helper()
	p.Type = value.Int8
	r, err := tx.CreateRelation(bg, catalog.Relation{Schema: catalog.PublicSchema, Name: name, Kind: catalog.Sequence, Seq: &p})
	must(t, err)
	return r
}

func next(t testing.TB, tx *storage.Txn, rel *catalog.Relation) int64 {
	t.Helper()
	n, err := tx.NextVal(bg, rel)
	must(t, err)
	return n
}

func TestSequenceSurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	db, err := storage.Create(path, storage.Options{})
	must(t, err)
	var rel *catalog.Relation
	update(t, db, func(tx *storage.Txn) {
		rel = makeSequence(t, tx, "s", catalog.SequenceParams{Start: 5, Increment: 2, Min: 1, Max: math.MaxInt64})
		if a, b := next(t, tx, rel), next(t, tx, rel); a != 5 || b != 7 {
			t.Errorf("in the transaction that made it: %d, %d", a, b)
		}
	})
	want := int64(9)
	for range 3 {
		tx := begin(t, db, storage.ReadCommitted)
		for range 100 {
			if n := next(t, tx, rel); n != want {
				t.Fatalf("got %d, want %d", n, want)
			}
			want += 2
		}
		tx.Rollback() // a value that was given out stays so
		must(t, db.Close())
		db, err = storage.Open(bg, path, storage.Options{})
		must(t, err)
		rel = relation(t, db, "s")
	}
	update(t, db, func(tx *storage.Txn) {
		must(t, tx.SetVal(bg, rel, 100, false))
		if last, called, err := tx.SequencePosition(bg, rel); last != 100 || called || err != nil {
			t.Errorf("position %d, %v (%v)", last, called, err)
		}
		if a, b := next(t, tx, rel), next(t, tx, rel); a != 100 || b != 102 {
			t.Errorf("after setval: %d, %d", a, b)
		}
	})
	tx := begin(t, db, storage.ReadCommitted)
	_, err = tx.ResetSequence(bg, *rel, 1, false)
	must(t, err)
	if n := next(t, tx, rel); n != 1 {
		t.Errorf("after a reset: %d", n)
	}
	tx.Rollback()
	update(t, db, func(tx *storage.Txn) {
		if n := next(t, tx, rel); n != 104 {
			t.Errorf("after a reset that was rolled back: %d", n)
		}
	})
	report, err := db.Verify(bg)
	must(t, err)
	if report.Problem != "" {
		t.Error(report.Problem)
	}
	must(t, db.Close())
}

func TestSequenceBounds(t *testing.T) {
	for i, c := range []struct {
		p    catalog.SequenceParams
		want string
	}{
		{catalog.SequenceParams{Start: 8, Increment: 1, Min: 1, Max: 10}, "8 9 10 !2200H"},
		{catalog.SequenceParams{Start: 8, Increment: 1, Min: 7, Max: 10, Cycle: true}, "8 9 10 7 8 9"},
		{catalog.SequenceParams{Start: -1, Increment: -4, Min: -10, Max: -1}, "-1 -5 -9 !2200H"},
		{catalog.SequenceParams{Start: -1, Increment: -4, Min: -10, Max: 3, Cycle: true}, "-1 -5 -9 3 -1"},
		{catalog.SequenceParams{Start: math.MaxInt64 - 1, Increment: 1, Min: 1, Max: math.MaxInt64}, fmt.Sprint(int64(math.MaxInt64-1), " ", int64(math.MaxInt64), " !2200H")},
		{catalog.SequenceParams{Start: math.MinInt64, Increment: math.MaxInt64, Min: math.MinInt64, Max: math.MaxInt64},
			fmt.Sprint(int64(math.MinInt64), " -1 ", int64(math.MaxInt64-1), " !2200H")},
	} {
		for _, own := range []bool{true, false} {
			db := memDB(t)
			tx := begin(t, db, storage.ReadCommitted)
			rel := makeSequence(t, tx, "s", c.p)
			if !own {
				must(t, tx.Commit(bg))
				tx = begin(t, db, storage.ReadCommitted)
			}
			got := ""
			for len(got) < len(c.want) {
				n, err := tx.NextVal(bg, rel)
				if err != nil {
					got += " !" + dberr.Code(err)
					break
				}
				if got != "" {
					got += " "
				}
				got += fmt.Sprint(n)
			}
			if got != c.want {
				t.Errorf("case %d, own %v: %s, want %s", i, own, got, c.want)
			}
			tx.Rollback()
		}
	}
}

func TestSequenceIsUniqueUnderLoad(t *testing.T) {
	db := memDB(t)
	update(t, db, func(tx *storage.Txn) {
		makeSequence(t, tx, "s", catalog.SequenceParams{Start: 1, Increment: 1, Min: 1, Max: math.MaxInt64})
	})
	rel := relation(t, db, "s")
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			tx := begin(t, db, storage.ReadCommitted)
			defer tx.Rollback()
			last := int64(0)
			for range 500 {
				n := next(t, tx, rel)
				mu.Lock()
				if seen[n] || n <= last {
					t.Errorf("%d given out again, or after %d", n, last)
				}
				seen[n] = true
				mu.Unlock()
				last = n
			}
		})
	}
	wg.Wait()
	if len(seen) != 4000 {
		t.Errorf("%d values", len(seen))
	}
}
