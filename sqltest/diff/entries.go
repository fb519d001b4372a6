package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// entry is a function, operator or cast that both servers have: what the grammar of the catalog mode is made of.
type entry struct {
	id   string // kind, name and argument types: the same on both servers
	name string
	args []string // type names
	ret  string
	show func(args []string) string // the expression

	ran, failed, different int
}

// catalogQueries list the entries of a server by kind: name, argument types, result type. Types go by their names: OIDs are the same
// but say nothing to a reader. Only what depends on its arguments alone is listed, and not the output functions of types, which are there
// for the catalog to name.
var catalogQueries = map[string]string{
	"function": `SELECT proname, array_to_string(ARRAY(SELECT t.typname FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (o, n) JOIN pg_type t ON t.oid = a.o ORDER BY n), ' '), r.typname
		FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
		WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND NOT p.proretset AND p.provolatile IN ('i', 's') AND p.provariadic = 0 AND p.pronargs > 0
			AND p.prorettype <> 'cstring'::regtype`,
	"operator": `SELECT o.oprname, coalesce(l.typname || ' ', '') || r.typname, t.typname
		FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft JOIN pg_type r ON r.oid = o.oprright JOIN pg_type t ON t.oid = o.oprresult`,
	"cast": `SELECT t.typname, s.typname, t.typname FROM pg_cast c JOIN pg_type s ON s.oid = c.castsource JOIN pg_type t ON t.oid = c.casttarget`,
}

// outside are functions whose answer depends on more than their arguments, or that are not called from SQL.
var outside = []string{"pg_", "has_", "obj_description", "col_description", "shobj_description", "to_reg", "row_security", "inet_client", "inet_server",
	"current_", "txid_", "xml", "table_to", "query_to", "cursor_to", "schema_to", "database_to", "ts_", "tsvector", "tsquery", "to_ts", "plainto", "phraseto",
	"websearch", "json_to_tsvector", "jsonb_to_tsvector", "setweight", "numnode", "querytree", "get_bit_set", "format_type", "regclass", "enum_", "mode_", "hash",
	"lo_", "float8_", "numeric_accum", "int8_", "int4_avg", "int2_avg", "interval_acc", "string_agg", "array_agg", "json_agg", "jsonb_agg", "json_object_agg",
	"jsonb_object_agg", "bool_accum", "range_agg", "multirange_", "range_typ", "satisfies_hash", "brin", "gin", "gist", "spg", "bt", "timestamptz_izone",
	"age", "isfinite_", "getdatabase", "convert_", "icu_", "binary_upgrade", "network_sub", "tid", "xid", "cid", "aclitem", "makeaclitem", "acl", "oidvector",
	"json_to_record", "jsonb_to_record", "json_populate_record"} // of the last ones the shape of the row comes from FROM

// readEntries lists the entries that both servers have and whose types values can be drawn for.
func readEntries(ctx context.Context, a, b *pgconn.PgConn) ([]*entry, error) {
	var out []*entry
	for _, kind := range []string{"function", "operator", "cast"} {
		var lists [2]map[string][3]string
		for i, conn := range []*pgconn.PgConn{a, b} {
			res, err := conn.Exec(ctx, catalogQueries[kind]).ReadAll()
			if err != nil {
				return nil, fmt.Errorf("list of the %ss: %w", kind, err)
			}
			lists[i] = map[string][3]string{}
			for _, row := range res[0].Rows {
				r := [3]string{string(row[0]), string(row[1]), string(row[2])}
				lists[i][kind+" "+r[0]+"("+r[1]+")"] = r
			}
		}
		for id, r := range lists[0] {
			if _, both := lists[1][id]; !both {
				continue
			}
			if e := newEntry(kind, id, r); e != nil {
				out = append(out, e)
			}
		}
	}
	slices.SortFunc(out, func(x, y *entry) int { return strings.Compare(x.id, y.id) })
	return out, nil
}

func newEntry(kind, id string, r [3]string) *entry {
	e := &entry{id: id, name: r[0], args: strings.Fields(r[1]), ret: r[2]}
	for _, t := range e.args {
		if _, ok := domainOf(t); !ok {
			return nil
		}
	}
	switch kind {
	case "function":
		if slices.ContainsFunc(outside, func(p string) bool { return strings.HasPrefix(e.name, p) }) || plumbing(e) {
			return nil
		}
		e.show = func(args []string) string {
			return "pg_catalog." + quoteName(e.name) + "(" + strings.Join(args, ", ") + ")"
		}
	case "operator":
		e.show = func(args []string) string {
			if len(args) == 1 {
				return "(" + e.name + " " + args[0] + ")"
			}
			return "(" + args[0] + " " + e.name + " " + args[1] + ")"
		}
	default:
		e.show = func(args []string) string { return "CAST(" + args[0] + " AS " + typeSQL(e.ret) + ")" }
	}
	return e
}

// plumbing tells whether a function is a type's own machinery: input, output, comparison for indexes, support.
func plumbing(e *entry) bool {
	for _, suffix := range []string{"recv", "send", "typmodin", "typmodout", "sortsupport", "_support", "_canonical", "_subdiff", "transfn", "finalfn", "_inv", "_combine", "_serialize", "_deserialize"} {
		if strings.HasSuffix(e.name, suffix) {
			return true
		}
	}
	return false
}

func quoteName(s string) string {
	for _, c := range s {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	switch s {
	case "left", "right", "overlay", "position", "substring", "trim", "timezone", "overlaps", "extract", "normalize", "like", "notlike", "bit", "char", "varchar", "numeric", "time", "timestamp", "interval", "float", "int", "row", "values", "default", "user", "timetz", "timestamptz":
		return `"` + s + `"`
	}
	return s
}
