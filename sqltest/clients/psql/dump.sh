#!/usr/bin/env bash
# pg_dump and pg_restore: what is dumped and restored dumps alike, and a dump that PostgreSQL made restores. Makes databases of its own and
# drops them. Prints "label: value" lines.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dsn=$1
bin=/usr/lib/postgresql/15/bin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
of() { sed -E "s#^([a-z]+://[^/]*/)[^?]*#\1$1#" <<<"$dsn"; } # the connection string of another database
sql() { psql -X -q -At "$(of "$1")" -v ON_ERROR_STOP=1 "${@:2}" 2>&1; }
plain() { "$bin/pg_dump" "$(of "$1")" -n pq "${@:2}" 2>&1 | sed -E '/^\\(un)?restrict/d; /^-- Dumped/d'; }
for db in dump_a dump_b dump_c; do
  psql -X -q "$dsn" -c "SET client_min_messages = error" -c "DROP DATABASE IF EXISTS $db" -c "CREATE DATABASE $db" >/dev/null 2>&1
done
echo "set up: $(sql dump_a -f "$here/setup.sql" && echo done)"
plain dump_a >"$dir/a.sql"
echo "objects: $(grep -cE '^-- Name: ' "$dir/a.sql")"
echo "kinds: $(grep -oE '^-- (Data for )?Name: .*; Type: [A-Z ]+' "$dir/a.sql" | sed 's/.*Type: //' | sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2 " " $3 " " $4; sep = ", " }')"
echo "functions: $(grep -A2 -E '^CREATE (FUNCTION|PROCEDURE)' "$dir/a.sql" | tr -s '\n ' ' ')"
echo "table: $(sed -n '/^CREATE TABLE pq.emp /,/^);/p' "$dir/a.sql" | tr -s '\n ' ' ')"
echo "constraints: $(grep -E '^    ADD CONSTRAINT' "$dir/a.sql" | tr -s '\n ' ' ')"
echo "indexes: $(grep -E '^CREATE (UNIQUE )?INDEX' "$dir/a.sql" | tr -s '\n ' ' ')"
echo "sequences: $(sed -n '/^CREATE SEQUENCE/,/;/p' "$dir/a.sql" | tr -s '\n ' ' ' | sed 's/; /;\n/g' | sort | tr '\n' ' ')"
echo "rights: $(grep -E '^(GRANT|ALTER DEFAULT)' "$dir/a.sql" | sort | tr -s '\n ' ' ')"
echo "data: $(sed -n '/^COPY/,/^\\\./p' "$dir/a.sql" | md5sum | cut -d' ' -f1)"
echo "restored: $(sql dump_b -f "$dir/a.sql" >"$dir/said" && echo done || tail -n 2 "$dir/said")"
plain dump_b >"$dir/b.sql"
echo "dumps alike: $(cmp "$dir/a.sql" "$dir/b.sql" 2>&1 && echo yes)"
echo "custom format: $("$bin/pg_dump" -Fc -n pq -f "$dir/a.dump" "$(of dump_a)" 2>&1 && "$bin/pg_restore" --exit-on-error -d "$(of dump_c)" "$dir/a.dump" 2>&1 && echo done)"
plain dump_c >"$dir/c.sql"
echo "dumps alike after pg_restore: $(cmp "$dir/a.sql" "$dir/c.sql" 2>&1 && echo yes)"
echo "inserts: $(sql dump_c -c 'DROP SCHEMA pq CASCADE' >/dev/null; plain dump_a --inserts --rows-per-insert=7 >"$dir/i.sql" && sql dump_c -f "$dir/i.sql" >/dev/null && plain dump_c | cmp - "$dir/a.sql" && echo yes)"
echo "data only: $(sql dump_c -c 'SET client_min_messages = error; TRUNCATE pq.dept, pq.emp, pq.types, pq.counted CASCADE' && plain dump_a --data-only --disable-triggers -t pq.types -t pq.counted >"$dir/d.sql" && sql dump_c -f "$dir/d.sql" >/dev/null; sql dump_c -c 'SELECT count(*) FROM pq.types')"
sql dump_c -c 'DROP SCHEMA pq CASCADE' >/dev/null
echo "a dump of PostgreSQL restored: $(sql dump_c -f "$here/postgresql15.sql" >"$dir/said" && echo done || tail -n 2 "$dir/said")"
echo "its rows: $(sql dump_c -c "SELECT count(*), sum(id), max(tags::text), sum(total), max(c::text) FROM pq.emp" -c "SELECT count(*), count(x) FROM pq.types" -c "SELECT n FROM pq.mv" -c "SELECT count(*) FROM pq.v" | tr '\n' ' ')"
echo "its checks: $(sql dump_c -c "INSERT INTO pq.ref VALUES (2, 1)" | head -n 1)"
for db in dump_a dump_b dump_c; do
  psql -X -q "$dsn" -c "DROP DATABASE IF EXISTS $db" >/dev/null 2>&1
done
