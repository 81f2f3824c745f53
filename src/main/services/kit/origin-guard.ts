import type { SaveWarning } from '../../../shared/contract/base/save-warnings.ts'
import type { Caller } from './caller.ts'

/** A change of what decides where stored secrets go. */
export interface OriginChange {
  readonly caller: Caller
  /** The field of the request to name in a refusal. */
  readonly field: string
  /** Whether the caller agrees to enter the secrets of the own auths again afterwards. */
  readonly reentry: boolean
}

export interface Guarded<T> {
  readonly result: T
  /** That auths of the caller wait now. */
  readonly warnings: readonly SaveWarning[]
}

export interface OriginGuard {
  /**
   * Runs a change in a transaction. Auths whose secrets would reach another origin by it wait until their secrets are
   * entered again.
   *
   * @throws AppError `validation` where such an auth is the caller's own, unless `reentry` is given
   */
  write<T>(change: OriginChange, work: () => T): Promise<Guarded<T>>
}
