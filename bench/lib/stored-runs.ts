/** Fills a data folder with finished runs through the store, as the program commits them under load. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openStore, type Store } from '../../src/main/store/index.ts'
import type { NewRunParts } from '../../src/main/store/runs/flow-runs.ts'
import { jsonCodec } from '../../src/main/services/kit/json-codec.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { DEFAULT_FLOW_SETTINGS, type Flow } from '../../src/shared/contract/flows.ts'

/** Runs per commit, as under load. */
const GROUP = 32
/** Duration of an indexing batch in milliseconds, as in the program. */
const PORTION_MS = 4
const MOST_MERGES = 4

/** @param folder as in `startMillrace`: its `data` subfolder is the data folder */
export function openData(folder: string): Promise<Store> {
  return openStore({ dataDir: join(folder, 'data'), clock: Date, appVersion: 'bench', json: jsonCodec })
}

/** Flows that runs can belong to; they have no steps. */
export async function addFlows(store: Store, names: readonly string[]): Promise<readonly string[]> {
  const flows = names.map(aFlow)
  await store.write(() => flows.forEach((flow) => store.flows.insert(flow)))
  return flows.map(({ id }) => id)
}

/**
 * Stores runs with two steps each, and their requests, for the flows in turn.
 *
 * @param from number of the first run; every thousandth failed
 * @returns their IDs
 */
export async function addRuns(
  store: Store,
  flowIds: readonly string[],
  from: number,
  to: number,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let first = from; first < to; first += GROUP) {
    await Promise.all(
      Array.from({ length: Math.min(GROUP, to - first) }, (_, index) => {
        const number = first + index
        const flowId = flowIds[number % flowIds.length] ?? ''
        const { record, parts } = aRun(store.flowRuns.newId(), flowId, number)
        ids.push(record.id)
        return store.write(() => store.flowRuns.insert(record, parts))
      }),
    )
  }
  return ids
}

/** Indexes all runs for the search; returns how long each portion took, in milliseconds. */
export async function indexRuns(store: Store): Promise<readonly number[]> {
  const portions: number[] = []
  for (;;) {
    const began = performance.now()
    const words = await store.runSearch.gather(PORTION_MS, () => Promise.resolve())
    if (words === null) return portions
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

/** Lists, filters, searches and single runs of a history made by `addRuns`, as paths after `/v1/flow-runs`. */
export function runReads(
  flowId: string,
  runId: string,
  middleId: string,
): readonly (readonly [what: string, path: string])[] {
  const day = new Date().toISOString().slice(0, 10)
  return [
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
    ['search: a word that one has', '?text=order-471'],
    ['search: a phrase and a beginning', '?text=%22customer+77%22+fragi*'],
    ['search: nothing', '?text=nowhere'],
    ['open: a run', `/${runId}`],
    ['open: its steps', `/${runId}/steps`],
  ]
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
