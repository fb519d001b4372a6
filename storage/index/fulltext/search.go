package fulltext

import (
	"bytes"
	"container/heap"
	"context"
	"slices"

	"github.com/omgdb/omgdb/storage/index"
	"github.com/omgdb/omgdb/storage/index/postings"
)

// Hit is a document that a search found.
type Hit struct {
	Key   []byte // of its row
	Score float64
}

// Search is a query on its way through an index. It belongs to one goroutine.
type Search struct {
	// Accept is asked about documents that would be among the best, by row key; nil accepts all.
	Accept func(ctx context.Context, rowKey []byte) (bool, error)
	// Params are BM25's constants: those of the index unless they are changed before Best.
	Params Params
	// Visited counts the postings that were looked at.
	Visited int64

	reader *postings.Reader
	stats  Stats
	query  Query
	idf    []float64 // by clause; 0 for excluded ones
	best   best
}

// NewSearch prepares a query at a reading point.
func (ix *Index) NewSearch(ctx context.Context, v index.View, q Query) (*Search, error) {
	r, err := postings.Open(ctx, ix.store, v, ix.cache)
	if err != nil {
		return nil, err
	}
	return &Search{reader: r, Params: ix.Params, stats: Stats{r.Docs, r.Words}, query: q}, nil
}

// Docs is the number of documents with a text.
func (s *Search) Docs() int64 { return s.stats.Docs }

// Best gives the k best documents, all when k is negative: best first, ties in the order of row keys. The scores are to the bit those of
// Matcher and Params over all documents.
func (s *Search) Best(ctx context.Context, k int) ([]Hit, error) {
	if k == 0 || s.query.Empty() || s.stats.Docs == 0 {
		return nil, nil
	}
	layers := make([][]*postings.Cursor, len(s.reader.Layers))
	df := make([]int64, len(s.query.Clauses))
	for i, l := range s.reader.Layers {
		for j := range s.query.Clauses {
			cur, n, err := s.clause(ctx, l, &s.query.Clauses[j])
			if err != nil {
				return nil, err
			}
			layers[i] = append(layers[i], cur)
			df[j] += n
		}
	}
	s.idf = s.stats.Weights(s.query, df)
	for j, c := range s.query.Clauses {
		if c.Occur == Must && df[j] == 0 {
			return nil, nil
		}
	}
	s.best = best{k: k}
	for i, l := range s.reader.Layers {
		w := newWalk(s, l, layers[i])
		if err := w.run(ctx); err != nil {
			return nil, err
		}
	}
	return s.best.sorted(ctx)
}

// Scorer gives what Best has made scores of; it has no weights when nothing is found.
func (s *Search) Scorer() Scorer { return Scorer{s.Params, s.stats, s.idf} }

// candidate is a document among the best. Its row key is looked up when a tie or the result asks for it.
type candidate struct {
	score   float64
	layer   *postings.Layer
	ordinal uint32
	key     []byte
}

func (c *candidate) load(ctx context.Context) (err error) {
	if c.key == nil {
		c.key, err = c.layer.RowKey(ctx, nil, c.ordinal)
	}
	return err
}

// best holds the k best candidates so far, the worst of them first.
type best struct {
	k    int
	list []candidate
	buf  []byte // a row key
	err  error
}

func (b *best) Len() int      { return len(b.list) }
func (b *best) Swap(i, j int) { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *best) Push(x any)    { b.list = append(b.list, x.(candidate)) }
func (b *best) Pop() any {
	last := b.list[len(b.list)-1]
	b.list = b.list[:len(b.list)-1]
	return last
}

// Less puts the worse one first.
func (b *best) Less(i, j int) bool {
	x, y := &b.list[i], &b.list[j]
	if x.score != y.score {
		return x.score < y.score
	}
	for _, c := range []*candidate{x, y} {
		if err := c.load(context.Background()); err != nil {
			b.err = err
		}
	}
	return bytes.Compare(x.key, y.key) > 0
}

// threshold is the score that a document must reach to matter; negative when any does.
func (b *best) threshold() float64 {
	if b.k < 0 || len(b.list) < b.k {
		return -1
	}
	return b.list[0].score
}

// wants tells whether a candidate would be among the best.
func (b *best) wants(ctx context.Context, c *candidate) (bool, error) {
	if b.k < 0 || len(b.list) < b.k {
		return true, nil
	}
	worst := &b.list[0]
	if c.score != worst.score {
		return c.score > worst.score, nil
	}
	if err := worst.load(ctx); err != nil {
		return false, err
	}
	var err error
	if b.buf, err = c.layer.RowKey(ctx, b.buf[:0], c.ordinal); err != nil {
		return false, err
	}
	return bytes.Compare(b.buf, worst.key) < 0, nil
}

func (b *best) take(c candidate) {
	switch {
	case b.k < 0:
		b.list = append(b.list, c)
	case len(b.list) < b.k:
		heap.Push(b, c)
	default:
		b.list[0] = c
		heap.Fix(b, 0)
	}
}

func (b *best) sorted(ctx context.Context) ([]Hit, error) {
	for i := range b.list {
		if err := b.list[i].load(ctx); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(b.list, func(x, y candidate) int {
		switch {
		case x.score > y.score:
			return -1
		case x.score < y.score:
			return 1
		}
		return bytes.Compare(x.key, y.key)
	})
	out := make([]Hit, len(b.list))
	for i, c := range b.list {
		out[i] = Hit{c.key, c.score}
	}
	return out, b.err
}
