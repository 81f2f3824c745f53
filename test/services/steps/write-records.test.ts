import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { parquetWriteFile } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaryOf } from '../../../packages/jinja/src/data/value.ts'
import { writeParquet } from '../../../src/main/services/reaching/databases/parquet-file.ts'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { MERGE_COUNTS, mergeCounts } from '../../helpers/merge-counts.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

async function withFolder() {
  const folder = temporaryFolder()
  const allowed = join(folder, 'allowed')
  mkdirSync(allowed)
  return { folder, allowed, app: await startFlowApp({ settings: { file_folders: [allowed] } }) }
}

async function run(app: FlowApp, type: string, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([{ ref_id: 'it', type, config }])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [last] = app.runs()
  return last?.error
    ? last.error
    : { output: app.stepsOf(last!)[0]?.output, warnings: last!.warnings.map(({ message }) => message) }
}

const failure = (code: string, words: string) => ({ code, message: expect.stringContaining(words) as string })
const row = (id: number, more: object = {}) => ({
  id,
  name: `n${id}`,
  at: `2026-01-0${id}T00:00:00Z`,
  ...more,
})
const merge = { mode: 'merge', key: ['id'], cursor: 'at' }

/** Does the same for every kind of target. `read` returns its records in the order of their IDs. */
async function syncTwice(app: FlowApp, target: Record<string, unknown>) {
  const write = (records: unknown, more: object) => run(app, 'write_records', { ...target, records, ...more })
  return [
    await run(app, 'read_cursor', { ...target, initial: '2020-01-01' }),
    await write([row(1), row(2)], merge),
    await run(app, 'read_cursor', { ...target, look_back: 3_600 }),
    await write([row(2, { name: 'old' }), row(3), row(2, { name: 'new', total: 1.5 })], merge),
    await write([row(2, { total: 'much', doc: { a: [1] } })], merge),
    await write([], merge),
    await run(app, 'read_cursor', target),
  ]
}

const cursorAt = (cursor: string, stored: string | null) => ({ output: { cursor, stored }, warnings: [] })
const wrote = (records: number, cursor: string, warnings: string[] = []) => ({
  output: { records, rejected: 0, cursor },
  warnings: warnings.map((words) => expect.stringContaining(words) as string),
})
const SYNCED = (first: string[], second: string[]) => [
  cursorAt('2020-01-01', null),
  wrote(2, '2026-01-02T00:00:00Z'),
  cursorAt('2026-01-01T23:00:00Z', '2026-01-02T00:00:00Z'),
  wrote(3, '2026-01-03T00:00:00Z', first),
  wrote(1, '2026-01-03T00:00:00Z', second),
  wrote(0, '2026-01-03T00:00:00Z'),
  cursorAt('2026-01-03T00:00:00Z', '2026-01-03T00:00:00Z'),
]

function rowsOf(path: string, statement: string): unknown {
  const db = new Database(path)
  try {
    return db.prepare(statement).raw().all()
  } finally {
    db.close()
  }
}

