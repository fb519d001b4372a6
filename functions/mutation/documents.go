package mutation

import (
	"context"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

var (
	pFilter = functions.Param{Name: "filter", Type: value.JSON, JSONBToo: true}
	pUpdate = functions.Param{Name: "update", Type: value.JSON, JSONBToo: true}
	pMulti  = functions.Param{Name: "multi", Type: value.Boolean, Default: "true"}
)

var updateDocuments = functions.Table{
	OID: 8140, Name: "update_documents",
	Params: []functions.Param{coll.PCollection, pFilter, pUpdate, {Name: "upsert", Type: value.Boolean, Default: "false"}, pMulti},
	Cols: []functions.Param{
		{Name: "matched", Type: value.Int8},
		{Name: "modified", Type: value.Int8},
		{Name: "upserted", Type: value.JSON},
	},
	Volatility: functions.Volatile, Writes: true, Rows: 1, Single: true,
	Open: openUpdateDocuments,
	Descr: "changes the documents that match a filter by an update ($set, $inc, $push …), all of them or the first in key order; " +
		"with upsert inserts one when none matches and returns its _id",
}

func openUpdateDocuments(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	if err := required(a, "collection", "filter", "update"); err != nil {
		return nil, err
	}
	upsert := !a[3].IsNull() && a[3].Bool()
	ch, err := newChange(c.Env, a[0].Str(), a[1], a[2])
	if upsert && dberr.Code(err) == dberr.UndefinedTable {
		if _, err = coll.ForInsert(ctx, c.Env, a[0].Str()); err == nil {
			ch, err = newChange(c.Env, a[0].Str(), a[1], a[2])
		}
	}
	if err != nil {
		return nil, err
	}
	n, err := ch.each(ctx, mostOf(a[4]), true, nil)
	if err != nil {
		return nil, err
	}
	id := value.Null
	if upsert && n.matched == 0 {
		if id, err = ch.insert(ctx); err != nil {
			return nil, err
		}
	}
	cols := batch.Columns(out, 1)
	cols[0].Append(value.Int(n.matched))
	cols[1].Append(value.Int(n.modified))
	cols[2].Append(id)
	return batch.Of(out, cols...), nil
}

// required refuses NULL among the first arguments: a change of everything is {}, never a forgotten value.
func required(a []value.Value, names ...string) error {
	for i, name := range names {
		if err := coll.Required(name, a[i]); err != nil {
			return err
		}
	}
	return nil
}

// mostOf is the limit that the argument multi sets, 0 for none.
func mostOf(multi value.Value) int64 {
	if !multi.IsNull() && !multi.Bool() {
		return 1
	}
	return 0
}

// insert makes the document of an upsert and gives its _id as json.
func (c *change) insert(ctx context.Context) (value.Value, error) {
	d, err := c.update.Upsert(c.filter, c.now)
	if err != nil {
		return value.Null, err
	}
	_, id, err := c.env.Txn.Insert(ctx, c.rel, d)
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(id.AppendCanonical(nil)), nil
}

var deleteDocuments = functions.Scalar{
	OID: 8141, Name: "delete_documents",
	Params: []functions.Param{coll.PCollection, pFilter, pMulti},
	Ret:    value.Int8, Volatility: functions.Volatile, Writes: true,
	Eval:  evalDeleteDocuments,
	Descr: "deletes the documents that match a filter, all of them or the first in key order, and returns how many it deleted",
}

func evalDeleteDocuments(ctx context.Context, c *functions.Call, a []value.Value) (value.Value, error) {
	if err := required(a, "collection", "filter"); err != nil {
		return value.Null, err
	}
	ch, err := newChange(c.Env, a[0].Str(), a[1], value.Null)
	if err != nil {
		return value.Null, err
	}
	n, err := ch.each(ctx, mostOf(a[2]), true, nil)
	return value.Int(n.modified), err
}
