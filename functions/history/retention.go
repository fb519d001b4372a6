package history

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

var retentionCols = []functions.Param{
	{Name: "age", Type: value.IntervalT},
	{Name: "bytes", Type: value.Int8},
	{Name: "oldest_lsn", Type: value.Int8},
	{Name: "oldest_time", Type: value.TimestampTZ},
	{Name: "log_bytes", Type: value.Int8},
}

var retention = functions.Table{
	OID: 8156, Name: "retention", Cols: retentionCols, Volatility: functions.Stable, Rows: 1, Single: true,
	Open: func(ctx context.Context, c *functions.Call, _ []value.Value, out value.Schema) (batch.Iter, error) {
		return showRetention(ctx, c.Env, out)
	},
	Descr: "how long the op-log keeps what was changed (NULL: without that bound), the oldest commit whose state can still be read, and the log's size",
}

var setRetention = functions.Table{
	OID: 8157, Name: "set_retention",
	Params:     []functions.Param{{Name: "age", Type: value.IntervalT}, {Name: "bytes", Type: value.Int8}},
	Cols:       slices.Clip(retentionCols),
	Volatility: functions.Volatile, Rows: 1, Single: true,
	Open:  openSetRetention,
	Descr: "sets how long and up to which size the op-log keeps what was changed; NULL is no bound, both NULL forever. It works at once, not with the transaction",
}

// monthDays stands for a month in a retention.
const monthDays = 30

func openSetRetention(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	if err := coll.Writes(c.Env, "set_retention"); err != nil {
		return nil, err
	}
	if err := coll.Superuser(c.Env, "change the retention"); err != nil {
		return nil, err
	}
	var r storage.Retention
	if !a[0].IsNull() {
		age := a[0].Box().(value.Interval)
		days := float64(age.Days) + monthDays*float64(age.Months)
		if micros := days*24*3600e6 + float64(age.Micros); micros >= math.MaxInt64/1000 || micros <= 0 {
			return nil, dberr.New(dberr.InvalidParameterValue, "age must be more than nothing and less than 292 years").WithHint("NULL is no bound.")
		} else {
			r.Age = time.Duration(micros) * time.Microsecond
		}
	}
	if !a[1].IsNull() {
		if r.Bytes = a[1].Int(); r.Bytes <= 0 {
			return nil, dberr.New(dberr.InvalidParameterValue, "bytes must be more than 0").WithHint("NULL is no bound.")
		}
	}
	if err := c.Env.DB.SetRetention(r); err != nil {
		return nil, err
	}
	return showRetention(ctx, c.Env, out)
}

func showRetention(ctx context.Context, env *functions.Env, out value.Schema) (batch.Iter, error) {
	r, err := env.DB.Retention(ctx)
	if err != nil {
		return nil, err
	}
	reach, err := env.Txn.Reach(ctx)
	if err != nil {
		return nil, err
	}
	cols := batch.Columns(out, 1)
	age, bytes := value.Null, value.Null
	if r.Age > 0 {
		age = value.Box(spell(r.Age))
	}
	if r.Bytes > 0 {
		bytes = value.Int(r.Bytes)
	}
	for i, v := range []value.Value{age, bytes, value.Int(int64(reach.LSN)), timestamp(reach.Micros), value.Int(reach.Bytes)} {
		cols[i].Append(v)
	}
	return batch.Of(out, cols...), nil
}

// spell writes a duration in days and time.
func spell(d time.Duration) value.Interval {
	const day = 24 * time.Hour
	return value.Interval{Days: int32(d / day), Micros: int64(d%day) / 1000}
}

var purge = functions.Scalar{
	OID: 8158, Name: "purge",
	Params: []functions.Param{coll.PCollection, coll.PID},
	Ret:    value.Int8, Strict: true, Volatility: functions.Volatile,
	Eval: evalPurge,
	Descr: "erases what the op-log still holds of the earlier states of a document or row, at once and for good, and returns how many it erased; " +
		"the hash chain holds on",
}

func evalPurge(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if err := coll.Writes(c.Env, "purge"); err != nil {
		return value.Null, err
	}
	rel, err := coll.Relation(c.Env, a[0].Str())
	if err != nil {
		return value.Null, err
	}
	if err := coll.MayPurge(c.Env, rel); err != nil {
		return value.Null, err
	}
	keys, err := storage.RowKeys(rel, a[1].Str())
	if err != nil {
		return value.Null, err
	}
	total := 0
	for _, k := range keys {
		n, err := c.Env.DB.Purge(ctx, rel, k)
		if err != nil {
			return value.Null, err
		}
		total += n
	}
	return value.Int(int64(total)), nil
}
