/**
 * One-time codes that stand in for the page's session where others could see it: any user of the machine can read the
 * arguments of the program that opens the browser.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { hashSecret } from './token-secret.ts'

export interface SignInCodesOptions {
  /** The page's bearer, valid until the program ends. */
  readonly session: string
  readonly clock: Clock
  readonly random: Pick<SecureRandom, 'bytes'>
}

export function createSignInCodesService({ session, clock, random }: SignInCodesOptions) {
  /** Expiry by the code's hash. */
  const endsAt = new Map<string, number>()

  function dropEnded(): void {
    const now = clock.monotonic()
    for (const [hash, end] of endsAt) if (end <= now) endsAt.delete(hash)
  }

  return {
    create(): { readonly code: string; readonly expires_at: string } {
      dropEnded()
      const code = Buffer.from(random.bytes(32)).toString('base64url')
      endsAt.set(hashSecret(code), clock.monotonic() + LIFE_MS)
      return { code, expires_at: new Date(clock.now() + LIFE_MS).toISOString() }
    },
    /**
     * Returns the session, but only once per code.
     *
     * @throws AppError `conflict` if the code was used, has expired or was never issued
     */
    exchange(code: string): { readonly session: string } {
      dropEnded()
      if (!endsAt.delete(hashSecret(code))) {
        throw new AppError(
          'conflict',
          say(
            'The sign-in code has been used or is older than two minutes; "millrace open" opens the app with a new one',
          ),
        )
      }
      return { session }
    },
  }
}

/** A browser that isn't running yet can take a while to start. */
const LIFE_MS = 120_000
