package history

import (
	"context"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

var rowHistory = functions.Table{
	OID: 8151, Name: "history",
	Params:     []functions.Param{coll.PCollection, coll.PID},
	Cols:       append(slices.Clip(actorCols), functions.Param{Name: "operation", Type: value.Text}, functions.Param{Name: "doc", Type: value.JSONB}),
	Volatility: functions.Stable, Rows: 10, Strict: true,
	Open: openHistory,
	Descr: "the states that a document or row had, newest first, and who made them: operation is insert, update or delete, NULL where the " +
		"op-log no longer tells; doc is NULL for a delete and where the content has been purged",
}

func openHistory(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	rel, err := coll.Relation(c.Env, a[0].Str())
	if err != nil {
		return nil, err
	}
	if err := coll.MayReadPast(c.Env, rel); err != nil {
		return nil, err
	}
	keys, err := storage.RowKeys(rel, a[1].Str())
	if err != nil {
		return nil, err
	}
	var rows []version
	for _, k := range keys {
		states, err := c.Env.Txn.History(ctx, rel, k)
		if err != nil {
			return nil, err
		}
		rows = append(rows, named(states)...)
	}
	if len(keys) > 1 { // _ids of several types that print the same: they never lived at the same time
		slices.SortStableFunc(rows, func(a, b version) int { return int(min(1, max(-1, int64(b.LSN)-int64(a.LSN)))) })
	}
	cols := batch.Columns(out, len(rows))
	for _, v := range rows {
		appendActor(cols, v.LSN, v.Micros, v.Actor)
		cols[5].Append(textOrNull(v.operation))
		cols[6].Append(shown(rel, v.Doc))
	}
	return batch.Of(out, cols...), nil
}

// version is a state and what made it.
type version struct {
	storage.Version
	operation string
}

// named tells what made each of a row's states, which come newest first.
func named(states []storage.Version) []version {
	out := make([]version, len(states))
	for i, s := range states {
		out[i].Version = s
		switch {
		case s.Micros == 0: // its commit has left the op-log
		case s.Deleted:
			out[i].operation = opDelete
		case i+1 < len(states) && !states[i+1].Deleted:
			out[i].operation = opUpdate
		default:
			out[i].operation = opInsert
		}
	}
	return out
}

// shown gives a row as jsonb, NULL for nil.
func shown(rel *catalog.Relation, d []byte) value.Value {
	if d == nil {
		return value.Null
	}
	return value.Bytes(storage.Shown(rel, d).Value().Encoded())
}
