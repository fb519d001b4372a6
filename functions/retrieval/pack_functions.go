package retrieval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

var contextPack = functions.Table{
	OID: 8101, Name: "context_pack",
	Params: packArgs,
	Cols: []functions.Param{
		{Name: "query", Type: value.Text},
		{Name: "budget_tokens", Type: value.Int4},
		{Name: "used_tokens", Type: value.Int4},
		{Name: "truncated", Type: value.Boolean},
		{Name: "chunks", Type: value.JSONB},
		{Name: "citations", Type: value.JSONB},
	},
	Volatility: functions.Stable, Rows: 1, Single: true,
	Open:  openContextPack,
	Descr: "the most relevant texts for a query that fit a token budget, with citations, as one row",
}

func openContextPack(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 1)
	r, err := newRequest(c.Env, a)
	if err != nil || r == nil {
		return batch.Of(out, cols...), err
	}
	p, err := r.pack(ctx)
	if err != nil {
		return nil, err
	}
	chunks, err := jsonb(p.chunksJSON)
	if err != nil {
		return nil, err
	}
	citations, err := jsonb(p.citationsJSON)
	if err != nil {
		return nil, err
	}
	row := []value.Value{value.String(p.query), value.Int(int64(p.budget)), value.Int(int64(p.used)), value.Bool(p.truncated), chunks, citations}
	for i, v := range row {
		cols[i].Append(v)
	}
	return batch.Of(out, cols...), nil
}

// jsonb makes a jsonb value of what write builds.
func jsonb(write func(*doc.Builder)) (value.Value, error) {
	var b doc.Builder
	write(&b)
	v, err := b.Value()
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(v.Encoded()), nil
}

var contextPackJSON = functions.Scalar{
	OID: 8102, Name: "context_pack_json",
	Params: packArgs, Ret: value.JSON, Volatility: functions.Stable,
	Eval:  evalContextPackJSON,
	Descr: "a context pack as one line of canonical JSON",
}

func evalContextPackJSON(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	r, err := newRequest(c.Env, a)
	if err != nil || r == nil {
		return value.Null, err
	}
	p, err := r.pack(ctx)
	if err != nil {
		return value.Null, err
	}
	v, err := p.json()
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(v.AppendCanonical(nil)), nil
}

var contextChunks = functions.Table{
	OID: 8103, Name: "context_chunks",
	Params: packArgs,
	Cols: []functions.Param{
		{Name: "rank", Type: value.Int4},
		{Name: "_id", Type: value.Text},
		{Name: "score", Type: value.Float8},
		{Name: "tokens", Type: value.Int4},
		{Name: "text", Type: value.Text},
	},
	Volatility: functions.Stable, Rows: 10,
	Open:  openContextChunks,
	Descr: "the chunks of a context pack, a row each",
}

func openContextChunks(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 16)
	r, err := newRequest(c.Env, a)
	if err != nil || r == nil {
		return batch.Of(out, cols...), err
	}
	p, err := r.pack(ctx)
	if err != nil {
		return nil, err
	}
	for i, ch := range p.chunks {
		appendChunk(cols, i+1, ch)
		cols[4].Append(value.String(ch.text))
	}
	return batch.Of(out, cols...), nil
}

func appendChunk(cols []*value.Column, rank int, ch chunk) {
	cols[0].Append(value.Int(int64(rank)))
	cols[1].Append(value.String(ch.idText))
	cols[2].Append(value.Float(ch.score))
	cols[3].Append(value.Int(int64(ch.tokens)))
}

var contextExplain = functions.Table{
	OID: 8104, Name: "context_explain",
	Params: packArgs,
	Cols: []functions.Param{
		{Name: "rank", Type: value.Int4},
		{Name: "_id", Type: value.Text},
		{Name: "score", Type: value.Float8},
		{Name: "tokens", Type: value.Int4},
		{Name: "included", Type: value.Boolean},
		{Name: "reason", Type: value.Text},
	},
	Volatility: functions.Stable, Rows: 100,
	Open:  openContextExplain,
	Descr: "each candidate of a context pack and why it is in or out",
}

func openContextExplain(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 64)
	r, err := newRequest(c.Env, a)
	if err != nil || r == nil {
		return batch.Of(out, cols...), err
	}
	rank := 0
	_, err = r.choose(ctx, true, func(ch *chunk, in bool, reason string) {
		rank++
		appendChunk(cols, rank, *ch)
		cols[4].Append(value.Bool(in))
		cols[5].Append(value.String(reason))
	})
	return batch.Of(out, cols...), err
}
