package retrieval

import (
	"cmp"
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/index"
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

// rankIndexed is rank by way of an index: the same rows with the same scores. The index says which vectors may be among the best; these are
// scored again. ok is false when it cannot tell.
func (c *corpus) rankIndexed(ctx context.Context, x *catalog.Index, query []float32, k int) (best []candidate, ok bool, err error) {
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
	rows, err := scoreKept(ctx, ix, view, s, query)
	if err != nil {
		return nil, false, err
	}
	best, err = c.bestOf(ctx, rows, k, func(ordinal uint64) ([]byte, error) { return s.RowKey(ctx, ordinal) })
	return best, true, err
}

// numbered is a row, by ordinal, with its score.
type numbered struct {
	ordinal uint64
	score   float32
}

// scoreKept scores the rows that a search names, in parts that grow.
func scoreKept(ctx context.Context, ix *vector.Index, view index.View, s *vector.Search, query []float32) (rows []numbered, err error) {
	kept, err := ix.Kept(view)
	if err != nil {
		return nil, err
	}
	norm := vector.Norm(query)
	var ordinals []uint64
	for part := 64; ; part *= 4 {
		if ordinals = s.Next(ordinals[:0], part); len(ordinals) == 0 {
			return rows, nil
		}
		slices.Sort(ordinals)
		if err := kept.Each(ctx, ordinals, func(ordinal uint64, x []float32) {
			score := vector.CosineNorms(query, x, norm, vector.Norm(x))
			s.Found(1 - float64(score))
			rows = append(rows, numbered{ordinal, score})
		}); err != nil {
			return nil, err
		}
	}
}

// bestOf gives the k best rows, ties in key order.
func (c *corpus) bestOf(ctx context.Context, rows []numbered, k int, keyOf func(ordinal uint64) ([]byte, error)) ([]candidate, error) {
	slices.SortFunc(rows, func(a, b numbered) int { return cmp.Compare(b.score, a.score) })
	for i := k; i < len(rows); i++ { // those that tie with the last one count until keys decide
		if rows[i].score != rows[k-1].score {
			rows = rows[:i]
		}
	}
	best := make([]candidate, len(rows))
	for i, r := range rows {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		key, err := keyOf(r.ordinal)
		if err != nil {
			return nil, err
		}
		best[i] = candidate{score: float64(r.score), key: string(key)}
	}
	slices.SortFunc(best, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
	best = best[:min(k, len(best))]
	for i := range best {
		best[i].order = int64(i)
	}
	return best, nil
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
