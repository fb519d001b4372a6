package retrieval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

var vsync = functions.Table{
	OID: 8105, Name: "vsync",
	Params: syncArgs,
	Cols: []functions.Param{
		{Name: "synced", Type: value.Int8},
		{Name: "written", Type: value.Int8},
		{Name: "removed", Type: value.Int8},
	},
	Volatility: functions.Volatile, Writes: true, Rows: 1, Single: true,
	Open:  openVsync,
	Descr: "stores the embedding of each document's text with its provenance; unchanged ones are left alone",
}

// embedAtOnce is how many texts go to the embedder in one call.
const embedAtOnce = 256

func openVsync(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 1)
	if anyNull(a[:2]) {
		return batch.Of(out, cols...), nil
	}
	s, err := newSyncer(ctx, c.Env, a)
	if err != nil {
		return nil, err
	}
	if s.vectors == nil {
		if s.vectors, err = c.Env.Txn.EnsureCollection(ctx, s.schema, s.corp.rel.Name+vectorsSuffix); err != nil {
			return nil, err
		}
	}
	synced, written, err := s.write(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := s.removeLeft(ctx)
	if err != nil {
		return nil, err
	}
	for i, n := range []int64{synced, written, removed} {
		cols[i].Append(value.Int(n))
	}
	return batch.Of(out, cols...), nil
}

// write stores what is not fresh and marks each record that still has a document by taking it out of s.records.
func (s *syncer) write(ctx context.Context) (synced, written int64, err error) {
	var due []source
	flush := func() error {
		err := s.store(ctx, due)
		written += int64(len(due))
		due = due[:0]
		return err
	}
	err = s.each(ctx, func(src source) error {
		synced++
		delete(s.records, string(src.id.Encoded()))
		if src.current.stale(src.want) == "" {
			return nil
		}
		if due = append(due, src); len(due) < embedAtOnce {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return synced, written, err
}

func (s *syncer) store(ctx context.Context, due []source) error {
	if len(due) == 0 {
		return nil
	}
	texts := make([]string, len(due))
	for i := range due {
		texts[i] = due[i].text
	}
	vecs, err := s.embedder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	txn := s.corp.env.Txn
	for i, src := range due {
		d, err := record(src, vecs[i])
		if err != nil {
			return err
		}
		if src.current == nil {
			_, _, err = txn.Insert(ctx, s.vectors, d)
		} else {
			err = s.replace(ctx, []byte(src.current.key), d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *syncer) replace(ctx context.Context, key []byte, d doc.Doc) error {
	old, ok, err := s.corp.env.Txn.Get(ctx, s.vectors, key)
	if err != nil || !ok {
		return err
	}
	_, err = s.corp.env.Txn.Update(ctx, s.vectors, key, old, d)
	return err
}

// record is the document stored for one embedding.
func record(src source, vec []float32) (doc.Doc, error) {
	var b doc.Builder
	b.BeginObject()
	b.Key("_id")
	b.Append(src.id)
	b.Key("provenance")
	b.BeginObject()
	b.Key("model")
	b.String(src.want.model)
	b.Key("dim")
	b.Int(int64(src.want.dim))
	b.Key("contentHash")
	b.String(src.want.hash)
	b.Key("sourceField")
	b.String(src.want.field)
	b.End()
	b.Key("vector")
	b.BeginArray()
	for _, x := range vec {
		b.Double(float64(x))
	}
	b.End()
	b.End()
	v, err := b.Value()
	return v.Doc(), err
}

// removeLeft deletes the records of this field whose document is gone or has no text any more.
func (s *syncer) removeLeft(ctx context.Context) (int64, error) {
	var n int64
	for _, r := range s.records {
		if r.from.field != s.field {
			continue
		}
		old, ok, err := s.corp.env.Txn.Get(ctx, s.vectors, []byte(r.key))
		if err != nil {
			return n, err
		}
		if !ok {
			continue
		}
		if err := s.corp.env.Txn.Delete(ctx, s.vectors, []byte(r.key), old); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
