import { describe, expect, it, test } from 'vitest'
import type { ChangedRows, DataTable } from '../../../src/shared/contract/data/data-tables.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const TABLES = '/v1/data-tables'
const PEOPLE = [
  { name: 'email', type: 'text' },
  { name: 'age', type: 'number' },
  { name: 'active', type: 'boolean' },
  { name: 'seen', type: 'datetime' },
  { name: 'more', type: 'json' },
]

async function aTable(app: TestApp, columns: unknown = PEOPLE, name = 'people'): Promise<DataTable> {
  const { status, text, json } = await app.call('POST', TABLES, { name, columns })
  expect({ status, text }).toEqual({ status: 201, text: expect.any(String) })
  return json as DataTable
}

/** Status and result, or status and message. */
async function ask(app: TestApp, method: string, path: string, body?: unknown): Promise<unknown[]> {
  const { status, json } = await app.call(method, path, body)
  return [status, status < 400 ? json : (json as { message: string }).message]
}

const cells = (rows: readonly unknown[]) =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row as object).filter(([name]) => !name.startsWith('_'))),
  )

async function rowsOf(app: TestApp, { id }: DataTable, query = ''): Promise<unknown[]> {
  return cells((await app.call('GET', `${TABLES}/${id}/rows${query}`)).json as unknown[])
}

const insert = async (app: TestApp, { id }: DataTable, rows: readonly unknown[]) =>
  (await app.call('POST', `${TABLES}/${id}/rows`, { rows })).json as ChangedRows

test('a table is created, listed, changed and deleted with its rows', async () => {
  const app = await startTestApp()
  const table = await aTable(app)
  expect(table).toMatchObject({ name: 'people', description: '', row_count: 0, bytes: 0 })
  expect(table.columns).toEqual(PEOPLE.map((column, at) => ({ id: `c${at + 1}`, ...column })))
  await insert(app, table, [{ email: 'a@x.test', age: 5 }])
  const path = `${TABLES}/${table.id}`
  const [email, age] = table.columns
  const columns = [{ ...age, name: 'years' }, email, { name: 'note', type: 'text' }]
  const changed = await app.call('PUT', path, { ...table, name: 'folk', columns })
  expect(changed.json).toMatchObject({
    name: 'folk',
    columns: [
      { id: 'c2', name: 'years', type: 'number' },
      { id: 'c1', name: 'email', type: 'text' },
      { id: 'c6', name: 'note', type: 'text' },
    ],
    row_count: 1,
  })
  expect(await rowsOf(app, table)).toEqual([{ years: 5, email: 'a@x.test', note: null }])
  expect((await app.call('GET', `${TABLES}?filter=name,eq,folk`)).json).toEqual([changed.json])
  expect((await app.call('DELETE', path)).status).toBe(204)
  expect(await ask(app, 'GET', `${path}/rows`)).toEqual([404, `There is no table "${table.id}"`])
  expect(app.store.dataTables.totals()).toEqual({ tables: 0, bytes: 0 })
})

test('the values of a removed column are gone, also for a later column', async () => {
  const app = await startTestApp()
  const table = await aTable(app, [
    { name: 'a', type: 'text' },
    { name: 'b', type: 'text' },
  ])
  await insert(app, table, [{ a: '1', b: '2' }])
  const path = `${TABLES}/${table.id}`
  await app.call('PUT', path, { columns: [{ name: 'a', type: 'text' }] })
  const small = (await app.call('GET', path)).json as DataTable
  await app.call('PUT', path, { columns: [...small.columns, { name: 'b', type: 'number' }] })
  expect({ rows: await rowsOf(app, table), smaller: small.bytes }).toEqual({
    rows: [{ a: '1', b: null }],
    smaller: '{"c1":"1"}'.length,
  })
})

test('columns keep their type and their names differ', async () => {
  const app = await startTestApp()
  const { id, columns } = await aTable(app)
  await aTable(app, [], 'other')
  const change = (body: unknown) => ask(app, 'PUT', `${TABLES}/${id}`, body)
  expect([
    await change({ columns: [{ ...columns[0], type: 'number' }] }),
    await change({ columns: [columns[0], { name: 'email', type: 'text' }] }),
    await change({ columns: [columns[0], columns[0]] }),
    await change({ columns: [{ id: 'c99', name: 'x', type: 'text' }] }),
    await change({ name: 'other' }),
    await ask(app, 'POST', TABLES, { name: 'other' }),
  ]).toEqual([
    [400, '"columns[0]" can\'t be changed to number: a column keeps its type. Add another column instead'],
    [400, '"columns[1]" has the same name as another column: "email"'],
    [400, '"columns[1]" has the same name as another column: "email"'],
    [400, '"columns[0]" names a column "c99" that the table doesn\'t have; leave the ID out of new columns'],
    [409, 'A table "other" already exists; choose another name'],
    [409, 'A table "other" already exists; choose another name'],
  ])
})

