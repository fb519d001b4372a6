package storage_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/kv/mem"
)

// cachedCols are columns that scans may keep.
var cachedCols = []storage.ScanCol{
	{Kind: storage.ColID}, {Kind: storage.ColPathText, Path: doc.Keys("s")}, {Kind: storage.ColPathJSON, Path: doc.Keys("n")},
	{Kind: storage.ColPathText, Path: doc.Keys("o", "p")},
}

// cachedFilters look at values at paths, with few and many distinct ones, in nested objects, missing and null.
func cachedFilters(t testing.TB) []filter.Expr {
	contains := func(s string) filter.Expr {
		return &filter.Contains{Ref: filter.DocRef(nil), Value: parse(t, s).Value()}
	}
	return []filter.Expr{
		nil,
		contains(`{"s": "v3"}`),
		contains(`{"s": "v3", "o": {"p": 1}}`),
		&filter.And{List: []filter.Expr{contains(`{"s": "v1"}`), contains(`{"o": {}}`)}},
		&filter.TextCmp{Ref: filter.DocRef(doc.Keys("s")), Op: filter.LT, Text: "v2"},
		&filter.IsNull{Ref: filter.DocRef(doc.Keys("s")), Text: true},
		&filter.CastCmp{Ref: filter.DocRef(doc.Keys("n")), Cast: filter.CastNumeric, Op: filter.GE, Value: parse(t, `{"x": 500}`).Lookup("x")},
		mongo(t, `{"n": {"$gte": 100, "$lt": 300}, "s": {"$ne": "v2"}}`),
	}
}

// shown reads a scan as text, through the cache or, with a limit that no relation reaches, by its rows.
func shown(t testing.TB, tx *storage.Txn, s storage.ScanSpec, cache bool) []string {
	t.Helper()
	s.Cols = cachedCols
	if !cache {
		s.Limit = 1 << 40
	}
	it, err := tx.Scan(bg, &s)
	must(t, err)
	defer it.Close()
	var out []string
	must(t, each(it, func(b *batch.Batch, i int) {
		line := ""
		for _, c := range b.Cols {
			if c.IsNull(i) {
				line += "-|"
			} else {
				line += fmt.Sprintf("%q|", c.Get(i).Str())
			}
		}
		out = append(out, line)
	}))
	return out
}

func randomDoc(r *rand.Rand, id int) string {
	s := fmt.Sprintf(`"s": "v%d",`, r.IntN(6))
	switch r.IntN(12) {
	case 0:
		s = ""
	case 1:
		s = `"s": null,`
	}
	return fmt.Sprintf(`{"_id": %d, %s "n": %d, "o": {"p": %d, "q": [1]}}`, id, s, r.IntN(1+r.IntN(4_000)), r.IntN(3))
}

// Scans through columns see what scans of rows see: on old snapshots, among own writes, while others write.
func TestColumnScansEqualRowScans(t *testing.T) {
	for _, memory := range []int64{0, 200 << 10} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) { columnScans(t, memory) })
	}
}

func columnDB(t *testing.T, memory int64) *storage.DB {
	t.Helper()
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New(), ColumnMemory: memory})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func columnScans(t *testing.T, memory int64) {
	r := rand.New(rand.NewPCG(1, uint64(memory)))
	db := columnDB(t, memory)
	rel := collection(t, db, "docs")
	const n = 5_000
	update(t, db, func(tx *storage.Txn) {
		for i := range n {
			_, _, err := tx.Insert(bg, rel, parse(t, randomDoc(r, 2*i+1)))
			must(t, err)
		}
	})
	filters := cachedFilters(t)
	old := begin(t, db, storage.RepeatableRead)
	defer old.Rollback()
	for round := range 40 {
		tx := begin(t, db, []storage.Isolation{storage.ReadCommitted, storage.RepeatableRead, storage.Serializable}[r.IntN(3)])
		changeDocs(t, r, tx, rel, 0, r.IntN(4))
		for range 3 {
			must(t, tx.BeginStatement(bg))
			compareScans(t, r, tx, rel, filters, round)
			update(t, db, func(other *storage.Txn) { changeDocs(t, r, other, rel, 5_000, 1+r.IntN(3)) })
			compareScans(t, r, tx, rel, filters, round)
		}
		must(t, old.BeginStatement(bg))
		compareScans(t, r, old, rel, filters, round)
		tx.Rollback()
		if round == 20 {
			update(t, db, func(other *storage.Txn) { // slots grow and are cut
				for i := range 3_000 {
					_, _, err := other.Insert(bg, rel, parse(t, randomDoc(r, 4_000+2*i)))
					must(t, err)
				}
			})
		}
	}
	if used := db.ColumnMemory(); used == 0 || memory > 0 && used > memory {
		t.Errorf("columns take %d bytes, the budget is %d", used, memory)
	}
}

