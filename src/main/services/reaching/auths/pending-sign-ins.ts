import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../engine/ports.ts'
import type { AuthorizationRequest } from './oauth-protocol.ts'

/** A sign-in that has started, but whose browser hasn't returned. */
export interface PendingSignIn {
  readonly authId: string
  /** The user who started it, and the token; null for the page's session. */
  readonly userId: string
  readonly tokenId: string | null
  /** Last path segment of the callback URL. */
  readonly callback: string
  readonly request: AuthorizationRequest
}

/**
 * Kept only in memory, because a sign-in belongs to the session that started it and ends with it. Each can be taken
 * once, within ten minutes.
 */
export function createPendingSignIns(clock: Pick<Clock, 'monotonic'>) {
  const pending = new Map<string, { readonly signIn: PendingSignIn; readonly endsAt: number }>()

  function dropEnded(): void {
    const now = clock.monotonic()
    for (const [state, { endsAt }] of pending) if (endsAt <= now) pending.delete(state)
  }

  return {
    add(signIn: PendingSignIn): void {
      dropEnded()
      const [oldest] = pending.keys()
      if (pending.size >= MOST_PENDING && oldest !== undefined) pending.delete(oldest)
      pending.set(signIn.request.state, { signIn, endsAt: clock.monotonic() + LIFE_MS })
    },
    /** Null if there is none or it has expired, or the callback isn't the expected one. */
    take(state: string, callback: string): PendingSignIn | null {
      dropEnded()
      for (const [known, { signIn }] of pending) {
        if (!isSame(known, state) || signIn.callback !== callback) continue
        pending.delete(known)
        return signIn
      }
      return null
    },
    /** Drops sign-ins started with a token that no longer exists. */
    dropOfToken(tokenId: string): void {
      for (const [state, { signIn }] of pending) if (signIn.tokenId === tokenId) pending.delete(state)
    },
  }
}

const LIFE_MS = 600_000
const MOST_PENDING = 200

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
