CREATE TABLE t (a int PRIMARY KEY, b text, c numeric(8,2), d timestamptz, e int[], f jsonb, g varchar(10), h float8, i bool, j bigint)

CREATE TABLE u (a int, x text, y int)

CREATE TABLE v (k int, a bigint, z date)

SELECT 1
----
?column? integer

SELECT
----
OK

SELECT 1, 'x', NULL, 1.5, 10000000000, 100000000000000000000, true, 1e3
----
?column? integer
?column? text
?column? text
?column? numeric
?column? bigint
?column? numeric
?column? boolean
?column? numeric

SELECT 1 + 1, 1 + 1.5, 1 / 2.0, '1' + 1, 'a' || 1, -1, 2 ^ 3, 5 % 2
----
?column? integer
?column? numeric
?column? numeric
?column? integer
?column? text
?column? integer
?column? double precision
?column? integer

SELECT a, b FROM t
----
a integer
b text

SELECT t.a, t.* FROM t
----
a integer
a integer
b text
c numeric(8,2)
d timestamp with time zone
e integer[]
f jsonb
g character varying(10)
h double precision
i boolean
j bigint

SELECT * FROM t, u
----
a integer
b text
c numeric(8,2)
d timestamp with time zone
e integer[]
f jsonb
g character varying(10)
h double precision
i boolean
j bigint
a integer
x text
y integer

SELECT a FROM t, u
----
ERROR 42702 at 8: column reference "a" is ambiguous

SELECT t.a, u.a FROM t, u
----
a integer
a integer

SELECT public.t.a FROM t
----
a integer

SELECT public.t.a FROM t AS q
----
ERROR 42P01 at 8: invalid reference to FROM-clause entry for table "t"
HINT: Perhaps you meant to reference the table alias "q".

SELECT q.a FROM t AS q
----
a integer

SELECT t.a FROM t AS q
----
ERROR 42P01 at 8: invalid reference to FROM-clause entry for table "t"
HINT: Perhaps you meant to reference the table alias "q".

SELECT z.a FROM t
----
ERROR 42P01 at 8: missing FROM-clause entry for table "z"

SELECT nope FROM t
----
ERROR 42703 at 8: column "nope" does not exist

SELECT t.nope FROM t
----
ERROR 42703 at 8: column t.nope does not exist

SELECT t.bb FROM t
----
ERROR 42703 at 8: column t.bb does not exist
HINT: Perhaps you meant to reference the column "t.b".

SELECT bb FROM t
----
ERROR 42703 at 8: column "bb" does not exist
HINT: Perhaps you meant to reference the column "t.b".

SELECT aa FROM t, u
----
ERROR 42703 at 8: column "aa" does not exist
HINT: Perhaps you meant to reference the column "t.a" or the column "u.a".

SELECT * FROM missing
----
ERROR 42P01 at 15: relation "missing" does not exist

SELECT * FROM nosuch.t
----
ERROR 42P01 at 15: relation "nosuch.t" does not exist

SELECT a AS x, b y FROM t
----
x integer
y text

SELECT a::text, b::varchar(3), c::int, d::date, '2020-01-01'::date, 'x'::text FROM t
----
a text
b character varying(3)
c integer
d date
date date
text text

SELECT CAST(a AS text), text 'x', date '2020-01-01', interval '1 day', int '5' FROM t
----
a text
text text
date date
interval interval
int4 integer

SELECT a::nosuch FROM t
----
ERROR 42704 at 11: type "nosuch" does not exist

SELECT b::int, d::int FROM t
----
ERROR 42846 at 17: cannot cast type timestamp with time zone to integer

SELECT 'abc'::int
----
ERROR 22P02 at 8: invalid input syntax for type integer: "abc"

SELECT '2020-13-45'::date
----
ERROR 22008 at 8: date/time field value out of range: "2020-13-45"
HINT: Perhaps you need a different "datestyle" setting.

SELECT case when a > 1 then b else 'x' end, case a when 1 then 2 end, case when true then 1 else 2.5 end FROM t
----
case text
case integer
case numeric

SELECT CASE WHEN a THEN 1 END FROM t
----
ERROR 42804 at 18: argument of CASE/WHEN must be type boolean, not type integer

