import { describe, expect, it } from 'vitest'
import { RunHalt } from '../../../../../src/main/engine/flow/model/run-halt.ts'
import { quoted } from '../../../../../src/shared/contract/base/message.ts'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { aConnector, anAction, connectedPorts, CONNECTOR_ID } from '../../../../helpers/flow-connectors.ts'
import { createTestRecorder, runSteps, type TestRunOptions } from '../../../../helpers/flow-run.ts'
import { startThirdPartyApi } from '../../../../helpers/third-party-api.ts'

const PARENTS = [
  { id: 'ada', owner: { name: 'Ada' }, orders: 3 },
  { id: 'bea', owner: { name: 'Bea' }, orders: 0 },
  { id: 'cyd', owner: { name: 'Cyd' }, orders: 2 },
]

/** Orders of customers, two per page: `/customers/ada/orders?page=0`. Unknown customers get 404. */
async function shop(fails: readonly string[] = []) {
  const api = await startThirdPartyApi(({ target }, response) => {
    const { pathname, searchParams } = new URL(target, 'http://shop.test')
    const [, , id = ''] = pathname.split('/')
    const orders = Array.from({ length: PARENTS.find((one) => one.id === id)?.orders ?? 0 }, (_, at) => ({
      id: `${id}-${at}`,
    }))
    const from = Number(searchParams.get('page') ?? 0) * 2
    response.writeHead(fails.includes(id) ? 404 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ orders: orders.slice(from, from + 2) }))
  })
  return { ...api, targets: () => api.received.map(({ target }) => target) }
}

const children = (url: string, config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'orders',
  type: 'rest',
  config: {
    url: `${url}/customers/{{ item.id }}/orders`,
    pagination: { query: '{"page": {{ page }}}', response_jsonpath: '$.orders' },
    for_each: '{{ customers }}',
    ...config,
  },
})

const run = (step: StepInput, options: TestRunOptions = {}) =>
  runSteps([{ ref_id: 'set1', type: 'set', config: { values: {} } }, step], {
    ...options,
    env: { customers: PARENTS },
    ports: { ...connectedPorts(), ...options.ports },
  })

const ordersIn = (results: unknown) => (results as { orders?: unknown } | null)?.orders

describe('a call for each item of a list', () => {
  it('returns the records of all pages of all items as one list, with fields of the item', async () => {
    const api = await shop()
    const { results, ran, error } = await run(children(api.url, { keep: ['id', 'owner.name'] }))
    const of = (id: string, at: number, name: string) => ({
      id: `${id}-${at}`,
      parent_id: id,
      parent_owner_name: name,
    })
    expect({ error, ran, orders: ordersIn(results), pages: api.targets() }).toEqual({
      error: null,
      ran: ['set1:success', 'orders[0]:success', 'orders[1]:success', 'orders[2]:success', 'orders:success'],
      orders: [
        of('ada', 0, 'Ada'),
        of('ada', 1, 'Ada'),
        of('ada', 2, 'Ada'),
        of('cyd', 0, 'Cyd'),
        of('cyd', 1, 'Cyd'),
      ],
      pages: [
        '/customers/ada/orders',
        '/customers/ada/orders?page=1',
        '/customers/ada/orders?page=2',
        '/customers/bea/orders',
        '/customers/cyd/orders',
        '/customers/cyd/orders?page=1',
      ],
    })
  })

  it('makes several calls at once, and keeps the order of the list', async () => {
    const api = await shop()
    const { results } = await run(children(api.url, { concurrency: 3, keep: ['id'] }))
    expect(results).toMatchObject({
      orders: ['ada', 'ada', 'ada', 'cyd', 'cyd'].map((parent_id) => ({ parent_id })),
    })
  })

  it('fails with the item in its message, or leaves it out and puts the list in doubt', async () => {
    const api = await shop(['bea'])
    const failing = await run(children(api.url))
    const skipping = await run(children(api.url, { on_item_error: 'skip', keep: ['id'] }))
    const { end } = skipping.outcome as { end?: { warnings: readonly object[] } }
    expect({
      failed: [failing.error?.ref_id, failing.error?.code, failing.error?.message.replace(/^.* \(/, '(')],
      ran: failing.ran,
      skipped: ordersIn(skipping.results),
      warnings: end?.warnings,
    }).toMatchObject({
      failed: ['orders', 'http_error', '(item 2, bea)'],
      ran: ['set1:success', 'orders[0]:success', 'orders[1]:error', 'orders:error'],
      skipped: ['ada', 'ada', 'ada', 'cyd', 'cyd'].map((parent_id) => ({ parent_id })),
      warnings: [
        {
          code: 'items_failed',
          in_doubt: true,
          message: 'Step "orders": 1 of 3 items failed, and their records are missing: item 2, bea',
        },
      ],
    })
  })

  it('names the items whose lists are in doubt', async () => {
    const api = await shop()
    const doubtful = { query: '{"after": "{{ previous_request.next }}"}', response_jsonpath: '$.orders' }
    const { outcome } = await run(children(api.url, { pagination: doubtful }))
    const { end } = outcome as { end?: { warnings: readonly { message: string; in_doubt?: boolean }[] } }
    expect(end?.warnings.filter(({ in_doubt }) => in_doubt)).toMatchObject([
      { message: expect.stringMatching(/^Step "orders": .* \(item 1, ada\)$/) as unknown },
      { message: expect.stringMatching(/^Step "orders": .* \(item 3, cyd\)$/) as unknown },
    ])
  })

  it('continues with the page that was in flight when the run was ended', async () => {
    const api = await shop()
    const { sendRequest } = connectedPorts()
    const recorder = createTestRecorder()
    let calls = 0
    const dying = await run(children(api.url), {
      recorder,
      resumable: true,
      ports: {
        sendRequest: (request, options) => {
          if (++calls === 6) throw new RunHalt('put_back', quoted('dead'))
          return sendRequest!(request, options)
        },
      },
    })
    await recorder.commit()
    expect(dying.status).toBe('put_back')
    const before = api.targets()
    const { results, status } = await run(children(api.url), {
      resumable: true,
      resumeFrom: recorder.resumeState(),
    })
    expect({ status, before, after: api.targets().slice(before.length), results }).toMatchObject({
      status: 'success',
      after: ['/customers/cyd/orders?page=1'],
      results: { orders: [{}, {}, {}, {}, {}] },
    })
  })

  it('is retried item by item, and works for connector actions without pages', async () => {
    const api = await startThirdPartyApi(({ target }, response, count) => {
      response.writeHead(count === 2 ? 400 : 200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ of: target }))
    })
    const given = {
      connector: aConnector({ base_domain: api.url }),
      action: anAction({ name: 'read', endpoint: '/{{ input.id }}' }),
    }
    const { results } = await runSteps(
      [
        {
          ref_id: 'read',
          type: 'connector_action',
          config: {
            connector_id: CONNECTOR_ID,
            action: 'read',
            input: { id: '{{ item }}' },
            for_each: ['a', 'b'],
            keep: ['none'],
          },
          retry: { attempts: 2, wait_seconds: 1 },
        },
      ],
      { ports: connectedPorts(given) },
    )
    expect({ results, targets: api.received.map(({ target }) => target) }).toEqual({
      targets: ['/a', '/b', '/b'],
      results: {
        read: [
          { of: '/a', parent_none: null },
          { of: '/b', parent_none: null },
        ],
      },
    })
  })
})