describe('records in files', () => {
  it('are merged by key as lines of JSON, with the cursor next to them', async () => {
    const { allowed, app } = await withFolder()
    const steps = await syncTwice(app, { target: 'jsonl', path: 'a/orders.jsonl' })
    const lines = readFileSync(join(allowed, 'a/orders.jsonl'), 'utf8').trimEnd().split('\n')
    expect({ steps, lines: lines.map((line) => JSON.parse(line) as unknown) }).toEqual({
      steps: SYNCED([], []),
      lines: [row(1), row(3), row(2, { total: 'much', doc: { a: [1] } })],
    })
    expect(readdirSync(join(allowed, 'a')).toSorted()).toEqual(['orders.jsonl', 'orders.jsonl.state.json'])
  })

  it('are merged by key as CSV, and new columns are reported', async () => {
    const { allowed, app } = await withFolder()
    const steps = await syncTwice(app, { target: 'csv', path: 'orders.csv' })
    expect({ steps, text: readFileSync(join(allowed, 'orders.csv'), 'utf8') }).toEqual({
      steps: SYNCED(['New columns in "orders.csv": total'], ['New columns in "orders.csv": doc']),
      text: [
        'id,name,at,total,doc',
        '1,n1,2026-01-01T00:00:00Z,,',
        '3,n3,2026-01-03T00:00:00Z,,',
        '2,n2,2026-01-02T00:00:00Z,much,"{""a"":[1]}"',
        '',
      ].join('\r\n'),
    })
  })

  it('are appended and replaced', async () => {
    const { allowed, app } = await withFolder()
    const write = (path: string, records: unknown, mode: string) =>
      run(app, 'write_records', { target: path.split('.')[1], path, records, mode })
    writeFileSync(join(allowed, 'b.csv'), 'name,id\r\nfirst,0\r\n')
    for (const path of ['a.jsonl', 'b.csv']) {
      await write(path, [row(1)], 'append')
      await write(path, [{ id: 2 }], 'append')
    }
    const appended = ['a.jsonl', 'b.csv'].map((name) => readFileSync(join(allowed, name), 'utf8'))
    for (const path of ['a.jsonl', 'b.csv']) await write(path, [{ id: 9 }], 'replace')
    expect({
      appended,
      replaced: ['a.jsonl', 'b.csv'].map((name) => readFileSync(join(allowed, name), 'utf8')),
    }).toEqual({
      appended: [
        '{"id":1,"name":"n1","at":"2026-01-01T00:00:00Z"}\n{"id":2}\n',
        'name,id,at\r\nfirst,0,\r\nn1,1,2026-01-01T00:00:00Z\r\n,2,\r\n',
      ],
      replaced: ['{"id":9}\n', 'id\r\n9\r\n'],
    })
  })

  it('are written completely or not at all, and an interrupted change is undone', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.jsonl')
    const config = { path: 'a.jsonl', cursor: 'at' }
    await run(app, 'write_records', { ...config, records: [row(1)] })
    const before = readFileSync(path, 'utf8')
    const failed = await run(app, 'write_records', {
      ...config,
      records: [row(2), 'text'],
      on_bad_record: 'fail',
    })
    expect({ failed, text: readFileSync(path, 'utf8') }).toMatchObject({
      failed: failure('validation', 'record 2 is "text"; records must be objects'),
      text: before,
    })
    // This imitates a process that was killed while it added lines.
    const state = JSON.parse(readFileSync(`${path}.state.json`, 'utf8')) as { now: object; pending: unknown }
    const after = { cursor: '2026-01-02T00:00:00Z', result: null, id: 'killed' }
    writeFileSync(
      `${path}.state.json`,
      JSON.stringify({ ...state, pending: { change: { length: before.length }, after } }),
    )
    writeFileSync(path, `${before}{"id":2,"na`)
    expect(await run(app, 'read_cursor', { path: 'a.jsonl' })).toMatchObject({
      output: { stored: '2026-01-01T00:00:00Z' },
    })
    await run(app, 'write_records', { ...config, records: [row(3)] })
    expect(readFileSync(path, 'utf8')).toBe(`${before}${JSON.stringify(row(3))}\n`)
  })

  it('are rejected with contradictory options, and outside of the folders', async () => {
    const { folder, allowed, app } = await withFolder()
    writeFileSync(join(folder, 'secret.txt'), 'outside')
    symlinkSync(join(folder, 'secret.txt'), join(allowed, 'link.jsonl'))
    writeFileSync(join(allowed, 'text.jsonl'), 'not JSON\n')
    const records = [row(1)]
    expect([
      await run(app, 'write_records', { records, path: '../secret.txt' }),
      await run(app, 'write_records', { records, path: 'link.jsonl' }),
      await run(app, 'write_records', { records, path: 'text.jsonl', ...merge }),
      await run(app, 'write_records', { records: [{ name: 'x' }], path: 'a.jsonl', ...merge }),
      await run(app, 'write_records', { records: 'text', path: 'a.jsonl' }),
      await run(app, 'read_cursor', { path: '../secret.txt' }),
    ]).toMatchObject([
      failure('forbidden', 'outside of the folders'),
      failure('forbidden', 'it is a link'),
      failure('validation', "isn't a file of JSON lines"),
      failure('validation', 'record 1 has no "id", which is part of the key'),
      failure('validation', '"records" must be a list'),
      failure('forbidden', 'outside of the folders'),
    ])
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('outside')
    const wrong = [
      { records, target: 'sqlite', path: 'a.db' },
      { records, target: 'postgres', table: 't' },
      { records, target: 'csv' },
      { records, path: 'a', mode: 'merge' },
      { records, path: 'a', mode: 'replace', cursor: 'at' },
    ]
    for (const config of wrong) {
      const steps = [{ ref_id: 'it', type: 'write_records', config }]
      expect((await app.call('POST', '/v1/flows', { name: 'x', steps })).status).toBe(400)
    }
  })
})

