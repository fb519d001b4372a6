CREATE TABLE t (a int PRIMARY KEY, b text, c numeric(8,2))

CREATE TABLE u (a int, x text, y int)

CREATE TABLE v (a bigint, b varchar(5), z date)

CREATE TYPE pair AS (l int, r text)

CREATE TABLE w (p pair, q pair[])

SELECT * FROM t JOIN u ON t.a = u.a
----
a integer
b text
c numeric(8,2)
a integer
x text
y integer

SELECT * FROM t JOIN u USING (a)
----
a integer
b text
c numeric(8,2)
x text
y integer

SELECT a, t.a, u.a FROM t JOIN u USING (a)
----
a integer
a integer
a integer

SELECT a FROM t JOIN v USING (a)
----
a bigint

SELECT a, b FROM t FULL JOIN v USING (a, b)
----
a bigint
b text

SELECT * FROM t NATURAL JOIN u
----
a integer
b text
c numeric(8,2)
x text
y integer

SELECT * FROM t NATURAL LEFT JOIN v
----
a bigint
b text
c numeric(8,2)
z date

SELECT * FROM t JOIN u USING (nope)
----
ERROR 42703: column "nope" specified in USING clause does not exist in left table

SELECT * FROM t JOIN u USING (b)
----
ERROR 42703: column "b" specified in USING clause does not exist in right table

SELECT * FROM t JOIN u USING (a, a)
----
ERROR 42701: column name "a" appears more than once in USING clause

SELECT * FROM (t JOIN u USING (a)) JOIN v USING (a)
----
a bigint
b text
c numeric(8,2)
x text
y integer
b character varying(5)
z date

SELECT * FROM (t CROSS JOIN u) JOIN v USING (a)
----
ERROR 42702: common column name "a" appears more than once in left table

SELECT * FROM t JOIN u ON t.b = u.y
----
ERROR 42883 at 31: operator does not exist: text = integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT * FROM t JOIN u ON t.a
----
ERROR 42804 at 27: argument of JOIN/ON must be type boolean, not type integer

SELECT * FROM t JOIN u ON v.a = 1
----
ERROR 42P01 at 27: missing FROM-clause entry for table "v"

SELECT * FROM t, u JOIN v ON t.a = v.a
----
ERROR 42P01 at 30: invalid reference to FROM-clause entry for table "t"
HINT: There is an entry for table "t", but it cannot be referenced from this part of the query.

SELECT * FROM t CROSS JOIN u LEFT JOIN v ON t.a = v.a
----
a integer
b text
c numeric(8,2)
a integer
x text
y integer
a bigint
b character varying(5)
z date

SELECT * FROM t, t
----
ERROR 42712: table name "t" specified more than once

SELECT * FROM t, u AS t
----
ERROR 42712: table name "t" specified more than once

SELECT * FROM t AS x(k, l)
----
k integer
l text
c numeric(8,2)

SELECT k, c FROM t AS x(k, l)
----
k integer
c numeric(8,2)

SELECT a FROM t AS x(k, l)
----
ERROR 42703 at 8: column "a" does not exist

SELECT * FROM t AS x(k, l, m, n)
----
ERROR 42P10: table "x" has 3 columns available but 4 columns specified

SELECT j.a, j.x FROM (t JOIN u USING (a)) AS j
----
a integer
x text

SELECT t.a FROM (t JOIN u USING (a)) AS j
----
ERROR 42P01 at 8: invalid reference to FROM-clause entry for table "t"
HINT: There is an entry for table "t", but it cannot be referenced from this part of the query.

SELECT j.* FROM (t JOIN u USING (a)) AS j(k, l, m, n, o)
----
k integer
l text
m numeric(8,2)
n text
o integer

SELECT * FROM (t JOIN u USING (a)) AS j(k, l, m, n, o, p)
----
ERROR 42P10: join expression "j" has 5 columns available but 6 columns specified

