package contextsvc

import (
	"context"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/fulltext"
	"github.com/omgdb/omgdb/storage/value"
)

// language is that of a directory's texts: source code, whose names are found by their parts too.
const language = "code"

// textIndexOf gives the full-text index over the texts of the files; nil when there is none.
func textIndexOf(txn *storage.Txn, files *catalog.Relation) *catalog.Index {
	for _, x := range txn.Catalog().IndexesOf(files) {
		if x.Method != storage.MethodFullText || fulltext.Language(x) != language {
			continue
		}
		if f, err := fulltext.Fields(files, x); err == nil && len(f) == 1 && len(f[0]) == 1 && f[0][0] == "text" {
			return x
		}
	}
	return nil
}

// settle ends a run: it builds the indexes after the first one, and has later changes gathered, so that a query finds little to read before
// its words. dims are those of the vectors, 0 when there are none.
func (w *writer) settle(ctx context.Context, dims int) error {
	if err := w.begin(ctx); err != nil {
		return err
	}
	if textIndexOf(w.txn, w.files) == nil {
		_, err := w.txn.CreateIndex(ctx, catalog.Index{
			Name: filesName + "_text_idx", Relation: w.files.ID, Method: storage.MethodFullText, Options: map[string]string{"language": language},
			Keys: []catalog.IndexKey{{Expr: "doc ->> 'text'", Path: []string{"text"}, Type: value.Text}},
		})
		if err != nil {
			w.rollback()
			return err
		}
	}
	if err := w.indexVectors(ctx, dims); err != nil {
		w.rollback()
		return err
	}
	if err := w.commit(ctx); err != nil {
		return err
	}
	return w.env.DB.Gather(ctx)
}

// indexed is lexical by way of the index.
func (q *query) indexed(ctx context.Context, x *catalog.Index, k int) ([]hit, error) {
	m, view, err := q.env.Txn.OpenIndex(ctx, q.files, x)
	if err != nil {
		return nil, err
	}
	ix, ok := m.(*fulltext.Index)
	if !ok {
		return nil, dberr.New(dberr.InternalError, "index \"%s\" is no full-text index", x.Name)
	}
	s, err := ix.NewSearch(ctx, view, q.words)
	if err != nil {
		return nil, err
	}
	if q.place.prefix != "" {
		s.Accept = func(ctx context.Context, rowKey []byte) (bool, error) {
			d, ok, err := q.env.Txn.Get(ctx, q.files, rowKey)
			if !ok || err != nil {
				return false, err
			}
			_, ok = q.place.rel(doc.IDText(d.Lookup("_id")))
			return ok, nil
		}
	}
	s.Params = textParams
	best := k
	if k >= 0 {
		best = max(k, reranked)
	}
	found, err := s.Best(ctx, best)
	if err != nil {
		return nil, err
	}
	hits := make([]hit, 0, len(found))
	for _, f := range found {
		d, ok, err := q.env.Txn.Get(ctx, q.files, f.Key)
		if err != nil {
			return nil, err
		}
		if ok {
			hits = append(hits, hit{key: doc.IDText(d.Lookup("_id")), score: f.Score})
		}
	}
	q.weigher(s.Scorer().Weights).rank(q.place, hits)
	if k >= 0 {
		hits = hits[:min(k, len(hits))]
	}
	return hits, nil
}
