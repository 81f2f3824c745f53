/**
 * 100 pages of 100 records against a loop of undici requests written by hand, in the same run.
 *
 *   node bench/pagination.ts
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Agent, request } from 'undici'
import { createRedactor } from '../src/main/engine/data/redact.ts'
import { bodyOf, collectRecords, paginate, type PaginatePorts } from '../src/main/engine/pagination/index.ts'
import { createSendRequest } from '../src/main/engine/request/send-request.ts'

const PAGES = 100
const RECORDS = 100
const ROUNDS = 25

export interface PaginationFigures {
  /** Milliseconds of the quickest run of 100 pages: what else the machine did meanwhile is not measured. */
  readonly millraceMs: number
  readonly byHandMs: number
  readonly ratio: number
  /** The program's own milliseconds a page. */
  readonly ownMsPerPage: number
}

export async function measurePagination(): Promise<PaginationFigures> {
  const api = await startApi()
  const agent = new Agent()
  const { ports, close } = createPorts()
  const byHand: number[] = []
  const millrace: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      byHand.push(await timed(() => readByHand(api.url, agent)))
      millrace.push(await timed(() => readWithMillrace(api.url, ports)))
    }
  } finally {
    await Promise.all([agent.close(), close(), api.close()])
  }
  const [byHandMs, millraceMs] = [Math.min(...byHand), Math.min(...millrace)]
  return { millraceMs, byHandMs, ratio: millraceMs / byHandMs, ownMsPerPage: (millraceMs - byHandMs) / PAGES }
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
  const { output } = await collectRecords(
    paginate({
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
    }),
  )
  return Array.isArray(output) ? output.length : 0
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

/** Answers from memory: what is measured is the client. */
async function startApi() {
  const pages = Array.from({ length: PAGES }, (_, page) => pageOf(page))
  const empty = JSON.stringify({ items: [] })
  const server = createServer((incoming, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(incoming.url ?? '')?.[1] ?? 1)
    response.setHeader('Content-Type', 'application/json')
    response.end(pages[page - 1] ?? empty)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function pageOf(page: number): string {
  const items = Array.from({ length: RECORDS }, (_, at) => ({
    id: page * RECORDS + at,
    name: `Record ${at} of page ${page}`,
    email: `person.${page}.${at}@example.com`,
    active: at % 3 === 0,
    score: at / 8,
    tags: ['one', 'two'],
    address: { city: 'Bern', zip: '3000' },
  }))
  return JSON.stringify({ items })
}

async function timed(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const records = await work()
  if (records !== PAGES * RECORDS) throw new Error(`${records} records instead of ${PAGES * RECORDS}`)
  return performance.now() - startedAt
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { millraceMs, byHandMs, ratio, ownMsPerPage } = await measurePagination()
  console.log(
    `100 pages of 100 records: ${millraceMs.toFixed(1)} ms, by hand ${byHandMs.toFixed(1)} ms, ` +
      `ratio ${ratio.toFixed(2)} (at most 1.3), ${ownMsPerPage.toFixed(3)} ms a page of its own (at most 1)`,
  )
}
