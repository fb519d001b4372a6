package history

import (
	"context"
	"path/filepath"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/value"
)

var backup = functions.Scalar{
	OID: 8159, Name: "backup",
	Params: []functions.Param{{Name: "directory", Type: value.Text}},
	Ret:    value.JSON, Strict: true, Volatility: functions.Volatile,
	Eval: evalBackup,
	Descr: "copies the store, as it is after the newest commit and with its op-log, into a new directory of the server while writers go on; " +
		"omgdb restore makes a store of it, of any commit or time that the op-log reaches",
}

func evalBackup(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if err := coll.Writes(c.Env, "backup"); err != nil {
		return value.Null, err
	}
	if err := coll.Superuser(c.Env, "make a backup"); err != nil {
		return value.Null, err
	}
	dir := a[0].Str()
	if !filepath.IsAbs(dir) {
		return value.Null, dberr.New(dberr.InvalidParameterValue, "the directory of a backup must be an absolute path, not %q", dir).
			WithHint("It is a directory of the machine that the server runs on.")
	}
	r, err := c.Env.DB.Backup(ctx, filepath.Clean(dir))
	if err != nil {
		return value.Null, err
	}
	var b doc.Builder
	b.BeginObject()
	b.Key("backup")
	b.String(r.Path)
	b.Key("lsn")
	b.Int(int64(r.LSN))
	b.Key("bytes")
	b.Int(r.Bytes)
	b.End()
	return coll.Canonical(&b)
}

var compact = functions.Scalar{
	OID: 8160, Name: "compact", Ret: value.JSON, Volatility: functions.Volatile,
	Eval: evalCompact,
	Descr: "writes the store's file anew without the room of what was deleted, while readers and writers go on; the past of dropped and truncated " +
		"relations is freed at once",
}

func evalCompact(ctx context.Context, c *functions.Call, _ []value.Value) (value.Value, error) {
	if err := coll.Writes(c.Env, "compact"); err != nil {
		return value.Null, err
	}
	if err := coll.Superuser(c.Env, "compact the store"); err != nil {
		return value.Null, err
	}
	r, err := c.Env.DB.Compact(ctx)
	if err != nil {
		return value.Null, err
	}
	var b doc.Builder
	b.BeginObject()
	b.Key("before")
	b.Int(r.Before)
	b.Key("after")
	b.Int(r.After)
	b.End()
	return coll.Canonical(&b)
}
