package retrieval

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/value"
)

var vsearchCols = []functions.Param{
	{Name: "_id", Type: value.Text},
	{Name: "score", Type: value.Float8},
	{Name: "doc", Type: value.JSONB},
}

var vsearch = functions.Table{
	OID: 8100, Name: "vsearch",
	Params:     []functions.Param{pCollection, pField, pQuery, pK, pFilter, pEmbedder},
	Cols:       vsearchCols,
	Volatility: functions.Stable, Rows: 10,
	Open:  openVsearch,
	Descr: "the k documents whose text at a field is most similar to a query, best first",
}

func openVsearch(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	cols := batch.Columns(out, 10)
	if anyNull(a[:3]) {
		return batch.Of(out, cols...), nil
	}
	k, err := count("k", a[3], 10)
	if err != nil {
		return nil, err
	}
	e, err := c.Env.Embedders.Get(text(a[5]))
	if err != nil {
		return nil, err
	}
	corp, err := openCorpus(c.Env, text(a[0]), text(a[1]), a[4])
	if err != nil {
		return nil, err
	}
	best, err := corp.rank(ctx, e, text(a[2]), k)
	if err != nil {
		return nil, err
	}
	err = corp.eachFetched(ctx, best, c.Reads(2), func(i int, id, encoded string) error {
		cols[0].Append(value.String(id))
		cols[1].Append(value.Float(best[i].score))
		cols[2].Append(value.String(encoded))
		return nil
	})
	return batch.Of(out, cols...), err
}