SELECT k.a, t.b FROM t JOIN u USING (a) AS k
----
a integer
b text

SELECT k.b FROM t JOIN u USING (a) AS k
----
ERROR 42703 at 8: column k.b does not exist
HINT: Perhaps you meant to reference the column "t.b".

SELECT * FROM (SELECT a, b FROM t) s
----
a integer
b text

SELECT s.a, s.b FROM (SELECT a, b FROM t) s
----
a integer
b text

SELECT * FROM (SELECT a, b FROM t)
----
ERROR 42601 at 15: subquery in FROM must have an alias
HINT: For example, FROM (SELECT ...) [AS] foo.

SELECT * FROM (SELECT a, a FROM t) s
----
a integer
a integer

SELECT a FROM (SELECT a, a FROM t) s
----
ERROR 42702 at 8: column reference "a" is ambiguous

SELECT * FROM (SELECT 1, 'x') s
----
?column? integer
?column? text

SELECT * FROM (SELECT 1 AS one, 'x' AS two) s(p)
----
p integer
two text

SELECT * FROM (VALUES (1, 'x'), (2, NULL)) s
----
column1 integer
column2 text

SELECT * FROM (VALUES (1, 'x'), (2.5, NULL)) s(a, b)
----
a numeric
b text

SELECT * FROM (VALUES (1), ('x')) s
----
ERROR 22P02 at 29: invalid input syntax for type integer: "x"

SELECT * FROM (VALUES (1), (2, 3)) s
----
ERROR 42601 at 29: VALUES lists must all be the same length

VALUES (1, 'a'), (2, 'b')
----
column1 integer
column2 text

VALUES (1), (2.5) ORDER BY 1 LIMIT 1
----
column1 numeric

VALUES (1), (2) ORDER BY column1 DESC
----
column1 integer

VALUES (1), (2) ORDER BY column1 + 1
----
column1 integer

SELECT * FROM t, (SELECT t.a) s
----
ERROR 42P01 at 26: invalid reference to FROM-clause entry for table "t"
HINT: There is an entry for table "t", but it cannot be referenced from this part of the query.

SELECT * FROM t, LATERAL (SELECT t.a) s
----
a integer
b text
c numeric(8,2)
a integer

SELECT * FROM t LEFT JOIN LATERAL (SELECT t.b) s ON true
----
a integer
b text
c numeric(8,2)
b text

SELECT * FROM t RIGHT JOIN LATERAL (SELECT t.b) s ON true
----
ERROR 42P10 at 44: invalid reference to FROM-clause entry for table "t"
DETAIL: The combining JOIN type must be INNER or LEFT for a LATERAL reference.

SELECT * FROM t, generate_series(1, t.a)
----
a integer
b text
c numeric(8,2)
generate_series integer

SELECT * FROM t, generate_series(1, t.a) AS g
----
a integer
b text
c numeric(8,2)
g integer

SELECT g.g FROM generate_series(1, 3) AS g
----
g integer

SELECT g FROM generate_series(1, 3) AS g
----
g integer

SELECT * FROM generate_series(1, 3) AS g(n)
----
n integer

SELECT * FROM generate_series(1, 3) WITH ORDINALITY
----
generate_series integer
ordinality bigint

SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS g(n, o)
----
n integer
o bigint

SELECT g FROM generate_series(1, 3) WITH ORDINALITY AS g
----
g integer

SELECT * FROM ROWS FROM (generate_series(1, 3), generate_series(1, 2))
----
generate_series integer
generate_series integer

SELECT * FROM ROWS FROM (generate_series(1, 3), upper('x')) WITH ORDINALITY AS z(a, b, c)
----
a integer
b text
c bigint

SELECT * FROM unnest(array[1, 2], array['a'])
----
unnest integer
unnest text

SELECT * FROM unnest(array[1, 2], array['a']) AS x(i, j)
----
i integer
j text

