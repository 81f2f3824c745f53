import { describe, expect, it } from 'vitest'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'
import { startThirdPartyApi, type ThirdPartyApi } from '../helpers/third-party-api.ts'

const LAST_PAGE = 9
const hasEnded = ({ status }: FlowRun) => ['success', 'error', 'cancelled'].includes(status)

/** Ten pages of two records each; the first page is requested without a number. */
async function startPagedApi() {
  const state = { failsAt: 7 as number | null, holdsAt: null as number | null }
  const api = await startThirdPartyApi(({ target }, response) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 0)
    if (page === state.holdsAt) return
    const records = page > LAST_PAGE ? [] : [{ id: 2 * page }, { id: 2 * page + 1 }]
    response.writeHead(page === state.failsAt ? 404 : 200, { 'content-type': 'application/json' })
    response.end(
      page === state.failsAt ? '{"message":"gone"}' : JSON.stringify({ records, next: page < LAST_PAGE }),
    )
  })
  return { api, state, pages: () => api.received.map(({ target }) => target.split('page=')[1] ?? '0') }
}

/** The configuration reads the previous response, so a 404 isn't the end of the list. */
const cursor = (api: ThirdPartyApi): StepInput => ({
  ref_id: 'orders',
  type: 'rest',
  config: {
    url: `${api.url}/orders`,
    pagination: {
      query: '{% if previous_request.next %}{"page": {{ page }}}{% endif %}',
      response_jsonpath: '$.records',
    },
  },
})

