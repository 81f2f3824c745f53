import type { Database } from 'better-sqlite3'
import type { StepPin } from '../../../shared/contract/step-pins.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { type JsonCodec, toIso, toTime } from '../sql/codec.ts'
import { command, pragma, rows, scalar } from '../sql/statement.ts'

export type StepPinRepository = ReturnType<typeof createStepPinRepository>

/** A pin that has only its author's id. */
export interface NewPin extends Omit<StepPin, 'pinned_by' | 'state'> {
  readonly author_id: string
}

export interface StepPinRepositoryParts {
  readonly box: SecretBox
  /** The newest history key issued. */
  readonly lastKey: () => number
  readonly keyOfRun: (runId: string) => number | null
  /** Notes that a run copies older values into the newer part of the history. */
  readonly carryOver: (from: number, to: number) => void
}

interface PinRow {
  readonly ref_id: string
  readonly value: string
  readonly sealed: Buffer | null
  readonly pinned_at: number
  readonly author_id: string | null
  readonly author: string | null
  readonly flow_run_id: string | null
}

const ownerOf = (flowId: string, refId: string): SecretOwner => `step_pins:${flowId}/${refId}`

export function createStepPinRepository(
  db: Database,
  json: JsonCodec,
  { box, lastKey, keyOfRun, carryOver }: StepPinRepositoryParts,
) {
  const ofFlow = rows<PinRow>(
    db,
    `SELECT p.ref_id, p.value, p.sealed, p.pinned_at, p.author_id, u.name AS author, p.flow_run_id
     FROM step_pins p JOIN flows f ON f.key = p.flow_key LEFT JOIN users u ON u.id = p.author_id
     WHERE f.id = ? ORDER BY p.ref_id`,
  )
  const authors = scalar<string>(
    db,
    `SELECT DISTINCT coalesce(p.author_id, '') FROM step_pins p JOIN flows f ON f.key = p.flow_key WHERE f.id = ?`,
  )
  const save = command(
    db,
    `INSERT INTO step_pins (flow_key, ref_id, value, sealed, pinned_at, author_id, flow_run_id, newest_key)
     SELECT key, ?, '', ?, ?, ?, ?, ? FROM flows WHERE id = ? AND deleted_at IS NULL
     ON CONFLICT (flow_key, ref_id) DO UPDATE SET value = '', sealed = excluded.sealed,
       pinned_at = excluded.pinned_at, author_id = excluded.author_id, flow_run_id = excluded.flow_run_id,
       newest_key = excluded.newest_key`,
  )
  const oldest = scalar<number | null>(
    db,
    'SELECT min(p.newest_key) FROM step_pins p JOIN flows f ON f.key = p.flow_key WHERE f.id = ?',
  )
  const remove = command(
    db,
    'DELETE FROM step_pins WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND ref_id = ?',
  )

  function readValue(flowId: string, { ref_id, value, sealed }: PinRow): Pick<StepPin, 'value' | 'state'> {
    try {
      const text = sealed === null ? value : box.open(ownerOf(flowId, ref_id), sealed)
      return { value: json.parse(text) as StepPin['value'] }
    } catch {
      return { value: null, state: 'needs_reentry' }
    }
  }

  return {
    /** Keyed by `ref_id`. */
    ofFlow: (flowId: string): readonly StepPin[] =>
      ofFlow.all(flowId).map((row) => ({
        ref_id: row.ref_id,
        ...readValue(flowId, row),
        pinned_at: toIso(row.pinned_at),
        pinned_by:
          row.author_id === null || row.author === null ? null : { id: row.author_id, name: row.author },
        flow_run_id: row.flow_run_id,
      })),
    /** The users who pinned the values; an empty id if unknown. */
    authorsOf: (flowId: string): readonly string[] => authors.all(flowId),
    /**
     * Replaces the step's pin. Does nothing if the flow doesn't exist.
     *
     * @throws SecretBoxLockedError while nothing can be encrypted
     */
    save(flowId: string, { ref_id, value, pinned_at, author_id, flow_run_id }: NewPin): void {
      const sealed = box.seal(ownerOf(flowId, ref_id), json.stringify(value))
      // A value from a run is as old as the run.
      const newestKey = (flow_run_id === null ? null : keyOfRun(flow_run_id)) ?? lastKey()
      save.run(ref_id, sealed, toTime(pinned_at), author_id, flow_run_id, newestKey, flowId)
    },
    /** Records that a run uses the pinned values. */
    noteUse(flowId: string, runId: string): void {
      const from = oldest.get(flowId) ?? null
      const to = keyOfRun(runId)
      if (from !== null && to !== null) carryOver(from, to)
    },
    /** False if the step has no pin. */
    delete: (flowId: string, refId: string) => remove.run(flowId, refId) > 0,
  }
}

/** Seals values that an earlier version stored unencrypted; while nothing can be encrypted, they stay as they are. */
export function sealOpenPins(db: Database, box: SecretBox): void {
  const pins = rows<{ flowKey: number; flowId: string; refId: string; value: string }>(
    db,
    `SELECT p.flow_key AS flowKey, f.id AS flowId, p.ref_id AS refId, p.value
     FROM step_pins p JOIN flows f ON f.key = p.flow_key WHERE p.sealed IS NULL`,
  ).all()
  if (pins.length === 0 || box.locked) return
  const seal = command(db, "UPDATE step_pins SET sealed = ?, value = '' WHERE flow_key = ? AND ref_id = ?")
  // The overwritten plain values must not remain in the file.
  const before = pragma(db, 'secure_delete')
  db.pragma('secure_delete = ON')
  db.transaction(() => {
    for (const { flowKey, flowId, refId, value } of pins)
      seal.run(box.seal(ownerOf(flowId, refId), value), flowKey, refId)
  })()
  db.pragma(`secure_delete = ${String(before)}`)
}
