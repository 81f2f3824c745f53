/** Records that a target can't take are set aside, each once, and the others are written. */
import { quoted } from '../../../src/shared/contract/base/message.ts'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { OpenAuth } from '../../../src/main/engine/connector/open-auth.ts'
import type { SinkTarget } from '../../../src/main/engine/flow/model/ports.ts'
import { createSinks } from '../../../src/main/services/reaching/databases/sinks.ts'
import { createSqliteFiles } from '../../../src/main/services/reaching/databases/sqlite.ts'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

async function withFolder() {
  const folder = temporaryFolder()
  const allowed = join(folder, 'allowed')
  mkdirSync(allowed)
  return { allowed, app: await startFlowApp({ settings: { file_folders: [allowed] } }) }
}

async function write(app: FlowApp, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([{ ref_id: 'it', type: 'write_records', config }])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const run = app.runs().find(({ flow_id: id }) => id === flow.id)!
  return run.error ?? { output: app.stepsOf(run)[0]?.output, warnings: run.warnings }
}

interface Line {
  readonly run: string
  readonly reason: string
  readonly record: unknown
}

const linesIn = (path: string) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
    : []
const recordsIn = (path: string) => linesIn(path).map(({ record }) => record)
const including = (words: string) => expect.stringContaining(words) as string
const setAside = (
  records: number,
  rejected: number,
  file: string,
  words: string,
  cursor: unknown = null,
) => ({
  output: { records, rejected, rejected_file: file, cursor },
  warnings: [expect.objectContaining({ code: 'records_rejected', message: including(words) })] as unknown[],
})
const failure = (words: string) =>
  expect.objectContaining({ code: 'validation', message: including(words) }) as unknown

function rowsOf(path: string, statement: string): unknown[] {
  const db = new Database(path)
  try {
    return db.prepare(statement).raw().all()
  } finally {
    db.close()
  }
}

function create(path: string, statement: string): void {
  const db = new Database(path)
  db.exec(statement)
  db.close()
}

describe("records that files can't take", () => {
  const records = [{ id: 1, at: 5 }, 'text', { at: 9 }, { id: 2, at: 6 }, null]

  it.each(['jsonl', 'csv', 'parquet'])('are set aside: %s', async (target) => {
    const { allowed, app } = await withFolder()
    const path = `a.${target}`
    const config = { target, path, mode: 'merge', key: ['id'], cursor: 'at', records }
    const file = `${path}.rejected.jsonl`
    const first = await write(app, config)
    const again = await write(app, { ...config, records: [{ id: 3, at: 7 }, 'more'] })
    expect({
      first,
      again,
      lines: linesIn(join(allowed, file)),
      files: readdirSync(allowed).toSorted(),
    }).toEqual({
      // The highest cursor belongs to a record that was set aside, so it isn't read again.
      first: setAside(2, 3, file, '3 record(s)', 9),
      again: setAside(1, 1, file, 'record 2 is "more"', 9),
      lines: [
        {
          run: expect.any(String) as string,
          reason: including('must be objects'),
          record: 'text',
        },
        { run: expect.any(String) as string, reason: including('no "id"'), record: { at: 9 } },
        {
          run: expect.any(String) as string,
          reason: including('record 5 is null'),
          record: null,
        },
        {
          run: expect.any(String) as string,
          reason: including('record 2 is "more"'),
          record: 'more',
        },
      ],
      files: [path, file, `${path}.state.json`],
    })
  })

  it('fail the step with `on_bad_record: fail`, and if there are no others', async () => {
    const { allowed, app } = await withFolder()
    const path = 'a.jsonl'
    expect([
      await write(app, { path, records, on_bad_record: 'fail' }),
      await write(app, { path, records: ['a', 'b'] }),
      await write(app, { path, records: ['a', 'b'], mode: 'replace' }),
      await write(app, { path, records: Array.from({ length: 10_002 }, (_, at) => (at === 0 ? {} : at)) }),
      await write(app, { path, records: [] }),
    ]).toEqual([
      failure('record 2 is "text"'),
      failure('none of the 2 records can be written. The first: record 1 is "a"'),
      failure('none of the 2 records can be written'),
      failure('more than 10000 records'),
      { output: { records: 0, rejected: 0, cursor: null }, warnings: [] },
    ])
    expect(readdirSync(allowed).filter((name) => name.includes('rejected'))).toEqual([])
  })
})

