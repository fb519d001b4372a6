package history

import (
	"context"
	"strconv"
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

// collection_as_of takes a commit's number, a time, or a text that is either: an untyped literal means the last one.
var (
	asOfLSN  = asOfTable(8153, functions.Param{Name: "lsn", Type: value.Int8}, lsnMoment)
	asOfTime = asOfTable(8154, functions.Param{Name: "at", Type: value.TimestampTZ}, timeMoment)
	asOfText = asOfTable(8155, functions.Param{Name: "moment", Type: value.Text}, textMoment)
)

// moment gives the commit that an argument means.
type moment func(ctx context.Context, env *functions.Env, v value.Value) (kv.LSN, error)

func asOfTable(oid uint32, when functions.Param, m moment) functions.Table {
	past := func(ctx context.Context, env *functions.Env, a []value.Value) (*catalog.Relation, kv.LSN, error) {
		return pastRelation(ctx, env, a, m)
	}
	return functions.Table{
		OID: oid, Name: "collection_as_of",
		Params:  []functions.Param{coll.PCollection, when},
		Dynamic: true, Strict: true, Volatility: functions.Stable,
		Past: past, Shape: presentShape,
		Open: func(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
			return openPast(ctx, c.Env, a, m, out)
		},
		Descr: "a collection or table as it stood after a commit, or at a time; it reads like the collection itself",
	}
}

func lsnMoment(_ context.Context, env *functions.Env, v value.Value) (kv.LSN, error) {
	at, err := lsnArg("lsn", v, 0)
	if newest := env.Txn.LSN(); err == nil && at > newest {
		err = dberr.New(dberr.InvalidParameterValue, "there is no commit %d yet", at).WithDetail("The newest one is %d.", newest)
	}
	return at, err
}

func timeMoment(ctx context.Context, env *functions.Env, v value.Value) (kv.LSN, error) {
	t, err := timeArg(v)
	if err != nil {
		return 0, err
	}
	return env.Txn.LSNAt(ctx, t)
}

func textMoment(ctx context.Context, env *functions.Env, v value.Value) (kv.LSN, error) {
	text := strings.TrimSpace(v.Str())
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return lsnMoment(ctx, env, value.Int(n))
	}
	t, err := typeio.In(value.TimestampTZ, -1, text, env.Format)
	if err != nil {
		return 0, dberr.New(dberr.InvalidParameterValue, "%q is neither the number of a commit nor a time", text)
	}
	return timeMoment(ctx, env, t)
}

// pastRelation gives the relation that a call names as it was at the moment that it names.
func pastRelation(ctx context.Context, env *functions.Env, a []value.Value, m moment) (*catalog.Relation, kv.LSN, error) {
	at, err := m(ctx, env, a[1])
	if err != nil {
		return nil, 0, err
	}
	v, err := env.Txn.CatalogAsOf(ctx, at)
	if err != nil {
		return nil, 0, err
	}
	rel, err := coll.Find(env, v, a[0].Str())
	if dberr.Code(err) == dberr.UndefinedTable {
		err = dberr.As(err).WithDetail("It did not exist after commit %d.", at)
	}
	if err != nil {
		return nil, 0, err
	}
	now := env.Txn.Catalog().RelationByID(rel.ID)
	if now == nil {
		now = rel // dropped since: its owner of then counts
	}
	return rel, at, coll.MayReadPast(env, now)
}

// presentShape gives the columns of a call whose moment is known only when it runs: those that the relation has now.
func presentShape(_ context.Context, env *functions.Env, a []value.Value) (value.Schema, error) {
	rel, err := coll.Relation(env, a[0].Str())
	if err != nil {
		return nil, err
	}
	var out value.Schema
	for _, c := range columns(rel) {
		out = append(out, value.Field{Name: c.Name, Type: c.Type, Mod: c.Mod})
	}
	return out, nil
}

// columns gives a scan's columns for those of a relation that SELECT * shows.
func columns(rel *catalog.Relation) []storage.ScanCol {
	if rel.Kind == catalog.Collection {
		return []storage.ScanCol{{Kind: storage.ColID, Name: "_id", Type: value.Text, Mod: -1}, {Kind: storage.ColDoc, Name: "doc", Type: value.JSONB, Mod: -1}}
	}
	var out []storage.ScanCol
	for i := range rel.Columns {
		if c := &rel.Columns[i]; !c.Dropped {
			out = append(out, storage.ScanCol{Kind: storage.ColField, Field: c.Field, Type: c.Type, Mod: c.Mod, Name: c.Name})
		}
	}
	return out
}

// openPast runs a call whose moment was not known when the statement was planned: the relation of then must have the columns of now.
func openPast(ctx context.Context, env *functions.Env, a []value.Value, m moment, out value.Schema) (batch.Iter, error) {
	rel, at, err := pastRelation(ctx, env, a, m)
	if err != nil {
		return nil, err
	}
	cols := columns(rel)
	same := len(cols) == len(out)
	for i := range out {
		same = same && cols[i].Name == out[i].Name && cols[i].Type.OID == out[i].Type.OID
	}
	if !same {
		return nil, dberr.New(dberr.DatatypeMismatch, "%q had other columns after commit %d than it has now", rel.Name, at).
			WithHint("Write the moment as a constant, and the columns of then can be used.")
	}
	if at == 0 {
		return noRows(out), nil
	}
	return env.Txn.Scan(ctx, &storage.ScanSpec{Rel: rel, Cols: cols, AsOf: at})
}
