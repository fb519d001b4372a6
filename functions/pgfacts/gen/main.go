// Command gen writes the tables of package pgfacts from a live PostgreSQL 15:
//
//	go run ./functions/pgfacts/gen -dsn 'host=… port=… user=postgres' -dir functions/pgfacts
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// insides lists types of values that only PostgreSQL's own code sees: functions with them are named in catalogs and never called by SQL.
const insides = `'cstring'::regtype, 'internal'::regtype, 'trigger'::regtype, 'event_trigger'::regtype, 'language_handler'::regtype,
	'fdw_handler'::regtype, 'index_am_handler'::regtype, 'tsm_handler'::regtype, 'table_am_handler'::regtype,
	'pg_ddl_command'::regtype`

// absent lists types that OMGDB does not have; what mentions them is left out.
const absent = `'xml'::regtype, 'money'::regtype,
	'pg_ndistinct'::regtype, 'pg_dependencies'::regtype, 'pg_mcv_list'::regtype, 'pg_brin_bloom_summary'::regtype,
	'pg_brin_minmax_multi_summary'::regtype, 'txid_snapshot'::regtype, 'pg_snapshot'::regtype`

const skipped = `(` + insides + `, ` + absent + `)`

var tables = []struct{ file, query string }{
	{"procs.tsv", `
SELECT p.oid, p.proname, p.prokind, p.proretset, p.proisstrict, p.provolatile, p.provariadic <> 0, p.prorettype,
  array_to_string(p.proargtypes::oid[], ' '),
  coalesce(array_to_string(p.proargnames, ','), ''),
  coalesce(array_to_string(p.proargmodes, ''), ''),
  coalesce(array_to_string(p.proallargtypes, ' '), ''),
  coalesce((SELECT string_agg(pg_get_function_arg_default(p.oid, n), '|' ORDER BY n)
    FROM generate_series(p.pronargs - p.pronargdefaults + 1, p.pronargs) n), ''),
  p.prorows, coalesce(a.aggkind, ''), coalesce(a.aggnumdirectargs, 0),
  replace(coalesce(obj_description(p.oid, 'pg_proc'), ''), E'\t', ' ')
FROM pg_proc p LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384
  AND p.prorettype NOT IN ` + skipped + `
  AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) t WHERE t IN ` + skipped + `)
  AND NOT EXISTS (SELECT FROM unnest(p.proallargtypes) t WHERE t IN ` + skipped + `)
ORDER BY p.oid`},
	{"internals.tsv", `
SELECT p.oid, p.proname, p.proisstrict, p.provolatile, p.prorettype, array_to_string(p.proargtypes::oid[], ' ')
FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384 AND p.prokind = 'f' AND NOT p.proretset
  AND (p.prorettype IN (` + insides + `) OR EXISTS (SELECT FROM unnest(p.proargtypes) t WHERE t IN (` + insides + `)))
  AND p.prorettype NOT IN (` + absent + `) AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) t WHERE t IN (` + absent + `))
ORDER BY p.oid`},
	{"operators.tsv", `
SELECT o.oid, o.oprname, o.oprleft, o.oprright, o.oprresult, o.oprcode::oid,
  coalesce((SELECT oprname FROM pg_operator c WHERE c.oid = o.oprcom), ''), coalesce((SELECT oprname FROM pg_operator n WHERE n.oid = o.oprnegate), '')
FROM pg_operator o
WHERE o.oprleft NOT IN ` + skipped + ` AND o.oprright NOT IN ` + skipped + ` AND o.oprresult NOT IN ` + skipped + `
ORDER BY o.oid`},
	{"casts.tsv", `
SELECT castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast
WHERE castsource NOT IN ` + skipped + ` AND casttarget NOT IN ` + skipped + `
ORDER BY castsource, casttarget`},
}

func main() {
	dsn := flag.String("dsn", os.Getenv("PG_DSN"), "connection string of a PostgreSQL 15")
	dir := flag.String("dir", ".", "where the tables go")
	flag.Parse()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *dsn)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, t := range tables {
		if err := write(ctx, conn, filepath.Join(*dir, t.file), t.query); err != nil {
			log.Fatal(err)
		}
	}
}

func write(ctx context.Context, conn *pgx.Conn, path, query string) error {
	rows, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		for i, v := range rows.RawValues() {
			if i > 0 {
				b.WriteByte('\t')
			}
			fmt.Fprintf(&b, "%s", v)
		}
		b.WriteByte('\n')
	}
	if rows.Err() != nil {
		return rows.Err()
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