SELECT * FROM unnest(array[1, 2]) WITH ORDINALITY
----
unnest integer
ordinality bigint

SELECT * FROM unnest('{1,2}')
----
ERROR 42725 at 15: function unnest(unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT * FROM jsonb_each('{}')
----
key text
value jsonb

SELECT * FROM jsonb_each('{}') AS j(k, v)
----
k text
v jsonb

SELECT * FROM json_array_elements('[]')
----
value json

SELECT * FROM json_array_elements('[]') AS x
----
value json

SELECT * FROM jsonb_array_elements_text('[]') AS x
----
value text

SELECT * FROM jsonb_to_record('{}')
----
ERROR 42601 at 15: a column definition list is required for functions returning "record"

SELECT * FROM jsonb_to_record('{}') AS x(a int, b text)
----
a integer
b text

SELECT x.b FROM jsonb_to_recordset('[]') AS x(a int, b text)
----
b text

SELECT * FROM json_populate_record(NULL::pair, '{}')
----
l integer
r text

SELECT * FROM jsonb_populate_recordset(NULL::pair, '[]') AS p
----
l integer
r text

SELECT * FROM generate_series(1, 2) AS x(a int)
----
ERROR 42601 at 42: a column definition list is only allowed for functions returning "record"

SELECT * FROM jsonb_each('{}') AS x(a int, b text)
----
ERROR 42601 at 37: a column definition list is redundant for a function with OUT parameters

SELECT * FROM upper('x')
----
upper text

SELECT * FROM upper('x') AS u
----
u text

SELECT * FROM upper('x') AS u(v)
----
v text

SELECT * FROM current_date
----
current_date date

SELECT * FROM pg_typeof(1) x
----
x regtype

SELECT * FROM regexp_split_to_table('a', 'b')
----
regexp_split_to_table text

SELECT * FROM regexp_matches('a', 'b')
----
regexp_matches text[]

SELECT * FROM nosuch(1)
----
ERROR 42883 at 15: function nosuch(integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT * FROM count(*)
----
ERROR 42803 at 15: aggregate functions are not allowed in functions in FROM

SELECT * FROM generate_series(1, generate_series(1, 2))
----
ERROR 0A000 at 34: set-returning functions must appear at top level of FROM

SELECT * FROM t WHERE a IN (SELECT a FROM u)
----
a integer
b text
c numeric(8,2)

SELECT * FROM t WHERE a IN (SELECT a, y FROM u)
----
ERROR 42601 at 25: subquery has too many columns

SELECT * FROM t WHERE (a, b) IN (SELECT a, x FROM u)
----
a integer
b text
c numeric(8,2)

SELECT * FROM t WHERE (a, b) IN (SELECT a FROM u)
----
ERROR 42601 at 30: subquery has too few columns

SELECT * FROM t WHERE a IN (SELECT x FROM u)
----
ERROR 42883 at 25: operator does not exist: integer = text
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT * FROM t WHERE a = ANY (SELECT a FROM u)
----
a integer
b text
c numeric(8,2)

SELECT * FROM t WHERE a > ALL (SELECT y FROM u)
----
a integer
b text
c numeric(8,2)

SELECT * FROM t WHERE a = ANY ('{1,2}')
----
a integer
b text
c numeric(8,2)

SELECT * FROM t WHERE a = ANY (array[1, 2]), b = 1
----
ERROR 42601 at 44: syntax error at or near ","

SELECT * FROM t WHERE a = ANY (1)
----
ERROR 42809 at 25: op ANY/ALL (array) requires array on right side

SELECT * FROM t WHERE b = ANY (array[1])
----
ERROR 42883 at 25: operator does not exist: text = integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT * FROM t WHERE a + ANY (array[1])
----
ERROR 42809 at 25: op ANY/ALL (array) requires operator to yield boolean

SELECT * FROM t WHERE EXISTS (SELECT FROM u WHERE u.a = t.a)
----
a integer
b text
c numeric(8,2)

SELECT * FROM t WHERE (SELECT a FROM u) = a
----
a integer
b text
c numeric(8,2)

SELECT (SELECT a FROM u), (SELECT x FROM u), ARRAY(SELECT a FROM u), EXISTS (SELECT 1) FROM t
----
a integer
x text
array integer[]
exists boolean

SELECT (SELECT a, x FROM u)
----
ERROR 42601 at 8: subquery must return only one column

SELECT (SELECT * FROM u)
----
ERROR 42601 at 8: subquery must return only one column

SELECT (SELECT) IS NULL
----
ERROR 42601 at 8: subquery must return only one column

SELECT ARRAY(SELECT 1 UNION SELECT 2), ARRAY(SELECT array[1])
----
array integer[]
array integer[]

SELECT (a, b) = (SELECT a, x FROM u) FROM t
----
?column? boolean

SELECT (a, b) < (SELECT a FROM u) FROM t
----
ERROR 42601 at 15: subquery has too few columns

SELECT p, (p).l, (p).r, q[1], q[1].l, (q[1]).r FROM w
----
p pair
l integer
r text
q pair
l integer
r text

SELECT (p).* FROM w
----
l integer
r text

SELECT w.p.l FROM w
----
ERROR 42P01 at 8: missing FROM-clause entry for table "p"

SELECT (w.p).l FROM w
----
l integer

SELECT ROW(1, 'x')::pair
----
row pair

SELECT ROW(1)::pair
----
ERROR 42846 at 14: cannot cast type record to pair
DETAIL: Input has too few columns.

SELECT ROW(1, 2, 3)::pair
----
ERROR 42846 at 20: cannot cast type record to pair
DETAIL: Input has too many columns.

SELECT ('(1,x)'::pair).r
----
r text

SELECT 1 UNION SELECT 2
----
?column? integer

SELECT 1 UNION SELECT 2.5
----
?column? numeric

SELECT 1 UNION SELECT 'x'
----
ERROR 22P02 at 23: invalid input syntax for type integer: "x"

SELECT 1 UNION SELECT '5'
----
?column? integer

SELECT 'x' UNION SELECT NULL
----
?column? text

SELECT NULL UNION SELECT NULL
----
?column? text

SELECT NULL UNION SELECT NULL UNION SELECT 1
----
ERROR 42804 at 44: UNION types text and integer cannot be matched

SELECT 1 AS a UNION SELECT 2 AS b
----
a integer

SELECT 1, 2 UNION SELECT 3
----
ERROR 42601 at 26: each UNION query must have the same number of columns

SELECT a FROM t UNION ALL SELECT b FROM t
----
ERROR 42804 at 34: UNION types integer and text cannot be matched

SELECT a FROM t UNION ALL SELECT a FROM v ORDER BY a LIMIT 3
----
a bigint

SELECT b FROM t UNION SELECT b FROM v
----
b text

SELECT a FROM t UNION SELECT a FROM u ORDER BY a + 1
----
ERROR 0A000 at 48: invalid UNION/INTERSECT/EXCEPT ORDER BY clause
DETAIL: Only result column names can be used, not expressions or functions.
HINT: Add the expression/function to every SELECT, or move the UNION into a FROM clause.

SELECT a FROM t UNION SELECT a FROM u ORDER BY b
----
ERROR 42703 at 48: column "b" does not exist

SELECT a FROM t INTERSECT SELECT a FROM u EXCEPT SELECT y FROM u
----
a integer

(SELECT a FROM t ORDER BY b LIMIT 1) UNION (SELECT a FROM u)
----
a integer

SELECT a FROM t UNION SELECT a FROM u FOR UPDATE
----
ERROR 0A000: FOR UPDATE is not allowed with UNION/INTERSECT/EXCEPT

WITH s AS (SELECT a, b FROM t) SELECT * FROM s
----
a integer
b text

WITH s(k) AS (SELECT a, b FROM t) SELECT k, b FROM s
----
k integer
b text

WITH s(k, l, m) AS (SELECT a, b FROM t) SELECT * FROM s
----
ERROR 42P10 at 6: WITH query "s" has 2 columns available but 3 columns specified

WITH s AS (SELECT 1), s AS (SELECT 2) SELECT * FROM s
----
ERROR 42712 at 23: WITH query name "s" specified more than once

WITH s AS (SELECT 'x' AS x) SELECT * FROM s
----
x text

WITH s AS (SELECT * FROM s2), s2 AS (SELECT 1) SELECT * FROM s
----
ERROR 42P01 at 26: relation "s2" does not exist
DETAIL: There is a WITH item named "s2", but it cannot be referenced from this part of the query.
HINT: Use WITH RECURSIVE, or re-order the WITH items to remove forward references.

WITH RECURSIVE s AS (SELECT * FROM s2), s2 AS (SELECT 1) SELECT * FROM s
----
?column? integer

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r
----
n integer

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1.5 FROM r) SELECT * FROM r
----
ERROR 42804 at 32: recursive query "r" column 1 has type integer in non-recursive term but type numeric overall
HINT: Cast the output of the non-recursive term to the correct type.

WITH RECURSIVE r(n) AS (SELECT 'x' UNION ALL SELECT n || 'y' FROM r) SELECT * FROM r
----
n text

WITH RECURSIVE r(n) AS (SELECT n FROM r UNION ALL SELECT 1) SELECT * FROM r
----
ERROR 42P19 at 39: recursive reference to query "r" must not appear within its non-recursive term

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r, r AS r2) SELECT * FROM r
----
ERROR 42P19 at 61: recursive reference to query "r" must not appear more than once

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT a FROM t WHERE a IN (SELECT n FROM r)) SELECT * FROM r
----
ERROR 42P19 at 86: recursive reference to query "r" must not appear within a subquery

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM t LEFT JOIN r ON true) SELECT * FROM r
----
ERROR 42P19 at 70: recursive reference to query "r" must not appear within an outer join

