package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
)

// op is one operation: text for the simple protocol, arguments for the job's prepared statement, or a COPY and its data.
type op struct {
	sql  string
	args [][]byte
	data []byte
}

// job is one line of the comparison.
type job struct {
	name     string
	tables   []table
	conns    int    // connections at work at once
	ops      int    // operations a round and side, over all connections
	prepared string // prepared on every connection beforehand
	// next makes the i-th operation of a connection in a round; what it draws from g is the same on both sides.
	next func(g *gen, o options, at position) op
	// dirty is the table into which one row goes before every run, untimed.
	dirty table
	// fresh is the table that is made anew before every run, untimed.
	fresh table
	// rows is how many rows one operation handles, for rates; 0 means that time is what counts.
	rows int
}

// position says where in a run an operation stands.
type position struct {
	job            string
	round, conn, i int
}

const (
	insertDoc   = "INSERT INTO bench_docs (_id, doc) VALUES ($1, $2)"
	insertOrder = "INSERT INTO bench_orders (id, sku, tenant, status, price, qty) VALUES ($1, $2, $3, $4, $5, $6)"
)

var jobs = []job{
	{name: "point_read_1", tables: []table{docs}, conns: 1, ops: 2000, prepared: "SELECT doc FROM bench_docs WHERE _id = $1", next: pointRead},
	{name: "point_read_16", tables: []table{docs}, conns: 16, ops: 16000, prepared: "SELECT doc FROM bench_docs WHERE _id = $1", next: pointRead},
	{name: "typed_point_read_1", tables: []table{orders}, conns: 1, ops: 2000, prepared: "SELECT sku, price FROM bench_orders WHERE id = $1", next: pointRead},
	{name: "insert_1", tables: []table{docs}, conns: 1, ops: 100, prepared: insertDoc, next: insertOne},
	{name: "insert_16", tables: []table{docs}, conns: 16, ops: 1600, prepared: insertDoc, next: insertOne},
	{name: "typed_insert_1", tables: []table{orders}, conns: 1, ops: 100, prepared: insertOrder, next: insertTyped},
	{name: "load_literals", tables: []table{bulk}, conns: 1, ops: 10, rows: 1000, fresh: bulk, next: loadLiterals},
	{name: "load_params", tables: []table{bulk}, conns: 1, ops: 10, rows: 1000, fresh: bulk, prepared: loadStatement(1000), next: loadParams},

	{name: "copy_docs", tables: []table{bulk}, conns: 1, ops: 1, fresh: bulk, next: copyDocs},

	scan("json_contains", docs, func(g *gen) string {
		return fmt.Sprintf(`SELECT count(*) FROM bench_docs WHERE doc @> '{"status": "%s", "tenant": "%s"}'`, g.status(), g.tenant())
	}),
	scan("json_eq", docs, func(g *gen) string {
		return fmt.Sprintf(`SELECT count(*) FROM bench_docs WHERE doc->>'sku' = '%s'`, g.sku())
	}),
	scan("json_range", docs, func(g *gen) string {
		lo := g.price()
		return fmt.Sprintf(`SELECT count(*) FROM bench_docs WHERE (doc->>'price')::numeric >= %.2f AND (doc->>'price')::numeric < %.2f`, lo, lo+10)
	}),
	scan("json_group_5", docs, func(g *gen) string {
		return fmt.Sprintf(`SELECT doc->>'status', count(*), sum((doc->>'price')::float8), avg((doc->>'qty')::int) FROM bench_docs GROUP BY 1 HAVING count(*) > %d ORDER BY 1`, g.IntN(100))
	}),
	scan("json_group_200", docs, func(g *gen) string {
		return fmt.Sprintf(`SELECT doc->>'tenant', count(*) FROM bench_docs GROUP BY 1 HAVING count(*) > %d ORDER BY 1`, g.IntN(100))
	}),
	scan("json_join_group", docs, func(g *gen) string {
		return fmt.Sprintf(`SELECT t.region, count(*), sum((d.doc->>'price')::float8 * (1 - t.discount)) FROM bench_docs d JOIN bench_tenants t ON t.tenant = d.doc->>'tenant' GROUP BY 1 HAVING count(*) > %d ORDER BY 1`, g.IntN(100))
	}, dim),
	scan("json_window_top3", docs, func(g *gen) string {
		return fmt.Sprintf(`SELECT tenant, _id, price FROM (SELECT doc->>'tenant' AS tenant, _id, (doc->>'price')::float8 AS price, row_number() OVER (PARTITION BY doc->>'tenant' ORDER BY (doc->>'price')::float8 DESC, _id) AS r FROM bench_docs) x WHERE r <= 3 AND tenant <> '%s' ORDER BY tenant, r`, g.tenant())
	}),

	indexed("indexed_contains", func(g *gen) string {
		return fmt.Sprintf(`SELECT count(*) FROM bench_keyed WHERE doc @> '{"sku": "%s"}'`, g.sku())
	}),
	indexed("indexed_eq", func(g *gen) string {
		return fmt.Sprintf(`SELECT _id, doc FROM bench_keyed WHERE doc->>'sku' = '%s'`, g.sku())
	}),
	indexed("indexed_range", func(g *gen) string {
		lo := g.price()
		return fmt.Sprintf(`SELECT count(*) FROM bench_keyed WHERE (doc->>'price')::numeric >= %.2f AND (doc->>'price')::numeric < %.2f`, lo, lo+0.3)
	}),
	indexed("indexed_top20", func(g *gen) string {
		return fmt.Sprintf(`SELECT _id, doc->>'price' FROM bench_keyed WHERE (doc->>'price')::numeric > %.2f ORDER BY (doc->>'price')::numeric LIMIT 20`, g.price())
	}),

	scan("typed_two_eq", orders, func(g *gen) string {
		return fmt.Sprintf(`SELECT count(*) FROM bench_orders WHERE status = '%s' AND tenant = '%s'`, g.status(), g.tenant())
	}),
	scan("typed_eq", orders, func(g *gen) string {
		return fmt.Sprintf(`SELECT count(*) FROM bench_orders WHERE sku = '%s'`, g.sku())
	}),
	scan("typed_range", orders, func(g *gen) string {
		lo := g.price()
		return fmt.Sprintf(`SELECT count(*) FROM bench_orders WHERE price >= %.2f AND price < %.2f`, lo, lo+10)
	}),
	scan("typed_group_5", orders, func(g *gen) string {
		return fmt.Sprintf(`SELECT status, count(*), sum(price), avg(qty) FROM bench_orders GROUP BY 1 HAVING count(*) > %d ORDER BY 1`, g.IntN(100))
	}),
	scan("typed_group_200", orders, func(g *gen) string {
		return fmt.Sprintf(`SELECT tenant, count(*) FROM bench_orders GROUP BY 1 HAVING count(*) > %d ORDER BY 1`, g.IntN(100))
	}),
	scan("typed_join_group", orders, func(g *gen) string {
		return fmt.Sprintf(`SELECT t.region, count(*), sum(o.price * (1 - t.discount)) FROM bench_orders o JOIN bench_tenants t ON t.tenant = o.tenant GROUP BY 1 HAVING count(*) > %d ORDER BY 1`, g.IntN(100))
	}, dim),
	scan("typed_window_top3", orders, func(g *gen) string {
		return fmt.Sprintf(`SELECT tenant, id, price FROM (SELECT tenant, id, price, row_number() OVER (PARTITION BY tenant ORDER BY price DESC, id) AS r FROM bench_orders) x WHERE r <= 3 AND tenant <> '%s' ORDER BY tenant, r`, g.tenant())
	}),

	scan("vsearch", texts, func(g *gen) string {
		return fmt.Sprintf(`SELECT _id, score FROM vsearch('bench_texts', 'body', '%s', 10)`, g.phrase(4))
	}),
	scan("vsearch_filtered", texts, func(g *gen) string {
		return fmt.Sprintf(`SELECT _id, score FROM vsearch('bench_texts', 'body', '%s', 10, '{"lang": "de"}')`, g.phrase(4))
	}),
	scan("context_pack", texts, func(g *gen) string {
		return fmt.Sprintf(`SELECT used_tokens, truncated FROM context_pack('bench_texts', 'body', '%s', 1000)`, g.phrase(4))
	}),

	{name: "copy_typed", tables: []table{orders}, conns: 1, ops: 1, fresh: orders, next: copyTyped},
}

