package retrieval

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

var hybridSearch = functions.Table{
	OID: 8108, Name: "hybrid_search",
	Params: []functions.Param{
		pCollection, pField, pQuery, pK, pFilter,
		{Name: "method", Type: value.Text, Default: "'auto'"},
		{Name: "embedder", Type: value.Text, Default: "'static'"},
	},
	Cols: []functions.Param{
		{Name: "_id", Type: value.Text},
		{Name: "score", Type: value.Float8},
		{Name: "lexical_rank", Type: value.Int4},
		{Name: "semantic_rank", Type: value.Int4},
		{Name: "doc", Type: value.JSONB},
	},
	Volatility: functions.Stable, Rows: 10,
	Open:  openHybridSearch,
	Descr: "the k best documents by words and by meaning together, with their rank on each side",
}

// fusionDepth is how many of each side's best documents are considered at least.
const fusionDepth = 100

// fused is a document that one side or both found. A rank counts from 1; 0 is none within the depth considered.
type fused struct {
	candidate
	lexical, semantic         float64 // the sides' own scores; 0 where a side did not find it
	lexicalRank, semanticRank int
}

// method turns the sides' scores and ranks into one score; weight is the semantic side's share, from the model's quality.
type method func(f *fused, best sides, weight float64) float64

// sides are the best scores of the two sides, 0 for an empty one.
type sides struct{ lexical, semantic float64 }

// methods are the ways of fusion by name.
var methods = map[string]method{
	"auto":          fuseAuto,
	"rrf":           fuseRRF,
	"convex":        func(f *fused, best sides, _ float64) float64 { return fuseAuto(f, best, 0.5) },
	"lexical_first": fuseLexicalFirst,
}

// semanticWeights is the share of the semantic side in auto fusion: what a model's ranking is worth beside BM25.
// Models not listed count as strong ones.
var semanticWeights = map[string]float64{"hashing": 0.1, "static": 0.35}

const strongModelWeight = 0.5

func semanticWeight(model string) float64 {
	if w, ok := semanticWeights[model]; ok {
		return w
	}
	return strongModelWeight
}

// fuseAuto adds each side's score relative to the side's best one. A document that a side did not find gets nothing from it.
func fuseAuto(f *fused, best sides, weight float64) float64 {
	s := 0.0
	if best.lexical > 0 {
		s += (1 - weight) * f.lexical / best.lexical
	}
	if best.semantic > 0 {
		s += weight * math.Max(0, f.semantic) / best.semantic
	}
	return s
}

// fuseRRF is reciprocal rank fusion with k=60 (Cormack, Clarke and Büttcher 2009).
func fuseRRF(f *fused, _ sides, _ float64) float64 {
	const k = 60
	s := 0.0
	for _, rank := range []int{f.lexicalRank, f.semanticRank} {
		if rank > 0 {
			s += 1 / float64(k+rank)
		}
	}
	return s
}

// fuseLexicalFirst puts all lexical hits in their order before the rest in semantic order.
func fuseLexicalFirst(f *fused, _ sides, _ float64) float64 {
	if f.lexicalRank > 0 {
		return 1 + 1/float64(f.lexicalRank)
	}
	return 1 / float64(1+f.semanticRank)
}

func openHybridSearch(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 10)
	if anyNull(a[:3]) {
		return batch.Of(out, cols...), nil
	}
	k, err := count("k", a[3], 10)
	if err != nil {
		return nil, err
	}
	name, model := text(a[5]), text(a[6])
	if a[5].IsNull() {
		name = "auto"
	}
	if a[6].IsNull() {
		model = "static"
	}
	fuse, ok := methods[name]
	if !ok {
		return nil, dberr.New(dberr.InvalidParameterValue, "unknown fusion method %q", name).
			WithHint("Use auto, rrf, convex or lexical_first.")
	}
	h, err := newHybrid(c.Env, a, model)
	if err != nil {
		return nil, err
	}
	best, err := h.rank(ctx, fuse, k)
	if err != nil {
		return nil, err
	}
	cands := make([]candidate, len(best))
	for i := range best {
		cands[i] = best[i].candidate
	}
	err = h.words.corp.eachFetched(ctx, cands, c.Reads(4), func(i int, id, encoded string) error {
		cols[0].Append(value.String(id))
		cols[1].Append(value.Float(best[i].score))
		cols[2].Append(rankValue(best[i].lexicalRank))
		cols[3].Append(rankValue(best[i].semanticRank))
		cols[4].Append(value.String(encoded))
		return nil
	})
	return batch.Of(out, cols...), err
}

