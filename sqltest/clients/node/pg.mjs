// node-postgres with pg-cursor, pg-query-stream and pg-copy-streams. Prints "label: value" lines.
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import pg from 'pg'
import Cursor from 'pg-cursor'
import QueryStream from 'pg-query-stream'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

const dsn = process.argv[2]
process.env.TZ = 'UTC'

const text = (v) =>
  typeof v === 'string' ? v : JSON.stringify(v, (_, x) => (typeof x === 'bigint' ? `${x}n` : x instanceof Buffer || x?.type === 'Buffer' ? Buffer.from(x.data ?? x).toString('hex') : x))

async function show(label, f) {
  let out
  try {
    out = text(await f())
  } catch (e) {
    out = `error ${e.code} ${e.message}`
  }
  console.log(`${label}: ${String(out).replaceAll('\n', '\\n')}`)
}

async function open(options = {}) {
  const c = new pg.Client({ connectionString: dsn, ...options })
  await c.connect()
  return c
}

const one = async (c, q, a) => Object.values((await c.query({ text: q, values: a, rowMode: 'array' })).rows[0])[0]

const values = [
  ['int2', '-3'], ['int4', '5'], ['int8', '9223372036854775807'], ['float4', '0.1'], ['float8', '1e-7'], ['numeric', '12.340'], ['bool', 't'], ['text', 'ünï'], ['varchar', 'a'], ['char(3)', 'a'],
  ['bytea', '\\x00ff'], ['date', '2024-02-29'], ['time', '12:00:01.5'], ['timestamp', '2024-02-29 12:00:00'], ['timestamptz', '2024-02-29 12:00:00+02'], ['interval', '1 day 02:03:04.5'],
  ['uuid', '00112233-4455-6677-8899-aabbccddeeff'], ['json', '{"a": [1, 2]}'], ['jsonb', '{"b": null, "a": 1}'], ['int4[]', '{1,2,NULL}'], ['text[]', '{"a b",NULL}'], ['int8[]', '{1}'], ['float8[]', '{1.5}'],
  ['bool[]', '{t,f}'], ['numeric[]', '{1.10}'], ['timestamptz[]', '{"2024-02-29 12:00:00+02"}'], ['jsonb[]', '{"{\\"a\\": 1}"}'], ['uuid[]', '{00112233-4455-6677-8899-aabbccddeeff}'], ['bytea[]', '{"\\\\x00"}'],
  ['inet', '::1'], ['cidr', '10.0.0.0/8'], ['oid', '5'], ['name', 'n'], ['int4range', '[1,3]'], ['regclass', 'pg_type'], ['date[]', '{2020-01-01}'], ['interval[]', '{1 day}'],
]

async function types(c) {
  for (const [t, v] of values) {
    await show(`read ${t}`, async () => one(c, `SELECT '${v.replaceAll("'", "''")}'::${t}`))
    await show(`bound ${t}`, async () => one(c, `SELECT $1::${t}`, [v]))
  }
  await show('number', () => one(c, 'SELECT $1::int + 1', [4]))
  await show('object', () => one(c, "SELECT $1::jsonb -> 'a'", [{ a: { b: [1] } }]))
  await show('array', () => one(c, 'SELECT $1::text[]', [['x', 'y"', null]]))
  await show('buffer', () => one(c, 'SELECT length($1::bytea)', [Buffer.from([1, 2, 3])]))
  await show('date', () => one(c, 'SELECT $1::timestamptz', [new Date(0)]))
  await show('null', () => one(c, 'SELECT $1::int IS NULL', [null]))
  await show('bigint', () => one(c, 'SELECT $1::int8', [12345678901234567890n / 10n]))
  await show('binary', async () => {
    const b = await open({ binary: true })
    const r = await b.query({ text: "SELECT 1::int4, 2::int8, true, 'x'::text, 1.5::float8, '{1,2}'::int4[]", values: [], rowMode: 'array' })
    await b.end()
    return r.rows
  })
}