describe('records in Parquet files', () => {
  const target = { target: 'parquet', path: 'a.parquet' }
  const rowsIn = async (path: string) => parquetReadObjects({ file: await asyncBufferFromFile(path) })
  const typesIn = async (path: string) => {
    const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(path))
    return Object.fromEntries(
      schema.slice(1).map((one) => [one.name, one.logical_type?.type ?? one.converted_type ?? one.type]),
    )
  }

  it('are merged by key, and new and wider columns are reported', async () => {
    const { allowed, app } = await withFolder()
    const steps = await syncTwice(app, target)
    expect({ steps, rows: await rowsIn(join(allowed, 'a.parquet')), files: readdirSync(allowed) }).toEqual({
      steps: SYNCED(
        ['New columns in "a.parquet": total'],
        ['New columns in "a.parquet": doc', 'Wider columns in "a.parquet": total (DOUBLE to STRING)'],
      ),
      rows: [
        { ...row(1), id: 1n, total: null, doc: null },
        { ...row(3), id: 3n, total: null, doc: null },
        { ...row(2), id: 2n, total: 'much', doc: { a: [1] } },
      ],
      files: ['a.parquet', 'a.parquet.state.json'],
    })
  })

  it('are appended and replaced, with types that fit every value', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.parquet')
    const write = (records: unknown, more: object = {}) =>
      run(app, 'write_records', { ...target, records, ...more })
    await write([])
    await write(
      '{{ [{"n": 12345678901234567890123, "l": 9007199254740993, "o": none, "b": true, "t": "ä\\u0000"}] }}',
    )
    await write([{ l: 1, o: 1.5, b: 'x', d: { deep: [1, null] } }])
    expect([await rowsIn(path), await typesIn(path)]).toEqual([
      [
        { n: '12345678901234567890123', l: 9007199254740993n, o: null, b: 'true', t: 'ä\ufffd', d: null },
        { n: null, l: 1n, o: 1.5, b: 'x', t: null, d: { deep: [1, null] } },
      ],
      { n: 'UTF8', l: 'INT64', o: 'DOUBLE', b: 'UTF8', t: 'UTF8', d: 'JSON' },
    ])
    await write([{ z: 1 }], { mode: 'replace' })
    expect(await rowsIn(path)).toEqual([{ z: 1n }])
  })

  it('are read and written in groups, and keep keys that became text', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.parquet')
    const write = (records: unknown) =>
      run(app, 'write_records', { ...target, records, mode: 'merge', key: ['id'] })
    const many = Array.from({ length: 5_000 }, (_, id) => ({ id, text: `text ${id % 10}` }))
    await write(many)
    await write([{ id: '7', text: 'new' }, { id: 'x' }])
    const rows = await rowsIn(path)
    const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
    expect({
      count: rows.length,
      groups: groups.map((one) => Number(one.num_rows)),
      end: rows.slice(-2),
    }).toEqual({
      count: 5_001,
      groups: [2_000, 2_000, 1_001],
      end: [
        { id: '7', text: 'new' },
        { id: 'x', text: null },
      ],
    })
  })

  it('that are large are written in smaller groups', async () => {
    const path = join(temporaryFolder(), 'a.parquet')
    async function* records() {
      for (let id = 0; id < 300; id++)
        yield dictionaryOf([
          ['id', id],
          ['text', 'x'.repeat(100_000)],
        ])
    }
    const columns = [
      { name: 'id', kind: 'integer' },
      { name: 'text', kind: 'text' },
    ] as const
    await writeParquet(path, columns, records())
    const rows = await rowsIn(path)
    const { row_groups: groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
    expect({
      ids: rows.map(({ id }) => Number(id)),
      large: groups.filter((one) => Number(one.num_rows) > 100),
    }).toEqual({ ids: Array.from({ length: 300 }, (_, id) => id), large: [] })
  })

  it('stay unchanged if nothing can be added', async () => {
    const { allowed, app } = await withFolder()
    const write = (path: string, records: unknown = [row(1)]) =>
      run(app, 'write_records', { target: 'parquet', path, records })
    writeFileSync(join(allowed, 'text.parquet'), 'not Parquet at all')
    writeFileSync(join(allowed, 'cut.parquet'), `PAR1${'\0'.repeat(40)}PAR1`)
    const columnData = [{ name: 'at', data: [new Date(0)], type: 'TIMESTAMP' as const }]
    parquetWriteFile({ filename: join(allowed, 'time.parquet'), columnData })
    const before = readFileSync(join(allowed, 'time.parquet'))
    expect([
      await write('text.parquet'),
      await write('cut.parquet'),
      await write('time.parquet'),
      await write('new.parquet', [{}]),
    ]).toMatchObject([
      failure('validation', '"text.parquet" can\'t be read as Parquet'),
      failure('validation', '"cut.parquet" can\'t be read as Parquet'),
      failure('validation', 'the column "at" of type TIMESTAMP'),
      failure('validation', 'the records have no fields'),
    ])
    expect(readFileSync(join(allowed, 'time.parquet')).equals(before)).toBe(true)
    expect(readdirSync(allowed).filter((name) => /new|part/.test(name))).toEqual([])
  })
})

