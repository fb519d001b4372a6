CREATE TABLE t (a int PRIMARY KEY, b text DEFAULT 'x', c numeric(8,2), CONSTRAINT t_c CHECK (c > 0), UNIQUE (b, c))

CREATE TABLE u (a int, x text, y int)

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')

CREATE DOMAIN posint AS int CHECK (VALUE > 0)

CREATE TYPE pair AS (l int, r text)

CREATE VIEW vw AS SELECT a, b FROM t

CREATE SEQUENCE sq

CREATE INDEX u_x ON u (x)

CREATE SCHEMA sc

CREATE TABLE n1 (a int, b text NOT NULL DEFAULT 'y', c varchar(10), d numeric(5), e timestamp(3), f int[], g mood, h posint, i pair, j interval day to second(2))
----
OK

-- differs: found when it runs
CREATE TABLE t (a int)
----
OK

CREATE TABLE IF NOT EXISTS t (a int)
----
OK

CREATE TABLE nosuch.n (a int)
----
ERROR 3F000 at 14: schema "nosuch" does not exist

CREATE TABLE n1 (a nosuch)
----
ERROR 42704 at 20: type "nosuch" does not exist

CREATE TABLE n1 (a int, a text)
----
ERROR 42701: column "a" specified more than once

CREATE TABLE n1 (a int, ctid int)
----
ERROR 42701: column name "ctid" conflicts with a system column name

CREATE TABLE n1 (a varchar(0))
----
ERROR 22023 at 20: length for type varchar must be at least 1

CREATE TABLE n1 (a varchar(100000000))
----
ERROR 22023 at 20: length for type varchar cannot exceed 10485760

CREATE TABLE n1 (a numeric(2000))
----
ERROR 22023 at 20: NUMERIC precision 2000 must be between 1 and 1000

CREATE TABLE n1 (a int(4))
----
ERROR 42601 at 23: syntax error at or near "("

CREATE TABLE n1 (a int4(4))
----
ERROR 42601 at 20: type modifier is not allowed for type "int4"

CREATE TABLE n1 (a varchar(1,2))
----
ERROR 42601 at 29: syntax error at or near ","

CREATE TABLE n1 (a numeric(5,2,1))
----
ERROR 22023 at 20: invalid NUMERIC type modifier

CREATE TABLE n1 (a timestamp(-1))
----
ERROR 42601 at 30: syntax error at or near "-"

CREATE TABLE n1 (a unknown)
----
ERROR 42P16: column "a" has pseudo-type unknown

CREATE TABLE n1 (a anyelement)
----
ERROR 42P16: column "a" has pseudo-type anyelement

CREATE TABLE n1 (a record)
----
ERROR 42P16: column "a" has pseudo-type record

CREATE TABLE n1 (a int PRIMARY KEY, b int PRIMARY KEY)
----
ERROR 42P16 at 43: multiple primary keys for table "n1" are not allowed

CREATE TABLE n1 (a int PRIMARY KEY, PRIMARY KEY (a))
----
ERROR 42P16 at 37: multiple primary keys for table "n1" are not allowed

CREATE TABLE n1 (a int, PRIMARY KEY (nope))
----
ERROR 42703 at 25: column "nope" named in key does not exist

CREATE TABLE n1 (a int, PRIMARY KEY (a, a))
----
ERROR 42701 at 25: column "a" appears twice in primary key constraint

CREATE TABLE n1 (a int, UNIQUE (a, a))
----
ERROR 42701 at 25: column "a" appears twice in unique constraint

CREATE TABLE n1 (a json PRIMARY KEY)
----
ERROR 42704: data type json has no default operator class for access method "btree"
HINT: You must specify an operator class for the index or define a default operator class for the data type.

CREATE TABLE n1 (a int NULL NOT NULL)
----
ERROR 42601 at 29: conflicting NULL/NOT NULL declarations for column "a" of table "n1"

CREATE TABLE n1 (a int DEFAULT 1 DEFAULT 2)
----
ERROR 42601 at 34: multiple default values specified for column "a" of table "n1"

CREATE TABLE n1 (a int DEFAULT 'x')
----
ERROR 22P02 at 32: invalid input syntax for type integer: "x"

CREATE TABLE n1 (a int DEFAULT b)
----
ERROR 0A000 at 32: cannot use column reference in DEFAULT expression

