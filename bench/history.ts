/**
 * A history of 100,000 runs: how quickly the store commits and indexes them, how long the program takes to start with
 * them, and how long a page of a list, a filter, a search and a single run take over HTTP.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openStore, type Store } from '../src/main/store/index.ts'
import type { NewRunParts } from '../src/main/store/runs/flow-runs.ts'
import { jsonCodec } from '../src/main/services/kit/json-codec.ts'
import type { FlowRun } from '../src/shared/contract/flow-runs.ts'
import { DEFAULT_FLOW_SETTINGS, type Flow } from '../src/shared/contract/flows.ts'
import { type Benchmark, type Figure } from './lib/figure.ts'
import { startMillrace } from './lib/millrace.ts'
import { withFolder } from './lib/with-folder.ts'

const RUNS = 100_000
/** Runs per commit, as under load. */
const GROUP = 32
const READS = 21
const MOST_MS = 20
const MOST_SEARCH_MS = 50
const STARTS = 3
const MOST_START_MS = 1_000
/** Duration of an indexing batch, as in the program. */
const PORTION_MS = 4
const MOST_MERGES = 4

export const benchmark: Benchmark = {
  title: `A history of ${RUNS.toLocaleString('en')} runs`,
  run: () =>
    withFolder(async (folder) => {
      const written = await fill(folder)
      return [...written.figures, ...(await readOverHttp(folder, written))]
    }),
}

interface Filled {
  readonly figures: readonly Figure[]
  readonly flowId: string
  readonly runId: string
  readonly middleId: string
}

async function fill(folder: string): Promise<Filled> {
  const store = await openStore({
    dataDir: join(folder, 'data'),
    clock: Date,
    appVersion: 'bench',
    json: jsonCodec,
  })
  const flows = [aFlow('Orders'), aFlow('Invoices'), aFlow('Tickets')]
  await store.write(() => flows.forEach((flow) => store.flows.insert(flow)))
  const ids: string[] = []
  const writing = await timed(async () => {
    for (let run = 0; run < RUNS; run += GROUP) {
      await Promise.all(
        Array.from({ length: GROUP }, (_, index) => {
          const flowId = flows[(run + index) % flows.length]?.id ?? ''
          const { record, parts } = aRun(store.flowRuns.newId(), flowId, run + index)
          ids.push(record.id)
          return store.write(() => store.flowRuns.insert(record, parts))
        }),
      )
    }
  })
  const before = store.maintenance.size().bytes
  const portions: number[] = []
  const indexing = await timed(() => index(store, portions))
  const after = store.maintenance.size().bytes
  store.close()
  const longest = portions.toSorted((a, b) => b - a)[Math.floor(portions.length / 100)] ?? 0
  return {
    flowId: flows[1]?.id ?? '',
    runId: ids[RUNS >> 2] ?? '',
    middleId: ids[RUNS >> 1] ?? '',
    figures: [
      {
        what: 'complete runs stored a second',
        unit: 'runs',
        ours: (RUNS * 1_000) / writing,
        goal: 'at least 5,000',
        isMet: RUNS / writing >= 5,
      },
      {
        what: 'indexed for the search',
        unit: 'µs a run',
        ours: (indexing * 1_000) / RUNS,
        goal: 'at most 400',
        isMet: indexing * 1_000 <= 400 * RUNS,
      },
      {
        what: 'a portion of the index, p99',
        unit: 'ms',
        ours: longest,
        goal: 'at most 50 ms',
        isMet: longest <= 50,
      },
      {
        what: 'the index beside its history',
        unit: 'MB',
        ours: (after - before) / 1e6,
        beside: { name: 'runs', value: before / 1e6 },
        goal: 'at most half',
        isMet: (after - before) * 2 <= before,
      },
    ],
  }
}

async function index(store: Store, portions: number[]): Promise<void> {
  for (;;) {
    const began = performance.now()
    const words = store.runSearch.gather(PORTION_MS)
    if (words === null) return
    await store.write(() => store.runSearch.add(words))
    portions.push(performance.now() - began)
    for (let merges = 0; merges < MOST_MERGES; merges++) {
      const mergeBegan = performance.now()
      const isMore = await store.write(() => store.runSearch.merge())
      portions.push(performance.now() - mergeBegan)
      if (!isMore) break
    }
  }
}