describe("records that SQLite tables can't take", () => {
  const target = { target: 'sqlite', path: 'a.db', table: 'own/t' }
  const file = 'a.db.own%2Ft.rejected.jsonl'

  it('are set aside, whatever the mode', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.db')
    create(path, 'CREATE TABLE "own/t" (id INTEGER PRIMARY KEY, n TEXT NOT NULL CHECK (n <> \'x\'))')
    const records = [{ id: 1, n: 'a' }, { id: 2, n: 'x' }, { id: 'no', n: 'b' }, { id: 3 }, { n: 'c', id: 4 }]
    const results = []
    for (const mode of ['append', 'merge', 'replace'])
      results.push(await write(app, { ...target, mode, key: mode === 'merge' ? ['id'] : [], records }))
    const fatal = await write(app, { ...target, records, on_bad_record: 'fail' })
    const none = await write(app, { ...target, records: [{ id: 7 }], mode: 'replace' })
    expect({
      results,
      fatal,
      none,
      rows: rowsOf(path, 'SELECT id, n FROM "own/t"'),
      rejected: recordsIn(join(allowed, file)),
      files: readdirSync(allowed),
    }).toEqual({
      results: Array.from({ length: 3 }, () => setAside(2, 3, file, 'CHECK constraint failed')),
      fatal: failure('UNIQUE constraint failed'),
      none: failure('NOT NULL constraint failed'),
      rows: [
        [1, 'a'],
        [4, 'c'],
      ],
      rejected: Array.from({ length: 3 }, () => records.slice(1, 4)).flat(),
      files: ['a.db', file],
    })
  })

  it('are set aside if SQLite would change them in a column whose type stays', async () => {
    const { allowed, app } = await withFolder()
    const path = join(allowed, 'a.db')
    create(path, 'CREATE TABLE "own/t" (zip NUMERIC UNIQUE, n REAL, CHECK (n > 0))')
    const records =
      '{{ \'[{"zip":1,"n":1.5},{"zip":"007","n":2},{"zip":8,"n":9007199254740993},{"zip":9,"n":3}]\' | parse_json }}'
    expect({
      result: await write(app, { ...target, records }),
      rows: rowsOf(path, 'SELECT zip, n FROM "own/t"'),
      rejected: recordsIn(join(allowed, file)),
    }).toEqual({
      result: setAside(2, 2, file, `the value for the column "zip" doesn't fit its type`),
      rows: [
        [1, 1.5],
        [9, 3],
      ],
      rejected: [
        { zip: '007', n: 2 },
        // oxlint-disable-next-line no-loss-of-precision -- as JSON.parse reads it
        { zip: 8, n: 9007199254740993 },
      ],
    })
  })

  it('are set aside if they have more fields than a table has columns', async () => {
    const { allowed, app } = await withFolder()
    const wide = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`f${at}`, at]))
    expect(await write(app, { ...target, records: [{ id: 1 }, wide] })).toEqual(
      setAside(1, 1, file, '2001 fields'),
    )
    expect(recordsIn(join(allowed, file))).toEqual([wide])
  })

  it('fail the step if a trigger of the table ends the transaction', async () => {
    const { allowed, app } = await withFolder()
    create(
      join(allowed, 'a.db'),
      `CREATE TABLE "own/t" (id INTEGER); CREATE TRIGGER no BEFORE INSERT ON "own/t" WHEN new.id = 2
       BEGIN SELECT RAISE(ROLLBACK, 'not two'); END`,
    )
    expect(await write(app, { ...target, records: [{ id: 1 }, { id: 2 }, { id: 3 }] })).toEqual(
      failure('not two'),
    )
    expect({
      rows: rowsOf(join(allowed, 'a.db'), 'SELECT * FROM "own/t"'),
      files: readdirSync(allowed),
    }).toEqual({
      rows: [],
      files: ['a.db'],
    })
  })
})

/**
 * The process of SQLite, or a server, can complete a write whose Millrace was killed, after a new Millrace has begun
 * the same write.
 */
