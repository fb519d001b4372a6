package retrieval

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/value"
)

var insertDocument = functions.Scalar{
	OID: 8110, Name: "insert_document",
	Params: []functions.Param{pCollection, {Name: "document", Type: value.JSON, JSONBToo: true}},
	Ret:    value.JSON, Strict: true, Volatility: functions.Volatile,
	Eval:  evalInsertDocument,
	Descr: "inserts a document (Extended JSON) into a collection, which is made when it is missing, and returns its _id",
}

func evalInsertDocument(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	d, err := doc.ParseDocument(a[1].Bytes())
	if err != nil {
		return value.Null, err
	}
	rel, err := coll.ForInsert(ctx, c.Env, text(a[0]))
	if err != nil {
		return value.Null, err
	}
	_, id, err := c.Env.Txn.Insert(ctx, rel, d)
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(id.AppendCanonical(nil)), nil
}

var find = functions.Table{
	OID: 8111, Name: "find",
	Params: []functions.Param{
		pCollection, pFilter,
		{Name: "sort", Type: value.JSON, Default: "NULL", JSONBToo: true},
		{Name: "skip", Type: value.Int8, Default: "0"},
		{Name: "limit", Type: value.Int8, Default: "NULL"},
		{Name: "projection", Type: value.JSON, Default: "NULL", JSONBToo: true},
	},
	Cols: []functions.Param{
		{Name: "_id", Type: value.Text},
		{Name: "doc", Type: value.JSONB},
	},
	Volatility: functions.Stable, Rows: 100,
	Open:  openFind,
	Descr: "the documents of a collection that match a Mongo-style filter",
}

func openFind(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	if a[0].IsNull() {
		return batch.Of(out, batch.Columns(out, 0)...), nil
	}
	q, err := newFindQuery(c.Env, a)
	if err != nil {
		return nil, err
	}
	return q.open(ctx, out)
}

var countDocuments = functions.Scalar{
	OID: 8112, Name: "count_documents",
	Params: []functions.Param{pCollection, pFilter},
	Ret:    value.Int8, Volatility: functions.Stable,
	Eval:  evalCountDocuments,
	Descr: "the number of documents that match a Mongo-style filter",
}

func evalCountDocuments(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	rel, err := relation(c.Env, text(a[0]))
	if err != nil {
		return value.Null, err
	}
	f, err := parseFilter(a[1])
	if err != nil {
		return value.Null, err
	}
	it, err := c.Env.Txn.Scan(ctx, &storage.ScanSpec{Rel: rel, Filter: f})
	if err != nil {
		return value.Null, err
	}
	defer it.Close()
	var n int64
	for {
		b, err := it.Next(ctx)
		if err != nil || b == nil {
			return value.Int(n), err
		}
		n += int64(b.Rows())
	}
}

var docMatches = functions.Scalar{
	OID: 8113, Name: "doc_matches",
	Params: []functions.Param{
		{Name: "doc", Type: value.JSON, JSONBToo: true},
		{Name: "filter", Type: value.JSON, JSONBToo: true},
	},
	Ret: value.Boolean, Strict: true, Volatility: functions.Immutable,
	Eval:  evalDocMatches,
	Descr: "whether a document matches a Mongo-style filter",
}

// compiledFilter remembers the last filter of a call site.
type compiledFilter struct {
	text    string
	matcher *filter.Matcher
}

func evalDocMatches(_ context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	cf, _ := c.State.(*compiledFilter)
	if cf == nil || cf.text != a[1].Str() {
		f, err := parseFilter(a[1])
		if err != nil {
			return value.Null, err
		}
		m, err := filter.Compile(f)
		if err != nil {
			return value.Null, err
		}
		cf = &compiledFilter{text: strings.Clone(a[1].Str()), matcher: m}
		c.State = cf
	}
	d, err := objectArg("doc", a[0])
	if err != nil {
		return value.Null, err
	}
	ok, err := cf.matcher.Match(d)
	return value.Bool(ok), err
}

var canonicalJSON = functions.Scalar{
	OID: 8114, Name: "canonical_json",
	Params: []functions.Param{{Name: "value", Type: value.JSONB}},
	Ret:    value.Text, Strict: true, Volatility: functions.Immutable,
	Eval: func(_ context.Context, _ *functions.Call, a []value.Value) (value.Value, error) {
		return value.Bytes(doc.Decode(a[0].Bytes()).AppendCanonical(nil)), nil
	},
	Descr: "the shell's canonical JSON of a value, from its stored bytes",
}
