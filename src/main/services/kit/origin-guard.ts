import type { SaveWarning } from '../../../shared/contract/base/save-warnings.ts'
import type { Caller } from './caller.ts'

/** A change that affects where stored secrets are sent. */
export interface OriginChange {
  readonly caller: Caller
  /** The request field to name in an error. */
  readonly field: string
  /** Whether the caller agrees to re-enter the secrets of their own auths afterwards. */
  readonly reentry: boolean
}

export interface Guarded<T> {
  readonly result: T
  /** Warnings about the caller's auths that are now waiting. */
  readonly warnings: readonly SaveWarning[]
}

export interface OriginGuard {
  /**
   * Runs a change in a transaction. Auths whose secrets the change would send to another origin wait until their
   * secrets are entered again.
   *
   * @throws AppError `validation` if such an auth is the caller's own, unless `reentry` is given
   */
  write<T>(change: OriginChange, work: () => T): Promise<Guarded<T>>
}
