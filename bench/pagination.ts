/** Reading pages compared with a hand-written loop of undici requests, and the memory of a long list. */
import { setTimeout as sleepFor } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { createRedactor } from '../src/main/engine/redaction/redactor.ts'
import {
  bodyOf,
  collectRecords,
  paginate,
  type PaginateOptions,
  type PaginatePorts,
} from '../src/main/engine/pagination/index.ts'
import { createSendRequest } from '../src/main/engine/request/send-request.ts'
import type { Benchmark, Figure } from './lib/figure.ts'
import { startPagedApi } from './lib/paged-api.ts'

export const benchmark: Benchmark = {
  title: 'Pagination',
  async run() {
    return [...(await measureSpeed()), await measureMemory(), await measureCancelling()]
  },
}

const PAGES = 100
const RECORDS = 100
const ROUNDS = 25

async function measureSpeed(): Promise<Figure[]> {
  const api = await startPagedApi(PAGES, RECORDS)
  const agent = new Agent()
  const { ports, close } = createPorts()
  const byHand: number[] = []
  const ours: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      byHand.push(await timed(() => readByHand(api.url, agent)))
      ours.push(await timed(() => readWithMillrace(api.url, ports)))
    }
  } finally {
    await Promise.all([agent.close(), close(), api.close()])
  }
  // Takes the fastest round of each, because slower ones include other work on the machine.
  const [quickest, beside] = [Math.min(...ours), Math.min(...byHand)]
  const own = (quickest - beside) / PAGES
  return [
    {
      what: '100 pages of 100 records',
      unit: 'ms',
      ours: quickest,
      beside: { name: 'undici by hand', value: beside },
      goal: 'at most 1.3 times',
      isMet: quickest <= 1.3 * beside,
    },
    { what: 'own time a page', unit: 'ms', ours: own, goal: 'at most 1 ms', isMet: own <= 1 },
  ]
}

async function readByHand(url: string, dispatcher: Agent): Promise<number> {
  const records: unknown[] = []
  for (let page = 1; ; page++) {
    const { body } = await request(`${url}/items${page > 1 ? `?page=${page}` : ''}`, { dispatcher })
    const { items } = (await body.json()) as { items: unknown[] }
    if (items.length === 0) return records.length
    for (const item of items) records.push(item)
  }
}

async function readWithMillrace(url: string, ports: PaginatePorts): Promise<number> {
  const { output } = await collectRecords(paginate(pagesOf(url, ports)))
  return Array.isArray(output) ? output.length : 0
}

async function timed(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const records = await work()
  if (records !== PAGES * RECORDS) throw new Error(`${records} records instead of ${PAGES * RECORDS}`)
  return performance.now() - startedAt
}

/** Reads a million records with a consumer that keeps none. */
async function measureMemory(): Promise<Figure> {
  const pages = 10_000
  const api = await startPagedApi(pages, RECORDS)
  const { ports, close } = createPorts()
  const options = { ...pagesOf(api.url, ports), limits: { max_pages: pages + 1 }, checkpoints: true }
  let records = 0
  let highest = 0
  let start = 0
  try {
    for await (const event of paginate(options)) {
      if (event.type === 'failed') throw new Error(event.error.message)
      if (event.type !== 'records') continue
      records += event.records.length
      const { rss } = process.memoryUsage()
      if (event.page === 0) start = rss
      highest = Math.max(highest, rss)
    }
  } finally {
    await Promise.all([close(), api.close()])
  }
  if (records !== pages * RECORDS) throw new Error(`${records} records instead of ${pages * RECORDS}`)
  const growth = (highest - start) / 1_000_000
  return {
    what: 'growth over 1,000,000 records',
    unit: 'MB',
    ours: growth,
    goal: 'under 150 MB',
    isMet: growth < 150,
  }
}

async function measureCancelling(): Promise<Figure> {
  const api = await startPagedApi(PAGES, RECORDS)
  const { ports, close } = createPorts()
  const abort = new AbortController()
  let cancelledAt = 0
  try {
    for await (const event of paginate({ ...pagesOf(api.url, ports), signal: abort.signal })) {
      if (event.type !== 'request' || event.page !== 10) continue
      cancelledAt = performance.now()
      setImmediate(() => abort.abort())
    }
    const ours = performance.now() - cancelledAt
    return { what: 'cancelled after', unit: 'ms', ours, goal: 'at most 1000 ms', isMet: ours <= 1000 }
  } finally {
    await Promise.all([close(), api.close()])
  }
}

function pagesOf(url: string, ports: PaginatePorts): PaginateOptions {
  return {
    action: {
      baseUrl: url,
      endpoint: 'items',
      method: 'GET',
      query: {},
      headers: [],
      body: bodyOf(undefined, []),
    },
    supportsPagination: true,
    config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
    variables: {},
    ports,
  }
}

function createPorts(): { ports: PaginatePorts; close: () => Promise<void> } {
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const sender = createSendRequest({ clock, userAgent: 'Millrace bench', ownPorts: () => new Set() })
  const ports = {
    sendRequest: sender.sendRequest,
    clock,
    random: Math.random,
    sleep: (ms: number, signal?: AbortSignal) => sleepFor(ms, undefined, signal ? { signal } : {}),
    redactor: createRedactor({ secrets: ['a secret of the bench'] }),
  }
  return { ports, close: () => sender.close() }
}
