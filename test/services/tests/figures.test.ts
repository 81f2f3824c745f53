/**
 * The figures of flow tests: 50 flows with 200 tests made from their runs, rounds without a flake, and planted changes
 * in flows and connectors that the tests find. The long form (`npm run test:flow-tests`) uses all of them and prints
 * how long the tests take; the short form uses a part.
 */
import { afterAll, expect, test } from 'vitest'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import type { FlowTest, FlowTestResult } from '../../../src/shared/contract/flow-tests.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { mutationsOf, seededOrder } from '../../helpers/mutations.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const IS_LONG = process.env['MILLRACE_FLOW_TESTS'] === 'long'
const FLOWS = IS_LONG ? 50 : 5
const ROUNDS = IS_LONG ? 100 : 3
const CHANGES_OF_FLOWS = IS_LONG ? 440 : 35
const CHANGES_OF_CONNECTORS = IS_LONG ? 60 : 5
const LEAST_FOUND = 0.95

interface Tested {
  readonly source: { readonly id: string; readonly steps: readonly StepInput[] }
  readonly tests: readonly FlowTest[]
}

const figures: string[] = []
afterAll(() => {
  if (IS_LONG) console.log(figures.join('\n'))
})

/** An API that prices orders and has lists of two pages. */
const startShop = () =>
  startThirdPartyApi((request, response) => {
    const url = new URL(request.target, 'http://shop.test')
    const page = Number(url.searchParams.get('page') ?? 1)
    const body = request.body.length === 0 ? {} : (JSON.parse(request.body.toString()) as { id?: number })
    response.writeHead(url.pathname === '/gone' ? 404 : 200, { 'content-type': 'application/json' })
    const orders =
      page > 2
        ? []
        : [1, 2, 3].map((id) => ({
            id: page * 10 + id,
            total: id * 7,
            state: id % 2 === 0 ? 'open' : 'paid',
          }))
    response.end(JSON.stringify({ orders, price: (body.id ?? 1) * 3, path: url.pathname, query: url.search }))
  })

const set = (ref_id: string, values: object): StepInput => ({ ref_id, type: 'set', config: { values } })
const rest = (ref_id: string, config: Record<string, unknown>): StepInput => ({
  ref_id,
  type: 'rest',
  config,
})
const hook = (body: string): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config: { async: false, response_body: body },
})

/** Five kinds of flows, each with its own numbers. */
function stepsOf(n: number, url: string, connector: string): StepInput[] {
  const kinds: StepInput[][] = [
    [
      hook('{"total": {{ total.sum }}, "label": "{{ total.label }}"}'),
      rest('price', {
        method: 'POST',
        url: `${url}/price/${n}`,
        headers: { 'x-shop': `shop-${n}` },
        body: '{{ {"id": web1.id, "count": web1.count} }}',
      }),
      set('total', {
        sum: `{{ price.body.price * web1.count + ${n} }}`,
        label: `order {{ web1.id }} of ${n}`,
      }),
    ],
    [
      hook('{{ sums }}'),
      {
        ref_id: 'orders',
        type: 'connector_action',
        config: {
          connector_id: connector,
          action: 'list_orders',
          input: { state: `state-{{ web1.id }}-${n}` },
        },
      },
      {
        ref_id: 'open',
        type: 'filter',
        config: { over: '{{ orders }}', when: `item.total > ${n % 2 === 0 ? 6 : 13}` },
      },
      {
        ref_id: 'sums',
        type: 'aggregate',
        config: {
          over: '{{ open }}',
          by: 'state',
          operations: [{ name: 'sum', operation: 'sum', of: 'total' }],
        },
      },
    ],
    [
      hook('{"sum": {{ done.sum }}}'),
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ [web1.id, web1.count] }}' },
        steps: [
          rest('send', { url: `${url}/item/{{ item + ${n} }}`, query: { shop: `s${n}` } }),
          set('line', { price: '{{ send.body.price * item }}' }),
        ],
      },
      set('done', { sum: `{{ (each | length) * ${n} + web1.count }}` }),
    ],
    [
      hook('{"went": "{{ went.text }}"}'),
      {
        ref_id: 'large',
        type: 'condition',
        config: { when: '{{ web1.count > 2 }}' },
        then: [rest('ask', { url: `${url}/large/${n}`, method: 'PUT', body: '{{ {"id": web1.count} }}' })],
        else: [set('small', { text: `small ${n}` })],
      },
      set('went', { text: `{{ "asked" if web1.count > 2 else small.text }} ${n}` }),
    ],
    [
      hook('{{ end }}'),
      {
        ref_id: 'script',
        type: 'code',
        config: {
          source: `return { n: input.web1.id * ${n + 2}, at: new Date().getTime() > 0, r: Math.random() < 1 }`,
        },
      },
      {
        ref_id: 'safe',
        type: 'try',
        config: {},
        try: [rest('gone', { url: `${url}/gone`, query: { n: `{{ script.n }}` } })],
        catch: [set('instead', { text: `none of ${n}` })],
        finally: [],
      },
      set('end', { n: '{{ script.n + web1.count }}', text: '{{ instead.text }}' }),
    ],
  ]
  return kinds[n % kinds.length] ?? []
}

