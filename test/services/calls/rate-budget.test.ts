import { expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const WINDOW_MS = 300
const PER_WINDOW = 8

/** An API that allows a number of calls in a window that begins with the first call, and rejects the others. */
async function startLimitedApi(headersOf: (left: number, resetMs: number) => Record<string, string>) {
  let [begin, used] = [-Infinity, 0]
  const refused: number[] = []
  let lastBegan = 0
  const api = await startThirdPartyApi((_, response, count) => {
    const now = performance.now()
    if (now - begin >= WINDOW_MS) {
      ;[begin, used] = [now, 0]
      lastBegan = count
    }
    const resetMs = Math.ceil(begin + WINDOW_MS - now)
    const isRefused = ++used > PER_WINDOW
    if (isRefused) refused.push(lastBegan)
    const headers = headersOf(Math.max(0, PER_WINDOW - used), resetMs)
    response.writeHead(isRefused ? 429 : 200, {
      'content-type': 'application/json',
      ...(isRefused ? { 'retry-after-ms': String(resetMs) } : {}),
      ...headers,
    })
    response.end('{}')
  })
  return { api, refused }
}

async function callInTwoFlows(url: string, count: number): Promise<string[]> {
  const app = await startFlowApp()
  const steps = [
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: `{{ range(${count}) | list }}`, concurrency: 20 },
      steps: [{ ref_id: 'call', type: 'rest', config: { url } }],
    },
  ]
  // However slow the first response is, the other calls know the limit.
  const { flow: one } = await app.addFlow([{ ref_id: 'call', type: 'rest', config: { url } }])
  await app.call('POST', `/v1/flows/${one.id}/run?wait=true`)
  const flows = [await app.addFlow(steps), await app.addFlow(steps)]
  const runs = await Promise.all(
    flows.map(({ flow }) => app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)),
  )
  return runs.map(({ json }) => (json as FlowRun).status)
}

it('an API that says how many calls are left never has to refuse one, whichever runs call it', async () => {
  const { api, refused } = await startLimitedApi((left, resetMs) => ({
    'x-ratelimit-limit': String(PER_WINDOW),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String((resetMs + 20) / 1000),
  }))
  const statuses = await callInTwoFlows(api.url, 16)
  expect({ statuses, refused, calls: api.received.length }).toEqual({
    statuses: ['success', 'success'],
    refused: [],
    calls: 33,
  })
})
