import type { Saved, SaveWarning } from '../../../shared/contract/base/save-warnings.ts'

/** The keys that were sent, so that laying them over a record leaves all others as they are. */
export function sentKeys<T extends object>(patch: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** The answer to a save: the record, and what there is to say about it. */
export function withWarnings<T extends object>(record: T, warnings: readonly SaveWarning[]): Saved<T> {
  return warnings.length === 0 ? record : { ...record, warnings: [...warnings] }
}
