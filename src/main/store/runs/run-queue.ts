/** The run queue on the disk: runs that wait for a worker, have one, or are parked until a certain time. */
import type { Database } from 'better-sqlite3'
import { toIsoOrNull, toTime } from '../sql/codec.ts'
import { runKey } from '../history/ids.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface ClaimOptions {
  readonly limit: number
  readonly now: number
  /** Runs outside the queue that count towards their flow's concurrency, by flow id. */
  readonly besides?: ReadonlyMap<string, number>
  /** Maximum number of claimed runs per flow, whatever the flow's own limit. */
  readonly mostOfFlow?: number
  /** Only claims runs of flows whose oldest run has waited since then. */
  readonly readySince?: number
}

export type RunQueueRepository = ReturnType<typeof createRunQueueRepository>

interface BusyRow {
  readonly flow_key: number
  readonly taken: number
}

/** A flow with runs that are ready. */
interface ReadyFlow {
  readonly flow_key: number
  readonly id: string
  /** Key of the run that was accepted first. */
  readonly head: number
  readonly concurrency: number | null
}

export function createRunQueueRepository(db: Database, bootId: string) {
  const wake = command(db, `UPDATE run_queue SET state = 'ready' WHERE state = 'parked' AND wake_at <= ?`)
  const busyFlows = rows<BusyRow>(
    db,
    `SELECT flow_key, count(*) AS taken FROM run_queue WHERE state = 'taken' GROUP BY flow_key`,
  )
  const headOf = `(SELECT min(run_key) FROM run_queue WHERE state = 'ready' AND flow_key = k)`
  // Uses the index to skip from one flow to the next, because a single flow can have a hundred thousand waiting runs.
  const readyFlows = rows<ReadyFlow>(
    db,
    `WITH RECURSIVE ready (k) AS (
       SELECT min(flow_key) FROM run_queue WHERE state = 'ready'
       UNION ALL
       SELECT (SELECT min(flow_key) FROM run_queue WHERE state = 'ready' AND flow_key > k)
       FROM ready WHERE k IS NOT NULL
     )
     SELECT k AS flow_key, f.id, ${headOf} AS head, f.concurrency FROM ready CROSS JOIN flows f ON f.key = k`,
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
  const insertTaken = command(
    db,
    `INSERT INTO run_queue (run_key, flow_key, state, boot_id, taken_at)
     SELECT key, flow_key, 'taken', ?, ? FROM flow_runs WHERE key = ? AND status = 'queued'
     ON CONFLICT (run_key) DO UPDATE SET state = excluded.state, boot_id = excluded.boot_id, taken_at = excluded.taken_at`,
  )
  const put = command(
    db,
    `INSERT INTO run_queue (run_key, flow_key, state, wake_at)
     SELECT key, flow_key, ?, ? FROM flow_runs WHERE key = ?
     ON CONFLICT (run_key) DO UPDATE SET
       state = excluded.state, wake_at = excluded.wake_at, boot_id = NULL, taken_at = NULL, deaths = 0`,
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
    /**
     * Claims runs that can start now and returns their ids. Flows get fair shares: the next run is always the oldest of
     * the flow with the fewest claimed runs. A run stays claimed until it ends, is parked or released, or this process
     * dies; at the next start it is free again. If a flow has its own limit, no more than that many are claimed at a
     * time.
     */
    claim({
      limit,
      now,
      besides = new Map(),
      mostOfFlow = Infinity,
      readySince: since,
    }: ClaimOptions): readonly string[] {
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
    /** Notes the start of an accepted run that isn't in the queue, unless it was cancelled; can be appended. */
    take: (runId: string, now: number) => void insertTaken.run(bootId, now, runKey(runId) ?? -1),
    /** The ids of the flows that have runs that are ready. */
    readyFlows: (): readonly string[] => readyFlows.all().map(({ id }) => id),
    /** Queued runs that were started by a step of this run. */
    startedBy: (runId: string): readonly string[] => startedBy.all(runId),
    /** Number of claimed runs of the flow. */
    takenOf: (flowId: string) => takenOf.get(flowId) ?? 0,
    /** Releases the worker until that time, when the run is ready again. Adds the run to the queue if necessary. */
    park: (runId: string, wakeAt: string) => void put.run('parked', toTime(wakeAt), runKey(runId) ?? -1),
    /** Wakes a parked run at that time unless it wakes earlier anyway; false if the run isn't parked. */
    wake: (runId: string, at: number) => wakeOne.run(at, runKey(runId) ?? -1) > 0,
    /**
     * Releases the worker; the run is ready at once. Adds the run to the queue if necessary.
     *
     * @param at since when it counts as waiting; defaults to when it was accepted
     */
    release: (runId: string, at?: number) => void put.run('ready', at ?? null, runKey(runId) ?? -1),
    /** Removes a run, whatever its state. */
    remove: (runId: string) => void remove.run(runKey(runId) ?? -1),
    count: (): { readonly ready: number; readonly parked: number; readonly taken: number } => ({
      ready: countState.get('ready') ?? 0,
      parked: countState.get('parked') ?? 0,
      taken: countState.get('taken') ?? 0,
    }),
    /** The time at which the next parked run wakes up; null if none is parked. */
    nextWakeAt: () => toIsoOrNull(nextWake.get() ?? null),
  }
}