WITH RECURSIVE r(n) AS (SELECT 1 INTERSECT SELECT n FROM r) SELECT * FROM r
----
ERROR 42P19 at 16: recursive query "r" does not have the form non-recursive-term UNION [ALL] recursive-term

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r ORDER BY 1) SELECT * FROM r
----
ERROR 0A000 at 69: ORDER BY in a recursive query is not implemented

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT count(*) FROM r) SELECT * FROM r
----
ERROR 42P19 at 51: aggregate functions are not allowed in a recursive query's recursive term

WITH i AS (INSERT INTO u VALUES (1) RETURNING a) SELECT * FROM i
----
a integer

WITH i AS (INSERT INTO u VALUES (1)) SELECT * FROM i
----
ERROR 0A000 at 52: WITH query "i" does not have a RETURNING clause

WITH i AS (INSERT INTO u VALUES (1)) SELECT 1
----
?column? integer

SELECT * FROM (WITH i AS (DELETE FROM u RETURNING a) SELECT * FROM i) s
----
ERROR 0A000 at 21: WITH clause containing a data-modifying statement must be at the top level

SELECT * FROM t FOR UPDATE
----
a integer
b text
c numeric(8,2)

SELECT * FROM t, u FOR UPDATE OF t
----
a integer
b text
c numeric(8,2)
a integer
x text
y integer

