import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { callServed } from '../helpers/served-api.ts'
import { untilEnded } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const PAGES = 12
const PER_PAGE = 5

describe('a loop that processes pages as they arrive', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it('continues after a kill -9 with the iteration in flight, and requests at most one page again', async () => {
    const pages: number[] = []
    const sent: number[] = []
    const dies = Promise.withResolvers<void>()
    const dead = { isYet: false }
    const shop = await startThirdPartyApi(({ target, method }, response) => {
      const url = new URL(target, 'http://x')
      response.setHeader('content-type', 'application/json')
      if (method === 'POST') {
        sent.push(Number(url.pathname.slice(1)))
        // This call, in the middle of the seventh page, never gets a response.
        if (sent.length === 33 && !dead.isYet) return dies.resolve()
        return void response.end('{}')
      }
      const page = Number(url.searchParams.get('page') ?? 0)
      pages.push(page)
      const ids = page < PAGES ? Array.from({ length: PER_PAGE }, (_, at) => page * PER_PAGE + at) : []
      response.end(JSON.stringify({ orders: ids.map((id) => ({ id })) }))
    })
    const first = await home.serve()
    const flow = await callServed<Flow>(first, 'POST', '/v1/flows', {
      name: 'Orders as they come',
      steps: [
        {
          ref_id: 'orders',
          type: 'rest',
          config: {
            url: `${shop.url}/orders`,
            pagination: { query: '{"page": {{ page }}}', response_jsonpath: '$.orders' },
          },
        },
        {
          ref_id: 'each',
          type: 'loop',
          config: { over: '{{ orders }}', start: 'first_page', collect: '{{ item.id }}' },
          steps: [
            { ref_id: 'send', type: 'rest', config: { method: 'POST', url: `${shop.url}/{{ item.id }}` } },
          ],
        },
        {
          ref_id: 'seen',
          type: 'set',
          config: { values: { orders: '{{ orders | length }}', turns: '{{ each }}' } },
        },
      ],
    })
    const { flow_run_id: id } = await callServed<{ flow_run_id: string }>(
      first,
      'POST',
      `/v1/flows/${flow.id}/run`,
    )
    await dies.promise
    const before = [...pages]
    first.process.kill('SIGKILL')
    await first.ended
    dead.isYet = true

    const second = await home.serve()
    const run = await untilEnded(second, id)
    const steps = await callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${id}/steps?per_page=200`)
    const all = Array.from({ length: PAGES * PER_PAGE }, (_, at) => at)
    expect({
      status: [run.status, run.error],
      before,
      after: pages.slice(before.length),
      // The call in flight may already have reached the API; every other call is made exactly once.
      sent: [...sent.slice(0, 33), ...sent.slice(34)],
      repeated: sent[33],
      seen: steps.find(({ ref_id }) => ref_id === 'seen')?.output,
    }).toEqual({
      status: ['success', null],
      before: [0, 1, 2, 3, 4, 5, 6],
      after: [7, 8, 9, 10, 11, 12],
      sent: all,
      repeated: 32,
      seen: { orders: 60, turns: all },
    })
  })
})
