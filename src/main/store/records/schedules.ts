/** The progress of each flow's schedules, so that no scheduled time runs twice or is lost across a restart. */
import type { Database } from 'better-sqlite3'
import { command, rows } from '../sql/statement.ts'

/** Times in milliseconds since 1970. */
export interface ScheduleState {
  readonly refId: string
  /** Fingerprint of the schedule configuration it belongs to. */
  readonly fingerprint: string
  readonly handledUntil: number
  readonly lastFiredAt: number | null
}

export type ScheduleRepository = ReturnType<typeof createScheduleRepository>

export function createScheduleRepository(db: Database) {
  const byFlow = rows<ScheduleState>(
    db,
    `SELECT s.ref_id AS refId, s.fingerprint, s.handled_until AS handledUntil, s.last_fired_at AS lastFiredAt
     FROM schedules s JOIN flows f ON f.key = s.flow_key WHERE f.id = ? AND f.deleted_at IS NULL`,
  )
  const begin = command(
    db,
    `INSERT INTO schedules (flow_key, ref_id, fingerprint, handled_until) SELECT key, ?, ?, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key, ref_id) DO UPDATE SET fingerprint = excluded.fingerprint,
       handled_until = excluded.handled_until`,
  )
  const take = command(
    db,
    `INSERT INTO schedule_fires (flow_key, ref_id, fire_at) SELECT key, ?, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key, ref_id, fire_at) DO NOTHING`,
  )
  const handle = command(
    db,
    `UPDATE schedules SET handled_until = ?, last_fired_at = coalesce(?, last_fired_at)
     WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND ref_id = ?`,
  )
  const forgetOld = command(
    db,
    `DELETE FROM schedule_fires WHERE ${OF_SCHEDULE} AND fire_at <= (
       SELECT fire_at FROM schedule_fires WHERE ${OF_SCHEDULE}
       ORDER BY fire_at DESC LIMIT 1 OFFSET ${FIRES_KEPT})`,
  )
  const rename = ['schedules', 'schedule_fires'].map((table) =>
    command(db, `UPDATE OR REPLACE ${table} SET ref_id = @to WHERE ${OF_SCHEDULE}`),
  )
  const end = command(db, `DELETE FROM schedules WHERE ${OF_SCHEDULE}`)
  return {
    /** The active schedules of a flow. */
    of: (flowId: string): readonly ScheduleState[] => byFlow.all(flowId),
    /** Starts the schedule again: times up to `from` don't run any more. */
    begin: (flowId: string, refId: string, fingerprint: string, from: number) =>
      void begin.run(refId, fingerprint, from, flowId),
    /** Call if the step has a new name. */
    rename(flowId: string, refId: string, to: string): void {
      for (const one of rename) one.run({ id: flowId, ref: refId, to })
    },
    /** Claims a time for a run that is stored in the same write. False if it was claimed before. */
    fire(flowId: string, refId: string, at: number): boolean {
      if (take.run(refId, at, flowId) === 0) return false
      handle.run(at, at, flowId, refId)
      forgetOld.run({ id: flowId, ref: refId })
      return true
    },
    /** Skips times up to this one. */
    skip: (flowId: string, refId: string, until: number) => void handle.run(until, null, flowId, refId),
    /** Deactivates the schedule. */
    end: (flowId: string, refId: string) => void end.run({ id: flowId, ref: refId }),
  }
}

const OF_SCHEDULE = 'flow_key = (SELECT key FROM flows WHERE id = @id) AND ref_id = @ref'
/** Limit per schedule. A clock is set back by hours at most, and a schedule fires about once a minute at most. */
const FIRES_KEPT = 2_000
