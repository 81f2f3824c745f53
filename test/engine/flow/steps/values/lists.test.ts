import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { runSteps } from '../../../../helpers/flow-run.ts'

const ORDERS = [
  { id: 1, customer: 'b', country: 'FR', total: 10.5 },
  { id: 2, customer: 'a', country: 'DE', total: '9' },
  { id: 3, customer: 'a', country: 'FR', total: null },
  { id: 4, customer: 'c', country: 'DE', total: 120 },
]

async function run(type: string, config: Record<string, unknown>, more: Partial<StepInput> = {}) {
  const { results, error } = await runSteps([
    { ref_id: 'it', type, config: { over: ORDERS, ...config }, ...more },
  ])
  return error
    ? { code: error.code, field: error.field, message: error.message }
    : (results as { it: unknown }).it
}
const ids = async (result: Promise<unknown>) => ((await result) as { id: number }[]).map(({ id }) => id)

describe('filter', () => {
  it('keeps the items for which the condition holds, with item and index', async () => {
    expect([
      await ids(run('filter', { when: 'item.country == "FR"' })),
      await ids(run('filter', { when: '{{ index is odd }}' })),
      await run('filter', { over: '[1, 2, 3]', when: 'item > 1' }),
    ]).toEqual([
      [1, 3],
      [2, 4],
      [2, 3],
    ])
  })

  it('restores the names of the surrounding loop', async () => {
    const { results } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: ['a', 'c'], collect: '{{ item }}: {{ found | length }}' },
        steps: [{ ref_id: 'found', type: 'filter', config: { over: ORDERS, when: 'item.customer == "a"' } }],
      },
    ])
    expect((results as { each: unknown }).each).toEqual(['a: 2', 'c: 2'])
  })

  it('names the field and the value that is not a list', async () => {
    expect(await run('filter', { over: 'orders', when: 'true' })).toEqual({
      code: 'validation',
      field: 'config.over',
      message: 'Step "it": "over" must be a list, got "orders"',
    })
  })

  it('yields to other work during a long list', async () => {
    const over = Array.from({ length: 100_000 }, (_, n) => n)
    let yields = 0
    let looks = 0
    const yieldToEventLoop = async () => void yields++
    const { results } = await runSteps(
      [{ ref_id: 'it', type: 'filter', config: { over, when: 'item % 1000 == 0' } }],
      { ports: { yieldToEventLoop, clock: { now: Date.now, monotonic: () => looks++ } } },
    )
    expect((results as { it: unknown[] }).it).toHaveLength(100)
    expect(yields).toBeGreaterThan(2)
  })
})

describe('sort', () => {
  it('sorts by a field, numbers by value even as strings, missing values last', async () => {
    expect([
      await ids(run('sort', { by: 'total' })),
      await ids(run('sort', { by: 'total', descending: true })),
      await ids(run('sort', { by: ['customer', '{{ -item.id }}'] })),
      await run('sort', { over: ['b', '10', 9, 'a', null, ''] }),
    ]).toEqual([
      [2, 1, 4, 3],
      [4, 1, 2, 3],
      [3, 2, 1, 4],
      [9, '10', 'a', 'b', null, ''],
    ])
  })
})

describe('aggregate', () => {
  const operation = (operation: string, of = 'total') => ({ name: operation, operation, of })

  it('computes all operations over a list', async () => {
    const operations = [
      operation('count', ''),
      { name: 'with_total', operation: 'count', of: 'total' },
      ...['sum', 'average', 'minimum', 'maximum', 'first', 'last', 'list'].map((name) => operation(name)),
      operation('unique', 'country'),
      operation('count_unique', 'customer'),
      { ...operation('join', '{{ item.customer | upper }}'), separator: '-' },
    ]
    expect(await run('aggregate', { operations })).toEqual({
      count: 4,
      with_total: 3,
      sum: 139.5,
      average: 46.5,
      minimum: '9',
      maximum: 120,
      first: 10.5,
      last: 120,
      list: [10.5, '9', null, 120],
      unique: ['FR', 'DE'],
      count_unique: 3,
      join: 'B-A-A-C',
    })
  })

  it('returns one object per group', async () => {
    expect(await run('aggregate', { by: 'country', operations: [operation('sum')] })).toEqual([
      { country: 'FR', sum: 10.5 },
      { country: 'DE', sum: 129 },
    ])
  })

  it('adds integers exactly, and returns what an empty list allows', async () => {
    const { results } = await runSteps([
      {
        ref_id: 'it',
        type: 'aggregate',
        config: { over: '{{ [9007199254740993, 2] }}', operations: [{ name: 'sum', operation: 'sum' }] },
      },
    ])
    expect(JSON.stringify(results)).toContain('9007199254740996')
    expect(
      await run('aggregate', { over: [], operations: [operation('count', ''), operation('average')] }),
    ).toEqual({
      count: 0,
      average: null,
    })
  })

  it('names the result and the value that is not a number', async () => {
    expect(await run('aggregate', { operations: [operation('sum', 'country')] })).toEqual({
      code: 'validation',
      field: 'config.operations[0].of',
      message: 'Step "it": "sum" needs numbers, and "FR" isn\'t one; filter such items out first',
    })
  })
})

describe('merge', () => {
  const customers = [
    { id: 'a', name: 'Ada' },
    { id: 'b', name: 'Ben' },
    { id: 'z', name: 'Zoe' },
  ]
  const join = (how: string) => run('merge', { with: customers, how, on: 'customer', on_with: 'id' })
  const names = async (how: string) =>
    ((await join(how)) as { customer?: string; name?: string }[]).map(
      (one) => `${one.customer ?? '-'}:${one.name ?? '-'}`,
    )

  it('joins two lists on an equal field', async () => {
    expect({
      inner: await names('inner'),
      left: await names('left'),
      right: await names('right'),
      outer: await names('outer'),
      without: await names('without'),
    }).toEqual({
      inner: ['b:Ben', 'a:Ada', 'a:Ada'],
      left: ['b:Ben', 'a:Ada', 'a:Ada', 'c:-'],
      right: ['b:Ben', 'a:Ada', 'a:Ada', '-:Zoe'],
      outer: ['b:Ben', 'a:Ada', 'a:Ada', 'c:-', '-:Zoe'],
      without: ['c:-'],
    })
  })

  it('treats 7 and the string 7 as equal, but not 007', async () => {
    const keys = { over: [{ k: 7 }, { k: '007' }], with: [{ k: '7', hit: true }], how: 'inner', on: 'k' }
    expect(await run('merge', keys)).toEqual([{ k: '7', hit: true }])
  })

  it('appends one list to the other, or combines them item by item', async () => {
    expect([
      await run('merge', { over: [1], with: [2, 3] }),
      await run('merge', { over: [{ a: 1 }], with: [{ b: 2 }, { b: 3 }], how: 'position' }),
    ]).toEqual([
      [1, 2, 3],
      [{ a: 1, b: 2 }, { b: 3 }],
    ])
  })

  it('names an item that cannot be joined, and stops a join that would fill the memory', async () => {
    const many = Array.from({ length: 800 }, () => ({ k: 1 }))
    expect([
      await run('merge', { over: [1], with: [1], how: 'inner' }),
      await run('merge', { over: many, with: many, how: 'inner', on: 'k' }),
    ]).toEqual([
      {
        code: 'validation',
        field: 'config.over',
        message: expect.stringContaining('an item of "over" is 1') as string,
      },
      {
        code: 'too_large',
        field: 'config.on',
        message: expect.stringContaining('more than 500000 items') as string,
      },
    ])
  })
})
