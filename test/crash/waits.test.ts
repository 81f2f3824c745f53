import { expect, it, onTestFinished } from 'vitest'
import type { FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { callServed, kill, readFolder, stop } from '../helpers/served-api.ts'
import { untilEnded, untilIdle } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(20, 2)
const A_ROUND = 10

it('a run that was killed while an export is under way continues with the same job', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  let asked = Promise.withResolvers<void>()
  let kills = 0
  const api = await startThirdPartyApi(({ method, target }, response) => {
    response.setHeader('Content-Type', 'application/json')
    if (method === 'POST') response.end('{"id":7}')
    else if (target === '/file') response.end('[1,2,3]')
    else if (kills === KILLS) response.end('{"status":"done"}')
    // Calls without a response are in flight when the program is killed.
    else asked.resolve()
  })
  let served = await home.serve()
  const config = {
    url: `${api.url}/jobs`,
    status_url: `${api.url}/jobs/{{ job.body.id }}`,
    download_url: `${api.url}/file`,
    interval_seconds: 1,
  }
  const { id } = await callServed<Flow>(served, 'POST', '/v1/flows', {
    name: 'Export',
    steps: [{ ref_id: 'export', type: 'export_job', config }],
  })
  const path = `/v1/flows/${id}/run`
  const { flow_run_id: run } = await callServed<{ flow_run_id: string }>(served, 'POST', path)
  while (kills < KILLS) {
    await asked.promise
    await kill(served)
    kills++
    asked = Promise.withResolvers()
    served = await home.serve()
  }
  const { status, error } = await untilEnded(served, run)
  const [step] = await callServed<FlowRunStep[]>(served, 'GET', `/v1/flow-runs/${run}/steps`)
  const created = api.received.filter(({ method }) => method === 'POST')
  expect({ end: await stop(served), status, error, output: step?.output, jobs: created.length }).toEqual({
    end: 0,
    status: 'success',
    error: null,
    output: [1, 2, 3],
    jobs: 1,
  })
})

it('a run continues with the callback that was confirmed, despite kill -9', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const urls = new Map<number, string>()
  let known = Promise.withResolvers<void>()
  const api = await startThirdPartyApi(({ body }, response) => {
    const { n, url } = JSON.parse(body.toString()) as { n: number; url: string }
    urls.set(n, new URL(url).pathname)
    known.resolve()
    response.end('{}')
  })
  let served = await home.serve()
  await callServed(served, 'PUT', '/v1/settings', { webhook_rate_limit_requests: null })
  const { id } = await callServed<Flow>(served, 'POST', '/v1/flows', {
    name: 'Callbacks',
    settings: { dynamic_title: '{{ start.n }}: {{ callback.body.said }}' },
    steps: [
      { ref_id: 'start', type: 'webhook' },
      {
        ref_id: 'send',
        type: 'rest',
        config: {
          method: 'POST',
          url: api.url,
          body: { n: '{{ start.n }}', url: '{{ callbacks.callback.url }}' },
        },
      },
      { ref_id: 'callback', type: 'wait_for_callback', config: { timeout_hours: 1 }, default: [] },
    ],
  })
  const confirmed = new Map<number, string>()
  let runs = 0

  async function startRound(): Promise<void> {
    for (let count = 0; count < A_ROUND; count++)
      await callServed(served, 'POST', `/v1/flows/${id}/run`, { input: { n: runs++ } })
    while (urls.size < runs) {
      await known.promise
      known = Promise.withResolvers()
    }
  }
  /** Makes several calls, of which only the first that arrives counts. */
  async function call(at: Served, n: number, said: string): Promise<void> {
    const init = {
      method: 'POST',
      body: JSON.stringify({ said }),
      headers: { 'Content-Type': 'application/json' },
    }
    const { ok } = await fetch(`${at.url}${urls.get(n)}`, init)
    if (ok && !confirmed.has(n)) confirmed.set(n, said)
  }

  for (let round = 0; round < KILLS; round++) {
    await startRound()
    const open = [...urls.keys()].filter((n) => !confirmed.has(n))
    const calls = open.map((n) => call(served, n, `in ${round}`).catch(() => undefined))
    await randomPause(0, 60)
    await kill(served)
    await Promise.all(calls)
    served = await home.serve()
  }
  for (const n of urls.keys()) if (!confirmed.has(n)) await call(served, n, 'late')
  await untilIdle(served)
  const end = await stop(served)

  const { runs: ended, isSound, queued } = readFolder(home)
  const wrong = ended.filter(({ status, title }) => {
    const [n = '', said = ''] = title.split(': ')
    const expected = confirmed.get(Number(n))
    // A call can be stored although its response was lost; later ones are then refused.
    return status !== 'success' || (expected === undefined ? !said.startsWith('in ') : said !== expected)
  })
  report('kill -9 while callbacks arrive', { kills: KILLS, runs: ended.length, confirmed: confirmed.size })
  expect({ end, isSound, queued, wrong, runs: ended.length }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    wrong: [],
    runs: KILLS * A_ROUND,
  })
})