SELECT * FROM t FOR UPDATE OF nope
----
ERROR 42P01 at 31: relation "nope" in FOR UPDATE clause not found in FROM clause

SELECT DISTINCT a FROM t FOR UPDATE
----
ERROR 0A000: FOR UPDATE is not allowed with DISTINCT clause

SELECT count(*) FROM t FOR SHARE
----
ERROR 0A000: FOR SHARE is not allowed with aggregate functions

-- differs: PostgreSQL finds this when it plans
SELECT * FROM t LEFT JOIN u ON true FOR UPDATE
----
ERROR 0A000: FOR UPDATE cannot be applied to the nullable side of an outer join

SELECT * FROM t LEFT JOIN u ON true FOR UPDATE OF t
----
a integer
b text
c numeric(8,2)
a integer
x text
y integer

SELECT * FROM t TABLESAMPLE SYSTEM (10)
----
a integer
b text
c numeric(8,2)

SELECT * FROM t AS q TABLESAMPLE BERNOULLI ($1) REPEATABLE (5) WHERE q.a > 1
----
a integer
b text
c numeric(8,2)
$1 real

SELECT * FROM t TABLESAMPLE nope (10)
----
ERROR 42704 at 29: tablesample method nope does not exist

SELECT * FROM t TABLESAMPLE SYSTEM (10, 20)
----
ERROR 2202H at 29: tablesample method system requires 1 argument, not 2

