/** How far each flow's trigger has read, so that nothing starts two runs or none across a restart. */
import type { Database } from 'better-sqlite3'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, scalar } from '../sql/statement.ts'

/** Times in milliseconds since 1970. */
export interface TriggerProgress {
  /** Of what it looks at. */
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

const OF_FLOW = 'flow_key = (SELECT key FROM flows WHERE id = @id)'
const ownerOf = (flowId: string): SecretOwner => `triggers:${flowId}`

export function createTriggerRepository(db: Database, box: SecretBox) {
  const progress = createRecordMapper<TriggerProgress>(db, { isStarted: 'flag', error: 'json?' })
  const byFlow = progress.query(
    `SELECT t.fingerprint, t.is_started AS isStarted, t.checked_at AS checkedAt, t.found_at AS foundAt, t.found,
       t.next_at AS nextAt, t.failures,
       iif(t.error_at IS NULL, NULL, json_object('message', t.error, 'at', t.error_at)) AS error
     FROM triggers t JOIN flows f ON f.key = t.flow_key WHERE f.id = ? AND f.deleted_at IS NULL`,
  )
  const sealedState = scalar<Buffer | null>(db, `SELECT sealed_state FROM triggers WHERE ${OF_FLOW}`)
  const remove = command(db, `DELETE FROM triggers WHERE ${OF_FLOW}`)
  const insert = command(
    db,
    `INSERT INTO triggers (flow_key, fingerprint, next_at) SELECT key, @fingerprint, @nextAt FROM flows WHERE id = @id`,
  )
  const setState = command(db, `UPDATE triggers SET sealed_state = @sealed WHERE ${OF_FLOW}`)
  const see = command(
    db,
    `INSERT INTO trigger_entries (flow_key, id, seen_day)
     SELECT flow_key, @entry, @day FROM triggers WHERE ${OF_FLOW}
     ON CONFLICT (flow_key, id) DO UPDATE SET seen_day = excluded.seen_day WHERE seen_day < excluded.seen_day`,
  )
  const known = scalar<number>(
    db,
    `SELECT 1 FROM trigger_entries WHERE id = @entry AND flow_key = (SELECT key FROM flows WHERE id = @id)`,
  )
  const addFound = command(db, `UPDATE triggers SET found = found + @count, found_at = @at WHERE ${OF_FLOW}`)
  const succeed = command(
    db,
    `UPDATE triggers SET is_started = 1, checked_at = @at, next_at = @nextAt, failures = 0, error = NULL,
       error_at = NULL WHERE ${OF_FLOW}`,
  )
  const fail = command(
    db,
    `UPDATE triggers SET failures = failures + 1, error = @message, error_at = @at, next_at = @nextAt
     WHERE ${OF_FLOW}`,
  )
  const forgetGone = command(db, `DELETE FROM trigger_entries WHERE ${OF_FLOW} AND seen_day < @day`)
  const count = scalar<number>(db, `SELECT count(*) FROM trigger_entries WHERE ${OF_FLOW}`)
  const forgetOldest = command(
    db,
    `DELETE FROM trigger_entries WHERE ${OF_FLOW} AND seen_day < @today AND id IN (
       SELECT id FROM trigger_entries WHERE ${OF_FLOW} ORDER BY seen_day LIMIT @most)`,
  )
  return {
    /** Null if the flow's trigger has never been active. */
    get: (flowId: string) => byFlow.get(flowId),
    /** How far it has read, as JSON; null at the beginning. Throws if it can't be decrypted. */
    state(flowId: string): string | null {
      const sealed = sealedState.get({ id: flowId }) ?? null
      return sealed === null ? null : box.open(ownerOf(flowId), sealed)
    },
    /** Starts over: nothing is known. */
    begin(flowId: string, fingerprint: string, nextAt: number): void {
      remove.run({ id: flowId })
      insert.run({ id: flowId, fingerprint, nextAt })
    },
    saveState: (flowId: string, state: string) =>
      void setState.run({ id: flowId, sealed: box.seal(ownerOf(flowId), state) }),
    /** Entries that are there now. Each is known from now on. */
    see(flowId: string, ids: readonly string[], now: number): void {
      for (const id of ids) see.run({ id: flowId, entry: bytesOf(id), day: dayOf(now) })
    },
    isKnown: (flowId: string, id: string) => known.get({ id: flowId, entry: bytesOf(id) }) !== undefined,
    /** It started runs for that many entries. */
    noteFound: (flowId: string, added: number, at: number) =>
      void addFound.run({ id: flowId, count: added, at }),
    /** A check has ended without an error. */
    noteChecked: (flowId: string, at: number, nextAt: number) => void succeed.run({ id: flowId, at, nextAt }),
    noteFailed: (
      flowId: string,
      { message, at }: { readonly message: string; readonly at: number },
      nextAt: number,
    ) => void fail.run({ id: flowId, message, at, nextAt }),
    /** Forgets entries that have been gone for long, and the oldest of very many. */
    prune(flowId: string, now: number): void {
      const today = dayOf(now)
      forgetGone.run({ id: flowId, day: today - DAYS_KEPT })
      const surplus = (count.get({ id: flowId }) ?? 0) - MOST_KEPT
      if (surplus > 0) forgetOldest.run({ id: flowId, today, most: surplus })
    },
  }
}

const bytesOf = (id: string) => Buffer.from(id, 'hex')
const dayOf = (ms: number) => Math.floor(ms / 86_400_000)

/** An entry that was gone for longer counts as new if it comes back. */
const DAYS_KEPT = 60
/** Per flow, beside those of today: 10 MB. */
const MOST_KEPT = 200_000
