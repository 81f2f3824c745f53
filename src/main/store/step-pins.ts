import type { Database } from 'better-sqlite3'
import type { StepPin } from '../../shared/contract/step-pins.ts'
import { toIso, toTime, type JsonCodec } from './codec.ts'
import { command, rows } from './statement.ts'

export interface StepPinRepository {
  /** By `ref_id`. */
  ofFlow(flowId: string): readonly StepPin[]
  /** Replaces the one that the step has. Nothing happens where there is no such flow. */
  save(flowId: string, pin: StepPin): void
  /** False where the step has none. */
  delete(flowId: string, refId: string): boolean
}

interface PinRow {
  readonly ref_id: string
  readonly value: string
  readonly pinned_at: number
}

export function createStepPinRepository(db: Database, json: JsonCodec): StepPinRepository {
  const ofFlow = rows<PinRow>(
    db,
    `SELECT p.ref_id, p.value, p.pinned_at FROM step_pins p JOIN flows f ON f.key = p.flow_key
     WHERE f.id = ? ORDER BY p.ref_id`,
  )
  const save = command(
    db,
    `INSERT INTO step_pins (flow_key, ref_id, value, pinned_at)
     SELECT key, ?, ?, ? FROM flows WHERE id = ? AND deleted_at IS NULL
     ON CONFLICT (flow_key, ref_id) DO UPDATE SET value = excluded.value, pinned_at = excluded.pinned_at`,
  )
  const remove = command(
    db,
    'DELETE FROM step_pins WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND ref_id = ?',
  )
  return {
    ofFlow: (flowId) =>
      ofFlow.all(flowId).map(({ ref_id, value, pinned_at }) => ({
        ref_id,
        value: json.parse(value) as StepPin['value'],
        pinned_at: toIso(pinned_at),
      })),
    save: (flowId, { ref_id, value, pinned_at }) =>
      void save.run(ref_id, json.stringify(value), toTime(pinned_at), flowId),
    delete: (flowId, refId) => remove.run(flowId, refId) > 0,
  }
}