SELECT * FROM t TABLESAMPLE SYSTEM ('x')
----
ERROR 22P02 at 37: invalid input syntax for type real: "x"

SELECT * FROM generate_series(1, 2) g TABLESAMPLE SYSTEM (10)
----
ERROR 42601 at 39: syntax error at or near "TABLESAMPLE"

SELECT t.ctid, xmin, tableoid FROM t
----
ctid tid
xmin xid
tableoid oid

SELECT ctid FROM (SELECT 1) s
----
ERROR 42703 at 8: column "ctid" does not exist

TABLE t
----
a integer
b text
c numeric(8,2)

SELECT count(t), count(t.*), t IS NULL FROM t
----
ERROR 42803 at 30: column "t.*" must appear in the GROUP BY clause or be used in an aggregate function

SELECT t.* IS NULL FROM t
----
?column? boolean

SELECT * FROM t WHERE t = ROW(1, 'x', 2)
----
a integer
b text
c numeric(8,2)

SELECT a FROM t GROUP BY ROLLUP (a, b)
----
a integer

SELECT a, b, GROUPING(a, b), count(*) FROM t GROUP BY CUBE (a, b)
----
a integer
b text
grouping integer
count bigint

SELECT a, c, count(*) FROM t GROUP BY GROUPING SETS ((a), (a, b), ())
----
ERROR 42803 at 11: column "t.c" must appear in the GROUP BY clause or be used in an aggregate function

SELECT GROUPING(a) FROM t
----
ERROR 42803 at 17: arguments to GROUPING must be grouping expressions of the associated query level

SELECT GROUPING(c) FROM t GROUP BY a
----
ERROR 42803 at 17: arguments to GROUPING must be grouping expressions of the associated query level

SELECT a FROM t WHERE GROUPING(a) = 1 GROUP BY a
----
ERROR 42803 at 23: grouping operations are not allowed in WHERE

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a), mode() WITHIN GROUP (ORDER BY b), rank(1) WITHIN GROUP (ORDER BY a) FROM t
----
percentile_cont double precision
mode text
rank bigint

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY b) FROM t
----
ERROR 42883 at 8: function percentile_cont(numeric, text) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT percentile_cont(0.5) FROM t
----
ERROR 42883 at 8: function percentile_cont(numeric) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT sum(a) WITHIN GROUP (ORDER BY a) FROM t
----
ERROR 42883 at 8: function sum(integer, integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT percentile_cont(a) WITHIN GROUP (ORDER BY c) FROM t
----
ERROR 42803 at 24: column "t.a" must appear in the GROUP BY clause or be used in an aggregate function
DETAIL: Direct arguments of an ordered-set aggregate must use only grouped columns.

SELECT percentile_disc(array[0.1, 0.2]) WITHIN GROUP (ORDER BY b) FROM t
----
percentile_disc text[]
