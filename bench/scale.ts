/**
 * Measures what grows with the work: 1,000 to 1,000,000 stored runs, records in one flow, and many flows, tokens and
 * auths. Takes half an hour, so it runs only by name.
 */
import { join } from 'node:path'
import { callMillrace } from './lib/call-millrace.ts'
import { createFlow } from './lib/create-flow.ts'
import { type Benchmark, type Figure, median } from './lib/figure.ts'
import { sendOnce } from './lib/load.ts'
import { type StartedMillrace, startMillrace } from './lib/millrace.ts'
import { startPagedApi } from './lib/paged-api.ts'
import { addFlows, addRuns, indexRuns, openData, runReads } from './lib/stored-runs.ts'
import { timed } from './lib/timed.ts'
import { withFolder, withMillrace } from './lib/with-folder.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]
const READS = 41
const MOST_READ_MS = 20
const MOST_START_MS = 1_000
const RECORDS_PER_PAGE = 1_000
const MOST_RECORDS_SECONDS = 30
const MOST_RECORDS_MB = 60
const FLOWS = [10, 100, 1_000, 5_000]
const OTHERS = 1_000

export const benchmark: Benchmark = {
  title: 'From 1,000 to 1,000,000',
  isLong: true,
  async run() {
    return [
      ...(await withFolder(growHistory)),
      ...(await growRecords()),
      ...(await withFolder(growFlows)),
      ...(await withMillrace(listOthers)),
    ]
  },
}

const named = (count: number, what: string) => `${count.toLocaleString('en')} ${what}`
const p95 = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN
const told = { goal: 'told', isMet: true }

async function growHistory(folder: string): Promise<Figure[]> {
  const figures: Figure[] = []
  let flowIds: readonly string[] = []
  let stored = 0
  for (const size of SIZES) {
    const store = await openData(folder)
    if (stored === 0) flowIds = await addFlows(store, ['Orders', 'Invoices', 'Tickets'])
    const ids = await addRuns(store, flowIds, stored, size)
    stored = size
    await indexRuns(store)
    const { bytes } = store.maintenance.size()
    const retention: number[] = []
    for (let round = 0; round < 5; round++)
      retention.push(await timed(() => store.write(() => store.retention.deleteOldest())))
    store.close()
    const began = performance.now()
    const millrace = await startMillrace(folder)
    const start = performance.now() - began
    const slowest = await slowestReads(
      millrace,
      runReads(flowIds[1] ?? '', ids[ids.length >> 2] ?? '', ids[ids.length >> 1] ?? ''),
    )
    const backup = await timed(() =>
      callMillrace(millrace, 'POST', '/v1/database/backup', { path: join(folder, `${size}.backup`) }),
    )
    const idle = millrace.program.residentMb()
    await millrace.program.end()
    const what = (name: string) => named(size, `runs: ${name}`)
    figures.push(
      { what: what('start'), unit: 'ms', ours: start, goal: 'under 1 s', isMet: start < MOST_START_MS },
      ...slowest.map(([kind, time]): Figure => ({
        what: what(`${kind}, p95 of the slowest`),
        unit: 'ms',
        ours: time,
        goal: `under ${MOST_READ_MS} ms`,
        isMet: time < MOST_READ_MS,
      })),
      { what: what('backup'), unit: 's', ours: backup / 1_000, ...told },
      { what: what('50 of them deleted'), unit: 'ms', ours: median(retention), ...told },
      { what: what('database'), unit: 'MB', ours: bytes / 1e6, ...told },
      { what: what('memory after these reads'), unit: 'MB', ours: idle, ...told },
    )
  }
  return figures
}

/** The 95th percentile of the slowest read of each kind: list, filter, search, open. */
async function slowestReads(
  millrace: StartedMillrace,
  reads: ReturnType<typeof runReads>,
): Promise<readonly (readonly [kind: string, milliseconds: number])[]> {
  const slowest = new Map<string, number>()
  for (const [what, path] of reads) {
    const [kind = what] = what.split(':')
    const read = () => callMillrace(millrace, 'GET', `/v1/flow-runs${path}`)
    const times: number[] = []
    for (let time = 0; time < READS; time++) times.push(await timed(read))
    slowest.set(kind, Math.max(slowest.get(kind) ?? 0, p95(times)))
  }
  return [...slowest]
}

async function growRecords(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of SIZES) {
    const api = await startPagedApi(size / RECORDS_PER_PAGE, RECORDS_PER_PAGE)
    try {
      figures.push(...(await withMillrace((millrace) => readRecords(millrace, api.url, size))))
    } finally {
      await api.close()
    }
  }
  return figures
}