func compareScans(t *testing.T, r *rand.Rand, tx *storage.Txn, rel *catalog.Relation, filters []filter.Expr, round int) {
	t.Helper()
	s := storage.ScanSpec{Rel: rel, Filter: filters[r.IntN(len(filters))]}
	if r.IntN(3) == 0 {
		pieces, err := tx.Split(bg, rel, nil, 3)
		must(t, err)
		s.Bounds = pieces[r.IntN(len(pieces))]
	}
	got, want := shown(t, tx, s, true), shown(t, tx, s, false)
	if !slices.Equal(got, want) {
		t.Fatalf("round %d, filter %v: columns give %d rows, rows %d", round, s.Filter, len(got), len(want))
	}
}

// changeDocs inserts, updates and deletes a few documents at random places behind from; two that are open at once keep apart by it.
func changeDocs(t *testing.T, r *rand.Rand, tx *storage.Txn, rel *catalog.Relation, from, times int) {
	t.Helper()
	for range times {
		at := from + r.IntN(4_000)
		found := rows(t, tx, storage.ScanSpec{Rel: rel, Filter: mongo(t, fmt.Sprintf(`{"_id": {"$gte": %d}}`, at)), Limit: 1})
		switch {
		case len(found) == 0 || r.IntN(3) == 0:
			_, _, err := tx.Insert(bg, rel, parse(t, randomDoc(r, 1_000_000+r.IntN(1<<30))))
			must(t, err)
		case r.IntN(2) == 0:
			must(t, tx.Delete(bg, rel, found[0].key, found[0].raw))
		default:
			var id int
			fmt.Sscan(found[0].id, &id)
			_, err := tx.Update(bg, rel, found[0].key, found[0].raw, parse(t, randomDoc(r, id)))
			must(t, err)
		}
	}
}

// A column that is wide doesn't take the room of the others.
func TestWideColumnsAreNotKept(t *testing.T) {
	db := columnDB(t, 0)
	rel := collection(t, db, "docs")
	body := strings.Repeat("wide ", 200)
	update(t, db, func(tx *storage.Txn) {
		for i := range 5_000 {
			_, _, err := tx.Insert(bg, rel, parse(t, fmt.Sprintf(`{"_id": %d, "n": %d, "body": "%s %d"}`, i, i%7, body, i)))
			must(t, err)
		}
	})
	scan := func(col string) (size int) {
		for range 3 {
			tx := begin(t, db, storage.ReadCommitted)
			it, err := tx.Scan(bg, &storage.ScanSpec{Rel: rel, Cols: []storage.ScanCol{{Kind: storage.ColPathText, Path: doc.Keys(col)}}})
			must(t, err)
			size = 0
			must(t, each(it, func(b *batch.Batch, i int) { size += len(b.Cols[0].Get(i).Str()) }))
			it.Close()
			tx.Rollback()
		}
		return size
	}
	if n := scan("body"); n < 5_000*len(body) || db.ColumnMemory() > 64<<10 {
		t.Errorf("%d bytes seen, %d kept", n, db.ColumnMemory())
	}
	if n := scan("n"); n != 5_000 || db.ColumnMemory() < 5_000 {
		t.Errorf("%d bytes seen, %d kept", n, db.ColumnMemory())
	}
}

// While writers commit, each reader's columns are those of its own snapshot.
func TestColumnScansBesideWriters(t *testing.T) {
	db := columnDB(t, 0)
	rel := collection(t, db, "docs")
	r := rand.New(rand.NewPCG(3, 3))
	update(t, db, func(tx *storage.Txn) {
		for i := range 4_000 {
			_, _, err := tx.Insert(bg, rel, parse(t, randomDoc(r, 2*i+1)))
			must(t, err)
		}
	})
	filters := cachedFilters(t)
	var writers, readers errgroup.Group
	done := make(chan struct{})
	for w := range 2 {
		writers.Go(func() error {
			r := rand.New(rand.NewPCG(4, uint64(w)))
			for range 150 {
				update(t, db, func(tx *storage.Txn) { changeDocs(t, r, tx, rel, w*4_500, 2) })
			}
			return nil
		})
	}
	for k := range 3 {
		readers.Go(func() error {
			r := rand.New(rand.NewPCG(5, uint64(k)))
			for round := 0; ; round++ {
				select {
				case <-done:
					return nil
				default:
				}
				tx := begin(t, db, storage.ReadCommitted)
				compareScans(t, r, tx, rel, filters, round)
				tx.Rollback()
			}
		})
	}
	must(t, writers.Wait())
	close(done)
	must(t, readers.Wait())
}