// scan is a job whose one operation a round reads a whole table after a row was written to it.
func scan(name string, t table, sql func(g *gen) string, more ...table) job {
	return job{
		name: name, tables: append([]table{t}, more...), conns: 1, ops: 1, dirty: t,
		next: func(g *gen, _ options, _ position) op { return op{sql: sql(g)} },
	}
}

// indexed is a job of look-ups in the table with indexes, one after the other, after a row was written to it.
func indexed(name string, sql func(g *gen) string) job {
	return job{
		name: name, tables: []table{keyed}, conns: 1, ops: 200, dirty: keyed,
		next: func(g *gen, _ options, _ position) op { return op{sql: sql(g)} },
	}
}

func chooseJobs(match *regexp.Regexp) []job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return !match.MatchString(j.name) })
}

// tablesOf is what the jobs need, in loading order.
func tablesOf(chosen []job) []table {
	return slices.DeleteFunc(slices.Clone(allTables), func(t table) bool {
		return !slices.ContainsFunc(chosen, func(j job) bool { return slices.Contains(j.tables, t) })
	})
}

func pointRead(g *gen, o options, _ position) op {
	return op{args: [][]byte{[]byte(docID(g.IntN(o.scale)))}}
}

// newID is an id that no other operation uses, also not one of an earlier run over the same tables.
func newID(o options, at position) string {
	return fmt.Sprintf("%s-%s-%03d-%02d-%06d", o.run, at.job, at.round, at.conn, at.i)
}

