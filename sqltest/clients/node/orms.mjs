// Knex, Sequelize, TypeORM, Kysely, Drizzle, postgres.js and node-pg-migrate. Prints "label: value" lines.
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const dsn = process.argv[2],
  only = process.argv.slice(3)
const u = new URL(dsn)
const conn = { host: u.hostname, port: +u.port, user: u.username, database: u.pathname.slice(1), password: '' }
const norm = (v) =>
  (typeof v === 'string'
    ? v
    : (JSON.stringify(v, (_, x) => (typeof x === 'bigint' ? x + 'n' : x instanceof Map ? [...x] : x)) ?? 'undefined')
  )
    .replaceAll(conn.database, 'DB')
    .replaceAll(u.port, 'PORT')
    .replaceAll('\n', '\\n')
async function show(label, f) {
  let v
  try {
    v = await f()
  } catch (e) {
    v = `error ${e.code ?? e.parent?.code ?? ''} ${String(e.message).slice(0, 400)}`
  }
  console.log(`${label}: ${norm(v)}`)
}
import pg from 'pg'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'

const tmp = mkdtempSync(tmpdir() + '/orms')
const adm = new pg.Client({ connectionString: dsn })
await adm.connect()
const fresh = (s) => adm.query(`DROP SCHEMA IF EXISTS ${s} CASCADE; CREATE SCHEMA ${s}`)
const suites = {
  async knex() {
    await fresh('kx')
    const knex = require('knex')({ client: 'pg', connection: conn, searchPath: ['kx'] })
    await show('kx create', () =>
      knex.schema
        .createTable('t', (t) => {
          t.increments()
          t.string('name', 30).notNullable().unique()
          t.integer('n').defaultTo(3).index()
          t.jsonb('j')
          t.specificType('a', 'int[]')
          t.timestamps(true, true)
          t.enu('e', ['a', 'b'], { useNative: true, enumName: 'en' })
          t.decimal('d', 8, 2)
          t.uuid('u').defaultTo(knex.raw('gen_random_uuid()'))
          t.comment('tab')
          t.boolean('b')
          t.check('n > 0', [], 'ck')
        })
        .then(() => 1),
    )
    await show('kx fk', () =>
      knex.schema
        .createTable('c', (t) => {
          t.bigIncrements()
          t.integer('t_id').references('id').inTable('t').onDelete('cascade')
          t.index(['t_id'], 'c_i', { predicate: knex.whereNotNull('t_id') })
        })
        .then(() => 1),
    )
    await show('kx has', async () => [
      await knex.schema.hasTable('t'),
      await knex.schema.hasTable('nope'),
      await knex.schema.hasColumn('t', 'n'),
    ])
    await show('kx info', () => knex('t').columnInfo())
    await show('kx ins', () =>
      knex('t').insert(
        [
          { name: 'a', n: 1, j: { x: 1 }, a: [1, 2], d: 1.5, e: 'a' },
          { name: 'b', n: 2 },
        ],
        ['id', 'name'],
      ),
    )
    await show('kx upsert', () => knex('t').insert({ name: 'a', n: 9 }).onConflict('name').merge(['n']).returning(['name', 'n']))
    await show('kx sel', () => knex('t').where('n', '>', 1).whereJsonPath('j', '$.x', '=', 1).select('name', 'n', 'j', 'a', 'd', 'e'))
    await show('kx agg', () => knex('t').count('* as c').sum('n as s').first())
    await show('kx with', () => knex.with('q', knex('t').select('id')).from('q').count())
    await show('kx tx', () =>
      knex
        .transaction(async (x) => {
          await x('t').insert({ name: 'tx' })
          throw new Error('back')
        })
        .catch((e) => e.message)
        .then(async () => (await knex('t').where({ name: 'tx' })).length),
    )
    await show('kx alter', () =>
      knex.schema
        .alterTable('t', (t) => {
          t.string('z').defaultTo('q')
          t.renameColumn('n', 'nn')
          t.dropUnique(['name'])
          t.string('name', 50).nullable().alter()
          t.dropColumn('b')
          t.setNullable('z')
          t.dropChecks(['ck'])
        })
        .then(() => 1),
    )
    await show('kx stream', async () => {
      let n = 0
      for await (const r of knex.select(knex.raw('generate_series(1,1000) g')).stream()) n += r.g
      return n
    })
    await show('kx batch', () =>
      knex
        .batchInsert(
          'c',
          Array.from({ length: 100 }, () => ({})),
          30,
        )
        .returning('id')
        .then((r) => r.length),
    )
    class Src {
      async getMigrations() {
        return ['m1', 'm2']
      }
      getMigrationName(m) {
        return m
      }
      async getMigration(m) {
        return { up: (k) => k.schema.createTable(m, (t) => t.increments()), down: (k) => k.schema.dropTable(m) }
      }
    }
    const mc = { migrationSource: new Src() }
    await show('kx migrate', () => knex.migrate.latest(mc).then((r) => r[1]))
    await show('kx cur', () => knex.migrate.currentVersion(mc))
    await show('kx list', () => knex.migrate.list(mc).then((r) => [r[0].length, r[1].length]))
    await show('kx rollback', () => knex.migrate.rollback(mc, true).then((r) => r[1]))
    await show('kx migrate again', () => knex.migrate.latest(mc).then((r) => r[1]))
    await show('kx rename', () => knex.schema.renameTable('c', 'cc').then(() => 1))
    await show('kx view', () =>
      knex.schema
        .createViewOrReplace('v', (v) => {
          v.columns(['i'])
          v.as(knex('t').select('id'))
        })
        .then(() => knex('v').count()),
    )
    await show('kx mview', () =>
      knex.schema
        .createMaterializedView('mv', (v) => {
          v.columns(['i'])
          v.as(knex('t').select('id'))
        })
        .then(() => knex.schema.refreshMaterializedView('mv'))
        .then(() => knex('mv').count()),
    )
    await show('kx trunc', () =>
      knex('cc')
        .truncate()
        .then(() => 1),
    )
    await show('kx drop', () => knex.schema.dropTableIfExists('cc').then(() => 1))
    await knex.destroy()
  },
  async sequelize() {
    await fresh('sq')
    const { Sequelize, DataTypes, Op, fn, col } = require('sequelize')
    const s = new Sequelize(conn.database, conn.user, '', {
      host: conn.host,
      port: conn.port,
      dialect: 'postgres',
      logging: false,
      schema: 'sq',
      define: { schema: 'sq' },
    })
    const U = s.define(
      'U',
      {
        name: { type: DataTypes.STRING(30), unique: true, allowNull: false },
        age: { type: DataTypes.INTEGER, defaultValue: 3 },
        e: DataTypes.ENUM('x', 'y'),
        j: DataTypes.JSONB,
        a: DataTypes.ARRAY(DataTypes.INTEGER),
        d: DataTypes.DECIMAL(8, 2),
        u: { type: DataTypes.UUID, defaultValue: DataTypes.UUIDV4 },
        r: DataTypes.RANGE(DataTypes.INTEGER),
        b: DataTypes.BLOB,
        t: DataTypes.DATEONLY,
        big: DataTypes.BIGINT,
        ci: DataTypes.TEXT,
      },
      {
        indexes: [
          { fields: ['age'] },
          { fields: ['j'], using: 'gin' },
          { unique: true, fields: [{ name: 'age', order: 'DESC' }, 'name'], where: { age: { [Op.gt]: 5 } } },
        ],
        comment: 'users',
      },
    )
    const P = s.define('P', { title: DataTypes.STRING })
    U.hasMany(P, { as: 'posts', foreignKey: 'uid', onDelete: 'CASCADE' })
    P.belongsTo(U, { as: 'user', foreignKey: 'uid' })
    await show('sq auth', () => s.authenticate().then(() => 1))
    await show('sq sync', () => s.sync({ force: true }).then(() => 1))
    await show('sq sync alter', () => s.sync({ alter: true }).then(() => 1))
    await show('sq version', () => s.databaseVersion().then((v) => v.slice(0, 2)))
    await show('sq bulk', () =>
      U.bulkCreate([
        {
          name: 'a',
          age: 1,
          e: 'x',
          j: { k: 1, n: { m: [1] } },
          a: [1, 2],
          d: 1.5,
          r: [1, 5],
          b: Buffer.from('x'),
          t: '2020-01-01',
          big: '9007199254740993',
        },
        { name: 'b', age: 7 },
      ]).then((r) => r.map((x) => x.id)),
    )
    await show('sq find', () =>
      U.findAll({
        where: { age: { [Op.gt]: 0 }, name: { [Op.iLike]: 'A%' } },
        attributes: ['name', 'age', 'e', 'j', 'a', 'd', 'r', 'b', 't', 'big'],
        raw: true,
      }),
    )
    await show('sq json', () => U.findAll({ where: { 'j.n.m': { [Op.contains]: [1] } }, attributes: ['name'], raw: true }))
    await show('sq arr', () => U.count({ where: { a: { [Op.overlap]: [2, 9] } } }))
    await show('sq range', () => U.count({ where: { r: { [Op.contains]: 3 } } }))
    await show('sq inc', async () => {
      const a = await U.findOne({ where: { name: 'a' } })
      await a.createPost({ title: 'p1' })
      await a.createPost({ title: 'p2' })
      return (
        await U.findAll({
          include: { model: P, as: 'posts', separate: false },
          order: [
            ['id', 'ASC'],
            [{ model: P, as: 'posts' }, 'title', 'DESC'],
          ],
        })
      ).map((x) => [x.name, x.posts.map((p) => p.title)])
    })
    await show('sq agg', () =>
      U.findAll({ attributes: ['e', [fn('COUNT', col('id')), 'n'], [fn('MAX', col('age')), 'm']], group: 'e', order: ['e'], raw: true }),
    )
    await show('sq upsert', () => U.upsert({ name: 'a', age: 50 }).then((r) => [r[0].age]))
    await show('sq foc', () => U.findOrCreate({ where: { name: 'c' }, defaults: { age: 1 } }).then((r) => r[1]))
    await show('sq inc2', () => U.increment('age', { where: { name: 'a' } }).then((r) => r[0][1]))
    await show('sq tx', () =>
      s
        .transaction(async (t) => {
          await U.create({ name: 'tx' }, { transaction: t })
          throw new Error('back')
        })
        .catch((e) => e.message)
        .then(() => U.count({ where: { name: 'tx' } })),
    )
    await show('sq uniq', () => U.create({ name: 'a' }).catch((e) => [e.name, e.errors.map((x) => [x.path, x.type]), e.fields]))
    await show('sq fk', () => P.create({ title: 'q', uid: 9999 }).catch((e) => [e.name, e.index, e.table, e.fields]))
    const q = s.getQueryInterface()
    await show('sq tables', () =>
      q.showAllTables().then((r) =>
        r
          .map((x) => x.tableName ?? x)
          .sort()
          .filter((x) => ['Us', 'Ps'].includes(x)),
      ),
    )
    await show('sq describe', () => q.describeTable({ tableName: 'Us', schema: 'sq' }))
    await show('sq idx', () =>
      q
        .showIndex({ tableName: 'Us', schema: 'sq' })
        .then((r) => r.map((x) => [x.name, x.primary, x.unique, x.fields, x.definition, x.indkey]).sort()),
    )
    await show('sq fks', () => q.getForeignKeyReferencesForTable({ tableName: 'Ps', schema: 'sq' }))
    await show('sq schemas', () => q.showAllSchemas().then((r) => r.includes('sq')))
    await show('sq cons', () =>
      q.showConstraint({ tableName: 'Ps', schema: 'sq' }).then((r) => r.map((x) => [x.constraintName, x.constraintType])),
    )
    await show('sq addcol', () =>
      q.addColumn({ tableName: 'Ps', schema: 'sq' }, 'z', { type: DataTypes.INTEGER, defaultValue: 4, allowNull: false }).then(() => 1),
    )
    await show('sq chcol', () =>
      q.changeColumn({ tableName: 'Ps', schema: 'sq' }, 'z', { type: DataTypes.BIGINT, allowNull: true, unique: true }).then(() => 1),
    )
    await show('sq rncol', () => q.renameColumn({ tableName: 'Ps', schema: 'sq' }, 'z', 'zz').then(() => 1))
    await show('sq addidx', () => q.addIndex({ tableName: 'Ps', schema: 'sq' }, ['zz'], { name: 'ixz', concurrently: true }).then(() => 1))
    await show('sq rmcol', () => q.removeColumn({ tableName: 'Ps', schema: 'sq' }, 'zz').then(() => 1))
    await show('sq enum alter', async () => {
      s.models.U.rawAttributes.e.type = DataTypes.ENUM('x', 'y', 'z')
      U.rawAttributes.e.values = ['x', 'y', 'z']
      U.refreshAttributes()
      await s.sync({ alter: true })
      return (
        await adm.query(
          "SELECT enumlabel FROM pg_enum e JOIN pg_type t ON t.oid=enumtypid WHERE typnamespace='sq'::regnamespace ORDER BY enumsortorder",
        )
      ).rows
    })
    await show('sq drop', () => s.drop().then(() => 1))
    await s.close()
  },
  async typeorm() {
    await fresh('ty')
    require('reflect-metadata')
    const { DataSource, EntitySchema, In, Raw, Table, TableColumn, TableIndex, TableForeignKey } = require('typeorm')
    const E = new EntitySchema({
      name: 'Person',
      tableName: 'person',
      comment: 'people',
      columns: {
        id: { type: Number, primary: true, generated: 'increment' },
        name: { type: 'varchar', length: 40, unique: true },
        age: { type: 'int', default: 3 },
        kind: { type: 'enum', enum: ['a', 'b'], default: 'a' },
        j: { type: 'jsonb', nullable: true },
        arr: { type: 'int', array: true, default: '{}' },
        d: { type: 'numeric', precision: 8, scale: 2, nullable: true },
        at: { type: 'timestamptz', createDate: true },
        u: { type: 'uuid', generated: 'uuid' },
        gen: { type: 'int', generatedType: 'STORED', asExpression: 'age * 2', nullable: true },
      },
      relations: { posts: { type: 'one-to-many', target: 'Post', inverseSide: 'person' } },
      indices: [
        { columns: ['age'], name: 'ix_age' },
        { columns: ['name', 'age'], unique: true, where: 'age > 5', name: 'ix_w' },
      ],
      checks: [{ expression: 'age >= 0', name: 'ck_age' }],
    })
    const P = new EntitySchema({
      name: 'Post',
      tableName: 'post',
      columns: { id: { type: 'bigint', primary: true, generated: 'identity' }, title: { type: 'text' } },
      relations: {
        person: { type: 'many-to-one', target: 'Person', inverseSide: 'posts', onDelete: 'CASCADE' },
        tags: { type: 'many-to-many', target: 'Person', joinTable: { name: 'post_tags' } },
      },
    })
    const ds = new DataSource({
      type: 'postgres',
      host: conn.host,
      port: conn.port,
      username: conn.user,
      database: conn.database,
      schema: 'ty',
      entities: [E, P],
      synchronize: false,
      installExtensions: false,
      uuidExtension: 'pgcrypto', // gen_random_uuid() needs no extension
    })
    await show('ty init', () => ds.initialize().then(() => 1))
    await show('ty sync', () => ds.synchronize().then(() => 1))
    await show('ty no diff', async () => (await ds.driver.createSchemaBuilder().log()).upQueries.map((q) => q.query))
    await show('ty sync again', () => ds.synchronize().then(() => 1))
    const r = ds.getRepository('Person')
    await show('ty save', () =>
      r
        .save([
          { name: 'a', age: 1, j: { x: 1 }, arr: [1, 2], d: '1.5', posts: [] },
          { name: 'b', age: 9, kind: 'b' },
        ])
        .then((x) => x.map((y) => [y.id, y.gen, y.at instanceof Date])),
    )
    await show('ty find', () =>
      r.find({
        where: { age: In([1, 9]) },
        order: { id: 'ASC' },
        select: { name: true, age: true, kind: true, j: true, arr: true, d: true, gen: true },
      }),
    )
    await show('ty qb', () =>
      r
        .createQueryBuilder('p')
        .leftJoinAndSelect('p.posts', 't')
        .where("p.j ->> 'x' = :x", { x: '1' })
        .getManyAndCount()
        .then((x) => [x[0].length, x[1]]),
    )
    await show('ty upsert', () => r.upsert([{ name: 'a', age: 5 }], ['name']).then((x) => x.generatedMaps.length))
    await show('ty tx', () =>
      ds
        .transaction(async (m) => {
          await m.getRepository('Person').save({ name: 'tx' })
          throw new Error('b')
        })
        .catch((e) => e.message)
        .then(() => r.countBy({ name: 'tx' })),
    )
    await show('ty rel', async () => {
      const a = await r.findOneBy({ name: 'a' })
      const p = await ds.getRepository('Post').save({ title: 't', person: a, tags: [a] })
      return (await ds.getRepository('Post').find({ relations: { person: true, tags: true } })).map((x) => [
        x.title,
        x.person.name,
        x.tags.length,
      ])
    })
    const q = ds.createQueryRunner()
    await show('ty getTable', async () => {
      const t = await q.getTable('ty.person')
      return [
        t.columns.map((c) => [
          c.name,
          c.type,
          c.isPrimary,
          c.isGenerated,
          c.isNullable,
          c.default,
          c.isUnique,
          c.length,
          c.precision,
          c.scale,
          c.isArray,
          c.enum,
          c.asExpression,
          c.generationStrategy,
        ]),
        t.indices.map((i) => [i.name, i.columnNames, i.isUnique, i.where]).sort(),
        t.checks.map((c) => [c.name, c.expression]),
        t.uniques.map((c) => [c.name, c.columnNames]),
        t.comment,
      ]
    })
    await show('ty getTable2', async () => {
      const t = await q.getTable('ty.post_tags')
      return [t.foreignKeys.map((f) => [f.columnNames, f.referencedTableName, f.onDelete]).sort(), t.indices.length]
    })
    await show('ty views', () => q.getViews([]).then((x) => x.length))
    await show('ty addcol', () =>
      q.addColumn('ty.post', new TableColumn({ name: 'z', type: 'int', isNullable: true, default: 4 })).then(() => 1),
    )
    await show('ty chcol', async () => {
      const t = await q.getTable('ty.post')
      const c = t.findColumnByName('z')
      const n = c.clone()
      n.type = 'bigint'
      n.name = 'zz'
      await q.changeColumn(t, c, n)
      return 1
    })
    await show('ty ix', () => q.createIndex('ty.post', new TableIndex({ name: 'ixzz', columnNames: ['zz'] })).then(() => 1))
    await show('ty dropcol', () => q.dropColumn('ty.post', 'zz').then(() => 1))
    await show('ty has', async () => [
      await q.hasTable('ty.post'),
      await q.hasColumn('ty.post', 'title'),
      await q.hasSchema('ty'),
      await q.hasDatabase(conn.database),
    ])
    await show('ty stream', async () => {
      const s = await r.createQueryBuilder('p').stream()
      let n = 0
      for await (const x of s) n++
      return n
    })
    class M1 {
      name = 'M11700000000000'
      async up(q) {
        await q.query('CREATE TABLE ty.m1 (a int)')
      }
      async down(q) {
        await q.query('DROP TABLE ty.m1')
      }
    }
    ds.setOptions({ migrations: [M1] })
    await show('ty migr', async () => {
      await ds.buildMetadatas()
      return (await ds.runMigrations()).map((m) => m.name)
    })
    await show('ty undo', () => ds.undoLastMigration().then(() => 1))
    await show('ty drop', () => ds.dropDatabase().then(() => 1))
    await q.release()
    await ds.destroy()
  },
  async kysely() {
    await fresh('ky')
    const { Kysely, PostgresDialect, sql, Migrator } = await import('kysely')
    const db = new Kysely({
      dialect: new PostgresDialect({
        pool: new pg.Pool({ connectionString: dsn, options: '-c search_path=ky' }),
        cursor: require('pg-cursor'),
      }),
    })
    await show('ky create', () =>
      db.schema
        .createTable('t')
        .addColumn('id', 'serial', (c) => c.primaryKey())
        .addColumn('name', 'varchar(20)', (c) => c.notNull().unique())
        .addColumn('j', 'jsonb')
        .addColumn('at', 'timestamptz', (c) => c.defaultTo(sql`now()`))
        .addColumn('k', 'integer', (c) => c.generatedAlwaysAsIdentity())
        .execute()
        .then(() => 1),
    )
    await show('ky ins', () =>
      db
        .insertInto('t')
        .values([{ name: 'a', j: JSON.stringify({ x: 1 }) }, { name: 'b' }])
        .returning(['id', 'k'])
        .execute(),
    )
    await show('ky sel', () =>
      db
        .selectFrom('t')
        .select(['name', sql`j->>'x'`.as('x')])
        .orderBy('id')
        .execute(),
    )
    await show('ky upsert', () =>
      db
        .insertInto('t')
        .values({ name: 'a' })
        .onConflict((o) => o.column('name').doUpdateSet({ j: null }))
        .returningAll()
        .execute()
        .then((r) => [r[0].name, r[0].j]),
    )
    await show('ky stream', async () => {
      let n = 0
      for await (const r of db.selectFrom('t').selectAll().stream(1)) n++
      return n
    })
    await show('ky intro', () => db.introspection.getTables().then((t) => t.filter((x) => x.schema === 'ky')))
    await show('ky schemas', () => db.introspection.getSchemas().then((t) => t.some((x) => x.name === 'ky')))
    const m = new Migrator({
      db,
      provider: {
        getMigrations: async () => ({
          a: { up: (d) => d.schema.createTable('m1').addColumn('x', 'int4').execute(), down: (d) => d.schema.dropTable('m1').execute() },
        }),
      },
    })
    await show('ky migr', () => m.migrateToLatest().then((r) => [r.error?.message, r.results]))
    await show('ky down', () => m.migrateDown().then((r) => r.results))
    await show('ky tx', () =>
      db
        .transaction()
        .setIsolationLevel('serializable')
        .execute((t) => sql`show transaction_isolation`.execute(t))
        .then((r) => r.rows),
    )
    await show('ky merge', () =>
      db
        .mergeInto('t')
        .using('t as s', 't.id', 's.id')
        .whenMatched()
        .thenUpdateSet({ j: null })
        .executeTakeFirst()
        .then((r) => r.numChangedRows),
    )
    await db.destroy()
  },
  async drizzle() {
    await fresh('dz')
    await adm.query('DROP SCHEMA IF EXISTS drizzle CASCADE')
    const { drizzle } = await import('drizzle-orm/node-postgres')
    const { migrate } = await import('drizzle-orm/node-postgres/migrator')
    const { pgSchema, serial, text, integer, jsonb, varchar, timestamp, index, uniqueIndex, numeric, uuid, boolean } =
      await import('drizzle-orm/pg-core')
    const { eq, sql, desc, count, relations } = await import('drizzle-orm')
    const fs = require('fs')
    fs.rmSync(tmp + '/dzm', { recursive: true, force: true })
    fs.mkdirSync(tmp + '/dzm/meta', { recursive: true })
    fs.writeFileSync(
      tmp + '/dzm/0000_a.sql',
      'CREATE TYPE "dz"."mood" AS ENUM(\'a\', \'b\');--> statement-breakpoint\nCREATE TABLE IF NOT EXISTS "dz"."u" ("id" serial PRIMARY KEY NOT NULL, "name" varchar(30) NOT NULL, "m" "dz"."mood", "j" jsonb, CONSTRAINT "u_name_unique" UNIQUE("name"));\n--> statement-breakpoint\nCREATE TABLE IF NOT EXISTS "dz"."p" ("id" serial PRIMARY KEY NOT NULL, "uid" integer, "t" text);\n--> statement-breakpoint\nDO $$ BEGIN\n ALTER TABLE "dz"."p" ADD CONSTRAINT "p_fk" FOREIGN KEY ("uid") REFERENCES "dz"."u"("id") ON DELETE no action ON UPDATE no action;\nEXCEPTION\n WHEN duplicate_object THEN null;\nEND $$;\n--> statement-breakpoint\nCREATE INDEX IF NOT EXISTS "ix" ON "dz"."p" USING btree ("uid");',
    )
    fs.writeFileSync(
      tmp + '/dzm/meta/_journal.json',
      JSON.stringify({
        version: '7',
        dialect: 'postgresql',
        entries: [{ idx: 0, version: '7', when: 1700000000000, tag: '0000_a', breakpoints: true }],
      }),
    )
    const pool = new pg.Pool({ connectionString: dsn })
    const S = pgSchema('dz')
    const U = S.table('u', { id: serial('id').primaryKey(), name: varchar('name', { length: 30 }).notNull(), j: jsonb('j') })
    const P = S.table('p', { id: serial('id').primaryKey(), uid: integer('uid'), t: text('t') })
    const ur = relations(U, ({ many }) => ({ ps: many(P) })),
      pr = relations(P, ({ one }) => ({ u: one(U, { fields: [P.uid], references: [U.id] }) }))
    const db = drizzle(pool, { schema: { U, P, ur, pr } })
    await show('dz migrate', () => migrate(db, { migrationsFolder: tmp + '/dzm' }).then(() => 1))
    await show('dz again', () => migrate(db, { migrationsFolder: tmp + '/dzm' }).then(() => 1))
    await show('dz ins', () =>
      db
        .insert(U)
        .values([{ name: 'a', j: { x: 1 } }, { name: 'b' }])
        .returning(),
    )
    await show('dz p', () =>
      db
        .insert(P)
        .values([
          { uid: 1, t: 'x' },
          { uid: 1, t: 'y' },
        ])
        .returning({ id: P.id }),
    )
    await show('dz join', () =>
      db
        .select({ n: U.name, c: count(P.id) })
        .from(U)
        .leftJoin(P, eq(P.uid, U.id))
        .groupBy(U.name)
        .orderBy(U.name),
    )
    await show('dz rel', () =>
      db.query.U.findMany({ with: { ps: { orderBy: (p, { desc }) => desc(p.id), limit: 1 } }, orderBy: (x, { asc }) => asc(x.id) }),
    )
    await show('dz upsert', () =>
      db
        .insert(U)
        .values({ name: 'a' })
        .onConflictDoUpdate({ target: U.name, set: { j: { y: 2 } } })
        .returning(),
    )
    await show('dz tx', () =>
      db
        .transaction(async (t) => {
          await t.insert(U).values({ name: 'tx' })
          t.rollback()
        })
        .catch((e) => e.message),
    )
    await show('dz prepared', () =>
      db
        .select()
        .from(U)
        .where(eq(U.name, sql.placeholder('n')))
        .prepare('dzp')
        .execute({ n: 'a' }),
    )
    await pool.end()
  },
  async postgresjs() {
    await fresh('pj')
    const postgres = (await import('postgres')).default
    const sql = postgres(dsn, { onnotice: () => {}, max: 3 })
    await show(
      'pj sel',
      () =>
        sql`select 1 as a, 'x' as b, ${[1, 2]}::int[] as c, ${sql.json({ a: 1 })} as d, ${new Date(0)}::timestamptz as e, ${true} as f, ${Buffer.from('x')}::bytea as g, 1.5::numeric as n, 2::int8 as i`,
    )
    await show('pj create', () =>
      sql`create table pj.t (id serial primary key, a int, b text, j jsonb, arr text[], en int[])`.then(() => 1),
    )
    await show(
      'pj ins',
      () =>
        sql`insert into pj.t ${sql([
          { a: 1, b: 'x' },
          { a: 2, b: null },
        ])} returning *`,
    )
    await show('pj upd', () => sql`update pj.t set ${sql({ a: 9, j: { x: [1] }, arr: ['p', 'q'] })} where id = 1 returning a, j, arr`)
    await show('pj in', () => sql`select a from pj.t where a in ${sql([9, 2])} order by a`)
    await show('pj cursor', async () => {
      let n = 0
      await sql`select generate_series(1,50) g`.cursor(7, (r) => {
        n += r.length
      })
      return n
    })
    await show('pj each', async () => {
      let n = 0
      await sql`select generate_series(1,50) g`.forEach((r) => {
        n += r.g
      })
      return n
    })
    await show('pj tx', () =>
      sql.begin(async (s) => {
        await s`insert into pj.t (a) values (77)`
        await s.savepoint((z) => z`insert into pj.t (id) values (1)`).catch(() => 0)
        return s`select count(*)::int from pj.t`
      }),
    )
    await show('pj many', () =>
      Promise.all(Array.from({ length: 30 }, (_, i) => sql`select ${i}::int x`)).then((r) => r.reduce((n, x) => n + x[0].x, 0)),
    )
    await show('pj notify', async () => {
      let got
      const p = new Promise((d) => (got = d))
      await sql.listen('pjc', got)
      await sql.notify('pjc', 'hi')
      return p
    })
    await show('pj copy', async () => {
      const { pipeline } = require('stream/promises')
      const { Readable } = require('stream')
      const w = await sql`copy pj.t (a, b) from stdin`.writable()
      await pipeline(Readable.from(['5\tz\n', '6\tw\n']), w)
      const r = await sql`copy (select a,b from pj.t order by a) to stdout`.readable()
      let s = ''
      for await (const c of r) s += c
      return s
    })
    await show('pj file', () => sql.unsafe('select 1 as x; select 2 as y'))
    await show('pj describe', () =>
      sql`select id, b from pj.t where a = ${1}`.describe().then((d) => [d.types, d.columns.map((c) => [c.name, c.type])]),
    )
    await show('pj err', () => sql`select nope`.catch((e) => [e.code, e.position, e.severity]))
    await show('pj cancel', async () => {
      const q = sql`select pg_sleep(20)`
      setTimeout(() => q.cancel(), 200)
      return q.catch((e) => e.code)
    })
    await show('pj raw', () => sql`select 1, 'x'`.raw().then((r) => r[0].map((b) => b.toString())))
    await show('pj values', () => sql`select 1, 2`.values())
    await show('pj types array', () => sql`select array[date '2020-01-01'] a, array['{"a":1}'::jsonb] b, array[[1,2],[3,4]] c`)
    await sql.end()
  },
  async migrate() {
    await fresh('nm')
    const { runner } = await import('node-pg-migrate')
    const fs = require('fs')
    fs.rmSync(tmp + '/npm_m', { recursive: true, force: true })
    fs.mkdirSync(tmp + '/npm_m')
    fs.writeFileSync(
      tmp + '/npm_m/1700000000000_a.js',
      `exports.up = (pgm) => { pgm.createSchema('nm2',{ifNotExists:true}); pgm.createTable({schema:'nm',name:'t'}, {id:'id', a:{type:'integer',notNull:true,default:1,comment:'c'}, at:{type:'timestamp',default:pgm.func('current_timestamp')}}); pgm.createIndex({schema:'nm',name:'t'},'a',{method:'hash'}); pgm.createType('nm.en',['a','b']); pgm.addTypeValue('nm.en','c'); pgm.addColumns({schema:'nm',name:'t'},{e:'nm.en'}); pgm.createView({schema:'nm',name:'v'},{},'SELECT 1 AS x'); pgm.createSequence({schema:'nm',name:'sq'},{start:5}); pgm.addConstraint({schema:'nm',name:'t'},'ck',{check:'a > 0'}); pgm.createDomain({schema:'nm',name:'dm'},'integer',{check:'VALUE > 0'}) }; exports.down = (pgm) => { pgm.dropTable({schema:'nm',name:'t'},{cascade:true}) }`,
    )
    await show('nm up', () =>
      runner({
        databaseUrl: dsn,
        dir: tmp + '/npm_m',
        direction: 'up',
        migrationsTable: 'pgm',
        migrationsSchema: 'nm',
        log: () => {},
      }).then((r) => r.map((x) => x.name)),
    )
    await show('nm down', () =>
      runner({
        databaseUrl: dsn,
        dir: tmp + '/npm_m',
        direction: 'down',
        migrationsTable: 'pgm',
        migrationsSchema: 'nm',
        log: () => {},
      }).then((r) => r.map((x) => x.name)),
    )
  },
}
for (const [n, f] of Object.entries(suites))
  if (!only.length || only.includes(n))
    try {
      await f()
    } catch (e) {
      console.log(`${n} broken: ${norm(e.stack.slice(0, 800))}`)
    }
process.exit(0)
