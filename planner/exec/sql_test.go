package exec_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/functions/builtin"
	"github.com/omgdb/omgdb/planner/bind"
	"github.com/omgdb/omgdb/planner/exec"
	"github.com/omgdb/omgdb/planner/exec/eval"
	"github.com/omgdb/omgdb/planner/opt"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/pgcatalog"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/planner/session"
	"github.com/omgdb/omgdb/storage"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/doc"
	"github.com/omgdb/omgdb/storage/kv/mem"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/value"
)

var (
	postgres = flag.String("postgres", "", "DSN of a PostgreSQL 15 that must give the same results as the test files")
	rewrite  = flag.Bool("rewrite", false, "rewrite the test files with the results that came out, PostgreSQL's where there is one")
)

var bg = context.Background()

// TestSQL runs the files in testdata: SQL against the planner and the executor over a store in memory, without a session around.
//
// A file is a list of blocks separated by blank lines. The first line of a block says what is expected, the SQL follows:
//
//	statement            succeeds
//	error SQLSTATE       fails with the code
//	query [sort]         gives the rows after a line ----, columns separated by |, NULL as NULL; sort orders both sides by text
//	explain              the optimised plan, as the rows after ----
//	only omgdb           before one of the above: not run on PostgreSQL
//	only optimised       the same: not run as the binder made it, which would take too long
//
// Every statement is run twice, with the plan as the binder made it and optimised; the results must be the same.
func TestSQL(t *testing.T) {
	files, err := filepath.Glob("testdata/*.slt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".slt"), func(t *testing.T) { runFile(t, f) })
	}
}