func insertOne(g *gen, o options, at position) op {
	d := g.document(newID(o, at))
	return op{args: [][]byte{[]byte(d.ID), d.text()}}
}

func insertTyped(g *gen, o options, at position) op {
	d := g.document(newID(o, at))
	return op{args: [][]byte{[]byte(d.ID), []byte(d.SKU), []byte(d.Tenant), []byte(d.Status), fmt.Append(nil, d.Price), fmt.Append(nil, d.Qty)}}
}

func loadLiterals(g *gen, _ options, at position) op {
	return op{sql: insertSQL(bulk, at.i*1000, (at.i+1)*1000, func(i int) string { return g.document(docID(i)).values() })}
}

func loadStatement(rows int) string {
	return insertSQL(bulk, 0, rows, func(i int) string { return fmt.Sprintf("($%d, $%d)", 2*i+1, 2*i+2) })
}

func loadParams(g *gen, _ options, at position) op {
	var args [][]byte
	for i := at.i * 1000; i < (at.i+1)*1000; i++ {
		d := g.document(docID(i))
		args = append(args, []byte(d.ID), d.text())
	}
	return op{args: args}
}

// copyDocs brings as many documents as the scale says, with one COPY.
func copyDocs(g *gen, o options, _ position) op {
	var b []byte
	for i := range o.scale {
		d := g.document(docID(i))
		b = append(append(b, d.ID...), '\t')
		b = append(append(b, bytes.ReplaceAll(d.text(), []byte(`\`), []byte(`\\`))...), '\n')
	}
	return op{sql: fmt.Sprintf("COPY %s (_id, doc) FROM STDIN", bulk), data: b}
}

// copyTyped brings as many rows, of several columns.
func copyTyped(g *gen, o options, _ position) op {
	var b []byte
	for i := range o.scale {
		b = append(g.document(docID(i)).typedCopy(b), '\n')
	}
	return op{sql: fmt.Sprintf("COPY %s FROM STDIN", orders), data: b}
}

// dirtySQL writes one row to t.
func dirtySQL(t table, g *gen, id string) string {
	switch t {
	case orders:
		return "INSERT INTO bench_orders VALUES " + g.document(id).typedValues()
	case texts:
		return "INSERT INTO bench_texts (_id, doc) VALUES " + g.textValues(id)
	}
	return fmt.Sprintf("INSERT INTO %s (_id, doc) VALUES %s", t, g.document(id).values())
}
