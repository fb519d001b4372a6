CREATE TABLE t (a int PRIMARY KEY, b text DEFAULT 'x', c numeric(8,2), g int GENERATED ALWAYS AS (a + 1) STORED, i int GENERATED ALWAYS AS IDENTITY)

CREATE TABLE s (k int, v text)

CREATE VIEW vw AS SELECT * FROM t

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = s.v
----
OK

MERGE INTO t AS q USING s ON q.a = s.k WHEN MATCHED AND q.c > 1 THEN DELETE WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.k, s.v)
----
OK

MERGE INTO t USING (SELECT k, v FROM s) x ON a = k WHEN NOT MATCHED AND v = 'y' THEN INSERT VALUES (k, v, 1) WHEN NOT MATCHED THEN DO NOTHING
----
OK

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN DO NOTHING WHEN MATCHED THEN DELETE
----
ERROR 42601: unreachable WHEN clause specified after unconditional WHEN clause

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a) VALUES (t.a)
----
ERROR 42P01 at 76: invalid reference to FROM-clause entry for table "t"
HINT: There is an entry for table "t", but it cannot be referenced from this part of the query.

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED AND t.a = 1 THEN DO NOTHING
----
ERROR 42P01 at 56: invalid reference to FROM-clause entry for table "t"
HINT: There is an entry for table "t", but it cannot be referenced from this part of the query.

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT DEFAULT VALUES
----
OK

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a, b) VALUES (1)
----
ERROR 42601 at 68: INSERT has more target columns than expressions

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a) VALUES (1, 2)
----
ERROR 42601 at 79: INSERT has more expressions than target columns

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (nope) VALUES (1)
----
ERROR 42703 at 65: column "nope" of relation "t" does not exist

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a) VALUES ('x')
----
ERROR 22P02 at 76: invalid input syntax for type integer: "x"

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a) VALUES (true)
----
ERROR 42804 at 76: column "a" is of type integer but expression is of type boolean
HINT: You will need to rewrite or cast the expression.

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a, i) VALUES (1, 2)
----
ERROR 428C9: cannot insert a non-DEFAULT value into column "i"
DETAIL: Column "i" is an identity column defined as GENERATED ALWAYS.
HINT: Use OVERRIDING SYSTEM VALUE to override.

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a, i) OVERRIDING SYSTEM VALUE VALUES (1, 2)
----
OK

MERGE INTO t USING s ON t.a = s.k WHEN NOT MATCHED THEN INSERT (a, g) VALUES (1, 2)
----
ERROR 428C9: cannot insert a non-DEFAULT value into column "g"
DETAIL: Column "g" is a generated column.

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN UPDATE SET nope = 1
----
ERROR 42703 at 64: column "nope" of relation "t" does not exist

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = DEFAULT, c = s.k + t.a
----
OK

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN UPDATE SET g = 1
----
ERROR 428C9: column "g" can only be updated to DEFAULT
DETAIL: Column "g" is a generated column.

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN UPDATE SET a = s.v
----
ERROR 42804 at 68: column "a" is of type integer but expression is of type text
HINT: You will need to rewrite or cast the expression.

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED AND s.v THEN DELETE
----
ERROR 42804 at 52: argument of WHEN must be type boolean, not type text

MERGE INTO t USING s ON t.a = s.v WHEN MATCHED THEN DELETE
----
ERROR 42883 at 29: operator does not exist: integer = text
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

-- differs: PostgreSQL finds this when it plans
MERGE INTO t USING s ON t.a WHEN MATCHED THEN DELETE
----
ERROR 42804 at 25: argument of JOIN/ON must be type boolean, not type integer

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED AND sum(t.a) > 1 THEN DELETE
----
ERROR 42803 at 52: aggregate functions are not allowed in MERGE WHEN conditions

MERGE INTO t USING t ON t.a = t.a WHEN MATCHED THEN DELETE
----
ERROR 42712: name "t" specified more than once
DETAIL: The name is used both as MERGE target table and data source.

MERGE INTO nope USING s ON true WHEN MATCHED THEN DELETE
----
ERROR 42P01 at 12: relation "nope" does not exist

MERGE INTO t USING nope ON true WHEN MATCHED THEN DELETE
----
ERROR 42P01 at 20: relation "nope" does not exist

MERGE INTO t USING s ON t.a = $1 WHEN MATCHED AND s.v = $2 THEN UPDATE SET c = $3 WHEN NOT MATCHED THEN INSERT (a) VALUES ($4)
----
OK
$1 integer
$2 text
$3 numeric
$4 integer

WITH x AS (SELECT 1 AS k) MERGE INTO t USING x ON t.a = x.k WHEN MATCHED THEN DELETE
----
OK

WITH m AS (MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE) SELECT 1
----
ERROR 0A000 at 6: MERGE not supported in WITH query

MERGE INTO vw USING s ON vw.a = s.k WHEN MATCHED THEN DELETE
----
ERROR 0A000: cannot execute MERGE on relation "vw"
DETAIL: This operation is not supported for views.

MERGE INTO t USING (SELECT * FROM s WHERE t.a = s.k) x ON true WHEN MATCHED THEN DELETE
----
ERROR 42P01 at 43: invalid reference to FROM-clause entry for table "t"
HINT: There is an entry for table "t", but it cannot be referenced from this part of the query.

MERGE INTO t USING s ON t.a = s.k WHEN MATCHED THEN UPDATE SET b = (SELECT v FROM s AS s2 WHERE s2.k = t.a)
----
OK
