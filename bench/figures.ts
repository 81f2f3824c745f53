/**
 * Figures of a million runs of twenty flows over two weeks, with durations across two orders of magnitude: the cost of
 * counting them, and the time to load a chart over HTTP.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createFigureRepository } from '../src/main/store/records/figures.ts'
import { defineBins } from '../src/main/store/sql/bins.ts'
import { callMillrace } from './lib/call-millrace.ts'
import type { Benchmark, Figure } from './lib/figure.ts'
import { startMillrace } from './lib/millrace.ts'
import { addFlows, openData } from './lib/stored-runs.ts'
import { timed } from './lib/timed.ts'
import { withFolder } from './lib/with-folder.ts'

const RUNS = 1_000_000
const PER_COMMIT = 500
const FLOWS = 20
const DAY_MS = 86_400_000
const DAYS = 14
const READS = 41
const MOST_MS = 20

export const benchmark: Benchmark = {
  title: `Figures of ${RUNS.toLocaleString('en')} runs`,
  isLong: true,
  run: () =>
    withFolder(async (folder) => {
      const store = await openData(folder)
      const names = Array.from({ length: FLOWS }, (_, index) => `Flow ${index}`)
      const [flowId = ''] = await addFlows(store, names)
      store.close()
      const addedMs = addRuns(join(folder, 'data', 'millrace.db'))
      return [
        {
          what: `${PER_COMMIT} runs added up`,
          unit: 'ms',
          ours: addedMs,
          goal: 'at most 10 ms',
          isMet: addedMs <= 10,
        },
        ...(await readOverHttp(folder, flowId)),
      ]
    }),
}

/**
 * Writes straight into the database, because only the figures matter. Returns how long adding up the figures of a
 * commit takes.
 */
function addRuns(path: string): number {
  const db = new Database(path)
  db.pragma('synchronous = OFF')
  defineBins(db)
  const { commitHook } = createFigureRepository(db, () => Infinity)
  const insert =
    db.prepare(`INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at,
    started_at, finished_at, duration_ms, attempt) VALUES (?, 'r', ?, 1, '', 'webhook', ?, ?, ?, ?, ?, 1)`)
  const now = Date.now()
  let addedMs = 0
  for (let first = 1; first <= RUNS; first += PER_COMMIT) {
    db.exec('BEGIN')
    for (let key = first; key < first + PER_COMMIT; key++) {
      const at = Math.round(now - DAYS * DAY_MS * (1 - key / RUNS))
      const flow = 1 + ((key * 7) % FLOWS)
      // Each flow's runs take from a fifth to five times its usual duration.
      const ms = 10 * flow * 5 ** (((key * 31) % 1_000) / 500 - 1)
      insert.run(key, flow, key % 100 === 0 ? 'error' : 'success', at, at, at, ms)
    }
    const began = performance.now()
    commitHook.writeInCommit()
    addedMs += performance.now() - began
    db.exec('COMMIT')
  }
  db.close()
  return addedMs / (RUNS / PER_COMMIT)
}

async function readOverHttp(folder: string, flowId: string): Promise<Figure[]> {
  const millrace = await startMillrace(folder)
  const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  const charts = [
    ['24 hours', `from=${since(1)}`],
    ['7 days by the hour', `from=${since(7)}`],
    ['7 days of a flow', `from=${since(7)}&flow_id=${flowId}`],
    ['30 days', `from=${since(30)}`],
  ] as const
  try {
    const figures: Figure[] = []
    for (const [what, query] of charts) {
      const read = () => callMillrace(millrace, 'GET', `/v1/figures?${query}`)
      await read()
      const times: number[] = []
      for (let time = 0; time < READS; time++) times.push(await timed(read))
      const p95 = times.toSorted((a, b) => a - b)[Math.ceil(READS * 0.95) - 1] ?? Number.NaN
      figures.push({
        what: `${what}, p95`,
        unit: 'ms',
        ours: p95,
        goal: `under ${MOST_MS} ms`,
        isMet: p95 < MOST_MS,
      })
    }
    return figures
  } finally {
    await millrace.program.end()
  }
}
