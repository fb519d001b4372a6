#!/usr/bin/env bash
# What psql's commands print about the objects of setup.sql, as "label: value" lines. Sizes, which no two servers share, are left out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dsn=$1
export PGOPTIONS='-c search_path=pq'
line() { sed -E 's/ +$//; s/[0-9]+ (bytes|kB)/SIZE/; s/[+]$/+/' | grep -v '^ *LOCATION:' | tr -s ' -' | awk '{ printf "%s%s", sep, $0; sep = "\\n" } END { print "" }'; }
show() { printf '%s: %s\n' "$1" "$(psql -X "$dsn" -P pager=off <<<"$1" 2>&1 | line)"; }
psql -X -q "$dsn" -v ON_ERROR_STOP=1 -f "$here/setup.sql" >/dev/null || exit 1
while read -r command; do show "$command"; done <<'END'
\d
\d dept
\d+ dept
\d emp
\d+ emp
\d v
\d mv
\d sq
\d sq2
\d dept_id_seq
\d emp_id_seq
\d emp_lower
\d+ emp_inc
\d emp_pk
\d comp
\d ref
\d ref2
\d counted
\d nothing
\d pq.*_pk
\dt
\dt d*
\di
\dv
\dv+ v
\dm
\ds
\dtv
\dtvmsi pq.*e*
\df pq.[fgp]*
\df+ pq.f
\df f
\df f int text
\dfp
\dfn g
\dft
\dfw pq.*
\dfa pq.*
\sf f
\sf+ g
\sf pr
\dT
\dT mood
\dT span
\dD
\dn pq
\dp
\dp emp
\z dept
\ddp
\dx plpgsql
\dO pg_catalog.C
\dE
\det
\des
\dew
\dX
\dP
\dRp
\dRs
\dy
\drds nobody
\dconfig work_mem
\dA btree
\dAc btree int4
\dAo btree integer_ops
\dd
\du postgres
\do pg_catalog.|| text text
\da pg_catalog.bool_and
\dC uuid
\dF pg_catalog.nothing
\dL nothing
\dc pg_catalog.nothing
\lo_list
SELECT g AS row, g % 2 AS col, g * 10 AS v FROM generate_series(1, 4) g \crosstabview row col v
SELECT 1 AS a, NULL::int AS b, 'x' AS c \gx
SELECT 1 AS a, now() AS b, '{}'::mood[] AS c, NULL::varchar(7) AS d, 1.5::numeric(4,2) AS e, NULL::pos AS f \gdesc
SELECT 'SELECT ' || g FROM generate_series(1, 3) g \gexec
SELECT 5 AS five, NULL AS none \gset pre_ \\ \echo :pre_five :{?pre_none}
\set FETCH_COUNT 7 \\ SELECT count(*) OVER (), g FROM generate_series(1, 20) g;
\set ON_ERROR_ROLLBACK on \\ BEGIN; SELECT 1/0; SELECT 2; COMMIT;
SELECT 1/0; \echo :ERROR :SQLSTATE :LAST_ERROR_MESSAGE :ROW_COUNT
INSERT INTO counted SELECT g FROM generate_series(1, 3) g; \echo :ROW_COUNT
\set VERBOSITY verbose \\ INSERT INTO ref VALUES (2, 1); \errverbose
\set ECHO_HIDDEN noexec \\ \dt
\encoding
\copy (SELECT id, name FROM dept ORDER BY id) TO STDOUT CSV HEADER
\copy ref FROM PROGRAM 'printf "1\t2\n3\t4\n"'
COPY ref TO STDOUT (FORMAT csv, HEADER);
\pset format csv \\ SELECT * FROM ref ORDER BY a;
\pset format html \\ SELECT * FROM ref ORDER BY a;
\pset null NIL \\ \pset border 2 \\ SELECT NULL AS n;
\timing off \\ SELECT 1;
END
psql -X -q "$dsn" -c 'DROP SCHEMA pq CASCADE' >/dev/null 2>&1
