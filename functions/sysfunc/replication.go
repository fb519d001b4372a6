package sysfunc

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// replication lists the functions about relations' files, partitions and updatability that tools call before they dump or copy.
func replication() []def {
	return []def{
		{Sig: "pg_relation_filenode(regclass)", Eval: env(func(e *functions.Env, a []val) (val, error) {
			if r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int())); r == nil || r.Kind == catalog.ViewKind {
				return value.Null, nil
			}
			return a[0], nil
		})},
		{Sig: "pg_relation_filepath(regclass)", Eval: fixed(value.Null)},
		{Sig: "pg_relation_is_updatable(regclass,bool)", Eval: updatable},
		{Sig: "pg_column_is_updatable(regclass,int2,bool)", Eval: columnUpdatable},
		{Sig: "pg_partition_root(regclass)", Eval: fixed(value.Null)},
		{Sig: "pg_get_partition_constraintdef(oid)", Eval: fixed(value.Null)},
		{Sig: "pg_get_replica_identity_index(regclass)", Eval: env(identityIndex)},
		{Sig: "pg_extension_config_dump(regclass,text)", Eval: fixed(text(""))},
		{Sig: "pg_collation_actual_version(oid)", Eval: fixed(value.Null)}, {Sig: "pg_database_collation_actual_version(oid)", Eval: fixed(value.Null)},
		{Sig: "pg_index_column_has_property(regclass,int4,text)", Eval: env(indexColumnProperty)},
		{Sig: "pg_filenode_relation(oid,oid)", Eval: env(func(_ *functions.Env, a []val) (val, error) { return a[1], nil })},
		{Sig: "pg_get_statisticsobjdef(oid)", Eval: fixed(value.Null)},
		{Sig: "pg_switch_wal()", Eval: env(walLSN)},
		{Sig: "pg_create_restore_point(text)", Eval: env(walLSN)},
		{Sig: "pg_import_system_collations(regnamespace)", Eval: fixed(value.Int(0))},
	}
}

// The events of pg_relation_is_updatable: UPDATE, INSERT, DELETE as bits of their command numbers.
const (
	eventUpdate = 1 << 2
	eventInsert = 1 << 3
	eventDelete = 1 << 4
)

// settable tells which events a relation takes, and of each of its columns, in their order, whether it can be set; nil: all of them.
func settable(ctx context.Context, e *functions.Env, id val) (events int64, columns []bool) {
	r := e.Txn.Catalog().RelationByID(catalog.ID(id.Int()))
	switch {
	case r == nil:
		return 0, nil
	case r.Kind == catalog.Table || r.Kind == catalog.Collection:
		return eventUpdate | eventInsert | eventDelete, nil
	case r.Kind != catalog.ViewKind || e.SimpleView == nil:
		return 0, nil
	}
	columns, simple := e.SimpleView(ctx, r)
	switch {
	case !simple:
		return 0, nil
	case slices.Contains(columns, true):
		return eventUpdate | eventInsert | eventDelete, columns
	}
	return eventDelete, columns
}

func updatable(ctx context.Context, c *call, a []val) (val, error) {
	events, _ := settable(ctx, c.Env, a[0])
	return value.Int(events), nil
}

// columnUpdatable wants UPDATE and DELETE of the relation, as information_schema does.
func columnUpdatable(ctx context.Context, c *call, a []val) (val, error) {
	const both = eventUpdate | eventDelete
	events, columns := settable(ctx, c.Env, a[0])
	n := a[1].Int()
	return value.Bool(n > 0 && events&both == both && (columns == nil || n <= int64(len(columns)) && columns[n-1])), nil
}

func identityIndex(e *functions.Env, a []val) (val, error) {
	r := e.Txn.Catalog().RelationByID(catalog.ID(a[0].Int()))
	if r == nil || r.PrimaryID == 0 {
		return value.Null, nil
	}
	return value.Int(int64(r.PrimaryID)), nil
}

// indexColumnProperty answers for ordered indexes; other methods have no order to ask for.
func indexColumnProperty(e *functions.Env, a []val) (val, error) {
	x := e.Txn.Catalog().AnyIndex(catalog.ID(a[0].Int()))
	n := a[1].Int()
	if x == nil || n < 1 || n > int64(len(x.Keys)) {
		return value.Null, nil
	}
	k := x.Keys[n-1]
	switch a[2].Str() {
	case "asc":
		return value.Bool(!k.Desc), nil
	case "desc":
		return value.Bool(k.Desc), nil
	case "nulls_first":
		return value.Bool(k.NullsFirst), nil
	case "nulls_last":
		return value.Bool(!k.NullsFirst), nil
	case "orderable", "returnable", "search_array", "search_nulls":
		return value.Bool(true), nil
	case "distance_orderable":
		return value.Bool(false), nil
	}
	return value.Null, nil
}

// sizes lists the functions about the room that objects take.
func sizes() []def {
	return []def{
		{Sig: "pg_relation_size(regclass)", Eval: env(relationSize)}, {Sig: "pg_relation_size(regclass,text)", Eval: env(relationSize)},
		{Sig: "pg_total_relation_size(regclass)", Eval: env(relationSize)}, {Sig: "pg_table_size(regclass)", Eval: env(relationSize)},
		{Sig: "pg_indexes_size(regclass)", Eval: fixed(value.Int(0))},
		{Sig: "pg_database_size(oid)", Eval: env(databaseSize)}, {Sig: "pg_database_size(name)", Eval: env(databaseSize)},
		{Sig: "pg_tablespace_size(oid)", Eval: env(storeSize)}, {Sig: "pg_tablespace_size(name)", Eval: env(storeSize)},
	}
}

// rowBytes is a guess at what a row takes: the store keeps no pages per relation.
const rowBytes = 128

// relationSize estimates a relation's bytes from its rows.
// relationSize is an estimate of what the rows take; there are no other forks than the main one.
func relationSize(e *functions.Env, a []val) (val, error) {
	if len(a) > 1 {
		switch a[1].Str() {
		case "main":
		case "fsm", "vm", "init":
			return value.Int(0), nil
		default:
			return value.Null, dberr.New(dberr.InvalidParameterValue, "invalid fork name").
				WithHint(`Valid fork names are "main", "fsm", "vm", and "init".`)
		}
	}
	view := e.Txn.Catalog()
	r := view.RelationByID(catalog.ID(a[0].Int()))
	if x := view.AnyIndex(catalog.ID(a[0].Int())); r == nil && x != nil {
		r = view.RelationByID(x.Relation)
	}
	if r == nil {
		if _, _, ok := e.Lookup.RelationName(uint32(a[0].Int())); ok {
			return value.Int(0), nil
		}
		return value.Null, nil
	}
	return value.Int(e.DB.RowEstimate(r) * rowBytes), nil
}

func databaseSize(e *functions.Env, a []val) (val, error) {
	owner, _, ok, err := databaseRights(e, a[0])
	if err != nil || !ok || owner == 0 {
		return value.Null, err
	}
	return storeSize(e, nil)
}

// storeSize is the size of the store's files.
func storeSize(e *functions.Env, _ []val) (val, error) {
	var n int64
	err := filepath.WalkDir(e.DB.Path(), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // files come and go while the store works
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	if err != nil {
		return value.Null, dberr.Wrap(err, dberr.IOError, "cannot read the size of the store: %v", err)
	}
	return value.Int(n), nil
}