async function makeTests(app: FlowApp): Promise<{ all: Tested[]; connector: Connector; actionId: string }> {
  const shop = await startShop()
  const { json } = await app.call('POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: shop.url,
    pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' },
  })
  const connector = json as Connector
  const action = await app.call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'list_orders',
    title: 'List orders',
    method: 'GET',
    endpoint: '/orders',
    query: { state: '{{ input.state }}', per_page: '3' },
    headers: { 'x-client': 'millrace' },
    supports_automatic_pagination: true,
  })
  const made: { id: string; tests: FlowTest[] }[] = []
  for (let n = 0; n < FLOWS; n++) {
    const { flow, token, path } = await app.addFlow(stepsOf(n, shop.url, connector.id), { name: `Flow ${n}` })
    const tests: FlowTest[] = []
    for (const count of [1, 2, 3, 4]) {
      await app.trigger({ token, path }, { body: { id: n + count, count } })
      const run = app.store.flowRuns.list({
        perPage: 1,
        filters: [{ field: 'flow_id', operator: 'eq', value: flow.id }],
      }).records[0]
      const recorded = await app.call('POST', `/v1/flow-runs/${run?.id}/test`, { name: `count ${count}` })
      expect(recorded.json, `flow ${n}`).toMatchObject({
        test: { flow: flow.id, expect: { status: 'success' } },
      })
      tests.push((recorded.json as { test: FlowTest }).test)
    }
    made.push({ id: flow.id, tests })
  }
  const sources = new Map<string, Tested['source']>()
  const list = await app.call('GET', '/v1/flow-sources?per_page=200')
  for (const { source } of list.json as { source: Tested['source'] }[]) sources.set(source.id, source)
  const all = made.map(({ id, tests }) => ({ source: sources.get(id)!, tests }))
  return { all, connector, actionId: (action.json as { id: string }).id }
}

async function failuresOf(app: FlowApp, { source, tests }: Tested): Promise<FlowTestResult[]> {
  const { status, json } = await app.call('POST', '/v1/flow-tests/run', { source, tests })
  // A flow that is no longer valid counts as found, too.
  if (status !== 200) return [{ passed: false } as FlowTestResult]
  return (json as { results: FlowTestResult[] }).results.filter(({ passed }) => !passed)
}

