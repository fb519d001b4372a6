CREATE TABLE g (f int, t int, l text)

WITH RECURSIVE s(f, t) AS (SELECT f, t FROM g UNION ALL SELECT g.f, g.t FROM g, s WHERE g.f = s.t) SEARCH DEPTH FIRST BY f, t SET seq SELECT * FROM s ORDER BY seq
----
f integer
t integer
seq record[]

WITH RECURSIVE s AS (SELECT * FROM g UNION ALL SELECT g.* FROM g, s AS q WHERE g.f = q.t) SEARCH BREADTH FIRST BY f SET seq SELECT * FROM s ORDER BY seq
----
f integer
t integer
l text
seq record

WITH RECURSIVE s(f, t) AS (SELECT f, t FROM g UNION ALL SELECT g.f, g.t FROM g JOIN s ON g.f = s.t) CYCLE f SET c USING p SELECT * FROM s
----
f integer
t integer
c boolean
p record[]

WITH RECURSIVE s(f, t) AS (SELECT f, t FROM g UNION SELECT g.f, g.t FROM g, s WHERE g.f = s.t) CYCLE f, t SET c TO 'Y' DEFAULT 'N' USING p SELECT c, p FROM s
----
c text
p record[]

WITH RECURSIVE s(f, t) AS (SELECT f, t FROM g UNION ALL SELECT g.f, g.t FROM g, s WHERE g.f = s.t) SEARCH DEPTH FIRST BY f SET seq CYCLE f SET c USING p SELECT * FROM s
----
f integer
t integer
seq record[]
c boolean
p record[]

WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT * FROM s) CYCLE f SET c USING p SELECT * FROM s
----
f integer
c boolean
p record[]

WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) SEARCH DEPTH FIRST BY nope SET seq SELECT * FROM s
----
ERROR 42601 at 68: search column "nope" not in WITH query column list

WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) SEARCH DEPTH FIRST BY f, f SET seq SELECT * FROM s
----
ERROR 42701 at 68: search column "f" specified more than once

-- differs: ours says what is wrong
WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) SEARCH DEPTH FIRST BY f SET f SELECT * FROM s
----
ERROR 42601 at 68: search sequence column name "f" already used in WITH query column list

WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) CYCLE nope SET c USING p SELECT * FROM s
----
ERROR 42601 at 68: cycle column "nope" not in WITH query column list

-- differs: ours says what is wrong
WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) CYCLE f SET f USING p SELECT * FROM s
----
ERROR 42601 at 68: cycle mark column name "f" already used in WITH query column list

WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) CYCLE f SET c USING c SELECT * FROM s
----
ERROR 42601 at 68: cycle mark column name and cycle path column name are the same

WITH RECURSIVE s(f) AS (SELECT f FROM g UNION ALL SELECT f FROM s) CYCLE f SET c TO true DEFAULT 5 USING p SELECT * FROM s
----
ERROR 42804 at 98: CYCLE types boolean and integer cannot be matched

WITH RECURSIVE s(f) AS (VALUES (1) UNION ALL SELECT f FROM s) CYCLE f SET c USING p SELECT * FROM s
----
f integer
c boolean
p record[]

WITH RECURSIVE s(f) AS (SELECT 1 UNION ALL VALUES (2)) CYCLE f SET c USING p SELECT * FROM s
----
ERROR 42601 at 16: WITH query is not recursive

WITH s(f) AS (SELECT 1) CYCLE f SET c USING p SELECT * FROM s
----
ERROR 42601 at 6: WITH query is not recursive

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL (WITH x AS (SELECT n + 1 AS n FROM s) SELECT n FROM x WHERE n < 5)) SELECT * FROM s
----
n integer

WITH RECURSIVE s(n) AS (WITH x AS (SELECT * FROM s) SELECT 1 UNION ALL SELECT n FROM x) SELECT * FROM s
----
ERROR 42P19 at 50: recursive reference to query "s" must not appear within a subquery

WITH RECURSIVE s(n) AS (WITH x AS (SELECT 1 AS n) SELECT n FROM x UNION ALL SELECT s.n + x.n FROM s, x WHERE s.n < 5) SELECT * FROM s
----
n integer

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT max(n) FROM s) SELECT * FROM s
----
ERROR 42P19 at 51: aggregate functions are not allowed in a recursive query's recursive term

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n FROM s EXCEPT SELECT 2) SELECT * FROM s
----
ERROR 42P19 at 16: recursive query "s" does not have the form non-recursive-term UNION [ALL] recursive-term

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL (SELECT n FROM s EXCEPT SELECT 2)) SELECT * FROM s
----
n integer

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL (SELECT 2 EXCEPT SELECT n FROM s)) SELECT * FROM s
----
ERROR 42P19 at 75: recursive reference to query "s" must not appear within EXCEPT

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT s.n FROM s JOIN s AS r ON true) SELECT * FROM s
----
ERROR 42P19 at 67: recursive reference to query "s" must not appear more than once

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n FROM s LIMIT 2) SELECT * FROM s
----
ERROR 0A000 at 66: LIMIT in a recursive query is not implemented

WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n FROM s FOR UPDATE) SELECT * FROM s
----
ERROR 0A000: FOR UPDATE/SHARE in a recursive query is not implemented

WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a
----
ERROR 0A000 at 16: mutual recursion between WITH items is not implemented

WITH RECURSIVE s(n) AS (SELECT n FROM s) SELECT * FROM s
----
ERROR 42P19 at 16: recursive query "s" does not have the form non-recursive-term UNION [ALL] recursive-term

WITH RECURSIVE s(n, m) AS (SELECT 1 UNION ALL SELECT n FROM s) SELECT * FROM s
----
ERROR 42P10 at 16: WITH query "s" has 1 columns available but 2 columns specified

WITH RECURSIVE s(n) AS (SELECT 1, 2 UNION ALL SELECT n FROM s) SELECT * FROM s
----
ERROR 42601 at 54: each UNION query must have the same number of columns

WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s) SELECT * FROM (SELECT * FROM s LIMIT 3) x, s AS y
----
n integer
n integer

SELECT * FROM g WHERE f IN (WITH RECURSIVE r(n) AS (SELECT g.f UNION ALL SELECT n + 1 FROM r WHERE n < g.t) SELECT n FROM r)
----
f integer
t integer
l text

WITH RECURSIVE s(n) AS (SELECT numeric '1.5'::numeric(3,1) UNION ALL SELECT n + 1 FROM s) SELECT * FROM s
----
ERROR 42804 at 40: recursive query "s" column 1 has type numeric(3,1) in non-recursive term but type numeric overall
HINT: Cast the output of the non-recursive term to the correct type.