CREATE TABLE n1 (a int DEFAULT sum(1))
----
ERROR 42803 at 32: aggregate functions are not allowed in DEFAULT expressions

CREATE TABLE n1 (a int DEFAULT (SELECT 1))
----
ERROR 0A000 at 32: cannot use subquery in DEFAULT expression

CREATE TABLE n1 (a int DEFAULT now())
----
ERROR 42804: column "a" is of type integer but default expression is of type timestamp with time zone
HINT: You will need to rewrite or cast the expression.

CREATE TABLE n1 (a date DEFAULT now(), b text DEFAULT current_user, c int DEFAULT 1 + 2, d serial, e bigserial, f uuid DEFAULT gen_random_uuid())
----
OK

CREATE TABLE n1 (a int DEFAULT true)
----
ERROR 42804: column "a" is of type integer but default expression is of type boolean
HINT: You will need to rewrite or cast the expression.

CREATE TABLE n1 (a int CHECK (a > 0), b int, CHECK (a < b), CONSTRAINT ck CHECK (b IS NOT NULL))
----
OK

CREATE TABLE n1 (a int CHECK (b > 0))
----
ERROR 42703 at 31: column "b" does not exist

CREATE TABLE n1 (a int CHECK (a))
----
ERROR 42804 at 31: argument of CHECK must be type boolean, not type integer

CREATE TABLE n1 (a int CHECK (sum(a) > 0))
----
ERROR 42803 at 31: aggregate functions are not allowed in check constraints

CREATE TABLE n1 (a int CHECK ((SELECT 1) > 0))
----
ERROR 0A000 at 31: cannot use subquery in check constraint

CREATE TABLE n1 (a int CHECK (generate_series(1, a) > 0))
----
ERROR 0A000 at 31: set-returning functions are not allowed in check constraints

CREATE TABLE n1 (a int, CONSTRAINT ck CHECK (a > 0), CONSTRAINT ck CHECK (a > 1))
----
ERROR 42710: check constraint "ck" already exists

CREATE TABLE n1 (a int REFERENCES t)
----
OK

CREATE TABLE n1 (a int REFERENCES t (a) ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED)
----
OK

CREATE TABLE n1 (a int REFERENCES nope)
----
ERROR 42P01: relation "nope" does not exist

CREATE TABLE n1 (a int REFERENCES t (nope))
----
ERROR 42703: column "nope" referenced in foreign key constraint does not exist

CREATE TABLE n1 (a int REFERENCES t (b))
----
ERROR 42830: there is no unique constraint matching given keys for referenced table "t"

CREATE TABLE n1 (a int REFERENCES u)
----
ERROR 42704: there is no primary key for referenced table "u"

CREATE TABLE n1 (a text REFERENCES t)
----
ERROR 42804: foreign key constraint "n1_a_fkey" cannot be implemented
DETAIL: Key columns "a" and "a" are of incompatible types: text and integer.

CREATE TABLE n1 (a int, FOREIGN KEY (nope) REFERENCES t)
----
ERROR 42703: column "nope" referenced in foreign key constraint does not exist

CREATE TABLE n1 (a int, b text, FOREIGN KEY (a, b) REFERENCES t)
----
ERROR 42830: number of referencing and referenced columns for foreign key disagree

CREATE TABLE n1 (a text, b numeric, FOREIGN KEY (a, b) REFERENCES t (b, c))
----
OK

CREATE TABLE n1 (a int PRIMARY KEY, b int REFERENCES n1)
----
OK

CREATE TABLE n1 (a int REFERENCES vw)
----
ERROR 42809: referenced relation "vw" is not a table

-- differs: the only collation here is known
CREATE TABLE n1 (a int GENERATED ALWAYS AS IDENTITY, b text GENERATED ALWAYS AS (upper('x')) STORED)
----
OK

CREATE TABLE n1 (a int GENERATED ALWAYS AS IDENTITY (START 10 INCREMENT 2))
----
OK

CREATE TABLE n1 (a text GENERATED ALWAYS AS IDENTITY)
----
ERROR 22023: identity column type must be smallint, integer, or bigint

CREATE TABLE n1 (a int DEFAULT 1 GENERATED ALWAYS AS IDENTITY)
----
ERROR 42601 at 34: both default and identity specified for column "a" of table "n1"

