import { spawnSync } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { APPLICATION_ID } from '../../../src/main/store/index.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startPostgres, type TestPostgres } from '../../helpers/postgres.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const VALUES = { id: 7, name: "Robert'); DROP TABLE orders;--", big: 9007199254740993n, nothing: null }

async function run(app: FlowApp, config: Record<string, unknown>) {
  const { flow } = await app.addFlow([
    { ref_id: 'data', type: 'set', config: { values: { ...VALUES, big: '{{ 9007199254740993 }}' } } },
    { ref_id: 'it', type: 'sql', config },
  ])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [last] = app.runs()
  return last?.error ? last.error : app.stepsOf(last!)[1]?.output
}

async function withFolder() {
  const folder = temporaryFolder()
  const allowed = join(folder, 'allowed')
  mkdirSync(allowed)
  return { folder, allowed, app: await startFlowApp({ settings: { file_folders: [allowed] } }) }
}

const file = 'shop.db'
const failure = (code: string, words: string, more: object = {}) => ({
  code,
  message: expect.stringContaining(words) as string,
  ...more,
})

/** A folder on a read-only disk; null without permission to mount one. */
function readOnlyFolder(folder: string): string | null {
  const target = join(folder, 'read-only')
  mkdirSync(target)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', target])
  if (status !== 0) return null
  onTestFinished(() => void spawnSync('umount', [target]))
  return target
}

