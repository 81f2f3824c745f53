/**
 * Conditional changes: a record only changes if it is still the version that the caller knows. The comparison is made
 * in the transaction of the change, so nothing can come between the two, and after the change's own checks, whose
 * errors take precedence.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../../../store/index.ts'

export interface Preconditions {
  /** Wraps `write` for services whose records can be changed conditionally. */
  readonly guard: (write: Store['write']) => Store['write']
  /**
   * Runs `work`. Its first write is rolled back if `isMet`, evaluated in that transaction before any change, is false.
   *
   * @throws the error that `refusal` creates
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
