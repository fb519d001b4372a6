"""psycopg 3: types both ways in text and binary, server cursors, pipelines, COPY, notifications, type lookups, two phases of errors."""

import datetime as dt
import decimal
import ipaddress
import uuid

import psycopg
from psycopg import sql
from psycopg.rows import class_row, dict_row, namedtuple_row
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.enum import EnumInfo, register_enum
from psycopg.types.json import Json, Jsonb
from psycopg.types.range import Range

from check import Suite

S = Suite("psycopg3")


def fresh(**kw):
    return psycopg.connect(S.dsn, **kw)


def setup():
    with fresh(autocommit=True) as c:
        c.execute("DROP SCHEMA IF EXISTS p3 CASCADE")
        c.execute("CREATE SCHEMA p3")
        c.execute("CREATE TABLE p3.t (id int PRIMARY KEY, name text, v numeric)")
        c.execute("INSERT INTO p3.t SELECT g, 'n' || g, g * 1.5 FROM generate_series(1, 100) g")


VALUES = [
    ("bool", True), ("int2", 7), ("int4", -2147483648), ("int8", 9007199254740993), ("float8", 1.5), ("float4", 0.5),
    ("numeric", decimal.Decimal("12345.6780")), ("text", "snow ☃ and 'quotes'"), ("varchar(10)", "short"), ("bytea", b"\x00\x01\xff"),
    ("date", dt.date(2024, 2, 29)), ("time", dt.time(13, 14, 15, 123456)), ("timestamp", dt.datetime(2024, 2, 29, 1, 2, 3, 4)),
    ("interval", dt.timedelta(days=3, seconds=5)), ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ("inet", ipaddress.ip_address("192.168.0.1")), ("cidr", ipaddress.ip_network("10.0.0.0/8")), ("jsonb", {"a": [1, None, "x"]}), ("json", [1, {"b": 2.5}]),
    ("int4[]", [1, None, 3]), ("text[]", ["a", "b,c", 'd"e']), ("int4[][]", [[1, 2], [3, 4]]), ("numeric[]", [decimal.Decimal("1.10")]),
    ("int4range", Range(1, 5)), ("daterange", Range(dt.date(2024, 1, 1), None)), ("oid", 4294967295), ("name", "abc"), ('"char"', "x"),
]


def types():
    for binary in (False, True):
        with fresh() as c, c.cursor(binary=binary) as cur:
            for typ, val in VALUES:
                arg = Jsonb(val) if typ == "jsonb" else Json(val) if typ == "json" else val
                got = cur.execute(f"SELECT %s::{typ}", [arg]).fetchone()[0]
                S.eq(f"{typ} binary={binary}", got, val)
                got = cur.execute(f"SELECT %b::{typ}" if binary else f"SELECT %t::{typ}", [arg]).fetchone()[0]
                S.eq(f"{typ} parameter binary={binary}", got, val)
            got = cur.execute("SELECT '2024-06-01 12:00:00+00'::timestamptz").fetchone()[0]
            S.eq(f"timestamptz binary={binary}", got.astimezone(dt.timezone.utc), dt.datetime(2024, 6, 1, 12, tzinfo=dt.timezone.utc))
            S.eq(f"null binary={binary}", cur.execute("SELECT NULL::int").fetchone()[0], None)
            got = cur.execute("SELECT ROW(1, 'a'::text, NULL)").fetchone()[0]
            S.eq(f"record binary={binary}", got, (1, "a", None) if binary else ("1", "a", None))


def describe():
    with fresh() as c:
        cur = c.execute("SELECT id, name, v, 1 AS one, 'x'::varchar(9) AS w, 1.5::numeric(5,2) AS n FROM p3.t LIMIT 0")
        S.eq("names", [d.name for d in cur.description], ["id", "name", "v", "one", "w", "n"])
        S.eq("oids", [d.type_code for d in cur.description], [23, 25, 1700, 23, 1043, 1700])
        S.eq("display size", cur.description[4].display_size, 9)
        S.eq("precision", (cur.description[5].precision, cur.description[5].scale), (5, 2))
        S.eq("rowcount", cur.rowcount, 0)
        S.eq("status", c.execute("UPDATE p3.t SET name = name WHERE id <= 3").statusmessage, "UPDATE 3")
        S.eq("rowcount of DML", c.execute("DELETE FROM p3.t WHERE id > 1000").rowcount, 0)
        c.rollback()


