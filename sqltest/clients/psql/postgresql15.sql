--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: pq; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA pq;


ALTER SCHEMA pq OWNER TO postgres;

--
-- Name: comp; Type: TYPE; Schema: pq; Owner: postgres
--

CREATE TYPE pq.comp AS (
	a integer,
	b text
);


ALTER TYPE pq.comp OWNER TO postgres;

--
-- Name: pos; Type: DOMAIN; Schema: pq; Owner: postgres
--

CREATE DOMAIN pq.pos AS integer NOT NULL DEFAULT 1
	CONSTRAINT pos_check CHECK ((VALUE > 0));


ALTER DOMAIN pq.pos OWNER TO postgres;

--
-- Name: span; Type: TYPE; Schema: pq; Owner: postgres
--

CREATE TYPE pq.span AS RANGE (
    subtype = double precision,
    multirange_type_name = pq.span_multirange
);


ALTER TYPE pq.span OWNER TO postgres;

--
-- Name: a_comp; Type: TYPE; Schema: pq; Owner: postgres
--

CREATE TYPE pq.a_comp AS (
	c pq.comp,
	p pq.pos[],
	s pq.span
);


ALTER TYPE pq.a_comp OWNER TO postgres;

--
-- Name: mood; Type: TYPE; Schema: pq; Owner: postgres
--

CREATE TYPE pq.mood AS ENUM (
    'sad',
    'ok'
);


ALTER TYPE pq.mood OWNER TO postgres;

--
-- Name: a_domain; Type: DOMAIN; Schema: pq; Owner: postgres
--

CREATE DOMAIN pq.a_domain AS pq.mood;


ALTER DOMAIN pq.a_domain OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: emp; Type: TABLE; Schema: pq; Owner: postgres
--

CREATE TABLE pq.emp (
    id integer NOT NULL,
    dept_id integer NOT NULL,
    name text DEFAULT 'x'::text COLLATE pg_catalog."C",
    sal numeric(8,2),
    m pq.mood DEFAULT 'ok'::pq.mood,
    p pq.pos,
    c pq.comp,
    tags text[],
    j jsonb,
    at timestamp with time zone DEFAULT now(),
    total numeric GENERATED ALWAYS AS ((sal * (2)::numeric)) STORED,
    CONSTRAINT emp_sal_check CHECK ((sal > (0)::numeric))
);


ALTER TABLE pq.emp OWNER TO postgres;

--
-- Name: a_emp(); Type: FUNCTION; Schema: pq; Owner: postgres
--

CREATE FUNCTION pq.a_emp() RETURNS SETOF pq.emp
    LANGUAGE sql
    AS $$SELECT * FROM pq.emp$$;


ALTER FUNCTION pq.a_emp() OWNER TO postgres;

--
-- Name: f(integer, text, integer[]); Type: FUNCTION; Schema: pq; Owner: postgres
--

CREATE FUNCTION pq.f(a integer, b text DEFAULT 'x'::text, VARIADIC c integer[] DEFAULT '{}'::integer[]) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT
    AS $$SELECT 1$$;


ALTER FUNCTION pq.f(a integer, b text, VARIADIC c integer[]) OWNER TO postgres;

--
-- Name: FUNCTION f(a integer, b text, VARIADIC c integer[]); Type: COMMENT; Schema: pq; Owner: postgres
--

COMMENT ON FUNCTION pq.f(a integer, b text, VARIADIC c integer[]) IS 'eff';


--
-- Name: g(); Type: FUNCTION; Schema: pq; Owner: postgres
--

CREATE FUNCTION pq.g(OUT a integer, OUT b text) RETURNS SETOF record
    LANGUAGE sql
    AS $$SELECT 1, 'x'$$;


ALTER FUNCTION pq.g(OUT a integer, OUT b text) OWNER TO postgres;

--
-- Name: pr(integer, integer); Type: PROCEDURE; Schema: pq; Owner: postgres
--

CREATE PROCEDURE pq.pr(IN a integer, INOUT b integer)
    LANGUAGE plpgsql
    AS $$BEGIN b := a; END$$;


ALTER PROCEDURE pq.pr(IN a integer, INOUT b integer) OWNER TO postgres;

--
-- Name: dept; Type: TABLE; Schema: pq; Owner: postgres
--

CREATE TABLE pq.dept (
    id integer NOT NULL,
    name character varying(20) NOT NULL,
    boss integer
);


ALTER TABLE pq.dept OWNER TO postgres;

--
-- Name: TABLE dept; Type: COMMENT; Schema: pq; Owner: postgres
--

