package retrieval

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/value"
)

var pLanguage = functions.Param{Name: "language", Type: value.Text, Default: "NULL"}

var textSearch = functions.Table{
	OID: 8107, Name: "text_search",
	Params: []functions.Param{pCollection, pField, pQuery, pK, pFilter, pLanguage, {Name: "html", Type: value.Boolean, Default: "false"}},
	Cols: []functions.Param{
		{Name: "_id", Type: value.Text},
		{Name: "score", Type: value.Float8},
		{Name: "snippet", Type: value.Text},
		{Name: "doc", Type: value.JSONB},
	},
	Volatility: functions.Stable, Rows: 10,
	Open:  openTextSearch,
	Descr: "the k documents that match a text query best (BM25), with a snippet, whose text is escaped for HTML on request",
}

func openTextSearch(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 10)
	if anyNull(a[:3]) {
		return batch.Of(out, cols...), nil
	}
	k, err := count("k", a[3], 10)
	if err != nil {
		return nil, err
	}
	ts, err := newTextRanking(c.Env, a, a[4], text(a[5]))
	if err != nil {
		return nil, err
	}
	best, err := ts.rank(ctx, k)
	if err != nil {
		return nil, err
	}
	snippet := fulltext.SnippetOptions{HTML: !a[6].IsNull() && a[6].Bool()}
	snippets := c.Reads(2)
	err = ts.corp.eachFetched(ctx, best, snippets || c.Reads(3), func(i int, id, encoded string) error {
		cols[0].Append(value.String(id))
		cols[1].Append(value.Float(best[i].score))
		if snippets {
			t, _ := ts.corp.textOf(doc.Decode([]byte(encoded)).Doc())
			cols[2].Append(value.String(ts.analyzer.Snippet(t, ts.query, snippet)))
		} else {
			cols[2].Append(value.Null)
		}
		cols[3].Append(value.String(encoded))
		return nil
	})
	return batch.Of(out, cols...), err
}

// textRanking ranks a corpus by BM25. The statistics are those of all documents with a text, whatever the filter leaves.
type textRanking struct {
	corp     *corpus
	filter   filter.Expr
	analyzer *fulltext.Analyzer
	query    fulltext.Query

	// What ranking has found out, for scores of further texts: nothing when no document has a required clause.
	scorer fulltext.Scorer
}

func newTextRanking(env *functions.Env, a []value.Value, filterJSON value.Value, language string) (*textRanking, error) {
	an, err := fulltext.NewAnalyzer(language)
	if err != nil {
		return nil, err
	}
	corp, err := openCorpus(env, text(a[0]), text(a[1]), filterJSON)
	if err != nil {
		return nil, err
	}
	t := &textRanking{corp: corp, filter: corp.filter, analyzer: an, query: an.ParseQuery(text(a[2]))}
	corp.filter = nil
	return t, nil
}

// found is a document that satisfies the query: how often each clause occurs in it, and its length in words.
type found struct {
	candidate
	length int64
	freq   []int64
}

// textPart is what one goroutine found in its part of the corpus.
type textPart struct {
	tally fulltext.Tally
	found []found
}

// rank gives the k best documents, best first, ties in key order.
func (t *textRanking) rank(ctx context.Context, k int) ([]candidate, error) {
	if k == 0 || t.query.Empty() {
		return nil, nil
	}
	if x := t.index(); x != nil {
		return t.throughIndex(ctx, x, k)
	}
	pieces, err := t.corp.pieces(ctx)
	if err != nil {
		return nil, err
	}
	parts := make([]textPart, len(pieces))
	g, gctx := errgroup.WithContext(ctx)
	for p, piece := range pieces {
		it, match, err := t.openPart(ctx, piece)
		if err != nil {
			_ = g.Wait()
			return nil, err
		}
		g.Go(func() error {
			defer it.Close()
			return t.scanPart(gctx, it, match, int64(p)<<48, &parts[p])
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	best := top{k: k}
	for _, c := range t.score(parts) {
		best.offer(c)
	}
	slices.SortFunc(best.rows, before)
	return best.rows, nil
}

// score computes the BM25 sum of each document that was found.
func (t *textRanking) score(parts []textPart) []candidate {
	var all fulltext.Tally
	for i := range parts {
		all.Add(&parts[i].tally)
	}
	t.scorer = all.Scorer(fulltext.DefaultParams, t.query)
	var out []candidate
	for _, p := range parts {
		for _, f := range p.found {
			f.score = t.scorer.Score(f.freq, f.length)
			out = append(out, f.candidate)
		}
	}
	return out
}

func (t *textRanking) matcher() *fulltext.Matcher {
	return t.corp.env.Words.Matcher(t.analyzer, t.query)
}

// scoreOf gives a text the score that it has in the ranking made before, 0 when the query doesn't find it.
func (t *textRanking) scoreOf(m *fulltext.Matcher, text string) float64 {
	length, freq, found := m.Match(text)
	if !found {
		return 0
	}
	return t.scorer.Score(freq, length)
}

// openPart opens the scan of one part; with a filter, the whole document stands behind the corpus's columns.
func (t *textRanking) openPart(ctx context.Context, piece []storage.KeyRange) (batch.Iter, *filter.Matcher, error) {
	var match *filter.Matcher
	spec := t.corp.spec(piece)
	if t.filter != nil {
		var err error
		if match, err = filter.Compile(t.filter); err != nil {
			return nil, nil, err
		}
		spec.Cols = append(spec.Cols, storage.ScanCol{Kind: storage.ColRaw})
	}
	it, err := t.corp.env.Txn.Scan(ctx, spec)
	return it, match, err
}

// scanPart matches the rows of one part, whose places in key order begin at order.
func (t *textRanking) scanPart(ctx context.Context, it batch.Iter, match *filter.Matcher, order int64, p *textPart) error {
	m := t.matcher()
	var arena []int64 // of frequencies
	raw := 1 + len(t.corp.fields)
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		full := *b
		full.Cols = b.Cols[:raw]
		for i := range b.Rows() {
			row := b.Row(i)
			txt, ok := t.corp.text(&full, row)
			if !ok {
				continue
			}
			order++
			length, freq, ok := m.Match(txt)
			p.tally.Count(length, freq)
			if ok && match != nil {
				if ok, err = match.Match(doc.Doc(value.String(b.Cols[raw].Strs[row]).Bytes())); err != nil {
					return err
				}
			}
			if ok {
				if len(arena)+len(freq) > cap(arena) {
					arena = make([]int64, 0, max(4096, len(freq)))
				}
				arena = append(arena, freq...)
				freq = arena[len(arena)-len(freq):]
				p.found = append(p.found, found{candidate{order: order, key: b.Cols[0].Strs[row]}, length, freq})
			}
		}
	}
}
