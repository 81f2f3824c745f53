/** The outcomes of held webhook requests, with the original content or the manual response, both sealed. */
import type { Database } from 'better-sqlite3'
import type { HoldEnd } from '../../../shared/contract/webhooks.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, scalar } from '../sql/statement.ts'

export interface NewHold {
  readonly end: HoldEnd
  /** The content to seal and store; null if there is none. */
  readonly kept: string | null
}

export type HeldRequests = ReturnType<typeof createHeldRequests>

export function createHeldRequests(db: Database, box: SecretBox) {
  const insert = command(
    db,
    'INSERT OR REPLACE INTO held_requests (request_key, outcome, sealed) VALUES (?, ?, ?)',
  )
  const get = scalar<Buffer | null>(db, 'SELECT sealed FROM held_requests WHERE request_key = ?')
  return {
    /** Doesn't store the content while secrets are locked. */
    insert(requestKey: number, { end, kept }: NewHold): void {
      insert.run(requestKey, end, kept === null || box.locked ? null : box.seal(ownerOf(requestKey), kept))
    },
    /**
     * Null if no content is stored.
     *
     * @throws SecretUnreadableError if it cannot be decrypted on this machine
     */
    keptOf(requestKey: number): string | null {
      const sealed = get.get(requestKey) ?? null
      return sealed === null ? null : box.open(ownerOf(requestKey), sealed)
    },
  }
}

const ownerOf = (requestKey: number): SecretOwner => `held_requests:${requestKey}`