CREATE TABLE n1 (a int GENERATED ALWAYS AS IDENTITY GENERATED ALWAYS AS IDENTITY)
----
ERROR 42601 at 53: multiple identity specifications for column "a" of table "n1"

CREATE TABLE n1 (a int, b int GENERATED ALWAYS AS (a * 2) STORED, c int GENERATED ALWAYS AS (b) STORED)
----
ERROR 42P17 at 94: cannot use generated column "b" in column generation expression
DETAIL: A generated column cannot reference another generated column.

CREATE TABLE n1 (a int, b int GENERATED ALWAYS AS (a + random()) STORED)
----
ERROR 42P17: generation expression is not immutable

CREATE TABLE n1 (a timestamptz, b text GENERATED ALWAYS AS (a::text) STORED)
----
ERROR 42P17: generation expression is not immutable

CREATE TABLE n1 (a int, b int DEFAULT 1 GENERATED ALWAYS AS (a) STORED)
----
ERROR 42601 at 41: both default and generation expression specified for column "b" of table "n1"

CREATE TABLE n1 (a int GENERATED ALWAYS AS (nope) STORED)
----
ERROR 42703 at 45: column "nope" does not exist

CREATE TABLE n1 (a int GENERATED ALWAYS AS ('x') STORED)
----
ERROR 22P02 at 45: invalid input syntax for type integer: "x"

CREATE TABLE n1 (LIKE t INCLUDING ALL, z int)
----
OK

CREATE TABLE n1 (LIKE nope)
----
ERROR 42P01 at 23: relation "nope" does not exist

CREATE TABLE n1 (LIKE t, a int)
----
ERROR 42701: column "a" specified more than once

CREATE TABLE n1 (a text COLLATE "C", b text COLLATE "nope")
----
ERROR 42704 at 45: collation "nope" for encoding "UTF8" does not exist

CREATE TABLE n1 (a int COLLATE "C")
----
ERROR 42804 at 24: collations are not supported by type integer

CREATE TABLE n1 ()
----
OK

CREATE TABLE n1 AS SELECT a, b AS bb FROM t
----
OK

CREATE TABLE n1 (x, y) AS SELECT a, b FROM t
----
OK

CREATE TABLE n1 (x, y, z) AS SELECT a, b FROM t
----
ERROR 42601: too many column names were specified

CREATE TABLE n1 AS SELECT a, a FROM t
----
ERROR 42701: column "a" specified more than once

CREATE TABLE n1 AS SELECT a FROM t WITH NO DATA
----
OK

CREATE TABLE n1 AS SELECT nope FROM t
----
ERROR 42703 at 27: column "nope" does not exist

SELECT a INTO n1 FROM t
----
OK

CREATE TEMP TABLE n1 (a int)
----
OK

CREATE TABLE pg_temp.n1 (a int)
----
OK

CREATE TABLE pg_catalog.n1 (a int)
----
ERROR 42501: permission denied to create "pg_catalog.n1"
DETAIL: System catalog modifications are currently disallowed.

CREATE TABLE n1 (a int) USING heap
----
OK

CREATE TABLE n1 (a int) USING nope
----
ERROR 42704: access method "nope" does not exist

CREATE TABLE n1 (a int) WITH (fillfactor = 70)
----
OK

CREATE VIEW v1 AS SELECT a, b FROM t
----
OK

CREATE VIEW v1 (x) AS SELECT a, b FROM t
----
OK

CREATE VIEW v1 (x, y, z) AS SELECT a, b FROM t
----
ERROR 42601: CREATE VIEW specifies more column names than columns

CREATE VIEW v1 AS SELECT a, a FROM t
----
ERROR 42701: column "a" specified more than once

CREATE VIEW v1 AS SELECT nope FROM t
----
ERROR 42703 at 26: column "nope" does not exist

-- differs: found when it runs
CREATE VIEW vw AS SELECT 1
----
OK

CREATE OR REPLACE VIEW vw AS SELECT a, b, c FROM t
----
OK

CREATE VIEW v1 AS SELECT $1
----
ERROR 42P02 at 26: there is no parameter $1

CREATE INDEX ON t (c)
----
OK

