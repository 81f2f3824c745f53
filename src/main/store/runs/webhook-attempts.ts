/** The history of forwarded webhook requests: each attempt, and the request as it arrived. */
import type { Database } from 'better-sqlite3'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { Said } from '../../../shared/contract/base/message.ts'
import type { WebhookAttempt } from '../../../shared/contract/reach/forwards.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { PLAIN_JSON, toFlag, toIso, toTime } from '../sql/codec.ts'
import { requestKey } from '../history/ids.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface StoredAttempt extends Omit<WebhookAttempt, 'headers' | 'body' | 'error'> {
  readonly error: Said | null
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** The beginning of the body; null if there was no response, or it can't be decrypted on this machine. */
  readonly body: Buffer | null
}

/** A request as it arrived. */
export interface OriginalRequest {
  readonly method: string
  readonly target: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

export interface WaitingRequest {
  readonly request_id: string
  readonly flow_id: string
  readonly at: string
}

export type WebhookAttemptRepository = ReturnType<typeof createWebhookAttemptRepository>

/** Share of the limit that is kept when it is exceeded; deleting a little more makes deletions rarer. */
const LEFT_AFTER_CLEARING = 0.9
const MOST_ATTEMPTS = 50

interface AttemptRow extends Omit<WebhookAttempt, 'headers' | 'body' | 'at' | 'answered_caller' | 'error'> {
  readonly at: number
  readonly answered_caller: number
  readonly error: string | null
}

const COLUMNS = 'at, kind, url, status, duration_ms, error, answered_caller, size'

const attemptOwner = (id: string): SecretOwner => `webhook_attempts:${id}`
const keyOf = (requestId: string) => requestKey(requestId) ?? -1
const originalOwner = (id: string): SecretOwner => `webhook_originals:${id}`

export function createWebhookAttemptRepository(db: Database, box: SecretBox) {
  const insert = command(
    db,
    `INSERT INTO webhook_attempts (request_key, request_id, at, kind, url, status, duration_ms, error, answered_caller,
       size, sealed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const deleteOlder = command(
    db,
    `DELETE FROM webhook_attempts WHERE request_key = ? AND key NOT IN
       (SELECT key FROM webhook_attempts WHERE request_key = ? ORDER BY key DESC LIMIT ${MOST_ATTEMPTS})`,
  )
  const from = 'FROM webhook_attempts WHERE request_key = ? AND request_id = ? ORDER BY key'
  const ofRequest = rows<AttemptRow & { readonly sealed: Buffer | null }>(
    db,
    `SELECT ${COLUMNS}, sealed ${from}`,
  )
  const latest = rows<AttemptRow & { readonly request_id: string }>(
    db,
    `SELECT request_id, ${COLUMNS} FROM webhook_attempts WHERE key IN
       (SELECT max(key) FROM webhook_attempts WHERE request_key IN (SELECT value FROM json_each(?))
        GROUP BY request_key, request_id)`,
  )
  const isWaiting = scalar<number>(
    db,
    'SELECT 1 FROM webhook_originals WHERE request_key = ? AND request_id = ? AND waits_for IS NOT NULL',
  )
  const insertOriginal = command(
    db,
    `INSERT INTO webhook_originals (request_key, request_id, at, size, sealed, waits_for)
     VALUES (?, ?, ?, ?, ?, (SELECT key FROM flows WHERE id = ?)) ON CONFLICT DO NOTHING`,
  )
  const original = scalar<Buffer>(
    db,
    'SELECT sealed FROM webhook_originals WHERE request_key = ? AND request_id = ?',
  )
  const hasOriginal = scalar<number>(
    db,
    'SELECT 1 FROM webhook_originals WHERE request_key = ? AND request_id = ?',
  )
  const waiting = rows<{ request_id: string; flow_id: string; at: number }>(
    db,
    `SELECT o.request_id, f.id AS flow_id, o.at FROM webhook_originals o JOIN flows f ON f.key = o.waits_for
     WHERE f.id = ? ORDER BY o.at, o.key`,
  )
  const waitingFlows = rows<{ id: string }>(
    db,
    `SELECT id FROM flows WHERE key IN (SELECT waits_for FROM webhook_originals WHERE waits_for IS NOT NULL)`,
  )
  const countWaiting = scalar<number>(
    db,
    'SELECT count(*) FROM webhook_originals WHERE waits_for = (SELECT key FROM flows WHERE id = ?)',
  )
  const taken = rows<{ count: number; bytes: number }>(
    db,
    `SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM webhook_originals
     WHERE waits_for = (SELECT key FROM flows WHERE id = ?)`,
  )
  const endWaiting = command(db, 'UPDATE webhook_originals SET waits_for = NULL WHERE request_key = ?')
  const endAllWaiting = command(
    db,
    'UPDATE webhook_originals SET waits_for = NULL WHERE waits_for = (SELECT key FROM flows WHERE id = ?)',
  )
  const originals = createBudget(db, {
    bytes: 'SELECT coalesce(sum(size), 0) FROM webhook_originals',
    oldest: 'SELECT key, size FROM webhook_originals WHERE waits_for IS NULL ORDER BY key',
    deleteUpTo: 'DELETE FROM webhook_originals WHERE key <= ? AND waits_for IS NULL',
    most: LIMITS.originalRequestsBytes,
  })
  const attempts = createBudget(db, {
    bytes: 'SELECT coalesce(sum(octet_length(sealed)), 0) FROM webhook_attempts',
    oldest: 'SELECT key, octet_length(sealed) AS size FROM webhook_attempts ORDER BY key',
    deleteUpTo: 'DELETE FROM webhook_attempts WHERE key <= ?',
    most: LIMITS.attemptsBytes,
  })
  /** Rows of requests that were deleted before the program responded. */
  const orphans = ['webhook_attempts', 'webhook_originals'].map((table) =>
    command(
      db,
      `DELETE FROM ${table} AS a WHERE at < ? AND NOT EXISTS
         (SELECT 1 FROM webhook_requests q WHERE q.key = a.request_key AND q.id = a.request_id)`,
    ),
  )

  function readSealed(requestId: string, sealed: Buffer | null): Pick<StoredAttempt, 'headers' | 'body'> {
    const nothing = { headers: [], body: null }
    if (sealed === null) return nothing
    try {
      return readParts(box.openBytes(attemptOwner(requestId), sealed)) as Pick<StoredAttempt, 'headers'> & {
        body: Buffer
      }
    } catch {
      return nothing // sealed with a key that isn't available now
    }
  }

  return {
    insert(requestId: string, attempt: StoredAttempt): void {
      const { at, kind, url, status, duration_ms, error, answered_caller, size, headers, body } = attempt
      const sealed =
        body === null || box.locked
          ? null
          : box.sealBytes(attemptOwner(requestId), writeParts({ headers }, body))
      if (sealed !== null) attempts.makeRoom(sealed.length)
      insert.run(
        keyOf(requestId),
        requestId,
        toTime(at),
        kind,
        url,
        status,
        duration_ms,
        error === null ? null : PLAIN_JSON.stringify(error),
        toFlag(answered_caller),
        size,
        sealed,
      )
      deleteOlder.run(keyOf(requestId), keyOf(requestId))
    },
    /** Oldest first. */
    ofRequest(requestId: string): StoredAttempt[] {
      return ofRequest
        .all(keyOf(requestId), requestId)
        .map(({ sealed, ...row }) => ({ ...toAttempt(row), ...readSealed(requestId, sealed) }))
    },
    /** The newest attempt of each request that has any, by the request's ID, without the program's response. */
    latestOf(requestIds: readonly string[]): ReadonlyMap<string, Omit<StoredAttempt, 'headers' | 'body'>> {
      const found = latest.all(JSON.stringify(requestIds.map(keyOf)))
      return new Map(found.map(({ request_id: id, ...row }) => [id, toAttempt(row)]))
    },
    isWaiting: (requestId: string) => isWaiting.get(keyOf(requestId), requestId) === 1,
    /** @param waitsFor the flow whose program the request waits for; null if it was sent */
    keepOriginal(
      requestId: string,
      { body, ...head }: OriginalRequest,
      { at, waitsFor }: { readonly at: number; readonly waitsFor: string | null },
    ): void {
      if (box.locked) return
      const sealed = box.sealBytes(originalOwner(requestId), writeParts(head, body))
      if (waitsFor === null) originals.makeRoom(sealed.length)
      insertOriginal.run(keyOf(requestId), requestId, at, sealed.length, sealed, waitsFor)
    },
    /** Null if it isn't stored, or can't be decrypted on this machine. */
    originalOf(requestId: string): OriginalRequest | null {
      const sealed = original.get(keyOf(requestId), requestId)
      if (sealed === undefined) return null
      try {
        return readParts(box.openBytes(originalOwner(requestId), sealed)) as OriginalRequest
      } catch {
        return null
      }
    },
    hasOriginal: (requestId: string) => hasOriginal.get(keyOf(requestId), requestId) === 1,
    /** Whether one more request of the flow can wait. */
    canWait(flowId: string, bytes: number): boolean {
      const { count, bytes: before } = taken.get(flowId) ?? { count: 0, bytes: 0 }
      const { waitingRequests, waitingRequestsBytes } = LIMITS
      return !box.locked && count < waitingRequests && before + bytes <= waitingRequestsBytes
    },
    /** While the secrets are locked, no original can be read. */
    isLocked: () => box.locked,
    /** Waiting requests of a flow, in the order in which they arrived. */
    waiting: (flowId: string): WaitingRequest[] =>
      waiting.all(flowId).map(({ at, ...one }) => ({ ...one, at: toIso(at) })),
    /** The flows that have waiting requests. */
    waitingFlows: (): string[] => waitingFlows.all().map(({ id }) => id),
    countWaiting: (flowId: string) => countWaiting.get(flowId) ?? 0,
    endWaiting: (requestId: string) => void endWaiting.run(keyOf(requestId)),
    endAllWaiting: (flowId: string) => void endAllWaiting.run(flowId),
    /** Deletes rows whose request isn't in the history; `before` excludes those whose request has yet to be stored. */
    deleteOrphans(before: number): void {
      for (const statement of orphans) statement.run(before)
    },
  }
}

interface BudgetStatements {
  readonly bytes: string
  readonly oldest: string
  readonly deleteUpTo: string
  readonly most: number
}

/** Deletes the oldest rows once a table has become too large. */
function createBudget(db: Database, { bytes, oldest, deleteUpTo, most }: BudgetStatements) {
  const total = scalar<number>(db, bytes)
  const all = rows<{ readonly key: number; readonly size: number | null }>(db, oldest)
  const remove = command(db, deleteUpTo)
  /** An upper bound: the size is only counted again once it seems too large. */
  let atMost: number | null = null
  return {
    makeRoom(size: number): void {
      atMost = (atMost ?? total.get() ?? 0) + size
      if (atMost <= most) return
      let left = (total.get() ?? 0) + size
      if (left > most) {
        let upTo: number | null = null
        for (const row of all.each()) {
          if (left <= LEFT_AFTER_CLEARING * most) break
          left -= row.size ?? 0
          upTo = row.key
        }
        if (upTo !== null) remove.run(upTo)
      }
      atMost = left
    },
  }
}

function toAttempt({
  at,
  answered_caller,
  error,
  ...row
}: AttemptRow): Omit<StoredAttempt, 'headers' | 'body'> {
  return {
    ...row,
    at: toIso(at),
    answered_caller: answered_caller === 1,
    error: error === null ? null : (PLAIN_JSON.parse(error) as Said),
  }
}

/** Writes JSON, a line break and the bytes. */
function writeParts(head: object, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

function readParts(bytes: Buffer): object & { readonly body: Buffer } {
  const end = bytes.indexOf('\n')
  return { ...(JSON.parse(bytes.toString('utf8', 0, end)) as object), body: bytes.subarray(end + 1) }
}
