/** Bodies of webhook requests that were rejected after they were read: sealed, and limited in total size. */
import type { Database } from 'better-sqlite3'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export type RejectedBodies = ReturnType<typeof createRejectedBodies>

/** Share of the limit that is kept when it is exceeded; deleting a little more makes deletions rarer. */
const LEFT_AFTER_CLEARING = 0.9

interface BodySize {
  readonly request_key: number
  readonly size: number
}

export function createRejectedBodies(
  db: Database,
  box: SecretBox,
  maxTotalBytes: number = LIMITS.rejectedBodiesBytes,
) {
  const insert = command(db, 'INSERT INTO rejected_bodies (request_key, size, sealed) VALUES (?, ?, ?)')
  const get = scalar<Buffer>(db, 'SELECT sealed FROM rejected_bodies WHERE request_key = ?')
  const total = scalar<number>(db, 'SELECT coalesce(sum(size), 0) FROM rejected_bodies')
  const oldest = rows<BodySize>(db, 'SELECT request_key, size FROM rejected_bodies ORDER BY request_key')
  const deleteUpTo = command(db, 'DELETE FROM rejected_bodies WHERE request_key <= ?')
  /**
   * An upper bound of the total size: bodies are also deleted with their requests, and the size is only counted again
   * once it seems too large.
   */
  let atMost: number | null = null

  /** Deletes the oldest bodies until no more than `wanted` bytes are left. */
  function clear(wanted: number): number {
    let left = total.get() ?? 0
    let upTo: number | null = null
    for (const { request_key: key, size } of oldest.each()) {
      if (left <= wanted) break
      left -= size
      upTo = key
    }
    if (upTo !== null) deleteUpTo.run(upTo)
    return left
  }

  return {
    /** Keeps the first `LIMITS.rejectedBodyBytes` of a body, and nothing while secrets are locked. */
    insert(requestKey: number, body: Buffer): void {
      if (box.locked) return
      const sealed = box.sealBytes(ownerOf(requestKey), body.subarray(0, LIMITS.rejectedBodyBytes))
      atMost ??= total.get() ?? 0
      if (atMost + sealed.length > maxTotalBytes) {
        atMost = total.get() ?? 0
        if (atMost + sealed.length > maxTotalBytes)
          atMost = clear(LEFT_AFTER_CLEARING * maxTotalBytes - sealed.length)
      }
      insert.run(requestKey, sealed.length, sealed)
      atMost += sealed.length
    },
    /**
     * Null if none is stored.
     *
     * @throws SecretUnreadableError if it cannot be decrypted on this machine
     */
    get(requestKey: number): Buffer | null {
      const sealed = get.get(requestKey)
      return sealed === undefined ? null : box.openBytes(ownerOf(requestKey), sealed)
    },
  }
}

const ownerOf = (requestKey: number): SecretOwner => `rejected_bodies:${requestKey}`