CREATE INDEX i1 ON t (c, lower(b) DESC NULLS LAST) INCLUDE (a) WHERE c > 1
----
OK

CREATE UNIQUE INDEX i1 ON t (c)
----
OK

CREATE INDEX ON t (nope)
----
ERROR 42703: column "nope" does not exist

CREATE INDEX ON nope (a)
----
ERROR 42P01: relation "nope" does not exist

CREATE INDEX ON t ((nope))
----
ERROR 42703 at 21: column "nope" does not exist

CREATE INDEX ON t ((random()))
----
ERROR 42P17: functions in index expression must be marked IMMUTABLE

CREATE INDEX ON t (c) WHERE nope
----
ERROR 42703 at 29: column "nope" does not exist

CREATE INDEX ON t (c) WHERE c
----
ERROR 42804 at 29: argument of WHERE must be type boolean, not type numeric

CREATE INDEX ON t ((sum(c)))
----
ERROR 42803 at 21: aggregate functions are not allowed in index expressions

CREATE INDEX ON t USING nope (c)
----
ERROR 42704: access method "nope" does not exist

-- differs: found when it runs
CREATE INDEX u_x ON u (y)
----
OK

CREATE INDEX IF NOT EXISTS u_x ON u (y)
----
OK

CREATE INDEX ON vw (a)
----
ERROR 42809: cannot create index on relation "vw"
DETAIL: This operation is not supported for views.

CREATE SCHEMA s1
----
OK

-- differs: found when it runs
CREATE SCHEMA sc
----
OK

CREATE SCHEMA IF NOT EXISTS sc
----
OK

CREATE SCHEMA pg_x
----
ERROR 42939: unacceptable schema name "pg_x"
DETAIL: The prefix "pg_" is reserved for system schemas.

CREATE SEQUENCE s1
----
OK

CREATE SEQUENCE s1 START 5 INCREMENT -1
----
ERROR 22023: START value (5) cannot be greater than MAXVALUE (-1)

CREATE SEQUENCE s1 INCREMENT 0
----
ERROR 22023: INCREMENT must not be zero

CREATE SEQUENCE s1 MINVALUE 10 MAXVALUE 5
----
ERROR 22023: MINVALUE (10) must be less than MAXVALUE (5)

CREATE SEQUENCE s1 START 0
----
ERROR 22023: START value (0) cannot be less than MINVALUE (1)

CREATE SEQUENCE s1 AS smallint MAXVALUE 100000
----
ERROR 22023: MAXVALUE (100000) is out of range for sequence data type smallint

CREATE SEQUENCE s1 AS text
----
ERROR 22023: sequence type must be smallint, integer, or bigint

CREATE SEQUENCE s1 CACHE 0
----
ERROR 22023: CACHE (0) must be greater than zero

CREATE SEQUENCE s1 OWNED BY t.a
----
OK

CREATE SEQUENCE s1 OWNED BY t.nope
----
ERROR 42703: column "nope" of relation "t" does not exist

CREATE SEQUENCE s1 START 1 START 2
----
ERROR 42601 at 28: conflicting or redundant options

CREATE TYPE e1 AS ENUM ('a', 'b')
----
OK

-- differs: PostgreSQL shows its catalog here
CREATE TYPE e1 AS ENUM ('a', 'a')
----
ERROR 42710: enum label "a" used more than once

CREATE TYPE mood AS ENUM ('a')
----
ERROR 42710: type "mood" already exists

CREATE TYPE c1 AS (a int, b text)
----
OK

CREATE TYPE c1 AS (a int, a text)
----
ERROR 42701: column "a" specified more than once

CREATE TYPE c1 AS (a nope)
----
ERROR 42704: type "nope" does not exist

CREATE DOMAIN d1 AS int NOT NULL DEFAULT 1 CHECK (VALUE < 10)
----
OK

CREATE DOMAIN d1 AS nope
----
ERROR 42704: type "nope" does not exist

CREATE DOMAIN d1 AS int CHECK (VALUE)
----
ERROR 42804: argument of CHECK must be type boolean, not type integer

CREATE DOMAIN d1 AS int CHECK (nope > 0)
----
ERROR 42703: column "nope" does not exist

DROP TABLE u
----
OK

DROP TABLE nope
----
ERROR 42P01: table "nope" does not exist

DROP TABLE IF EXISTS nope
----
OK

