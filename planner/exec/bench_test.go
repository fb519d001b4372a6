package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/opt"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/pgcatalog"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

const benchRows = 200_000

// BenchmarkQueries times whole queries, planning left out, over 200,000 orders as documents (docs) and as typed rows (orders).
func BenchmarkQueries(b *testing.B) {
	d := benchDatabase(b)
	for _, q := range []struct{ name, sql string }{
		{"json contains", `SELECT count(*) FROM docs WHERE doc @> '{"status":"paid","tenant":"t003"}'`},
		{"json eq", `SELECT count(*) FROM docs WHERE doc->>'sku' = 'SKU-00077'`},
		{"json range", `SELECT count(*) FROM docs WHERE (doc->>'price')::numeric >= 33.5 AND (doc->>'price')::numeric < 43.5`},
		{"json group 5", `SELECT doc->>'status', count(*), sum((doc->>'price')::float8), avg((doc->>'qty')::int) FROM docs GROUP BY 1 ORDER BY 1`},
		{"json group 200", `SELECT doc->>'tenant', count(*) FROM docs GROUP BY 1 ORDER BY 1`},
		{"json join group", `SELECT t.region, count(*), sum((d.doc->>'price')::float8 * (1 - t.discount)) FROM docs d JOIN tenants t ON t.tenant = d.doc->>'tenant' GROUP BY 1 ORDER BY 1`},
		{"json count", `SELECT count(*) FROM docs`},
		{"typed eq", `SELECT count(*) FROM orders WHERE sku = 'SKU-00077'`},
		{"typed range", `SELECT count(*) FROM orders WHERE price >= 33.5 AND price < 43.5`},
		{"typed group 5", `SELECT status, count(*), sum(price), avg(qty) FROM orders GROUP BY 1 ORDER BY 1`},
		{"typed group 200", `SELECT tenant, count(*) FROM orders GROUP BY 1 ORDER BY 1`},
		{"typed join group", `SELECT t.region, count(*), sum(o.price * (1 - t.discount)) FROM orders o JOIN tenants t ON t.tenant = o.tenant GROUP BY 1 ORDER BY 1`},
		{"typed sort", `SELECT id FROM orders ORDER BY price DESC, id LIMIT 10`},
		{"typed sort all", `SELECT count(*) FROM (SELECT id FROM orders ORDER BY price OFFSET 1) x`},
		{"typed group many", `SELECT count(*) FROM (SELECT sku, sum(price) FROM orders GROUP BY sku) x`},
		{"typed point", `SELECT sku, price FROM orders WHERE id = 'd0100000'`},
	} {
		b.Run(q.name, func(b *testing.B) {
			txn := d.begin()
			defer txn.Rollback()
			p := d.plan(b, txn, q.sql)
			b.ResetTimer()
			for range b.N {
				if _, err := d.rows(txn, d.env(txn), p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func (d *database) plan(b *testing.B, txn *storage.Txn, sql string) *plan.Query {
	stmts, err := parse.Parse(sql)
	if err != nil {
		b.Fatal(err)
	}
	st, err := bind.Bind(bg, d.context(txn), stmts[0])
	if err != nil {
		b.Fatal(err)
	}
	q, err := opt.Optimize(&opt.Context{Registry: registry(), Catalog: txn.Catalog(), FoldEnv: d.env(txn), Rows: d.db.RowEstimate}, st.(*plan.Query))
	if err != nil {
		b.Fatal(err)
	}
	return q
}

func benchDatabase(b *testing.B) *database {
	db, err := storage.Create(b.TempDir()+"/bench.omgdb", storage.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	set, err := pgcatalog.New(registry(), nil)
	if err != nil {
		b.Fatal(err)
	}
	d := &database{t: b, db: db, set: set}
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.3, 4, 199)
	statuses := []string{"new", "paid", "shipped", "returned", "closed"}
	type order struct {
		sku, tenant, status string
		price               float64
		qty                 int
	}
	orders := make([]order, benchRows)
	for i := range orders {
		orders[i] = order{fmt.Sprintf("SKU-%05d", rng.IntN(10000)), fmt.Sprintf("t%03d", zipf.Uint64()), statuses[rng.IntN(5)],
			math.Round(math.Exp(3.5+rng.NormFloat64())*100) / 100, 1 + rng.IntN(9)}
	}
	d.load("docs", benchRows, func(i int) string {
		o := orders[i]
		return fmt.Sprintf(`{"_id":"d%07d","sku":"%s","tenant":"%s","status":"%s","price":%v,"qty":%d,"user":{"id":%d,"city":"Lisbon"},"tags":["gift","bulk"],"created":"2024-01-01T00:00:00Z"}`,
			i, o.sku, o.tenant, o.status, o.price, o.qty, i%20000)
	})
	text := func(name string) catalog.Column { return catalog.Column{Name: name, Type: value.Text, Mod: -1} }
	float := func(name string) catalog.Column { return catalog.Column{Name: name, Type: value.Float8, Mod: -1} }
	d.table("orders", []catalog.Column{text("id"), text("sku"), text("tenant"), text("status"), float("price"), {Name: "qty", Type: value.Int4, Mod: -1}}, benchRows,
		func(i int, b *doc.Builder) {
			o := orders[i]
			for k, v := range []string{fmt.Sprintf("d%07d", i), o.sku, o.tenant, o.status} {
				b.Key([]string{"id", "sku", "tenant", "status"}[k])
				b.String(v)
			}
			b.Key("price")
			b.Double(o.price)
			b.Key("qty")
			b.Append(doc.NumberFromInt64(int64(o.qty)))
		})
	d.table("tenants", []catalog.Column{text("tenant"), text("region"), float("discount")}, 200, func(i int, b *doc.Builder) {
		b.Key("tenant")
		b.String(fmt.Sprintf("t%03d", i))
		b.Key("region")
		b.String([]string{"north", "south", "east"}[i%3])
		b.Key("discount")
		b.Double(0.1)
	})
	return d
}

// table makes a table whose first column is its key and fills it.
func (d *database) table(name string, cols []catalog.Column, n int, fill func(i int, b *doc.Builder)) {
	txn := d.begin()
	defer txn.Rollback()
	rel, err := txn.CreateRelation(bg, catalog.Relation{Schema: catalog.PublicSchema, Name: name, Kind: catalog.Table, PrimaryKey: []int16{1}, Columns: cols})
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range n {
		var b doc.Builder
		b.BeginObject()
		fill(i, &b)
		b.End()
		v, err := b.Value()
		if err != nil {
			d.t.Fatal(err)
		}
		if _, _, err := txn.Insert(bg, rel, doc.Doc(v.Data)); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := txn.Commit(bg); err != nil {
		d.t.Fatal(err)
	}
}

// BenchmarkPoint times a prepared point read without planning: what a plan-cache hit costs in the executor.
func BenchmarkPoint(b *testing.B) {
	d := newDatabase(b)
	d.table("kv", []catalog.Column{{Name: "k", Type: value.Int4, Mod: -1}, {Name: "v", Type: value.Text, Mod: -1}}, 1000, func(i int, b *doc.Builder) {
		b.Key("k")
		b.Append(doc.NumberFromInt64(int64(i)))
		b.Key("v")
		b.String("value")
	})
	txn := d.begin()
	defer txn.Rollback()
	q := d.plan(b, txn, `SELECT v FROM kv WHERE k = 77`)
	env := &functions.Env{Txn: txn, Format: typeio.Default, Memory: &functions.Account{}}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		res, err := exec.Open(bg, &exec.Runtime{Txn: txn, Env: env, Registry: registry()}, q)
		if err != nil {
			b.Fatal(err)
		}
		if rows, err := res.Iter.Next(bg); err != nil || rows.Rows() != 1 {
			b.Fatal(err)
		}
		res.Close()
	}
}
