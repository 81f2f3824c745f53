import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowTrigger } from '../../../src/shared/contract/reach/flow-trigger.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

/** An app that may use a database with the given tables. */
async function aShop(schema: string) {
  const folder = temporaryFolder()
  const app = await startFlowApp({ settings: { file_folders: [folder] } })
  const db = new Database(join(folder, 'shop.db'))
  db.exec('PRAGMA journal_mode = WAL')
  onTestFinished(() => void db.close())
  db.exec(schema)
  return { app, db }
}

async function watch(app: FlowApp, config: object): Promise<string> {
  const { json, status, text } = await app.call('POST', '/v1/flows', {
    name: 'Rows',
    status: 'active',
    steps: [{ ref_id: 'row', type: 'sql_trigger', config }],
  })
  if (status !== 201) throw new Error(text)
  const { id } = json as Flow
  await app.services.triggers.look()
  return id
}

async function check(app: FlowApp, id: string): Promise<FlowTrigger> {
  return (await app.call('POST', `/v1/flows/${id}/trigger/check`)).json as FlowTrigger
}

/** The results of the trigger in all runs so far, oldest first. */
async function ran(app: FlowApp): Promise<unknown[]> {
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.finished_at !== null)
  return app
    .runs()
    .toReversed()
    .map((run) => app.stepsOf(run)[0]?.output)
}

const named = async (app: FlowApp) => (await ran(app)).map((row) => (row as { name: string }).name)

const ITEMS = 'CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, at TEXT);'
const TIMED = { file: 'shop.db', table: 'items', key: ['id'], cursor_field: 'at' }

