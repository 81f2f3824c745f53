/** Counts failed sign-ins, per IP address and in total. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Clock } from '../../../engine/ports.ts'
import { limitedAddress } from '../../kit/limited-address.ts'
import { exceededHeaders, wholeSeconds } from '../../kit/rate-limit-headers.ts'

const WINDOW_MS = 5 * 60_000
const MOST_PER_CLIENT = 10
const MOST_IN_ALL = 100

/** Number of addresses to remember; beyond that, only the total count protects. */
const MOST_CLIENTS = 10_000

export function createSignInAttempts(clock: Pick<Clock, 'monotonic'>) {
  let window = { beganAt: clock.monotonic(), all: 0, clients: new Map<string, number>() }

  function current() {
    const now = clock.monotonic()
    if (now - window.beganAt >= WINDOW_MS) window = { beganAt: now, all: 0, clients: new Map() }
    return window
  }

  return {
    /**
     * @param isLink the limit for the total doesn't apply to links, so that strangers can't lock the owner out
     * @throws AppError `rate_limit` if there were too many failures
     */
    requireFew(client: string, isLink: boolean): void {
      const { beganAt, all, clients } = current()
      const isOfAll = !isLink && all >= MOST_IN_ALL
      if (!isOfAll && (clients.get(limitedAddress(client)) ?? 0) < MOST_PER_CLIENT) return
      const resetMs = beganAt + WINDOW_MS - clock.monotonic()
      const seconds = wholeSeconds(resetMs)
      const requests = isOfAll ? MOST_IN_ALL : MOST_PER_CLIENT
      throw new AppError(
        'rate_limit',
        isOfAll
          ? say(
              'Too many failed sign-ins; try again in {{seconds}} seconds, or use a link from "millrace sign-in-link"',
              { seconds },
            )
          : say('Too many failed sign-ins from your IP address; try again in {{seconds}} seconds', {
              seconds,
            }),
        {
          headers: exceededHeaders({
            policy: isOfAll ? 'sign-in-all' : 'sign-in',
            requests,
            seconds: WINDOW_MS / 1000,
            remaining: 0,
            resetMs,
          }),
        },
      )
    },
    noteFailure(client: string, isLink: boolean): void {
      const now = current()
      if (!isLink) now.all += 1
      const key = limitedAddress(client)
      if (now.clients.has(key) || now.clients.size < MOST_CLIENTS)
        now.clients.set(key, (now.clients.get(key) ?? 0) + 1)
    },
  }
}
