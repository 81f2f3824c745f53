/** The queue on the disk: runs that wait for a worker, have one, or are parked until a time. */
import type { Database } from 'better-sqlite3'
import { toIsoOrNull, toTime } from '../sql/codec.ts'
import { runKey } from '../history/ids.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface ClaimOptions {
  readonly limit: number
  readonly now: number
  /** Runs of flows that go on outside the queue and take places of their flow, by the flow's id. */
  readonly besides?: ReadonlyMap<string, number>
  /** Runs of one flow that may be taken at one time, whatever its own limit. */
  readonly mostOfFlow?: number
  /** Only of flows whose oldest run has waited since then. */
  readonly readySince?: number
}

export interface RunQueueRepository {
  /**
   * Takes runs that may start now, and gives their ids. Flows get fair shares: the next run is always the oldest of the
   * flow of which the fewest are taken. A run stays taken until it ends, is parked or released, or this program dies: at
   * the next start it is free again. A flow with a limit of its own has at most that many taken at one time.
   */
  claim(options: ClaimOptions): readonly string[]
  /** How many runs of the flow are taken. */
  takenOf(flowId: string): number
  /** Runs in the queue that a step of this run has started. */
  startedBy(runId: string): readonly string[]
  /** Gives the worker free; the run is ready again at that time. It is added where it was not in the queue. */
  park(runId: string, wakeAt: string): void
  /** Lets a parked run go on from that time, should it be parked until later; false where it is not parked. */
  wake(runId: string, at: number): boolean
  /**
   * Gives the worker free; the run is ready at once. It is added where it was not in the queue.
   *
   * @param at from when it counts as waiting; absent: from when it was accepted
   */
  release(runId: string, at?: number): void
  /** Takes a run out, whatever its state. */
  remove(runId: string): void
  count(): { readonly ready: number; readonly parked: number; readonly taken: number }
  /** When the next parked run wakes; null where none is parked. */
  nextWakeAt(): string | null
}

interface BusyRow {
  readonly flow_key: number
  readonly taken: number
}

/** A flow with runs that are ready. */
interface ReadyFlow {
  readonly flow_key: number
  /** Of the run that was accepted first. */
  readonly head: number
  readonly concurrency: number | null
}

export function createRunQueueRepository(db: Database, bootId: string): RunQueueRepository {
  const wake = command(db, `UPDATE run_queue SET state = 'ready' WHERE state = 'parked' AND wake_at <= ?`)
  const busyFlows = rows<BusyRow>(
    db,
    `SELECT flow_key, count(*) AS taken FROM run_queue WHERE state = 'taken' GROUP BY flow_key`,
  )
  const headOf = `(SELECT min(run_key) FROM run_queue WHERE state = 'ready' AND flow_key = k)`
  // From flow to flow by the index: of one flow a hundred thousand runs may wait.
  const readyFlows = rows<ReadyFlow>(
    db,
    `WITH RECURSIVE ready (k) AS (
       SELECT min(flow_key) FROM run_queue WHERE state = 'ready'
       UNION ALL
       SELECT (SELECT min(flow_key) FROM run_queue WHERE state = 'ready' AND flow_key > k)
       FROM ready WHERE k IS NOT NULL
     )
     SELECT k AS flow_key, ${headOf} AS head, f.concurrency FROM ready CROSS JOIN flows f ON f.key = k`,
  )
  const nextHead = scalar<number | null>(db, `SELECT ${headOf} FROM (SELECT ? AS k)`)
  const readySince = scalar<number>(
    db,
    `SELECT coalesce(q.wake_at, r.created_at) FROM run_queue q CROSS JOIN flow_runs r ON r.key = q.run_key
     WHERE q.run_key = ?`,
  )
  const idOf = scalar<string>(db, 'SELECT id FROM flow_runs WHERE key = ?')
  const keyOfFlow = scalar<number>(db, 'SELECT key FROM flows WHERE id = ?')
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

  function takenByFlow(besides: ReadonlyMap<string, number>): Map<number, number> {
    const taken = new Map(busyFlows.all().map((flow) => [flow.flow_key, flow.taken]))
    for (const [flowId, more] of besides) {
      const key = keyOfFlow.get(flowId)
      if (key !== undefined) taken.set(key, (taken.get(key) ?? 0) + more)
    }
    return taken
  }

  return {
    claim({ limit, now, besides = new Map(), mostOfFlow = Infinity, readySince: since }) {
      wake.run(now)
      const taken = takenByFlow(besides)
      const takenOfFlow = ({ flow_key: key }: ReadyFlow) => taken.get(key) ?? 0
      const mayStart = (flow: ReadyFlow) =>
        takenOfFlow(flow) < Math.min(flow.concurrency ?? Infinity, mostOfFlow) &&
        (since === undefined || (readySince.get(flow.head) ?? now) <= since)
      let flows = readyFlows.all().filter(mayStart)
      const claimed: string[] = []
      while (claimed.length < limit && flows.length > 0) {
        const next = flows.reduce((best, flow) =>
          takenOfFlow(flow) - takenOfFlow(best) < 0 ||
          (takenOfFlow(flow) === takenOfFlow(best) && flow.head < best.head)
            ? flow
            : best,
        )
        take.run(bootId, now, next.head)
        claimed.push(idOf.get(next.head) ?? '')
        taken.set(next.flow_key, takenOfFlow(next) + 1)
        const head = nextHead.get(next.flow_key) ?? null
        const others = flows.filter((flow) => flow !== next)
        flows = head === null ? others : [...others, { ...next, head }].filter(mayStart)
      }
      return claimed
    },
    startedBy: (runId) => startedBy.all(runId),
    takenOf: (flowId) => takenOf.get(flowId) ?? 0,
    park: (runId, wakeAt) => void put.run('parked', toTime(wakeAt), runKey(runId) ?? -1),
    wake: (runId, at) => wakeOne.run(at, runKey(runId) ?? -1) > 0,
    release: (runId, at) => void put.run('ready', at ?? null, runKey(runId) ?? -1),
    remove: (runId) => void remove.run(runKey(runId) ?? -1),
    count: () => ({
      ready: countState.get('ready') ?? 0,
      parked: countState.get('parked') ?? 0,
      taken: countState.get('taken') ?? 0,
    }),
    nextWakeAt: () => toIsoOrNull(nextWake.get() ?? null),
  }
}
