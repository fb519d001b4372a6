package retrieval

import (
	"context"
	"strings"
	"sync"

	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
)

// keptVectors are the vectors that vsync has stored for a corpus's field under an embedder's model, by the hash of their text: whatever
// text has the hash has the vector, so that those of changed texts are not found and none of another model are. They are read when they
// are asked for. Nil is none. It is safe for concurrent use.
type keptVectors struct {
	corp   *corpus
	e      embed.Embedder
	least  int // how many texts must want a vector for the reading of all to pay
	mu     sync.Mutex
	it     batch.Iter // nil when it was read
	byHash map[string][]float32
}

// Embedding a text with an embedder of our own takes a few times as long as reading a stored vector, with another thousands of times.
const (
	worthReading    = 64
	worthReadingMax = 100_000 // rows, for embedders of our own
)

// persisted prepares the reading of the vectors stored for the corpus; nil when there are none. Hashing is faster than reading.
func (c *corpus) persisted(ctx context.Context, e embed.Embedder) (*keptVectors, error) {
	view := c.env.Txn.Catalog()
	rel := view.Relation(view.SchemaByID(c.rel.Schema).Name, c.rel.Name+vectorsSuffix)
	if rel == nil || strings.HasPrefix(e.ModelID(), embed.HashingModel) {
		return nil, nil
	}
	k := &keptVectors{corp: c, e: e, least: 1}
	if embed.Into(e) != nil {
		if k.least = worthReading; c.env.DB.RowEstimate(rel) > worthReadingMax {
			return nil, nil
		}
	}
	path := func(names ...string) storage.ScanCol {
		return storage.ScanCol{Kind: storage.ColPathJSON, Path: doc.Keys(names...)}
	}
	var err error
	k.it, err = c.env.Txn.Scan(ctx, &storage.ScanSpec{Rel: rel, Cols: []storage.ScanCol{
		path("provenance", "model"), path("provenance", "contentHash"), path("provenance", "sourceField"), path("vector"),
	}})
	return k, err
}

func (k *keptVectors) close() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.it != nil {
		k.it.Close()
		k.it = nil
	}
}

// get gives the vectors by the hash of their text when so many texts want one.
func (k *keptVectors) get(ctx context.Context, missing int) (map[string][]float32, error) {
	if k == nil || missing == 0 {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.it == nil || missing < k.least {
		return k.byHash, nil
	}
	k.byHash = map[string][]float32{}
	err := eachBatch(ctx, k.it, k.read)
	k.it.Close()
	k.it = nil
	return k.byHash, err
}

func (k *keptVectors) read(b *batch.Batch) error {
	n := 0
	for i := range b.Rows() {
		row := b.Row(i)
		model, _ := stringAt(b.Cols[0], row)
		hash, _ := stringAt(b.Cols[1], row)
		field, _ := stringAt(b.Cols[2], row)
		if model != k.e.ModelID() || field != k.corp.field || b.Cols[3].IsNull(row) {
			continue
		}
		if x := numbers(doc.Decode([]byte(b.Cols[3].Strs[row])), k.e.Dim()); x != nil {
			k.byHash[strings.Clone(hash)] = x
			n++
		}
	}
	return k.corp.env.Memory.Grow(int64(n) * int64(4*k.e.Dim()+96))
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
