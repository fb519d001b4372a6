package storage_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/batch"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/filter"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/value"
)

var bg = context.Background()

// must fails the test on an error.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// memDB opens a store in memory.
func memDB(t testing.TB) *storage.DB {
	t.Helper()
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New()})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// boltDB makes a store in a directory of the test.
func boltDB(t testing.TB) *storage.DB {
	t.Helper()
	db, err := storage.Create(t.TempDir()+"/test.omgdb", storage.Options{})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func begin(t rapid.TB, db *storage.DB, iso storage.Isolation) *storage.Txn {
	t.Helper()
	tx, err := db.Begin(bg, storage.TxnOptions{Isolation: iso, Actor: storage.Actor{Role: "postgres", Application: "test"}})
	must(t, err)
	return tx
}

// update runs f in a transaction and commits it.
func update(t rapid.TB, db *storage.DB, f func(tx *storage.Txn)) {
	t.Helper()
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	f(tx)
	must(t, tx.Commit(bg))
}

// collection makes a collection in schema public.
func collection(t rapid.TB, db *storage.DB, name string) *catalog.Relation {
	t.Helper()
	must(t, db.EnsureCollection(bg, storage.Actor{Role: "postgres"}, catalog.MainDatabase, "public", name))
	return relation(t, db, name)
}

// relation gives the newest descriptor.
func relation(t rapid.TB, db *storage.DB, name string) *catalog.Relation {
	t.Helper()
	tx := begin(t, db, storage.ReadCommitted)
	defer tx.Rollback()
	r := tx.Catalog().Relation("public", name)
	if r == nil {
		t.Fatalf("no relation %s", name)
	}
	return r
}

// table makes a table of int4 columns a, b and text column c with the given primary key.
func table(t rapid.TB, db *storage.DB, name string, pk ...int16) *catalog.Relation {
	t.Helper()
	return tableLike(t, db, catalog.Relation{Name: name, PrimaryKey: pk})
}

// tableLike makes a table of the columns of table that is otherwise as r says.
func tableLike(t rapid.TB, db *storage.DB, r catalog.Relation) *catalog.Relation {
	t.Helper()
	update(t, db, func(tx *storage.Txn) {
		_, err := tx.CreateRelation(bg, catalog.Relation{Schema: catalog.PublicSchema, Name: r.Name, Kind: catalog.Table, Temp: r.Temp, PrimaryKey: r.PrimaryKey, Columns: []catalog.Column{
			{Name: "a", Type: value.Int4, Mod: -1}, {Name: "b", Type: value.Int4, Mod: -1}, {Name: "c", Type: value.Text, Mod: -1}}})
		must(t, err)
	})
	return relation(t, db, r.Name)
}

func parse(t rapid.TB, text string) doc.Doc {
	t.Helper()
	d, err := doc.ParseDocument([]byte(text))
	must(t, err)
	return d
}

// mongo parses a filter.
func mongo(t rapid.TB, text string) filter.Expr {
	t.Helper()
	e, err := filter.ParseJSON([]byte(text))
	must(t, err)
	return e
}

// row is what the tests look at.
type row struct {
	key []byte
	id  string
	doc string
	raw doc.Doc
	lsn int64
	ord int64
}

// rows reads a scan of a relation to its end.
func rows(t rapid.TB, tx *storage.Txn, s storage.ScanSpec) []row {
	t.Helper()
	out, err := tryRows(tx, s)
	must(t, err)
	return out
}

func tryRows(tx *storage.Txn, s storage.ScanSpec) ([]row, error) {
	s.Cols = []storage.ScanCol{{Kind: storage.ColRowKey}, {Kind: storage.ColID}, {Kind: storage.ColRaw}, {Kind: storage.ColLSN}, {Kind: storage.ColOrdinal}}
	it, err := tx.Scan(bg, &s)
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var out []row
	err = each(it, func(b *batch.Batch, i int) {
		raw := doc.Doc(b.Cols[2].Get(i).Bytes())
		out = append(out, row{b.Cols[0].Get(i).Bytes(), b.Cols[1].Get(i).Str(), raw.Value().Canonical(), raw, b.Cols[3].Get(i).Int(), b.Cols[4].Get(i).Int()})
	})
	return out, err
}

func each(it batch.Iter, f func(b *batch.Batch, i int)) error {
	for {
		b, err := it.Next(bg)
		if b == nil || err != nil {
			return err
		}
		for i := range b.Rows() {
			f(b, b.Row(i))
		}
	}
}

func ids(rs []row) []string {
	out := []string{}
	for _, r := range rs {
		out = append(out, r.id)
	}
	return out
}

func TestSmoke(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *storage.DB{"mem": memDB, "bolt": boltDB} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			docs := collection(t, db, "docs")
			update(t, db, func(tx *storage.Txn) {
				for i := range 3 {
					_, _, err := tx.Insert(bg, docs, parse(t, fmt.Sprintf(`{"n":%d}`, i)))
					must(t, err)
				}
				_, _, err := tx.Insert(bg, relation(t, db, "docs"), parse(t, `{"x":1,"_id":"a"}`))
				must(t, err)
			})
			tx := begin(t, db, storage.ReadCommitted)
			defer tx.Rollback()
			docs = tx.Catalog().Relation("public", "docs")
			got := rows(t, tx, storage.ScanSpec{Rel: docs})
			if len(got) != 4 {
				t.Fatalf("%d rows", len(got))
			}
			if got[0].doc != `{"_id":"a","x":1}` {
				t.Errorf("first: %+v", got[0])
			}
			n, err := tx.Count(bg, docs)
			must(t, err)
			if n != 4 || db.RowEstimate(docs) != 4 {
				t.Errorf("count %d, estimate %d", n, db.RowEstimate(docs))
			}
		})
	}
}

func docOf(text string) (doc.Doc, error) { return doc.ParseDocument([]byte(text)) }