DROP TABLE vw
----
ERROR 42809: "vw" is not a table
HINT: Use DROP VIEW to remove a view.

DROP VIEW u
----
ERROR 42809: "u" is not a view
HINT: Use DROP TABLE to remove a table.

DROP VIEW vw
----
OK

DROP TABLE u_x
----
ERROR 42809: "u_x" is not a table
HINT: Use DROP INDEX to remove an index.

DROP INDEX u_x
----
OK

DROP INDEX nope
----
ERROR 42704: index "nope" does not exist

DROP INDEX t_pkey
----
ERROR 2BP01: cannot drop index t_pkey because constraint t_pkey on table t requires it
HINT: You can drop constraint t_pkey on table t instead.

DROP INDEX u
----
ERROR 42809: "u" is not an index
HINT: Use DROP TABLE to remove a table.

DROP SCHEMA sc
----
OK

DROP SCHEMA nope
----
ERROR 3F000: schema "nope" does not exist

DROP SEQUENCE sq
----
OK

DROP SEQUENCE t
----
ERROR 42809: "t" is not a sequence
HINT: Use DROP TABLE to remove a table.

DROP TYPE pair
----
OK

DROP TYPE nope
----
ERROR 42704: type "nope" does not exist

DROP TYPE t
----
ERROR 2BP01: cannot drop type t because table t requires it
HINT: You can drop table t instead.

DROP TYPE int4
----
ERROR 2BP01: cannot drop type integer because it is required by the database system

DROP DOMAIN posint
----
OK

DROP DOMAIN mood
----
ERROR 42809: "mood" is not a domain

DROP TABLE nosuch.t
----
ERROR 3F000: schema "nosuch" does not exist

DROP TABLE IF EXISTS nosuch.t
----
OK

DROP FUNCTION nope(int)
----
ERROR 42883: function nope(integer) does not exist

DROP FUNCTION IF EXISTS nope(int, text)
----
OK

TRUNCATE u
----
OK

TRUNCATE nope
----
ERROR 42P01: relation "nope" does not exist

TRUNCATE vw
----
ERROR 42809: "vw" is not a table

ALTER TABLE u ADD COLUMN z int
----
OK

ALTER TABLE u ADD COLUMN z int DEFAULT 5 NOT NULL CHECK (z > 0)
----
OK

ALTER TABLE u ADD COLUMN z serial
----
OK

ALTER TABLE u ADD COLUMN x int
----
ERROR 42701: column "x" of relation "u" already exists

ALTER TABLE u ADD COLUMN IF NOT EXISTS x int
----
OK

ALTER TABLE u ADD COLUMN z nope
----
ERROR 42704 at 28: type "nope" does not exist

ALTER TABLE u ADD COLUMN z int DEFAULT 'q'
----
ERROR 22P02: invalid input syntax for type integer: "q"

ALTER TABLE u DROP COLUMN x
----
OK

ALTER TABLE u DROP COLUMN nope
----
ERROR 42703: column "nope" of relation "u" does not exist

ALTER TABLE u DROP COLUMN IF EXISTS nope
----
OK

ALTER TABLE u ALTER COLUMN x TYPE varchar(5)
----
OK

ALTER TABLE u ALTER COLUMN y TYPE text
----
OK

ALTER TABLE u ALTER COLUMN x TYPE int
----
ERROR 42804: column "x" cannot be cast automatically to type integer
HINT: You might need to specify "USING x::integer".

ALTER TABLE u ALTER COLUMN x TYPE int USING x::int
----
OK

ALTER TABLE u ALTER COLUMN x TYPE int USING x
----
ERROR 42804: result of USING clause for column "x" cannot be cast automatically to type integer
HINT: You might need to add an explicit cast.

ALTER TABLE u ALTER COLUMN nope TYPE int
----
ERROR 42703: column "nope" of relation "u" does not exist

ALTER TABLE u ALTER COLUMN x SET DEFAULT 'z'
----
OK

ALTER TABLE u ALTER COLUMN y SET DEFAULT 'z'
----
ERROR 22P02: invalid input syntax for type integer: "z"

ALTER TABLE u ALTER COLUMN x DROP DEFAULT
----
OK

ALTER TABLE u ALTER COLUMN x SET NOT NULL
----
OK