COMMENT ON TABLE pq.dept IS 'departments';


--
-- Name: COLUMN dept.name; Type: COMMENT; Schema: pq; Owner: postgres
--

COMMENT ON COLUMN pq.dept.name IS 'its name';


--
-- Name: v; Type: VIEW; Schema: pq; Owner: postgres
--

CREATE VIEW pq.v AS
 SELECT e.id,
    d.name
   FROM (pq.emp e
     JOIN pq.dept d ON ((d.id = e.dept_id)));


ALTER TABLE pq.v OWNER TO postgres;

--
-- Name: VIEW v; Type: COMMENT; Schema: pq; Owner: postgres
--

COMMENT ON VIEW pq.v IS 'a view';


--
-- Name: a_view; Type: VIEW; Schema: pq; Owner: postgres
--

CREATE VIEW pq.a_view AS
 SELECT v.id,
    v.name
   FROM pq.v;


ALTER TABLE pq.a_view OWNER TO postgres;

--
-- Name: sq; Type: SEQUENCE; Schema: pq; Owner: postgres
--

CREATE SEQUENCE pq.sq
    START WITH 5
    INCREMENT BY 2
    NO MINVALUE
    MAXVALUE 100
    CACHE 1
    CYCLE;


ALTER TABLE pq.sq OWNER TO postgres;

--
-- Name: counted; Type: TABLE; Schema: pq; Owner: postgres
--

CREATE TABLE pq.counted (
    n integer DEFAULT nextval('pq.sq'::regclass)
);


ALTER TABLE pq.counted OWNER TO postgres;

--
-- Name: dept_id_seq; Type: SEQUENCE; Schema: pq; Owner: postgres
--

CREATE SEQUENCE pq.dept_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE pq.dept_id_seq OWNER TO postgres;

--
-- Name: dept_id_seq; Type: SEQUENCE OWNED BY; Schema: pq; Owner: postgres
--

ALTER SEQUENCE pq.dept_id_seq OWNED BY pq.dept.id;


--
-- Name: emp_id_seq; Type: SEQUENCE; Schema: pq; Owner: postgres
--

ALTER TABLE pq.emp ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME pq.emp_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: mv; Type: MATERIALIZED VIEW; Schema: pq; Owner: postgres
--

CREATE MATERIALIZED VIEW pq.mv AS
 SELECT count(*) AS n
   FROM pq.emp
  WITH NO DATA;


ALTER TABLE pq.mv OWNER TO postgres;

--
-- Name: ref; Type: TABLE; Schema: pq; Owner: postgres
--

CREATE TABLE pq.ref (
    a integer NOT NULL,
    b integer NOT NULL,
    CONSTRAINT ref_check CHECK ((a < b))
);


ALTER TABLE pq.ref OWNER TO postgres;

--
-- Name: ref2; Type: TABLE; Schema: pq; Owner: postgres
--

CREATE TABLE pq.ref2 (
    a integer,
    b integer
);


ALTER TABLE pq.ref2 OWNER TO postgres;

--
-- Name: sq2; Type: SEQUENCE; Schema: pq; Owner: postgres
--

CREATE SEQUENCE pq.sq2
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE pq.sq2 OWNER TO postgres;

--
-- Name: sq2; Type: SEQUENCE OWNED BY; Schema: pq; Owner: postgres
--

ALTER SEQUENCE pq.sq2 OWNED BY pq.emp.name;


--
-- Name: types; Type: TABLE; Schema: pq; Owner: postgres
--

CREATE TABLE pq.types (
    a boolean,
    b bytea,
    c "char",
    d character(3),
    e date,
    f real,
    g double precision,
    h inet,
    i cidr,
    k interval,
    l jsonb,
    n macaddr,
    o time without time zone,
    p time with time zone,
    q timestamp without time zone,
    r uuid,
    s bit varying,
    t bit(3),
    u int4range,
    v tsvector,
    w xml,
    x int8multirange,
    y numeric,
    z text[]
);


ALTER TABLE pq.types OWNER TO postgres;

--
-- Name: dept id; Type: DEFAULT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.dept ALTER COLUMN id SET DEFAULT nextval('pq.dept_id_seq'::regclass);


--
-- Data for Name: counted; Type: TABLE DATA; Schema: pq; Owner: postgres
--

COPY pq.counted (n) FROM stdin;
5
\.


--
-- Data for Name: dept; Type: TABLE DATA; Schema: pq; Owner: postgres
--

COPY pq.dept (id, name, boss) FROM stdin;
1	a	\N
2	b\tc\n	\N
3	ü	\N
\.


