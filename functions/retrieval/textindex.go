package retrieval

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/index/fulltext"
)

// index gives the full-text index over the fields of the search, in its language, that the statement may read; nil for none.
func (t *textRanking) index() *catalog.Index {
	txn := t.corp.env.Txn
	for _, x := range txn.Catalog().IndexesOf(t.corp.rel) {
		if x.Method != storage.MethodFullText || !txn.CanRead(x) || fulltext.Language(x) != t.analyzer.Language() {
			continue
		}
		if fields, err := fulltext.Fields(t.corp.rel, x); err == nil && t.corp.over(fields) {
			return x
		}
	}
	return nil
}

// over tells whether the corpus's text is that of the fields, in their order.
func (c *corpus) over(fields []fulltext.Field) bool {
	if len(fields) != len(c.fields) {
		return false
	}
	for i, f := range c.fields {
		if len(f.Path) != len(fields[i]) {
			return false
		}
		for j, step := range f.Path {
			if step.Kind != doc.StepKey || step.Key != fields[i][j] {
				return false
			}
		}
	}
	return true
}

// throughIndex is rank by way of an index: the same rows with the same scores.
func (t *textRanking) throughIndex(ctx context.Context, x *catalog.Index, k int) ([]candidate, error) {
	m, view, err := t.corp.env.Txn.OpenIndex(ctx, t.corp.rel, x)
	if err != nil {
		return nil, err
	}
	ix, ok := m.(*fulltext.Index)
	if !ok {
		return nil, dberr.New(dberr.InternalError, "index \"%s\" is no full-text index", x.Name)
	}
	s, err := ix.NewSearch(ctx, view, t.query)
	if err != nil {
		return nil, err
	}
	if t.filter != nil {
		a := &acceptor{t: t, patience: patience + s.Docs()/16}
		if a.match, err = filter.Compile(t.filter); err != nil {
			return nil, err
		}
		s.Accept = a.accept
	}
	hits, err := s.Best(ctx, k)
	if err != nil {
		return nil, err
	}
	t.scorer = s.Scorer()
	out := make([]candidate, len(hits))
	for i, h := range hits {
		out[i] = candidate{score: h.Score, order: int64(i), key: string(h.Key)}
	}
	return out, nil
}

// patience is how many rows a filter is tried on one by one; when it is over, all rows that pass it are found by a scan.
const patience = 2000

// acceptor decides about rows by a filter.
type acceptor struct {
	t        *textRanking
	match    *filter.Matcher
	patience int64
	all      map[string]struct{} // keys of all rows that pass; nil until patience is over
}

func (a *acceptor) accept(ctx context.Context, rowKey []byte) (bool, error) {
	if a.all == nil && a.patience > 0 {
		a.patience--
		d, ok, err := a.t.corp.env.Txn.Get(ctx, a.t.corp.rel, rowKey)
		if !ok || err != nil {
			return false, err
		}
		return a.match.Match(d)
	}
	if a.all == nil {
		if err := a.scan(ctx); err != nil {
			return false, err
		}
	}
	_, ok := a.all[string(rowKey)]
	return ok, nil
}

// scan finds the keys of all rows that pass the filter.
func (a *acceptor) scan(ctx context.Context) error {
	c := a.t.corp
	it, err := c.env.Txn.Scan(ctx, &storage.ScanSpec{Rel: c.rel, Filter: a.t.filter, Cols: []storage.ScanCol{{Kind: storage.ColRowKey}}})
	if err != nil {
		return err
	}
	defer it.Close()
	a.all = map[string]struct{}{}
	return eachBatch(ctx, it, func(b *batch.Batch) error {
		size := 0
		for i := range b.Rows() {
			k := strings.Clone(b.Cols[0].Strs[b.Row(i)])
			a.all[k] = struct{}{}
			size += len(k) + 48
		}
		return c.env.Memory.Grow(int64(size))
	})
}

func eachBatch(ctx context.Context, it batch.Iter, visit func(*batch.Batch) error) error {
	for {
		b, err := it.Next(ctx)
		if b == nil || err != nil {
			return err
		}
		if err := visit(b); err != nil {
			return err
		}
	}
}