async function queries(c) {
  await c.query('DROP SCHEMA IF EXISTS nd CASCADE; CREATE SCHEMA nd; CREATE TABLE nd.t (id serial PRIMARY KEY, name text NOT NULL UNIQUE, j jsonb)')
  await show('insert', async () => { const r = await c.query('INSERT INTO nd.t (name, j) VALUES ($1, $2), ($3, $4) RETURNING id', ['a', { x: 1 }, 'b', [1, 2].join() && '[1,2]']); return [r.command, r.rowCount, r.rows] })
  await show('fields', async () => (await c.query('SELECT id, name, j, id + 1 AS n FROM nd.t')).fields.map((f) => [f.name, f.columnID, f.tableID > 0, f.dataTypeID, f.dataTypeSize, f.dataTypeModifier, f.format]))
  await show('row mode', async () => (await c.query({ text: 'SELECT 1 AS a, 2 AS a', rowMode: 'array' })).rows)
  await show('several', async () => (await c.query("SELECT 1 AS a; UPDATE nd.t SET name = name; SELECT 'x' AS b")).map((r) => [r.command, r.rowCount, r.rows]))
  await show('empty', async () => { const r = await c.query(''); return [r.command, r.rows] })
  await show('prepared', async () => { const q = { name: 'p', text: 'SELECT $1::int * 2 AS v' }; const a = await c.query({ ...q, values: [4] }), b = await c.query({ ...q, values: [5] }); return [a.rows, b.rows] })
  await show('prepared in catalog', async () => (await c.query("SELECT name, statement, parameter_types::text, from_sql FROM pg_prepared_statements WHERE name = 'p'")).rows)
  await show('prepared other text', () => c.query({ name: 'p', text: 'SELECT 1' }))
  await show('unique', async () => { try { await c.query("INSERT INTO nd.t (name) VALUES ('a')"); return 'none' } catch (e) { return [e.code, e.message, e.detail, e.schema, e.table, e.constraint, e.severity] } })
  await show('not null', async () => { try { await c.query('INSERT INTO nd.t (name) VALUES (NULL)'); return 'none' } catch (e) { return [e.code, e.column, e.table] } })
  await show('syntax', async () => { try { await c.query('SELEC 1'); return 'none' } catch (e) { return [e.code, e.position, e.message] } })
  await show('too few', () => c.query('SELECT $1::int, $2::int', [1]))
  await show('too many', () => c.query('SELECT 1', [1]))
  await show('bad value', () => c.query('SELECT $1::int', ['x']))
  await show('after errors', () => one(c, 'SELECT 1'))
  await show('transaction', async () => {
    await c.query('BEGIN')
    await c.query("INSERT INTO nd.t (name) VALUES ('tx')")
    await c.query('SAVEPOINT s')
    await c.query("INSERT INTO nd.t (name) VALUES ('tx')").catch(() => 0)
    await c.query('ROLLBACK TO s')
    const n = await one(c, "SELECT count(*) FROM nd.t WHERE name = 'tx'")
    await c.query('ROLLBACK')
    return [n, await one(c, "SELECT count(*) FROM nd.t WHERE name = 'tx'")]
  })
  await show('queued', async () => (await Promise.all([1, 2, 3, 4].map((i) => c.query('SELECT $1::int AS i', [i])))).map((r) => r.rows[0].i))
  await show('large', async () => (await one(c, "SELECT repeat('x', 5000000)")).length)
  await show('many parameters', async () => one(c, `SELECT ${Array.from({ length: 3000 }, (_, i) => `$${i + 1}::int`).join(' , ')}`, Array.from({ length: 3000 }, (_, i) => i)))
  await show('notice', async () => { const got = []; c.once('notice', (n) => got.push(n.severity, n.code, n.message)); await c.query('DROP TABLE IF EXISTS nd.nope'); return got })
}

async function cursors(c) {
  const read = (cur, n) => cur.read(n)
  await show('cursor', async () => { const cur = c.query(new Cursor('SELECT g FROM generate_series(1, $1::int) g', [25])); const out = []; for (;;) { const r = await read(cur, 10); out.push(r.length); if (!r.length) break } await cur.close(); return out })
  await show('cursor closed early', async () => { const cur = c.query(new Cursor('SELECT g FROM generate_series(1, 1000000) g')); const r = await read(cur, 3); await cur.close(); return [r, await one(c, 'SELECT 7')] })
  await show('cursor error', async () => { const cur = c.query(new Cursor('SELECT 10 / (5 - g) FROM generate_series(1, 9) g')); const a = await read(cur, 3); try { await read(cur, 3); return 'none' } catch (e) { return [a.length, e.code] } })
  await show('cursor of insert', async () => { const cur = c.query(new Cursor("INSERT INTO nd.t (name) SELECT 'c' || g FROM generate_series(1, 5) g RETURNING name")); const a = await read(cur, 2), b = await read(cur, 10); await cur.close(); return [a.length, b.length, await one(c, "SELECT count(*) FROM nd.t WHERE name LIKE 'c%'")] })
  await show('cursor row mode', async () => { const cur = c.query(new Cursor('SELECT 1, 2', [], { rowMode: 'array' })); const a = await read(cur, 5); await cur.close(); return a })
  await show('stream', async () => { let n = 0; for await (const r of c.query(new QueryStream('SELECT g FROM generate_series(1, 10000) g', [], { batchSize: 300 }))) n += r.g; return n })
  await show('stream stopped', async () => { let n = 0; for await (const r of c.query(new QueryStream('SELECT g FROM generate_series(1, 1000000) g'))) if ((n += r.g) > 100) break; return [n, await one(c, 'SELECT 8')] })
  await show('stream error', async () => { let n = 0; try { for await (const r of c.query(new QueryStream('SELECT 1 / (500 - g) FROM generate_series(1, 1000) g'))) n++; return 'none' } catch (e) { return [e.code, n % 16] } })
  await show('two streams in a transaction', async () => { await c.query('BEGIN'); const a = c.query(new Cursor('SELECT g FROM generate_series(1, 5) g')), r = await read(a, 2); await a.close(); await c.query('COMMIT'); return r })
}