describe('SQL on a SQLite file', () => {
  it.runIf(process.platform === 'linux')(
    "calls a read-only disk by its name, and a file that doesn't exist too",
    async ({ skip }) => {
      const folder = temporaryFolder()
      const target = readOnlyFolder(folder)
      skip(target === null, 'nothing can be mounted here')
      if (target === null) return
      const app = await startFlowApp({ settings: { file_folders: [target, folder] } })
      expect([
        await run(app, { file: join(target, 'x.db'), statement: 'CREATE TABLE t (id)' }),
        await run(app, { file: join(folder, 'x.db'), statement: 'SELECT 1' }),
      ]).toMatchObject([failure('forbidden', 'the disk is read-only'), failure('not_found', "doesn't exist")])
    },
  )
  it('keeps columns of one name apart, and refuses a row that is too large', async () => {
    const { app } = await withFolder()
    expect([
      await run(app, { file, statement: 'CREATE TABLE t (id)' }),
      await run(app, { file, statement: 'SELECT 1 AS id, 2 AS id' }),
      await run(app, { file, statement: 'SELECT hex(zeroblob(10000000)) AS x' }),
      await run(app, { file, statement: 'SELECT zeroblob(20000000) AS x' }),
    ]).toMatchObject([
      { changed: 0 },
      [{ id: 1, id_2: 2 }],
      failure('too_large', 'limit of 16 MiB'),
      failure('too_large', 'limit of 16 MiB'),
    ])
  })

  it.skipIf(process.platform === 'win32')('fails alone if its process is killed', async () => {
    const { app } = await withFolder()
    await run(app, { file, statement: 'CREATE TABLE t (id)' })
    const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT count(*) FROM c'
    const running = run(app, { file, statement: endless, timeout_seconds: 600 })
    await expect.poll(() => app.runs()[0]?.status).toBe('running')
    const children = () =>
      execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(
          ([, parent, ...args]) => Number(parent) === process.pid && /sqlite-process/.test(args.join(' ')),
        )
    // The process of the previous statement may still exist, and that of this one may come later.
    let isOver = false
    void running.finally(() => (isOver = true))
    await expect
      .poll(
        () => {
          for (const [pid] of children()) process.kill(Number(pid), 'SIGKILL')
          return isOver
        },
        { timeout: 60_000 },
      )
      .toBe(true)
    expect([await running, await run(app, { file, statement: 'SELECT 1 AS one' })]).toMatchObject([
      { code: expect.any(String) as string },
      [{ one: 1 }],
    ])
  })

  it('reads and writes rows with every kind of value as a parameter', async () => {
    const { app } = await withFolder()
    expect([
      await run(app, { file, statement: 'CREATE TABLE "or ders" (id INTEGER PRIMARY KEY, name TEXT, v)' }),
      await run(app, {
        file,
        statement: 'INSERT INTO "or ders" VALUES (?, ?, ?), (?, ?, ?), (?, ?, ?)',
        parameters: [
          '{{ data.id }}',
          '{{ data.name }}',
          2.5,
          8,
          'b',
          '{{ data.big }}',
          9,
          null,
          { a: [true] },
        ],
      }),
      await run(app, {
        file,
        statement: 'SELECT *, 5.0 AS whole, x\'ff00\' AS bytes FROM "or ders" WHERE id >= :least ORDER BY id',
        parameters: { least: '{{ data.id }}' },
      }),
      await run(app, { file, statement: 'SELECT v FROM "or ders" WHERE id = ?', parameters: '{{ [8] }}' }),
      await run(app, { file, statement: '-- nothing\n/* here */ SELECT 1 WHERE 0' }),
    ]).toEqual([
      { changed: 0 },
      { changed: 3, last_id: 9 },
      [
        { id: 7, name: VALUES.name, v: 2.5, whole: 5, bytes: '/wA=' },
        { id: 8, name: 'b', v: 9007199254740993n, whole: 5, bytes: '/wA=' },
        { id: 9, name: null, v: '{"a":[true]}', whole: 5, bytes: '/wA=' },
      ].map(
        (row) =>
          expect.objectContaining({
            ...row,
            whole: expect.anything() as unknown,
            v: expect.anything() as unknown,
          }) as object,
      ),
      [{ v: expect.anything() as unknown }],
      [],
    ])
  })

  it('runs several statements in one transaction, or none of them', async () => {
    const { allowed, app } = await withFolder()
    const insert = { statement: 'INSERT INTO t VALUES (?)', parameters: [1] }
    const results = await run(app, {
      file,
      statements: [{ statement: 'CREATE TABLE t (id UNIQUE)' }, insert, { statement: 'SELECT id FROM t' }],
    })
    const failed = await run(app, { file, statements: [{ ...insert, parameters: [2] }, insert] })
    const db = new Database(join(allowed, file))
    expect({ results, failed, rows: db.prepare('SELECT id FROM t').raw().all() }).toEqual({
      results: [{ changed: 0 }, { changed: 1, last_id: 1 }, [{ id: 1 }]],
      failed: expect.objectContaining(failure('validation', 'UNIQUE constraint failed')) as object,
      rows: [[1]],
    })
    db.close()
  })

  it('streams a long list within the limit on records, which can then be looped over', async () => {
    const { app } = await withFolder()
    const statement =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i, printf('%0100d', i) AS text FROM n"
    await run(app, { file, statement: 'CREATE TABLE t (id)' })
    const { flow } = await app.addFlow([
      { ref_id: 'rows', type: 'sql', config: { file, statement, parameters: [40_000] } },
      {
        ref_id: 'sum',
        type: 'aggregate',
        config: { over: '{{ rows }}', operations: [{ name: 'all', operation: 'sum', of: 'i' }] },
      },
    ])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    expect(app.stepsOf(app.runs()[0]!)[1]?.output).toEqual({ all: 800_020_000 })
    await app.call('PUT', '/v1/settings', { pagination_max_pages: 2 })
    expect(await run(app, { file, statement, parameters: [2_000] })).toMatchObject(
      failure('too_large', 'exceeds the limit of 1,000 rows'),
    )
  })

  it('interrupts a statement that computes forever, while other work goes on', async () => {
    const { app } = await withFolder()
    await run(app, { file, statement: 'CREATE TABLE t (id)' })
    const statement = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    const { flow } = await app.addFlow([
      { ref_id: 'it', type: 'sql', config: { file, statement, timeout_seconds: 1 } },
    ])
    const [ended, health] = await Promise.all([
      app.call('POST', `/v1/flows/${flow.id}/run?wait=true`),
      app.call('GET', '/v1/health'),
    ])
    expect({ health: health.status, error: (ended.json as { error: unknown }).error }).toMatchObject({
      health: 200,
      error: failure('timeout', 'exceeded the limit of 1 s', { field: 'config.file' }),
    })
    expect(await run(app, { file, statement: 'SELECT 1 AS one' })).toEqual([{ one: 1 }])
  })

  it('refuses statements that leave the file, and templates in the text, when the flow is saved', async () => {
    const { app } = await withFolder()
    const wrong = {
      "ATTACH 'x.db' AS x": 'open another file',
      "/* a */ -- b\n ; attach 'x.db' AS x": 'open another file',
      'DETACH x': 'open another file',
      "VACUUM INTO '/tmp/x.db'": 'VACUUM INTO',
      'PRAGMA journal_mode = OFF': 'uses the PRAGMA journal_mode',
      'pragma main.writable_schema=1': 'uses the PRAGMA writable_schema',
      BEGIN: 'begins with BEGIN',
      commit: 'begins with COMMIT',
      "SELECT '{{ data.name }}'": 'must not contain templates',
      'SELECT 1 {% if x %}': 'must not contain templates',
      '-- nothing': 'is empty',
    }
    const answers = []
    for (const statement of Object.keys(wrong)) {
      const steps = [{ ref_id: 'it', type: 'sql', config: { file, statement } }]
      const { status, json } = await app.call('POST', '/v1/flows', { name: 'x', steps })
      answers.push({ statement, status, text: JSON.stringify(json) })
    }
    expect(answers).toEqual(
      Object.entries(wrong).map(([statement, words]) => ({
        statement,
        status: 400,
        text: expect.stringContaining(words) as string,
      })),
    )
    const both = [
      { file, auth_id: 'a', statement: 'SELECT 1' },
      { statement: 'SELECT 1' },
      { file },
      { file, statement: 'SELECT 1', statements: [{ statement: 'SELECT 1' }] },
    ]
    for (const config of both) {
      const steps = [{ ref_id: 'it', type: 'sql', config }]
      expect((await app.call('POST', '/v1/flows', { name: 'x', steps })).text).toContain('needs either')
    }
  })

  it('refuses other dangerous features of SQLite', async () => {
    const { folder, app } = await withFolder()
    await run(app, { file, statement: 'CREATE TABLE t (id)' })
    const statements = {
      "SELECT load_extension('/tmp/x.so')": 'not authorized',
      'SELECT 1; SELECT 2': 'more than one statement',
      "SELECT readfile('/etc/passwd')": 'no such function',
      'INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)': 'may not be modified',
      'SELECT ?': 'Too few parameter',
      SELEC: 'syntax error',
    }
    const results = []
    for (const statement of Object.keys(statements)) results.push(await run(app, { file, statement }))
    expect(results).toMatchObject(Object.values(statements).map((words) => failure('validation', words)))
    expect(existsSync(join(folder, 'x.db'))).toBe(false)
  })

  it("stays in the allowed folders, and away from Millrace's own database, however it is named", async () => {
    const { folder, allowed } = await withFolder()
    const app = await startFlowApp({ settings: { file_folders: [allowed, folder] } })
    const narrow = await startFlowApp({ settings: { file_folders: [allowed] } })
    const own = join(app.store.dataDir, 'millrace.db')
    new Database(join(folder, 'outside.db')).exec('CREATE TABLE t (id)').close()
    symlinkSync(join(folder, 'outside.db'), join(allowed, 'link.db'))
    symlinkSync(folder, join(allowed, 'up'))
    linkSync(own, join(allowed, 'hard.db'))
    new Database(join(allowed, 'copy.db')).exec(`PRAGMA application_id = ${APPLICATION_ID}`).close()
    writeFileSync(join(allowed, 'plain.txt'), 'not a database, but long enough to be looked at as one')
    new Database(join(allowed, 'journal.db')).exec('CREATE TABLE t (id)').close()
    symlinkSync(join(folder, 'victim'), join(allowed, 'journal.db-journal'))
    const statement = 'SELECT * FROM sqlite_schema'
    expect([
      await run(narrow, { file: '../outside.db', statement }),
      await run(narrow, { file: 'link.db', statement }),
      await run(narrow, { file: 'up/outside.db', statement }),
      await run(narrow, { file: `file:${join(folder, 'outside.db')}?mode=rwc`, statement }),
      await run(narrow, { file: ':memory:', statement }),
      await run(app, { file: own, statement }),
      await run(app, { file: 'hard.db', statement }),
      await run(app, { file: 'copy.db', statement }),
      await run(app, { file: 'journal.db', statement }),
      await run(app, { file: 'plain.txt', statement }),
      await run(app, { file: 'missing.db', statement }),
      await run(app, { file: ' ', statement }),
    ]).toMatchObject([
      failure('forbidden', 'outside of the folders'),
      failure('forbidden', 'it is a link'),
      failure('forbidden', 'outside of the folders'),
      failure('validation', 'contains :'),
      failure('validation', 'contains :'),
      failure('forbidden', 'outside of the folders'),
      failure('forbidden', "which flows can't use"),
      failure('forbidden', 'is a database of Millrace'),
      failure('forbidden', 'it is a link'),
      failure('validation', "isn't a SQLite database"),
      failure('not_found', "doesn't exist"),
      failure('validation', '"file" is empty'),
    ])
    expect(existsSync(join(folder, 'victim'))).toBe(false)
    expect(readFileSync(join(allowed, 'plain.txt'), 'utf8')).toContain('not a database')
  })
})