describe('rows', () => {
  it('are stored in the type of their column', async () => {
    const app = await startTestApp()
    const table = await aTable(app)
    const { inserted } = await insert(app, table, [
      { email: 5, age: '12.5', active: 'TRUE', seen: '2026-03-01', more: { b: [1] } },
      { email: '', age: 1, active: false, seen: '2026-03-01T13:00:00+01:00', more: 'text' },
      { email: null, seen: '2026-03-01 12:00', _id: 99, _other: 1 },
    ])
    const first = inserted[0] as { readonly _id: number; readonly _created_at: string }
    expect([first._id, first._created_at]).toEqual([1, new Date(app.clock.now()).toISOString()])
    expect(cells(inserted)).toEqual([
      { email: '5', age: 12.5, active: true, seen: '2026-03-01T00:00:00.000Z', more: { b: [1] } },
      { email: null, age: 1, active: false, seen: '2026-03-01T12:00:00.000Z', more: 'text' },
      { email: null, age: null, active: null, seen: '2026-03-01T12:00:00.000Z', more: null },
    ])
  })

  it("that don't fit are rejected by row and column, and none is stored", async () => {
    const app = await startTestApp()
    const table = await aTable(app)
    const path = `${TABLES}/${table.id}/rows`
    const add = async (row: unknown) => (await ask(app, 'POST', path, { rows: [{ age: 1 }, row] })).join(' ')
    expect([
      await add({ age: 'many' }),
      await add({ age: true }),
      await add({ active: 1 }),
      await add({ seen: 'yesterday' }),
      await add({ seen: '2026-13-45' }),
      await add({ email: ['a'] }),
      await add({ mail: 'a' }),
      await add([]),
      await add({ email: 'x'.repeat(100_001) }),
    ]).toEqual([
      '400 row 2: "age" is "many"; the column takes numbers',
      '400 row 2: "age" is true; the column takes numbers',
      '400 row 2: "active" is 1; the column takes true or false',
      '400 row 2: "seen" is "yesterday"; the column takes times such as 2026-03-01T12:00:00Z',
      '400 row 2: "seen" is "2026-13-45"; the column takes times such as 2026-03-01T12:00:00Z',
      '400 row 2: "email" is ["a"]; the column takes text',
      '400 row 2: the table "people" has no column "mail"; its columns are email, age, active, seen, more',
      '400 row 2 must be an object with a value for each column name, got []',
      '413 row 2: "email" has 100001 characters; the limit for a cell is 100000. Keep it in a file instead',
    ])
    expect(await rowsOf(app, table)).toEqual([])
  })

  it('are filtered by the type of the column, sorted, and paged by key', async () => {
    const app = await startTestApp()
    const table = await aTable(app)
    const ages = [30, null, 9, 100, 30]
    await insert(
      app,
      table,
      ages.map((age, at) => ({
        email: `${at}@x.test`,
        age,
        active: at % 2 === 0,
        seen: `2026-03-0${at + 1}`,
      })),
    )
    const emails = async (query: string) =>
      (await rowsOf(app, table, query)).map((row) => (row as { email: string }).email[0]).join('')
    expect([
      await emails('?filter=age,gt,9'),
      await emails('?filter=age,eq,null'),
      await emails('?filter=age,ne,'),
      await emails('?filter=active,eq,true&filter=age,ge,30'),
      await emails('?filter=seen,lt,2026-03-03'),
      await emails('?filter=email,like,3%25'),
      await emails('?filter=email,in,0@x.test,4@x.test'),
      await emails('?filter=_id,eq,2'),
      await emails('?sort=-age'),
    ]).toEqual(['034', '1', '0234', '04', '01', '3', '04', '1', '34021'])
    for (const sort of ['', 'age', '-age', 'email', '-email', '-_id', 'active', '-seen']) {
      const whole = await emails(`?sort=${sort || '_id'}`)
      let [paged, path] = ['', `${TABLES}/${table.id}/rows?per_page=2&sort=${sort || '_id'}`]
      for (;;) {
        const { json, headers } = await app.call('GET', path)
        paged += (json as { email: string }[]).map(({ email }) => email[0]).join('')
        expect(headers['x-total-count']).toBe('5')
        const next = /<http:\/\/[^/]*([^>]*)>; rel="next"/.exec(String(headers['link'] ?? ''))
        if (next === null) break
        path = next[1] ?? ''
      }
      expect([sort, paged]).toEqual([sort, whole])
    }
  })

  it('are changed or added by key, and by filter', async () => {
    const app = await startTestApp()
    const table = await aTable(app)
    const path = `${TABLES}/${table.id}/rows`
    await insert(app, table, [
      { email: 'a"\\\u00e9\n🦊', age: 1, active: true },
      { email: 'b', age: 2 },
    ])
    const { json } = await app.call('POST', `${path}/upsert`, {
      key: ['email'],
      rows: [
        { email: 'a"\\\u00e9\n🦊', age: 10 },
        { email: 'c', age: 3 },
        { email: 'c', age: 4 },
      ],
    })
    const { inserted, updated } = json as ChangedRows
    expect([cells(inserted), cells(updated)]).toMatchObject([
      [{ email: 'c', age: 4 }],
      [{ age: 10, active: true }],
    ])
    expect(await ask(app, 'POST', `${path}/upsert`, { key: ['email'], rows: [{ age: 1 }] })).toEqual([
      400,
      'row 1 has no "email", which is part of the key',
    ])
    expect(await ask(app, 'POST', `${path}/upsert`, { key: ['mail'], rows: [{ age: 1 }] })).toEqual([
      400,
      'The table "people" has no column "mail" for its key',
    ])
    await app.call('PUT', `${path}?filter=age,le,4`, { values: { age: null, active: false } })
    expect(await rowsOf(app, table, '?sort=email')).toMatchObject([
      { age: 10, active: true },
      { email: 'b', age: null, active: false },
      { email: 'c', age: null, active: false },
    ])
    expect(await ask(app, 'DELETE', `${path}?filter=age,eq,null`)).toEqual([200, { deleted: 2 }])
    expect(await ask(app, 'DELETE', path)).toEqual([400, expect.stringContaining('"filter"')])
    expect(((await app.call('GET', `${TABLES}/${table.id}`)).json as DataTable).row_count).toBe(1)
  })

  it('two columns are a key together, and large numbers stay exact', async () => {
    const app = await startTestApp()
    const table = await aTable(app, [
      { name: 'id', type: 'number' },
      { name: 'of', type: 'text' },
      { name: 'n', type: 'number' },
    ])
    const send = (rows: string) =>
      app.call('POST', `${TABLES}/${table.id}/rows/upsert`, `{"key":["id","of"],"rows":${rows}}`)
    await send('[{"id":9007199254740993,"of":"a","n":1},{"id":9007199254740992,"of":"a","n":2}]')
    await send(
      '[{"id":"9007199254740993","of":"a","n":3},{"id":1.0,"of":"1,2","n":4},{"id":1,"of":"1,2","n":5}]',
    )
    const { text } = await app.call('GET', `${TABLES}/${table.id}/rows`)
    expect([...text.matchAll(/"id":(\d+),"of":"([^"]*)","n":(\d)/g)].map(([, ...found]) => found)).toEqual([
      ['9007199254740993', 'a', '3'],
      ['9007199254740992', 'a', '2'],
      ['1', '1,2', '5'],
    ])
  })

  it('that contain a known secret are rejected', async () => {
    const app = await startTestApp()
    await app.call('POST', '/v1/env-variables', {
      name: 'key',
      type: 'text',
      value: 'planted-secret-1',
      secret: true,
    })
    const table = await aTable(app)
    expect(
      await ask(app, 'POST', `${TABLES}/${table.id}/rows`, { rows: [{ email: 'a planted-secret-1' }] }),
    ).toEqual([400, expect.stringContaining("row 1 contains a secret that Millrace knows; tables aren't")])
  })
})