const ended = (app: FlowApp, id: string) => app.until((run) => run.id === id && hasEnded(run))
const start = async (app: FlowApp, steps: readonly StepInput[]) => {
  const { flow } = await app.addFlow(steps)
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run`)
  return (json as { flow_run_id: string }).flow_run_id
}
const outputs = (app: FlowApp, run: FlowRun) =>
  Object.fromEntries(app.stepsOf(run).map(({ ref_id, output }) => [ref_id, output]))

const count: StepInput = {
  ref_id: 'count',
  type: 'set',
  config: { values: { n: '{{ orders | length }}', last: '{{ orders[-1].id }}' } },
}

describe('a failed run', () => {
  it('continues with the missing page, and its list is complete', async () => {
    const app = await startFlowApp()
    const { api, state, pages } = await startPagedApi()
    const id = await start(app, [cursor(api), count])
    const failed = await ended(app, id)
    expect(failed).toMatchObject({
      status: 'error',
      error: { ref_id: 'orders', data: { page: 7, partial_count: 14 } },
    })
    const before = pages()
    api.received.length = 0
    state.failsAt = null

    const answer = await app.call('POST', `/v1/flow-runs/${id}/resume`)
    expect(answer).toMatchObject({ status: 202, json: { flow_run_id: id } })
    const run = await ended(app, id)
    expect({
      before,
      after: pages(),
      status: run.status,
      error: run.error,
      outputs: outputs(app, run),
    }).toEqual({
      before: ['0', '1', '2', '3', '4', '5', '6', '7'],
      after: ['7', '8', '9'],
      status: 'success',
      error: null,
      outputs: { orders: expect.objectContaining({ length: 20 }), count: { n: 20, last: 19 } },
    })
    expect((await app.call('POST', `/v1/flow-runs/${id}/resume`)).status).toBe(409)
  })

  it("keeps earlier calls and logs, and doesn't count the time in between", async () => {
    const IDLE_MS = 3_600_000
    let idleMs = 0
    const app = await startFlowApp({
      clock: { now: () => Date.now() + idleMs, monotonic: () => performance.now() },
    })
    const { api, state } = await startPagedApi()
    const id = await start(app, [cursor(api), count])
    const failed = await ended(app, id)
    const step = () => app.stepsOf(app.runs().find((run) => run.id === id)!)[0]!
    const before = step()
    state.failsAt = 8
    idleMs = IDLE_MS
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    await app.until((run) => run.id === id && (run.error?.data as { page?: number } | null)?.page === 8)
    state.failsAt = null
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    const run = await app.until((each) => each.id === id && each.status === 'success')
    const after = step()
    const pagesOf = ({ http }: Pick<FlowRunStep, 'http'>) => http.map(({ page }) => page)
    const { earlier_attempts: earlier = [] } = after
    expect({
      earlier: earlier.map((attempt) => [pagesOf(attempt), attempt.error?.data]),
      now: [pagesOf(after), after.error],
      records: [...earlier, after].map(({ http }) => http.map(({ records }) => records ?? 0)),
      first: earlier[0]?.error,
      startedAt: earlier[0]?.started_at,
    }).toEqual({
      earlier: [
        [[0, 1, 2, 3, 4, 5, 6, 7], expect.objectContaining({ page: 7 })],
        [[7, 8], expect.objectContaining({ page: 8 })],
      ],
      now: [[8, 9], null],
      records: [
        [2, 2, 2, 2, 2, 2, 2, 0],
        [2, 0],
        [2, 2],
      ],
      first: before.error,
      startedAt: before.started_at,
    })
    expect(run.duration_ms).toBeGreaterThan(failed.duration_ms ?? 0)
    expect(run.duration_ms).toBeLessThan(IDLE_MS)
  })

  it('can fail and continue several times', async () => {
    const app = await startFlowApp()
    const { api, state, pages } = await startPagedApi()
    const id = await start(app, [cursor(api), count])
    for (const next of [8, 9]) {
      await ended(app, id)
      state.failsAt = next
      await app.call('POST', `/v1/flow-runs/${id}/resume`)
      await app.until((run) => run.id === id && (run.error?.data as { page?: number } | null)?.page === next)
    }
    state.failsAt = null
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    const run = await app.until((each) => each.id === id && each.status === 'success')
    expect({ pages: pages(), count: outputs(app, run)['count'] }).toEqual({
      pages: ['0', '1', '2', '3', '4', '5', '6', '7', '7', '8', '8', '9', '9'],
      count: { n: 20, last: 19 },
    })
  })

  it('keeps its pages even if a caller was waiting for it', async () => {
    const app = await startFlowApp()
    const { api, state, pages } = await startPagedApi()
    const { flow } = await app.addFlow([cursor(api), count])
    const { id } = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as FlowRun
    state.failsAt = null
    api.received.length = 0
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    const run = await app.until((each) => each.id === id && each.status === 'success')
    expect({ pages: pages(), count: outputs(app, run)['count'] }).toEqual({
      pages: ['7', '8', '9'],
      count: { n: 20, last: 19 },
    })
  })

  it('repeats no finished step, not even inside a loop', async () => {
    const app = await startFlowApp()
    const state = { fails: true }
    const api = await startThirdPartyApi(({ target }, response) => {
      response.writeHead(state.fails && target === '/2' ? 400 : 200).end('{}')
    })
    const id = await start(app, [
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ [1, 2, 3] }}' },
        steps: [{ ref_id: 'call', type: 'rest', config: { url: `${api.url}/{{ item }}` } }],
      },
    ])
    await ended(app, id)
    state.fails = false
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    await app.until((each) => each.id === id && each.status === 'success')
    expect(api.received.map(({ target }) => target)).toEqual(['/1', '/2', '/2', '/3'])
  })

  it('continues after it was cancelled', async () => {
    const app = await startFlowApp()
    const { api, state, pages } = await startPagedApi()
    state.failsAt = null
    state.holdsAt = 3
    const id = await start(app, [cursor(api)])
    await app.until(() => pages().includes('3'))
    await app.call('POST', `/v1/flow-runs/${id}/cancel`)
    expect(await ended(app, id)).toMatchObject({ status: 'cancelled' })
    state.holdsAt = null
    api.received.length = 0
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    await app.until((each) => each.id === id && each.status === 'success')
    expect(pages()).toEqual(['3', '4', '5', '6', '7', '8', '9'])
  })
})

describe("a run can't be resumed", () => {
  it("while it is in progress, after its author ended it, if nothing of it was kept, or if it doesn't exist", async () => {
    const app = await startFlowApp()
    const stopped = await start(app, [
      { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'enough' } },
    ])
    await ended(app, stopped)
    const waiting = await start(app, [{ ref_id: 'wait', type: 'delay', config: { seconds: 30 } }])
    const { flow } = await app.addFlow([
      { ref_id: 'bad', type: 'set', config: { values: { x: '{{ 1 / 0 }}' } } },
    ])
    const { id: pure } = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as FlowRun
    const answers = await Promise.all(
      [stopped, waiting, pure, 'nope'].map(
        async (id) => (await app.call('POST', `/v1/flow-runs/${id}/resume`)).status,
      ),
    )
    expect(answers).toEqual([409, 409, 409, 404])
  })
})
