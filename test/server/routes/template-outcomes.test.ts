/**
 * What a preview returns in addition to the template's text: what a step makes of the values, and what can follow a
 * value.
 */
import { describe, expect, test } from 'vitest'
import { MOST_LOOKED_AT, type TemplatePreview } from '../../../src/shared/contract/templates.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'

const PREVIEW = '/v1/templates/preview'
const orders = Array.from({ length: 57 }, (_, index) => ({
  id: index,
  total: index * 10,
  to: `c${index % 3}`,
}))

async function outcomes() {
  const app = await startFlowApp()
  return async (type: string, config: object, context: object = { web1: { orders } }, more: object = {}) => {
    const step = { ref_id: 'tried', type, config, ...more }
    const { status, json } = await app.call('POST', PREVIEW, { template: '', step, context })
    if (status !== 200) throw new Error(JSON.stringify(json))
    return (json as TemplatePreview).outcome
  }
}

const over = '{{ web1.orders }}'

describe('the outcome of a step', () => {
  test('is the number of items that a filter keeps, and the first of them', async () => {
    const outcome = await outcomes()
    expect(await outcome('filter', { over, when: 'item.total > 420' })).toEqual({
      count: 57,
      looked_at: 57,
      result_count: 14,
      results: orders.slice(43, 48),
      branch: null,
      label: null,
      error: null,
    })
  })

  test('is the first items of a sort, and the results of an aggregate', async () => {
    const outcome = await outcomes()
    const operations = [{ name: 'sum', operation: 'sum', of: 'total' }]
    expect({
      sort: (await outcome('sort', { over, by: 'id', descending: true }))?.results?.[0],
      all: (await outcome('aggregate', { over, operations }))?.results,
      groups: (await outcome('aggregate', { over, operations, by: 'to' }))?.result_count,
    }).toEqual({ sort: orders[56], all: [{ sum: 15_960 }], groups: 3 })
  })

  test('is the branch that a condition and a switch take, for the item of the loop around them', async () => {
    const outcome = await outcomes()
    const cases = [{ label: 'paid', steps: [] }]
    const context = { web1: { n: 5, status: 'paid' } }
    const way = async (...args: Parameters<typeof outcome>) => {
      const { branch, label } = (await outcome(...args)) ?? {}
      return [branch, label]
    }
    expect({
      yes: await way('condition', { when: 'web1.n > 4' }, context),
      no: await way('condition', { a: '{{ web1.n }}', comparison: 'greater', b: 9 }, context),
      paid: await way('switch', { value: '{{ web1.status }}' }, context, { cases }),
      other: await way('switch', { value: 'new' }, context, { cases }),
    }).toEqual({ yes: ['then', null], no: ['else', null], paid: ['case', 'paid'], other: ['default', null] })
  })

  test('says how much of a long list was evaluated', async () => {
    const outcome = await outcomes()
    const list = Array.from({ length: MOST_LOOKED_AT + 500 }, (_, index) => index)
    expect(
      await outcome('filter', { over: '{{ web1.list }}', when: 'item % 2 == 0' }, { web1: { list } }),
    ).toMatchObject({
      count: MOST_LOOKED_AT + 500,
      looked_at: MOST_LOOKED_AT,
      result_count: MOST_LOOKED_AT / 2,
    })
  })

  test('reports errors, and is empty if the step is incomplete, has unknown values or side effects', async () => {
    const outcome = await outcomes()
    expect({
      wrong: (await outcome('filter', { over, when: 'item.total.x.y' }))?.error,
      noList: (await outcome('filter', { over: '{{ web1 }}', when: 'item' }))?.error,
      incomplete: await outcome('filter', { over }),
      unknown: await outcome('filter', { over: '{{ web2.orders }}', when: 'item' }),
      acts: await outcome('rest', { url: 'http://127.0.0.1:1/' }),
    }).toEqual({
      wrong: expect.stringContaining('no attribute'),
      noList: expect.stringContaining('"over" must be a list'),
      incomplete: null,
      unknown: null,
      acts: null,
    })
  })

  test('belongs to the chosen iteration of the loop in the flow', async () => {
    const app = await startFlowApp()
    const condition = { ref_id: 'if1', type: 'condition', config: { when: 'item > 2' } }
    const hook = await app.addFlow([
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'each', type: 'loop', config: { over: '{{ web1.list }}' }, steps: [condition] },
    ])
    const branch = async (iteration: string) => {
      const body = {
        template: '',
        step: condition,
        flow_id: hook.flow.id,
        ref_id: 'if1',
        iteration,
        context: { web1: { list: [1, 2, 3] } },
      }
      return ((await app.call('POST', PREVIEW, body)).json as TemplatePreview).outcome?.branch
    }
    expect([await branch('0'), await branch('2')]).toEqual(['else', 'then'])
  })
})

describe('continuations of a value', () => {
  const continued = async (template: string, web1: object) => {
    const app = await startFlowApp()
    const body = { template, continue: true, context: { web1 } }
    const { continuations } = (await app.call('POST', PREVIEW, body)).json as TemplatePreview
    return Object.fromEntries(continuations.map(({ insert, result }) => [insert, result]))
  }

  test('fit its type, and show the resulting text', async () => {
    const text = await continued('{{ web1.name }}', { name: ' Ada Lovelace ' })
    expect(text).toMatchObject({
      ' | upper': ' ADA LOVELACE ',
      ' | trim': 'Ada Lovelace',
      ' | length': '14',
      ".split(',')": "[' Ada Lovelace ']",
    })
    expect(Object.keys(text)).not.toContain(' | sum')
    const list = await continued('{{ web1.lines }}', { lines: [{ sku: 'A' }, { sku: 'B' }] })
    expect(list).toMatchObject({ ' | length': '2', ' | map(attribute="sku") | list': "['A', 'B']" })
    expect(Object.keys(list)).not.toContain(' | upper')
    expect(await continued('{{ web1.n }}', { n: 2.345 })).toMatchObject({ ' | round(2)': '2.35' })
  })

  test('are only tried on small values, and are empty for an unknown one', async () => {
    const long = await continued('{{ web1.text }}', { text: 'x'.repeat(200_000) })
    expect(long).toMatchObject({ ' | upper': null })
    expect(await continued('{{ web2.name }}', {})).toEqual({})
  })
})