describe('limits', () => {
  it('adding to a full table, and too many rows, columns or tables, is rejected', async () => {
    const app = await startTestApp()
    const table = await aTable(app, [{ name: 'n', type: 'number' }])
    const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
    const path = `${TABLES}/${table.id}/rows`
    expect((await app.call('POST', path, { rows: numbers(20_000) })).status).toBe(200)
    const full =
      'The table "people" is full: it has 20,000 rows, 1 more were sent, and the limit is 20,000. Delete rows, or use a database (steps "SQL" and "Write records")'
    expect([
      await ask(app, 'POST', path, { rows: numbers(1) }),
      (await ask(app, 'POST', `${path}/upsert`, { key: ['n'], rows: numbers(20_000) }))[0],
      (await ask(app, 'POST', path, { rows: numbers(20_001) }))[1],
      (
        await ask(app, 'PUT', `${TABLES}/${table.id}`, {
          columns: Array.from({ length: 10_000 }, (_, n) => ({ name: `c ${n}`, type: 'text' })),
        })
      )[1],
    ]).toEqual([
      [409, full],
      200,
      '"rows" has more than 20000 rows, the limit for a table',
      '"columns" has more than 64 columns, the limit for a table',
    ])
  })
})

describe('hostile names and values', () => {
  it('column names are data, whatever they look like', async () => {
    const app = await startTestApp()
    const names = [
      'constructor',
      'a "quoted" \'name\'',
      "'); DROP TABLE data_rows; --",
      '$.c1',
      '10',
      '2',
      'toString',
      'größe 🦊',
    ]
    const table = await aTable(
      app,
      names.map((name) => ({ name, type: 'text' })),
      "'); DROP TABLE data_tables; --",
    )
    const row = Object.fromEntries(names.map((name, at) => [name, `"${at}' OR 1=1 --`]))
    await insert(app, table, [row, {}])
    expect(await rowsOf(app, table, `?filter=${encodeURIComponent(`constructor,eq,"0' OR 1=1 --`)}`)).toEqual(
      [row],
    )
    for (const name of names) {
      const filter = encodeURIComponent(`${name},like,"${JSON.stringify(row[name]).slice(1)}`)
      expect([name, await rowsOf(app, table, `?filter=${filter}&sort=-${encodeURIComponent(name)}`)]).toEqual(
        [name, [row]],
      )
    }
    const filters = ["name'); DELETE FROM data_rows; --,eq,1", '__proto__,eq,1', 'key,eq,1', 'cells,like,%25']
    for (const filter of filters)
      expect(
        (await app.call('GET', `${TABLES}/${table.id}/rows?filter=${encodeURIComponent(filter)}`)).status,
      ).toBe(400)
    expect(
      (await app.call('GET', `${TABLES}/${table.id}/rows?sort=${encodeURIComponent('1; DROP TABLE x')}`))
        .status,
    ).toBe(400)
    expect(await rowsOf(app, table)).toHaveLength(2)
  })

  it('names with another meaning are rejected', async () => {
    const app = await startTestApp()
    const names = [
      '__proto__',
      '_id',
      '-age',
      'a,b',
      '{{ x }}',
      '',
      ' ',
      ' a',
      'a\nb',
      'x'.repeat(101),
      '\ud800',
    ]
    const statuses = await Promise.all(
      names.map(
        async (name) =>
          (
            await app.call(
              'POST',
              TABLES,
              `{"name":"t","columns":[{"name":${JSON.stringify(name)},"type":"text"}]}`,
            )
          ).status,
      ),
    )
    expect(statuses).toEqual(names.map(() => 400))
  })

  it('a key __proto__ in a row changes nothing', async () => {
    const app = await startTestApp()
    const table = await aTable(app, [{ name: 'polluted', type: 'text' }])
    const { json } = await app.call(
      'POST',
      `${TABLES}/${table.id}/rows`,
      '{"rows":[{"__proto__":{"polluted":"yes"}}]}',
    )
    expect(cells((json as ChangedRows).inserted)).toEqual([{ polluted: null }])
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
  })
})

describe('files', () => {
  const imported = (app: TestApp, { id }: DataTable, body: object) =>
    ask(app, 'POST', `${TABLES}/${id}/import`, body)

  it('CSV with a byte-order mark, quotes, line breaks and formulas returns as it was', async () => {
    const app = await startTestApp()
    const table = await aTable(app, [])
    const text =
      '\ufeff"name",n,code,ok,at\r\n"a ""b"", c\nd",1.5,007,true,2026-03-01T12:00:00Z\r\n=1+1,-2,=HYPERLINK("x"),false,\r\n'
    expect(await imported(app, table, { format: 'csv', text, add_columns: true })).toEqual([
      200,
      { inserted: 2, updated: 0, columns_added: ['name', 'n', 'code', 'ok', 'at'] },
    ])
    const { columns } = (await app.call('GET', `${TABLES}/${table.id}`)).json as DataTable
    expect(columns.map(({ type }) => type)).toEqual(['text', 'number', 'text', 'boolean', 'datetime'])
    const csv = await app.call('GET', `${TABLES}/${table.id}/export`)
    expect({ type: csv.headers['content-type'], text: csv.text }).toEqual({
      type: 'text/csv; charset=utf-8',
      text: 'name,n,code,ok,at\r\n"a ""b"", c\nd",1.5,007,true,2026-03-01T12:00:00.000Z\r\n=1+1,-2,"=HYPERLINK(""x"")",false,\r\n',
    })
    const lines = await app.call('GET', `${TABLES}/${table.id}/export?format=jsonl`)
    expect({ type: lines.headers['content-type'], text: lines.text }).toEqual({
      type: 'application/x-ndjson; charset=utf-8',
      text: '{"name":"a \\"b\\", c\\nd","n":1.5,"code":"007","ok":true,"at":"2026-03-01T12:00:00.000Z"}\n{"name":"=1+1","n":-2,"code":"=HYPERLINK(\\"x\\")","ok":false,"at":null}\n',
    })
    const copy = await aTable(app, [], 'copy')
    await imported(app, copy, { format: 'jsonl', text: lines.text, add_columns: true })
    expect((await app.call('GET', `${TABLES}/${copy.id}/export`)).text).toBe(csv.text)
  })

  it('are imported by key, with semicolons too', async () => {
    const app = await startTestApp()
    const table = await aTable(app, [
      { name: 'id', type: 'text' },
      { name: 'n', type: 'number' },
      { name: 'more', type: 'json' },
    ])
    const send = (text: string) => imported(app, table, { format: 'csv', text, key: ['id'] })
    await send('id;n;more\na;1;{"x":[1]}\nb;2;\n')
    expect(await send('id;n\nb;3\nc;4\n')).toEqual([200, { inserted: 1, updated: 1, columns_added: [] }])
    expect(await rowsOf(app, table)).toEqual([
      { id: 'a', n: 1, more: { x: [1] } },
      { id: 'b', n: 3, more: null },
      { id: 'c', n: 4, more: null },
    ])
  })

  it('with an error leave the table and its columns unchanged', async () => {
    const app = await startTestApp()
    const table = await aTable(app, [{ name: 'n', type: 'number' }])
    const csv = async (text: string, more = {}) =>
      (await imported(app, table, { format: 'csv', text, ...more }))[1]
    expect([
      await csv('n\n1\nx\n'),
      await csv('n,m\n1,2\n'),
      await csv('n,new\n1,a\nx,b\n', { add_columns: true }),
      await csv('n,n\n1,2\n'),
      await csv('n,\n1,2\n'),
      await csv('n\n1,2\n'),
      await csv('n\n"1\n'),
      await csv('n\n'),
      await csv(''),
      await csv('_proto,__proto__,n\n1,2,\n'),
      (await imported(app, table, { format: 'jsonl', text: '{"n":1}\n[2]\n' }))[1],
      (await imported(app, table, { format: 'jsonl', text: '{"n":1}\n{"n":\n' }))[1],
      await csv(`${Array.from({ length: 10_000 }, (_, n) => `c${n}`).join(',')}\n1\n`, { add_columns: true }),
    ]).toEqual([
      'row 2: "n" is "x"; the column takes numbers',
      'row 1: the table "people" has no column "m"; its columns are n',
      'row 2: "n" is "x"; the column takes numbers',
      '"text": two columns have the name "n"',
      '"text": a column has no name; the first line must have the column names',
      '"text": row 1 has 2 fields, but there are 1 columns',
      '"text": Line 2: a quoted field is not closed.',
      '"text": the file has no rows',
      '"text": the file has no rows',
      { inserted: 1, updated: 0, columns_added: [] },
      '"text": line 2 isn\'t an object',
      expect.stringContaining('"text": line 2 isn\'t valid JSON'),
      '"columns" has 10001 columns; the limit for a table is 64',
    ])
    const { columns, row_count: count } = (await app.call('GET', `${TABLES}/${table.id}`)).json as DataTable
    expect({ columns: columns.map(({ name }) => name), count }).toEqual({ columns: ['n'], count: 1 })
  })
})