SELECT CASE WHEN true THEN 1 ELSE 'x' END
----
ERROR 22P02 at 35: invalid input syntax for type integer: "x"

SELECT CASE WHEN true THEN 1 ELSE b END FROM t
----
ERROR 42804 at 28: CASE types text and integer cannot be matched

SELECT coalesce(a, 1.5), coalesce(b, 'x'), coalesce(NULL, NULL), nullif(a, 2), nullif(1, 2.5), greatest(1, 2.5), least('a', 'b') FROM t
----
coalesce numeric
coalesce text
coalesce text
nullif integer
nullif numeric
greatest numeric
least text

SELECT coalesce(a, b) FROM t
----
ERROR 42804 at 20: COALESCE types integer and text cannot be matched

SELECT greatest(a, b) FROM t
----
ERROR 42804 at 20: GREATEST types integer and text cannot be matched

SELECT a = b FROM t
----
ERROR 42883 at 10: operator does not exist: integer = text
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT a = 'x' FROM t
----
ERROR 22P02 at 12: invalid input syntax for type integer: "x"

SELECT a = '5', b = 5 FROM t
----
ERROR 42883 at 19: operator does not exist: text = integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT a AND true FROM t
----
ERROR 42804 at 8: argument of AND must be type boolean, not type integer

SELECT NOT a FROM t
----
ERROR 42804 at 12: argument of NOT must be type boolean, not type integer

SELECT a FROM t WHERE b
----
ERROR 42804 at 23: argument of WHERE must be type boolean, not type text

SELECT a FROM t WHERE 'true'
----
a integer

SELECT a FROM t WHERE a + 1
----
ERROR 42804 at 23: argument of WHERE must be type boolean, not type integer

SELECT a IS NULL, b IS NOT NULL, i IS TRUE, i IS NOT UNKNOWN, a IS DISTINCT FROM 1, a IS NOT DISTINCT FROM NULL FROM t
----
?column? boolean
?column? boolean
?column? boolean
?column? boolean
?column? boolean
?column? boolean

SELECT a IS TRUE FROM t
----
ERROR 42804 at 8: argument of IS TRUE must be type boolean, not type integer

SELECT a BETWEEN 1 AND 2, a NOT BETWEEN 1 AND 2.5, a BETWEEN SYMMETRIC 2 AND 1 FROM t
----
?column? boolean
?column? boolean
?column? boolean

SELECT a IN (1, 2, 3), a NOT IN (1, 2.5), b IN ('x', 'y'), a IN (1) FROM t
----
?column? boolean
?column? boolean
?column? boolean
?column? boolean

SELECT a IN ('x', 1) FROM t
----
ERROR 22P02 at 14: invalid input syntax for type integer: "x"

SELECT b IN (1, 2) FROM t
----
ERROR 42883 at 10: operator does not exist: text = integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT a IN (b, 2) FROM t
----
ERROR 42883 at 10: operator does not exist: integer = text
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT b LIKE 'x%', b NOT LIKE 'x', b ILIKE 'x', b SIMILAR TO 'x', b LIKE 'x' ESCAPE '!' , b ~ 'x' FROM t
----
?column? boolean
?column? boolean
?column? boolean
?column? boolean
?column? boolean
?column? boolean

SELECT a LIKE 'x' FROM t
----
ERROR 42883 at 10: operator does not exist: integer ~~ unknown
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT (1, 2) = (3, 4), (1, 2) < (a, 3), (a, b) <> (1, 'x'), ROW(1, 'x') IS NULL FROM t
----
?column? boolean
?column? boolean
?column? boolean
?column? boolean

SELECT (1, 2) = (3, 4, 5)
----
ERROR 42601 at 15: unequal number of entries in row expressions

SELECT (1, 2) ~ (3, 4)
----
ERROR 42883 at 15: operator does not exist: integer ~ integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT ROW(1, 2), ROW(a, b), (1, 'x') FROM t
----
row record
row record
row record

SELECT array[1, 2], array[1, 2.5], array['a', 'b'], array[[1, 2], [3, 4]], array[a, 1] FROM t
----
array integer[]
array numeric[]
array text[]
array integer[]
array integer[]

