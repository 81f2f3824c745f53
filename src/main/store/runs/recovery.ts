/** Cleans up after the last shutdown or crash. */
import type { Database } from 'better-sqlite3'
import { type EndSteps, INTERRUPTED } from '../history/end-steps.ts'
import { type JsonCodec, toTime } from '../sql/codec.ts'
import { command, rows } from '../sql/statement.ts'

export interface Recovered {
  /** Accepted runs whose worker died with the program; they are ready again. */
  readonly requeued: readonly string[]
  /** Runs whose caller was waiting for a response; they end as `interrupted`. */
  readonly interrupted: readonly string[]
}

/** Call once, inside a write, at any time: runs started since the folder was opened aren't touched. */
export type Recover = (now: string) => Recovered

interface FoundRun {
  readonly key: number
  readonly id: string
}

/** Runs up to the key `lastBefore` were started by a previous process. */
export function createRecovery(
  db: Database,
  json: JsonCodec,
  endSteps: EndSteps,
  lastBefore: number,
): Recover {
  const taken = rows<FoundRun>(
    db,
    `SELECT r.key, r.id FROM run_queue q CROSS JOIN flow_runs r ON r.key = q.run_key
     WHERE q.state = 'taken' AND q.run_key <= ? ORDER BY q.run_key`,
  )
  const waitedFor = rows<FoundRun>(
    db,
    `SELECT r.key, r.id FROM flow_runs r
     WHERE r.status IN ('queued', 'running', 'retrying') AND r.status <> 'success' AND r.key <= ?
       AND NOT EXISTS (SELECT 1 FROM run_queue q WHERE q.run_key = r.key)
     ORDER BY r.key`,
  )
  const requeue = command(
    db,
    `UPDATE run_queue SET state = 'ready', boot_id = NULL, taken_at = NULL WHERE run_key = ?`,
  )
  const markQueued = command(db, `UPDATE flow_runs SET status = 'queued' WHERE key = ?`)
  const interrupt = command(
    db,
    `UPDATE flow_runs SET status = 'error', finished_at = ?, error = ? WHERE key = ?`,
  )

  return (now) => {
    const requeued = taken.all(lastBefore)
    for (const { key } of requeued) {
      requeue.run(key)
      markQueued.run(key)
    }
    const interrupted = waitedFor.all(lastBefore)
    for (const { key } of interrupted) {
      interrupt.run(toTime(now), json.stringify(INTERRUPTED), key)
      endSteps(key, INTERRUPTED, null)
    }
    return { requeued: requeued.map((run) => run.id), interrupted: interrupted.map((run) => run.id) }
  }
}
