package retrieval

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// indexedRows is the size from which an index is worth asking.
const indexedRows = 2000

// vectorIndex gives the vector index over the corpus's field with the model, that the statement may read; nil for none.
func (c *corpus) vectorIndex(e embed.Embedder) *catalog.Index {
	txn := c.env.Txn
	if c.env.DB.RowEstimate(c.rel) < indexedRows {
		return nil
	}
	for _, x := range txn.Catalog().IndexesOf(c.rel) {
		if x.Method != storage.MethodVector || !txn.CanRead(x) || !c.over([]fulltext.Field{vector.TextField(c.rel, x)}) {
			continue
		}
		if other, err := c.env.Embedders.Get(x.Options[vector.EmbedderOption]); err == nil && other.ModelID() == e.ModelID() {
			return x
		}
	}
	return nil
}

// rankIndexed is rank by way of an index: the same rows with the same scores. The index says which texts may be among the best; these
// are embedded and scored again. ok is false when it cannot tell.
func (c *corpus) rankIndexed(ctx context.Context, x *catalog.Index, e embed.Embedder, query []float32, k int) (best []candidate, ok bool, err error) {
	m, view, err := c.env.Txn.OpenIndex(ctx, c.rel, x)
	if err != nil {
		return nil, false, err
	}
	ix, ok := m.(*vector.Index)
	if !ok {
		return nil, false, nil
	}
	o := vector.Options{K: k, Recall: 1, ZeroIsApart: true}
	if c.filter != nil {
		if o.Only, err = c.ordinals(ctx); err != nil {
			return nil, false, err
		}
	}
	s, err := ix.Search(ctx, view, query, o)
	if s == nil || err != nil {
		return nil, false, err
	}
	kept, err := c.persisted(ctx, e)
	if err != nil {
		return nil, false, err
	}
	defer kept.close()
	score := newScorer(e, query, kept)
	for part := 64; ; part *= 2 {
		ordinals := s.Next(nil, part)
		if len(ordinals) == 0 {
			break
		}
		keys := make([][]byte, len(ordinals))
		for i, n := range ordinals {
			if keys[i], err = ix.RowKey(ctx, view, n); err != nil {
				return nil, false, err
			}
		}
		if best, err = c.scoreKeys(ctx, s, score, keys, best); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(best, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
	best = best[:min(k, len(best))]
	for i := range best {
		best[i].order = int64(i)
	}
	return best, true, nil
}

// scoreKeys adds the rows with the keys, scored, and tells the search how far they are.
func (c *corpus) scoreKeys(ctx context.Context, s *vector.Search, score *scorer, keys [][]byte, to []candidate) ([]candidate, error) {
	slices.SortFunc(keys, bytes.Compare)
	spec := c.spec(nil)
	spec.Keys = keys
	it, err := c.env.Txn.Scan(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer it.Close()
	err = eachBatch(ctx, it, func(b *batch.Batch) error {
		var texts, rows []string
		for i := range b.Rows() {
			if text, ok := c.text(b, b.Row(i)); ok {
				texts, rows = append(texts, text), append(rows, b.Cols[0].Strs[b.Row(i)])
			}
		}
		if err := score.score(ctx, texts); err != nil {
			return err
		}
		for i, key := range rows {
			s.Found(1 - float64(score.scores[i]))
			to = append(to, candidate{score: float64(score.scores[i]), key: key})
		}
		return nil
	})
	return to, err
}

// ordinals finds the rows that pass the filter.
func (c *corpus) ordinals(ctx context.Context) (*vector.Set, error) {
	it, err := c.env.Txn.Scan(ctx, &storage.ScanSpec{Rel: c.rel, Filter: c.filter, Cols: []storage.ScanCol{{Kind: storage.ColOrdinal}}})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	set := &vector.Set{}
	return set, eachBatch(ctx, it, func(b *batch.Batch) error {
		for i := range b.Rows() {
			set.Add(uint64(b.Cols[0].Ints[b.Row(i)]))
		}
		return nil
	})
}