SELECT array[]
----
ERROR 42P18 at 8: cannot determine type of empty array
HINT: Explicitly cast to the desired type, for example ARRAY[]::integer[].

SELECT array[]::int[]
----
array integer[]

SELECT array[1, 'x']
----
ERROR 22P02 at 17: invalid input syntax for type integer: "x"

SELECT e[1], e[1:2], e[:], (array[1,2])[1] FROM t
----
e integer
e integer[]
e integer[]
array integer

SELECT a[1] FROM t
----
ERROR 42804 at 8: cannot subscript type integer because it does not support subscripting

SELECT e['x'] FROM t
----
ERROR 22P02 at 10: invalid input syntax for type integer: "x"

SELECT f['a'], f['a']['b'], f[1], f->'a', f->>'a', f #> '{a}' FROM t
----
f jsonb
f jsonb
f jsonb
?column? jsonb
?column? text
?column? jsonb

SELECT f[1.5] FROM t
----
ERROR 42804 at 10: subscript type numeric is not supported
HINT: jsonb subscript must be coercible to either integer or text.

SELECT f[1:2] FROM t
----
ERROR 42804 at 12: jsonb subscript does not support slices

SELECT t FROM t
----
t t

SELECT (t).a, (t).b FROM t
----
a integer
b text

SELECT (t).nope FROM t
----
ERROR 42703 at 9: column t.nope does not exist

SELECT (t.a).x FROM t
----
ERROR 42809 at 9: column notation .x applied to type integer, which is not a composite type

SELECT (a).x FROM t
----
ERROR 42809 at 9: column notation .x applied to type integer, which is not a composite type

SELECT current_date, current_timestamp, current_time(2), localtime, localtimestamp(3), current_user, session_user, user, current_catalog, current_schema
----
current_date date
current_timestamp timestamp with time zone
current_time time(2) with time zone
localtime time without time zone
localtimestamp timestamp(3) without time zone
current_user name
session_user name
user name
current_catalog name
current_schema name

SELECT now(), now()::date, extract(year from now()), date_part('year', now()), now() AT TIME ZONE 'UTC', now() + interval '1 day', now() - now()
----
now timestamp with time zone
now date
extract numeric
date_part double precision
timezone timestamp without time zone
?column? timestamp with time zone
?column? interval

SELECT substring('abc' from 1 for 2), substring('abc', 1), position('a' in 'b'), trim('x'), trim(both 'a' from 'b'), overlay('abc' placing 'x' from 1), upper('x')
----
substring text
substring text
position integer
btrim text
btrim text
overlay text
upper text

