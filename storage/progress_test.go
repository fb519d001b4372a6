package storage_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// watching is an embedder that looks at the builds while it is asked.
type watching struct {
	model
	db   func() *storage.DB
	seen []storage.IndexBuild
}

func (w *watching) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	w.seen = append(w.seen, w.db().IndexBuilds()...)
	return w.model.Embed(ctx, texts)
}

// TestIndexBuilds: an index is listed while it is built, with how far it is, and not before or after, also when the build fails.
func TestIndexBuilds(t *testing.T) {
	e := &textWorld{T: t, dir: filepath.Join(t.TempDir(), "s.omgdb"), model: &model{"m", 4}}
	w := &watching{model: model{"m", 4}, db: func() *storage.DB { return e.db }}
	kind := &vector.Kind{Embedders: func(string) (vector.Embedder, error) { return w, nil }}
	var err error
	e.db, err = storage.Create(e.dir, storage.Options{Indexes: map[string]index.Kind{storage.MethodVector: kind}})
	must(t, err)
	defer e.db.Close()
	collection(t, e.db, "t")
	var texts []string
	for i := range 5000 {
		texts = append(texts, fmt.Sprint("text ", i))
	}
	e.insert(texts...)
	if b := e.db.IndexBuilds(); len(b) != 0 {
		t.Errorf("before: %v", b)
	}
	e.index()
	if b := e.db.IndexBuilds(); len(b) != 0 {
		t.Errorf("after: %v", b)
	}
	if len(w.seen) < 2 {
		t.Fatalf("seen %v", w.seen)
	}
	first, last := w.seen[0], w.seen[len(w.seen)-1]
	if first.Rows != 5000 || first.Done < 4000 || first.Done >= 5000 || first.Again || first.Index == 0 || last.Done < first.Done {
		t.Errorf("first %+v, last %+v", first, last)
	}
	w.seen = nil
	update(t, e.db, func(tx *storage.Txn) { must(t, tx.Reindex(bg, e.x(tx).ID)) })
	if len(w.seen) == 0 || !w.seen[0].Again {
		t.Errorf("building again: %+v", w.seen)
	}
	update(t, e.db, func(tx *storage.Txn) {
		ctx, cancel := context.WithCancel(bg)
		cancel()
		if err := tx.Reindex(ctx, e.x(tx).ID); err == nil {
			t.Error("a build that was cancelled ended well")
		}
	})
	if b := e.db.IndexBuilds(); len(b) != 0 {
		t.Errorf("after a failure: %v", b)
	}
}
