package retrieval

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/value"
)

var embedText = functions.Scalar{
	OID: 8115, Name: "embed",
	Params: []functions.Param{{Name: "text", Type: value.Text}, pEmbedder},
	Ret:    value.Vector, Volatility: functions.Stable,
	Eval:  evalEmbed,
	Descr: "the vector that an embedder gives a text",
}

func evalEmbed(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if a[0].IsNull() {
		return value.Null, nil
	}
	e, err := c.Env.Embedders.Get(text(a[1]))
	if err != nil {
		return value.Null, err
	}
	vecs, err := e.Embed(ctx, []string{text(a[0])})
	if err != nil {
		return value.Null, err
	}
	packed := make([]byte, 0, 4*len(vecs[0]))
	for _, x := range vecs[0] {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	return value.Bytes(packed), nil
}

var approxTokens = functions.Scalar{
	OID: 8116, Name: "approx_tokens",
	Params: []functions.Param{{Name: "text", Type: value.Text}},
	Ret:    value.Int4, Strict: true, Volatility: functions.Immutable,
	Eval: func(_ context.Context, _ *functions.Call, a []value.Value) (value.Value, error) {
		return value.Int(int64(ApproxTokens(text(a[0])))), nil
	},
	Descr: "an estimate of a text's tokens: a quarter of its code points, rounded up",
}
