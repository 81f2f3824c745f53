/**
 * Lets a change happen only to the record as its caller knows it. The comparison is made in the transaction of the
 * change itself, so nothing can come between the two, and after the change's own checks: what is refused for another
 * reason is told that reason.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../../store/index.ts'

export interface Preconditions {
  /** `write` for services whose records may be changed under a condition. */
  readonly guard: (write: Store['write']) => Store['write']
  /**
   * Does `work`; its first write is undone where `isMet`, asked in that transaction before anything is changed, is false.
   *
   * @throws what `refusal` makes
   */
  during<T>(condition: Condition, work: () => Promise<T>): Promise<T>
}

export interface Condition {
  readonly isMet: () => boolean
  readonly refusal: () => Error
}

export function createPreconditions(): Preconditions {
  const current = new AsyncLocalStorage<{ condition: Condition | null }>()
  return {
    guard: (write) => (work) => {
      const pending = current.getStore()
      if (!pending?.condition) return write(work)
      const { isMet, refusal } = pending.condition
      pending.condition = null
      return write(() => {
        const met = isMet()
        const result = work()
        if (!met) throw refusal()
        return result
      })
    },
    during: (condition, work) => current.run({ condition }, work),
  }
}
