package retrieval

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/index/vector"
)

// parallelRows is the size from which a relation is scanned by several goroutines.
const parallelRows = 4096

// candidate is a scored row. Order is its place in key order, which breaks ties.
type candidate struct {
	score float64
	order int64
	key   string // valid until the snapshot is closed
	// A piece of the row's text, in bytes; both are 0 for the whole.
	start, end int32
}

// before orders candidates best first.
func before(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return cmp.Compare(a.order, b.order)
}

// rank gives the k best rows for the query (all of them when k < 0), best first, ties in key order. It looks at every row
// unless an index tells which may be the best.
func (c *corpus) rank(ctx context.Context, e embed.Embedder, query string, k int) ([]candidate, error) {
	if k == 0 {
		return nil, nil
	}
	qv, err := e.Embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	if x := c.vectorIndex(e); x != nil && k > 0 {
		if best, ok, err := c.rankIndexed(ctx, x, qv[0], k); ok || err != nil {
			return best, err
		}
	}
	pieces, err := c.pieces(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := c.persisted(ctx, e)
	if err != nil {
		return nil, err
	}
	defer kept.close()
	tops := make([]top, len(pieces))
	g, gctx := errgroup.WithContext(ctx)
	for p, piece := range pieces {
		tops[p].k = k
		it, err := c.env.Txn.Scan(ctx, c.spec(piece))
		if err != nil {
			_ = g.Wait()
			return nil, err
		}
		g.Go(func() error {
			defer it.Close()
			return c.rankPart(gctx, newScorer(e, qv[0], kept), it, int64(p)<<48, &tops[p])
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var all []candidate
	for i := range tops {
		all = append(all, tops[i].rows...)
	}
	slices.SortFunc(all, before)
	if k > 0 && len(all) > k {
		all = all[:k]
	}
	return all, nil
}

// rankPart scores the rows of one part, whose places in key order begin at order.
func (c *corpus) rankPart(ctx context.Context, s *scorer, it batch.Iter, order int64, t *top) error {
	var texts []string
	var rows []int
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		texts, rows = texts[:0], rows[:0]
		for i := range b.Rows() {
			if text, ok := c.text(b, b.Row(i)); ok {
				texts, rows = append(texts, text), append(rows, b.Row(i))
			}
		}
		if err := s.score(ctx, texts); err != nil {
			return err
		}
		if err := c.grow(t, len(rows)); err != nil {
			return err
		}
		for i, row := range rows {
			t.offer(candidate{score: float64(s.scores[i]), order: order, key: b.Cols[0].Strs[row]})
			order++
		}
	}
}

// grow accounts for the candidates of a batch that a top without bound will keep.
func (c *corpus) grow(t *top, n int) error {
	if t.k > 0 {
		return nil
	}
	const candidateBytes = 48
	return c.env.Memory.Grow(int64(n) * candidateBytes)
}

// scorer computes the cosine of texts with a query. It belongs to one goroutine.
type scorer struct {
	e      embed.Embedder
	query  []float32
	norm   float32
	vecs   [][]float32
	scores []float32
	kept   *keptVectors // nil for none
}

func newScorer(e embed.Embedder, query []float32, kept *keptVectors) *scorer {
	return &scorer{e: e, query: query, norm: vector.Norm(query), kept: kept}
}

func (s *scorer) score(ctx context.Context, texts []string) error {
	if err := s.embed(ctx, texts); err != nil {
		return err
	}
	s.scores = s.scores[:0]
	for _, v := range s.vecs {
		s.scores = append(s.scores, vector.CosineNorms(s.query, v, s.norm, vector.Norm(v)))
	}
	return nil
}

// embed leaves in vecs the texts' vectors: those that the embedder remembers, those that vsync has stored, and new ones.
func (s *scorer) embed(ctx context.Context, texts []string) (err error) {
	known, remembers := s.e.(*embed.Remembered)
	missing := len(texts)
	if remembers {
		if s.vecs, missing = known.Known(s.vecs[:0], texts); missing == 0 {
			return nil
		}
	} else {
		s.vecs = append(s.vecs[:0], make([][]float32, len(texts))...)
	}
	stored, err := s.kept.get(ctx, missing)
	if err != nil {
		return err
	}
	var rest []string
	var at []int
	for i, v := range s.vecs {
		if v != nil {
			continue
		}
		if len(stored) > 0 {
			s.vecs[i] = stored[embed.ContentHash(texts[i])]
		}
		switch {
		case s.vecs[i] == nil:
			rest, at = append(rest, texts[i]), append(at, i)
		case remembers:
			known.Keep(texts[i], s.vecs[i])
		}
	}
	if len(rest) == 0 {
		return nil
	}
	fresh, err := s.e.Embed(ctx, rest)
	for i, v := range fresh {
		s.vecs[at[i]] = v
	}
	return err
}

// top keeps the k best candidates (all when k < 0) as a heap with the worst on top.
type top struct {
	k    int
	rows []candidate
}

func (t *top) offer(c candidate) {
	switch {
	case t.k < 0:
		t.rows = append(t.rows, c)
	case len(t.rows) < t.k:
		t.rows = append(t.rows, c)
		for i := len(t.rows) - 1; i > 0; {
			p := (i - 1) / 2
			if before(t.rows[i], t.rows[p]) <= 0 {
				break
			}
			t.rows[i], t.rows[p] = t.rows[p], t.rows[i]
			i = p
		}
	case before(c, t.rows[0]) < 0:
		t.rows[0] = c
		t.sink()
	}
}

func (t *top) sink() {
	for i := 0; ; {
		w := 2*i + 1
		if w >= len(t.rows) {
			return
		}
		if w+1 < len(t.rows) && before(t.rows[w+1], t.rows[w]) > 0 {
			w++
		}
		if before(t.rows[w], t.rows[i]) <= 0 {
			return
		}
		t.rows[i], t.rows[w] = t.rows[w], t.rows[i]
		i = w
	}
}

// eachFetched reads the rows of candidates in their order; without their documents when these are not wanted.
func (c *corpus) eachFetched(ctx context.Context, cands []candidate, docs bool, fn func(i int, id, encodedDoc string) error) error {
	keys := make([][]byte, len(cands))
	for i := range cands {
		keys[i] = []byte(cands[i].key)
	}
	if len(keys) == 0 {
		return nil
	}
	spec := c.fetch(keys)
	if !docs {
		spec.Cols = spec.Cols[:1]
	}
	it, err := c.env.Txn.Scan(ctx, spec)
	if err != nil {
		return err
	}
	defer it.Close()
	n := 0
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			encoded := ""
			if docs {
				encoded = b.Cols[1].Strs[row]
			}
			if err := fn(n, b.Cols[0].Strs[row], encoded); err != nil {
				return err
			}
			n++
		}
	}
}
