package storage_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/value"
)

// textIndex makes a full-text index over field text of a collection.
func textIndex(t rapid.TB, db *storage.DB, name string, options map[string]string) {
	update(t, db, func(tx *storage.Txn) {
		_, err := tx.CreateIndex(bg, catalog.Index{Name: name + "_text", Relation: tx.Catalog().Relation("public", name).ID, Method: storage.MethodFullText,
			Keys: []catalog.IndexKey{{Expr: "doc->>'text'", Path: []string{"text"}, Type: value.Text}}, Options: options})
		must(t, err)
	})
}

// searched is what a search finds: row keys and scores.
func searched(t rapid.TB, tx *storage.Txn, name, query string, k int, keep func([]byte) bool) []fulltext.Hit {
	rel := tx.Catalog().Relation("public", name)
	x := tx.Catalog().IndexesOf(rel)[0]
	m, view, err := tx.OpenIndex(bg, rel, x)
	must(t, err)
	ix := m.(*fulltext.Index)
	s, err := ix.NewSearch(bg, view, ix.Analyzer.ParseQuery(query))
	must(t, err)
	if keep != nil {
		s.Accept = func(_ context.Context, key []byte) (bool, error) { return keep(key), nil }
	}
	hits, err := s.Best(bg, k)
	must(t, err)
	return hits
}

// scanned is what the search must find: by looking at every row.
func scanned(t rapid.TB, tx *storage.Txn, name, query string, k int, keep func([]byte) bool) []fulltext.Hit {
	rel := tx.Catalog().Relation("public", name)
	a, err := fulltext.NewAnalyzer("")
	must(t, err)
	q := a.ParseQuery(query)
	m := fulltext.NewMatcher(a, q)
	type found struct {
		key    []byte
		length int64
		freq   []int64
	}
	var all []found
	var stats fulltext.Stats
	df := make([]int64, len(q.Clauses))
	for _, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
		text, ok := fulltext.Text(r.raw, []doc.Path{doc.Keys("text")})
		if !ok {
			continue
		}
		length, freq, ok := m.Match(text)
		stats.Docs++
		stats.Length += length
		for i, n := range freq {
			if n > 0 {
				df[i]++
			}
		}
		if ok && (keep == nil || keep([]byte(r.key))) {
			all = append(all, found{[]byte(r.key), length, slices.Clone(freq)})
		}
	}
	var out []fulltext.Hit
	for _, f := range all {
		h := fulltext.Hit{Key: f.key}
		for i, n := range f.freq {
			if n > 0 && q.Clauses[i].Occur != fulltext.MustNot {
				h.Score += fulltext.DefaultParams.Score(q.Clauses[i].IDF(stats, df[i]), n, f.length, stats)
			}
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b fulltext.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Key, b.Key)) })
	if k >= 0 {
		out = out[:min(k, len(out))]
	}
	return out
}

var (
	textWords = strings.Fields("run running runner ran the of and quick brown fox jump jumps lazy dog café cafe KX-4471 isn't 悬空雨 database search index")
	someTerms = []string{"run", "running", "fox", "the", "+fox", "-dog", "+the", `"quick brown"`, `"brown fox"*`, "ru*", "jum*", "d*", "cafe", "KX-4471", "isn't", "雨", "悬空",
		"search index", `"lazy dog"`, "-run", "nothing", `"fox the`, "+run*"}
)

func randomText(draw func(n int) int) string {
	var b strings.Builder
	for range draw(12) {
		b.WriteString(textWords[draw(len(textWords))] + " ")
	}
	return b.String()
}

func randomQuery(draw func(n int) int) string {
	var b strings.Builder
	for range 1 + draw(4) {
		b.WriteString(someTerms[draw(len(someTerms))] + " ")
	}
	return b.String()
}

// sameHits compares index and scan.
func sameHits(t rapid.TB, tx *storage.Txn, name, query string, k int, keep func([]byte) bool) {
	t.Helper()
	got, want := searched(t, tx, name, query, k, keep), scanned(t, tx, name, query, k, keep)
	if !slices.EqualFunc(got, want, func(a, b fulltext.Hit) bool { return bytes.Equal(a.Key, b.Key) && a.Score == b.Score }) {
		t.Fatalf("query %q, k %d: the index finds\n%v\nthe rows have\n%v", query, k, got, want)
	}
}

