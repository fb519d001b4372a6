package history

import (
	"context"
	"iter"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/coll"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/key"
	"github.com/omgdb/omgdb/storage/kv"
	"github.com/omgdb/omgdb/storage/value"
)

// What a commit did to a row.
const (
	opInsert = "insert"
	opUpdate = "update"
	opDelete = "delete"
)

// What a commit did to an object of the catalog.
var catalogOps = map[string]string{opInsert: "create", opUpdate: "alter", opDelete: "drop"}

var opLog = functions.Table{
	OID: 8152, Name: "oplog",
	Params: []functions.Param{
		{Name: "from_lsn", Type: value.Int8, Default: "NULL"},
		{Name: "to_lsn", Type: value.Int8, Default: "NULL"},
		{Name: "collection", Type: value.Text, Default: "NULL"},
		{Name: "newest_first", Type: value.Boolean, Default: "false"},
	},
	Cols: append(slices.Clip(actorCols),
		functions.Param{Name: "operation", Type: value.Text}, // insert, update, delete; create, alter, drop of objects
		functions.Param{Name: "collection", Type: value.Text},
		functions.Param{Name: "_id", Type: value.Text},
		functions.Param{Name: "before", Type: value.JSONB},
		functions.Param{Name: "after", Type: value.JSONB},
	),
	Volatility: functions.Stable,
	Open:       openOpLog,
	Descr: "what each commit did to each row, in the order of commits: who, when, the row before and after; NULL where purge or retention " +
		"has taken the content. For changed objects (create, alter, drop) collection is the object's name",
}

func openOpLog(ctx context.Context, c *functions.Call, a []value.Value, out value.Schema) (batch.Iter, error) {
	r := &logReader{env: c.Env, views: map[uint64]*catalog.Relation{}}
	var err error
	if r.first, err = lsnArg("from_lsn", a[0], 0); err != nil {
		return nil, err
	}
	if r.last, err = lsnArg("to_lsn", a[1], key.Unstamped); err != nil {
		return nil, err
	}
	if r.newestFirst = !a[3].IsNull() && a[3].Bool(); a[2].IsNull() {
		err = coll.MayReadLog(c.Env)
	} else {
		err = r.only(a[2].Str())
	}
	if err != nil {
		return nil, err
	}
	for _, rel := range c.Env.Txn.Catalog().AllRelations() {
		if rel.Storage != 0 {
			r.views[rel.Storage] = rel
		}
	}
	next, stop := iter.Pull2(r.rows(ctx))
	return &logIter{schema: out, next: next, stop: stop}, nil
}

// logReader walks the op-log.
type logReader struct {
	env         *functions.Env
	first, last kv.LSN
	newestFirst bool
	collection  *catalog.Relation // nil: everything
	// views are the relations by storage: those of today, and those of the past that were looked for; nil for one not found.
	views map[uint64]*catalog.Relation
}

// only restricts the reader to one collection of today.
func (r *logReader) only(name string) (err error) {
	if r.collection, err = coll.Relation(r.env, name); err == nil {
		err = coll.MayReadPast(r.env, r.collection)
	}
	return err
}

// logRow is a row of the answer.
type logRow struct {
	entry         *storage.Entry
	operation     string
	collection    string
	id            value.Value
	before, after value.Value
}

// rows gives the rows one after the other; an error ends them.
func (r *logReader) rows(ctx context.Context) iter.Seq2[*logRow, error] {
	return func(yield func(*logRow, error) bool) {
		err := r.env.Txn.Log(ctx, r.first, r.last, r.newestFirst, func(e *storage.Entry) error {
			return e.Changes(ctx, func(ch *storage.RowChange) error {
				row, err := r.row(ctx, e, ch)
				if err == nil && row != nil && !yield(row, nil) {
					err = errStopped
				}
				return err
			})
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// errStopped ends the walk when nobody wants more rows.
var errStopped = dberr.New(dberr.InternalError, "nobody reads on")

// row makes the row of a change, nil when it is not asked for.
func (r *logReader) row(ctx context.Context, e *storage.Entry, ch *storage.RowChange) (*logRow, error) {
	if r.collection != nil && (ch.Space != key.Row || ch.Storage != r.collection.Storage) {
		return nil, nil
	}
	out := &logRow{entry: e, operation: operation(ch)}
	after, err := r.env.Txn.After(ctx, ch)
	if err != nil {
		return nil, err
	}
	known := after
	if known == nil {
		known = ch.Before
	}
	if ch.Space == key.Catalog {
		out.operation = catalogOps[out.operation]
		if name, ok := known.Lookup("name").StringBytes(); ok {
			out.collection = string(name)
		}
		return out, nil
	}
	rel, err := r.relation(ctx, ch.Storage, e.LSN)
	if err != nil || rel == nil {
		return out, err
	}
	out.collection = coll.Name(r.env.Txn.Catalog(), rel)
	if id, ok := storage.RowID(rel, ch.Key, known); ok {
		out.id = value.String(id)
	}
	out.before, out.after = shown(rel, ch.Before), shown(rel, after)
	return out, nil
}

func operation(ch *storage.RowChange) string {
	switch {
	case ch.Deleted:
		return opDelete
	case ch.Before == nil && !ch.Stripped:
		return opInsert
	}
	return opUpdate
}

// relation finds the relation that had a storage: one of today, or, for storage that was dropped since, of the time of the commit or of
// the one before, which a transaction saw that dropped it.
func (r *logReader) relation(ctx context.Context, id uint64, at kv.LSN) (*catalog.Relation, error) {
	if rel, ok := r.views[id]; ok {
		return rel, nil
	}
	r.views[id] = nil
	for _, lsn := range []kv.LSN{at, at - 1} {
		v, err := r.env.Txn.CatalogAsOf(ctx, lsn)
		if dberr.Code(err) == dberr.InvalidParameterValue {
			break // beyond the reach of the op-log
		}
		if err != nil {
			return nil, err
		}
		for _, rel := range v.AllRelations() {
			if _, seen := r.views[rel.Storage]; (!seen || rel.Storage == id) && rel.Storage != 0 {
				r.views[rel.Storage] = rel
			}
		}
		if r.views[id] != nil {
			break
		}
	}
	return r.views[id], nil
}

// logIter makes batches of the rows.
type logIter struct {
	schema value.Schema
	next   func() (*logRow, error, bool)
	stop   func()
}

func (l *logIter) Schema() value.Schema { return l.schema }

// logBatch is how many rows come at once: each may hold two documents.
const logBatch = 128

func (l *logIter) Next(context.Context) (*batch.Batch, error) {
	cols := batch.Columns(l.schema, logBatch)
	n := 0
	for ; n < logBatch; n++ {
		r, err, ok := l.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		appendActor(cols, r.entry.LSN, r.entry.Micros, r.entry.Actor)
		cols[5].Append(value.String(r.operation))
		cols[6].Append(textOrNull(r.collection))
		cols[7].Append(r.id)
		cols[8].Append(r.before)
		cols[9].Append(r.after)
	}
	if n == 0 {
		return nil, nil
	}
	return &batch.Batch{Cols: cols, Len: n}, nil
}

func (l *logIter) Close() error {
	l.stop()
	return nil
}
