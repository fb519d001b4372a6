package retrieval

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/index/fulltext"
)

// candidates ranks what may get into a pack, best first.
func (r *request) candidates(ctx context.Context) ([]candidate, error) {
	if r.opt.split != nil {
		return r.rankPieces(ctx)
	}
	switch r.opt.mode {
	case modeLexical:
		words, err := newTextRanking(r.corp.env, r.args, r.args[4], "")
		if err != nil {
			return nil, err
		}
		return words.rank(ctx, -1)
	case modeHybrid:
		h, err := newHybrid(r.corp.env, r.args, r.opt.model)
		if err != nil {
			return nil, err
		}
		best, err := h.rank(ctx, fuseAuto, math.MaxInt)
		if err != nil {
			return nil, err
		}
		out := make([]candidate, len(best))
		for i := range best {
			out[i] = best[i].candidate
		}
		return out, nil
	}
	return r.corp.rank(ctx, r.opt.embedder, r.query, -1)
}

// piece is a candidate that is a piece of a text, and what each side makes of it.
type piece struct {
	candidate
	semantic float64
	length   int64   // in words
	freq     []int64 // of each clause; nil when the words don't find it
}

// pieceScan ranks the pieces of texts, each as a document of its own: BM25's statistics are those of the pieces that pass the filter.
type pieceScan struct {
	r        *request
	vector   []float32
	analyzer *fulltext.Analyzer
	words    fulltext.Query
}

// pieceSet is what one goroutine found in its part of the corpus.
type pieceSet struct {
	pieces []piece
	tally  fulltext.Tally
}

func (r *request) rankPieces(ctx context.Context) ([]candidate, error) {
	s := pieceScan{r: r}
	if r.opt.mode != modeLexical {
		vecs, err := r.opt.embedder.Embed(ctx, []string{r.query})
		if err != nil {
			return nil, err
		}
		s.vector = vecs[0]
	}
	var err error
	if s.analyzer, err = fulltext.NewAnalyzer(""); err != nil {
		return nil, err
	}
	s.words = s.analyzer.ParseQuery(r.query)
	pieces, err := r.corp.pieces(ctx)
	if err != nil {
		return nil, err
	}
	sets := make([]pieceSet, len(pieces))
	g, gctx := errgroup.WithContext(ctx)
	for p, piece := range pieces {
		it, err := r.corp.env.Txn.Scan(ctx, r.corp.spec(piece))
		if err != nil {
			_ = g.Wait()
			return nil, err
		}
		g.Go(func() error {
			defer it.Close()
			return s.scan(gctx, it, int64(p)<<48, &sets[p])
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return s.score(sets), nil
}

// scan cuts and scores the texts of one part.
func (s *pieceScan) scan(ctx context.Context, it batch.Iter, order int64, set *pieceSet) error {
	var score *scorer
	var match *fulltext.Matcher
	if s.vector != nil {
		score = newScorer(s.r.opt.embedder, s.vector, nil) // what is stored are vectors of whole texts
	}
	if s.r.opt.mode != modeSemantic {
		match = s.r.corp.env.Words.Matcher(s.analyzer, s.words)
	}
	const pieceBytes = 104
	var texts []string
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			t, ok := s.r.corp.text(b, row)
			if !ok {
				continue
			}
			spans := s.r.opt.pieces(t)
			if err := s.r.corp.env.Memory.Grow(int64(len(spans)) * pieceBytes); err != nil {
				return err
			}
			texts = texts[:0]
			for _, sp := range spans {
				texts = append(texts, t[sp.start:sp.end])
			}
			if score != nil {
				if err := score.score(ctx, texts); err != nil {
					return err
				}
			}
			for j, sp := range spans {
				p := piece{candidate: candidate{order: order, key: b.Cols[0].Strs[row], start: int32(sp.start), end: int32(sp.end)}}
				order++
				if score != nil {
					p.semantic = float64(score.scores[j])
				}
				if match != nil {
					set.count(match, texts[j], &p)
				}
				if p.freq != nil || s.r.opt.mode != modeLexical {
					set.pieces = append(set.pieces, p)
				}
			}
		}
	}
}

// count matches a piece and adds it to the statistics.
func (set *pieceSet) count(m *fulltext.Matcher, text string, p *piece) {
	length, freq, found := m.Match(text)
	set.tally.Count(length, freq)
	if found {
		p.length, p.freq = length, slices.Clone(freq)
	}
}

// score gives every piece its score, and sorts them.
func (s *pieceScan) score(sets []pieceSet) []candidate {
	var tally fulltext.Tally
	var all []piece
	for i := range sets {
		tally.Add(&sets[i].tally)
		all = append(all, sets[i].pieces...)
	}
	scorer := tally.Scorer(fulltext.DefaultParams, s.words)
	lexical := make([]float64, len(all))
	var best sides
	for i := range all {
		lexical[i] = scorer.Score(all[i].freq, all[i].length)
		best.lexical, best.semantic = max(best.lexical, lexical[i]), max(best.semantic, all[i].semantic)
	}
	weight := semanticWeight(s.r.opt.model)
	out := make([]candidate, 0, len(all))
	for i := range all {
		c := all[i].candidate
		switch s.r.opt.mode {
		case modeSemantic:
			c.score = all[i].semantic
		case modeLexical:
			c.score = lexical[i]
		case modeHybrid:
			if c.score = fuseAuto(&fused{lexical: lexical[i], semantic: all[i].semantic}, best, weight); c.score == 0 {
				continue
			}
		}
		out = append(out, c)
	}
	slices.SortFunc(out, before)
	return out
}