// TestFullTextIndexIsTheScan runs random work and compares index and rows in the middle of transactions, at old snapshots, before and
// after gathering.
func TestFullTextIndexIsTheScan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
		must(rt, err)
		defer db.Close()
		collection(rt, db, "docs")
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") }
		write := func(tx *storage.Txn) {
			rel := tx.Catalog().Relation("public", "docs")
			all := rows(rt, tx, storage.ScanSpec{Rel: rel})
			text := fmt.Sprintf(`{"text":%q}`, randomText(draw))
			if draw(8) == 0 {
				text = `{"other":1}`
			}
			must(rt, tx.BeginStatement(bg))
			switch {
			case len(all) == 0 || draw(3) == 0:
				_, _, err := tx.Insert(bg, rel, parse(rt, text))
				must(rt, err)
			case draw(3) == 0:
				r := all[draw(len(all))]
				must(rt, tx.Delete(bg, rel, storage.RowKey(r.key), r.raw))
			default:
				r := all[draw(len(all))]
				_, err := tx.Update(bg, rel, storage.RowKey(r.key), r.raw, parse(rt, text))
				must(rt, err)
			}
			must(rt, tx.BeginStatement(bg))
		}
		before := draw(5)
		for range before {
			update(rt, db, write)
		}
		textIndex(rt, db, "docs", nil)
		var old []*storage.Txn
		defer func() {
			for _, tx := range old {
				tx.Rollback()
			}
		}()
		check := func(tx *storage.Txn) {
			odd := func(k []byte) bool { return k[len(k)-1]%2 == 1 }
			sameHits(rt, tx, "docs", randomQuery(draw), draw(6)-1, nil)
			sameHits(rt, tx, "docs", randomQuery(draw), 1+draw(3), odd)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"commit": func(*rapid.T) {
				update(rt, db, func(tx *storage.Txn) {
					for range 1 + draw(3) {
						write(tx)
						check(tx)
					}
				})
			},
			"rollback": func(*rapid.T) {
				tx := begin(rt, db, storage.ReadCommitted)
				defer tx.Rollback()
				write(tx)
				m := tx.Mark()
				write(tx)
				check(tx)
				tx.RollbackTo(m)
				must(rt, tx.BeginStatement(bg))
				check(tx)
			},
			"hold": func(*rapid.T) { old = append(old, begin(rt, db, storage.RepeatableRead)) },
			"look": func(*rapid.T) {
				for _, tx := range old {
					check(tx)
				}
			},
			"gather": func(*rapid.T) { must(rt, db.Gather(bg)) },
			"":       func(*rapid.T) { update(rt, db, check) },
		})
		_, err = db.Verify(bg)
		must(rt, err)
	})
}

// TestFullTextManyDocuments has lists of many blocks in several segments with dead documents.
func TestFullTextManyDocuments(t *testing.T) {
	defer storage.SetGather(40<<10, 1<<20)()
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
	must(t, err)
	defer db.Close()
	collection(t, db, "docs")
	textIndex(t, db, "docs", nil)
	rel := relation(t, db, "docs")
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 2, 900)
	text := func() string {
		words := make([]string, 3+rnd.IntN(20))
		for i := range words {
			words[i] = fmt.Sprintf("w%d", zipf.Uint64())
		}
		return fmt.Sprintf(`{"text":%q,"n":%d}`, strings.Join(words, " "), rnd.IntN(100))
	}
	queries := []string{"w1", "w0 w500", "w3 w4", "+w1 +w2", "+w7 w1 w2", "w1 -w2", `"w1 w2"`, "w1*", "w88* w0", "w2 w3 w4 w5 w6 w7", "+w0 +w11 -w1", "w899 w898"}
	check := func() {
		update(t, db, func(tx *storage.Txn) {
			for _, q := range queries {
				sameHits(t, tx, "docs", q, 10, nil)
				sameHits(t, tx, "docs", q, 3, func(k []byte) bool { return k[len(k)-1]%7 == 0 })
				sameHits(t, tx, "docs", q, -1, nil)
			}
		})
	}
	for round := range 4 {
		update(t, db, func(tx *storage.Txn) {
			for range 700 {
				_, _, err := tx.Insert(bg, rel, parse(t, text()))
				must(t, err)
			}
		})
		update(t, db, func(tx *storage.Txn) {
			for i, r := range rows(t, tx, storage.ScanSpec{Rel: rel}) {
				switch {
				case i%11 == round:
					must(t, tx.Delete(bg, rel, storage.RowKey(r.key), r.raw))
				case i%13 == round:
					_, err := tx.Update(bg, rel, storage.RowKey(r.key), r.raw, parse(t, text()))
					must(t, err)
				}
			}
		})
		check()
		must(t, db.Gather(bg))
		check()
	}
	_, err = db.Verify(bg)
	must(t, err)
	// The same over rows that were there before.
	update(t, db, func(tx *storage.Txn) {
		must(t, tx.Reindex(bg, tx.Catalog().IndexesOf(tx.Catalog().Relation("public", "docs"))[0].ID))
	})
	rel = relation(t, db, "docs")
	check()
	_, err = db.Verify(bg)
	must(t, err)
}

// TestFullTextWhileWriting has searches beside writers and the background: each finds what its snapshot has.
func TestFullTextWhileWriting(t *testing.T) {
	defer storage.SetGather(4<<10, 64<<10)()
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
	must(t, err)
	defer db.Close()
	collection(t, db, "docs")
	textIndex(t, db, "docs", nil)
	rel := relation(t, db, "docs")
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 7))
			for range 150 {
				update(t, db, func(tx *storage.Txn) {
					for range 5 {
						_, _, err := tx.Insert(bg, rel, parse(t, fmt.Sprintf(`{"text":%q}`, randomText(rnd.IntN))))
						must(t, err)
					}
				})
			}
		})
	}
	for w := range 2 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 9))
			for range 60 {
				tx := begin(t, db, storage.RepeatableRead)
				sameHits(t, tx, "docs", randomQuery(rnd.IntN), 1+rnd.IntN(10), nil)
				tx.Rollback()
			}
		})
	}
	wg.Wait()
	must(t, db.Gather(bg))
	_, err = db.Verify(bg)
	must(t, err)
}
