/**
 * Everything at once, on a large history: synchronous and asynchronous webhooks, lists, single runs and searches, three
 * pages with live updates, and each second a template and a webhook of 2.5 MB and a rejected body of 20 MB.
 */
import { statSync } from 'node:fs'
import { request as open } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HookAddress } from './lib/create-flow.ts'
import type { Benchmark, Figure } from './lib/figure.ts'
import { load, type LoadResult } from './lib/load.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { createOrderFlow, ORDER } from './lib/orders.ts'
import { withMillrace } from './lib/with-folder.ts'

const HISTORY = 20_000
const LOAD_MS = 20_000
const CONNECTIONS = 8
const LIVE = 3
/** The pause between a response and the next request of the same kind. */
const READ_PAUSE_MS = 100
const LARGE_PAUSE_MS = 1_000
const MOST_P99_MS = 50
const MOST_MS = 500

const VALUES = { state: 'received', from: '{{ hook.email }}' }
const LARGE = JSON.stringify({
  orders: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `Order ${id}`, total: id / 4 })),
})
const TOO_LARGE = Buffer.alloc(20_000_000, 'x')

export const benchmark: Benchmark = {
  title: `Everything at once for ${LOAD_MS / 1_000} seconds`,
  run: () => withMillrace(measure, { watchesLoop: true }),
}

async function measure(millrace: StartedMillrace, folder: string): Promise<Figure[]> {
  const quick = await createOrderFlow(millrace, {}, VALUES)
  const queued = await createOrderFlow(millrace, { async: true }, VALUES)
  await load({ port: millrace.port, ...queued, body: ORDER, connections: CONNECTIONS, requests: HISTORY })
  await millrace.program.eventLoopDelay()
  const counted = await loadWith(millrace, quick, queued)
  const { p99Ms, maxMs } = await millrace.program.eventLoopDelay()
  const log = statSync(join(folder, 'data/millrace.db-wal')).size / 1e6
  const told = { goal: 'told', isMet: true }
  return [
    {
      what: 'Event-loop delay, p99',
      unit: 'ms',
      ours: p99Ms,
      goal: `at most ${MOST_P99_MS} ms`,
      isMet: p99Ms <= MOST_P99_MS,
    },
    {
      what: 'Event-loop delay, longest',
      unit: 'ms',
      ours: maxMs,
      goal: `at most ${MOST_MS} ms`,
      isMet: maxMs <= MOST_MS,
    },
    { what: 'Webhooks answered', unit: '', ours: counted.webhooks.answered, ...told },
    { what: 'Time to the answer of a webhook, p99', unit: 'ms', ours: counted.webhooks.p99Ms, ...told },
    { what: 'Pages, searches and templates answered', unit: '', ours: counted.reads, ...told },
    { what: 'Events that live pages were told', unit: '', ours: counted.events, ...told },
    { what: 'Resident memory afterwards', unit: 'MB', ours: millrace.program.residentMb(), ...told },
    {
      what: 'Log of the database afterwards',
      unit: 'MB',
      ours: log,
      goal: 'below 64 MB',
      isMet: log < 64,
    },
  ]
}

interface Counted {
  readonly webhooks: LoadResult
  readonly reads: number
  readonly events: number
}

async function loadWith(
  millrace: StartedMillrace,
  quick: HookAddress,
  queued: HookAddress,
): Promise<Counted> {
  const { port, bearer } = millrace
  const url = `http://127.0.0.1:${port}`
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' }
  const until = performance.now() + LOAD_MS
  const done = new AbortController()
  const live = Array.from({ length: LIVE }, () => follow(`${url}/v1/events`, bearer, done.signal))
  const target = { port, body: ORDER, connections: CONNECTIONS, durationMs: LOAD_MS, pauseMs: 5 }
  let reads = 0

  async function again(work: () => Promise<Response>, pauseMs: number): Promise<void> {
    while (performance.now() < until) {
      const answer = await work()
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}`)
      reads++
      await sleep(pauseMs)
    }
  }
  const get = (path: string) => again(() => fetch(url + path, { headers }), READ_PAUSE_MS)
  const render = JSON.stringify({
    template: '{% for order in orders[:1000] %}{{ order.name }}\n{% endfor %}{{ orders | length }}',
    context: JSON.parse(LARGE) as object,
  })

  const [webhooks] = await Promise.all([
    load({ ...target, ...quick }),
    load({ ...target, ...queued }),
    get('/v1/flow-runs?per_page=50'),
    get(`/v1/flow-runs?filter=flow_id,eq,${queued.flowId}&filter=status,eq,success`),
    get('/v1/flow-runs?text=grace%20received'),
    get('/v1/flow-run-steps?per_page=50'),
    get('/'),
    again(
      () => fetch(`${url}/v1/templates/render`, { method: 'POST', headers, body: render }),
      LARGE_PAUSE_MS,
    ),
    again(
      () =>
        fetch(url + quick.path, { method: 'POST', headers: { ...headers, ...quick.headers }, body: LARGE }),
      LARGE_PAUSE_MS,
    ),
    refuseAgain(port, quick, until),
  ])
  done.abort()
  const events = (await Promise.all(live)).reduce((sum, lines) => sum + lines, 0)
  return { webhooks, reads, events }
}

/** Reads lines of a live stream until it is closed. */
async function follow(address: string, bearer: string, signal: AbortSignal): Promise<number> {
  let lines = 0
  try {
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${bearer}` }, signal })
    for await (const chunk of answer.body ?? [])
      lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return lines
}

/** Sends chunks without a Content-Length, so that the server can reject the body only after reading up to the limit. */
async function refuseAgain(port: number, hook: HookAddress, until: number): Promise<void> {
  while (performance.now() < until) {
    const status = await new Promise<number>((resolve, reject) => {
      const request = open({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: hook.path,
        headers: hook.headers,
      })
      request.once('response', (response) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0))
      })
      request.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
      )
      request.end(TOO_LARGE)
    })
    await sleep(LARGE_PAUSE_MS)
    if (status !== 413) throw new Error(`a body of 20 MB was answered ${status}`)
  }
}
