/**
 * Millrace, Node-RED and n8n with the same work, in turns: a webhook with one step that responds, and a webhook that
 * reads 100 pages of 100 records. Each keeps its own defaults: Millrace and n8n store every run, Node-RED stores none.
 * Bare Express, which stores one row, responds to the first webhook in the same run. Runs only by name, because it
 * installs the others.
 */
import { startExpress } from './lib/beside-express.ts'
import { createFlow } from './lib/create-flow.ts'
import { type Benchmark, type Figure, median } from './lib/figure.ts'
import { load, type LoadResult, sendOnce } from './lib/load.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { createOrderFlow, ORDER } from './lib/orders.ts'
import { startPagedApi } from './lib/paged-api.ts'
import { pagesFlow } from './lib/pages-flow.ts'
import { installPeer, PEERS, type StartedPeer } from './lib/peers.ts'
import type { Program } from './lib/program.ts'
import { withFolder, withMillrace } from './lib/with-folder.ts'

const CONNECTIONS = 32
const WARM_UP_MS = 3_000
const MEASURE_MS = 5_000
const ROUNDS = 3
const PAGES = 100
const RECORDS = 100
const PAGE_ROUNDS = 15
const PAGE_WARM_UP = 3

export const benchmark: Benchmark = {
  title: 'Beside Node-RED and n8n',
  isLong: true,
  async run() {
    const api = await startPagedApi(PAGES, RECORDS)
    try {
      return await withMillrace((millrace) => besideEach(millrace, api.url))
    } finally {
      await api.close()
    }
  },
}

/** One of the programs called in turns. */
interface Contender {
  readonly program: Program
  readonly hook: Target
  readonly pages: Target
}

interface Target {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

async function besideEach(millrace: StartedMillrace, apiUrl: string): Promise<Figure[]> {
  const hook = await createOrderFlow(millrace, {
    response_body: '{ "order": {{ hook.id }}, "state": {{ answer.state }} }',
  })
  const pages = await createFlow(`http://127.0.0.1:${millrace.port}`, millrace.bearer, pagesFlow(apiUrl))
  const { port, program } = millrace
  const ours: Contender = { program, hook: { port, ...hook }, pages: { port, ...pages } }
  const figures: Figure[] = []
  await withFolder(async (folder) => {
    const express = await startExpress(folder)
    try {
      const hook = { port: express.port, path: '/hook', headers: {} }
      figures.push(...(await compareHooks(ours, { name: 'bare Express', program: express.program, hook })))
    } finally {
      await express.program.end()
    }
  })
  for (const peer of PEERS) {
    const installed = await installPeer(peer)
    if (installed === null) continue
    await withFolder(async (folder) => {
      const started = await peer.start(installed, folder, apiUrl)
      try {
        figures.push(...(await compare(ours, started)))
      } finally {
        await started.program.end()
      }
    })
  }
  return figures
}

async function compare(ours: Contender, { name, program, port, paths }: StartedPeer): Promise<Figure[]> {
  const target = (path: string): Target => ({ port, path, headers: {} })
  const theirs: Contender = { program, hook: target(paths.hook), pages: target(paths.pages) }
  const hooks = await compareHooks(ours, { name, ...theirs })
  const pages = { ours: [] as number[], theirs: [] as number[] }
  for (let round = 0; round < PAGE_WARM_UP + PAGE_ROUNDS; round++) {
    const [mine, other] = [await readPages(ours), await readPages(theirs)]
    if (round < PAGE_WARM_UP) continue
    pages.ours.push(mine)
    pages.theirs.push(other)
  }
  return [
    ...hooks,
    aim('less', `${PAGES} pages of ${RECORDS} records`, 'ms', {
      ours: median(pages.ours),
      beside: { name, value: median(pages.theirs) },
    }),
    aim('less', 'memory afterwards', 'MB', {
      ours: ours.program.residentMb(),
      beside: { name, value: program.residentMb() },
    }),
  ]
}

async function compareHooks(
  ours: Pick<Contender, 'program' | 'hook'>,
  theirs: Pick<Contender, 'program' | 'hook'> & { readonly name: string },
): Promise<Figure[]> {
  const { name } = theirs
  const hooks = { ours: [] as HookRound[], theirs: [] as HookRound[] }
  await callHook(ours, WARM_UP_MS)
  await callHook(theirs, WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round++) {
    hooks.ours.push(await callHook(ours, MEASURE_MS))
    hooks.theirs.push(await callHook(theirs, MEASURE_MS))
  }
  const both = (of: (round: HookRound) => number) => ({
    ours: median(hooks.ours.map(of)),
    beside: { name, value: median(hooks.theirs.map(of)) },
  })
  const processor = both(({ processorUs }) => processorUs)
  return [
    aim(
      'more',
      'webhooks answered a second',
      '/s',
      both(({ result }) => result.perSecond),
    ),
    aim(
      'less',
      'time to the response, p50',
      'ms',
      both(({ result }) => result.p50Ms),
    ),
    aim(
      'less',
      'time to the response, p99',
      'ms',
      both(({ result }) => result.p99Ms),
    ),
    aim('less', 'CPU time of a webhook', 'µs', processor),
  ]
}

function aim(
  goal: 'more' | 'less',
  what: string,
  unit: string,
  figure: Pick<Figure, 'ours'> & { readonly beside: NonNullable<Figure['beside']> },
): Figure {
  const ratio = figure.ours / figure.beside.value
  return { what, unit, ...figure, goal, isMet: goal === 'more' ? ratio > 1 : ratio < 1 }
}

interface HookRound {
  readonly result: LoadResult
  readonly processorUs: number
}

async function callHook(
  { program, hook }: Pick<Contender, 'program' | 'hook'>,
  durationMs: number,
): Promise<HookRound> {
  const before = program.processorMs()
  const result = await load({ ...hook, body: ORDER, connections: CONNECTIONS, durationMs })
  const { order, state } = JSON.parse(result.lastBody) as { order?: unknown; state?: unknown }
  if (order !== 1042 || state !== 'received') throw new Error(`the webhook answered ${result.lastBody}`)
  return { result, processorUs: ((program.processorMs() - before) * 1_000) / result.answered }
}

/** Milliseconds. */
async function readPages({ pages }: Contender): Promise<number> {
  const began = performance.now()
  const body = await sendOnce({ ...pages, body: '{}' })
  const took = performance.now() - began
  const { count } = JSON.parse(body) as { count?: unknown }
  if (count !== PAGES * RECORDS) throw new Error(`the pages were answered with ${body}`)
  return took
}
