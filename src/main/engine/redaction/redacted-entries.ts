import type { Redactor } from './redactor.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary } from '@millrace/jinja/data'

export interface RedactedEntry {
  /** The key, with any secrets in it hidden. */
  readonly name: string
  readonly item: Data
  /** Replaces the value, which is hidden completely because of its key; null if the value still has to be searched. */
  readonly hidden: Data
}

/** Redacts the keys of one object; its values are searched separately. */
export function redactEntries(
  entries: readonly (readonly [string, Data])[],
  redactor: Redactor,
): readonly RedactedEntry[] {
  const shown = redactor.redactData(dictionaryOf(entries.map(([key]) => [key, true])))
  const names = isDictionary(shown) ? entriesOf(shown) : []
  // `__proto__` is never a key of such an object.
  const given = entries.filter(([key]) => key !== '__proto__')
  return given.map(([key, item], index) => {
    const [name, marker] = names[index] ?? [key, true]
    return { name, item, hidden: marker === true || item === null ? null : marker }
  })
}
