"""asyncpg: binary codecs with introspection, cursors, copies, listeners, pools, prepared statements, transactions."""

import asyncio
import datetime as dt
import decimal
import ipaddress
import json
import uuid

import asyncpg

from check import Suite

S = Suite("asyncpg")


async def values(c):
    for typ, val in [
        ("bool", True), ("int2", -3), ("int4", 5), ("int8", 2**60), ("float4", 0.25), ("float8", 1e100), ("numeric", decimal.Decimal("-1234.5600")),
        ("text", "tæxt"), ("bytea", b"\x00\xff"), ("date", dt.date(2024, 2, 29)), ("time", dt.time(1, 2, 3, 4)), ("timestamp", dt.datetime(2024, 1, 2, 3, 4, 5, 6)),
        ("timestamptz", dt.datetime(2024, 1, 2, tzinfo=dt.timezone.utc)), ("interval", dt.timedelta(days=40, seconds=1)), ("uuid", uuid.UUID(int=77)),
        ("inet", ipaddress.ip_interface("10.1.2.3/16")), ("cidr", ipaddress.ip_network("10.0.0.0/8")), ("jsonb", '{"a": 1}'), ("json", '{"a":  1}'),
        ("int4[]", [1, None, 2]), ("text[][]", [["a", "b"], ["c", None]]), ("int4range", asyncpg.Range(1, 10)), ("oid", 12345),
        ("timetz", dt.time(1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=2)))), ("bit(4)", asyncpg.BitString("1010")), ("name", "nm"),
    ]:
        got = await c.fetchval(f"SELECT $1::{typ}", val)
        if typ in ("inet", "uuid"):  # asyncpg has a UUID class of its own
            S.eq(typ, str(got), str(val))
        else:
            S.eq(typ, got, val)
    S.eq("point of types", [str(a.type.name) for a in (await c.prepare("SELECT $1::int4 + 1 AS a, now() AS b")).get_attributes()], ["int4", "timestamptz"])
    S.eq("parameters", [p.name for p in (await c.prepare("SELECT $1::text, $2::int8[]")).get_parameters()], ["text", "int8[]"])
    S.eq("record", await c.fetchval("SELECT ROW(1, 'a'::text, NULL::int)"), (1, "a", None))


async def user_types(c):
    await c.execute("CREATE TYPE apg.mood AS ENUM ('sad', 'ok'); CREATE TYPE apg.pair AS (l int, r text); CREATE DOMAIN apg.pos AS int CHECK (VALUE > 0)")
    await c.reload_schema_state()
    S.eq("enum", await c.fetchval("SELECT $1::apg.mood", "ok"), "ok")
    S.eq("enum array", await c.fetchval("SELECT ARRAY['sad','ok']::apg.mood[]"), ["sad", "ok"])
    got = await c.fetchval("SELECT ROW(1, 'x')::apg.pair")
    S.eq("composite", (got["l"], got["r"]), (1, "x"))
    S.eq("composite parameter", await c.fetchval("SELECT ($1::apg.pair).r", (5, "five")), "five")
    S.eq("composite array", [tuple(x) for x in await c.fetchval("SELECT ARRAY[ROW(1, 'x')::apg.pair]")], [(1, "x")])
    S.eq("domain", await c.fetchval("SELECT 5::apg.pos"), 5)
    await c.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    S.eq("codec", await c.fetchval("SELECT $1::jsonb", {"a": [1, 2]}), {"a": [1, 2]})
    await c.reset_type_codec("jsonb", schema="pg_catalog")


async def statements(c):
    await c.execute("CREATE TABLE apg.t (id int PRIMARY KEY, name text)")
    S.eq("execute", await c.execute("INSERT INTO apg.t SELECT g, 'n' || g FROM generate_series(1, 100) g"), "INSERT 0 100")
    await c.executemany("INSERT INTO apg.t VALUES ($1, $2)", [(i, str(i)) for i in range(200, 300)])
    S.eq("executemany", await c.fetchval("SELECT count(*) FROM apg.t"), 200)
    st = await c.prepare("SELECT name FROM apg.t WHERE id = $1")
    S.eq("prepared", [await st.fetchval(i) for i in (1, 2, 200)], ["n1", "n2", "200"])
    S.eq("fetch", [r["name"] for r in await st.fetch(3)], ["n3"])
    S.eq("statusmsg", st.get_statusmsg(), "SELECT 1")
    row = await c.fetchrow("SELECT * FROM apg.t WHERE id = 7")
    S.eq("record", dict(row), {"id": 7, "name": "n7"})
    async with c.transaction():
        got = []
        async for r in c.cursor("SELECT id FROM apg.t ORDER BY id", prefetch=13):
            got.append(r["id"])
        S.eq("cursor", len(got), 200)
        cur = await c.cursor("SELECT id FROM apg.t ORDER BY id")
        await cur.forward(10)
        S.eq("forward", (await cur.fetchrow())["id"], 11)
        S.eq("fetch", [r["id"] for r in await cur.fetch(2)], [12, 13])
    S.eq("explain", "Plan" in (await (await c.prepare("SELECT 1")).explain())[0], True)


