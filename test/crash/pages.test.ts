import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { createHome } from '../helpers/program.ts'
import { callServed, createNumberedFlow, kill, readFolder, sendNumber, stop } from '../helpers/served-api.ts'
import { untilIdle, untilSeen } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const PAGES = 5

/** Five pages of two records, and records that are sent back; a call can be held until the program has been killed. */
async function startListApi() {
  const state = { holds: null as string | null, onHeld: () => {}, held: [] as ServerResponse[] }
  const api = await startThirdPartyApi(({ target, body }, response) => {
    const call = body.length > 0 ? body.toString() : target
    if (call === state.holds) {
      state.held.push(response)
      state.onHeld()
      return
    }
    const page = Number(new URL(target, 'http://x.invalid').searchParams.get('page') ?? 1)
    const items = page > PAGES ? [] : [{ id: 2 * page - 1 }, { id: 2 * page }]
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ items }))
  })
  return {
    url: api.url,
    /** Resolves once a call is held. */
    hold(call: string) {
      state.holds = call
      return new Promise<void>((resolve) => (state.onHeld = resolve))
    },
    /** The calls since the last time: numbers of pages, and records that were sent. */
    takeCalls() {
      state.holds = null
      return api.received
        .splice(0)
        .map(({ target, body }) =>
          body.length > 0 ? body.toString() : `page ${target.split('page=')[1] ?? 1}`,
        )
    },
  }
}

const items = (url: string): StepInput => ({
  ref_id: 'items',
  type: 'rest',
  config: {
    url: `${url}/items`,
    pagination: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
  },
})
const sent = (url: string, body: string): StepInput => ({
  ref_id: 'sent',
  type: 'rest',
  config: { method: 'POST', url, body },
})

it('pages that were stored are not requested again after a kill', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const api = await startListApi()
  let served = await home.serve()
  const flow = await createNumberedFlow(served, { async: true }, [
    items(api.url),
    sent(api.url, '{{ items | length }}'),
  ])
  const held = api.hold('/items?page=4')
  await sendNumber(served, flow, 0)
  await held
  await untilSeen(served, async () => {
    const [run] = await callServed<FlowRun[]>(served, 'GET', '/v1/flow-runs?per_page=1')
    const steps = await callServed<FlowRunStep[]>(served, 'GET', `/v1/flow-runs/${run?.id}/steps`)
    return steps.some(({ http }) => http.length === 3) ? true : null
  })
  await kill(served)
  const before = api.takeCalls()
  served = await home.serve()
  await untilIdle(served)
  const after = api.takeCalls()
  const end = await stop(served)
  const { runs, isSound } = readFolder(home)
  expect({ before, after, end, isSound, runs }).toEqual({
    before: ['page 1', 'page 2', 'page 3', 'page 4'],
    after: ['page 4', 'page 5', 'page 6', '10'],
    end: 0,
    isSound: true,
    runs: [{ title: '0', status: 'success', error: null }],
  })
})

it('before the first effect of a loop over pages, the page with its record is stored', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const api = await startListApi()
  let served = await home.serve()
  const each: StepInput = {
    ref_id: 'each',
    type: 'loop',
    config: { over: '{{ items }}', start: 'first_page' },
    steps: [sent(api.url, '{{ item.id }}')],
  }
  const flow = await createNumberedFlow(served, { async: true }, [items(api.url), each])
  const held = api.hold('3')
  await sendNumber(served, flow, 0)
  await held
  await kill(served)
  const before = api.takeCalls()
  served = await home.serve()
  await untilIdle(served)
  const after = api.takeCalls()
  expect({ before, after, end: await stop(served), runs: readFolder(home).runs }).toEqual({
    before: ['page 1', '1', '2', 'page 2', '3'],
    after: ['3', '4', 'page 3', '5', '6', 'page 4', '7', '8', 'page 5', '9', '10', 'page 6'],
    end: 0,
    runs: [{ title: '0', status: 'success', error: null }],
  })
})
