import { expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { FlowTest, FlowTestResult, TestCoverage } from '../../../src/shared/contract/flow-tests.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const webhook = (config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config,
})
const set = (ref_id: string, values: Record<string, unknown>): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
})

/** A shop that prices orders, and remembers the requests. */
async function aShop() {
  return startThirdPartyApi((request, response) => {
    response.setHeader('content-type', 'application/json')
    const { id } =
      request.body.length === 0 ? { id: 0 } : (JSON.parse(String(request.body)) as { id: number })
    response.end(JSON.stringify({ id, price: id * 2, from: request.target }))
  })
}

const orderFlow = (url: string): StepInput[] => [
  webhook({ async: false, response_body: `{"total": {{ total.sum }}, "at": "{{ now('%Y-%m-%d') }}"}` }),
  {
    ref_id: 'price',
    type: 'rest',
    config: { url: `${url}/price`, method: 'POST', body: '{{ {"id": web1.id} }}' },
  },
  set('total', { sum: '{{ price.body.price * web1.count }}', code: '{{ uuid }}' }),
]

async function recordLast(app: FlowApp, name = 'An order'): Promise<FlowTest> {
  const run = await app.until(({ status }) => status === 'success' || status === 'error')
  const answer = await app.call('POST', `/v1/flow-runs/${run.id}/test`, { name })
  expect(answer.json, 'recorded').toMatchObject({ test: { name } })
  return (answer.json as { test: FlowTest }).test
}

async function sourceOf(app: FlowApp, id: string) {
  const { json } = await app.call('GET', '/v1/flow-sources?per_page=200')
  return (json as { source: { id: string; steps: StepInput[] } }[]).find(({ source }) => source.id === id)!
    .source
}

async function runTests(app: FlowApp, source: object, tests: readonly object[]) {
  const { status, json } = await app.call('POST', '/v1/flow-tests/run', { source, tests })
  return { status, ...(json as { results: FlowTestResult[]; coverage: TestCoverage }) }
}

it('a run becomes a test, which passes again without sending or storing anything', async () => {
  const shop = await aShop()
  const app = await startFlowApp()
  const hook = await app.addFlow(orderFlow(shop.url))
  const answer = await app.trigger(hook, { body: { id: 7, count: 3 } })
  const test = await recordLast(app)
  const [runs, calls] = [app.runs().length, shop.received.length]
  const source = await sourceOf(app, hook.flow.id)
  const played = await runTests(app, source, [test, test])
  expect(answer.json).toMatchObject({ total: 42 })
  expect({ ...played, runs: app.runs().length - runs, calls: shop.received.length - calls }).toMatchObject({
    status: 200,
    results: [
      { passed: true, failures: [] },
      { passed: true, failures: [] },
    ],
    coverage: { steps: 3, not_run: [], branches_not_run: [] },
    runs: 0,
    calls: 0,
  })
  expect(test).toMatchObject({
    input: { id: 7, count: 3 },
    calls: [
      {
        type: 'http',
        step: 'price',
        request: { method: 'POST', url: `${shop.url}/price`, body: { id: 7 } },
        response: { status: 200, body: { id: 7, price: 14 } },
      },
    ],
    expect: {
      status: 'success',
      response: { status: 200, body: { exact: { total: 42, at: test.clock.slice(0, 10) } } },
      results: { total: { exact: { sum: 42 } } },
    },
  })
})

it('a changed call fails with the nearest recorded one and the difference', async () => {
  const shop = await aShop()
  const app = await startFlowApp()
  const hook = await app.addFlow(orderFlow(shop.url))
  await app.trigger(hook, { body: { id: 7, count: 3 } })
  const test = await recordLast(app)
  const calls = shop.received.length
  const changed = async (change: (steps: StepInput[]) => void) => {
    const source = structuredClone(await sourceOf(app, hook.flow.id))
    change(source.steps)
    const { results } = await runTests(app, source, [test])
    return results[0]
  }
  const price = (steps: StepInput[]) => steps[1]!.config as Record<string, unknown>
  expect({
    method: await changed((steps) => (price(steps)['method'] = 'PUT')),
    url: await changed((steps) => (price(steps)['url'] = `${shop.url}/price?currency=EUR`)),
    body: await changed((steps) => (price(steps)['body'] = '{{ {"id": web1.id + 1} }}')),
    header: await changed((steps) => (price(steps)['headers'] = { 'x-shop': 'a' })),
    gone: await changed((steps) => (steps[1] = set('price', { body: { price: 14 } }))),
    result: await changed((steps) => (steps[2] = set('total', { sum: 41, code: '{{ uuid }}' }))),
  }).toMatchObject({
    method: {
      passed: false,
      failures: [
        {
          kind: 'missing_call',
          step: 'price',
          differences: [{ path: 'method', expected: 'POST', got: 'PUT' }],
        },
      ],
    },
    url: { failures: [{ kind: 'missing_call', differences: [{ path: 'query.currency', got: 'EUR' }] }] },
    body: { failures: [{ kind: 'missing_call', differences: [{ path: 'body.id', expected: 7, got: 8 }] }] },
    header: { failures: [{ kind: 'missing_call', differences: [{ path: 'headers.x-shop', got: 'a' }] }] },
    gone: { failures: [{ kind: 'unused_call', step: 'price' }] },
    result: {
      can_accept: true,
      failures: [
        { kind: 'response', differences: [{ path: 'total', expected: 42, got: 41 }] },
        { kind: 'result', step: 'total', differences: [{ path: 'sum', expected: 42, got: 41 }] },
      ],
      actual: { results: { total: { exact: { sum: 41 } } } },
    },
  })
  expect(shop.received.length).toBe(calls)
})