describe('records in SQLite tables', () => {
  it('are merged by key, new and wider columns are reported, and the state is in the same file', async () => {
    const { allowed, app } = await withFolder()
    const steps = await syncTwice(app, { target: 'sqlite', path: 'shop.db', table: 'my "orders"' })
    expect({
      steps,
      rows: rowsOf(join(allowed, 'shop.db'), 'SELECT id, name, total, doc FROM "my ""orders""" ORDER BY id'),
      files: readdirSync(allowed),
    }).toEqual({
      steps: SYNCED(
        ['New columns in "my "orders"": total'],
        ['New columns in "my "orders"": doc', 'Wider columns in "my "orders"": total (REAL to TEXT)'],
      ),
      rows: [
        [1, 'n1', null, null],
        [2, 'n2', 'much', '{"a":[1]}'],
        [3, 'n3', null, null],
      ],
      files: ['shop.db'],
    })
  })

  it("keep text as text, are appended and replaced, and are rejected if a table can't store them", async () => {
    const { allowed, app } = await withFolder()
    const target = { target: 'sqlite', path: 'a.db', table: 't' }
    const write = (records: unknown, more: object = {}) =>
      run(app, 'write_records', { ...target, records, ...more })
    await write([{ zip: 7 }])
    await write([{ zip: '007' }])
    const appended = rowsOf(join(allowed, 'a.db'), 'SELECT zip FROM t')
    await write([{ zip: 1 }], { mode: 'replace' })
    expect({
      appended,
      replaced: rowsOf(join(allowed, 'a.db'), 'SELECT zip FROM t'),
      twice: await write([{ A: 1, a: 2 }]),
      duplicates: [
        await write([{ zip: 'x' }, { zip: 'x' }]),
        await write([{ zip: 'x' }], { mode: 'merge', key: ['zip'] }),
      ],
      names: [await run(app, 'write_records', { ...target, table: 'millrace_sync', records: [] })],
    }).toMatchObject({
      appended: [['7'], ['007']],
      replaced: [['1']],
      twice: { output: { records: 1 } },
      duplicates: [{ output: { records: 2 } }, failure('validation', 'UNIQUE constraint failed')],
      names: [failure('validation', 'which is already taken')],
    })
    expect(existsSync(join(allowed, 'a.db.part'))).toBe(false)
  })
})

