/** The queue on the disk: runs that wait for a worker, have one, or are parked until a time. */
import type { Database } from 'better-sqlite3'
import { toIsoOrNull, toTime } from '../sql/codec.ts'
import { runKey } from '../history/ids.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface RunQueueRepository {
  /**
   * Takes the oldest runs that may start now, in the order they were accepted, and gives their ids. A run stays taken
   * until it ends, is parked or released, or this program dies: at the next start it is free again. A flow with a
   * limit of its own has at most that many taken at one time.
   */
  claim(options: {
    readonly limit: number
    readonly now: number
    /** Runs of flows that go on outside the queue and take places of their flow, by the flow's id. */
    readonly besides?: ReadonlyMap<string, number>
  }): readonly string[]
  /** How many runs of the flow are taken. */
  takenOf(flowId: string): number
  /** Runs in the queue that a step of this run has started. */
  startedBy(runId: string): readonly string[]
  /** Gives the worker free; the run is ready again at that time. It is added where it was not in the queue. */
  park(runId: string, wakeAt: string): void
  /** Lets a parked run go on from that time, should it be parked until later; false where it is not parked. */
  wake(runId: string, at: number): boolean
  /** Gives the worker free; the run is ready at once. It is added where it was not in the queue. */
  release(runId: string): void
  /** Takes a run out, whatever its state. */
  remove(runId: string): void
  count(): { readonly ready: number; readonly parked: number; readonly taken: number }
  /** When the next parked run wakes; null where none is parked. */
  nextWakeAt(): string | null
}

interface ReadyRow {
  readonly run_key: number
  readonly run_id: string
  readonly flow_key: number
  readonly concurrency: number | null
}

interface BusyRow {
  readonly flow_key: number
  readonly taken: number
  readonly concurrency: number | null
}

export function createRunQueueRepository(db: Database, bootId: string): RunQueueRepository {
  const wake = command(
    db,
    `UPDATE run_queue SET state = 'ready', wake_at = NULL WHERE state = 'parked' AND wake_at <= ?`,
  )
  const busyFlows = rows<BusyRow>(
    db,
    `SELECT q.flow_key, count(*) AS taken, f.concurrency
     FROM run_queue q CROSS JOIN flows f ON f.key = q.flow_key
     WHERE q.state = 'taken' GROUP BY q.flow_key`,
  )
  const oldestReady = rows<ReadyRow>(
    db,
    `SELECT q.run_key, r.id AS run_id, q.flow_key, f.concurrency
     FROM run_queue q CROSS JOIN flows f ON f.key = q.flow_key CROSS JOIN flow_runs r ON r.key = q.run_key
     WHERE q.state = 'ready' AND q.flow_key NOT IN (SELECT value FROM json_each(?))
     ORDER BY q.run_key`,
  )
  const flowById = rows<BusyRow>(
    db,
    'SELECT key AS flow_key, 0 AS taken, concurrency FROM flows WHERE id = ?',
  )
  const takenOf = scalar<number>(
    db,
    `SELECT count(*) FROM run_queue
     WHERE state = 'taken' AND flow_key = (SELECT key FROM flows WHERE id = ?)`,
  )
  const startedBy = scalar<string>(
    db,
    `SELECT r.id FROM run_queue q CROSS JOIN flow_runs r ON r.key = q.run_key
     WHERE r.parent_run_id = ? AND r.trigger = 'flow'`,
  )
  const take = command(
    db,
    `UPDATE run_queue SET state = 'taken', boot_id = ?, taken_at = ? WHERE run_key = ?`,
  )
  const put = command(
    db,
    `INSERT INTO run_queue (run_key, flow_key, state, wake_at)
     SELECT key, flow_key, ?, ? FROM flow_runs WHERE key = ?
     ON CONFLICT (run_key) DO UPDATE SET
       state = excluded.state, wake_at = excluded.wake_at, boot_id = NULL, taken_at = NULL`,
  )
  const wakeOne = command(
    db,
    `UPDATE run_queue SET wake_at = min(wake_at, ?) WHERE run_key = ? AND state = 'parked'`,
  )
  const remove = command(db, 'DELETE FROM run_queue WHERE run_key = ?')
  const countState = scalar<number>(db, 'SELECT count(*) FROM run_queue WHERE state = ?')
  const nextWake = scalar<number | null>(db, `SELECT min(wake_at) FROM run_queue WHERE state = 'parked'`)

  /** The oldest of flows that are not full; a flow that these fill is added to `full`, and ends the reading. */
  function readyOf(full: Set<number>, most: number, taken: Map<number, BusyRow>): readonly ReadyRow[] {
    const found: ReadyRow[] = []
    if (most <= 0) return found
    for (const row of oldestReady.each(JSON.stringify([...full]))) {
      const flow = { ...row, taken: (taken.get(row.flow_key)?.taken ?? 0) + 1 }
      taken.set(row.flow_key, flow)
      found.push(row)
      if (isFull(flow)) full.add(row.flow_key)
      if (isFull(flow) || found.length >= most) break
    }
    return found
  }

  return {
    claim({ limit, now, besides = new Map() }) {
      wake.run(now)
      const taken = new Map(busyFlows.all().map((flow) => [flow.flow_key, flow]))
      for (const [flowId, more] of besides) {
        const flow = flowById.get(flowId)
        if (flow) taken.set(flow.flow_key, { ...flow, taken: (taken.get(flow.flow_key)?.taken ?? 0) + more })
      }
      const full = new Set([...taken.values()].filter(isFull).map((flow) => flow.flow_key))
      const claimed: string[] = []
      // A flow that has become full is left out from there on: behind it may stand a hundred thousand of its runs.
      for (let before = -1; full.size > before;) {
        before = full.size
        for (const row of readyOf(full, limit - claimed.length, taken)) {
          take.run(bootId, now, row.run_key)
          claimed.push(row.run_id)
        }
      }
      return claimed
    },
    startedBy: (runId) => startedBy.all(runId),
    takenOf: (flowId) => takenOf.get(flowId) ?? 0,
    park: (runId, wakeAt) => void put.run('parked', toTime(wakeAt), runKey(runId) ?? -1),
    wake: (runId, at) => wakeOne.run(at, runKey(runId) ?? -1) > 0,
    release: (runId) => void put.run('ready', null, runKey(runId) ?? -1),
    remove: (runId) => void remove.run(runKey(runId) ?? -1),
    count: () => ({
      ready: countState.get('ready') ?? 0,
      parked: countState.get('parked') ?? 0,
      taken: countState.get('taken') ?? 0,
    }),
    nextWakeAt: () => toIsoOrNull(nextWake.get() ?? null),
  }
}

const isFull = ({ taken, concurrency }: BusyRow) => concurrency !== null && taken >= concurrency
