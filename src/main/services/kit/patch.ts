import type { Saved, SaveWarning } from '../../../shared/contract/base/save-warnings.ts'

/** Only the keys that were sent, so that merging them into a record leaves all others unchanged. */
export function sentKeys<T extends object>(patch: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** The response to a save: the record and its warnings. */
export function withWarnings<T extends object>(record: T, warnings: readonly SaveWarning[]): Saved<T> {
  return warnings.length === 0 ? record : { ...record, warnings: [...warnings] }
}