describe('records in PostgreSQL tables', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function addAuth(app: FlowApp) {
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID,
      name: 'Shop',
      auth_type: 'username_password',
      username: server.user,
      password: server.password,
      api_endpoint: server.url,
    })
    return (json as { id: string }).id
  }

  it('are merged by key, and new and wider columns are reported', async () => {
    const app = await startFlowApp()
    const steps = await syncTwice(app, {
      target: 'postgres',
      auth_id: await addAuth(app),
      table: 'My "orders"',
    })
    expect({
      steps,
      rows: await server.query('SELECT id::int, name, total, doc FROM "My ""orders""" ORDER BY id'),
    }).toEqual({
      steps: SYNCED(['New columns in "My "orders"": total'], ['doc', 'total (double precision to text)']),
      rows: [
        { id: 1, name: 'n1', total: null, doc: null },
        { id: 2, name: 'n2', total: 'much', doc: { a: [1] } },
        { id: 3, name: 'n3', total: null, doc: null },
      ],
    })
  })

  it('are counted as new, changed and unchanged, in tables of any types', async () => {
    const app = await startFlowApp()
    const target = { target: 'postgres', auth_id: await addAuth(app) }
    await server.query('CREATE TABLE counted_own (id numeric(8, 2) PRIMARY KEY, name varchar(20), more json)')
    // The type `point` has no equality.
    const at = (x: number) => ({ id: 1, at: `(${x},1)` })
    await server.query('CREATE TABLE places (id int PRIMARY KEY, at point)')
    const place = (x: number) =>
      run(app, 'write_records', { ...target, table: 'places', records: [at(x)], mode: 'merge', key: ['id'] })
    const counts = [await mergeCounts(app, { ...target, table: 'counted' })]
    const other = await startFlowApp()
    const auth_id = await addAuth(other)
    counts.push(await mergeCounts(other, { target: 'postgres', auth_id, table: 'counted_own' }))
    expect(counts).toEqual([MERGE_COUNTS, MERGE_COUNTS])
    for (const x of [1, 1, 2]) expect(await place(x)).toMatchObject({ output: { records: 1 } })
    const { json } = await app.call('GET', '/v1/figures?of=records')
    expect(json).toMatchObject({ totals: { counts: { written: 11, new: 5, changed: 3, unchanged: 3 } } })
  })

  it("fit a user's own table, and a write that fails leaves nothing", async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app)
    await server.query('CREATE TABLE own (id int PRIMARY KEY, at timestamptz, total numeric(10, 2))')
    const write = (records: unknown, more: object = {}) =>
      run(app, 'write_records', { target: 'postgres', auth_id, table: 'own', records, ...more })
    expect([
      await write([{ id: 1, at: '2026-01-01T12:00:00+02:00', total: 12.5 }], { mode: 'merge', key: ['id'] }),
      await write([{ id: 2, at: 'no time' }]),
      await write([{ id: 3 }, { id: 1 }], { on_bad_record: 'fail' }),
      await write([{ ['x'.repeat(64)]: 1 }]),
    ]).toMatchObject([
      { output: { records: 1, rejected: 0, cursor: null }, warnings: [] },
      failure('validation', 'invalid input syntax for type timestamp'),
      failure('validation', 'duplicate key'),
      failure('validation', 'not-null constraint'),
    ])
    expect(await server.query('SELECT id, at::text, total::text FROM own')).toEqual([
      { id: 1, at: expect.stringContaining('2026-01-01') as string, total: '12.50' },
    ])
  })
})