describe('a write that was committed in the meantime', () => {
  const write = {
    id: 'run/1',
    mode: 'append',
    key: [],
    isBadRecordFatal: false,
    types: new Map(),
    signal: new AbortController().signal,
  } as const

  async function commitTwice(target: SinkTarget, rejectedFolder: string) {
    // They belong to two processes, because one alone would refuse the second write to a file.
    const files = [createSqliteFiles(), createSqliteFiles()]
    const admit = async (path: string) => path
    const sinks = await Promise.all(
      files.map((sqliteFiles) =>
        createSinks({ sqliteFiles, admitFile: admit, admitDatabase: admit, rejectedFolder }).open(
          target,
          write,
        ),
      ),
    )
    const results = []
    for (const sink of sinks) {
      await sink.write([{ id: 1 }, { id: 2, wrong: 'x' }])
      sink.reject('text', quoted('not a record'))
    }
    for (const sink of sinks) results.push((await sink.commit(null)).result)
    for (const sink of sinks) await sink.close()
    for (const one of files) await one.close()
    return results
  }

  it("isn't repeated in a SQLite file", async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'a.db')
    create(path, "CREATE TABLE t (id INTEGER, wrong TEXT CHECK (wrong <> 'x'))")
    const rejected_file = `${path}.t.rejected.jsonl`
    const result = { records: 1, rejected: 2, rejected_file, cursor: null }
    expect({
      results: await commitTwice({ kind: 'sqlite', path, table: 't' }, folder),
      rows: rowsOf(path, 'SELECT * FROM t'),
      rejected: recordsIn(rejected_file),
    }).toEqual({ results: [result, result], rows: [[1, null]], rejected: ['text', { id: 2, wrong: 'x' }] })
  })

  it("isn't repeated in PostgreSQL", async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    await server.query("CREATE TABLE t (id int, wrong text CHECK (wrong <> 'x'))")
    const folder = temporaryFolder()
    const auth = {
      id: 'it',
      username: server.user,
      password: server.password,
      api_endpoint: server.url,
      user_input: {},
    } as OpenAuth
    const rejected_file = join(folder, 'it.t.rejected.jsonl')
    const result = { records: 1, rejected: 2, rejected_file, cursor: null }
    expect({
      results: await commitTwice({ kind: 'postgres', auth, table: 't' }, folder),
      rows: await server.query('SELECT * FROM t'),
      rejected: recordsIn(rejected_file),
      files: readdirSync(folder),
    }).toEqual({
      results: [result, result],
      rows: [{ id: 1, wrong: null }],
      rejected: ['text', { id: 2, wrong: 'x' }],
      files: ['it.t.rejected.jsonl'],
    })
  })
})

/** Leaves what a process leaves that is killed at a certain moment of its write. */
describe('after a kill, records are set aside once', () => {
  const targets = [
    { target: 'jsonl', path: 'a.jsonl', mode: 'merge', key: ['id'] },
    { target: 'sqlite', path: 'a.db', table: 't', mode: 'merge', key: ['id'] },
  ]

  it.each(targets)('$target', async (target) => {
    const { allowed, app } = await withFolder()
    const file = join(
      allowed,
      target.target === 'sqlite' ? 'a.db.t.rejected.jsonl' : 'a.jsonl.rejected.jsonl',
    )
    const send = (id: number) => write(app, { ...target, records: [{ id }, { no: id }] })
    await send(1)
    const before = readFileSync(file, 'utf8')
    await send(2)
    const all = readFileSync(file, 'utf8')
    const added = all.slice(before.length)
    // The steps of a flow are numbered, so this is the ID of the first one.
    const id = `${(JSON.parse(added) as Line).run}/1`
    const markOf = (id: string) => createHash('sha1').update(id).digest('hex').slice(0, 16)
    const part = `${file}.${markOf(id)}.4193999-1`
    const other = `${file}.${markOf('another/1')}.4193999-2.part`
    const outcomes = []
    for (const [name, left] of [
      [
        'before the file was begun',
        () => (writeFileSync(`${part}.part`, added), writeFileSync(file, before)),
      ],
      ['before there was a file', () => (writeFileSync(`${part}.part`, all), rmSync(file))],
      [
        'in the middle of it',
        () => (
          writeFileSync(`${part}.at-${before.length}.part`, added),
          writeFileSync(file, all.slice(0, -9))
        ),
      ],
      ['before its end', () => writeFileSync(`${part}.at-${before.length}.part`, added)],
      ['before the target changed', () => writeFileSync(other, all)],
    ] as const) {
      left()
      // A separate write, which finds what was left.
      await write(app, { ...target, mode: 'append', key: [], records: [] })
      outcomes.push({
        name,
        text: readFileSync(file, 'utf8'),
        parts: readdirSync(allowed).filter((one) => one.endsWith('.part')),
      })
      await restore()
    }
    expect(outcomes).toEqual(outcomes.map(({ name }) => ({ name, text: all, parts: [] })))

    /** Makes the target remember the second write as its last one. */
    async function restore() {
      if (target.target === 'sqlite') {
        const db = new Database(join(allowed, 'a.db'))
        db.prepare('UPDATE millrace_sync SET write_id = ?').run(id)
        db.close()
        return
      }
      const state = join(allowed, 'a.jsonl.state.json')
      const { now } = JSON.parse(readFileSync(state, 'utf8')) as { now: object }
      writeFileSync(`${state}.x`, JSON.stringify({ now: { ...now, id }, pending: null }))
      renameSync(`${state}.x`, state)
    }
  })
})

