"""psycopg2: adaptation, named cursors, copy_expert, notifications, execute_values, errors with diagnostics."""

import datetime as dt
import decimal
import io
import json
import select
import uuid

import psycopg2
import psycopg2.extensions as ext
import psycopg2.extras as extras

from check import Suite

S = Suite("psycopg2")


def fresh():
    return psycopg2.connect(S.dsn)


def one(cur, q, a=None):
    cur.execute(q, a)
    return cur.fetchone()[0]


def setup():
    with fresh() as c, c.cursor() as cur:
        cur.execute("DROP SCHEMA IF EXISTS p2 CASCADE; CREATE SCHEMA p2; CREATE TABLE p2.t (id serial PRIMARY KEY, a int, b text, j jsonb)")
        cur.execute("INSERT INTO p2.t (a, b) SELECT g, 'b' || g FROM generate_series(1, 50) g")


def values():
    extras.register_uuid()
    with fresh() as c, c.cursor() as cur:
        for typ, val in [
            ("bool", True), ("int8", 2**62), ("float8", 0.1), ("numeric", decimal.Decimal("1.10")), ("text", "ünï'\\"), ("date", dt.date(1999, 12, 31)),
            ("time", dt.time(1, 2, 3)), ("timestamp", dt.datetime(2000, 1, 1, 0, 0, 0, 1)), ("interval", dt.timedelta(1, 2)), ("int[]", [1, 2, None]),
            ("text[]", ["x", 'q"'] ), ("uuid", uuid.UUID(int=5)), ("date[]", [dt.date(2020, 1, 1)]),
        ]:
            S.eq(typ, one(cur, f"SELECT %s::{typ}", (val,)), val)
        S.eq("jsonb", one(cur, "SELECT %s::jsonb", (extras.Json({"a": [1, 2]}),)), {"a": [1, 2]})
        S.eq("bytea", bytes(one(cur, "SELECT %s::bytea", (psycopg2.Binary(b"\x00\xfe"),))), b"\x00\xfe")
        S.eq("timestamptz", one(cur, "SELECT '2024-01-01 10:00:00+02'::timestamptz").astimezone(dt.timezone.utc).hour, 8)
        S.eq("IN", one(cur, "SELECT count(*) FROM p2.t WHERE a IN %s", ((1, 2, 3),)), 3)
        S.eq("range", one(cur, "SELECT int4range(1, 5)").upper, 5)
        S.eq("named", one(cur, "SELECT %(x)s + %(x)s", {"x": 4}), 8)
        S.eq("mogrify", cur.mogrify("SELECT %s, %s", ("it's", None)), b"SELECT 'it''s', NULL")


def cursors():
    with fresh() as c:
        with c.cursor("named") as cur:
            cur.itersize = 8
            cur.execute("SELECT a FROM p2.t ORDER BY a")
            S.eq("named cursor", sum(r[0] for r in cur), 1275)
        with c.cursor("scroll", scrollable=True, withhold=True) as cur:
            cur.execute("SELECT a FROM p2.t ORDER BY a")
            cur.scroll(10)
            S.eq("scroll", cur.fetchone()[0], 11)
            c.commit()
            S.eq("withhold", cur.fetchone()[0], 12)
        with c.cursor(cursor_factory=extras.RealDictCursor) as cur:
            cur.execute("SELECT a, b FROM p2.t WHERE a = 3")
            S.eq("dict", dict(cur.fetchone()), {"a": 3, "b": "b3"})
        with c.cursor(cursor_factory=extras.NamedTupleCursor) as cur:
            cur.execute("SELECT a, b FROM p2.t WHERE a = 3")
            S.eq("tuple", cur.fetchone().b, "b3")
        with c.cursor() as cur:
            cur.execute("SELECT a, b FROM p2.t LIMIT 1")
            S.eq("description", [(d.name, d.type_code) for d in cur.description], [("a", 23), ("b", 25)])
            S.eq("table_oid", [d.table_column for d in cur.description], [2, 3])
            extras.execute_values(cur, "INSERT INTO p2.t (a, b) VALUES %s", [(i, "v") for i in range(1000, 1250)], page_size=100)
            S.eq("execute_values", one(cur, "SELECT count(*) FROM p2.t WHERE a >= 1000"), 250)
            S.eq("returning", extras.execute_values(cur, "INSERT INTO p2.t (a) VALUES %s RETURNING a", [(1,), (2,)], fetch=True), [(1,), (2,)])
            extras.execute_batch(cur, "UPDATE p2.t SET b = %s WHERE a = %s", [("x", 1000), ("y", 1001)])
            S.eq("execute_batch", one(cur, "SELECT string_agg(b, ',' ORDER BY a) FROM p2.t WHERE a IN (1000, 1001)"), "x,y")
            c.rollback()


