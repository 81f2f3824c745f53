/** Cleans up after the last shutdown or crash. */
import { withSaid } from '../../../shared/contract/base/message.ts'
import type { Database } from 'better-sqlite3'
import { type EndSteps, INTERRUPTED } from '../history/end-steps.ts'
import { type JsonCodec, toTime } from '../sql/codec.ts'
import { command, rows } from '../sql/statement.ts'

export interface Recovered {
  /** Accepted runs whose worker died with Millrace; they run again. */
  readonly requeued: readonly string[]
  /** Accepted runs during which Millrace has died too often; the caller must end them. */
  readonly setAside: readonly string[]
  /** Runs whose caller was waiting for a response; they end as `interrupted`. */
  readonly interrupted: readonly string[]
}

/** Call once, inside a write, at any time: runs started since the folder was opened aren't touched. */
export type Recover = (now: string) => Recovered

export interface RecoveryOptions {
  /** Runs up to this key were started by a previous process. */
  readonly lastBefore: number
  /** If true, no run has made Millrace die. */
  readonly endedCleanly: boolean
}

interface FoundRun {
  readonly key: number
  readonly id: string
}

interface TakenRun extends FoundRun {
  readonly deaths: number
}

/**
 * Any of the runs in progress may have made Millrace die. After the first death, all continue at once. After the
 * second, each starts alone, some time after Millrace has started. The run in progress at a third death is set aside;
 * the innocent ones have ended by then.
 */
export function createRecovery(
  db: Database,
  json: JsonCodec,
  endSteps: EndSteps,
  { lastBefore, endedCleanly }: RecoveryOptions,
): Recover {
  const taken = rows<TakenRun>(
    db,
    `SELECT r.key, r.id, q.deaths FROM run_queue q CROSS JOIN flow_runs r ON r.key = q.run_key
     WHERE q.state = 'taken' AND q.run_key <= ? ORDER BY q.run_key`,
  )
  const waitedFor = rows<FoundRun>(
    db,
    `SELECT r.key, r.id FROM flow_runs r
     WHERE r.status IN ('running', 'retrying') AND r.status <> 'success' AND r.key <= ?
       AND NOT EXISTS (SELECT 1 FROM run_queue q WHERE q.run_key = r.key)
     ORDER BY r.key`,
  )
  const requeue = command(
    db,
    `UPDATE run_queue SET state = ?, wake_at = ?, deaths = ?, boot_id = NULL, taken_at = NULL WHERE run_key = ?`,
  )
  /** Accepted runs that hadn't started. */
  const enqueue = command(
    db,
    `INSERT INTO run_queue (run_key, flow_key, state) SELECT key, flow_key, 'ready' FROM flow_runs r
     WHERE status = 'queued' AND status <> 'success' AND key <= ?
       AND NOT EXISTS (SELECT 1 FROM run_queue q WHERE q.run_key = r.key)`,
  )
  const markQueued = command(db, `UPDATE flow_runs SET status = 'queued' WHERE key = ?`)
  const interrupt = command(
    db,
    `UPDATE flow_runs SET status = 'error', finished_at = ?, error = ? WHERE key = ?`,
  )

  return (now) => {
    const requeued: string[] = []
    const setAside: string[] = []
    let suspects = 0
    enqueue.run(lastBefore)
    for (const { key, id, deaths: before } of taken.all(lastBefore)) {
      const deaths = before + (endedCleanly ? 0 : 1)
      const isSuspect = deaths >= DEATHS_TOGETHER
      if (isSuspect) suspects++
      const at = isSuspect ? (toTime(now) ?? 0) + suspects * ALONE_MS : null
      requeue.run(isSuspect ? 'parked' : 'ready', at, deaths, key)
      markQueued.run(key)
      if (deaths < MOST_DEATHS) requeued.push(id)
      else setAside.push(id)
    }
    const interrupted = waitedFor.all(lastBefore)
    for (const { key } of interrupted) {
      interrupt.run(toTime(now), json.stringify(withSaid(INTERRUPTED)), key)
      endSteps(key, INTERRUPTED, null)
    }
    return { requeued, setAside, interrupted: interrupted.map((run) => run.id) }
  }
}

const DEATHS_TOGETHER = 2
export const MOST_DEATHS = 3
/** Time between two runs that may make Millrace die, and before the first of them. */
const ALONE_MS = 10_000
