/**
 * Codes that stand in for the page's session where others can read along: the arguments of the program that opens the
 * browser are shown to every user of the machine.
 */
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Clock } from '../../engine/ports.ts'
import type { SecureRandom } from '../kit/ports.ts'
import { hashSecret } from './token-secret.ts'

export interface SignInCodesService {
  create(): { readonly code: string; readonly expires_at: string }
  /**
   * The session, once.
   *
   * @throws AppError `conflict` where the code was used, is too old or was never given out
   */
  exchange(code: string): { readonly session: string }
}

export interface SignInCodesOptions {
  /** The page's bearer of this start. */
  readonly session: string
  readonly clock: Clock
  readonly random: Pick<SecureRandom, 'bytes'>
}

export function createSignInCodesService({ session, clock, random }: SignInCodesOptions): SignInCodesService {
  /** When each ends, by its hash. */
  const endsAt = new Map<string, number>()

  function dropEnded(): void {
    const now = clock.monotonic()
    for (const [hash, end] of endsAt) if (end <= now) endsAt.delete(hash)
  }

  return {
    create() {
      dropEnded()
      const code = Buffer.from(random.bytes(32)).toString('base64url')
      endsAt.set(hashSecret(code), clock.monotonic() + LIFE_MS)
      return { code, expires_at: new Date(clock.now() + LIFE_MS).toISOString() }
    },
    exchange(code) {
      dropEnded()
      if (!endsAt.delete(hashSecret(code))) {
        throw new AppError(
          'conflict',
          'The sign-in code has been used or is older than two minutes; "millrace open" opens the app with a new one',
        )
      }
      return { session }
    },
  }
}

/** A browser that is not running yet may take its time to start. */
const LIFE_MS = 120_000
