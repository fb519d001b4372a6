#!/usr/bin/env bash
# psql 15: what its commands print, and its exit codes. The expected texts are those of PostgreSQL 15.
set -u
dsn=$1
passed=0 failed=0
run() { psql -X -At "$dsn" "$@" 2>&1; }
eq() {
  if [ "$2" = "$3" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    printf 'FAIL psql: %s\n  got  %s\n  want %s\n' "$1" "$2" "$3"
  fi
}
run -q -c 'DROP SCHEMA IF EXISTS ps CASCADE' -c 'CREATE SCHEMA ps' -c 'CREATE TABLE ps.a (id serial PRIMARY KEY, name varchar(9) NOT NULL, n numeric CHECK (n > 0))' \
  -c 'CREATE TABLE ps.b (id int REFERENCES ps.a (id) ON DELETE CASCADE)' -c 'CREATE TABLE ps.c (a int, b text)' >/dev/null 2>&1
eq '\dt' "$(run -c '\dt ps.*')" $'ps|a|table|postgres\nps|b|table|postgres\nps|c|table|postgres'
eq '\ds' "$(run -c '\ds ps.*')" 'ps|a_id_seq|sequence|postgres'
eq '\d' "$(run -P t=off -c '\d ps.b' | tail -n 2)" $'Foreign-key constraints:\n    "b_id_fkey" FOREIGN KEY (id) REFERENCES ps.a(id) ON DELETE CASCADE'
eq '\d check' "$(run -P t=off -c '\d ps.a' | grep a_n_check)" '    "a_n_check" CHECK (n > 0::numeric)'
for c in '\d' '\dt' '\dv' '\dm' '\dT' '\dD' '\du' '\l' '\dp' '\ddp' '\dx' '\df abs' '\da count' '\do ||' '\dC' '\dO' '\dc' '\dA' '\dAc' '\dAf' '\dAo btree' '\dAp btree' '\db+' '\des' '\dF' '\dL' '\dP' '\dRp' '\dRs' '\drds' '\dX' '\dy' '\l+' '\dn+' '\du+'; do
  eq "$c" "$(run -c "$c" | grep -c ERROR)" 0
done
eq '\gdesc' "$(run <<<'SELECT 1 AS a, now() AS b \gdesc')" $'a|integer\nb|timestamp with time zone'
eq 'FETCH_COUNT' "$(run -v FETCH_COUNT=7 -c 'SELECT g FROM generate_series(1, 20) g' | tail -n 1)" 20
eq '\copy' "$(printf '1,one\n2,two\n' | run -c '\copy ps.c FROM STDIN CSV')" 'COPY 2'
run -v ON_ERROR_STOP=1 -1 -f - <<<'INSERT INTO ps.c VALUES (3); SELECT 1/0;' >/dev/null
eq 'exit code of a script' $? 3
eq '-1 keeps nothing' "$(run -c 'SELECT count(*) FROM ps.c')" 2
run -q -c 'DROP SCHEMA ps CASCADE' >/dev/null 2>&1
echo "psql: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