def copies():
    with fresh() as c, c.cursor() as cur:
        cur.execute("CREATE TEMP TABLE cp (a int, b text)")
        cur.copy_from(io.StringIO("1\tone\n2\t\\N\n"), "cp")
        cur.copy_expert("COPY cp FROM STDIN (FORMAT csv, NULL 'nil')", io.StringIO('3,"a,b"\n4,nil\n'))
        S.eq("rowcount", cur.rowcount, 2)
        out = io.StringIO()
        cur.copy_expert("COPY (SELECT * FROM cp ORDER BY a) TO STDOUT (FORMAT csv)", out)
        S.eq("copy out", out.getvalue(), '1,one\n2,\n3,"a,b"\n4,\n')
        out = io.StringIO()
        cur.copy_to(out, "cp", columns=("b",), null="-")
        S.eq("copy_to", out.getvalue(), "one\n-\na,b\n-\n")


def notifications():
    c, d = fresh(), fresh()
    for x in (c, d):
        x.set_isolation_level(ext.ISOLATION_LEVEL_AUTOCOMMIT)
    c.cursor().execute("LISTEN p2")
    d.cursor().execute("NOTIFY p2, 'hello'")
    select.select([c], [], [], 5)
    c.poll()
    S.eq("notify", [(n.channel, n.payload, n.pid) for n in c.notifies], [("p2", "hello", d.get_backend_pid())])
    c.cursor().execute("DROP TABLE IF EXISTS p2.no")
    S.eq("notices", c.notices, ['NOTICE:  table "no" does not exist, skipping\n'])


def errors():
    with fresh() as c, c.cursor() as cur:
        for code, q in [("42P01", "SELECT * FROM nope"), ("22012", "SELECT 1/0"), ("23505", "INSERT INTO p2.t (id) VALUES (1)"), ("42883", "SELECT nofn(1)"),
                        ("22003", "SELECT 2147483648::int4"), ("42804", "SELECT CASE WHEN true THEN 1 ELSE now() END"), ("22008", "SELECT '2024-02-31'::date")]:
            S.raises(q, code, cur.execute, q)
            c.rollback()
        try:
            cur.execute("SELECT *\nFROM nope")
        except psycopg2.Error as e:
            S.eq("pgerror", e.pgerror, 'ERROR:  relation "nope" does not exist\nLINE 2: FROM nope\n             ^\n')
        S.raises("aborted", "25P02", cur.execute, "SELECT 1")
        S.eq("status", c.get_transaction_status(), ext.TRANSACTION_STATUS_INERROR)


def sessions():
    c = fresh()
    c.set_session(isolation_level="REPEATABLE READ", readonly=True)
    cur = c.cursor()
    S.eq("isolation", one(cur, "SHOW transaction_isolation"), "repeatable read")
    S.raises("readonly", "25006", cur.execute, "DELETE FROM p2.t")
    c.rollback()
    S.eq("encoding", c.encoding, "UTF8")
    S.eq("version", c.server_version // 10000, 15)
    S.eq("parameter", c.get_parameter_status("standard_conforming_strings"), "on")
    c.set_session(readonly=False)
    cur.execute("SET TIME ZONE 'Asia/Tokyo'")
    S.eq("timezone", one(cur, "SELECT '2024-01-01 00:00:00+00'::timestamptz").isoformat(), "2024-01-01T09:00:00+09:00")
    cur.execute("SELECT 1; SELECT 2")
    S.eq("last result", cur.fetchone(), (2,))
    S.eq("json text", json.loads(one(cur, "SELECT json_build_object('a', 1)::text")), {"a": 1})
    c.close()


for f in (setup, values, cursors, copies, notifications, errors, sessions):
    S.part(f)
S.done()