async def copies(c):
    await c.execute("CREATE TABLE apg.cp (a int, b text, c numeric)")
    S.eq("records", await c.copy_records_to_table("cp", schema_name="apg", records=[(1, "x", decimal.Decimal("1.5")), (2, None, None)]), "COPY 2")

    async def source():
        yield b"3,three,3\n"
        yield b"4,four,\n"

    S.eq("to table", await c.copy_to_table("cp", schema_name="apg", source=source(), format="csv"), "COPY 2")
    out = bytearray()

    async def sink(data):
        out.extend(data)

    S.eq("from query", await c.copy_from_query("SELECT a, b FROM apg.cp WHERE a > $1 ORDER BY a", 1, output=sink), "COPY 3")
    S.eq("text", bytes(out), b"2\t\\N\n3\tthree\n4\tfour\n")
    out.clear()
    await c.copy_from_table("cp", schema_name="apg", output=sink, format="binary")
    S.eq("binary head", bytes(out[:11]), b"PGCOPY\n\xff\r\n\x00")


async def listeners(c):
    other = await asyncpg.connect(S.dsn)
    got = asyncio.Queue()
    await c.add_listener("apg", lambda *a: got.put_nowait(a[1:]))
    await other.execute("NOTIFY apg, 'hi'")
    pid, channel, payload = await asyncio.wait_for(got.get(), 5)
    S.eq("listener", (pid, channel, payload), (other.get_server_pid(), "apg", "hi"))
    notes = []
    c.add_log_listener(lambda _, m: notes.append((m.severity_en, m.message)))
    await c.execute("DROP TABLE IF EXISTS apg.none")
    await asyncio.sleep(0)
    S.eq("log", notes, [("NOTICE", 'table "none" does not exist, skipping')])
    await other.close()


async def transactions(c):
    try:
        async with c.transaction():
            await c.execute("INSERT INTO apg.t VALUES (1000, 'x')")
            try:
                async with c.transaction():
                    await c.execute("INSERT INTO apg.t VALUES (1000, 'x')")
            except asyncpg.UniqueViolationError as e:
                S.eq("unique", (e.table_name, e.constraint_name, e.detail), ("t", "t_pkey", "Key (id)=(1000) already exists."))
            raise KeyError
    except KeyError:
        pass
    S.eq("rolled back", await c.fetchval("SELECT count(*) FROM apg.t WHERE id = 1000"), 0)
    async with c.transaction(isolation="serializable", readonly=True, deferrable=True):
        S.eq("modes", await c.fetchval("SELECT current_setting('transaction_isolation') || current_setting('transaction_read_only')"), "serializableon")
    try:
        await c.fetchval("SELECT pg_sleep(5)", timeout=0.2)
    except asyncio.TimeoutError:
        S.eq("cancelled", await c.fetchval("SELECT 1"), 1)


async def pools():
    async with asyncpg.create_pool(S.dsn, min_size=2, max_size=5, server_settings={"application_name": "apg", "search_path": "public"}) as pool:
        got = await asyncio.gather(*[pool.fetchval("SELECT $1::int", i) for i in range(50)])
        S.eq("pool", got, list(range(50)))
        async with pool.acquire() as c:
            S.eq("setting", await c.fetchval("SHOW application_name"), "apg")
            await c.execute("SET application_name = 'other'; LISTEN x")
            await c.fetchval("SELECT pg_advisory_lock(5)")
        async with pool.acquire() as c:
            S.eq("reset", await c.fetchval("SHOW application_name"), "apg")
            S.eq("unlocked", await c.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 5 AND pid = pg_backend_pid()"), 0)


async def main():
    c = await asyncpg.connect(S.dsn)
    S.eq("version", c.get_server_version().major, 15)
    S.eq("settings", c.get_settings().client_encoding.lower(), "utf8")
    await c.execute("DROP SCHEMA IF EXISTS apg CASCADE; CREATE SCHEMA apg")
    for f in (values, user_types, statements, copies, listeners, transactions):
        try:
            await f(c)
        except Exception:
            import traceback
            S.failed += 1
            print(f"FAIL asyncpg: {f.__name__}\n{traceback.format_exc()}")
    await c.close()
    await pools()


asyncio.run(main())
S.done()