it('waits and retries take no time, and faults happen on demand', async () => {
  const shop = await aShop()
  const app = await startFlowApp()
  const hook = await app.addFlow([
    webhook(),
    { ref_id: 'wait', type: 'delay', config: { seconds: 3_600 } },
    { ref_id: 'price', type: 'rest', config: { url: `${shop.url}/price` } },
    set('late', { at: "{{ now('%H:%M') }}" }),
  ])
  const test: FlowTest = {
    millrace_test: 1,
    flow: hook.flow.id,
    name: 'Too many',
    clock: '2026-01-01T08:00:00.000Z',
    seed: '',
    run_id: '8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b',
    input: {},
    variables: {},
    auths: [],
    calls: [
      {
        type: 'http',
        step: 'price',
        request: { method: 'GET', url: `${shop.url}/price`, headers: {} },
        response: { status: 200, headers: { 'content-type': 'application/json' }, body: { price: 1 } },
        fault: { kind: 'status', status: 429, times: 2, headers: { 'retry-after': '60' } },
      },
    ],
    ignore: [],
    expect: {
      status: 'success',
      results: { late: { exact: { at: '09:02' } }, price: { subset: { body: { price: 1 } } } },
    },
  }
  const source = await sourceOf(app, hook.flow.id)
  const withFault = (fault: unknown) => ({ ...test, calls: [{ ...test.calls[0], fault }] })
  const { results } = await runTests(app, source, [
    test,
    withFault({ kind: 'timeout' }),
    withFault({ kind: 'reset' }),
  ])
  expect(results).toMatchObject([
    { passed: true, failures: [] },
    { passed: false, actual: { status: 'error', error: { code: 'timeout', step: 'price' } } },
    { passed: false, actual: { status: 'error', error: { code: 'http_error', step: 'price' } } },
  ])
  expect(shop.received).toEqual([])
})

it('results are compared exactly, as a subset, by a schema or by a template', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([webhook(), set('made', { n: '{{ web1.n }}', list: [1, 2], text: 'abc' })])
  const source = await sourceOf(app, hook.flow.id)
  const test = (made: unknown) => ({
    millrace_test: 1,
    flow: hook.flow.id,
    name: 'x',
    clock: '2026-01-01T08:00:00.000Z',
    run_id: '8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b',
    input: { n: 1 },
    expect: { status: 'success', results: { made } },
  })
  const schema = (type: string) => ({
    schema: { type: 'object', properties: { n: { type } }, required: ['n'] },
  })
  const { results } = await runTests(app, source, [
    test({ exact: { n: 1, list: [1, 2], text: 'abc' } }),
    test({ exact: { n: 1 } }),
    test({ subset: { list: [1, 2] } }),
    test({ subset: { list: [1] } }),
    test(schema('number')),
    test(schema('string')),
    test({ template: '{{ value.n < 2 and made.text == "abc" }}' }),
    test({ template: '{{ value.n > 2 }}' }),
  ])
  expect(results.map(({ passed }) => passed)).toEqual([true, false, true, false, true, false, true, false])
})

it('everything that is not HTTP is replaced by its recorded result', async () => {
  const app = await startFlowApp({})
  const { flow: inner } = await app.addFlow([set('made', { answer: 42 })], { name: 'Inner' })
  const hook = await app.addFlow([
    webhook({ async: false, response_body: '{{ last }}' }),
    { ref_id: 'count', type: 'key_value', config: { operation: 'increment', key: 'orders', value: 1 } },
    { ref_id: 'sub', type: 'run_flow', config: { flow_id: inner.id, input: { a: 1 }, wait: true } },
    {
      ref_id: 'script',
      type: 'code',
      config: {
        source:
          'return { now: Date.now(), day: new Date().toISOString(), chance: Math.random(), sub: input.sub }',
      },
    },
    set('last', { count: '{{ count }}', sub: '{{ sub }}', day: '{{ script.day }}' }),
  ])
  await app.trigger(hook, { body: {} })
  const [run] = app.runs().filter(({ flow_id: id }) => id === hook.flow.id)
  const { json } = await app.call('POST', `/v1/flow-runs/${(run as FlowRun).id}/test`, { name: 'all' })
  const { test } = json as { test: FlowTest }
  const before = { runs: app.runs().length, stored: app.store.keyValues.get('orders', Date.now()) }
  const source = await sourceOf(app, hook.flow.id)
  const { results } = await runTests(app, source, [test, test])
  const changed = structuredClone(source)
  ;(changed.steps[1]!.config as Record<string, unknown>)['key'] = 'other'
  const { results: other } = await runTests(app, changed, [test])
  expect({ calls: test.calls, results, other }).toMatchObject({
    calls: [
      { type: 'step', step: 'count' },
      { type: 'step', step: 'sub', output: { answer: 42 } },
    ],
    results: [{ passed: true }, { passed: true }],
    other: [
      {
        passed: false,
        failures: [
          {
            kind: 'missing_call',
            step: 'count',
            differences: [{ path: 'input.key', expected: 'orders', got: 'other' }],
          },
        ],
      },
    ],
  })
  expect({ runs: app.runs().length, stored: app.store.keyValues.get('orders', Date.now()) }).toEqual(before)
})