describe('SQL on PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function addAuth(app: FlowApp, api_endpoint: string, more: object = {}) {
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: SQL_CONNECTOR_ID,
      name: 'Shop',
      auth_type: 'username_password',
      username: server.user,
      password: server.password,
      api_endpoint,
      ...more,
    })
    return (json as { id: string }).id
  }

  it('reads every common type, and takes parameters and lists of rows', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    const statement = `SELECT 5::int AS i, 9007199254740993 AS big, 12.50::numeric AS n, 123456789012345678.9::numeric AS long,
      2.5::float8 AS f, true AS b, NULL AS nothing, '{"a": [1, 2.0]}'::jsonb AS j, '\\xff00'::bytea AS bytes,
      '2026-01-31 12:00:00.123456+02'::timestamptz AS at, '2026-01-31 12:00'::timestamp AS plain, '2026-01-31'::date AS day,
      ARRAY['a', NULL, 'b "c"', '{}'] AS list, ARRAY[[1, 2], [3, 4]] AS matrix, $1::text AS name, $2::bigint AS given`
    const rows = await run(app, { auth_id, statement, parameters: ['{{ data.name }}', '{{ data.id }}'] })
    expect(
      JSON.parse(
        JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      ),
    ).toEqual([
      {
        i: 5,
        big: expect.anything() as unknown,
        n: 12.5,
        long: '123456789012345678.9',
        f: 2.5,
        b: true,
        nothing: null,
        j: { a: [1, 2] },
        bytes: '/wA=',
        at: '2026-01-31T10:00:00.123456Z',
        plain: '2026-01-31T12:00:00',
        day: '2026-01-31',
        list: ['a', null, 'b "c"', '{}'],
        matrix: [
          [1, 2],
          [3, 4],
        ],
        name: VALUES.name,
        given: 7,
      },
    ])
    expect(
      await run(app, {
        auth_id,
        statement: 'SELECT count(*) AS n, sum(i) AS s FROM generate_series(1, 30000) i',
      }),
    ).toEqual([{ n: 30_000, s: 450_015_000 }])
  })

  it('runs transactions, or nothing of them, and counts changed rows', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    const insert = { statement: 'INSERT INTO items (id, doc) VALUES ($1, $2)', parameters: [1, { a: 1 }] }
    expect([
      await run(app, { auth_id, statement: 'CREATE TABLE items (id int UNIQUE, doc jsonb)' }),
      await run(app, { auth_id, statements: [insert, { statement: 'SELECT id, doc FROM items' }] }),
      await run(app, { auth_id, statements: [{ ...insert, parameters: [2, null] }, insert] }),
      await run(app, { auth_id, statement: 'INSERT INTO items VALUES (3) RETURNING id' }),
    ]).toMatchObject([
      { changed: 0 },
      [{ changed: 1 }, [{ id: 1, doc: { a: 1 } }]],
      failure('validation', 'duplicate key value'),
      [{ id: 3 }],
    ])
    expect(await server.query('SELECT id FROM items ORDER BY id')).toEqual([{ id: 1 }, { id: 3 }])
  })

  it('interrupts what takes too long, on the server as well', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    expect(
      await run(app, { auth_id, statement: 'SELECT pg_sleep(600)', timeout_seconds: 0.5 }),
    ).toMatchObject(failure('timeout', '', { field: 'config.auth_id' }))
    const waiting =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()"
    await expect.poll(() => server.query(waiting)).toEqual([{ n: '0' }])
  })

  it('refuses what copies to or from the client, however it comes, and goes on', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    await server.query('CREATE TABLE copied (id int)')
    const hidden = '/* a /* b */ */ COPY copied'
    const results = []
    for (const statement of ['COPY copied TO STDOUT', 'copy copied from stdin'])
      results.push(await run(app, { auth_id, statement }))
    for (const statement of [`${hidden} TO STDOUT`, `${hidden} FROM STDIN`])
      results.push(await run(app, { auth_id, statement }))
    const { flow } = await app.addFlow([
      { ref_id: 'it', type: 'sql', config: { auth_id, statement: 'COPY (SELECT 1) TO STDOUT' } },
    ])
    expect({
      results,
      check: (await app.call('POST', `/v1/flows/${flow.id}/check`)).json,
      after: await run(app, { auth_id, statement: 'SELECT 1 AS one' }),
    }).toMatchObject({
      results: Array.from({ length: 4 }, () => failure('validation', 'copies data to or from the client')),
      check: {
        problems: [{ message: expect.stringContaining('copies data to or from the client') as string }],
      },
      after: [{ one: 1 }],
    })
  })

  it('keeps columns of one name apart, and takes lists as arrays or as JSON', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    expect([
      await run(app, { auth_id, statement: 'SELECT 1 AS id, 2 AS id, 3 AS id_2, 4 AS id' }),
      await run(app, {
        auth_id,
        statement: 'SELECT i FROM generate_series(1, 9) i WHERE i = ANY($1) ORDER BY i',
        parameters: [[2, 7, 40]],
      }),
      await run(app, {
        auth_id,
        statement: 'SELECT $1::text[] AS texts, $2::jsonb AS doc, $3::int[][] AS matrix, $4::text AS text',
        parameters: [['a "b"', null, '{c}'], [1, ['x']], '{{ [[1, 2], [3, 4]] }}', [1]],
      }),
    ]).toMatchObject([
      [{ id: 1, id_3: 2, id_2: 3, id_4: 4 }],
      [{ i: 2 }, { i: 7 }],
      [
        {
          texts: ['a "b"', null, '{c}'],
          doc: [1, ['x']],
          matrix: [
            [1, 2],
            [3, 4],
          ],
          text: '[1]',
        },
      ],
    ])
  })

  it('refuses a row that is too large before it is taken', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    expect([
      await run(app, { auth_id, statement: "SELECT repeat('x', 40000000) AS x" }),
      await run(app, { auth_id, statement: "SELECT length(repeat('x', 40000000)) AS n" }),
    ]).toMatchObject([failure('too_large', 'limit of 16 MiB'), [{ n: 40_000_000 }]])
  })

  it('ends its statement on the server if the run is cancelled', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    const loop = 'DO $$ BEGIN FOR i IN 1..600 LOOP PERFORM pg_sleep(1); END LOOP; END $$'
    const { flow } = await app.addFlow([
      { ref_id: 'it', type: 'sql', config: { auth_id, statement: loop, timeout_seconds: 3600 } },
    ])
    const active =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active' AND pid <> pg_backend_pid()"
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/run`)
    await expect.poll(() => server.query(active), { timeout: 10_000 }).toEqual([{ n: '1' }])
    await app.call('POST', `/v1/flow-runs/${(json as { flow_run_id: string }).flow_run_id}/cancel`)
    await expect.poll(() => server.query(active), { timeout: 10_000 }).toEqual([{ n: '0' }])
  })

  it('uses TLS as the URL says, and never sends a login elsewhere in plain text', async () => {
    const app = await startFlowApp()
    const statement = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
    const results = []
    for (const mode of [
      '',
      '?sslmode=disable',
      '?sslmode=require',
      '?sslmode=verify-full',
      '?sslmode=verify-ca',
      '?sslmode=maybe',
      '?options=-csearch_path=x',
      '?sslrootcert=/etc/ssl/ca.pem',
      '?sslcert=/etc/ssl/me.pem',
      '?sslmode=require&sslmode=disable',
      '?connect_timeout=soon',
      '?channel_binding=require',
      '?sslmode=require&channel_binding=require&connect_timeout=5&application_name=mill&target_session_attrs=read-write',
      '?target_session_attrs=standby',
    ])
      results.push(await run(app, { auth_id: await addAuth(app, server.url + mode), statement }))
    expect(results).toMatchObject([
      [{ ssl: false }],
      [{ ssl: false }],
      [{ ssl: true }],
      failure('unavailable', 'certificate'),
      failure('unavailable', 'certificate'),
      failure('validation', 'it can be disable, require, verify-ca or verify-full'),
      failure(
        'validation',
        '"options" in the database URL isn\'t supported; remove it, or use one of sslmode, connect_timeout,',
      ),
      failure('validation', 'it can be system; enter another authority as CA certificate'),
      failure('validation', '"sslcert" in the database URL isn\'t supported; enter the certificates in'),
      failure('validation', '"sslmode" is in the database URL twice'),
      failure('validation', 'a whole number of seconds from 1 to 999'),
      failure('validation', 'which needs TLS'),
      [{ ssl: true }],
      failure('unavailable', 'it is a primary that can be written to, and "target_session_attrs"'),
    ])
  })

  it('reports what is wrong, without the password', async () => {
    const app = await startFlowApp()
    const auth_id = await addAuth(app, server.url)
    const statement = 'SELECT 1'
    const errors = [
      await run(app, {
        auth_id: await addAuth(app, server.url, { password: 'wrong wrong wrong' }),
        statement,
      }),
      await run(app, { auth_id: await addAuth(app, server.url.replace(/postgres$/, 'nowhere')), statement }),
      await run(app, { auth_id: await addAuth(app, 'postgres://127.0.0.1:1/x'), statement }),
      await run(app, { auth_id: await addAuth(app, 'mysql://127.0.0.1:1/x'), statement }),
      await run(app, { auth_id: await addAuth(app, 'postgres://169.254.169.254/x'), statement }),
      await run(app, { auth_id: await addAuth(app, 'https://example.test'), statement }),
      await run(app, { auth_id, statement: 'SELECT 1; SELECT 2' }),
      await run(app, { auth_id, statement: 'SELECT * FROM nowhere' }),
      await run(app, { auth_id, statement: 'SELECT $1::int', parameters: ['{{ data.name }}'] }),
      await run(app, { auth_id, statement: 'SELECT 1', parameters: { a: 1 } }),
      await run(app, { auth_id, statement: 'SELECT 1', parameters: 'text' }),
    ]
    expect(errors).toMatchObject([
      failure('unauthorized', 'rejected the login'),
      failure('unauthorized', 'rejected the login'),
      failure('unavailable', "Can't use the database server 127.0.0.1:1"),
      failure('unavailable', "Can't use the database server 127.0.0.1:1"),
      failure('forbidden', 'never connects to'),
      failure('validation', 'Invalid database URL'),
      failure('validation', 'cannot insert multiple commands'),
      failure('validation', 'relation "nowhere" does not exist'),
      failure('validation', 'invalid input syntax for type integer'),
      failure('validation', 'must be a list for PostgreSQL'),
      failure('validation', '"parameters" must be a list or an object'),
    ])
    expect(JSON.stringify(errors)).not.toMatch(/right horse|wrong wrong/)
  })
})