func rankValue(rank int) value.Value {
	if rank == 0 {
		return value.Null
	}
	return value.Int(int64(rank))
}

// hybrid ranks a corpus on two sides over the same filter.
type hybrid struct {
	words    *textRanking
	corp     *corpus
	embedder embed.Embedder
	weight   float64
	query    string
}

func newHybrid(env *functions.Env, a []value.Value, model string) (*hybrid, error) {
	e, err := env.Embedders.Get(model)
	if err != nil {
		return nil, err
	}
	h := &hybrid{embedder: e, query: text(a[2]), weight: semanticWeight(model)}
	if h.words, err = newTextRanking(env, a, a[4], ""); err != nil {
		return nil, err
	}
	h.corp, err = openCorpus(env, text(a[0]), text(a[1]), a[4])
	return h, err
}

// rank fuses the best documents of both sides. Every document considered gets its exact score on both, so that none gains by being
// beyond the depth of one side.
func (h *hybrid) rank(ctx context.Context, fuse method, k int) ([]fused, error) {
	if k == 0 {
		return nil, nil
	}
	depth := max(fusionDepth, k)
	if k == math.MaxInt {
		depth = -1
	}
	lexical, err := h.words.rank(ctx, depth)
	if err != nil {
		return nil, err
	}
	semantic, err := h.corp.rank(ctx, h.embedder, h.query, depth)
	if err != nil {
		return nil, err
	}
	var best sides
	docs := make(map[string]*fused, len(lexical)+len(semantic))
	for i, c := range lexical {
		best.lexical = max(best.lexical, c.score)
		docs[c.key] = &fused{candidate: c, lexical: c.score, lexicalRank: i + 1}
	}
	for i, c := range semantic {
		if i == 0 {
			best.semantic = c.score
		}
		d := docs[c.key]
		if d == nil && c.score > 0 {
			d = &fused{candidate: c}
			docs[c.key] = d
		}
		if d != nil {
			d.order, d.semantic, d.semanticRank = c.order, c.score, i+1
		}
	}
	if depth > 0 {
		if err := h.complete(ctx, docs, len(lexical) == depth, len(semantic) == depth); err != nil {
			return nil, err
		}
	}
	all := make([]fused, 0, len(docs))
	for _, d := range docs {
		d.score = fuse(d, best, h.weight)
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b fused) int { return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.key, b.key)) })
	return all[:min(k, len(all))], nil
}

// complete finds the scores that documents have on a side which may have more than it gave.
func (h *hybrid) complete(ctx context.Context, docs map[string]*fused, words, meaning bool) error {
	var keys [][]byte
	for key, d := range docs {
		if words && d.lexicalRank == 0 || meaning && d.semanticRank == 0 {
			keys = append(keys, []byte(key))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, bytes.Compare)
	spec := h.corp.spec(nil)
	spec.Keys, spec.Filter = keys, nil // they have passed it
	it, err := h.corp.env.Txn.Scan(ctx, spec)
	if err != nil {
		return err
	}
	defer it.Close()
	match := h.words.matcher()
	var texts []string
	var unknown []*fused
	if err := eachBatch(ctx, it, func(b *batch.Batch) error {
		for i := range b.Rows() {
			row := b.Row(i)
			d := docs[b.Cols[0].Strs[row]]
			text, ok := h.corp.text(b, row)
			if d == nil || !ok {
				continue
			}
			if words && d.lexicalRank == 0 {
				d.lexical = h.words.scoreOf(match, text)
			}
			if meaning && d.semanticRank == 0 {
				texts, unknown = append(texts, text), append(unknown, d)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return h.similarity(ctx, texts, unknown)
}

// similarity gives documents the score of their texts by meaning.
func (h *hybrid) similarity(ctx context.Context, texts []string, docs []*fused) error {
	if len(texts) == 0 {
		return nil
	}
	query, err := h.embedder.Embed(ctx, []string{h.query})
	if err != nil {
		return err
	}
	kept, err := h.corp.persisted(ctx, h.embedder)
	if err != nil {
		return err
	}
	defer kept.close()
	s := newScorer(h.embedder, query[0], kept)
	if err := s.score(ctx, texts); err != nil {
		return err
	}
	for i, d := range docs {
		d.semantic = float64(s.scores[i])
	}
	return nil
}
