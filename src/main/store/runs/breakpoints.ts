/** Breakpoints of flows, and the stops of runs at them. */
import type { Database } from 'better-sqlite3'
import type { Breakpoint } from '../../../shared/contract/reach/breakpoints.ts'
import { runKey } from '../history/ids.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { toFlag } from '../sql/codec.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, rows } from '../sql/statement.ts'

export interface StoredStop {
  readonly id: string
  readonly stepKey: string
  readonly refId: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly isDecided: boolean
}

export type BreakpointRepository = ReturnType<typeof createBreakpointRepository>

const SELECT_STOP = `
  SELECT id, step_key AS stepKey, ref_id AS refId, at, sealed_decision IS NOT NULL AS isDecided FROM run_stops`

const ownerOf = (id: string): SecretOwner => `run_stops:${id}`

export function createBreakpointRepository(db: Database, box: SecretBox) {
  const ofFlow = createRecordMapper<Breakpoint>(db, { real_runs: 'flag' }).query(
    `SELECT ref_id, condition, real_runs FROM breakpoints
     WHERE flow_key = (SELECT key FROM flows WHERE id = ?) ORDER BY ref_id`,
  )
  const save = command(
    db,
    `INSERT OR REPLACE INTO breakpoints (flow_key, ref_id, condition, real_runs)
     SELECT key, ?, ?, ? FROM flows WHERE id = ? AND deleted_at IS NULL`,
  )
  const remove = command(
    db,
    'DELETE FROM breakpoints WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND ref_id = ?',
  )
  const stops = createRecordMapper<StoredStop>(db, { isDecided: 'flag' })
  const ofRun = stops.query(`${SELECT_STOP} WHERE run_key = ? ORDER BY key`)
  const byId = stops.query(`${SELECT_STOP} WHERE id = ?`)
  const sealed = rows<{ readonly sealed: Buffer; readonly sealed_decision: Buffer | null }>(
    db,
    'SELECT sealed, sealed_decision FROM run_stops WHERE id = ?',
  )
  const insert = command(
    db,
    `INSERT OR IGNORE INTO run_stops (id, run_key, step_key, ref_id, at, sealed)
     SELECT ?, key, ?, ?, ?, ? FROM flow_runs WHERE key = ? AND id = ?`,
  )
  const decide = command(
    db,
    'UPDATE run_stops SET sealed_decision = ? WHERE id = ? AND sealed_decision IS NULL',
  )

  return {
    ofFlow: (flowId: string): readonly Breakpoint[] => ofFlow.all(flowId),
    save: (flowId: string, { ref_id, condition, real_runs }: Breakpoint) =>
      void save.run(ref_id, condition, toFlag(real_runs), flowId),
    /** False if the step has none. */
    delete: (flowId: string, refId: string) => remove.run(flowId, refId) > 0,
    /** Oldest first. */
    stopsOf: (runId: string): readonly StoredStop[] => ofRun.all(runKey(runId) ?? -1),
    isDecided: (id: string) => byId.get(id)?.isDecided === true,
    /** The content that a stop shows. Throws if it can't be decrypted. */
    contentOf: (id: string): string => box.open(ownerOf(id), sealedOf(id).sealed),
    /** Null until somebody has decided. Throws if it can't be decrypted. */
    decisionOf(id: string): string | null {
      const decision = sealedOf(id).sealed_decision
      return decision === null ? null : box.open(ownerOf(id), decision)
    },
    /** Does nothing if the run has stopped there before, or isn't stored. */
    stop(runId: string, { id, stepKey, refId, at }: Omit<StoredStop, 'isDecided'>, content: string): void {
      const bytes = box.seal(ownerOf(id), content)
      insert.run(id, stepKey, refId, at, bytes, runKey(runId) ?? -1, runId)
    },
    /** False if somebody decided before. */
    decide: (id: string, decision: string) => decide.run(box.seal(ownerOf(id), decision), id) > 0,
  }

  function sealedOf(id: string) {
    const row = sealed.get(id)
    if (row === undefined) throw new Error(`There is no stop ${id}`)
    return row
  }
}