async function readOverHttp(folder: string, { flowId, runId, middleId }: Filled): Promise<Figure[]> {
  const starts: number[] = []
  for (let start = 1; start < STARTS; start++)
    starts.push(await timed(async () => (await startMillrace(folder)).program.end()))
  const began = performance.now()
  const { program, port, bearer } = await startMillrace(folder)
  const start = Math.min(performance.now() - began, ...starts)
  try {
    const read = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/flow-runs${path}`, {
        headers: { Authorization: `Bearer ${bearer}` },
      })
      if (response.status !== 200)
        throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
      return (await response.json()) as unknown
    }
    const day = new Date().toISOString().slice(0, 10)
    const reads: readonly (readonly [string, string])[] = [
      ['list: the first page', ''],
      ['list: a page in the middle', `?after=${middleId}`],
      ['filter: one flow', `?filter=flow_id,eq,${flowId}`],
      ['filter: failed', '?filter=status,eq,error'],
      ['filter: a trigger that none has', '?filter=trigger,eq,schedule'],
      ['filter: a time before all of them', '?filter=created_at,lt,2020-01-01'],
      [
        'filter: flow, status and time',
        `?filter=flow_id,eq,${flowId}&filter=status,eq,success&filter=created_at,gt,${day}`,
      ],
      ['search: a word that all have', '?text=customer'],
      ['search: a word that one has', '?text=order-4711'],
      ['search: a phrase and a beginning', '?text=%22customer+77%22+fragi*'],
      ['search: nothing', '?text=nowhere'],
      ['open: a run', `/${runId}`],
      ['open: its steps', `/${runId}/steps`],
    ]
    const figures: Figure[] = [
      {
        what: 'start of the program',
        unit: 'ms',
        ours: start,
        goal: 'under 1 s',
        isMet: start < MOST_START_MS,
      },
    ]
    for (const [what, path] of reads) {
      await read(path)
      const times: number[] = []
      for (let time = 0; time < READS; time++) times.push(await timed(() => read(path)))
      // The fastest one: slower times measure what else the machine did.
      const ours = Math.min(...times)
      const most = what.startsWith('search') ? MOST_SEARCH_MS : MOST_MS
      figures.push({ what, unit: 'ms', ours, goal: `under ${most} ms`, isMet: ours < most })
    }
    return figures
  } finally {
    await program.end()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const WORDS = [
  'express',
  'gift',
  'fragile',
  'pickup',
  'invoice',
  'abroad',
  'return',
  'sample',
  'standing',
  'rush',
  'bulk',
]

function aFlow(name: string): Flow {
  const at = new Date().toISOString()
  return {
    id: randomUUID(),
    name,
    description: '',
    tags: [],
    status: 'active',
    steps: [],
    settings: DEFAULT_FLOW_SETTINGS,
    version: 1,
    created_at: at,
    updated_at: at,
  }
}

function aRun(
  id: string,
  flowId: string,
  number: number,
): { readonly record: FlowRun; readonly parts: NewRunParts } {
  const at = new Date().toISOString()
  const input = {
    order_id: `order-${number}`,
    note: `customer ${number % 100}, ${WORDS[number % WORDS.length]} ${WORDS[(number * 7) % WORDS.length]}`,
    customer: { name: 'Ada Lovelace', email: 'ada@example.org' },
    lines: [{ sku: 'A-1', quantity: 2 }],
  }
  const step = {
    path: '1',
    iteration: [],
    status: 'success' as const,
    input: null,
    output: input,
    error: null,
    warnings: [],
    http: [],
    started_at: at,
    duration_ms: 0.1,
    attempt: 1,
    truncated: false,
  }
  const record: FlowRun = {
    id,
    flow_id: flowId,
    flow_version: 1,
    title: '',
    trigger: 'webhook',
    status: number % 1_000 === 0 ? 'error' : 'success',
    started_at: at,
    finished_at: at,
    duration_ms: 1.25,
    error: null,
    warnings: [],
    attempt: 1,
    parent_run_id: null,
    created_at: at,
  }
  return {
    record,
    parts: {
      steps: [
        { ...step, ref_id: 'web1', type: 'webhook' },
        {
          ...step,
          ref_id: 'set1',
          type: 'set',
          path: '2',
          input: { values: { total: '{{ web1.order_id }}' } },
        },
      ],
      request: {
        flow_id: flowId,
        at,
        status: 200,
        reason: null,
        method: 'POST',
        path: `/v1/flow-webhook/${flowId}`,
        headers: {
          host: '127.0.0.1:4747',
          'content-type': 'application/json',
          'user-agent': 'curl/8.5.0',
          accept: '*/*',
        },
        size: 180,
        client: '127.0.0.1',
        flow_run_id: record.id,
        duration_ms: 1.25,
      },
    },
  }
}
