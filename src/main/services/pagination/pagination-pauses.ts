/** Pagination tests that can be paused: each has an id, and waits between two requests until it may go on. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { SecureRandom } from '../kit/ports.ts'

export interface PaginationPauses {
  /** @param pages that may be read before the first pause; null: no pause until it is told to */
  open(userId: string, pages: number | null): Pause
  /**
   * @param pages that may be read from now on, 0 to pause before the next one, null for all
   * @throws AppError `not_found` where no such test of this user runs
   */
  resume(userId: string, id: string, pages: number | null): void
}

export interface Pause {
  readonly id: string
  /** Counts a page that was read; true where the next one has to wait. */
  readonly countPage: () => boolean
  /** Resolves once the test may go on, or its caller has left. */
  readonly over: (signal: AbortSignal) => Promise<void>
  readonly close: () => void
}

interface Held {
  readonly userId: string
  /** Pages that may still be read. */
  left: number
  release: () => void
}

export function createPaginationPauses(random: Pick<SecureRandom, 'uuid'>): PaginationPauses {
  const held = new Map<string, Held>()
  return {
    open(userId, pages) {
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
    resume(userId, id, pages) {
      const own = held.get(id)
      if (own?.userId !== userId)
        throw new AppError(
          'not_found',
          `No pagination test "${id.slice(0, 60)}" is running; it may have ended`,
        )
      own.left = pages ?? Infinity
      if (own.left > 0) own.release()
    },
  }
}

async function released(own: Held, signal: AbortSignal): Promise<void> {
  // Told to go on while the pause was still being announced.
  if (signal.aborted || own.left > 0) return
  await new Promise<void>((resolve) => {
    own.release = resolve
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  own.release = () => {}
}
