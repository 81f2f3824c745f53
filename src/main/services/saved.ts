import type { Saved, SaveWarning } from '../../shared/contract/save-warnings.ts'

/** The answer to a save: the record, and what there is to say about it. */
export function saved<T extends object>(record: T, warnings: readonly SaveWarning[]): Saved<T> {
  return warnings.length === 0 ? record : { ...record, warnings: [...warnings] }
}
