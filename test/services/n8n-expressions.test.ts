import { expect, it } from 'vitest'
import type { FlowImportPlan } from '../../src/shared/contract/flow-files.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { startFlowApp } from '../helpers/flow-app.ts'
import { aWorkflow, codeOf, hook, type Json, set } from '../../packages/import-n8n/test/n8n-workflow.ts'

/** Imports a workflow, runs it with an input and returns the result of its last step. */
async function imported(workflow: Json, input: Json) {
  const app = await startFlowApp()
  const plan = await app.call('POST', '/v1/flows/import/plan', { source: JSON.stringify(workflow) })
  const { file, notes } = plan.json as FlowImportPlan
  const made = await app.call('POST', '/v1/flows/import', file)
  const flow = made.json as Flow
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { input })
  const [run] = app.runs()
  const steps = run === undefined ? [] : app.stepsOf(run)
  return {
    error: run?.error?.message ?? null,
    outputs: Object.fromEntries(
      steps.map(({ ref_id, iteration, output }) => [[ref_id, ...iteration].join('-'), output]),
    ),
    notes: notes.map(({ node, message }) => `${node}: ${message}`),
  }
}

const ORDER = {
  id: 7,
  name: 'Ada King',
  items: [
    { sku: 'a', price: 10, qty: 2 },
    { sku: 'b', price: 2.5, qty: 1 },
  ],
}

it("n8n's JavaScript returns the same results as there", async () => {
  const { error, outputs, notes } = await imported(
    aWorkflow(
      [
        hook,
        set('Edit', { factor: 3 }),
        set('Shape', {
          total: "={{ $('Webhook').item.json.body.items.reduce((sum, i) => sum + i.price * i.qty, 0) }}",
          skus: "={{ $('Webhook').first().json.body.items.map(i => i.sku).join('-') }}",
          initials: '={{ $node["Webhook"].json.body.name.split(" ").map(w => w[0]).join("") }}',
          sum: "={{ $json.factor + $('Webhook').item.json.body.id }}",
          masked: "={{ $('Webhook').item.json.body.name.replace(/[aeiou]/gi, '*') }}",
          unquoted: `={{ $('Webhook').item.json.body.name.replace(/["' ]/g, '') }}`,
          commented: '={{ $json.factor + $json.factor // of what? }}',
          missing: '={{ $json.nowhere.at(0).name }}',
          line: "=Order {{ $('Webhook').item.json.body.id }}: {{ $('Webhook').item.json.body.items.map(i => `${i.qty} x ${i.sku}`).join(', ') }} ({{ $json.nowhere?.at(0) }})",
          plain: '={{ $json.factor * 2 }}',
        }),
      ],
      ['Webhook -> Edit', 'Edit -> Shape'],
    ),
    ORDER,
  )
  expect({ error, shape: outputs['shape'] }).toEqual({
    error: null,
    shape: {
      total: '22.5',
      skus: 'a-b',
      initials: 'AK',
      sum: '10',
      masked: '*d* K*ng',
      unquoted: 'AdaKing',
      commented: '6',
      missing: null,
      line: 'Order 7: 2 x a, 1 x b ()',
      plain: '6',
    },
  })
  expect(notes.filter((note) => note.startsWith('Shape'))).toEqual([])
})

it("n8n's JavaScript decides conditions, for each item if there are several", async () => {
  const condition = {
    options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
    combinator: 'and',
    conditions: [
      {
        leftValue: '={{ $json.tags.filter(tag => tag.startsWith("x")).length }}',
        rightValue: 1,
        operator: { type: 'number', operation: 'gte' },
      },
    ],
  }
  const { error, outputs } = await imported(
    aWorkflow(
      [
        hook,
        codeOf('Rows', 'return $json.body.rows.map((tags) => ({ json: { tags } }))'),
        { name: 'If', type: 'if', typeVersion: 2.2, parameters: { conditions: condition, options: {} } },
        set('Yes', { tags: '={{ [...$json.tags].sort().join() }}', at: '={{ [$itemIndex].at(0) }}' }),
        set('No', { tags: 'none' }),
      ],
      ['Webhook -> Rows', 'Rows -> If', 'If:0 -> Yes', 'If:1 -> No'],
    ),
    { rows: [['y'], ['z', 'x1']] },
  )
  expect({
    error,
    no0: outputs['no-0'],
    yes0: outputs['yes-0'],
    no1: outputs['no-1'],
    yes1: outputs['yes-1'],
  }).toEqual({
    error: null,
    no0: { tags: 'none' },
    yes0: undefined,
    no1: undefined,
    yes1: { tags: 'x1,z', at: '1' },
  })
})

it("n8n's times are in the time zone of its workflow", async () => {
  const { error, outputs } = await imported(
    aWorkflow(
      [
        hook,
        set('Times', {
          next: "={{ DateTime.fromISO($json.body.at).plus({ days: 1 }).toFormat('dd.MM.yyyy HH:mm') }}",
          month: "={{ DateTime.fromISO($json.body.at).startOf('month').toISO() }}",
          before: "={{ DateTime.fromISO($json.body.local).minus(90, 'minutes').toISO() }}",
          day: '={{ DateTime.fromMillis($json.body.ms).weekday }}',
          millis: '={{ DateTime.fromSeconds($json.body.ms / 1000).toMillis() }}',
        }),
      ],
      ['Webhook -> Times'],
      { settings: { timezone: 'Europe/Berlin' } },
    ),
    { at: '2024-01-31T23:30:00Z', local: '2024-07-01T01:00:00', ms: 1_706_743_800_000 },
  )
  expect({ error, times: outputs['times'] }).toEqual({
    error: null,
    times: {
      next: '02.02.2024 00:30',
      month: '2024-02-01T00:00:00.000+01:00',
      before: '2024-06-30T23:30:00.000+02:00',
      day: '4',
      millis: '1706743800000',
    },
  })
})

it("n8n's JavaScript stays in its sandbox, and changes nothing for other steps", async () => {
  const attack = `
    const key = ['construct', 'or'].join('')
    const reached = [][key][key]('return [typeof process, typeof require, typeof fetch].join()')()
    Object.prototype.polluted = 'yes'
    Array.prototype.at = () => 'replaced'
    return [{ json: { reached, ['__proto__']: { polluted: 'by a key' } } }]`
  const { error, outputs } = await imported(
    aWorkflow(
      [
        hook,
        codeOf('Attack', attack),
        set('After', {
          '__proto__.polluted': 'by a path',
          'constructor.prototype.polluted': 'by a path',
          seen: '={{ String(({}).polluted) + [2].at(0) }}',
          reached: '={{ $json.reached }}',
        }),
      ],
      ['Webhook -> Attack', 'Attack -> After'],
    ),
    ORDER,
  )
  expect({ error, after: outputs['after'], own: ({} as Json)['polluted'] }).toMatchObject({
    error: null,
    after: { seen: 'undefined2', reached: 'undefined,undefined,undefined' },
    own: undefined,
  })
})

it.each([
  ['never ends', '={{ (() => { for (;;); })() }}', 'limit of 5 s'],
  ['takes memory', '={{ (() => { const held = []; for (;;) held.push({ a: 1 }) })() }}', 'limit of 64 MB'],
])(
  'an expression of n8n that %s ends its step',
  async (_, expression, message) => {
    const { error } = await imported(
      aWorkflow([hook, set('Attack', { value: expression })], ['Webhook -> Attack']),
      ORDER,
    )
    expect(error).toContain(message)
  },
  60_000,
)
