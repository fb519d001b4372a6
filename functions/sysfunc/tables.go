package sysfunc

import (
	"context"
	_ "embed" // the key words
	"strings"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/value"
)

// keywordsText has a line for each key word of PostgreSQL 15: word, category, whether it can be a bare label, and both in words.
//
//go:embed keywords.tsv
var keywordsText string

// Tables lists the system functions that give rows.
func Tables() []functions.TableDef {
	return []functions.TableDef{
		{Sig: "pg_get_keywords()", Open: rowsOf(keywords)},
		{Sig: "pg_options_to_table(text[])", Open: rowsOf(optionRows)},
		{Sig: "aclexplode(aclitem[])", Open: rowsOf(explodeACL)},
		{Sig: "pg_partition_tree(regclass)", Open: rowsOf(partitionTree)},
		{Sig: "pg_partition_ancestors(regclass)", Open: rowsOf(none)},
		{Sig: "pg_listening_channels()", Open: rowsOf(channels)},
		{Sig: "pg_tablespace_databases(oid)", Open: rowsOf(databasesIn)},
		{Sig: "pg_available_extensions()", Open: shown("SELECT name, default_version, comment FROM pg_catalog.pg_available_extensions")},
		{Sig: "pg_available_extension_versions()", Open: shown("SELECT name, version, superuser, trusted, relocatable, schema, requires, comment FROM pg_catalog.pg_available_extension_versions")},
		{Sig: "pg_show_all_settings()", Open: shown("SELECT * FROM pg_catalog.pg_settings")},
		{Sig: "pg_lock_status()", Open: shown("SELECT * FROM pg_catalog.pg_locks")},
		{Sig: "pg_prepared_statement()", Open: shown("SELECT * FROM pg_catalog.pg_prepared_statements")},
		{Sig: "pg_cursor()", Open: shown("SELECT * FROM pg_catalog.pg_cursors")},
		{Sig: "pg_get_publication_tables(text)", Open: rowsOf(none)},
		{Sig: "pg_ls_waldir()", Open: rowsOf(none)},
	}
}

// InfoTables lists the functions of information_schema that clients know. They have no entry among PostgreSQL's fixed OIDs.
func InfoTables() []*functions.Table {
	return []*functions.Table{{
		OID: 13209, Name: "_pg_expandarray", Params: []functions.Param{{Type: value.AnyArray}}, Strict: true, Volatility: functions.Immutable, Rows: 100,
		Cols: []functions.Param{{Name: "x", Type: value.AnyElement}, {Name: "n", Type: value.Int4}},
		Open: rowsOf(expandArray),
	}}
}

// rowsOf makes an entry of a function that gives all rows at once.
func rowsOf(f func(c *call, a []val) ([][]val, error)) func(context.Context, *call, []val, value.Schema) (batch.Iter, error) {
	return func(_ context.Context, c *call, a []val, out value.Schema) (batch.Iter, error) {
		rows, err := f(c, a)
		if err != nil {
			return nil, err
		}
		b := &batch.Batch{Len: len(rows)}
		for i, field := range out {
			col := value.NewColumn(field.Type, len(rows))
			for _, r := range rows {
				col.Append(r[i])
			}
			b.Cols = append(b.Cols, col)
		}
		return &once{schema: out, b: b}, nil
	}
}

// shown makes an entry of a function that gives what a view shows; in PostgreSQL the view stands on the function.
func shown(query string) func(context.Context, *call, []val, value.Schema) (batch.Iter, error) {
	return func(ctx context.Context, c *call, _ []val, out value.Schema) (batch.Iter, error) {
		it, err := c.Env.Routines.Query(ctx, c.Env, query)
		if err != nil {
			return nil, err
		}
		return &relabeled{Iter: it, schema: out}, nil
	}
}

// relabeled is a stream whose columns go by other names.
type relabeled struct {
	batch.Iter
	schema value.Schema
}

func (r *relabeled) Schema() value.Schema { return r.schema }

// once is a stream of one batch.
type once struct {
	schema value.Schema
	b      *batch.Batch
}

func (o *once) Schema() value.Schema { return o.schema }

func (o *once) Next(context.Context) (*batch.Batch, error) {
	b := o.b
	if o.b = nil; b == nil || b.Len == 0 {
		return nil, nil
	}
	return b, nil
}

func (o *once) Close() error { return nil }

func none(*call, []val) ([][]val, error) { return nil, nil }

func keywords(*call, []val) ([][]val, error) {
	var rows [][]val
	for line := range strings.Lines(keywordsText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		rows = append(rows, []val{text(f[0]), text(f[1]), value.Bool(f[2] == "t"), text(f[3]), text(f[4])})
	}
	return rows, nil
}

func optionRows(_ *call, a []val) ([][]val, error) {
	var rows [][]val
	for _, o := range a[0].Box().(*value.Array).Elems {
		if o.IsNull() {
			continue
		}
		name, v, ok := strings.Cut(o.Str(), "=")
		row := []val{text(name), value.Null}
		if ok {
			row[1] = text(v)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// explodeACL gives a row for each right of each item.
func explodeACL(c *call, a []val) ([][]val, error) {
	view := c.Env.Txn.Catalog()
	id := func(name string) val {
		if name == "" {
			return value.Int(0)
		}
		if r := view.Role(strings.ReplaceAll(strings.Trim(name, `"`), `""`, `"`)); r != nil {
			return value.Int(int64(r.ID))
		}
		return value.Int(0)
	}
	var rows [][]val
	for _, item := range a[0].Box().(*value.Array).Elems {
		role, rest, _ := strings.Cut(item.Str(), "=")
		letters, grantor, _ := strings.Cut(rest, "/")
		g := catalog.ACLOf(catalog.GuardTable, 0, []string{"0=" + letters + "/0"})
		if len(g) == 0 {
			continue
		}
		for _, name := range g[0].Rights.Names() {
			rows = append(rows, []val{id(grantor), id(role), text(name), value.Bool(g[0].Options&catalog.RightNamed(name) != 0)})
		}
	}
	return rows, nil
}

// partitionTree gives the relation alone: nothing is partitioned.
func partitionTree(c *call, a []val) ([][]val, error) {
	r := c.Env.Txn.Catalog().RelationByID(catalog.ID(a[0].Int()))
	if r == nil || r.Kind != catalog.Table && r.Kind != catalog.Collection {
		return nil, nil
	}
	return [][]val{{a[0], value.Null, value.Bool(true), value.Int(0)}}, nil
}

func channels(c *call, _ []val) ([][]val, error) {
	var rows [][]val
	for _, name := range c.Env.Session.Channels() {
		rows = append(rows, []val{text(name)})
	}
	return rows, nil
}

func databasesIn(c *call, a []val) ([][]val, error) {
	const defaultSpace = 1663
	if a[0].Int() != defaultSpace {
		return nil, nil
	}
	var rows [][]val
	for _, d := range c.Env.Txn.Catalog().Databases() {
		rows = append(rows, []val{value.Int(int64(d.ID))})
	}
	return rows, nil
}

// expandArray gives each element with its place, from 1.
func expandArray(_ *call, a []val) ([][]val, error) {
	var rows [][]val
	for i, e := range a[0].Box().(*value.Array).Elems {
		rows = append(rows, []val{e, value.Int(int64(i + 1))})
	}
	return rows, nil
}