SELECT nosuch(1)
----
ERROR 42883 at 8: function nosuch(integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT nosuch(1, 'x', a) FROM t
----
ERROR 42883 at 8: function nosuch(integer, unknown, integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT abs('x')
----
ERROR 22P02 at 12: invalid input syntax for type double precision: "x"

SELECT abs(b) FROM t
----
ERROR 42883 at 8: function abs(text) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT length(1)
----
ERROR 42883 at 8: function length(integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT upper(1)
----
ERROR 42883 at 8: function upper(integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT lower(f) FROM t
----
ERROR 42883 at 8: function lower(jsonb) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT pg_catalog.lower('X'), pg_catalog.now()
----
lower text
now timestamp with time zone

SELECT nosuch.lower('x')
----
ERROR 3F000 at 8: schema "nosuch" does not exist

SELECT sqrt(2), sqrt(2::numeric), round(1.5), round(1.5::float8), round(1.234, 2), round('1.5'), power(2, 3), mod(5, 2), ceil(1.5), sign(-1)
----
sqrt double precision
sqrt numeric
round numeric
round double precision
round numeric
round double precision
power double precision
mod integer
ceil numeric
sign double precision

SELECT round(1.5::float8, 2)
----
ERROR 42883 at 8: function round(double precision, integer) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT sum(a), sum(c), sum(h), sum(j), avg(a), avg(c), avg(h), count(*), count(a), min(b), max(d), bool_and(i), array_agg(a), string_agg(b, ','), json_agg(a) FROM t
----
sum bigint
sum numeric
sum double precision
sum numeric
avg numeric
avg numeric
avg double precision
count bigint
count bigint
min text
max timestamp with time zone
bool_and boolean
array_agg integer[]
string_agg text
json_agg json

SELECT sum(b) FROM t
----
ERROR 42883 at 8: function sum(text) does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT sum(DISTINCT a), count(DISTINCT b), sum(a) FILTER (WHERE i), array_agg(a ORDER BY b DESC) FROM t
----
sum bigint
count bigint
sum bigint
array_agg integer[]

SELECT count() FROM t
----
ERROR 42809 at 8: count(*) must be used to call a parameterless aggregate function

SELECT lower(*) FROM t
----
ERROR 42883 at 8: function lower() does not exist
HINT: No function matches the given name and argument types. You might need to add explicit type casts.

SELECT lower(DISTINCT b) FROM t
----
ERROR 42809 at 8: DISTINCT specified, but lower is not an aggregate function

SELECT lower(b) OVER () FROM t
----
ERROR 42809 at 8: OVER specified, but lower is not a window function nor an aggregate function

SELECT lower(b) FILTER (WHERE true) FROM t
----
ERROR 42809 at 8: FILTER specified, but lower is not an aggregate function

SELECT lower(b ORDER BY a) FROM t
----
ERROR 42809 at 8: ORDER BY specified, but lower is not an aggregate function

SELECT a, sum(c) FROM t
----
ERROR 42803 at 8: column "t.a" must appear in the GROUP BY clause or be used in an aggregate function

SELECT a, sum(c) FROM t GROUP BY a
----
a integer
sum numeric

SELECT a, b, sum(c) FROM t GROUP BY a
----
a integer
b text
sum numeric

SELECT b, sum(c) FROM t GROUP BY a
----
b text
sum numeric

SELECT b, x, sum(c) FROM t, u GROUP BY t.a
----
ERROR 42803 at 11: column "u.x" must appear in the GROUP BY clause or be used in an aggregate function

SELECT u.a, x, count(*) FROM u GROUP BY a
----
ERROR 42803 at 13: column "u.x" must appear in the GROUP BY clause or be used in an aggregate function

SELECT b FROM t GROUP BY 1
----
b text

SELECT b FROM t GROUP BY 2
----
ERROR 42P10 at 26: GROUP BY position 2 is not in select list

SELECT b FROM t GROUP BY 'x'
----
ERROR 42601 at 26: non-integer constant in GROUP BY

SELECT a + 1, count(*) FROM t GROUP BY a + 1
----
?column? integer
count bigint

SELECT a + 1 AS s, count(*) FROM t GROUP BY s
----
s integer
count bigint

SELECT a + 2 FROM u GROUP BY a + 1
----
ERROR 42803 at 8: column "u.a" must appear in the GROUP BY clause or be used in an aggregate function

SELECT sum(a) FROM t WHERE sum(a) > 1
----
ERROR 42803 at 28: aggregate functions are not allowed in WHERE

SELECT a FROM t GROUP BY sum(a)
----
ERROR 42803 at 26: aggregate functions are not allowed in GROUP BY

SELECT sum(a) s FROM t GROUP BY s
----
ERROR 42803 at 8: aggregate functions are not allowed in GROUP BY

SELECT sum(sum(a)) FROM t
----
ERROR 42803 at 12: aggregate function calls cannot be nested

SELECT b FROM t HAVING true
----
ERROR 42803 at 8: column "t.b" must appear in the GROUP BY clause or be used in an aggregate function

SELECT count(*) FROM t HAVING count(*) > 1
----
count bigint

SELECT count(*) FROM t HAVING a > 1
----
ERROR 42803 at 31: column "t.a" must appear in the GROUP BY clause or be used in an aggregate function

SELECT x, (SELECT max(b) FROM t WHERE t.a = u.a) FROM u GROUP BY x
----
ERROR 42803 at 45: subquery uses ungrouped column "u.a" from outer query

SELECT x, (SELECT max(b) FROM t WHERE t.b = u.x) FROM u GROUP BY x
----
x text
max text

SELECT (SELECT sum(u.a) FROM t) FROM u
----
sum bigint

SELECT (SELECT sum(u.a + t.a) FROM t) FROM u
----
sum bigint

SELECT a FROM u WHERE (SELECT sum(u.a)) > 1
----
ERROR 42803 at 31: aggregate functions are not allowed in WHERE

SELECT rank() OVER (ORDER BY a), row_number() OVER (), sum(a) OVER (PARTITION BY b), lag(a) OVER w, lag(a, 1, 0) OVER w, first_value(b) OVER w FROM t WINDOW w AS (ORDER BY a)
----
rank bigint
row_number bigint
sum bigint
lag integer
lag integer
first_value text

SELECT rank() FROM t
----
ERROR 42809 at 8: window function rank requires an OVER clause

SELECT rank() OVER w FROM t
----
ERROR 42704 at 20: window "w" does not exist

SELECT a FROM t WHERE rank() OVER () = 1
----
ERROR 42P20 at 23: window functions are not allowed in WHERE

SELECT sum(rank() OVER ()) FROM t
----
ERROR 42803 at 12: aggregate function calls cannot contain window function calls

SELECT rank() OVER (ORDER BY rank() OVER ()) FROM t
----
ERROR 42P20 at 30: window functions are not allowed in window definitions

SELECT sum(DISTINCT a) OVER () FROM t
----
ERROR 0A000 at 8: DISTINCT is not implemented for window functions

SELECT sum(a) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), sum(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING), sum(a) OVER (ORDER BY d RANGE '1 day' PRECEDING) FROM t
----
sum bigint
sum bigint
sum bigint

SELECT sum(a) OVER (RANGE 1 PRECEDING) FROM t
----
ERROR 42P20 at 20: RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column

SELECT sum(a) OVER (ORDER BY b RANGE 1 PRECEDING) FROM t
----
ERROR 0A000 at 38: RANGE with offset PRECEDING/FOLLOWING is not supported for column type text

SELECT sum(a) OVER (ORDER BY a RANGE 'x' PRECEDING) FROM t
----
ERROR 22P02 at 38: invalid input syntax for type integer: "x"

SELECT sum(a) OVER (ORDER BY a RANGE '1 day'::interval PRECEDING) FROM t
----
ERROR 0A000 at 38: RANGE with offset PRECEDING/FOLLOWING is not supported for column type integer and offset type interval
HINT: Cast the offset value to an appropriate type.

SELECT sum(a) OVER (GROUPS 1 PRECEDING) FROM t
----
ERROR 42P20 at 20: GROUPS mode requires an ORDER BY clause

SELECT sum(a) OVER (ROWS a PRECEDING) FROM t
----
ERROR 42P10 at 26: argument of ROWS must not contain variables

SELECT sum(a) OVER (w PARTITION BY b) FROM t WINDOW w AS (ORDER BY a)
----
ERROR 42P20 at 20: cannot override PARTITION BY clause of window "w"

SELECT sum(a) OVER (w ORDER BY b) FROM t WINDOW w AS (ORDER BY a)
----
ERROR 42P20 at 20: cannot override ORDER BY clause of window "w"

SELECT sum(a) OVER (w) FROM t WINDOW w AS (ORDER BY a ROWS 1 PRECEDING)
----
ERROR 42P20 at 20: cannot copy window "w" because it has a frame clause
HINT: Omit the parentheses in this OVER clause.

SELECT sum(a) OVER w, sum(a) OVER w2 FROM t WINDOW w AS (ORDER BY a), w AS ()
----
ERROR 42704 at 35: window "w2" does not exist

SELECT sum(count(*)) OVER (), count(*) FROM t GROUP BY b
----
sum numeric
count bigint

SELECT a FROM t ORDER BY b
----
a integer

SELECT a AS b FROM t ORDER BY b
----
b integer

SELECT a FROM t ORDER BY 1, 2
----
ERROR 42P10 at 29: ORDER BY position 2 is not in select list

SELECT a FROM t ORDER BY 'x'
----
ERROR 42601 at 26: non-integer constant in ORDER BY

SELECT a FROM t ORDER BY nope
----
ERROR 42703 at 26: column "nope" does not exist

SELECT a AS x, b AS x FROM t ORDER BY x
----
ERROR 42702 at 39: ORDER BY "x" is ambiguous

SELECT a FROM t ORDER BY a USING >
----
a integer

SELECT a FROM t ORDER BY a USING @
----
ERROR 42883 at 34: operator does not exist: integer @ integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

SELECT f FROM t ORDER BY f
----
f jsonb

SELECT a FROM t ORDER BY count(*)
----
ERROR 42803 at 8: column "t.a" must appear in the GROUP BY clause or be used in an aggregate function

SELECT DISTINCT a FROM t ORDER BY b
----
ERROR 42P10 at 35: for SELECT DISTINCT, ORDER BY expressions must appear in select list

SELECT DISTINCT a FROM t ORDER BY a + 1
----
ERROR 42P10 at 35: for SELECT DISTINCT, ORDER BY expressions must appear in select list

SELECT DISTINCT a + 1 FROM t ORDER BY a + 1
----
?column? integer

SELECT DISTINCT ON (a) a, b FROM t ORDER BY b
----
ERROR 42P10 at 21: SELECT DISTINCT ON expressions must match initial ORDER BY expressions

SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b
----
a integer
b text

SELECT DISTINCT ON (a, b) a, b FROM t ORDER BY b, a, c
----
a integer
b text

SELECT json '1' UNION SELECT json '2'
----
ERROR 42883 at 13: could not identify an equality operator for type json

SELECT DISTINCT json '1'
----
ERROR 42883 at 22: could not identify an equality operator for type json

SELECT a FROM t LIMIT 1 OFFSET 2
----
a integer

SELECT a FROM t LIMIT 'x'
----
ERROR 22P02 at 23: invalid input syntax for type bigint: "x"

SELECT a FROM t LIMIT a
----
ERROR 42P10 at 23: argument of LIMIT must not contain variables

SELECT a FROM t LIMIT 1.5
----
a integer

SELECT a FROM t FETCH FIRST 2 ROWS WITH TIES
----
ERROR 42601: WITH TIES cannot be specified without ORDER BY clause

SELECT a FROM t ORDER BY a FETCH FIRST 2 ROWS WITH TIES
----
a integer

SELECT a FROM t ORDER BY a FETCH FIRST NULL ROWS WITH TIES
----
ERROR 2201W: row count cannot be null in FETCH FIRST ... WITH TIES clause

SELECT generate_series(1, 3), a FROM t
----
generate_series integer
a integer

SELECT generate_series(1, 3) + 1
----
?column? integer

SELECT a FROM t WHERE generate_series(1, 3) = 1
----
ERROR 0A000 at 23: set-returning functions are not allowed in WHERE

SELECT CASE WHEN true THEN generate_series(1, 2) END
----
ERROR 0A000 at 28: set-returning functions are not allowed in CASE
HINT: You might be able to move the set-returning function into a LATERAL FROM item.

SELECT coalesce(generate_series(1, 2), 1)
----
ERROR 0A000 at 17: set-returning functions are not allowed in COALESCE
HINT: You might be able to move the set-returning function into a LATERAL FROM item.

SELECT sum(generate_series(1, 2))
----
ERROR 0A000 at 12: aggregate function calls cannot contain set-returning function calls
HINT: You might be able to move the set-returning function into a LATERAL FROM item.

SELECT unnest(e), unnest(array['a']) FROM t
----
unnest integer
unnest text

SELECT jsonb_each(f), jsonb_array_elements(f), json_object_keys('{}') FROM t
----
jsonb_each record
jsonb_array_elements jsonb
json_object_keys text

SELECT (jsonb_each(f)).* FROM t
----
key text
value jsonb

SELECT (jsonb_each(f)).key FROM t
----
key text

SELECT generate_series('1', '3')
----
ERROR 42725 at 8: function generate_series(unknown, unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT generate_series('2020-01-01', '2020-01-02', '1 day')
----
ERROR 42725 at 8: function generate_series(unknown, unknown, unknown) is not unique
HINT: Could not choose a best candidate function. You might need to add explicit type casts.

SELECT generate_series(now(), now(), '1 day')
----
generate_series timestamp with time zone

SELECT generate_series(1, 2.5)
----
generate_series numeric
