package contextsvc

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/index/vector"
	"github.com/omgdb/omgdb/storage/value"
)

// vectorIndexOf gives the index over the vectors of the chunks; nil when there is none of so many dimensions.
func vectorIndexOf(txn *storage.Txn, chunks *catalog.Relation, dims int) *catalog.Index {
	for _, x := range txn.Catalog().IndexesOf(chunks) {
		if x.Method == storage.MethodVector && x.Options[vector.PackedOption] != "" && int(x.Keys[0].Mod) == dims &&
			slices.Equal(x.Keys[0].Path, []string{"vector"}) {
			return x
		}
	}
	return nil
}

// indexVectors builds the index over the vectors of the chunks when it is missing. One of other dimensions gives way: the chunks have been
// embedded again.
func (w *writer) indexVectors(ctx context.Context, dims int) error {
	if dims == 0 || vectorIndexOf(w.txn, w.chunks, dims) != nil {
		return nil
	}
	for _, x := range w.txn.Catalog().IndexesOf(w.chunks) {
		if x.Method == storage.MethodVector && x.Options[vector.PackedOption] != "" {
			if err := w.txn.DropIndex(ctx, x.ID); err != nil {
				return err
			}
		}
	}
	_, err := w.txn.CreateIndex(ctx, catalog.Index{
		Name: chunksName + "_vector_idx", Relation: w.chunks.ID, Method: storage.MethodVector, Options: map[string]string{vector.PackedOption: "true"},
		Keys: []catalog.IndexKey{{Expr: "doc -> 'vector'", Path: []string{"vector"}, Type: value.Vector, Mod: int32(dims), OpClass: "vector_cosine_ops"}},
	})
	return err
}

// semanticRecall is how sure a search through the index is to see each of the nearest chunks.
const semanticRecall = 0.999

// nearestChunks is how many chunks are looked for first for each file that is wanted: several are of one file.
const nearestChunks = 8

// semanticIndexed is semantic by way of the index: it looks for more chunks until they are of n files. ok is false when there is no index,
// or so few chunks count that reading all is the better way.
func (q *query) semanticIndexed(ctx context.Context, e embed.Embedder, to []float32, n int) (out []match, ok bool, err error) {
	x := vectorIndexOf(q.env.Txn, q.chunks, e.Dim())
	if x == nil || !q.env.Txn.CanRead(x) {
		return nil, false, nil
	}
	m, view, err := q.env.Txn.OpenIndex(ctx, q.chunks, x)
	if err != nil {
		return nil, false, err
	}
	ix, ok := m.(*vector.Index)
	if !ok {
		return nil, false, dberr.New(dberr.InternalError, "index \"%s\" is no vector index", x.Name)
	}
	most := int(q.env.DB.RowEstimate(q.chunks)) / 16
	for k := nearestChunks * n; k <= most; k *= 4 {
		s, err := ix.Search(ctx, view, to, vector.Options{K: k, Recall: semanticRecall})
		if s == nil || err != nil {
			return nil, false, err
		}
		files := nearestFiles{most: n}
		if err := q.scoreNamed(ctx, x, s, modelOf(e), to, &files); err != nil {
			return nil, false, err
		}
		if d, full := files.furthest(); full && s.Within(d) {
			return files.best, true, nil
		}
	}
	return nil, false, nil
}

// scoreNamed gathers the files of the chunks that a search names, but for those of other places and models.
func (q *query) scoreNamed(ctx context.Context, x *catalog.Index, s *vector.Search, model string, to []float32, files *nearestFiles) error {
	const part = 16
	var ordinals []uint64
	score := scorer{query: to, model: model}
	sketches := q.env.Txn.SketchesByKey(storage.SketchCol{Rel: q.chunks, Dims: len(to), Index: x})
	near, bounded := vector.NewSketches(vector.ByCosine, to, 0)
	if sketches != nil {
		defer sketches.Done()
	}
	for {
		if ordinals = s.Next(ordinals[:0], part); len(ordinals) == 0 {
			return nil
		}
		slices.Sort(ordinals)
		for _, n := range ordinals {
			if bounded && sketches != nil {
				sketch, ok, err := sketches.Find(ctx, n, s.RowKey)
				if err != nil {
					return err
				}
				if ok && s.Excludes(near, sketch) {
					continue
				}
			}
			key, err := s.RowKey(ctx, n)
			if err != nil {
				return err
			}
			d, ok, err := q.env.Txn.Get(ctx, q.chunks, key)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			m, ok := score.score(d)
			if _, here := q.place.rel(m.key); ok && here {
				files.add(m)
			}
		}
		if d, full := files.furthest(); full {
			s.Within(d)
		}
	}
}

// nearestFiles are the nearest of the files whose chunks were added, each with its nearest chunk, in order.
type nearestFiles struct {
	most int
	best []match
}

func (f *nearestFiles) add(m match) {
	if len(f.best) == f.most && nearer(m, f.best[f.most-1]) > 0 {
		return
	}
	if i := slices.IndexFunc(f.best, func(x match) bool { return x.key == m.key }); i >= 0 {
		if nearer(f.best[i], m) < 0 {
			return
		}
		f.best = slices.Delete(f.best, i, i+1)
	}
	at, _ := slices.BinarySearchFunc(f.best, m, nearer)
	f.best = slices.Insert(f.best, at, m)
	f.best = f.best[:min(len(f.best), f.most)]
}

// furthest is the distance of the last of them; full is false when there are fewer than wanted.
func (f *nearestFiles) furthest() (distance float64, full bool) {
	if len(f.best) < f.most || f.most == 0 {
		return 0, false
	}
	return f.best[f.most-1].distance, true
}
