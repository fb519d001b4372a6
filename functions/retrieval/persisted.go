package retrieval

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
)

// persisted gives the vectors that vsync has stored for the corpus's field under the embedder's model, by the hash of their text: whatever
// text has the hash has the vector, so that those of changed texts are not found and none of another model are. Embedders that are as
// fast as reading are not worth it: nil.
func (c *corpus) persisted(ctx context.Context, e embed.Embedder) (map[string][]float32, error) {
	if embed.Into(e) != nil {
		return nil, nil
	}
	view := c.env.Txn.Catalog()
	rel := view.Relation(view.SchemaByID(c.rel.Schema).Name, c.rel.Name+vectorsSuffix)
	if rel == nil {
		return nil, nil
	}
	path := func(names ...string) storage.ScanCol {
		return storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys(names...)}
	}
	it, err := c.env.Txn.Scan(ctx, &storage.ScanSpec{Rel: rel, Cols: []storage.ScanCol{
		path("provenance", "model"), path("provenance", "contentHash"), path("provenance", "sourceField"), path("vector"),
	}})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	out := map[string][]float32{}
	return out, eachBatch(ctx, it, func(b *batch.Batch) error {
		n := 0
		for i := range b.Rows() {
			row := b.Row(i)
			model, _ := stringAt(b.Cols[0], row)
			hash, _ := stringAt(b.Cols[1], row)
			field, _ := stringAt(b.Cols[2], row)
			if model != e.ModelID() || field != c.field || b.Cols[3].IsNull(row) {
				continue
			}
			if x := numbers(doc.Decode([]byte(b.Cols[3].Strs[row])), e.Dim()); x != nil {
				out[strings.Clone(hash)] = x
				n++
			}
		}
		return c.env.Memory.Grow(int64(n) * int64(4*e.Dim()+96))
	})
}

// numbers reads an array of so many numbers; nil for anything else.
func numbers(v doc.Value, dim int) []float32 {
	out := make([]float32, 0, dim)
	for elems := v.Elements(); ; {
		_, x, ok := elems.Next()
		if !ok {
			break
		}
		f, isNumber := x.Float64()
		if !isNumber || len(out) == dim {
			return nil
		}
		out = append(out, float32(f))
	}
	if len(out) != dim {
		return nil
	}
	return out
}
