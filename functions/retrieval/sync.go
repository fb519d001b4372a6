package retrieval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

// vectorsSuffix names the collection that holds a collection's stored embeddings.
const vectorsSuffix = ".__vectors"

var syncArgs = []functions.Param{pCollection, pField, pEmbedder}

// provenance says where a stored vector came from.
type provenance struct {
	model, hash, field string
	dim                int
}

// stored is what is known of one record of the vectors collection.
type stored struct {
	key  string // row key
	from provenance
}

// stale gives the reason why a record doesn't stand for a text any more, "" when it is fresh.
func (s *stored) stale(want provenance) string {
	switch {
	case s == nil:
		return "no stored embedding"
	case s.from.model != want.model:
		return "embedded by another model: " + s.from.model
	case s.from.dim != want.dim:
		return "another dimension"
	case s.from.field != want.field:
		return "embedded from another field: " + s.from.field
	case s.from.hash != want.hash:
		return "the text has changed"
	}
	return ""
}

// syncer compares the texts of a corpus with the records stored for it.
type syncer struct {
	corp     *corpus
	embedder embed.Embedder
	field    string
	schema   string            // of the collection and its vectors
	vectors  *catalog.Relation // nil when there is none yet
	records  map[string]*stored
}

func newSyncer(ctx context.Context, env *functions.Env, a []value.Value) (*syncer, error) {
	e, err := env.Embedders.Get(text(a[2]))
	if err != nil {
		return nil, err
	}
	s := &syncer{embedder: e, field: text(a[1]), records: map[string]*stored{}}
	if s.corp, err = openCorpus(env, text(a[0]), text(a[1]), value.Null); err != nil {
		return nil, err
	}
	s.schema = env.Txn.Catalog().SchemaByID(s.corp.rel.Schema).Name
	s.vectors = env.Txn.Catalog().Relation(s.schema, s.corp.rel.Name+vectorsSuffix)
	if s.vectors == nil {
		return s, nil
	}
	return s, s.load(ctx)
}

// load reads the provenance of all records; the vectors themselves stay where they are.
func (s *syncer) load(ctx context.Context) error {
	path := func(names ...string) storage.ScanCol {
		return storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys(names...)}
	}
	it, err := s.corp.env.Txn.Scan(ctx, &storage.ScanSpec{Rel: s.vectors, Cols: []storage.ScanCol{
		{Kind: storage.ColRowKey}, path("_id"), path("provenance", "model"), path("provenance", "contentHash"),
		path("provenance", "sourceField"), path("provenance", "dim"),
	}})
	if err != nil {
		return err
	}
	defer it.Close()
	const recordBytes = 160
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := s.corp.env.Memory.Grow(int64(b.Rows()) * recordBytes); err != nil {
			return err
		}
		for i := range b.Rows() {
			row := b.Row(i)
			r := &stored{key: b.Cols[0].Strs[row]}
			r.from.model, _ = stringAt(b.Cols[2], row)
			r.from.hash, _ = stringAt(b.Cols[3], row)
			r.from.field, _ = stringAt(b.Cols[4], row)
			if !b.Cols[5].IsNull(row) {
				dim, _ := doc.Decode([]byte(b.Cols[5].Strs[row])).Int64()
				r.from.dim = int(dim)
			}
			s.records[b.Cols[1].Strs[row]] = r
		}
	}
}

// source is one document of the corpus.
type source struct {
	id      doc.Value
	idText  string
	text    string
	want    provenance
	current *stored
}

// each visits the documents that have a text, in key order. A source's bytes are valid until the snapshot is closed.
func (s *syncer) each(ctx context.Context, fn func(source) error) error {
	spec := s.corp.spec(nil)
	spec.Cols = append(spec.Cols, storage.ScanCol{Kind: storage.ColID}, storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys("_id")})
	idText := len(spec.Cols) - 2
	it, err := s.corp.env.Txn.Scan(ctx, spec)
	if err != nil {
		return err
	}
	defer it.Close()
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		full := *b
		full.Cols = b.Cols[:idText]
		for i := range b.Rows() {
			row := b.Row(i)
			t, ok := s.corp.text(&full, row)
			if !ok {
				continue
			}
			src := source{idText: b.Cols[idText].Strs[row], text: t}
			if s.corp.rel.Kind == catalog.Collection {
				src.id = doc.Decode([]byte(b.Cols[idText+1].Strs[row]))
			} else {
				src.id = doc.String(src.idText)
			}
			src.want = provenance{model: s.embedder.ModelID(), dim: s.embedder.Dim(), field: s.field, hash: embed.ContentHash(t)}
			src.current = s.records[string(src.id.Encoded())]
			if err := fn(src); err != nil {
				return err
			}
		}
	}
}

var vstale = functions.Table{
	OID: 8106, Name: "vstale",
	Params: syncArgs,
	Cols: []functions.Param{
		{Name: "_id", Type: value.Text},
		{Name: "id", Type: value.JSON},
		{Name: "reason", Type: value.Text},
	},
	Volatility: functions.Stable, Rows: 100,
	Open:  openVstale,
	Descr: "the documents whose stored embedding is missing or out of date, with the reason",
}

func openVstale(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 64)
	if anyNull(a[:2]) {
		return batch.Of(out, cols...), nil
	}
	s, err := newSyncer(ctx, c.Env, a)
	if err != nil {
		return nil, err
	}
	err = s.each(ctx, func(src source) error {
		if reason := src.current.stale(src.want); reason != "" {
			cols[0].Append(value.String(src.idText))
			cols[1].Append(value.Bytes(src.id.AppendCanonical(nil)))
			cols[2].Append(value.String(reason))
		}
		return nil
	})
	return batch.Of(out, cols...), err
}