test('tests of many flows pass in every round, and find planted changes', async () => {
  const app = await startFlowApp()
  const { all, connector, actionId } = await makeTests(app)
  const took: number[] = []
  const flakes: unknown[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    for (const failed of await Promise.all(all.map((one) => failuresOf(app, one)))) flakes.push(...failed)
    took.push(performance.now() - startedAt)
  }
  const planted = seededOrder(
    all.flatMap((one) => mutationsOf(one.source.steps).map((mutation) => ({ one, ...mutation }))),
  )
  const missed: string[] = []
  const changes = planted.slice(0, CHANGES_OF_FLOWS)
  for (const { one, steps, what } of changes) {
    const failed = await failuresOf(app, { ...one, source: { ...one.source, steps } })
    if (failed.length === 0) missed.push(what)
  }
  const connectorChanges = seededOrder(connectorMutations(connector)).slice(0, CHANGES_OF_CONNECTORS)
  for (const [at, { path, change, undo, what }] of connectorChanges.entries()) {
    const url =
      path === 'connector'
        ? `/v1/connectors/${connector.id}?reentry=true`
        : `/v1/connector-actions/${actionId}`
    const saved = await app.call('PUT', url, change)
    expect({ what, status: saved.status, json: saved.status === 200 ? null : saved.json }).toEqual({
      what,
      status: 200,
      json: null,
    })
    const user = all.filter(({ source }) => JSON.stringify(source).includes('list_orders'))
    const failed = await failuresOf(app, user[at % user.length]!)
    if (failed.length === 0) missed.push(what)
    await app.call('PUT', url, undo)
  }
  const count = changes.length + connectorChanges.length
  const tests = all.reduce((sum, one) => sum + one.tests.length, 0)
  figures.push(
    `${all.length} flows with ${tests} tests: median ${Math.round(took.toSorted((a, b) => a - b)[took.length >> 1] ?? 0)} ms, slowest ${Math.round(Math.max(...took))} ms`,
    `${ROUNDS} rounds: ${flakes.length} failures`,
    `${count} planted changes: ${count - missed.length} found (${((100 * (count - missed.length)) / count).toFixed(1)} %)`,
    ...missed.map((what) => `  missed: ${what}`),
  )
  expect({
    flakes,
    tests,
    found: (count - missed.length) / count >= LEAST_FOUND ? 'enough' : missed,
  }).toEqual({
    flakes: [],
    tests: FLOWS * 4,
    found: 'enough',
  })
})

interface ConnectorMutation {
  readonly path: 'connector' | 'action'
  readonly change: object
  readonly undo: object
  readonly what: string
}

/** Changes to every part of a connector and its action that affects a call, and to how its pages are read. */
function connectorMutations({ base_domain: base }: Connector): ConnectorMutation[] {
  const paging = { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' }
  const query = { state: '{{ input.state }}', per_page: '3' }
  const one = (path: ConnectorMutation['path'], undo: object, change: object): ConnectorMutation => ({
    path,
    change,
    undo,
    what: `${path}: ${JSON.stringify(change)}`,
  })
  const numbers = Array.from({ length: 10 }, (_, at) => at)
  return numbers.flatMap((n) => [
    one('connector', { base_domain: base }, { base_domain: `${base}/v${n}` }),
    one(
      'connector',
      { pagination_config: paging },
      { pagination_config: { ...paging, query: `{"page": {{ page + ${n + 2} }}}` } },
    ),
    one(
      'connector',
      { pagination_config: paging },
      { pagination_config: { ...paging, query: `{"page_${n}": {{ page + 1 }}}` } },
    ),
    one(
      'connector',
      { pagination_config: paging },
      { pagination_config: { ...paging, response_jsonpath: `$.orders[${n % 3}:]`.replace('[0:]', '[:1]') } },
    ),
    one('action', { endpoint: '/orders' }, { endpoint: `/orders/${n}` }),
    one('action', { query }, { query: { ...query, per_page: String(n + 4) } }),
    one('action', { query }, { query: { ...query, state: `{{ input.state }}${n}` } }),
    one('action', { headers: { 'x-client': 'millrace' } }, { headers: { 'x-client': `millrace-${n}` } }),
    one(
      'action',
      { supports_automatic_pagination: true },
      { supports_automatic_pagination: false, title: `List ${n}` },
    ),
  ])
}
