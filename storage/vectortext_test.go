package storage_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/value"
)

// model is an embedder whose vectors tell texts apart.
type model struct {
	id   string
	dims int
}

func (m *model) ModelID() string { return m.id }
func (m *model) Dim() int        { return m.dims }
func (m *model) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		x := make([]float32, m.dims)
		for i, c := range []byte(m.id + t) {
			x[(i*7+int(c))%m.dims]++
		}
		out = append(out, x)
	}
	return out, nil
}

// TestTextIndexKeepsItsModel: an index over texts keeps the vectors of one model. When the server's embedder is another model, of the same
// dimension or not, the index is written but not searched, until it is built again; going back to the first model doesn't mix them either.
func TestTextIndexKeepsItsModel(t *testing.T) {
	for _, built := range []string{"over rows", "empty", "and the table cut"} {
		for _, other := range []*model{{"second", 8}, {"third", 5}} {
			t.Run(fmt.Sprintf("%s, %d dimensions", built, other.dims), func(t *testing.T) {
				first := &model{"first", 8}
				e := &textWorld{T: t, dir: filepath.Join(t.TempDir(), "s.omgdb")}
				e.open(first, true)
				if built == "empty" {
					e.index()
				}
				e.insert("a", "bb")
				if built != "empty" {
					e.index()
				}
				if built == "and the table cut" {
					update(t, e.db, func(tx *storage.Txn) { must(t, tx.Truncate(bg, e.rel(tx).ID)) })
					e.insert("a", "bb")
				}
				e.searches("a", "bb")
				e.open(other, false)
				e.searches()
				e.insert("cc")
				e.searches()
				e.open(first, false)
				e.searches()
				must(t, e.db.Gather(bg))
				e.searches()
				update(t, e.db, func(tx *storage.Txn) { must(t, tx.Reindex(bg, e.x(tx).ID)) })
				e.searches("a", "bb", "cc")
				update(t, e.db, func(tx *storage.Txn) {
					all := rows(t, tx, storage.ScanSpec{Rel: e.rel(tx)})
					must(t, tx.Delete(bg, e.rel(tx), all[0].key, all[0].raw))
					_, err := tx.Update(bg, e.rel(tx), all[1].key, all[1].raw, parse(t, `{"_id":"bb","text":"d"}`))
					must(t, err)
				})
				e.searches("d", "cc")
			})
		}
	}
}

type textWorld struct {
	*testing.T
	dir   string
	db    *storage.DB
	model *model
}

// open opens the store, again after the first time, in a server whose embedder is the model.
func (e *textWorld) open(m *model, create bool) {
	if e.db != nil {
		must(e, e.db.Close())
	}
	e.model = m
	kind := &vector.Kind{Embedders: func(string) (vector.Embedder, error) { return m, nil }}
	o := storage.Options{Indexes: map[string]index.Kind{storage.MethodVector: kind}}
	var err error
	if create {
		e.db, err = storage.Create(e.dir, o)
	} else {
		e.db, err = storage.Open(bg, e.dir, o)
	}
	must(e, err)
	if create {
		e.Cleanup(func() { _ = e.db.Close() })
		collection(e, e.db, "t")
	}
}

func (e *textWorld) rel(tx *storage.Txn) *catalog.Relation {
	return tx.Catalog().Relation("public", "t")
}
func (e *textWorld) x(tx *storage.Txn) *catalog.Index {
	return tx.Catalog().IndexByName("public", "t_v")
}

func (e *textWorld) index() {
	update(e, e.db, func(tx *storage.Txn) {
		_, err := tx.CreateIndex(bg, catalog.Index{Name: "t_v", Method: storage.MethodVector, Relation: e.rel(tx).ID,
			Keys: []catalog.IndexKey{{Path: []string{"text"}, Type: value.Text, OpClass: "vector_cosine_ops"}}, Options: map[string]string{vector.EmbedderOption: "x"}})
		must(e, err)
	})
}

func (e *textWorld) insert(texts ...string) {
	update(e, e.db, func(tx *storage.Txn) {
		for _, s := range texts {
			_, _, err := tx.Insert(bg, e.rel(tx), parse(e, fmt.Sprintf(`{"_id":%q,"text":%q}`, s, s)))
			must(e, err)
		}
	})
}

// searches wants the index to name the rows with these texts and to have the vectors that its model gives them; none: it cannot tell.
func (e *textWorld) searches(want ...string) {
	e.Helper()
	report, err := e.db.Verify(bg)
	must(e, err)
	if report.Problem != "" {
		e.Fatal(report.Problem)
	}
	tx := begin(e, e.db, storage.ReadCommitted)
	defer tx.Rollback()
	must(e, tx.BeginStatement(bg))
	opened, view, err := tx.OpenIndex(bg, e.rel(tx), e.x(tx))
	must(e, err)
	ix := opened.(*vector.Index)
	near, _ := e.model.Embed(bg, []string{"a"})
	s, err := ix.Search(bg, view, near[0], vector.Options{K: 10, Recall: 1})
	must(e, err)
	if s == nil || want == nil {
		if s != nil || want != nil {
			e.Fatalf("a search is %v, want rows %v", s, want)
		}
		return
	}
	kept, err := ix.Kept(view)
	must(e, err)
	all := s.Next(nil, 100)
	slices.Sort(all)
	have := map[string]bool{}
	must(e, kept.Each(bg, all, func(_ uint64, x []float32) { have[fmt.Sprint(x)] = true }))
	vecs, _ := e.model.Embed(bg, want)
	for i, x := range vecs {
		if !have[fmt.Sprint(x)] {
			e.Errorf("no vector of %q", want[i])
		}
	}
	if len(all) != len(want) {
		e.Errorf("%d rows, want %v", len(all), want)
	}
}
