/** Records in tables of a real MariaDB. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { MERGE_COUNTS, mergeCounts } from '../../helpers/merge-counts.ts'
import { hasMariadb, startMariadb, type TestMariadb } from '../../helpers/mariadb.ts'

const failure = (words: string) => ({
  code: 'validation',
  message: expect.stringContaining(words) as string,
})
const wrote = (records: number, rejected = 0) => ({ output: { records, rejected } })

describe.skipIf(!hasMariadb)('records in MariaDB tables', () => {
  let server: TestMariadb
  beforeAll(async () => {
    server = await startMariadb()
  })
  afterAll(() => server.stop())

  async function withTarget(more: object = {}) {
    const app = await startFlowApp()
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID,
      name: 'Shop',
      auth_type: 'username_password',
      username: server.user,
      password: server.password,
      api_endpoint: server.url,
      ...more,
    })
    const auth_id = (json as { id: string }).id
    async function run(type: string, config: object) {
      const { flow } = await app.addFlow([
        { ref_id: 'it', type, config: { target: 'mysql', auth_id, ...config } },
      ])
      await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
      const [last] = app.runs()
      return last?.error
        ? last.error
        : { output: app.stepsOf(last!)[0]?.output, warnings: last!.warnings.map(({ message }) => message) }
    }
    return {
      app,
      auth_id,
      write: (table: string, records: unknown, config: object = {}) =>
        run('write_records', { table, records, ...config }),
      readCursor: (table: string) => run('read_cursor', { table }),
    }
  }

  const byId = { mode: 'merge', key: ['id'], cursor: 'at' }
  const row = (id: number, more: object = {}) => ({
    id,
    name: `n${id}`,
    at: `2026-01-0${id}T00:00:00Z`,
    ...more,
  })

  it('are appended, merged and replaced, with new and wider columns reported', async () => {
    const { write, readCursor } = await withTarget()
    const results = [
      await write('My `orders`', [row(1), row(2)], byId),
      await write(
        'My `orders`',
        [row(2, { name: 'old' }), row(3), row(2, { name: 'new', total: 1.5 })],
        byId,
      ),
      await write('My `orders`', [row(2, { total: 'much', doc: { a: [1] } })], byId),
      await write('My `orders`', [{ id: 3, at: '2026-01-03T00:00:00Z' }], byId),
      await readCursor('My `orders`'),
    ]
    expect({
      results,
      rows: await server.query('SELECT id, name, total, doc FROM `My ``orders``` ORDER BY id'),
    }).toMatchObject({
      results: [
        { ...wrote(2), warnings: [] },
        { ...wrote(3), warnings: ['Step "it": New columns in "My `orders`": total'] },
        {
          ...wrote(1),
          warnings: [
            'Step "it": New columns in "My `orders`": doc',
            'Step "it": Wider columns in "My `orders`": total (double to longtext)',
          ],
        },
        { ...wrote(1), warnings: [] },
        { output: { cursor: '2026-01-03T00:00:00Z', stored: '2026-01-03T00:00:00Z' } },
      ],
      rows: [
        { id: 1, name: 'n1', total: null, doc: null },
        { id: 2, name: 'n2', total: 'much', doc: '{"a":[1]}' },
        { id: 3, name: null, total: null, doc: null },
      ],
    })
    await write('lines', [{ a: 1 }, { a: 2 }])
    await write('lines', [{ a: 3 }])
    const appended = await server.query('SELECT a FROM `lines` ORDER BY a')
    await write('lines', [{ a: 9 }], { mode: 'replace' })
    const replaced = await server.query('SELECT a FROM `lines`')
    await server.query('CREATE DATABASE sales')
    const inSchema = await write('sales.items', [{ a: 1 }])
    expect({
      appended,
      replaced,
      inSchema,
      moved: await server.query('SELECT a FROM sales.items'),
    }).toMatchObject({
      appended: [{ a: 1 }, { a: 2 }, { a: 3 }],
      replaced: [{ a: 9 }],
      inSchema: wrote(1),
      moved: [{ a: 1 }],
    })
  })

  it('are counted as new, changed and unchanged', async () => {
    const { app, auth_id } = await withTarget()
    await server.query("SET GLOBAL lc_messages = 'de_DE'")
    expect(await mergeCounts(app, { target: 'mysql', auth_id, table: 'counted' })).toEqual(MERGE_COUNTS)
    await server.query("SET GLOBAL lc_messages = 'en_US'")
  })

  it('are read back as they were', async () => {
    const { write } = await withTarget()
    const text = `ünï 🙂 'quoted' "x" \\ \\u0000 % ? :a \n\t \u2028 end `
    const results = [
      await write('kinds', [{ id: 1, t: text, b: true, n: 100, f: 0.1, doc: [{ a: null, t: text }] }]),
      await write('kinds', '{{ [{"id": 2, "t": "", "b": false, "n": 9007199254740993, "f": 1e300}] }}'),
      await write('kinds', [{ id: 3, n: -1.25, nothing: null }]),
    ]
    const rows = await server.query(
      'SELECT id, t, b, CAST(n AS char) n, f, doc, nothing FROM kinds ORDER BY id',
    )
    expect({ results, rows }).toMatchObject({
      results: [
        wrote(1),
        wrote(1),
        { ...wrote(1), warnings: [expect.any(String), expect.stringContaining('decimal')] },
      ],
      rows: [
        { t: text, b: 1, n: expect.stringMatching(/^100\.0+$/) as string, f: 0.1 },
        { t: '', b: 0, n: expect.stringMatching(/^9007199254740993\.0+$/) as string, f: 1e300 },
        { t: null, n: expect.stringMatching(/^-1\.250+$/) as string, nothing: null },
      ],
    })
    expect(JSON.parse(rows[0]?.['doc'] as string)).toEqual([{ a: null, t: text }])
  })

  it('have keys that differ by case or a blank at their end, and of equal keys the last is kept', async () => {
    const { write } = await withTarget()
    const keys = ['a', 'A', 'a ', 'ä']
    const options = { mode: 'merge', key: ['k', 'n'] }
    await write(
      'keys',
      keys.map((k) => ({ k, n: 1, v: 'first' })),
      options,
    )
    await write('keys', [...keys.map((k) => ({ k, n: 1, v: k })), { k: 'a', n: 1, v: 'last' }], options)
    expect(await server.query('SELECT v FROM `keys` ORDER BY v')).toEqual(
      ['A', 'a ', 'last', 'ä'].map((v) => ({ v })),
    )
  })

  it('that do not fit are set aside, or fail the write and leave nothing', async () => {
    const { write } = await withTarget()
    await server.query(
      'CREATE TABLE own (id int PRIMARY KEY, at datetime, total decimal(10, 2), mail varchar(5))',
    )
    const records = [
      { id: 1, at: '2026-01-01T12:00:00+02:00', total: 12.5, mail: 'short' },
      { id: 2, at: 'no time' },
      { id: 3, mail: 'much too long' },
      { mail: 'none' },
      { id: 1, mail: 'again' },
      { id: 5_000_000_000 },
      { id: 6 },
    ]
    const failed = await write('own', records, { on_bad_record: 'fail' })
    const nothing = await server.query('SELECT id FROM own')
    const aside = (await write('own', records)) as unknown as { output: { rejected_file: string } }
    const lines = readFileSync(aside.output.rejected_file, 'utf8').trim().split('\n')
    expect({
      failed,
      nothing,
      aside,
      reasons: lines.map((line) => (JSON.parse(line) as { reason: string }).reason),
      rows: await server.query('SELECT id, CAST(at AS char) at, CAST(total AS char) total, mail FROM own'),
    }).toMatchObject({
      failed: failure('rejected the statement'),
      nothing: [],
      aside: wrote(2, 5),
      reasons: [
        "Incorrect datetime value: 'no time'",
        "Data too long for column 'mail'",
        "Column 'id' cannot be null",
        "Duplicate entry '1'",
        "Out of range value for column 'id'",
      ].map((words) => expect.stringContaining(words) as string),
      rows: [
        { id: 1, at: '2026-01-01 10:00:00', total: '12.50', mail: 'short' },
        { id: 6, at: null, total: null, mail: null },
      ],
    })
  })

  it('have a column for each field, whatever MySQL calls the same', async () => {
    const { write } = await withTarget()
    const long = 'x'.repeat(80)
    const record = { Id: 1, id: 2, [long]: 3, [`${long}y`]: 4, 'blank ': 5, 'odd.`name`': 6 }
    expect(await write('names', [record], { mode: 'merge', key: ['id'] })).toMatchObject(wrote(1))
    expect(await write('names', [{ ...record, Id: 7 }], { mode: 'merge', key: ['id'] })).toMatchObject(
      wrote(1),
    )
    const [found] = await server.query('SELECT * FROM names')
    expect(Object.values(found ?? {})).toEqual([7, 2, 3, 4, 5, 6])
  })

  it('are refused where they could not be written safely, with what to do', async () => {
    const { write } = await withTarget()
    const nowhere = await withTarget({ api_endpoint: server.url.replace(/shop$/, '') })
    await server.query('CREATE TABLE loose (id int) ENGINE=MyISAM')
    await server.query('CREATE TABLE twice (id int PRIMARY KEY, mail varchar(20) UNIQUE)')
    await server.query("INSERT INTO twice VALUES (1, 'a')")
    expect([
      await write('loose', [{ id: 1 }]),
      await write('twice', [{ id: 2, mail: 'a' }], { mode: 'merge', key: ['id'] }),
      await nowhere.write('t', [{ id: 1 }]),
      await write('t', [{ id: 1 }], { target: 'postgres' }),
    ]).toMatchObject([
      failure('has no transactions'),
      failure('another unique index (mail: mail)'),
      failure('names no database'),
      failure('The target is postgres, but the connector auth has a URL for mysql'),
    ])
    expect(await server.query('SELECT id FROM twice')).toEqual([{ id: 1 }])
  })

  it('of a user are kept as they are: a column that was made by hand is not changed', async () => {
    const { write } = await withTarget()
    await server.query(
      'CREATE TABLE made (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, n int NOT NULL DEFAULT 3, k varchar(9) UNIQUE)',
    )
    const options = { mode: 'merge', key: ['k'] }
    await write(
      'made',
      [
        { k: 'a', n: 1 },
        { k: 'b', n: 'many' },
      ],
      options,
    )
    await write('made', [{ k: 'a', n: 2 }], options)
    expect(await server.query('SELECT * FROM made')).toMatchObject([{ n: 2, k: 'a' }])
    const [{ type } = {}] = await server.query(
      "SELECT COLUMN_TYPE type FROM information_schema.COLUMNS WHERE TABLE_NAME = 'made' AND COLUMN_NAME = 'n'",
    )
    expect(type).toBe('int(11)')
  })

  it('have dates, times and exact numbers where these are declared', async () => {
    const { write } = await withTarget()
    const options = { mode: 'merge', key: ['id'], types: { day: 'date', at: 'timestamp', price: 'decimal' } }
    await write('typed', [
      { id: 1, day: '2026-01-02', at: '2026-01-02T03:04:05.123456+02:00', price: '12345678901234567890.123456789' },
      { id: 2, day: '2026-02-30', at: null, price: 1 },
      { id: 3, day: null, at: null, price: `0.${'1'.repeat(31)}` },
    ], options) // prettier-ignore
    await write('typed', [{ id: 4, at: '2026-01-02', price: 0.1 }], options)
    expect(
      await server.query(
        'SELECT id, CAST(day AS CHAR) day, CAST(at AS CHAR) at, price = 0.1 small, price = 12345678901234567890.123456789 large FROM typed ORDER BY id',
      ),
    ).toMatchObject([
      { id: 1, day: '2026-01-02', at: '2026-01-02 01:04:05.123456', small: 0, large: 1 },
      { id: 4, day: null, at: '2026-01-02 00:00:00.000000', small: 1, large: 0 },
    ])
    expect(
      await server.query(
        "SELECT COLUMN_TYPE type FROM information_schema.COLUMNS WHERE TABLE_NAME = 'typed' AND COLUMN_NAME IN ('day', 'at', 'price') ORDER BY ORDINAL_POSITION",
      ),
    ).toMatchObject([{ type: 'date' }, { type: 'datetime(6)' }, { type: 'decimal(65,30)' }])
  })

  it('of many runs at once all arrive, with tables that none of them has made before', async () => {
    await server.query('DROP TABLE millrace_sync')
    const targets = await Promise.all([0, 1, 2, 3].map(() => withTarget()))
    const records = (at: number) =>
      Array.from({ length: 1_200 }, (_, i) => ({ id: at * 1_200 + i, text: 'x'.repeat(2_000) }))
    const results = await Promise.all(targets.map(({ write }, at) => write('busy', records(at))))
    expect({
      results,
      rows: await server.query('SELECT count(*) n, count(DISTINCT id) d FROM busy'),
    }).toMatchObject({
      results: Array.from({ length: 4 }, () => wrote(1_200)),
      rows: [{ n: 4_800, d: 4_800 }],
    })
  })

  it('are not written by a run whose connection is lost before the end', async () => {
    const { write } = await withTarget()
    await server.query('CREATE TABLE held (id int PRIMARY KEY)')
    await server.query(
      'CREATE TRIGGER slow BEFORE INSERT ON held FOR EACH ROW SET @x = SLEEP(IF(NEW.id = 3, 60, 0))',
    )
    const writing = write('held', [{ id: 1 }, { id: 2 }, { id: 3 }])
    const waiting =
      "SELECT id FROM information_schema.PROCESSLIST WHERE INFO LIKE '%SLEEP%' AND id <> CONNECTION_ID()"
    await expect.poll(async () => (await server.query(waiting)).length, { timeout: 20_000 }).toBe(1)
    const [{ id } = {}] = await server.query(waiting)
    await server.query(`KILL ${String(id)}`)
    const failed = await writing
    await server.query('DROP TRIGGER slow')
    expect({ failed, rows: await server.query('SELECT id FROM held') }).toMatchObject({
      failed: { code: 'unavailable' },
      rows: [],
    })
    expect(await write('held', [{ id: 1 }, { id: 2 }, { id: 3 }])).toMatchObject(wrote(3))
  })
})
