/** Pauses pagination tests: each has an id, and can wait between two requests until it is resumed. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { SecureRandom } from '../../kit/ports.ts'

export type PaginationPauses = ReturnType<typeof createPaginationPauses>

export interface Pause {
  readonly id: string
  /** Counts a page that was read; returns true if the next page has to wait. */
  readonly countPage: () => boolean
  /** Resolves once the test can continue, or its caller has left. */
  readonly over: (signal: AbortSignal) => Promise<void>
  readonly close: () => void
}

interface Held {
  readonly userId: string
  /** Number of pages that can still be read. */
  left: number
  release: () => void
}

export function createPaginationPauses(random: Pick<SecureRandom, 'uuid'>) {
  const held = new Map<string, Held>()
  return {
    /** @param pages how many to read before the first pause; null for no pause unless requested */
    open(userId: string, pages: number | null): Pause {
      const id = random.uuid()
      const own: Held = { userId, left: pages ?? Infinity, release: () => {} }
      held.set(id, own)
      return {
        id,
        countPage: () => --own.left <= 0,
        over: (signal) => released(own, signal),
        close: () => held.delete(id),
      }
    },
    /**
     * @param pages how many to read from now on, 0 to pause before the next one, null for all
     * @throws AppError `not_found` if this user has no such running test
     */
    resume(userId: string, id: string, pages: number | null): void {
      const own = held.get(id)
      if (own?.userId !== userId)
        throw new AppError(
          'not_found',
          say('No pagination test "{{id}}" is running; it may have ended', { id: id.slice(0, 60) }),
        )
      own.left = pages ?? Infinity
      if (own.left > 0) own.release()
    },
  }
}

async function released(own: Held, signal: AbortSignal): Promise<void> {
  // The test was resumed while the pause was still being announced.
  if (signal.aborted || own.left > 0) return
  await new Promise<void>((resolve) => {
    own.release = resolve
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  own.release = () => {}
}
