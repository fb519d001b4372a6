-- What describe.sh describes and dump.sh dumps.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS pq CASCADE;
CREATE SCHEMA pq;
SET search_path = pq;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN pos AS int DEFAULT 1 NOT NULL CHECK (VALUE > 0);
CREATE TYPE comp AS (a int, b text);
CREATE TYPE span AS RANGE (SUBTYPE = float8);
CREATE TABLE dept (id serial PRIMARY KEY, name varchar(20) NOT NULL UNIQUE, boss int);
COMMENT ON TABLE dept IS 'departments';
COMMENT ON COLUMN dept.name IS 'its name';
CREATE TABLE emp (
  id int GENERATED ALWAYS AS IDENTITY, dept_id int NOT NULL REFERENCES dept (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, name text COLLATE "C" DEFAULT 'x'::text,
  sal numeric(8,2) CHECK (sal > 0), m mood DEFAULT 'ok', p pos, c comp, tags text[], j jsonb, at timestamptz DEFAULT now(), total numeric GENERATED ALWAYS AS (sal * 2) STORED,
  CONSTRAINT emp_pk PRIMARY KEY (id), CONSTRAINT two UNIQUE (dept_id, name));
ALTER TABLE dept ADD FOREIGN KEY (boss) REFERENCES emp (id);
CREATE INDEX emp_lower ON emp (lower(name)) WHERE sal > 10;
CREATE INDEX ON emp USING gin (j);
CREATE UNIQUE INDEX emp_inc ON emp (name DESC NULLS LAST) INCLUDE (sal);
CREATE INDEX ON emp USING hash (name);
CREATE VIEW v AS SELECT e.id, d.name FROM emp e JOIN dept d ON d.id = e.dept_id;
COMMENT ON VIEW v IS 'a view';
CREATE MATERIALIZED VIEW mv AS SELECT count(*) AS n FROM emp;
CREATE UNIQUE INDEX ON mv (n);
CREATE SEQUENCE sq START 5 INCREMENT 2 MAXVALUE 100 CYCLE;
CREATE SEQUENCE sq2 AS smallint OWNED BY emp.name;
CREATE TABLE counted (n int DEFAULT nextval('sq'));
CREATE FUNCTION f(a int, b text DEFAULT 'x', VARIADIC c int[] DEFAULT '{}') RETURNS int LANGUAGE sql IMMUTABLE STRICT AS 'SELECT 1';
CREATE FUNCTION g(OUT a int, OUT b text) RETURNS SETOF record LANGUAGE sql AS $$SELECT 1, 'x'$$;
CREATE PROCEDURE pr(IN a int, INOUT b int) LANGUAGE plpgsql AS 'BEGIN b := a; END';
COMMENT ON FUNCTION f IS 'eff';
CREATE TABLE ref (a int, b int, PRIMARY KEY (a, b), CHECK (a < b));
CREATE TABLE ref2 (a int, b int, FOREIGN KEY (a, b) REFERENCES ref MATCH FULL ON UPDATE SET NULL ON DELETE SET DEFAULT);
GRANT SELECT ON emp TO public;
GRANT SELECT (id), UPDATE (name) ON dept TO public;
GRANT USAGE ON SCHEMA pq TO public;
ALTER DEFAULT PRIVILEGES IN SCHEMA pq GRANT SELECT ON TABLES TO public;
INSERT INTO dept (name) VALUES ('a'), (E'b\tc\n'), ('ü');
INSERT INTO emp (dept_id, name, sal, m, p, c, tags, j, at)
  SELECT 1 + g % 3, 'n' || g, g * 1.5, 'sad', g, ROW(g, 'x"y')::comp, ARRAY['a', NULL, 'b "c'], json_build_object('g', g), '2024-01-01 00:00:00+00'::timestamptz + g * interval '1h' FROM generate_series(1, 20) g;
REFRESH MATERIALIZED VIEW mv;
INSERT INTO counted DEFAULT VALUES;
CREATE TABLE types (a bool, b bytea, c "char", d char(3), e date, f float4, g float8, h inet, i cidr, k interval, l jsonb, n macaddr, o time, p timetz, q timestamp, r uuid, s varbit, t bit(3), u int4range, v tsvector, w xml, x int8multirange, y numeric, z text[]);
INSERT INTO types VALUES (true, '\x00ff', 'x', 'ab', '2024-02-29', 1.5, 'NaN', '::1/64', '10.0.0.0/8', '1 mon 2 days 03:04:05.6', '{"a": [1, null]}', '08:00:2b:01:02:03', '12:00', '12:00+02', '2024-02-29 12:00:00.123456', '00112233-4455-6677-8899-aabbccddeeff', '101', '011', '[1,5)', 'a:1 b:2', '<a/>', '{[1,2),[5,7)}', 1e-10, '{{a,b},{c,NULL}}'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE VIEW a_view AS SELECT * FROM v;
CREATE FUNCTION a_emp() RETURNS SETOF emp LANGUAGE sql AS 'SELECT * FROM pq.emp';
CREATE TYPE a_comp AS (c comp, p pos[], s span);
CREATE DOMAIN a_domain AS mood;
