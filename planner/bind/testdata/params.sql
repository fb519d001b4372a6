CREATE TABLE t (a int PRIMARY KEY, b text, c numeric(8,2), d timestamptz, e int[], f jsonb, g varchar(10), j bigint)

SELECT $1
----
?column? text
$1 text

SELECT $1::int
----
int4 integer
$1 integer

SELECT $1 + 1
----
?column? integer
$1 integer

SELECT $1 + $2
----
ERROR 42725 at 11: operator is not unique: unknown + unknown
HINT: Could not choose a best candidate operator. You might need to add explicit type casts.

SELECT $1 + 1.5, $1
----
?column? numeric
?column? numeric
$1 numeric

SELECT $1::int, $1::text
----
int4 integer
text text
$1 integer

SELECT $1::int + $1
----
?column? integer
$1 integer

SELECT $1 || 'x'
----
?column? text
$1 text

SELECT $1 = $2
----
?column? boolean
$1 text
$2 text

SELECT a FROM t WHERE a = $1
----
a integer
$1 integer

SELECT a FROM t WHERE a = $1 AND b = $2 AND c > $3 AND d < $4
----
a integer
$1 integer
$2 text
$3 numeric
$4 timestamp with time zone

SELECT a FROM t WHERE a = ANY ($1)
----
a integer
$1 integer[]

SELECT a FROM t WHERE a IN ($1, $2)
----
a integer
$1 integer
$2 integer

SELECT a FROM t WHERE b LIKE $1
----
a integer
$1 text

SELECT a FROM t WHERE f @> $1
----
a integer
$1 jsonb

SELECT f -> $1 FROM t
----
?column? jsonb
$1 text

SELECT f ->> $1, f #> $2, f ? $3 FROM t
----
?column? text
?column? jsonb
?column? boolean
$1 text
$2 text[]
$3 text

SELECT a FROM t LIMIT $1 OFFSET $2
----
a integer
$1 bigint
$2 bigint

SELECT coalesce($1, 1), coalesce($2, 'x'), coalesce($3, b) FROM t
----
coalesce integer
coalesce text
coalesce text
$1 integer
$2 text
$3 text

SELECT CASE WHEN $1 THEN $2 ELSE 3 END
----
case integer
$1 boolean
$2 integer

SELECT CASE $1 WHEN 1 THEN 'x' END
----
ERROR 42883 at 16: operator does not exist: text = integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT lower($1), abs($2), length($3)
----
lower text
abs double precision
length integer
$1 text
$2 double precision
$3 text

SELECT abs($1)
----
abs double precision
$1 double precision

SELECT concat($1)
----
ERROR 42P18: could not determine data type of parameter $1

SELECT format('%s', $1)
----
ERROR 42P18: could not determine data type of parameter $1

