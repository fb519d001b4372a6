package pgcatalog

import (
	"context"
	"strings"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

var bg = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newSet(t testing.TB) *Set {
	t.Helper()
	reg, err := builtin.New(functions.Entries{})
	must(t, err)
	s, err := New(reg, map[string]Rows{"pg_settings": func(_ context.Context, _ *functions.Env, add func(map[string]value.Value) error) error {
		return add(map[string]value.Value{"name": value.String("work_mem"), "setting": value.String("4096")})
	}})
	must(t, err)
	return s
}

// testTxn is a transaction over a store with a table and a collection.
func testTxn(t testing.TB) *storage.Txn {
	t.Helper()
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	must(t, db.EnsureCollection(bg, storage.Actor{Role: "postgres"}, catalog.MainDatabase, "public", "docs"))
	tx, err := db.Begin(bg, storage.TxnOptions{Actor: storage.Actor{Role: "postgres"}})
	must(t, err)
	t.Cleanup(tx.Rollback)
	_, err = tx.CreateRelation(bg, catalog.Relation{Schema: catalog.PublicSchema, Name: "items", Kind: catalog.Table, PrimaryKey: []int16{1}, Owner: catalog.SuperRole,
		Columns: []catalog.Column{{Name: "id", Type: value.Int4, Mod: -1}, {Name: "price", Type: value.Numeric, Mod: 8<<16 | 2 + 4, Default: "0"}},
		Checks:  []catalog.Check{{ID: 99999, Name: "items_price_check", Expr: "price >= 0", Cols: []int16{2}}}})
	must(t, err)
	return tx
}

// read gives the rows of a relation's columns as lines.
func read(t testing.TB, s *Set, tx *storage.Txn, rel string, cols ...string) []string {
	t.Helper()
	schema, name, _ := strings.Cut(rel, ".")
	table := s.Relation(schema, name)
	if table == nil {
		t.Fatalf("no relation %s", rel)
	}
	var out value.Schema
	for _, c := range table.Cols {
		for _, want := range cols {
			if c.Name == want {
				out = append(out, value.Field{Name: c.Name, Type: c.Type, Mod: -1})
			}
		}
		if len(cols) == 0 {
			out = append(out, value.Field{Name: c.Name, Type: c.Type, Mod: -1})
		}
	}
	it, err := table.Open(bg, &functions.Call{Env: &functions.Env{Txn: tx, Format: typeio.Default}}, nil, out)
	must(t, err)
	defer it.Close()
	var lines []string
	for {
		b, err := it.Next(bg)
		must(t, err)
		if b == nil {
			return lines
		}
		for i := range b.Rows() {
			var f []string
			for k, c := range b.Cols {
				if v := c.Get(b.Row(i)); v.IsNull() {
					f = append(f, "-")
				} else {
					f = append(f, typeio.Text(out[k].Type, v, nil))
				}
			}
			lines = append(lines, strings.Join(f, "|"))
		}
	}
}

// TestEveryRelation reads all columns of every system relation: values have their columns' types.
func TestEveryRelation(t *testing.T) {
	s, tx := newSet(t), testTxn(t)
	for _, schema := range []string{"pg_catalog", "information_schema"} {
		names := s.Names(schema)
		if len(names) < 50 {
			t.Errorf("%s has %d relations", schema, len(names))
		}
		for _, name := range names {
			read(t, s, tx, schema+"."+name)
		}
	}
}

func TestRows(t *testing.T) {
	s, tx := newSet(t), testTxn(t)
	cases := []struct {
		rel  string
		cols string
		want string // a line that must be there
	}{
		{"pg_catalog.pg_class", "relname relkind relhasindex", "items|t|r"},
		{"pg_catalog.pg_class", "relname relkind", "items_pkey|i"},
		{"pg_catalog.pg_class", "relname relkind", "docs|r"},
		{"pg_catalog.pg_class", "oid relname relnamespace", "1259|pg_class|11"},
		{"pg_catalog.pg_attribute", "attname atttypid attnum atttypmod attnotnull", "price|1700|2|524294|f"},
		{"pg_catalog.pg_attribute", "attname atttypid attnum", "doc|3802|2"},
		{"pg_catalog.pg_attribute", "attname atttypid attnum", "relname|19|2"},
		{"pg_catalog.pg_constraint", "conname contype conkey conbin", "items_price_check|c|{2}|price >= 0"},
		{"pg_catalog.pg_constraint", "conname contype conkey conbin", "items_pkey|p|{1}|-"},
		{"pg_catalog.pg_index", "indisprimary indkey", "t|1"},
		{"pg_catalog.pg_namespace", "oid nspname", "2200|public"},
		{"pg_catalog.pg_type", "oid typname typlen typbyval typcategory typdelim typarray typinput", "23|int4|4|t|N|,|1007|42"},
		{"pg_catalog.pg_type", "typname typelem typcategory", "_text|A|25"},
		{"pg_catalog.pg_operator", "oid oprname oprleft oprright", "96|=|23|23"},
		{"pg_catalog.pg_roles", "rolname rolsuper rolpassword", "postgres|t|********"},
		{"pg_catalog.pg_settings", "name setting", "work_mem|4096"},
		{"pg_catalog.pg_tables", "schemaname tablename tableowner", "public|items|postgres"},
		{"information_schema.columns", "table_name column_name data_type numeric_precision numeric_scale is_nullable", "items|price|YES|numeric|8|2"},
		{"information_schema.tables", "table_schema table_name table_type", "public|docs|BASE TABLE"},
		{"information_schema.key_column_usage", "constraint_name column_name ordinal_position", "items_pkey|id|1"},
	}
	for _, c := range cases {
		lines := read(t, s, tx, c.rel, strings.Fields(c.cols)...)
		found := false
		for _, l := range lines {
			found = found || l == c.want
		}
		if !found {
			if len(lines) > 20 {
				lines = lines[len(lines)-20:]
			}
			t.Errorf("%s (%s): no row %s among\n%s", c.rel, c.cols, c.want, strings.Join(lines, "\n"))
		}
	}
}
