import { describe, expect, it } from 'vitest'
import type { DataTable } from '../../../src/shared/contract/data/data-tables.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'

async function aTable(app: FlowApp, rows: readonly object[] = []): Promise<DataTable> {
  const columns = [
    { name: 'email', type: 'text' },
    { name: 'n', type: 'number' },
  ]
  const { json } = await app.call('POST', '/v1/data-tables', { name: 'people', columns })
  const table = json as DataTable
  if (rows.length > 0) await app.call('POST', `/v1/data-tables/${table.id}/rows`, { rows })
  return table
}

/** Returns the outputs of all steps, or the field and the message of the error. */
async function run(app: FlowApp, input: object, ...configs: Record<string, unknown>[]): Promise<unknown> {
  const steps = configs.map((config, index): StepInput => ({
    ref_id: `s${index}`,
    type: 'data_table',
    config: { table: 'people', ...config },
  }))
  const { flow } = await app.addFlow([{ ref_id: 'web1', type: 'webhook', config: {} }, ...steps])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { input })
  const [last] = app.runs()
  if (last?.error) return [last.error.field, last.error.message.replace(/^Step "s0": /, '')]
  return app
    .stepsOf(last!)
    .slice(1)
    .map(({ output }) => plain(output))
}

/** The row without the fields that Millrace adds. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, item]) => [name, plain(item)]),
  )
}

describe('a data_table step', () => {
  it('counts the rows that it writes, and what an upsert did to them', async () => {
    const app = await startFlowApp()
    await aTable(app, [
      { email: 'a', n: 1 },
      { email: 'b', n: 1 },
    ])
    const rows = [
      { email: 'a', n: 1 },
      { email: 'b', n: 2 },
      { email: 'c', n: 3 },
      { email: 'c', n: 4 },
    ]
    await run(
      app,
      {},
      { operation: 'upsert', key: ['email'], rows },
      { operation: 'insert', rows: [{ email: 'd' }] },
    )
    const { json } = await app.call('GET', '/v1/figures?of=records')
    expect(json).toMatchObject({ totals: { counts: { written: 4, new: 1, changed: 1, unchanged: 1 } } })
  })

  it('inserts, changes, reads, counts and deletes rows, with templates in values', async () => {
    const app = await startFlowApp()
    await aTable(app)
    const mail = (value: unknown, comparison = 'eq') => [{ column: 'email', comparison, value }]
    expect(
      await run(
        app,
        {
          list: [
            { email: 'b', n: '2' },
            { email: 'c', n: 3, other: 1 },
          ],
          who: 'b',
        },
        { operation: 'insert', rows: { email: '{{ "a" }}', n: '{{ 1 }}' } },
        { operation: 'upsert', key: ['email'], rows: '{{ web1.list }}', ignore_unknown: true },
        { operation: 'upsert', key: ['email'], rows: [{ email: '{{ web1.who }}', n: '{{ 20 }}' }] },
        { operation: 'read', sort: '-n', limit: '{{ 2 }}' },
        { operation: 'read', filter: mail('{{ web1.who }}') },
        { operation: 'count', filter: mail('{{ ["a", "b"] }}', 'in') },
        { operation: 'update', filter: mail('["a", "c"]', 'in'), values: { n: '{{ 7 }}' } },
        { operation: 'delete', filter: [{ column: 'n', comparison: 'le', value: 7 }] },
        { operation: 'count' },
      ),
    ).toEqual([
      { inserted: [{ email: 'a', n: 1 }], updated: [] },
      {
        inserted: [
          { email: 'b', n: 2 },
          { email: 'c', n: 3 },
        ],
        updated: [],
      },
      { inserted: [], updated: [{ email: 'b', n: 20 }] },
      [
        { email: 'b', n: 20 },
        { email: 'c', n: 3 },
      ],
      [{ email: 'b', n: 20 }],
      { count: 2 },
      {
        inserted: [],
        updated: [
          { email: 'a', n: 7 },
          { email: 'c', n: 7 },
        ],
      },
      { deleted: 2 },
      { count: 1 },
    ])
  })

  it('reads a long table in batches, each row once', async () => {
    const app = await startFlowApp()
    const table = await aTable(
      app,
      Array.from({ length: 1_234 }, (_, n) => ({ email: `p${n % 7}`, n })),
    )
    const numbers = '| map(attribute="n") | unique | list | length }}'
    const { flow } = await app.addFlow([
      { ref_id: 'all', type: 'data_table', config: { table: table.id, sort: 'email' } },
      { ref_id: 'some', type: 'data_table', config: { table: table.id, limit: 501 } },
      {
        ref_id: 'read',
        type: 'set',
        config: {
          values: { all: `{{ all ${numbers}`, some: `{{ some ${numbers}`, last: '{{ some[-1].n }}' },
        },
      },
    ])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    expect(app.stepsOf(app.runs()[0]!)[2]?.output).toEqual({ all: 1_234, some: 501, last: 500 })
  })

  it('fails with a sentence, and changes nothing', async () => {
    const app = await startFlowApp()
    const table = await aTable(app, [{ email: 'a', n: 1 }])
    const tried = [
      [
        { table: 'nobody' },
        ['config.table', 'There is no table "nobody"; create it under Tables, or choose another'],
      ],
      [{ table: '{{ "" }}' }, ['config.table', '"table" is empty; choose a table']],
      [
        { operation: 'insert', rows: [{ email: 'b' }, { mail: 'c' }] },
        ['config.rows', 'row 2: the table "people" has no column "mail"; its columns are email, n'],
      ],
      [{ operation: 'insert', rows: '{{ 5 }}' }, ['config.rows', '"rows" must be a list, got 5']],
      [
        { operation: 'update', filter: [{ column: 'email', value: { a: 1 } }], values: {} },
        ['config.filter[0].value', '"value" is {"a":1}; it must be a string, number, boolean or null'],
      ],
      [
        { filter: [{ column: "n'); DROP TABLE data_rows; --", value: 1 }] },
        [
          'config.filter',
          '"filter" has no field "n\'); DROP TABLE data_rows; --"; the fields are _id, _created_at, _updated_at, email, n',
        ],
      ],
      [
        { filter: [{ column: 'n', value: 'x' }] },
        ['config.filter', '"filter" "n" must be a number, got "x"'],
      ],
      [{ limit: '{{ -1 }}' }, ['config.limit', '"limit" is -1; it must be a whole number']],
    ] as const
    for (const [config, message] of tried) expect(await run(app, {}, config)).toEqual(message)
    const { json } = await app.call('GET', `/v1/data-tables/${table.id}/rows`)
    expect(plain(json)).toEqual([{ email: 'a', n: 1 }])
  })

  it('is rejected on saving without what its operation needs', async () => {
    const app = await startFlowApp()
    const config = async (one: object) => {
      const steps = [{ ref_id: 's', type: 'data_table', config: { table: 'people', ...one } }]
      const { json } = await app.call('POST', '/v1/flows', { name: 'F', steps })
      return Object.keys((json as { data?: object }).data ?? {})
    }
    expect([
      await config({ operation: 'insert' }),
      await config({ operation: 'upsert', rows: [] }),
      await config({ operation: 'update', values: {} }),
      await config({ operation: 'delete' }),
      await config({ table: '' }),
      await config({ operation: 'drop' }),
    ]).toEqual([
      ['steps[0].config.rows'],
      ['steps[0].config.key'],
      ['steps[0].config.filter'],
      ['steps[0].config.filter'],
      ['steps[0].config.table'],
      ['steps[0].config.operation'],
    ])
  })

  it('repeats neither a change nor its announcement under the same ID', async () => {
    const app = await startFlowApp()
    await aTable(app)
    const { port } = app.services.dataTables
    const change = { id: 'r/1', runId: 'r', kind: 'insert', key: [], ignoresUnknown: false } as const
    const first = await port.change('people', { ...change, rows: [{ email: 'a' }] })
    const again = await port.change('people', { ...change, rows: [{ email: 'b' }] })
    expect({ again, count: port.count('people', []) }).toEqual({ again: first, count: 1 })
  })
})

it('the export of a flow names the tables it uses with their columns, and an import creates them without rows', async () => {
  const app = await startFlowApp()
  const { id } = await aTable(app, [{ email: 'a@example.com', n: 1 }])
  const { flow } = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ [1] }}' },
      steps: [{ ref_id: 'read', type: 'data_table', config: { table: id } }],
    },
  ])
  const { json: file } = await app.call('GET', `/v1/flows/${flow.id}/export`)
  expect(file).toMatchObject({
    flows: [{ steps: [{}, { steps: [{ config: { table: 'people' } }] }] }],
    setup: {
      data_tables: [
        {
          name: 'people',
          columns: [
            { name: 'email', type: 'text' },
            { name: 'n', type: 'number' },
          ],
        },
      ],
    },
  })
  await app.call('DELETE', `/v1/data-tables/${id}`)
  const imported = await app.call('POST', '/v1/flows/import', file)
  const { json: tables } = await app.call('GET', '/v1/data-tables')
  expect([imported.status, tables]).toMatchObject([
    201,
    [{ name: 'people', row_count: 0, columns: [{ name: 'email' }, { name: 'n' }] }],
  ])
})
