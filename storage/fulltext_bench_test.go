package storage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/kv"
)

// benchTexts is a store of 200,000 texts of 30 words from a vocabulary of 50,000, made once.
var benchTexts = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "omgdb-texts")
	if err != nil {
		return "", err
	}
	db, err := storage.Create(filepath.Join(dir, "texts.omgdb"), storage.Options{})
	if err != nil {
		return "", err
	}
	defer db.Close()
	must(noTest{}, db.EnsureCollection(bg, storage.Actor{Role: "postgres"}, 5, "public", "docs"))
	rnd := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(rnd, 1.07, 4, 49_999)
	for range 20 {
		tx := begin(noTest{}, db, storage.ReadCommitted)
		rel := tx.Catalog().Relation("public", "docs")
		for range 10_000 {
			words := make([]string, 30)
			for i := range words {
				words[i] = fmt.Sprintf("w%d", zipf.Uint64())
			}
			_, _, err := tx.Insert(bg, rel, parse(noTest{}, fmt.Sprintf(`{"text":%q}`, strings.Join(words, " "))))
			must(noTest{}, err)
		}
		must(noTest{}, tx.Commit(bg))
	}
	textIndex(noTest{}, db, "docs", nil)
	return db.Path(), nil
})

// noTest fails by panic, for what is made outside of a test.
type noTest struct{ testing.TB }

func (noTest) Helper()                   {}
func (noTest) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func BenchmarkFullText(b *testing.B) {
	path, err := benchTexts()
	must(b, err)
	db, err := storage.Open(bg, path, storage.Options{})
	must(b, err)
	defer db.Close()
	for _, q := range []struct{ name, query string }{
		{"common", "w3"}, {"one", "w500"}, {"rare", "w20000"}, {"and", "+w40 +w90"}, {"or", "w40 w300"}, {"or5", "w10 w40 w90 w300 w1000"}, {"phrase", `"w3 w4"`}, {"prefix", "w40*"},
	} {
		b.Run(q.name, func(b *testing.B) {
			tx := begin(b, db, storage.ReadCommitted)
			defer tx.Rollback()
			for b.Loop() {
				searched(b, tx, "docs", q.query, 10, nil)
			}
		})
	}
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			update(b, db, func(tx *storage.Txn) {
				must(b, tx.Reindex(bg, tx.Catalog().IndexesOf(tx.Catalog().Relation("public", "docs"))[0].ID))
			})
		}
		size := 0
		update(b, db, func(tx *storage.Txn) {
			rel := tx.Catalog().Relation("public", "docs")
			_, v, err := tx.OpenIndex(bg, rel, tx.Catalog().IndexesOf(rel)[0])
			must(b, err)
			prefix := append([]byte{'f'}, 0, 0, 0, 0, 0, 0, 0, 0)
			_ = prefix
			it := v.Scan(bg, kv.Range{Start: []byte("f"), End: []byte("g")})
			for it.Next() {
				size += len(it.Key()) + len(it.Value())
			}
			it.Close()
		})
		b.ReportMetric(float64(size)/1e6, "MB")
	})
}
