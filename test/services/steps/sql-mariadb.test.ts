/** The step `sql` on a real MariaDB. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SQL_CONNECTOR_ID } from '../../../src/shared/contract/connectors.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { hasMariadb, startMariadb, type TestMariadb } from '../../helpers/mariadb.ts'

describe.skipIf(!hasMariadb)('SQL on MariaDB', () => {
  let server: TestMariadb
  beforeAll(async () => {
    server = await startMariadb()
  })
  afterAll(() => server.stop())

  async function withAuth() {
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
    return { app, run: (config: Record<string, unknown>) => run(app, { auth_id, ...config }) }
  }

  async function run(app: FlowApp, config: Record<string, unknown>) {
    const { flow } = await app.addFlow([{ ref_id: 'it', type: 'sql', config }])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [last] = app.runs()
    return last?.error ? last.error.message : app.stepsOf(last!)[0]?.output
  }

  const at = '2024-07-01T12:00:00Z'

  it('takes back the times that it returns, and changes no text that looks like one', async () => {
    const { run: sql } = await withAuth()
    await sql({
      statement: 'CREATE TABLE times (note text, t timestamp(6) NULL, d datetime NULL, other text)',
    })
    const insert = 'INSERT INTO times (note, t, d, other) VALUES (?, ?, ?, ?)'
    const offset = '2024-07-01T14:30:00.25+02:00'
    const results = [
      await sql({ statement: insert, parameters: [at, at, at, at] }),
      await sql({ statement: insert, parameters: [offset, offset, at, offset] }),
      await sql({
        statement: `${insert}, (?, ?, ?, ?)`,
        parameters: [at, at, null, at, offset, offset, at, at],
      }),
    ]
    const rows = (await sql({ statement: 'SELECT * FROM times' })) as { t: string }[]
    expect({ results, rows }).toEqual({
      results: [{ changed: 1 }, { changed: 1 }, { changed: 2 }],
      rows: [
        { note: at, t: '2024-07-01T12:00:00Z', d: '2024-07-01T12:00:00', other: at },
        { note: offset, t: '2024-07-01T12:30:00.250000Z', d: '2024-07-01T12:00:00', other: offset },
        { note: at, t: '2024-07-01T12:00:00Z', d: null, other: at },
        { note: offset, t: '2024-07-01T12:30:00.250000Z', d: '2024-07-01T12:00:00', other: at },
      ],
    })
  })

  it('takes many different times at once', async () => {
    const { run: sql } = await withAuth()
    await sql({ statement: 'CREATE TABLE many (note text, t timestamp NULL)' })
    const times = Array.from({ length: 100 }, (_, i) => new Date(1_720_000_000_000 + i * 1_000).toISOString())
    await sql({
      statement: `INSERT INTO many VALUES ${times.map(() => '(?, ?)').join(', ')}`,
      parameters: times.flatMap((time) => [time, time]),
    })
    expect(
      await sql({
        statement: "SELECT count(*) n, count(DISTINCT t) d, count(IF(note LIKE '%Z', 1, NULL)) z FROM many",
      }),
    ).toEqual([{ n: 100, d: 100, z: 100 }])
  })

  it('takes named times, and refuses one that is a text as well, with what to do', async () => {
    const { run: sql } = await withAuth()
    await sql({ statement: 'CREATE TABLE named (note text, t timestamp NULL)' })
    expect([
      await sql({ statement: 'INSERT INTO named VALUES (:note, :t)', parameters: { note: at, t: at } }),
      await sql({ statement: 'INSERT INTO named VALUES (:t, :t)', parameters: { t: at } }),
      await sql({ statement: 'SELECT note FROM named' }),
      await sql({ statement: 'INSERT INTO named VALUES (?, ?)', parameters: ['x', 'yesterday'] }),
      await sql({
        statement: 'UPDATE named SET t = ? WHERE t = ?',
        parameters: ['2025-01-01T00:00:00Z', at],
      }),
      await sql({ statement: 'SELECT t FROM named' }),
    ]).toEqual([
      { changed: 1 },
      expect.stringContaining("write it as the database does, without T and Z: '2024-07-01 12:00:00'"),
      [{ note: at }],
      expect.stringContaining("Incorrect datetime value: 'yesterday'"),
      { changed: 1 },
      [{ t: '2025-01-01T00:00:00Z' }],
    ])
  })

  it('keeps booleans and whole numbers what they are', async () => {
    const { run: sql } = await withAuth()
    await sql({ statement: 'CREATE TABLE kinds (b boolean, i bigint, f double, note text)' })
    await sql({ statement: 'INSERT INTO kinds VALUES (?, ?, ?, ?)', parameters: [true, 7, 2.5, true] })
    await sql({
      statement: 'INSERT INTO kinds VALUES (?, ?, ?, ?)',
      parameters: [false, '{{ 9007199254740993 }}', 1, 3],
    })
    expect(await sql({ statement: 'SELECT b, CAST(i AS char) i, f, note FROM kinds' })).toMatchObject([
      { b: 1, i: '7', note: '1' },
      { b: 0, i: '9007199254740993', note: '3' },
    ])
  })
})