describe('rows of a SQLite file', () => {
  it('start one run each when they are new or changed, even with equal cursors', async () => {
    const { app, db } = await aShop(
      `${ITEMS} INSERT INTO items VALUES (1, 'old', '2026-01-01 10:00:00'), (2, 'older', '2026-01-01 09:00:00')`,
    )
    const id = await watch(app, TIMED)
    db.exec(`INSERT INTO items VALUES (3, 'same time', '2026-01-01 10:00:00'), (4, 'none', NULL)`)
    await check(app, id)
    db.exec(`INSERT INTO items VALUES (5, 'same again', '2026-01-01 10:00:00')`)
    db.exec(`UPDATE items SET name = 'changed', at = '2026-01-01 11:00:00' WHERE id = 2`)
    await check(app, id)
    await check(app, id)
    expect(await named(app)).toEqual(['same time', 'same again', 'changed'])
    expect(app.runs()[0]).toMatchObject({ trigger: 'list', flow_id: id })
  })

  it('that arrive late are found within the look-back, in the format of the column', async () => {
    const { app, db } = await aShop(
      `${ITEMS} INSERT INTO items VALUES (1, 'a', '2026-01-01 10:00:00'), (2, 'b', '2026-01-01 09:59:00')`,
    )
    const id = await watch(app, { ...TIMED, look_back: 120 })
    db.exec(`DELETE FROM items WHERE id = 1`)
    db.exec(
      `INSERT INTO items VALUES (3, 'late', '2026-01-01 09:58:30'), (4, 'too late', '2026-01-01 09:57:00')`,
    )
    await check(app, id)
    db.exec(
      `INSERT INTO items VALUES (5, 'later', '2026-01-01 10:00:30'), (6, 'much too late', '2026-01-01 09:58:10')`,
    )
    await check(app, id)
    await check(app, id)
    expect(await named(app)).toEqual(['late', 'much too late', 'later'])
  })

  it.each(['none', 'all'])(
    'with a stray value in the cursor hold up none of the next (first: %s)',
    async (first) => {
      const { app, db } = await aShop(
        `${ITEMS} INSERT INTO items VALUES (1, 'a', '2026-01-01'), (2, 'b', '2026-01-02'), (3, 'stray', 'zzz')`,
      )
      const id = await watch(app, { ...TIMED, first })
      db.exec(`INSERT INTO items VALUES (4, 'next', '2026-01-03')`)
      await check(app, id)
      db.exec(`INSERT INTO items VALUES (5, 'stray too', 'n/a'), (6, 'last', '2026-01-04')`)
      await check(app, id)
      await check(app, id)
      expect((await named(app)).toSorted()).toEqual(
        [...(first === 'all' ? ['a', 'b', 'stray'] : []), 'last', 'next', 'stray too'].toSorted(),
      )
    },
  )

  it.each([
    [{ first: 'all' }, ['a', 'b', 'c']],
    [{ first: 'newest', newest: 2 }, ['b', 'c']],
    [{ first: 'newest', newest: 9, cursor_field: 'id' }, ['a', 'b', 'c']],
    [{ first: 'newest', newest: 1, cursor_field: null }, ['c']],
    [{ first: 'none' }, []],
  ])('found at the first check with %j are %j', async (config, expected) => {
    const { app, db } = await aShop(
      `${ITEMS} INSERT INTO items VALUES (1, 'a', '2026-01-01'), (2, 'b', '2026-01-02'), (3, 'c', '2026-01-02')`,
    )
    const id = await watch(app, { ...TIMED, ...config })
    await check(app, id)
    db.exec(`INSERT INTO items VALUES (4, 'next', '2026-01-02')`)
    await check(app, id)
    expect(await named(app)).toEqual([...expected, 'next'])
  })

  it('without a cursor column are compared completely, or by several key columns', async () => {
    const { app, db } = await aShop(`CREATE TABLE items (a, b, name); INSERT INTO items VALUES (1, 1, 'x')`)
    const whole = await watch(app, { file: 'shop.db', table: 'items' })
    db.exec(`UPDATE items SET name = 'y'`)
    await check(app, whole)
    const keyed = await watch(app, { file: 'shop.db', table: 'items', key: ['a', 'b'] })
    db.exec(`UPDATE items SET name = 'z'`)
    db.exec(`INSERT INTO items VALUES (1, 2, 'other')`)
    await check(app, keyed)
    expect(await named(app)).toEqual(['y', 'other'])
  })

  it('are read in batches, one right after the other', async () => {
    const { app } = await aShop(
      `${ITEMS} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20500)
       INSERT INTO items SELECT i, 'n', i / 10 FROM n`,
    )
    const id = await watch(app, { ...TIMED, cursor_field: 'id', first: 'all', runs: 'together' })
    const first = await app.call('GET', `/v1/flows/${id}/trigger`)
    const { found } = await check(app, id)
    expect({ first: (first.json as FlowTrigger).found, found }).toEqual({ first: 20_000, found: 20_500 })
  })

  it('with more equal cursors than a check reads are reported on screen instead of skipped', async () => {
    const { app } = await aShop(
      `${ITEMS} WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO items SELECT i, 'n', 'same' FROM n`,
    )
    const id = await watch(app, TIMED)
    expect((await check(app, id)).error?.message).toContain('choose a cursor with fewer equal values')
  })

  it('are read with a statement that has its own condition on the cursor', async () => {
    const { app, db } = await aShop(`${ITEMS} INSERT INTO items VALUES (1, 'a', 'x'), (2, 'b', 'y')`)
    const id = await watch(app, {
      file: 'shop.db',
      statement: 'SELECT id, upper(name) AS name FROM items WHERE id >= ? ORDER BY id',
      parameters: ['{{ since or 0 }}'],
      key: ['id'],
      cursor_field: 'id',
      first: 'all',
    })
    db.exec(`INSERT INTO items VALUES (3, 'c', NULL)`)
    await check(app, id)
    expect(await named(app)).toEqual(['A', 'B', 'C'])
  })

  it('start a manual run with the newest one, also of a statement', async () => {
    const { app } = await aShop(`${ITEMS} INSERT INTO items VALUES (1, 'a', '1'), (2, 'b', '2')`)
    const statement = 'SELECT * FROM items WHERE id >= ?'
    const { table: _, ...others } = TIMED
    const configs = [TIMED, { ...others, statement, parameters: ['{{ since or 0 }}'], cursor_field: 'id' }]
    for (const config of configs) {
      const { flow } = await app.addFlow([{ ref_id: 'row', type: 'sql_trigger', config }])
      await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    }
    expect(await named(app)).toEqual(['b', 'b'])
  })

  it.each([
    [{ table: 'nowhere' }, 'no such table'],
    [{ table: 'items', cursor_field: 'nothing' }, 'no such column'],
    [{ table: 'items"; DROP TABLE items; --' }, 'must be a name'],
    [{ table: 'items', file: '../secret.db' }, 'secret.db'],
    [{ table: 'items', key: ['ID'] }, 'the field "ID"; correct "key"'],
  ])("can't be found with the configuration %j", async (config, message) => {
    const { app, db } = await aShop(`${ITEMS} INSERT INTO items VALUES (1, 'a', '1')`)
    const problem = await watch(app, { ...TIMED, ...config }).then(
      async (id) => (await check(app, id)).error?.message,
      (error: unknown) => String(error),
    )
    expect([problem, db.prepare('SELECT count(*) FROM items').pluck().get()]).toEqual([
      expect.stringContaining(message),
      1,
    ])
  })
})

