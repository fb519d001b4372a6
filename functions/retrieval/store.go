package retrieval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

var inspect = functions.Scalar{
	OID: 8120, Name: "inspect", Ret: value.JSON, Volatility: functions.Stable,
	Eval:  evalInspect,
	Descr: "the store's collections and tables with their counts, and the number of its newest commit",
}

// kinds are the names of stored relations' kinds.
var kinds = map[catalog.Kind]string{catalog.Collection: "collection", catalog.Table: "table", catalog.MatViewKind: "materialized view"}

func evalInspect(ctx context.Context, c *functions.Call, _ []value.Value) (value.Value, error) {
	view := c.Env.Txn.Catalog()
	var b doc.Builder
	b.BeginObject()
	b.Key("store")
	b.String(c.Env.DB.Path())
	b.Key("lsn")
	b.Int(int64(c.Env.Txn.LSN()))
	b.Key("collections")
	b.BeginArray()
	for _, rel := range view.Relations(0) {
		kind, stored := kinds[rel.Kind]
		if !stored {
			continue
		}
		n, err := c.Env.Txn.Count(ctx, rel)
		if err != nil {
			return value.Null, err
		}
		b.BeginObject()
		b.Key("name")
		b.String(qualified(view, rel))
		b.Key("kind")
		b.String(kind)
		b.Key("documents")
		b.Int(n)
		b.End()
	}
	b.End()
	b.End()
	return canonical(&b)
}

// qualified is a relation's name, with its schema unless that is public.
func qualified(view *catalog.View, rel *catalog.Relation) string {
	if s := view.SchemaByID(rel.Schema); s != nil && s.Name != "public" {
		return s.Name + "." + rel.Name
	}
	return rel.Name
}

// canonical gives what was built as json in the shell's form.
func canonical(b *doc.Builder) (value.Value, error) {
	v, err := b.Value()
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(v.AppendCanonical(nil)), nil
}

var verify = functions.Scalar{
	OID: 8121, Name: "verify", Ret: value.JSON, Volatility: functions.Volatile,
	Eval:  evalVerify,
	Descr: "checks the hash chain, every row and every index; ok is false and problem names the first thing wrong",
}

func evalVerify(ctx context.Context, c *functions.Call, _ []value.Value) (value.Value, error) {
	r, err := c.Env.DB.Verify(ctx)
	if err != nil {
		return value.Null, err
	}
	var b doc.Builder
	b.BeginObject()
	b.Key("ok")
	b.Bool(r.Problem == "")
	if r.Problem != "" {
		b.Key("problem")
		b.String(r.Problem)
	}
	for _, n := range []struct {
		name  string
		count int64
	}{
		{"lsn", int64(r.LSN)}, {"commits", r.Commits}, {"records", r.Records}, {"relations", r.Relations}, {"rows", r.Rows}, {"entries", r.Entries},
	} {
		b.Key(n.name)
		b.Int(n.count)
	}
	b.End()
	return canonical(&b)
}
