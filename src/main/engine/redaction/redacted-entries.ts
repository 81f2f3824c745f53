import type { Redactor } from './redactor.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary } from '../data/value.ts'

export interface RedactedEntry {
  /** The key; what it holds of a secret is hidden. */
  readonly name: string
  readonly item: Data
  /** Stands in for the item, which is hidden whole because of the key; null where the item is to be looked through. */
  readonly hidden: Data
}

/** Entries of one dictionary whose items are looked through apart from them. */
export function redactEntries(
  entries: readonly (readonly [string, Data])[],
  redactor: Redactor,
): readonly RedactedEntry[] {
  const shown = redactor.redactData(dictionaryOf(entries.map(([key]) => [key, true])))
  const names = isDictionary(shown) ? entriesOf(shown) : []
  // `__proto__` is no key of a dictionary.
  const given = entries.filter(([key]) => key !== '__proto__')
  return given.map(([key, item], index) => {
    const [name, marker] = names[index] ?? [key, true]
    return { name, item, hidden: marker === true || item === null ? null : marker }
  })
}
