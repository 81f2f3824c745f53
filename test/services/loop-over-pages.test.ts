import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'

/** Four pages of two orders, followed by an empty one, and an endpoint that orders are sent to. */
async function startShop() {
  const state = { failsAt: null as number | null, refuses: null as string | null }
  const api = await startThirdPartyApi(({ target, method }, response) => {
    const url = new URL(target, 'http://x')
    response.setHeader('content-type', 'application/json')
    if (method === 'POST') {
      response.statusCode = url.pathname === state.refuses ? 404 : 200
      response.end('{"ok":true}')
      return
    }
    const page = Number(url.searchParams.get('page') ?? 0)
    if (page === state.failsAt) response.statusCode = 403
    const orders = page > 3 ? [] : [{ id: 2 * page }, { id: 2 * page + 1 }]
    response.end(JSON.stringify({ orders }))
  })
  /** The requested pages and the sent orders, in order. */
  const calls = () =>
    api.received.map(({ target, method }) => {
      const { pathname, searchParams } = new URL(target, 'http://x')
      return method === 'POST' ? pathname.slice(1) : `page ${searchParams.get('page') ?? 0}`
    })
  return { api, state, calls }
}

const orders = ({ url }: ThirdPartyApi, more: Partial<StepInput> = {}): StepInput => ({
  ref_id: 'orders',
  type: 'rest',
  config: {
    url: `${url}/orders`,
    pagination: { query: '{"page": {{ page }}}', response_jsonpath: '$.orders' },
  },
  ...more,
})
const each = ({ url }: ThirdPartyApi, config: object = {}, more: Partial<StepInput> = {}): StepInput => ({
  ref_id: 'each',
  type: 'loop',
  config: { over: '{{ orders }}', start: 'first_page', collect: '{{ item.id }} at {{ index }}', ...config },
  steps: [{ ref_id: 'send', type: 'rest', config: { method: 'POST', url: `${url}/{{ item.id }}` } }],
  ...more,
})
const count: StepInput = {
  ref_id: 'count',
  type: 'set',
  config: { values: { orders: '{{ orders | length }}', each: '{{ each }}' } },
}

async function run(app: FlowApp, steps: readonly StepInput[]) {
  const { flow } = await app.addFlow(steps)
  const ended = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as FlowRun
  const shown = app.stepsOf(ended)
  return {
    run: ended,
    status: ended.status,
    steps: Object.fromEntries(shown.map(({ ref_id, status }) => [ref_id, status])),
    warnings: shown.flatMap(({ warnings }) => warnings.map(({ code }) => code)),
    output: Object.fromEntries(shown.map(({ ref_id, output }) => [ref_id, output])),
  }
}

const ALL = ['0 at 0', '1 at 1', '2 at 2', '3 at 3', '4 at 4', '5 at 5', '6 at 6', '7 at 7']