ALTER TABLE t ALTER COLUMN a DROP NOT NULL
----
ERROR 42P16: column "a" is in a primary key

ALTER TABLE u ADD CONSTRAINT ck CHECK (y > 0)
----
OK

ALTER TABLE u ADD CONSTRAINT ck CHECK (nope > 0)
----
ERROR 42703: column "nope" does not exist

ALTER TABLE u ADD PRIMARY KEY (a)
----
OK

ALTER TABLE t ADD PRIMARY KEY (b)
----
ERROR 42P16: multiple primary keys for table "t" are not allowed

ALTER TABLE u ADD UNIQUE (x)
----
OK

ALTER TABLE u ADD FOREIGN KEY (a) REFERENCES t
----
OK

ALTER TABLE u ADD FOREIGN KEY (a) REFERENCES nope
----
ERROR 42P01: relation "nope" does not exist

ALTER TABLE t ADD CONSTRAINT t_c CHECK (c > 1)
----
ERROR 42710: constraint "t_c" for relation "t" already exists

ALTER TABLE t DROP CONSTRAINT t_c
----
OK

ALTER TABLE t DROP CONSTRAINT nope
----
ERROR 42704: constraint "nope" of relation "t" does not exist

ALTER TABLE t DROP CONSTRAINT IF EXISTS nope
----
OK

ALTER TABLE u RENAME TO u2
----
OK

ALTER TABLE u RENAME COLUMN x TO z
----
OK

ALTER TABLE u RENAME COLUMN nope TO z
----
ERROR 42703: column "nope" does not exist

ALTER TABLE u RENAME COLUMN x TO y
----
ERROR 42701: column "y" of relation "u" already exists

ALTER TABLE t RENAME CONSTRAINT t_c TO t_d
----
OK

ALTER TABLE t RENAME CONSTRAINT nope TO t_d
----
ERROR 42704: constraint "nope" for table "t" does not exist

ALTER TABLE nope ADD COLUMN z int
----
ERROR 42P01: relation "nope" does not exist

ALTER TABLE IF EXISTS nope ADD COLUMN z int
----
OK

ALTER TABLE u SET SCHEMA sc
----
OK

ALTER TABLE u SET SCHEMA nope
----
ERROR 3F000: schema "nope" does not exist

ALTER TABLE u ALTER COLUMN y ADD GENERATED ALWAYS AS IDENTITY
----
ERROR 55000: column "y" of relation "u" must be declared NOT NULL before identity can be added

ALTER TABLE u ALTER COLUMN y DROP IDENTITY
----
ERROR 55000: column "y" of relation "u" is not an identity column

ALTER VIEW vw RENAME TO vw2
----
OK

ALTER VIEW u RENAME TO vw2
----
ERROR 42809: "u" is not a view

ALTER INDEX u_x RENAME TO u_z
----
OK

ALTER INDEX nope RENAME TO u_z
----
ERROR 42P01: relation "nope" does not exist

ALTER SEQUENCE sq RESTART WITH 5
----
OK

ALTER SEQUENCE nope RESTART
----
ERROR 42P01: relation "nope" does not exist

ALTER SEQUENCE sq INCREMENT 0
----
ERROR 22023: INCREMENT must not be zero

ALTER TYPE mood ADD VALUE 'meh' BEFORE 'ok'
----
OK

ALTER TYPE mood ADD VALUE 'ok'
----
ERROR 42710: enum label "ok" already exists

ALTER TYPE mood ADD VALUE 'meh' AFTER 'nope'
----
ERROR 22023: "nope" is not an existing enum label

ALTER TYPE mood RENAME VALUE 'ok' TO 'fine'
----
OK

ALTER TYPE mood RENAME VALUE 'nope' TO 'fine'
----
ERROR 22023: "nope" is not an existing enum label

COMMENT ON TABLE u IS 'x'
----
OK

COMMENT ON COLUMN u.x IS 'x'
----
OK

COMMENT ON COLUMN u.nope IS 'x'
----
ERROR 42703: column "nope" of relation "u" does not exist

COMMENT ON TABLE nope IS 'x'
----
ERROR 42P01: relation "nope" does not exist

BEGIN
----
OK

SAVEPOINT x
----
OK

SET search_path = public, sc
----
OK

SET TIME ZONE 'UTC'
----
OK