--
-- Data for Name: emp; Type: TABLE DATA; Schema: pq; Owner: postgres
--

COPY pq.emp (id, dept_id, name, sal, m, p, c, tags, j, at) FROM stdin;
1	2	n1	1.50	sad	1	(1,"x""y")	{a,NULL,"b \\"c"}	{"g": 1}	2024-01-01 01:00:00+00
2	3	n2	3.00	sad	2	(2,"x""y")	{a,NULL,"b \\"c"}	{"g": 2}	2024-01-01 02:00:00+00
3	1	n3	4.50	sad	3	(3,"x""y")	{a,NULL,"b \\"c"}	{"g": 3}	2024-01-01 03:00:00+00
4	2	n4	6.00	sad	4	(4,"x""y")	{a,NULL,"b \\"c"}	{"g": 4}	2024-01-01 04:00:00+00
5	3	n5	7.50	sad	5	(5,"x""y")	{a,NULL,"b \\"c"}	{"g": 5}	2024-01-01 05:00:00+00
6	1	n6	9.00	sad	6	(6,"x""y")	{a,NULL,"b \\"c"}	{"g": 6}	2024-01-01 06:00:00+00
7	2	n7	10.50	sad	7	(7,"x""y")	{a,NULL,"b \\"c"}	{"g": 7}	2024-01-01 07:00:00+00
8	3	n8	12.00	sad	8	(8,"x""y")	{a,NULL,"b \\"c"}	{"g": 8}	2024-01-01 08:00:00+00
9	1	n9	13.50	sad	9	(9,"x""y")	{a,NULL,"b \\"c"}	{"g": 9}	2024-01-01 09:00:00+00
10	2	n10	15.00	sad	10	(10,"x""y")	{a,NULL,"b \\"c"}	{"g": 10}	2024-01-01 10:00:00+00
11	3	n11	16.50	sad	11	(11,"x""y")	{a,NULL,"b \\"c"}	{"g": 11}	2024-01-01 11:00:00+00
12	1	n12	18.00	sad	12	(12,"x""y")	{a,NULL,"b \\"c"}	{"g": 12}	2024-01-01 12:00:00+00
13	2	n13	19.50	sad	13	(13,"x""y")	{a,NULL,"b \\"c"}	{"g": 13}	2024-01-01 13:00:00+00
14	3	n14	21.00	sad	14	(14,"x""y")	{a,NULL,"b \\"c"}	{"g": 14}	2024-01-01 14:00:00+00
15	1	n15	22.50	sad	15	(15,"x""y")	{a,NULL,"b \\"c"}	{"g": 15}	2024-01-01 15:00:00+00
16	2	n16	24.00	sad	16	(16,"x""y")	{a,NULL,"b \\"c"}	{"g": 16}	2024-01-01 16:00:00+00
17	3	n17	25.50	sad	17	(17,"x""y")	{a,NULL,"b \\"c"}	{"g": 17}	2024-01-01 17:00:00+00
18	1	n18	27.00	sad	18	(18,"x""y")	{a,NULL,"b \\"c"}	{"g": 18}	2024-01-01 18:00:00+00
19	2	n19	28.50	sad	19	(19,"x""y")	{a,NULL,"b \\"c"}	{"g": 19}	2024-01-01 19:00:00+00
20	3	n20	30.00	sad	20	(20,"x""y")	{a,NULL,"b \\"c"}	{"g": 20}	2024-01-01 20:00:00+00
\.


--
-- Data for Name: ref; Type: TABLE DATA; Schema: pq; Owner: postgres
--

COPY pq.ref (a, b) FROM stdin;
\.


--
-- Data for Name: ref2; Type: TABLE DATA; Schema: pq; Owner: postgres
--

COPY pq.ref2 (a, b) FROM stdin;
\.


--
-- Data for Name: types; Type: TABLE DATA; Schema: pq; Owner: postgres
--

COPY pq.types (a, b, c, d, e, f, g, h, i, k, l, n, o, p, q, r, s, t, u, v, w, x, y, z) FROM stdin;
t	\\x00ff	x	ab 	2024-02-29	1.5	NaN	::1/64	10.0.0.0/8	1 mon 2 days 03:04:05.6	{"a": [1, null]}	08:00:2b:01:02:03	12:00:00	12:00:00+02	2024-02-29 12:00:00.123456	00112233-4455-6677-8899-aabbccddeeff	101	011	[1,5)	'a':1 'b':2	<a/>	{[1,2),[5,7)}	0.0000000001	{{a,b},{c,NULL}}
\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
\.


--
-- Name: dept_id_seq; Type: SEQUENCE SET; Schema: pq; Owner: postgres
--

SELECT pg_catalog.setval('pq.dept_id_seq', 3, true);


--
-- Name: emp_id_seq; Type: SEQUENCE SET; Schema: pq; Owner: postgres
--

SELECT pg_catalog.setval('pq.emp_id_seq', 20, true);


--
-- Name: sq; Type: SEQUENCE SET; Schema: pq; Owner: postgres
--

SELECT pg_catalog.setval('pq.sq', 5, true);


--
-- Name: sq2; Type: SEQUENCE SET; Schema: pq; Owner: postgres
--

SELECT pg_catalog.setval('pq.sq2', 1, false);


--
-- Name: dept dept_name_key; Type: CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.dept
    ADD CONSTRAINT dept_name_key UNIQUE (name);


--
-- Name: dept dept_pkey; Type: CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.dept
    ADD CONSTRAINT dept_pkey PRIMARY KEY (id);


--
-- Name: emp emp_pk; Type: CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.emp
    ADD CONSTRAINT emp_pk PRIMARY KEY (id);


--
-- Name: ref ref_pkey; Type: CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.ref
    ADD CONSTRAINT ref_pkey PRIMARY KEY (a, b);


--
-- Name: emp two; Type: CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.emp
    ADD CONSTRAINT two UNIQUE (dept_id, name);


--
-- Name: emp_inc; Type: INDEX; Schema: pq; Owner: postgres
--

CREATE UNIQUE INDEX emp_inc ON pq.emp USING btree (name DESC NULLS LAST) INCLUDE (sal);


--
-- Name: emp_j_idx; Type: INDEX; Schema: pq; Owner: postgres
--

CREATE INDEX emp_j_idx ON pq.emp USING gin (j);


--
-- Name: emp_lower; Type: INDEX; Schema: pq; Owner: postgres
--

CREATE INDEX emp_lower ON pq.emp USING btree (lower(name)) WHERE (sal > (10)::numeric);


--
-- Name: emp_name_idx; Type: INDEX; Schema: pq; Owner: postgres
--

CREATE INDEX emp_name_idx ON pq.emp USING hash (name);


--
-- Name: mv_n_idx; Type: INDEX; Schema: pq; Owner: postgres
--

CREATE UNIQUE INDEX mv_n_idx ON pq.mv USING btree (n);


--
-- Name: dept dept_boss_fkey; Type: FK CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.dept
    ADD CONSTRAINT dept_boss_fkey FOREIGN KEY (boss) REFERENCES pq.emp(id);


--
-- Name: emp emp_dept_id_fkey; Type: FK CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.emp
    ADD CONSTRAINT emp_dept_id_fkey FOREIGN KEY (dept_id) REFERENCES pq.dept(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: ref2 ref2_a_b_fkey; Type: FK CONSTRAINT; Schema: pq; Owner: postgres
--

ALTER TABLE ONLY pq.ref2
    ADD CONSTRAINT ref2_a_b_fkey FOREIGN KEY (a, b) REFERENCES pq.ref(a, b) MATCH FULL ON UPDATE SET NULL ON DELETE SET DEFAULT;


--
-- Name: SCHEMA pq; Type: ACL; Schema: -; Owner: postgres
--

GRANT USAGE ON SCHEMA pq TO PUBLIC;


--
-- Name: TABLE emp; Type: ACL; Schema: pq; Owner: postgres
--

GRANT SELECT ON TABLE pq.emp TO PUBLIC;


--
-- Name: COLUMN dept.id; Type: ACL; Schema: pq; Owner: postgres
--

GRANT SELECT(id) ON TABLE pq.dept TO PUBLIC;


--
-- Name: COLUMN dept.name; Type: ACL; Schema: pq; Owner: postgres
--

GRANT UPDATE(name) ON TABLE pq.dept TO PUBLIC;


--
-- Name: TABLE a_view; Type: ACL; Schema: pq; Owner: postgres
--

GRANT SELECT ON TABLE pq.a_view TO PUBLIC;


--
-- Name: TABLE types; Type: ACL; Schema: pq; Owner: postgres
--

GRANT SELECT ON TABLE pq.types TO PUBLIC;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: pq; Owner: postgres
--

ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA pq GRANT SELECT ON TABLES  TO PUBLIC;


--
-- Name: mv; Type: MATERIALIZED VIEW DATA; Schema: pq; Owner: postgres
--

REFRESH MATERIALIZED VIEW pq.mv;


--
-- PostgreSQL database dump complete
--


