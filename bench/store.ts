/**
 * How many complete runs (run, two steps, state for a replay, request) a second the store commits in groups of 32, and
 * how long a page of a list takes among 100,000 of them. `node bench/store.ts [runs]`
 */
import { randomBytes, randomUUID, createCipheriv, createDecipheriv } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_FLOW_SETTINGS, type Flow } from '../src/shared/contract/flows.ts'
import { openStore, type Store } from '../src/main/store/index.ts'
import type { NewRunParts } from '../src/main/store/flow-runs.ts'
import type { FlowRun } from '../src/shared/contract/flow-runs.ts'

const RUNS = Number(process.argv[2] ?? 100_000)
const GROUP = 32

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
try {
  const store = await open()
  const flows = [aFlow('Orders'), aFlow('Invoices'), aFlow('Tickets')]
  await store.write(() => flows.forEach((flow) => store.flows.insert(flow)))
  await writeRuns(store, flows)
  readPages(store, flows[1] ?? aFlow('none'))
  await takeBackup(store)
  store.close()
  console.log(`start with ${RUNS} runs: ${await timed(async () => (await open()).close())} ms`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

function open(): Promise<Store> {
  const key = randomBytes(32)
  return openStore({
    dataDir,
    clock: Date,
    appVersion: 'bench',
    masterKey: {
      id: 'bench',
      wrap(bytes) {
        const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12))
        return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
      },
      unwrap(bytes) {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.alloc(12))
        decipher.setAuthTag(bytes.subarray(-16))
        return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()])
      },
    },
  })
}

async function writeRuns(store: Store, flows: readonly Flow[]): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpu = process.cpuUsage()
  const began = performance.now()
  for (let run = 0; run < RUNS; run += GROUP) {
    await Promise.all(
      Array.from({ length: GROUP }, (_, index) => {
        const flowId = flows[(run + index) % flows.length]?.id ?? ''
        const { record, parts } = aRun(store.flowRuns.newId(), flowId, run + index)
        return store.write(() => store.flowRuns.insert(record, parts))
      }),
    )
  }
  const seconds = (performance.now() - began) / 1_000
  const used = process.cpuUsage(cpu)
  delay.disable()
  const file = join(dataDir, 'millrace.db')
  console.log(`${Math.round(RUNS / seconds)} complete runs a second in groups of ${GROUP}`)
  console.log(`${((used.user + used.system) / RUNS).toFixed(1)} µs of processor a run`)
  console.log(
    `event loop: p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, most ${(delay.max / 1e6).toFixed(1)} ms`,
  )
  console.log(
    `${(statSync(file).size / RUNS).toFixed(0)} bytes a run; log ${statSync(`${file}-wal`).size >> 20} MB`,
  )
}

async function takeBackup(store: Store): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  console.log(`backup and its check: ${await timed(() => store.backups.takeIfDue())} ms`)
  delay.disable()
  console.log(`event loop meanwhile: most ${(delay.max / 1e6).toFixed(1)} ms`)
}

function readPages(store: Store, { id }: Flow): void {
  const eq = (field: string, value: string) => ({ field, operator: 'eq' as const, value })
  const middle = store.flowRuns.list({ perPage: 200 }).next
  const probes: readonly [string, () => { readonly records: readonly unknown[] }][] = [
    ['runs, first page', () => store.flowRuns.list()],
    ['runs, after a key', () => store.flowRuns.list({ after: middle })],
    ['runs of a flow', () => store.flowRuns.list({ filters: [eq('flow_id', id)] })],
    ['runs by status', () => store.flowRuns.list({ filters: [eq('status', 'error')] })],
    ['runs by a trigger that none has', () => store.flowRuns.list({ filters: [eq('trigger', 'schedule')] })],
    [
      'runs by a title that none has',
      () => store.flowRuns.list({ filters: [{ field: 'title', operator: 'like', value: '%nothing%' }] }),
    ],
    ['steps, first page', () => store.runSteps.list()],
    ['steps by a status that few have', () => store.runSteps.list({ filters: [eq('status', 'error')] })],
    ['requests, first page', () => store.webhookRequests.list()],
    [
      'requests by a status that none has',
      () => store.webhookRequests.list({ filters: [eq('status', '429')] }),
    ],
    ['flows', () => store.flows.list({ perPage: 50 })],
  ]
  for (const [name, read] of probes) {
    read()
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now()
      read()
      return performance.now() - began
    }).toSorted((a, b) => a - b)
    console.log(`${name}: ${times[2]?.toFixed(1)} ms (${read().records.length} records)`)
  }
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now()
  await work()
  return (performance.now() - began).toFixed(0)
}

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
    order_id: number,
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
      state: [JSON.stringify(input)],
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