describe('a loop over a paginated step', () => {
  it('starts with the first page, and requests the next one after its iterations', async () => {
    const app = await startFlowApp()
    const { api, calls } = await startShop()
    const { status, output, steps } = await run(app, [orders(api), each(api), count])
    expect({ calls: calls(), status, steps, count: output['count'] }).toEqual({
      calls: ['page 0', '0', '1', 'page 1', '2', '3', 'page 2', '4', '5', 'page 3', '6', '7', 'page 4'],
      status: 'success',
      steps: { orders: 'success', each: 'success', send: 'success', count: 'success' },
      count: { orders: 8, each: ALL },
    })
  })

  it('waits for the whole list by default', async () => {
    const app = await startFlowApp()
    const { api, calls } = await startShop()
    await run(app, [orders(api), each(api, { start: 'whole_list' })])
    expect(calls().slice(0, 7)).toEqual(['page 0', 'page 1', 'page 2', 'page 3', 'page 4', '0', '1'])
  })

  it('waits for the whole list if another step is in between', async () => {
    const app = await startFlowApp()
    const { api, calls } = await startShop()
    const between: StepInput = { ref_id: 'between', type: 'set', config: { values: { a: 1 } } }
    const { output } = await run(app, [orders(api), between, each(api)])
    expect({ calls: calls().slice(0, 6), each: output['each'] }).toEqual({
      calls: ['page 0', 'page 1', 'page 2', 'page 3', 'page 4', '0'],
      each: ALL,
    })
  })

  it('fails with the step whose later page fails, after the earlier iterations, and resumes there', async () => {
    const app = await startFlowApp()
    const { api, state, calls } = await startShop()
    state.failsAt = 2
    const failed = await run(app, [orders(api), each(api), count])
    expect({
      calls: calls(),
      status: failed.status,
      error: failed.run.error,
      steps: failed.steps,
    }).toMatchObject({
      calls: ['page 0', '0', '1', 'page 1', '2', '3', 'page 2'],
      status: 'error',
      error: { ref_id: 'orders', data: { page: 2, partial_count: 4 } },
      steps: { orders: 'error', each: 'error', send: 'success' },
    })

    state.failsAt = null
    api.received.length = 0
    await app.call('POST', `/v1/flow-runs/${failed.run.id}/resume`)
    const ended = await app.until(({ id, status }) => id === failed.run.id && status === 'success')
    expect({
      calls: calls(),
      count: app.stepsOf(ended).find(({ ref_id }) => ref_id === 'count')?.output,
    }).toEqual({ calls: ['page 2', '4', '5', 'page 3', '6', '7', 'page 4'], count: { orders: 8, each: ALL } })
  })

  it("doesn't take an incomplete list for a complete one if the paginated step can fail", async () => {
    const app = await startFlowApp()
    const { api, state } = await startShop()
    state.failsAt = 1
    const {
      status,
      steps,
      run: ended,
    } = await run(app, [orders(api, { on_error: 'continue' }), each(api), count])
    expect({ status, steps, refId: ended.error?.ref_id }).toEqual({
      status: 'error',
      steps: { orders: 'error', each: 'error', send: 'success' },
      refId: 'orders',
    })
  })

  it('requests no further page if an iteration fails, and the rest of them on resume', async () => {
    const app = await startFlowApp()
    const { api, state, calls } = await startShop()
    state.refuses = '/3'
    const failed = await run(app, [orders(api), each(api), count])
    expect({ calls: calls(), status: failed.status, refId: failed.run.error?.ref_id }).toEqual({
      calls: ['page 0', '0', '1', 'page 1', '2', '3'],
      status: 'error',
      refId: 'send',
    })
    state.refuses = null
    api.received.length = 0
    await app.call('POST', `/v1/flow-runs/${failed.run.id}/resume`)
    const ended = await app.until(({ id, status }) => id === failed.run.id && status === 'success')
    expect({
      calls: calls(),
      count: app.stepsOf(ended).find(({ ref_id }) => ref_id === 'count')?.output,
    }).toEqual({
      calls: ['3', 'page 2', '4', '5', 'page 3', '6', '7', 'page 4'],
      count: { orders: 8, each: ALL },
    })
  })

  it('can leave the list early, which is recorded', async () => {
    const app = await startFlowApp()
    const { api, state, calls } = await startShop()
    state.refuses = '/2'
    const loop = each(api)
    const send = { ...loop.steps![0]!, on_error: 'break_loop' as const }
    const { status, warnings, output } = await run(app, [orders(api), { ...loop, steps: [send] }, count])
    expect({
      calls: calls(),
      status,
      isCutByLoop: warnings.includes('cut_by_loop'),
      count: output['count'],
    }).toEqual({
      calls: ['page 0', '0', '1', 'page 1', '2'],
      status: 'success',
      isCutByLoop: true,
      count: { orders: 4, each: ['0 at 0', '1 at 1'] },
    })
  })

  it('reads the body of an unpaginated step', async () => {
    const app = await startFlowApp()
    const { api } = await startShop()
    const plain = orders(api, { config: { url: `${api.url}/orders` } })
    const { status, run: ended } = await run(app, [plain, each(api)])
    expect({ status, message: ended.error?.message }).toEqual({
      status: 'error',
      message: expect.stringContaining('must be a list'),
    })
  })

  it('gets a warning if it can only wait', async () => {
    const app = await startFlowApp()
    const { api } = await startShop()
    const between: StepInput = { ref_id: 'between', type: 'set', config: { values: { a: 1 } } }
    const warningsOf = async (steps: StepInput[]) => {
      const { json } = await app.call('POST', '/v1/flows', { name: 'Orders', steps })
      const { warnings = [] } = json as { warnings?: { code: string; field: string }[] }
      return warnings.map(({ code, field }) => [code, field])
    }
    expect([
      await warningsOf([orders(api), each(api)]),
      await warningsOf([orders(api), between, each(api)]),
      await warningsOf([orders(api), each(api, { over: '{{ orders[1:] }}' })]),
    ]).toEqual([
      [],
      [['waits_for_list', 'steps[2].config.start']],
      [['waits_for_list', 'steps[1].config.start']],
    ])
  })
})