describe("records that PostgreSQL tables can't take", () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function start() {
    const dataDir = temporaryFolder()
    const app = await startFlowApp({ dataDir })
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID,
      name: 'Shop',
      auth_type: 'username_password',
      username: server.user,
      password: server.password,
      api_endpoint: server.url,
      user_input: {},
    })
    const auth_id = (json as { id: string }).id
    return {
      app,
      fileOf: (table: string) => join(app.store.dataDir, 'rejected', `${auth_id}.${table}.rejected.jsonl`),
      send: (table: string, records: unknown, more: object = {}) =>
        write(app, { target: 'postgres', auth_id, table, records, ...more }),
    }
  }

  it('are set aside, whatever the mode, and found among many', async () => {
    const { send, fileOf } = await start()
    await server.query(
      "CREATE TABLE own (id int PRIMARY KEY, at date NOT NULL, code varchar(3) CHECK (code <> 'bad'))",
    )
    const good = (id: number) => ({ id, at: '2026-01-02', code: 'ok' })
    const bad = [
      { ...good(7), at: 'no date' },
      { ...good(8), code: 'long' },
      { ...good(9), code: 'bad' },
      { id: 10 },
    ]
    const records = [
      ...Array.from({ length: 900 }, (_, at) => good(1_000 + at)),
      ...bad.slice(0, 2),
      ...Array.from({ length: 900 }, (_, at) => good(2_000 + at)),
      ...bad.slice(2),
    ]
    const file = fileOf('own')
    const results = []
    for (const mode of ['append', 'merge', 'replace'])
      results.push(await send('own', records, { mode, key: mode === 'merge' ? ['id'] : [] }))
    expect({
      results,
      fatal: await send('own', records, { mode: 'replace', on_bad_record: 'fail' }),
      none: await send('own', bad, { mode: 'replace' }),
      rows: await server.query('SELECT count(*)::int, min(id), max(id) FROM own'),
      rejected: recordsIn(file),
      parts: readdirSync(join(file, '..')).length,
    }).toEqual({
      results: Array.from({ length: 3 }, () =>
        setAside(1_800, 4, file, 'invalid input syntax for type date'),
      ),
      fatal: failure('invalid input syntax for type date'),
      none: failure(
        'none of the 4 records can be written. The first: PostgreSQL refused: invalid input syntax',
      ),
      rows: [{ count: 1_800, min: 1_000, max: 2_899 }],
      rejected: Array.from({ length: 3 }, () => bad).flat(),
      parts: 1,
    })
  })

  it('are set aside if their column has to keep its type', async () => {
    const { send, fileOf } = await start()
    await server.query('CREATE TABLE seen (id int, n int); CREATE VIEW shown AS SELECT n FROM seen')
    expect(
      await send('seen', [
        { id: 1, n: 1 },
        { id: 2, n: 1.5 },
        { id: 3, n: 'x' },
        { id: 4, n: true },
      ]),
    ).toEqual(setAside(1, 3, fileOf('seen'), 'invalid input syntax for type integer: "1.5"'))
    expect(await server.query('SELECT id, n FROM seen')).toEqual([{ id: 1, n: 1 }])
  })

  it('are set aside by writes that run at the same time, each once', async () => {
    const { send, fileOf } = await start()
    await server.query('CREATE TABLE shared (id int, at date)')
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, id) =>
        send('shared', [
          { id, at: '2026-01-02' },
          { id, at: 'no' },
        ]),
      ),
    )
    expect({
      results,
      rejected: (recordsIn(fileOf('shared')) as { id: number }[])
        .map(({ id }) => id)
        .toSorted((a, b) => a - b),
      rows: await server.query('SELECT count(*)::int FROM shared'),
    }).toEqual({
      results: results.map(() => setAside(1, 1, fileOf('shared'), 'date')),
      rejected: [0, 1, 2, 3, 4, 5],
      rows: [{ count: 6 }],
    })
  })
})
