/** Requests that must not be repeated, by their caller's idempotency key, with the stored responses. */
import type { Database } from 'better-sqlite3'
import { PLAIN_JSON } from '../sql/codec.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows } from '../sql/statement.ts'

export interface KeyedRequest {
  readonly caller: string
  readonly key: string
  /** Distinguishes the request from other requests with the same key. */
  readonly fingerprint: string
  /** Null while the request is in progress, and permanently if it was interrupted. */
  readonly answer: StoredAnswer | null
  /** Milliseconds. */
  readonly createdAt: number
}

export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null if there is no body. */
  readonly text: string | null
}

export type IdempotencyKeyRepository = ReturnType<typeof createIdempotencyKeyRepository>

interface KeyRow {
  readonly sealed: Buffer | null
  readonly created_at: number
}

type Content = Pick<KeyedRequest, 'fingerprint' | 'answer'>

const PORTION = 500

export function createIdempotencyKeyRepository(db: Database, box: SecretBox) {
  const put = command(
    db,
    `INSERT INTO idempotency_keys (caller, idempotency_key, sealed, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (caller, idempotency_key) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at`,
  )
  const byKey = rows<KeyRow>(
    db,
    'SELECT sealed, created_at FROM idempotency_keys WHERE caller = ? AND idempotency_key = ?',
  )
  const remove = command(db, 'DELETE FROM idempotency_keys WHERE caller = ? AND idempotency_key = ?')
  const removeOld = command(
    db,
    `DELETE FROM idempotency_keys WHERE (caller, idempotency_key) IN
       (SELECT caller, idempotency_key FROM idempotency_keys WHERE created_at < ? LIMIT ${PORTION})`,
  )

  function open(owner: SecretOwner, sealed: Buffer | null): Content | { fingerprint: null; answer: null } {
    try {
      if (sealed !== null) return PLAIN_JSON.parse(box.open(owner, sealed)) as Content
    } catch {
      // Sealed with a key this host doesn't have, so the response is unknown here.
    }
    return { fingerprint: null, answer: null }
  }

  return {
    /** Replaces the request stored under the key. */
    put({ caller, key, fingerprint, answer, createdAt }: KeyedRequest): void {
      const content: Content = { fingerprint, answer }
      const sealed = box.locked ? null : box.seal(ownerOf(caller, key), PLAIN_JSON.stringify(content))
      put.run(caller, key, sealed, createdAt)
    },
    /** The fingerprint is null if it can't be decrypted on this machine. */
    get(
      caller: string,
      key: string,
    ): (Omit<KeyedRequest, 'fingerprint'> & { fingerprint: string | null }) | null {
      const row = byKey.get(caller, key)
      if (row === undefined) return null
      return { caller, key, ...open(ownerOf(caller, key), row.sealed), createdAt: row.created_at }
    },
    delete: (caller: string, key: string) => void remove.run(caller, key),
    /** Deletes a batch of older requests; true if there may be more. */
    deleteBefore: (time: number) => removeOld.run(time) === PORTION,
  }
}

const ownerOf = (caller: string, key: string): SecretOwner => `idempotency_keys:${caller} ${key}`
