package contextsvc

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/index/fulltext"
)

// hit is a file that the words of a query find: how often each clause occurs in it, and its length in words.
type hit struct {
	key    string
	score  float64
	length int64
	freq   []int64
}

// textPart is what one goroutine found in its part of the files.
type textPart struct {
	tally fulltext.Tally
	hits  []hit
}

// lexical gives the k best files that satisfy the words (all for k < 0), by BM25 and path (weigh.go).
func (q *query) lexical(ctx context.Context, k int) ([]hit, error) {
	if q.words.Empty() || k == 0 {
		return nil, nil
	}
	if x := textIndexOf(q.env.Txn, q.files); x != nil && q.env.Txn.CanRead(x) {
		return q.indexed(ctx, x, k)
	}
	parts := make([]textPart, runtime.GOMAXPROCS(0))
	spec := storage.ScanSpec{Rel: q.files, Cols: []storage.ScanCol{{Kind: storage.ColID}, textCol("text")}}
	err := q.inParts(ctx, spec, len(parts), func(ctx context.Context, p int, it batch.Iter) error {
		return q.scanTexts(ctx, it, &parts[p])
	})
	if err != nil {
		return nil, err
	}
	hits := q.score(parts)
	if k >= 0 {
		hits = hits[:min(k, len(hits))]
	}
	return hits, nil
}

// score gives what the parts found its scores, best first.
func (q *query) score(parts []textPart) []hit {
	var all fulltext.Tally
	var hits []hit
	for i := range parts {
		all.Add(&parts[i].tally)
		hits = append(hits, parts[i].hits...)
	}
	scorer := all.Scorer(textParams, q.words)
	for i := range hits {
		hits[i].score = scorer.Score(hits[i].freq, hits[i].length)
	}
	q.weigher(scorer.Weights).rank(q.place, hits)
	return hits
}

// inParts scans a relation in parts, each in a goroutine of its own.
func (q *query) inParts(ctx context.Context, spec storage.ScanSpec, parts int, fn func(ctx context.Context, part int, it batch.Iter) error) error {
	g, gctx := errgroup.WithContext(ctx)
	for p := range parts {
		mine := spec
		mine.Part, mine.Parts = p, parts
		it, err := q.env.Txn.Scan(ctx, &mine)
		if err != nil {
			_ = g.Wait()
			return err
		}
		g.Go(func() error {
			defer it.Close()
			return fn(gctx, p, it)
		})
	}
	return g.Wait()
}

// scanTexts matches one part of the files. Keys are valid as long as the statement.
func (q *query) scanTexts(ctx context.Context, it batch.Iter, p *textPart) error {
	m := q.env.Words.Matcher(q.analyzer, q.words)
	const hitBytes = 128
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			key := b.Cols[0].Strs[row]
			if _, ok := q.place.rel(key); !ok || b.Cols[1].IsNull(row) {
				continue
			}
			length, freq, ok := m.Match(b.Cols[1].Strs[row])
			p.tally.Count(length, freq)
			if !ok {
				continue
			}
			if err := q.env.Memory.Grow(hitBytes); err != nil {
				return err
			}
			p.hits = append(p.hits, hit{key: key, length: length, freq: slices.Clone(freq)})
		}
	}
}

func lexicalMatches(hits []hit) []match {
	out := make([]match, len(hits))
	for i, h := range hits {
		out[i].key = h.key
	}
	return out
}
