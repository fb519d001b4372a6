package bind

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/omgdb/omgdb/functions/pgfacts"
	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/planner/plan"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/value"
)

// testdata/overloads.tsv.gz holds, for every operator and function name and many combinations of argument types, the type that
// PostgreSQL 15 resolves the call to, or the SQLSTATE. A combination that is not listed is 42883. It is recorded like the answers
// of TestOracle.
const overloadFile = "testdata/overloads.tsv.gz"

var full = flag.Bool("full", false, "try every recorded call instead of a seventh of them")

// argTypes are the types of operands; unknown is an untyped NULL.
var argTypes = strings.Fields(`unknown int2 int4 int8 float4 float8 numeric text varchar bpchar name "char" bool date time timetz timestamp
	timestamptz interval uuid bytea json jsonb int4[] text[] numeric[] int4range numrange int4multirange inet cidr bit varbit oid regclass tsvector tsquery jsonpath point box`)

// pairTypes are those of functions with two arguments.
var pairTypes = strings.Fields(`unknown int4 int8 float8 numeric text varchar bool date timestamp timestamptz interval jsonb int4[] text[] int4range point`)

// leftOut are parts of names of functions that are not tried: internal ones, those of PL/pgSQL, and json_to_record, which is refused outside FROM.
var leftOut = []string{"pg_", "plpgsql_", "binary_upgrade", "typmodin", "_to_record"}

func operand(t string) string {
	if t == "unknown" {
		return "NULL"
	}
	return "NULL::" + t
}

// overloadQueries lists the expressions in a fixed order.
func overloadQueries() []string {
	var out []string
	ops, prefix := map[string]bool{}, map[string]bool{}
	for _, o := range pgfacts.Load().Operators {
		if value.ByOID(o.Right) == nil || value.ByOID(o.Ret) == nil {
			continue
		}
		if o.Left == 0 {
			prefix[o.Name] = true
		} else if value.ByOID(o.Left) != nil {
			ops[o.Name] = true
		}
	}
	for _, op := range sorted(ops) {
		for _, l := range argTypes {
			for _, r := range argTypes {
				out = append(out, fmt.Sprintf("%s OPERATOR(pg_catalog.%s) %s", operand(l), op, operand(r)))
			}
		}
	}
	for _, op := range sorted(prefix) {
		for _, r := range argTypes {
			out = append(out, fmt.Sprintf("OPERATOR(pg_catalog.%s) %s", op, operand(r)))
		}
	}
	one, two := map[string]bool{}, map[string]bool{}
	for _, p := range pgfacts.Load().Procs {
		if p.Kind != 'f' || p.RetSet || value.ByOID(p.Ret) == nil || slices.ContainsFunc(leftOut, func(s string) bool { return strings.Contains(p.Name, s) }) {
			continue
		}
		switch n := len(p.Args); {
		case n == 1 || n > 1 && len(p.Defaults) >= n-1:
			one[p.Name] = true
		case n == 2 || p.Variadic:
			two[p.Name] = true
		}
	}
	for _, f := range sorted(one) {
		for _, a := range argTypes {
			out = append(out, fmt.Sprintf("pg_catalog.%s(%s)", plan.QuoteIdent(f), operand(a)))
		}
	}
	for _, f := range sorted(two) {
		for _, a := range pairTypes {
			for _, c := range pairTypes {
				out = append(out, fmt.Sprintf("pg_catalog.%s(%s, %s)", plan.QuoteIdent(f), operand(a), operand(c)))
			}
		}
	}
	return out
}

func sorted(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestOverloads(t *testing.T) {
	if *rewrite {
		recordOverloads(t)
	}
	want := map[string]string{}
	for _, l := range strings.Split(readGzip(t, overloadFile), "\n") {
		if q, r, ok := strings.Cut(l, "\t"); ok {
			want[q] = r
		}
	}
	w := newWorld(t, facts(t))
	queries := overloadQueries()
	if !*full {
		var some []string
		for i := 0; i < len(queries); i += 7 {
			some = append(some, queries[i])
		}
		queries = some
	}
	bad, hit := 0, 0
	bc := w.context()
	const chunk = 500 // parsing costs more than binding
	for at := 0; at < len(queries); at += chunk {
		some := queries[at:min(at+chunk, len(queries))]
		stmts, err := parse.Parse("SELECT " + strings.Join(some, ","))
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range stmts[0].Node.GetSelectStmt().TargetList {
			exp := want[some[i]]
			if exp == "" {
				exp = "42883"
			}
			got := ""
			e, err := newBinder(context.Background(), bc, stmts[0]).expr(&scope{clause: inSelect}, n.GetResTarget().Val)
			if err != nil {
				got = dberr.Code(err)
			} else {
				got = e.Type().SQL
				hit++
			}
			if got != exp {
				if bad++; bad <= 60 {
					t.Errorf("%s is %s, want %s", some[i], got, exp)
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d calls resolve differently", bad, len(queries))
	}
	if hit < len(queries)/100 {
		t.Errorf("only %d calls resolve", hit)
	}
}

func readGzip(t *testing.T, file string) string {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func recordOverloads(t *testing.T) {
	ctx := context.Background()
	c := connect(t, ctx)
	defer func() { _ = c.Close(ctx) }()
	names := map[uint32]string{}
	var out bytes.Buffer
	for _, q := range overloadQueries() {
		sd, err := c.PgConn().Prepare(ctx, "", "SELECT "+q, nil)
		var pe *pgconn.PgError
		switch {
		case errors.As(err, &pe):
			if pe.Code != "42883" {
				out.WriteString(q + "\t" + pe.Code + "\n")
			}
		case err != nil:
			t.Fatal(err)
		default:
			oid := sd.Fields[0].DataTypeOID
			if names[oid] == "" {
				var n string
				if err := c.QueryRow(ctx, "SELECT format_type($1, NULL)", pgx.QueryExecModeSimpleProtocol, oid).Scan(&n); err != nil {
					t.Fatal(err)
				}
				names[oid] = n
			}
			out.WriteString(q + "\t" + names[oid] + "\n")
		}
	}
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overloadFile, z.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