def rows():
    class T:
        def __init__(self, id, name):
            self.id, self.name = id, name

    with fresh() as c:
        q = "SELECT id, name FROM p3.t ORDER BY id LIMIT 2"
        S.eq("dict rows", c.cursor(row_factory=dict_row).execute(q).fetchall(), [{"id": 1, "name": "n1"}, {"id": 2, "name": "n2"}])
        S.eq("namedtuple rows", c.cursor(row_factory=namedtuple_row).execute(q).fetchone().name, "n1")
        S.eq("class rows", c.cursor(row_factory=class_row(T)).execute(q).fetchone().id, 1)


def cursors():
    with fresh() as c:
        with c.cursor("big") as cur:
            cur.itersize = 7
            cur.execute("SELECT id FROM p3.t ORDER BY id")
            S.eq("server cursor", [r[0] for r in cur], list(range(1, 101)))
        with c.cursor("scr", scrollable=True) as cur:
            cur.execute("SELECT id FROM p3.t ORDER BY id")
            S.eq("fetchmany", [r[0] for r in cur.fetchmany(3)], [1, 2, 3])
            cur.scroll(2)
            S.eq("scroll", cur.fetchone()[0], 6)
            cur.scroll(0, mode="absolute")
            S.eq("absolute", cur.fetchone()[0], 1)
        with c.cursor("bin", binary=True) as cur:
            cur.execute("SELECT id, v FROM p3.t ORDER BY id")
            S.eq("binary server cursor", cur.fetchmany(2), [(1, decimal.Decimal("1.5")), (2, decimal.Decimal("3.0"))])
        c.commit()
        with c.cursor("held", withhold=True) as cur:
            cur.execute("SELECT id FROM p3.t ORDER BY id")
            c.commit()
            S.eq("held cursor", cur.fetchone()[0], 1)


def pipelines():
    with fresh() as c:
        with c.pipeline() as p:
            a = c.execute("SELECT %s + 1", [1])
            b = c.execute("INSERT INTO p3.t VALUES (200, 'p', 1) RETURNING id")
            p.sync()
            S.eq("pipeline", (a.fetchone()[0], b.fetchone()[0]), (2, 200))
        c.rollback()
        code = ""
        try:
            with c.pipeline() as p:
                c.execute("INSERT INTO p3.t VALUES (201, 'p', 1)")
                c.execute("SELECT 1/0")
                c.execute("SELECT 1")
                p.sync()
        except psycopg.errors.DivisionByZero:
            code = "22012"
        S.eq("error in a pipeline", code, "22012")
        c.rollback()
        S.eq("nothing kept", c.execute("SELECT count(*) FROM p3.t WHERE id > 100").fetchone()[0], 0)
        cur = c.cursor()
        cur.executemany("INSERT INTO p3.t VALUES (%s, %s, %s) RETURNING id", [(300, "a", 1), (301, "b", 2)], returning=True)
        ids = []
        while True:
            ids.append(cur.fetchone()[0])
            if not cur.nextset():
                break
        S.eq("executemany returning", ids, [300, 301])
        S.eq("executemany count", cur.rowcount, 1)
        c.rollback()


def prepared():
    with fresh() as c:
        c.prepare_threshold = 1
        for i in range(1, 6):
            S.eq("prepared", c.execute("SELECT name FROM p3.t WHERE id = %s", [i]).fetchone()[0], f"n{i}")
        n = c.execute("SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql").fetchone()[0]
        S.eq("is prepared", n >= 1, True)