func runFile(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	db := newDatabase(t)
	var pg *pgconn.PgConn
	if *postgres != "" {
		pg = connect(t)
	}
	blocks := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n\n")
	for i, b := range blocks {
		blocks[i] = runBlock(t, db, pg, b)
	}
	if *rewrite {
		if err := os.WriteFile(name, []byte(strings.Join(blocks, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runBlock runs a block and gives it with the results that came out.
func runBlock(t *testing.T, db *database, pg *pgconn.PgConn, block string) string {
	lines := strings.Split(block, "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	if len(lines) == 0 || lines[0] == "" {
		return block
	}
	head := lines[0]
	lines = lines[1:]
	both := true
	switch head {
	case "only omgdb":
		pg, head, lines = nil, lines[0], lines[1:]
	case "only optimised":
		both, head, lines = false, lines[0], lines[1:]
	}
	sql, want := lines, []string(nil)
	if k := slices.Index(lines, "----"); k >= 0 {
		sql, want = lines[:k], lines[k+1:]
	}
	query := strings.Join(sql, "\n")
	word, arg, _ := strings.Cut(head, " ")
	rows := word == "query" || word == "explain"
	if pg != nil && word != "explain" {
		got, err := onPostgres(pg, query)
		if *rewrite && rows && err == nil {
			want = got
		}
		check(t, "PostgreSQL", word, arg, query, got, want, err)
	}
	got, err := db.run(query, word == "explain", both)
	if *rewrite && rows && err == nil && (pg == nil || word == "explain") {
		want = got
	}
	check(t, "OMGDB", word, arg, query, got, want, err)
	if !*rewrite || !rows {
		return block
	}
	if arg == "sort" {
		slices.Sort(want)
	}
	before, _, _ := strings.Cut(block, "\n----")
	return strings.Join(append([]string{before, "----"}, want...), "\n")
}

func check(t *testing.T, who, word, arg, query string, got, want []string, err error) {
	t.Helper()
	switch word {
	case "error":
		if code := dberr.Code(err); code != arg {
			t.Errorf("%s: %s\ngot error %q (%v), want %s", who, query, code, err, arg)
		}
		return
	case "statement":
		if err != nil {
			t.Errorf("%s: %s\n%v", who, query, describe(err))
		}
		return
	case "query", "explain":
		if err != nil {
			t.Errorf("%s: %s\n%v", who, query, describe(err))
			return
		}
	default:
		t.Fatalf("unknown block %q", word)
	}
	if arg == "sort" {
		got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", who, query, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func describe(err error) string {
	if err == nil {
		return "no error"
	}
	e := dberr.As(err)
	s := e.Code + ": " + e.Message
	if e.Detail != "" {
		s += "\n" + e.Detail
	}
	if p, ok := e.Err.(*eval.Panic); ok {
		s += "\n" + p.Error()
	}
	return s
}

// database is a store with what it takes to run SQL on it.
type database struct {
	t   testing.TB
	db  *storage.DB
	set *pgcatalog.Set
	// workMem is the setting for the runs that follow.
	workMem int64
}

var registry = sync.OnceValue(func() *functions.Registry {
	r, err := builtin.New(functions.Entries{})
	if err != nil {
		panic(err)
	}
	return r
})

func newDatabase(t testing.TB) *database {
	t.Helper()
	expressions := session.NewIndexExpressions(registry())
	db, err := storage.Open(bg, "", storage.Options{Engine: mem.New(), Expressions: expressions})
	if err != nil {
		t.Fatal(err)
	}
	expressions.Attach(db)
	t.Cleanup(func() { db.Close() })
	set, err := pgcatalog.New(registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &database{t: t, db: db, set: set}
}

func (d *database) begin() *storage.Txn {
	txn, err := d.db.Begin(bg, storage.TxnOptions{Actor: storage.Actor{Role: "postgres"}})
	if err != nil {
		d.t.Fatal(err)
	}
	return txn
}

func (d *database) context(txn *storage.Txn) *bind.Context {
	return &bind.Context{Catalog: txn.Catalog(), Registry: registry(), SearchPath: []string{"public"}, Format: typeio.Default, User: "postgres",
		Database: "omgdb", Virtual: d.set.Relation}
}

// run runs one statement in a transaction of its own; explain gives the optimised plan instead of its rows. With both it also runs the
// plan as it was bound and compares.
func (d *database) run(sql string, explain, both bool) ([]string, error) {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	txn := d.begin()
	defer txn.Rollback()
	st, err := bind.Bind(bg, d.context(txn), stmts[0])
	if err != nil {
		return nil, err
	}
	q, ok := st.(*plan.Query)
	if !ok {
		return nil, d.utility(txn, st)
	}
	env := d.env(txn)
	better, err := opt.Optimize(&opt.Context{Registry: registry(), Catalog: txn.Catalog(), FoldEnv: env, Rows: d.db.RowEstimate,
		IndexExprs: new(opt.BoundIndexes).Exprs(d.context(txn))}, q)
	if err != nil {
		return nil, err
	}
	if explain {
		return (&plan.Explanation{Query: better}).Lines(), nil
	}
	if q.ReadOnly {
		d.workMem = 4 << 10 // larger inputs go through files
		rows, err := d.rows(txn, env, better)
		d.workMem = 0
		plain, plainErr := d.rows(txn, env, better)
		if !sameAnswer(rows, err, plain, plainErr) {
			return rows, fmt.Errorf("with little memory: %s %s; with much: %s %s", strings.Join(rows, "\n"), describe(err), strings.Join(plain, "\n"), describe(plainErr))
		}
	}
	if !both {
		return d.rows(txn, env, better)
	}
	plain, plainErr := d.rows(txn, env, q)
	if !q.ReadOnly {
		txn.Rollback()
		txn = d.begin()
		defer txn.Rollback()
		env = d.env(txn)
	}
	rows, err := d.rows(txn, env, better)
	if dberr.Code(err) != dberr.Code(plainErr) {
		return rows, fmt.Errorf("optimised: %s; as bound: %s", describe(err), describe(plainErr))
	}
	if !slices.Equal(slices.Sorted(slices.Values(rows)), slices.Sorted(slices.Values(plain))) {
		return rows, fmt.Errorf("the plan as bound gives other rows:\n%s\nthan the optimised one:\n%s", strings.Join(plain, "\n"), strings.Join(rows, "\n"))
	}
	if err == nil && !q.ReadOnly {
		err = txn.Commit(bg)
	}
	return rows, err
}

// sameAnswer compares rows in any order, or the codes of errors.
func sameAnswer(a []string, aErr error, b []string, bErr error) bool {
	return dberr.Code(aErr) == dberr.Code(bErr) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (d *database) env(txn *storage.Txn) *functions.Env {
	return &functions.Env{Txn: txn, Format: typeio.Default, Memory: &functions.Account{}, StatementTime: time.Unix(0, 0), TxnTime: time.Unix(0, 0), Clock: time.Now,
		Embedders: nil}
}

func (d *database) rows(txn *storage.Txn, env *functions.Env, q *plan.Query) ([]string, error) {
	rt := &exec.Runtime{Txn: txn, Env: env, Memory: env.Memory, Registry: registry(), WorkMem: d.workMem, SpillDir: d.t.TempDir()}
	res, err := exec.Open(bg, rt, q)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := res.Close(); err != nil {
			d.t.Error(err)
		}
		if n := env.Memory.Used(); n != 0 {
			d.t.Errorf("%d bytes are still accounted for", n)
		}
	}()
	if res.Iter == nil {
		err := res.Run(bg)
		return nil, err
	}
	var out []string
	for {
		b, err := res.Iter.Next(bg)
		if err != nil || b == nil {
			return out, err
		}
		for i := range b.Rows() {
			var row []string
			for k, f := range res.Iter.Schema() {
				row = append(row, show(f.Type, b.Cols[k], b.Row(i)))
			}
			out = append(out, strings.Join(row, "|"))
		}
	}
}

func show(t *value.Type, c *value.Column, i int) string {
	if c.IsNull(i) {
		return "NULL"
	}
	return typeio.Text(t, c.Get(i), typeio.Default)
}

// utility carries out the few statements that the tests need beside queries.
func (d *database) utility(txn *storage.Txn, st plan.Statement) error {
	if ci, ok := st.(*plan.CreateIndex); ok {
		if _, err := txn.CreateIndex(bg, ci.Index); err != nil {
			return err
		}
		return txn.Commit(bg)
	}
	ct, ok := st.(*plan.CreateTable)
	if !ok || ct.As != nil || len(ct.Sequences) > 0 || len(ct.Foreign) > 0 {
		return dberr.New(dberr.FeatureNotSupported, "%s is not supported by this test", st.CommandTag())
	}
	r := ct.Rel
	r.Schema, r.Name = catalog.PublicSchema, ct.Name.Name
	for i := range r.Checks {
		r.Checks[i].ID = txn.NewID()
	}
	if _, err := txn.CreateRelation(bg, r); err != nil {
		return err
	}
	return txn.Commit(bg)
}

// load inserts documents into a new collection, or rows.
func (d *database) load(name string, n int, f func(i int) string) {
	if err := d.db.EnsureCollection(bg, storage.Actor{Role: "postgres"}, catalog.MainDatabase, "public", name); err != nil {
		d.t.Fatal(err)
	}
	txn := d.begin()
	defer txn.Rollback()
	rel := txn.Catalog().Relation("public", name)
	for i := range n {
		x, err := doc.ParseDocument([]byte(f(i)))
		if err != nil {
			d.t.Fatal(err)
		}
		if _, _, err := txn.Insert(bg, rel, x); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := txn.Commit(bg); err != nil {
		d.t.Fatal(err)
	}
}

// connect opens a connection to PostgreSQL in a schema of its own.
func connect(t *testing.T) *pgconn.PgConn {
	c, err := pgconn.Connect(bg, *postgres)
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("t%d", time.Now().UnixNano())
	exec := func(sql string) {
		if _, err := c.Exec(bg, sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE SCHEMA " + schema + "; SET search_path = " + schema + "; SET TimeZone = 'UTC'")
	t.Cleanup(func() {
		exec("DROP SCHEMA " + schema + " CASCADE")
		c.Close(bg)
	})
	return c
}

func onPostgres(c *pgconn.PgConn, sql string) ([]string, error) {
	results, err := c.Exec(bg, sql).ReadAll()
	if err != nil {
		if e, ok := err.(*pgconn.PgError); ok {
			return nil, dberr.New(e.Code, "%s", e.Message)
		}
		return nil, err
	}
	var out []string
	for _, r := range results {
		for _, vals := range r.Rows {
			row := make([]string, len(vals))
			for i, v := range vals {
				row[i] = string(v)
				if v == nil {
					row[i] = "NULL"
				}
			}
			out = append(out, strings.Join(row, "|"))
		}
	}
	return out, nil
}