SELECT to_char($1, 'YYYY')
----
ERROR 42725 at 8: function to_char(unknown, unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT round($1, 2)
----
round numeric
$1 numeric

SELECT now() - $1
----
?column? interval
$1 timestamp with time zone

SELECT d + $1 FROM t
----
?column? timestamp with time zone
$1 interval

SELECT d - $1 FROM t
----
?column? interval
$1 timestamp with time zone

SELECT $1 IS NULL
----
ERROR 42P18: could not determine data type of parameter $1

SELECT $1 IS NULL OR a = $1 FROM t
----
ERROR 42P08 at 8: could not determine data type of parameter $1

SELECT array[$1, 1]
----
array integer[]
$1 integer

SELECT array[$1]
----
array text[]
$1 text

SELECT ROW($1, 1)
----
ERROR 42P18: could not determine data type of parameter $1

SELECT $2
----
ERROR 42P18: could not determine data type of parameter $1

SELECT $1, $3
----
ERROR 42P18: could not determine data type of parameter $2

SELECT $1::int[]
----
int4 integer[]
$1 integer[]

SELECT ($1::int[])[1]
----
int4 integer
$1 integer[]

SELECT e[$1] FROM t
----
e integer
$1 integer

SELECT * FROM generate_series($1, $2)
----
ERROR 42725 at 15: function generate_series(unknown, unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT * FROM generate_series(1, $1)
----
generate_series integer
$1 integer

SELECT * FROM unnest($1::int[])
----
unnest integer
$1 integer[]

SELECT * FROM unnest($1)
----
ERROR 42725 at 15: function unnest(unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT sum($1)
----
ERROR 42725 at 8: function sum(unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT $1 UNION SELECT 1
----
?column? integer
$1 integer

SELECT 1 UNION SELECT $1
----
?column? integer
$1 integer

SELECT $1 UNION SELECT $2
----
?column? text
$1 text
$2 text

VALUES ($1, 1), (2, $2)
----
column1 integer
column2 integer
$1 integer
$2 integer

VALUES ($1)
----
column1 text
$1 text

SELECT a FROM t ORDER BY $1
----
a integer
$1 text

SELECT a FROM t GROUP BY a HAVING count(*) > $1
----
a integer
$1 bigint

INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
----
OK
$1 integer
$2 text
$3 numeric
$4 timestamp with time zone
$5 integer[]
$6 jsonb
$7 character varying
$8 bigint

INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)
----
OK
$1 integer
$2 text
$3 integer
$4 text

INSERT INTO t (a, b) SELECT $1, $2
----
OK
$1 integer
$2 text

INSERT INTO t (c) VALUES ($1 + 1)
----
OK
$1 integer

INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = $2 WHERE t.j = $3 RETURNING a, $4
----
a integer
?column? text
$1 integer
$2 text
$3 bigint
$4 text

UPDATE t SET a = $1, b = $2 WHERE j = $3
----
OK
$1 integer
$2 text
$3 bigint

UPDATE t SET (a, b) = ($1, $2)
----
OK
$1 integer
$2 text

UPDATE t SET (a, b) = (SELECT $1, $2)
----
ERROR 42804 at 31: column "a" is of type integer but expression is of type text
HINT: You will need to rewrite or cast the expression.

DELETE FROM t WHERE a = $1 RETURNING b
----
b text
$1 integer

SELECT $1 BETWEEN 1 AND $2
----
?column? boolean
$1 integer
$2 integer

SELECT $1 IS DISTINCT FROM a FROM t
----
?column? boolean
$1 integer

SELECT NOT $1
----
?column? boolean
$1 boolean

SELECT $1 AND true
----
?column? boolean
$1 boolean

SELECT a FROM t WHERE $1
----
a integer
$1 boolean

SELECT $1::date - '2020-01-01'
----
?column? integer
$1 date

SELECT date '2020-01-01' + $1
----
ERROR 42725 at 26: operator is not unique: date + unknown
HINT: Could not choose a best candidate operator. You might need to add explicit type casts.

SELECT interval '1 day' * $1
----
?column? interval
$1 double precision

SELECT extract(year FROM $1)
----
ERROR 42725 at 8: function pg_catalog.extract(unknown, unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT substring($1 from 1 for $2)
----
substring text
$1 text
$2 integer

SELECT $1 ~ 'x'
----
?column? boolean
$1 text

SELECT $1 -> 'a'
----
ERROR 42725 at 11: operator is not unique: unknown -> unknown
HINT: Could not choose a best candidate operator. You might need to add explicit type casts.

SELECT $1::json -> 'a'
----
?column? json
$1 json

SELECT to_json($1)
----
ERROR 42804: could not determine polymorphic type because input has type unknown

SELECT greatest($1, 2), least($2, 'x')
----
greatest integer
least text
$1 integer
$2 text

SELECT nullif($1, 1)
----
nullif integer
$1 integer

SELECT nullif($1, $2)
----
nullif text
$1 text
$2 text

SELECT (SELECT $1)
----
?column? text
$1 text

SELECT EXISTS (SELECT $1)
----
exists boolean
$1 text

SELECT a FROM t WHERE a IN (SELECT $1)
----
ERROR 42883 at 25: operator does not exist: integer = text
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT a FROM t WHERE (a, b) = ($1, $2)
----
a integer
$1 integer
$2 text

WITH s AS (SELECT $1 AS x) SELECT x FROM s
----
x text
$1 text

WITH s AS (SELECT $1 AS x) SELECT x + 1 FROM s
----
ERROR 42883 at 37: operator does not exist: text + integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT x + 1 FROM (SELECT $1 AS x) s
----
ERROR 42883 at 10: operator does not exist: text + integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT x FROM (SELECT $1::int AS x) s
----
x integer
$1 integer

SELECT $1 AT TIME ZONE 'UTC'
----
timezone timestamp without time zone
$1 timestamp with time zone

SELECT $1 COLLATE "C"
----
?column? text
$1 text

SELECT jsonb_build_object('a', $1)
----
ERROR 42P18: could not determine data type of parameter $1

SELECT jsonb_build_object('a', $1::int)
----
jsonb_build_object jsonb
$1 integer

SELECT rank() OVER (ORDER BY $1)
----
rank bigint
$1 text

SELECT sum(a) OVER (ROWS $1 PRECEDING) FROM t
----
sum bigint
$1 bigint

SELECT lag(a, $1) OVER () FROM t
----
lag integer
$1 integer

SELECT $0
----
ERROR 42P02 at 8: there is no parameter $0

-- differs: the protocol counts to 65535
SELECT $70000
----
ERROR 42P02 at 8: there is no parameter $70000
