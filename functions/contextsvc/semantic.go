package contextsvc

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/index/vector"
)

func noVectors(dir string) *dberr.Error {
	return dberr.New(dberr.ObjectNotInPrerequisiteState, "No vector index found in '%s'", dir).
		WithHint("Re-run 'index' to enable semantic search.")
}

// semantic gives the n nearest files: a file is as near as its best chunk, by cosine; equal ones by path.
func (q *query) semantic(ctx context.Context, n int) ([]match, error) {
	e, err := q.embedder(ctx)
	if err != nil {
		return nil, err
	}
	vecs, err := e.Embed(ctx, []string{q.text})
	if err != nil {
		return nil, err
	}
	to := slices.Clone(vecs[0])
	vector.Normalize(to)
	if out, ok, err := q.semanticIndexed(ctx, e, to, n); ok || err != nil {
		return out, err
	}
	parts := make([]map[string]match, runtime.GOMAXPROCS(0))
	spec := storage.ScanSpec{Rel: q.chunks, Cols: []storage.ScanCol{{Kind: storage.ColRaw}}}
	err = q.inParts(ctx, spec, len(parts), func(ctx context.Context, p int, it batch.Iter) error {
		parts[p] = map[string]match{}
		return q.scanVectors(ctx, it, modelOf(e), to, parts[p])
	})
	if err != nil {
		return nil, err
	}
	best := parts[0]
	for _, part := range parts[1:] {
		for key, m := range part {
			if old, ok := best[key]; !ok || nearer(m, old) < 0 {
				best[key] = m
			}
		}
	}
	out := make([]match, 0, len(best))
	for _, m := range best {
		out = append(out, m)
	}
	slices.SortFunc(out, nearer)
	return out[:min(n, len(out))], nil
}

// nearer orders matches by distance, then by path and place.
func nearer(a, b match) int {
	if c := cmp.Compare(a.distance, b.distance); c != 0 {
		return c
	}
	if c := strings.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.start, b.start)
}

// embedder gives the embedder of the vectors that are stored.
func (q *query) embedder(ctx context.Context) (embed.Embedder, error) {
	name, model, err := q.stored(ctx)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, noVectors(q.place.dir)
	}
	e, err := q.env.Embedders.Get(name)
	if err != nil {
		return nil, dberr.Wrap(err, dberr.ObjectNotInPrerequisiteState, "The embedding model %q of the index is not available (%v)", name, err).
			WithHint("Install it, or re-run 'index' with another embedder.")
	}
	if modelOf(e) != model {
		return nil, dberr.New(dberr.ObjectNotInPrerequisiteState, "The index has vectors of model %s, but the embedder %q is now %s", model, name, modelOf(e)).
			WithHint("Re-run 'index' to embed the files again.")
	}
	return e, nil
}

// stored tells what the files were embedded with, by the first of them that was: "" when none was.
func (q *query) stored(ctx context.Context) (name, model string, err error) {
	// The first file tells as a rule: those behind it are not touched then.
	for _, most := range []int64{1, 0} {
		if name, model, err = q.firstStored(ctx, most); name != "" || err != nil {
			break
		}
	}
	return name, model, err
}

// firstStored is stored for the first files, of which there are at most so many; 0 means all.
func (q *query) firstStored(ctx context.Context, most int64) (name, model string, err error) {
	it, err := q.env.Txn.Scan(ctx, &storage.ScanSpec{
		Rel: q.files, Cols: []storage.ScanCol{{Kind: storage.ColID}, textCol("embedder"), textCol("model")}, Limit: most,
	})
	if err != nil {
		return "", "", err
	}
	defer it.Close()
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return "", "", err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			if _, ok := q.place.rel(b.Cols[0].Strs[row]); ok && !b.Cols[1].IsNull(row) && !b.Cols[2].IsNull(row) {
				return strings.Clone(b.Cols[1].Strs[row]), strings.Clone(b.Cols[2].Strs[row]), nil
			}
		}
	}
}

// scanVectors keeps the best chunk of each file in one part of the chunks. Vectors of other models are left out.
func (q *query) scanVectors(ctx context.Context, it batch.Iter, model string, to []float32, best map[string]match) error {
	s := scorer{query: to, model: model}
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		for i := range b.Rows() {
			m, ok := s.score(b.Cols[0].Get(b.Row(i)).Bytes())
			if !ok {
				continue
			}
			if _, ok := q.place.rel(m.key); !ok {
				continue
			}
			if old, ok := best[m.key]; !ok || nearer(m, old) < 0 {
				best[m.key] = m
			}
		}
	}
}

// scorer computes the distance of stored chunks from a query.
type scorer struct {
	query []float32 // of length 1, as those stored are
	model string
}

// score reads a document of `chunks`; ok is false for one that isn't of the model.
func (s *scorer) score(raw doc.Doc) (m match, ok bool) {
	m.semantic, m.byMeaning = true, true
	seen := 0
	for it := raw.Elements(); ; {
		name, v, more := it.Next()
		if !more {
			return m, false
		}
		switch string(name) {
		case "file":
			b, _ := v.StringBytes()
			m.key = str(b)
			seen++
		case "model":
			if b, _ := v.StringBytes(); string(b) != s.model {
				return m, false
			}
			seen++
		case "start":
			n, _ := v.Int64()
			m.start = int(n)
		case "end":
			n, _ := v.Int64()
			m.end = int(n)
		case "vector":
			_, packed, isBinary := v.Binary()
			if !isBinary || len(packed) != 4*len(s.query) || seen < 2 {
				return m, false
			}
			m.distance = 1 - float64(vector.Dot(s.query, vector.Floats(packed)))
			return m, true
		}
	}
}