def copies():
    with fresh() as c:
        c.execute("CREATE TEMP TABLE cp (a int, b text, c timestamptz, d numeric)")
        cur = c.cursor()
        with cur.copy("COPY cp FROM STDIN") as cp:
            cp.write("1\tone\t2024-01-01 00:00:00+00\t1.50\n2\t\\N\t\\N\t")
            cp.write("\\N\n")
        S.eq("copy in", cur.rowcount, 2)
        with cur.copy("COPY cp FROM STDIN") as cp:
            cp.write_row((3, "tab\tnl\n", None, decimal.Decimal("7")))
        with cur.copy("COPY cp FROM STDIN (FORMAT binary)") as cp:
            cp.set_types(["int4", "text", "timestamptz", "numeric"])
            cp.write_row((4, "bin", dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc), decimal.Decimal("-0.001")))
        S.eq("copied", c.execute("SELECT a, b, d FROM cp ORDER BY a").fetchall(),
             [(1, "one", decimal.Decimal("1.50")), (2, None, None), (3, "tab\tnl\n", decimal.Decimal("7")), (4, "bin", decimal.Decimal("-0.001"))])
        with cur.copy("COPY (SELECT a, b FROM cp ORDER BY a) TO STDOUT") as cp:
            S.eq("copy out", b"".join(bytes(x) for x in cp), b"1\tone\n2\t\\N\n3\ttab\\tnl\\n\n4\tbin\n")
        with cur.copy("COPY (SELECT a, d FROM cp ORDER BY a) TO STDOUT (FORMAT binary)") as cp:
            cp.set_types(["int4", "numeric"])
            S.eq("binary copy out", list(cp.rows())[3], (4, decimal.Decimal("-0.001")))
        with cur.copy("COPY cp (a, b) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE (b))") as cp:
            S.eq("csv", b"".join(bytes(x) for x in cp).split(b"\n")[:3], [b"a,b", b'1,"one"', b"2,"])
        c.commit()

        def bad():
            with cur.copy("COPY cp FROM STDIN") as cp:
                cp.write("x\ty\t\\N\t\\N\n")

        S.raises("bad row", "22P02", bad)
        c.rollback()

        def gives_up():
            with cur.copy("COPY cp FROM STDIN") as cp:
                cp.write("9\tz\t\\N\t\\N\n")
                raise ValueError("no")

        try:
            gives_up()
        except ValueError:
            pass
        c.rollback()
        S.eq("nothing kept", c.execute("SELECT count(*) FROM cp").fetchone()[0], 4)


def notifications():
    with fresh(autocommit=True) as c, fresh(autocommit=True) as d:
        c.execute("LISTEN ch")
        d.execute("NOTIFY ch, 'one'")
        d.execute("SELECT pg_notify('ch', 'two')")
        got = [(n.channel, n.payload) for n in c.notifies(timeout=5, stop_after=2)]
        S.eq("notifies", got, [("ch", "one"), ("ch", "two")])
        notices = []
        c.add_notice_handler(lambda n: notices.append((n.severity_nonlocalized, n.sqlstate, n.message_primary)))
        c.execute("DROP TABLE IF EXISTS p3.nothing")
        S.eq("notice", notices, [("NOTICE", "00000", 'table "nothing" does not exist, skipping')])


def adapters():
    with fresh(autocommit=True) as c:
        c.execute("CREATE TYPE p3.mood AS ENUM ('sad', 'ok', 'it''s')")
        c.execute("CREATE TYPE p3.pair AS (l int, r text)")
        t = TypeInfo.fetch(c, "p3.mood")
        S.eq("TypeInfo", (t.name, t.oid > 16383, t.array_oid > 16383), ("mood", True, True))
        e = EnumInfo.fetch(c, "p3.mood")
        S.eq("EnumInfo", list(e.labels), ["sad", "ok", "it's"])
        register_enum(e, c)
        got = c.execute("SELECT 'ok'::p3.mood, ARRAY['sad','it''s']::p3.mood[]").fetchone()
        S.eq("enum", (got[0].name, [x.name for x in got[1]]), ("ok", ["sad", "it's"]))
        p = CompositeInfo.fetch(c, "p3.pair")
        S.eq("CompositeInfo", (list(p.field_names), list(p.field_types)), (["l", "r"], [23, 25]))
        register_composite(p, c)
        got = c.execute("SELECT ROW(1, 'x')::p3.pair").fetchone()[0]
        S.eq("composite", (got.l, got.r), (1, "x"))
        got = c.execute("SELECT (%s::p3.pair).r", [p.python_type(2, "y,z")]).fetchone()[0]
        S.eq("composite parameter", got, "y,z")
        S.eq("unknown type", TypeInfo.fetch(c, "p3.none"), None)