describe('rows of PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it("are found by times with microseconds, and by text in the database's order", async () => {
    const app = await startFlowApp()
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID,
      name: 'Shop',
      auth_type: 'username_password',
      username: server.user,
      password: server.password,
      api_endpoint: server.url,
    })
    const auth_id = (json as { id: string }).id
    await server.query(`CREATE SCHEMA sales;
      CREATE TABLE sales."Orders" ("Id" bigint PRIMARY KEY, name text, at timestamptz, code text COLLATE "und-x-icu");
      INSERT INTO sales."Orders" VALUES (1, 'a', '2026-01-01 10:00:00.000001+00', 'a')`)
    const table = { auth_id, table: 'sales.Orders', key: ['Id'] }
    const byTime = await watch(app, { ...table, cursor_field: 'at', look_back: 1 })
    const byText = await watch(app, { ...table, cursor_field: 'code' })
    // Millrace sorts upper case before lower case, but this database doesn't.
    await server.query(`INSERT INTO sales."Orders" VALUES (2, 'b', '2026-01-01 10:00:00.000002+00', 'B'),
      (9007199254740993, 'late', '2026-01-01 09:59:59.5+00', 'C'), (4, 'old', '2026-01-01 09:59:58+00', '0')`)
    const states = [await check(app, byTime), await check(app, byText)]
    await server.query(`INSERT INTO sales."Orders" VALUES (5, 'c', '2026-01-01 10:00:00.000002+00', 'B')`)
    states.push(await check(app, byTime), await check(app, byText))
    expect({
      names: (await named(app)).toSorted(),
      found: states.map(({ found, error }) => [found, error]),
    }).toEqual({
      names: ['b', 'b', 'c', 'late', 'late'],
      found: [
        [2, null],
        [2, null],
        [3, null],
        [2, null],
      ],
    })
  })
})

test.each([
  [{}, '', 'needs either "auth_id" or "file"'],
  [{ file: 'a.db' }, '', 'needs either "table" or "statement"'],
  [{ file: 'a.db', table: 'a', statement: 'SELECT 1' }, '', 'needs either "table" or "statement"'],
  [{ file: 'a.db', statement: 'SELECT {{ x }}' }, '.statement', 'must not contain templates'],
  [{ file: 'a.db', statement: 'DELETE FROM a' }, '.statement', 'must only read rows'],
  [{ file: 'a.db', statement: 'ATTACH x AS y' }, '.statement', 'would open another file'],
  [{ file: 'a.db', table: 'a.b.c.d' }, '.table', 'must be a name'],
  [{ file: 'a.db', table: 'a', key: [''] }, '.key[0]', ''],
  [{ file: 'a.db', table: 'a', look_back: 5 }, '.look_back', 'needs a "cursor_field"'],
  [{ file: 'a.db', table: 'a', every_minutes: 0 }, '.every_minutes', ''],
])('%j is rejected on saving', async (config, field, reason) => {
  const app = await startFlowApp()
  const { status, json } = await app.call('POST', '/v1/flows', {
    name: 'X',
    steps: [{ ref_id: 'a', type: 'sql_trigger', config }],
  })
  const { data } = json as { data: Record<string, string[]> }
  expect([status, data[`steps[0].config${field}`]?.join()]).toEqual([400, expect.stringContaining(reason)])
})
