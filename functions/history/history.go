// Package history shows what the op-log knows: who changed what and when, the states that a row had, whole collections as they stood
// after an earlier commit; and it sets how far back that reaches.
package history

import (
	"context"
	"math"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// Entries lists the functions of this package.
func Entries() functions.Entries {
	return functions.Entries{
		Tables:  []*functions.Table{&opLog, &rowHistory, &asOfLSN, &asOfTime, &asOfText, &retention, &setRetention},
		Scalars: []*functions.Scalar{&purge, &lsn, &backup, &compact},
	}
}

// pgEpoch is where timestamps begin, in µs since 1970.
const pgEpoch = 946684800000000

// timestamp gives a commit's time as timestamptz, NULL when it is not known.
func timestamp(micros int64) value.Value {
	if micros == 0 {
		return value.Null
	}
	return value.Int(micros - pgEpoch)
}

// textOrNull gives a text, NULL for an empty one.
func textOrNull(s string) value.Value {
	if s == "" {
		return value.Null
	}
	return value.String(s)
}

// lsnArg reads a commit number that must not be negative; def stands for NULL.
func lsnArg(param string, v value.Value, def kv.LSN) (kv.LSN, error) {
	switch {
	case v.IsNull():
		return def, nil
	case v.Int() < 0:
		return 0, dberr.New(dberr.InvalidParameterValue, "%s must not be negative", param)
	}
	return kv.LSN(v.Int()), nil
}

// timeArg reads a timestamptz.
func timeArg(v value.Value) (time.Time, error) {
	if v.Int() == math.MaxInt64 || v.Int() == math.MinInt64 {
		return time.Time{}, dberr.New(dberr.InvalidParameterValue, "the time must be finite")
	}
	return time.UnixMicro(v.Int() + pgEpoch), nil
}

// noRows is the answer to a NULL argument.
func noRows(out value.Schema) batch.Iter { return batch.Of(out, batch.Columns(out, 0)...) }

var lsn = functions.Scalar{
	OID: 8150, Name: "lsn", Ret: value.Int8, Volatility: functions.Stable,
	Eval: func(_ context.Context, c *functions.Call, _ []value.Value) (value.Value, error) {
		return value.Int(int64(c.Env.Txn.LSN())), nil
	},
	Descr: "the number of the newest commit that the statement sees",
}

// actorCols are the columns that tell of a commit.
var actorCols = []functions.Param{
	{Name: "lsn", Type: value.Int8},
	{Name: "time", Type: value.TimestampTZ},
	{Name: "role", Type: value.Text},
	{Name: "application", Type: value.Text},
	{Name: "plan", Type: value.Text},
}

// appendActor fills the first columns with what actorCols name.
func appendActor(cols []*value.Column, at kv.LSN, micros int64, a storage.Actor) {
	cols[0].Append(value.Int(int64(at)))
	cols[1].Append(timestamp(micros))
	cols[2].Append(textOrNull(a.Role))
	cols[3].Append(textOrNull(a.Application))
	cols[4].Append(textOrNull(a.Plan))
}