def errors():
    with fresh(autocommit=True) as c:
        S.raises("unique", "23505", c.execute, "INSERT INTO p3.t VALUES (1, 'x', 1)")
        try:
            c.execute("INSERT INTO p3.t VALUES (1, 'x', 1)")
        except psycopg.errors.UniqueViolation as e:
            S.eq("diag", (e.diag.schema_name, e.diag.table_name, e.diag.constraint_name, e.diag.message_detail),
                 ("p3", "t", "t_pkey", "Key (id)=(1) already exists."))
        S.raises("not null", "23502", c.execute, "INSERT INTO p3.t VALUES (NULL, 'x', 1)")
        S.raises("syntax", "42601", c.execute, "SELEC 1")
        S.raises("table", "42P01", c.execute, "SELECT * FROM nowhere")
        S.raises("column", "42703", c.execute, "SELECT nope FROM p3.t")
        S.raises("cast", "22P02", c.execute, "SELECT 'x'::int")
        try:
            c.execute("SELECT 1 + nope")
        except psycopg.errors.UndefinedColumn as e:
            S.eq("position", e.diag.statement_position, "12")


def transactions():
    with fresh() as c:
        with c.transaction():
            c.execute("INSERT INTO p3.t VALUES (400, 'tx', 1)")
            try:
                with c.transaction():
                    c.execute("INSERT INTO p3.t VALUES (400, 'tx', 1)")
            except psycopg.errors.UniqueViolation:
                pass
            S.eq("savepoint", c.execute("SELECT count(*) FROM p3.t WHERE id = 400").fetchone()[0], 1)
            raise_rollback = psycopg.Rollback
            c.execute("SELECT 1")
            raise raise_rollback
    with fresh() as c:
        S.eq("rolled back", c.execute("SELECT count(*) FROM p3.t WHERE id = 400").fetchone()[0], 0)
        c.rollback()
        c.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        S.eq("isolation", c.execute("SHOW transaction_isolation").fetchone()[0], "serializable")
        c.rollback()
        c.isolation_level = None
        c.read_only = True
        S.raises("read only", "25006", c.execute, "CREATE TABLE p3.x (a int)")
        c.rollback()
        S.eq("status", c.info.transaction_status.name, "IDLE")


def parameters():
    with fresh(application_name="my app", options="-c statement_timeout=1234") as c:
        S.eq("application_name", c.execute("SHOW application_name").fetchone()[0], "my app")
        S.eq("options", c.execute("SHOW statement_timeout").fetchone()[0], "1234ms")
        S.eq("info", (c.info.parameter_status("server_encoding"), c.info.parameter_status("integer_datetimes")), ("UTF8", "on"))
        S.eq("server_version", c.info.server_version // 10000, 15)
        S.eq("composed", c.execute(sql.SQL("SELECT {} FROM {} WHERE id = {}").format(
            sql.Identifier("name"), sql.Identifier("p3", "t"), sql.Placeholder()), [5]).fetchone()[0], "n5")
        S.eq("client cursor", psycopg.ClientCursor(c).execute("SELECT %s, %s", ["it's", [1, 2]]).fetchone(), ("it's", [1, 2]))
        S.raises("timeout", "57014", c.execute, "SELECT pg_sleep(5)")


for f in (setup, types, describe, rows, cursors, pipelines, prepared, copies, notifications, adapters, errors, transactions, parameters):
    S.part(f)
S.done()
