/** How far each flow's schedule has progressed, so that no scheduled time runs twice or is lost across a restart. */
import type { Database } from 'better-sqlite3'
import { command, rows } from '../sql/statement.ts'

/** Times in milliseconds since 1970. */
export interface ScheduleState {
  /** Fingerprint of the schedule configuration it belongs to. */
  readonly fingerprint: string
  readonly handledUntil: number
  readonly lastFiredAt: number | null
}

export type ScheduleRepository = ReturnType<typeof createScheduleRepository>

export function createScheduleRepository(db: Database) {
  const byFlow = rows<ScheduleState>(
    db,
    `SELECT s.fingerprint, s.handled_until AS handledUntil, s.last_fired_at AS lastFiredAt
     FROM schedules s JOIN flows f ON f.key = s.flow_key WHERE f.id = ? AND f.deleted_at IS NULL`,
  )
  const begin = command(
    db,
    `INSERT INTO schedules (flow_key, fingerprint, handled_until) SELECT key, ?, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key) DO UPDATE SET fingerprint = excluded.fingerprint, handled_until = excluded.handled_until`,
  )
  const take = command(
    db,
    `INSERT INTO schedule_fires (flow_key, fire_at) SELECT key, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key, fire_at) DO NOTHING`,
  )
  const handle = command(
    db,
    `UPDATE schedules SET handled_until = ?, last_fired_at = coalesce(?, last_fired_at)
     WHERE flow_key = (SELECT key FROM flows WHERE id = ?)`,
  )
  const forgetOld = command(
    db,
    `DELETE FROM schedule_fires WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND fire_at <= (
       SELECT fire_at FROM schedule_fires WHERE flow_key = (SELECT key FROM flows WHERE id = ?)
       ORDER BY fire_at DESC LIMIT 1 OFFSET ${FIRES_KEPT})`,
  )
  const end = command(db, 'DELETE FROM schedules WHERE flow_key = (SELECT key FROM flows WHERE id = ?)')
  return {
    /** Null if the flow's schedule is not active. */
    get: (flowId: string) => byFlow.get(flowId) ?? null,
    /** Starts the schedule again: times up to `from` don't run any more. */
    begin: (flowId: string, fingerprint: string, from: number) => void begin.run(fingerprint, from, flowId),
    /** Claims a time for a run that is stored in the same write. False if it was claimed before. */
    fire(flowId: string, at: number): boolean {
      if (take.run(at, flowId) === 0) return false
      handle.run(at, at, flowId)
      forgetOld.run(flowId, flowId)
      return true
    },
    /** Skips times up to this one. */
    skip: (flowId: string, until: number) => void handle.run(until, null, flowId),
    /** Deactivates the schedule. */
    end: (flowId: string) => void end.run(flowId),
  }
}

/** Per flow. A clock is set back by hours at most, and a schedule fires about once a minute at most. */
const FIRES_KEPT = 2_000
