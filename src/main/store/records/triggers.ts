/** The progress of each flow's triggers, so that each entry starts exactly one run, even across a restart. */
import type { Database } from 'better-sqlite3'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, rows, scalar } from '../sql/statement.ts'

/** Times in milliseconds since 1970. */
export interface TriggerProgress {
  /** Fingerprint of the values that determine what the trigger watches. */
  readonly fingerprint: string
  /** Whether the first check has ended. */
  readonly isStarted: boolean
  readonly checkedAt: number | null
  readonly foundAt: number | null
  readonly found: number
  readonly nextAt: number
  readonly failures: number
  readonly error: { readonly message: string; readonly at: number } | null
}

export type TriggerRepository = ReturnType<typeof createTriggerRepository>

/** A trigger of a flow, by the reference name of its step. */
export interface TriggerName {
  readonly flowId: string
  readonly refId: string
}

/** The row of a trigger in `triggers`. */
export const ONE_TRIGGER = 'flow_key = (SELECT key FROM flows WHERE id = @flowId) AND ref_id = @refId'
const ITS_KEY = `(SELECT key FROM triggers WHERE ${ONE_TRIGGER})`
const ownerOf = ({ flowId }: TriggerName): SecretOwner => `triggers:${flowId}`

export function createTriggerRepository(db: Database, box: SecretBox) {
  const progress = createRecordMapper<TriggerProgress>(db, { isStarted: 'flag', error: 'json?' })
  const byName = progress.query(
    `SELECT t.fingerprint, t.is_started AS isStarted, t.checked_at AS checkedAt, t.found_at AS foundAt, t.found,
       t.next_at AS nextAt, t.failures,
       iif(t.error_at IS NULL, NULL, json_object('message', t.error, 'at', t.error_at)) AS error
     FROM triggers t JOIN flows f ON f.key = t.flow_key
     WHERE f.id = @flowId AND t.ref_id = @refId AND f.deleted_at IS NULL`,
  )
  const refs = rows<{ readonly refId: string }>(
    db,
    'SELECT ref_id AS refId FROM triggers WHERE flow_key = (SELECT key FROM flows WHERE id = ?)',
  )
  const rename = command(db, `UPDATE triggers SET ref_id = @to WHERE ${ONE_TRIGGER}`)
  const sealedState = scalar<Buffer | null>(db, `SELECT sealed_state FROM triggers WHERE ${ONE_TRIGGER}`)
  const remove = command(db, `DELETE FROM triggers WHERE ${ONE_TRIGGER}`)
  const insert = command(
    db,
    `INSERT INTO triggers (flow_key, ref_id, fingerprint, next_at)
     SELECT key, @refId, @fingerprint, @nextAt FROM flows WHERE id = @flowId`,
  )
  const setState = command(db, `UPDATE triggers SET sealed_state = @sealed WHERE ${ONE_TRIGGER}`)
  const see = command(
    db,
    `INSERT INTO trigger_entries (trigger_key, id, seen_day)
     SELECT key, @entry, @day FROM triggers WHERE ${ONE_TRIGGER}
     ON CONFLICT (trigger_key, id) DO UPDATE SET seen_day = excluded.seen_day WHERE seen_day < excluded.seen_day`,
  )
  const known = scalar<number>(
    db,
    `SELECT 1 FROM trigger_entries WHERE id = @entry AND trigger_key = ${ITS_KEY}`,
  )
  const addFound = command(
    db,
    `UPDATE triggers SET found = found + @count, found_at = @at WHERE ${ONE_TRIGGER}`,
  )
  const succeed = command(
    db,
    `UPDATE triggers SET is_started = 1, checked_at = @at, next_at = @nextAt, failures = 0, error = NULL,
       error_at = NULL WHERE ${ONE_TRIGGER}`,
  )
  const fail = command(
    db,
    `UPDATE triggers SET failures = failures + 1, error = @message, error_at = @at, next_at = @nextAt
     WHERE ${ONE_TRIGGER}`,
  )
  const forgetGone = command(
    db,
    `DELETE FROM trigger_entries WHERE trigger_key = ${ITS_KEY} AND seen_day < @day`,
  )
  const count = scalar<number>(db, `SELECT count(*) FROM trigger_entries WHERE trigger_key = ${ITS_KEY}`)
  const forgetOldest = command(
    db,
    `DELETE FROM trigger_entries WHERE trigger_key = ${ITS_KEY} AND seen_day < @today AND id IN (
       SELECT id FROM trigger_entries WHERE trigger_key = ${ITS_KEY} ORDER BY seen_day LIMIT @most)`,
  )
  return {
    /** Null if the trigger has never been active. */
    get: (name: TriggerName) => byName.get({ ...name }),
    /** Reference names of the flow's triggers that have been active. */
    refsOf: (flowId: string): readonly string[] => refs.all(flowId).map(({ refId }) => refId),
    /** Call if the step has a new name. */
    rename: (name: TriggerName, to: string) => void rename.run({ ...name, to }),
    remove: (name: TriggerName) => void remove.run({ ...name }),
    /** The trigger's progress, as JSON; null at the beginning. Throws if it can't be decrypted. */
    state(name: TriggerName): string | null {
      const sealed = sealedState.get({ ...name }) ?? null
      return sealed === null ? null : box.open(ownerOf(name), sealed)
    },
    /** Starts over, with no known entries. */
    begin(name: TriggerName, fingerprint: string, nextAt: number): void {
      remove.run({ ...name })
      insert.run({ ...name, fingerprint, nextAt })
    },
    saveState: (name: TriggerName, state: string) =>
      void setState.run({ ...name, sealed: box.seal(ownerOf(name), state) }),
    /** Records entries that exist now, which are known from then on. */
    see(name: TriggerName, ids: readonly string[], now: number): void {
      for (const id of ids) see.run({ ...name, entry: bytesOf(id), day: dayOf(now) })
    },
    isKnown: (name: TriggerName, id: string) => known.get({ ...name, entry: bytesOf(id) }) !== undefined,
    /** Call when the trigger has started runs for that many entries. */
    noteFound: (name: TriggerName, added: number, at: number) =>
      void addFound.run({ ...name, count: added, at }),
    /** Call when a check has ended without errors. */
    noteChecked: (name: TriggerName, at: number, nextAt: number) => void succeed.run({ ...name, at, nextAt }),
    noteFailed: (
      name: TriggerName,
      { message, at }: { readonly message: string; readonly at: number },
      nextAt: number,
    ) => void fail.run({ ...name, message, at, nextAt }),
    /** Forgets entries that have been missing for a long time, and the oldest if there are very many. */
    prune(name: TriggerName, now: number): void {
      const today = dayOf(now)
      forgetGone.run({ ...name, day: today - DAYS_KEPT })
      const surplus = (count.get({ ...name }) ?? 0) - MOST_KEPT
      if (surplus > 0) forgetOldest.run({ ...name, today, most: surplus })
    },
  }
}

const bytesOf = (id: string) => Buffer.from(id, 'hex')
const dayOf = (ms: number) => Math.floor(ms / 86_400_000)

/** An entry that was missing for longer counts as new if it comes back. */
const DAYS_KEPT = 60
/** Limit per trigger, not counting today's entries; takes 10 MB. */
const MOST_KEPT = 200_000