async function copies(c) {
  await c.query('CREATE TABLE nd.cp (a int, b text)')
  await show('copy from', async () => { const s = c.query(copyFrom('COPY nd.cp FROM STDIN')); await pipeline(Readable.from(Array.from({ length: 5000 }, (_, i) => `${i}\tline ${i}\n`)), s); return [s.rowCount, await one(c, 'SELECT sum(a) FROM nd.cp')] })
  await show('copy to', async () => { let n = 0, bytes = 0; const s = c.query(copyTo('COPY (SELECT * FROM nd.cp ORDER BY a) TO STDOUT CSV')); for await (const d of s) { bytes += d.length; n += d.toString().split('\n').length - 1 } return [n, bytes] })
  await show('copy bad', async () => { const s = c.query(copyFrom('COPY nd.cp FROM STDIN')); await pipeline(Readable.from(['1\tok\n', 'x\tbad\n']), s); return 'none' })
  await show('copy split', async () => { const s = c.query(copyFrom('COPY nd.cp FROM STDIN CSV')); await pipeline(Readable.from(['9', '0001,"spl', 'it\nacross"\n90', '002,y\n']), s); return (await c.query('SELECT * FROM nd.cp WHERE a > 90000 ORDER BY a')).rows })
  await show('copy aborted', async () => { const s = c.query(copyFrom('COPY nd.cp FROM STDIN')); await pipeline(Readable.from((async function* () { yield '70000\ta\n'; throw new Error('gave up') })()), s).catch(() => 0); return one(c, 'SELECT count(*) FROM nd.cp WHERE a = 70000') })
}

async function sessions(c) {
  await show('notify', async () => {
    const l = await open()
    await l.query('LISTEN nd_ch')
    const got = new Promise((done) => l.once('notification', done))
    await c.query("SELECT pg_notify('nd_ch', 'payload ü')")
    const n = await got
    await l.end()
    return [n.channel, n.payload, n.processId === c.processID]
  })
  await show('statement timeout', async () => { const t = await open({ statement_timeout: 100 }); try { return await one(t, 'SELECT pg_sleep(10)') } finally { await t.end() } })
  await show('lock timeout', async () => { const t = await open({ lock_timeout: 321 }); try { return await one(t, 'SHOW lock_timeout') } finally { await t.end() } })
  await show('idle in transaction timeout', async () => {
    const t = await open({ idle_in_transaction_session_timeout: 100 })
    const gone = new Promise((done) => t.on('error', done))
    await t.query('BEGIN')
    return (await gone).code
  })
  await show('application name', async () => { const t = await open({ application_name: 'nd app' }); try { return await one(t, 'SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()') } finally { await t.end() } })
  await show('options', async () => { const t = await open({ options: '-c search_path=nd -c work_mem=5MB' }); try { return [await one(t, 'SHOW search_path'), await one(t, 'SHOW work_mem'), await one(t, 'SELECT count(*) > 0 FROM t')] } finally { await t.end() } })
  await show('no database', () => { const u = new URL(dsn); u.pathname = '/no_such_db'; const t = new pg.Client({ connectionString: u.href }); return t.connect() })
  await show('terminated', async () => { const t = await open(); const gone = new Promise((done) => t.on('error', done)); await c.query('SELECT pg_terminate_backend($1)', [t.processID]); return (await gone).code })
  await show('pool', async () => {
    const pool = new pg.Pool({ connectionString: dsn, max: 5 })
    const rows = await Promise.all(Array.from({ length: 40 }, (_, i) => pool.query('SELECT $1::int AS i', [i])))
    await pool.end()
    return rows.reduce((n, r) => n + r.rows[0].i, 0)
  })
  await show('parallel', async () => {
    const pool = new pg.Pool({ connectionString: dsn, max: 8 })
    await Promise.all(Array.from({ length: 30 }, () => pool.query("INSERT INTO nd.t (name) VALUES ('n' || nextval('nd.t_id_seq')) RETURNING id")))
    const n = await one(pool, "SELECT count(*) FROM nd.t WHERE name LIKE 'n%'")
    await pool.end()
    return n
  })
}

const c = await open()
await types(c)
await queries(c)
await cursors(c)
await copies(c)
await sessions(c)
await c.query('DROP SCHEMA nd CASCADE')
await c.end()
