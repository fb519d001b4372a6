CREATE TABLE t (a int PRIMARY KEY, b text DEFAULT 'x', c numeric(8,2), d int UNIQUE)

CREATE TABLE u (k int, v text)

CREATE VIEW v1 AS SELECT a AS x, b, c + 1 AS cc FROM t WHERE c > 0

CREATE VIEW v2 AS SELECT b AS bb, x AS xx FROM v1 AS q WHERE q.b <> 'z'

CREATE VIEW v3 AS SELECT * FROM t WHERE a > 5 WITH CHECK OPTION

CREATE VIEW n1 AS SELECT DISTINCT a FROM t

CREATE VIEW n2 AS SELECT a, count(*) FROM t GROUP BY a

CREATE VIEW n3 AS SELECT t.a FROM t, u

CREATE VIEW n4 AS SELECT a FROM t LIMIT 3

CREATE VIEW n5 AS SELECT a FROM t UNION SELECT k FROM u

CREATE VIEW n6 AS SELECT 1 AS one

CREATE VIEW n7 AS SELECT a, rank() OVER () FROM t

CREATE VIEW n8 AS SELECT a, generate_series(1, 2) FROM t

CREATE VIEW n9 AS WITH w AS (SELECT 1) SELECT a FROM t

SELECT * FROM v1
----
x integer
b text
cc numeric

SELECT * FROM v2
----
bb text
xx integer

SELECT x, b FROM v1 WHERE cc > 1
----
x integer
b text

SELECT c FROM v1
----
ERROR 42703 at 8: column "c" does not exist

SELECT v1 FROM v1
----
v1 v1

INSERT INTO v1 (x, b) VALUES (1, 'y')
----
OK

INSERT INTO v1 VALUES (1, 'y')
----
OK

INSERT INTO v1 VALUES (1, 'y', 2)
----
ERROR 0A000: cannot insert into column "cc" of view "v1"
DETAIL: View columns that are not columns of their base relation are not updatable.

INSERT INTO v1 (cc) VALUES (1)
----
ERROR 0A000: cannot insert into column "cc" of view "v1"
DETAIL: View columns that are not columns of their base relation are not updatable.

INSERT INTO v1 (a) VALUES (1)
----
ERROR 42703 at 17: column "a" of relation "v1" does not exist

INSERT INTO v1 (x) VALUES ('q')
----
ERROR 22P02 at 28: invalid input syntax for type integer: "q"

INSERT INTO v1 (x) VALUES (1) RETURNING *, x + 1
----
x integer
b text
cc numeric
?column? integer

INSERT INTO v1 (x) SELECT k FROM u
----
OK

INSERT INTO v1 (x) VALUES (1) ON CONFLICT (x) DO UPDATE SET b = excluded.b || v1.b
----
OK

INSERT INTO v2 (xx) VALUES (1) RETURNING bb
----
bb text

INSERT INTO v3 (a) VALUES (6)
----
OK

UPDATE v1 SET b = 'q' WHERE x = 1
----
OK

UPDATE v1 SET cc = 1
----
ERROR 0A000: cannot update column "cc" of view "v1"
DETAIL: View columns that are not columns of their base relation are not updatable.

UPDATE v1 SET a = 1
----
ERROR 42703 at 15: column "a" of relation "v1" does not exist

UPDATE v1 AS q SET b = q.b || cc::text WHERE q.x > 1 RETURNING q.*, x
----
x integer
b text
cc numeric
x integer

UPDATE v1 SET b = u.v FROM u WHERE u.k = v1.x RETURNING u.k, v1.cc
----
k integer
cc numeric

UPDATE v2 SET bb = 'z', xx = 4 RETURNING *
----
bb text
xx integer

DELETE FROM v1 WHERE cc > 3 RETURNING x, cc
----
x integer
cc numeric

DELETE FROM v2 USING u WHERE u.k = v2.xx
----
OK

DELETE FROM v2 WHERE b = 'x'
----
ERROR 42703 at 22: column "b" does not exist

-- differs: PREPARE does not look
COPY v1 FROM STDIN
----
ERROR 42809: cannot copy to view "v1"
HINT: Copy into the table that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n1
----
ERROR 55000: cannot delete from view "n1"
DETAIL: Views containing DISTINCT are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n2
----
ERROR 55000: cannot delete from view "n2"
DETAIL: Views containing GROUP BY are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n3
----
ERROR 55000: cannot delete from view "n3"
DETAIL: Views that do not select from a single table or view are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n4
----
ERROR 55000: cannot delete from view "n4"
DETAIL: Views containing LIMIT or OFFSET are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n5
----
ERROR 55000: cannot delete from view "n5"
DETAIL: Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n6
----
ERROR 55000: cannot delete from view "n6"
DETAIL: Views that do not select from a single table or view are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n7
----
ERROR 55000: cannot delete from view "n7"
DETAIL: Views that return window functions are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n8
----
ERROR 55000: cannot delete from view "n8"
DETAIL: Views that return set-returning functions are not automatically updatable.
HINT: Change the tables that the view reads.

-- differs: PostgreSQL finds this when it runs; the hint is ours
DELETE FROM n9
----
ERROR 55000: cannot delete from view "n9"
DETAIL: Views containing WITH are not automatically updatable.
HINT: Change the tables that the view reads.

INSERT INTO v1 (x, b, cc) VALUES (1, 'a', 1), (2, 'a', 1), (3, 'a', 1), (4, 'a', 1), (5, 'a', 1), (6, 'a', 1), (7, 'a', 1), (8, 'a', 1)
----
ERROR 0A000: cannot insert into column "cc" of view "v1"
DETAIL: View columns that are not columns of their base relation are not updatable.

INSERT INTO v1 (x, b) VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a'), (5, 'a'), (6, 'a'), (7, 'a'), (8, 'a')
----
OK