SET TIME ZONE INTERVAL '1' HOUR
----
OK

SHOW search_path
----
OK

RESET search_path
----
OK

EXPLAIN SELECT * FROM t
----
OK

EXPLAIN (COSTS off, FORMAT json) SELECT * FROM t
----
OK

EXPLAIN (NOPE) SELECT 1
----
ERROR 42601 at 10: unrecognized EXPLAIN option "nope"

EXPLAIN (FORMAT nope) SELECT 1
----
ERROR 22023 at 10: unrecognized value for EXPLAIN option "format": "nope"

EXPLAIN (TIMING) SELECT 1
----
ERROR 22023: EXPLAIN option TIMING requires ANALYZE

EXPLAIN (COSTS maybe) SELECT 1
----
ERROR 42601: costs requires a Boolean value

PREPARE p AS SELECT $1 + 1
----
OK

PREPARE p (text) AS SELECT $1 + 1
----
ERROR 42883 at 31: operator does not exist: text + integer
HINT: No operator matches the given name and argument types. You might need to add explicit type casts.

PREPARE p AS SELECT $1
----
OK

PREPARE p (int, nope) AS SELECT $1
----
ERROR 42704 at 17: type "nope" does not exist

EXECUTE nope
----
ERROR 26000: prepared statement "nope" does not exist

EXECUTE nope(1)
----
ERROR 26000: prepared statement "nope" does not exist

DECLARE c CURSOR FOR SELECT 1
----
OK

DECLARE c SCROLL CURSOR FOR SELECT * FROM t FOR UPDATE
----
ERROR 0A000: DECLARE SCROLL CURSOR ... FOR UPDATE is not supported
DETAIL: Scrollable cursors must be READ ONLY.

DECLARE c CURSOR FOR SELECT nope
----
ERROR 42703 at 29: column "nope" does not exist

COPY u TO STDOUT
----
OK

COPY nope TO STDOUT
----
ERROR 42P01: relation "nope" does not exist

COPY u (nope) TO STDOUT
----
ERROR 42703: column "nope" of relation "u" does not exist

COPY vw TO STDOUT
----
ERROR 42809: cannot copy from view "vw"
HINT: Try the COPY (SELECT ...) TO variant.

COPY (SELECT a FROM t) TO STDOUT WITH (FORMAT csv, HEADER)
----
OK

COPY (SELECT nope FROM t) TO STDOUT
----
ERROR 42703 at 14: column "nope" does not exist

COPY u TO STDOUT WITH (FORMAT nope)
----
ERROR 22023 at 24: COPY format "nope" not recognized

COPY u TO STDOUT WITH (NOPE)
----
ERROR 42601 at 24: option "nope" not recognized

COPY u TO STDOUT WITH (DELIMITER 'ab')
----
ERROR 0A000: COPY delimiter must be a single one-byte character

COPY u TO STDOUT WITH (QUOTE 'x')
----
ERROR 0A000: COPY quote available only in CSV mode

COPY u TO STDOUT (FORMAT csv, QUOTE 'ab')
----
ERROR 0A000: COPY quote must be a single one-byte character

COPY u TO STDOUT (FORMAT binary, DELIMITER ',')
----
ERROR 42601: cannot specify DELIMITER in BINARY mode

COPY u TO STDOUT (FORMAT csv, FORCE_QUOTE (nope))
----
ERROR 42703: column "nope" of relation "u" does not exist

LOCK TABLE u
----
OK

LOCK TABLE nope
----
ERROR 42P01: relation "nope" does not exist

LISTEN x
----
OK

NOTIFY x, 'y'
----
OK

DISCARD PLANS
----
OK

GRANT SELECT ON t TO public
----
OK

GRANT SELECT ON nope TO public
----
ERROR 42P01: relation "nope" does not exist

GRANT SELECT ON t TO nope
----
ERROR 42704: role "nope" does not exist

CREATE ROLE pg_x
----
ERROR 42939: role name "pg_x" is reserved
DETAIL: Role names starting with "pg_" are reserved.

ANALYZE u
----
OK

ANALYZE nope
----
ERROR 42P01: relation "nope" does not exist

REINDEX TABLE u
----
OK

REINDEX INDEX nope
----
ERROR 42P01: relation "nope" does not exist