async function readRecords(millrace: StartedMillrace, url: string, size: number): Promise<Figure[]> {
  const { id } = (await callMillrace(millrace, 'POST', '/v1/flows', {
    name: 'Records',
    steps: [
      {
        ref_id: 'items',
        type: 'rest',
        config: {
          url: `${url}/items`,
          pagination: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
        },
      },
      {
        ref_id: 'totals',
        type: 'aggregate',
        config: {
          over: '{{ items }}',
          operations: [
            { name: 'count', operation: 'count' },
            { name: 'score', operation: 'sum', of: 'score' },
          ],
        },
      },
    ],
  })) as { id: string }
  const before = millrace.program.residentMb()
  const run = (await callMillrace(millrace, 'POST', `/v1/flows/${id}/run?wait=true`, { input: {} })) as {
    id: string
    status: string
    duration_ms: number
  }
  if (run.status !== 'success') throw new Error(`the run ended as ${JSON.stringify(run)}`)
  const grown = millrace.program.peakMb() - before
  const results = await timed(async () => {
    const response = await fetch(`http://127.0.0.1:${millrace.port}/v1/flow-runs/${run.id}/results`, {
      headers: { Authorization: `Bearer ${millrace.bearer}` },
    })
    for await (const _ of response.body ?? []);
  })
  const grownBySending = millrace.program.peakMb() - before
  const what = (name: string) => named(size, `records: ${name}`)
  const seconds = run.duration_ms / 1_000
  return [
    {
      what: what('read and aggregated'),
      unit: 's',
      ours: seconds,
      goal: `under ${MOST_RECORDS_SECONDS} s`,
      isMet: seconds < MOST_RECORDS_SECONDS,
    },
    {
      what: what('memory more than before, at its most'),
      unit: 'MB',
      ours: grown,
      goal: `under ${MOST_RECORDS_MB} MB`,
      isMet: grown < MOST_RECORDS_MB,
    },
    { what: what('results sent'), unit: 's', ours: results / 1_000, ...told },
    {
      what: what('memory more than before, with the results sent'),
      unit: 'MB',
      ours: grownBySending,
      ...told,
    },
  ]
}

async function growFlows(folder: string): Promise<Figure[]> {
  const figures: Figure[] = []
  let created = 0
  for (const size of FLOWS) {
    const first = await startMillrace(folder)
    for (; created < size; created++) await newFlow(first)
    await first.program.end()
    const began = performance.now()
    const millrace = await startMillrace(folder)
    const start = performance.now() - began
    const hook = await newFlow(millrace)
    const firstRun = await timed(() => sendOnce({ port: millrace.port, ...hook, body: '{"id":1}' }))
    const lists: number[] = []
    for (let time = 0; time < READS; time++)
      lists.push(await timed(() => callMillrace(millrace, 'GET', '/v1/flows?per_page=100')))
    await millrace.program.end()
    created++
    const what = (name: string) => named(size, `flows: ${name}`)
    figures.push(
      { what: what('start'), unit: 'ms', ours: start, goal: 'under 1 s', isMet: start < MOST_START_MS },
      { what: what('first run of a new one'), unit: 'ms', ours: firstRun, ...told },
      {
        what: what('a page of the list, p95'),
        unit: 'ms',
        ours: p95(lists),
        goal: `under ${MOST_READ_MS} ms`,
        isMet: p95(lists) < MOST_READ_MS,
      },
    )
  }
  return figures
}

const newFlow = ({ port, bearer }: StartedMillrace) =>
  createFlow(`http://127.0.0.1:${port}`, bearer, {
    name: 'One of many',
    steps: [
      { ref_id: 'hook', type: 'webhook', config: {} },
      { ref_id: 'answer', type: 'set', config: { values: { state: 'received {{ hook.id }}' } } },
    ],
  })

async function listOthers(millrace: StartedMillrace): Promise<Figure[]> {
  const connector = (await callMillrace(millrace, 'POST', '/v1/connectors', {
    name: 'Shop',
    auth_config: { type: 'bearer' },
  })) as { id: string }
  for (let number = 0; number < OTHERS; number++) {
    await callMillrace(millrace, 'POST', '/v1/personal-access-tokens', {
      expiration: 30,
      scopes: ['automation:webhook_run'],
      note: `Token ${number}`,
    })
    await callMillrace(millrace, 'POST', '/v1/connector-auths', {
      connector_id: connector.id,
      name: `Auth ${number}`,
      auth_type: 'bearer',
      auth_token: `secret-of-auth-${number}`,
    })
  }
  const figures: Figure[] = []
  for (const path of ['personal-access-tokens', 'connector-auths']) {
    const times: number[] = []
    for (let time = 0; time < READS; time++)
      times.push(await timed(() => callMillrace(millrace, 'GET', `/v1/${path}?per_page=100`)))
    figures.push({
      what: named(OTHERS, `${path.replaceAll('-', ' ')}: a page, p95`),
      unit: 'ms',
      ours: p95(times),
      goal: `under ${MOST_READ_MS} ms`,
      isMet: p95(times) < MOST_READ_MS,
    })
  }
  return figures
}
