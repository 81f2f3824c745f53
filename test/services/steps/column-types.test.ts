/** Columns of declared types, read back by programs that aren't Millrace. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { duckDb } from '../../helpers/duckdb.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

async function withTargets() {
  const allowed = join(temporaryFolder(), 'allowed')
  mkdirSync(allowed)
  const app = await startFlowApp({ settings: { file_folders: [allowed] } })
  return {
    app,
    allowed,
    write: async (config: Record<string, unknown>) => {
      const { flow } = await app.addFlow([{ ref_id: 'it', type: 'write_records', config }])
      await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
      const run = app.runs().find(({ flow_id: id }) => id === flow.id)!
      return (
        run.error ?? {
          output: app.stepsOf(run)[0]?.output,
          warnings: run.warnings.map(({ message }) => message),
        }
      )
    },
  }
}

const TYPES = { day: 'date', at: 'timestamp', price: 'decimal' }
const FIRST = [
  { id: 1, day: '2026-01-02', at: '2026-01-02T03:04:05.123456+02:00', price: 19.99 },
  { id: 2, day: '1969-12-31', at: '1969-12-31T23:59:59.5Z', price: '-12345678901234567890.123456789' },
  { id: 3, day: '', at: null, price: 100 },
  { id: 4, day: '2026-02-30', at: null, price: 1 },
  { id: 5, day: '2026-01-02', at: 'yesterday', price: 1 },
  { id: 6, day: '2026-01-02', at: null, price: '1,5' },
]
const SECOND = [
  { id: 1, day: '2026-01-03', at: '2026-01-03T00:00:00.1234567Z', price: '0.10' },
  { id: 7, at: '2026-01-04' },
]
const merge = { mode: 'merge', key: ['id'], types: TYPES }
const wrote = (records: number, rejected: number, warnings: string[]) => ({
  output: expect.objectContaining({ records, rejected }) as unknown,
  warnings: warnings.map((words) => expect.stringContaining(words) as unknown),
})
const BAD_DAY = 'record 4 has "2026-02-30" as "day", which is not a date'
const CUT = 'In 1 record(s), times have digits after the microseconds'
const REASONS = [
  BAD_DAY,
  'record 5 has "yesterday" as "at", which is not a timestamp',
  'record 6 has "1,5" as "price", which is not a decimal',
]
const reasonsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { reason: string }).reason)

describe('columns of declared types', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function withPostgres() {
    const { app, write } = await withTargets()
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID, name: 'Shop', auth_type: 'username_password', username: server.user, password: server.password,
      api_endpoint: server.url,
    }) // prettier-ignore
    const target = { target: 'postgres', auth_id: (json as { id: string }).id }
    return (table: string, records: unknown, config: object) =>
      write({ ...target, table, records, ...config })
  }

  it('are dates, timestamps and exact numbers in Parquet, also after a merge', async () => {
    const { write, allowed } = await withTargets()
    const target = { target: 'parquet', path: 'a.parquet' }
    const results = [
      await write({ ...target, records: FIRST, ...merge }),
      await write({ ...target, records: SECOND, ...merge }),
      await write({ ...target, records: [{ id: 8, price: '0.1234567891' }, { id: 9, price: `1${'0'.repeat(29)}` }, { id: 10 }], ...merge }),
    ] // prettier-ignore
    const from = `FROM '${join(allowed, 'a.parquet')}'`
    expect({
      results,
      reasons: reasonsIn(join(allowed, 'a.parquet.rejected.jsonl')),
      types: await duckDb(`SELECT column_name, column_type FROM (DESCRIBE SELECT * ${from})`),
      rows: await duckDb(`SELECT id, day, epoch_us("at"), price ${from} ORDER BY id`),
      found: await duckDb(`SELECT id ${from} WHERE price < -1 OR day = DATE '2026-01-03' ORDER BY id`),
    }).toEqual({
      results: [wrote(3, 3, [BAD_DAY]), wrote(2, 0, [CUT]), wrote(1, 2, ['which a column DECIMAL(38, 9)'])],
      reasons: [
        ...REASONS,
        '"price" is 0.1234567891, which a column DECIMAL(38, 9) doesn\'t hold exactly',
        `"price" is 1${'0'.repeat(29)}, which a column DECIMAL(38, 9) doesn't hold exactly`,
      ],
      types: [
        ['id', 'BIGINT'],
        ['day', 'DATE'],
        ['at', 'TIMESTAMP WITH TIME ZONE'],
        ['price', 'DECIMAL(38,9)'],
      ],
      rows: [
        ['1', '2026-01-03', '1767398400123456', '0.100000000'],
        ['2', '1969-12-31', '-500000', '-12345678901234567890.123456789'],
        ['3', null, null, '100.000000000'],
        ['7', null, '1767484800000000', null],
        ['10', null, null, null],
      ],
      found: [['1'], ['2']],
    })
  })

  it('of Parquet become text if records come without the types', async () => {
    const { write, allowed } = await withTargets()
    const target = { target: 'parquet', path: 'a.parquet' }
    await write({ ...target, records: FIRST.slice(0, 2), ...merge })
    const results = [
      await write({ ...target, records: [{ id: 7, day: '2026-01-04', price: 1.5 }] }),
      await write({ ...target, records: [{ id: 8, day: '2026-01-05', price: '2.50' }], types: TYPES }),
    ]
    expect({
      results,
      rows: await duckDb(
        `SELECT id, day, "at" IS NULL, price FROM '${join(allowed, 'a.parquet')}' ORDER BY id`,
      ),
    }).toEqual({
      results: [
        wrote(1, 0, ['Wider columns in "a.parquet": day (DATE to STRING), price (DECIMAL to STRING)']),
        wrote(1, 0, [
          'The column "day" of "a.parquet" has the type STRING, so its values aren\'t stored as DATE',
          'The column "price" of "a.parquet" has the type STRING, so its values aren\'t stored as DECIMAL',
        ]),
      ],
      rows: [
        ['1', '2026-01-02', false, '19.99'],
        ['2', '1969-12-31', false, '-12345678901234567890.123456789'],
        ['7', '2026-01-04', true, '1.5'],
        ['8', '2026-01-05', true, '2.5'],
      ],
    })
  })

  it('are those of PostgreSQL, where a column of numbers becomes exact and a column of text is reported', async () => {
    const write = await withPostgres()
    const results = [await write('typed', FIRST, merge), await write('typed', SECOND, merge)]
    await write('later', [{ id: 1, at: '2026-01-01T00:00:00Z', price: 0.5 }], {})
    const later = await write('later', [{ id: 2, at: '2026-01-02 00:00', price: '0.12345678901234567890' }], {
      types: TYPES,
    })
    expect({
      results,
      rows: await server.query(
        `SELECT id::int, day::text, (extract(epoch FROM at) * 1000000)::bigint::text AS at, price::text, pg_typeof(at)::text AS type
         FROM typed ORDER BY id`,
      ),
      later,
      changed: await server.query(
        'SELECT at, price::text, pg_typeof(price)::text AS type FROM later ORDER BY id',
      ),
    }).toEqual({
      results: [wrote(3, 3, [BAD_DAY]), wrote(2, 0, [CUT])],
      rows: [
        { id: 1, day: '2026-01-03', at: '1767398400123456', price: '0.1', type: 'timestamp with time zone' },
        {
          id: 2,
          day: '1969-12-31',
          at: '-500000',
          price: '-12345678901234567890.123456789',
          type: 'timestamp with time zone',
        },
        { id: 3, day: null, at: null, price: '100', type: 'timestamp with time zone' },
        { id: 7, day: null, at: '1767484800000000', price: null, type: 'timestamp with time zone' },
      ],
      later: wrote(1, 0, [
        'Wider columns in "later": price (double precision to numeric)',
        'The column "at" of "later" has the type text, so its values aren\'t stored as timestamp with time zone',
      ]),
      changed: [
        { at: '2026-01-01T00:00:00Z', price: '0.5', type: 'numeric' },
        { at: '2026-01-02T00:00:00.000000Z', price: '0.1234567890123456789', type: 'numeric' },
      ],
    })
  })

  it('are text of one form in SQLite, which sorts as the values do and compares as a key', async () => {
    const { write, allowed } = await withTargets()
    const target = { target: 'sqlite', path: 'a.db', table: 't' }
    const results = [
      await write({ ...target, records: FIRST, ...merge }),
      await write({ ...target, records: SECOND, ...merge }),
      await write({ ...target, table: 'keys', records: [{ at: '2026-01-02T00:00:00Z', n: 1 }], mode: 'merge', key: ['at'], types: TYPES }),
      await write({ ...target, table: 'keys', records: [{ at: '2026-01-02T01:00:00.0+01:00', n: 2 }], mode: 'merge', key: ['at'], types: TYPES }),
    ] // prettier-ignore
    const db = new Database(join(allowed, 'a.db'))
    const rows = db.prepare('SELECT id, day, at, price FROM t ORDER BY id').raw().all()
    const keys = db.prepare('SELECT at, n FROM keys').raw().all()
    db.close()
    expect({ results, rows, keys }).toEqual({
      results: [wrote(3, 3, [BAD_DAY]), wrote(2, 0, [CUT]), wrote(1, 0, []), wrote(1, 0, [])],
      rows: [
        [1, '2026-01-03', '2026-01-03T00:00:00.123456Z', '0.1'],
        [2, '1969-12-31', '1969-12-31T23:59:59.500000Z', '-12345678901234567890.123456789'],
        [3, null, null, '100'],
        [7, null, '2026-01-04T00:00:00.000000Z', null],
      ],
      keys: [['2026-01-02T00:00:00.000000Z', 2]],
    })
  })

  it('leave files without types as they are', async () => {
    const { write, allowed } = await withTargets()
    await write({ target: 'jsonl', path: 'a.jsonl', records: FIRST.slice(3), types: TYPES })
    expect(readFileSync(join(allowed, 'a.jsonl'), 'utf8')).toBe(
      FIRST.slice(3)
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    )
  })
})
