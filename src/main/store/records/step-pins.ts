import type { Database } from 'better-sqlite3'
import type { StepPin } from '../../../shared/contract/step-pins.ts'
import { toIso, toTime, type JsonCodec } from '../sql/codec.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface StepPinRepository {
  /** By `ref_id`. */
  ofFlow(flowId: string): readonly StepPin[]
  /** Who pinned them; an empty id for those of whom nobody knows any longer. */
  authorsOf(flowId: string): readonly string[]
  /** Replaces the one that the step has. Nothing happens where there is no such flow. */
  save(flowId: string, pin: NewPin): void
  /** False where the step has none. */
  delete(flowId: string, refId: string): boolean
}

/** By whom: the id alone. */
export interface NewPin extends Omit<StepPin, 'pinned_by'> {
  readonly author_id: string
}

interface PinRow {
  readonly ref_id: string
  readonly value: string
  readonly pinned_at: number
  readonly author_id: string | null
  readonly author: string | null
  readonly flow_run_id: string | null
}

export function createStepPinRepository(db: Database, json: JsonCodec): StepPinRepository {
  const ofFlow = rows<PinRow>(
    db,
    `SELECT p.ref_id, p.value, p.pinned_at, p.author_id, u.name AS author, p.flow_run_id
     FROM step_pins p JOIN flows f ON f.key = p.flow_key LEFT JOIN users u ON u.id = p.author_id
     WHERE f.id = ? ORDER BY p.ref_id`,
  )
  const authors = scalar<string>(
    db,
    `SELECT DISTINCT coalesce(p.author_id, '') FROM step_pins p JOIN flows f ON f.key = p.flow_key WHERE f.id = ?`,
  )
  const save = command(
    db,
    `INSERT INTO step_pins (flow_key, ref_id, value, pinned_at, author_id, flow_run_id)
     SELECT key, ?, ?, ?, ?, ? FROM flows WHERE id = ? AND deleted_at IS NULL
     ON CONFLICT (flow_key, ref_id) DO UPDATE SET value = excluded.value, pinned_at = excluded.pinned_at,
       author_id = excluded.author_id, flow_run_id = excluded.flow_run_id`,
  )
  const remove = command(
    db,
    'DELETE FROM step_pins WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND ref_id = ?',
  )
  return {
    ofFlow: (flowId) =>
      ofFlow.all(flowId).map(({ ref_id, value, pinned_at, author_id: id, author: name, flow_run_id }) => ({
        ref_id,
        value: json.parse(value) as StepPin['value'],
        pinned_at: toIso(pinned_at),
        pinned_by: id === null || name === null ? null : { id, name },
        flow_run_id,
      })),
    authorsOf: (flowId) => authors.all(flowId),
    save: (flowId, { ref_id, value, pinned_at, author_id, flow_run_id }) =>
      void save.run(ref_id, json.stringify(value), toTime(pinned_at), author_id, flow_run_id, flowId),
    delete: (flowId, refId) => remove.run(flowId, refId) > 0,
  }
}
