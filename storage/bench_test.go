package storage_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
)

// order is a document of the benchmarks, about 200 bytes.
func order(r *rand.Rand, n int) string {
	return fmt.Sprintf(`{"sku":"sku-%05d","tenant":"t%d","status":"%s","price":%d.%02d,"qty":%d,"user":{"id":%d,"city":"%s"},"tags":["a","b%d"],"note":"%030d"}`,
		r.IntN(10000), r.IntN(200), [...]string{"new", "paid", "sent", "done", "void"}[r.IntN(5)], r.IntN(500), r.IntN(100), r.IntN(50),
		r.IntN(100000), [...]string{"Rome", "Oslo", "Bonn"}[r.IntN(3)], r.IntN(100), n)
}

const benchDocs = 200_000

func loadOrders(b *testing.B, db *storage.DB) *catalog.Relation {
	rel := collection(b, db, "orders")
	r := rand.New(rand.NewPCG(1, 2))
	docs := make([]doc.Doc, benchDocs)
	for i := range docs {
		docs[i] = parse(b, order(r, i))
	}
	for at := 0; at < benchDocs; at += 20_000 {
		update(b, db, func(tx *storage.Txn) {
			for _, d := range docs[at : at+20_000] {
				if _, _, err := tx.Insert(bg, rel, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	return relation(b, db, "orders")
}

func drain(b *testing.B, it batch.Iter) int {
	n := 0
	for {
		bt, err := it.Next(bg)
		if err != nil {
			b.Fatal(err)
		}
		if bt == nil {
			it.Close()
			return n
		}
		n += bt.Rows()
	}
}

func BenchmarkScan200k(b *testing.B) {
	db := boltDB(b)
	rel := loadOrders(b, db)
	for _, c := range []struct {
		name string
		spec storage.ScanSpec
		want int
	}{
		{"keys", storage.ScanSpec{}, benchDocs},
		{"path", storage.ScanSpec{Cols: []storage.ScanCol{{Kind: storage.ColPathText, Path: doc.Keys("status")}}}, benchDocs},
		{"doc", storage.ScanSpec{Cols: []storage.ScanCol{{Kind: storage.ColDoc}}}, benchDocs},
		{"filter", storage.ScanSpec{Filter: mongo(b, `{"status":"paid"}`)}, -1},
		{"filter+path", storage.ScanSpec{Filter: mongo(b, `{"status":"paid","price":{"$gt":250}}`), Cols: []storage.ScanCol{{Kind: storage.ColPathText, Path: doc.Keys("user", "city")}}}, -1},
		{"id", storage.ScanSpec{Cols: []storage.ScanCol{{Kind: storage.ColID}}}, benchDocs},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tx := begin(b, db, storage.ReadCommitted)
				spec := c.spec
				spec.Rel = rel
				it, err := tx.Scan(bg, &spec)
				must(b, err)
				if n := drain(b, it); c.want >= 0 && n != c.want || n == 0 {
					b.Fatalf("%d rows", n)
				}
				tx.Rollback()
			}
		})
	}
}

func BenchmarkInsert(b *testing.B) {
	db := boltDB(b)
	rel := collection(b, db, "orders")
	r := rand.New(rand.NewPCG(1, 2))
	docs := make([]doc.Doc, 10_000)
	for i := range docs {
		docs[i] = parse(b, order(r, i))
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		update(b, db, func(tx *storage.Txn) {
			for _, d := range docs {
				if _, _, err := tx.Insert(bg, rel, d); err != nil {
					b.Fatal(err)
				}
			}
		})
		n += len(docs)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkGet(b *testing.B) {
	db := boltDB(b)
	rel := collection(b, db, "orders")
	var keys [][]byte
	update(b, db, func(tx *storage.Txn) {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 10_000 {
			k, _, err := tx.Insert(bg, rel, parse(b, order(r, i)))
			must(b, err)
			keys = append(keys, k)
		}
	})
	rel = relation(b, db, "orders")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tx := begin(b, db, storage.ReadCommitted)
		if _, ok, err := tx.Get(bg, rel, keys[i%len(keys)]); !ok || err != nil {
			b.Fatal(ok, err)
		}
		tx.Rollback()
	}
}

// BenchmarkDurableInsert commits one row a transaction from 1 and 16 goroutines.
func BenchmarkDurableInsert(b *testing.B) {
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			db := boltDB(b)
			rel := collection(b, db, "orders")
			d := parse(b, order(rand.New(rand.NewPCG(1, 2)), 1))
			b.ReportAllocs()
			b.SetParallelism(max(writers/runtime.GOMAXPROCS(0), 1))
			if writers == 1 {
				for b.Loop() {
					insertOne(b, db, rel, d)
				}
			} else {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						insertOne(b, db, rel, d)
					}
				})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

func insertOne(b *testing.B, db *storage.DB, rel *catalog.Relation, d doc.Doc) {
	tx, err := db.Begin(bg, storage.TxnOptions{})
	if err == nil {
		_, _, err = tx.Insert(bg, rel, d)
	}
	if err == nil {
		err = tx.Commit(bg)
	}
	if err != nil {
		b.Error(err)
	}
}
