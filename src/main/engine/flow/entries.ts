/** Steps that look at each entry of a list: what they look at, and without holding others up. */
import { type Data, getKey, isDictionary, isList } from '../data/value.ts'
import type { StepScope } from './step-runner.ts'

export type ReadEntry = (entry: Data, index: number) => Data

/**
 * What an entry is looked at by: a template over `item` and `index`, the path of a field (`address.city`, `lines.0`),
 * or nothing, which is the entry itself. What a path does not find is null.
 *
 * @param name of the field in the config, for messages
 */
export function entryReader(name: string, source: string, scope: StepScope): ReadEntry {
  if (source.includes('{')) {
    const field = `config.${name}`
    return (entry, index) => scope.withItem(entry, index, () => scope.evaluate(field, source))
  }
  const path = source.trim()
  if (path === '') return (entry) => entry
  const parts = path.split('.')
  return (entry) => parts.reduce<Data>(partOf, entry)
}

/** Calls `work` for each entry in order, letting others have their turn in between. */
export async function forEachEntry(
  scope: StepScope,
  entries: readonly Data[],
  work: (entry: Data, index: number) => void,
): Promise<void> {
  for (let index = 0; index < entries.length; index++) {
    if (index % ENTRIES_A_LOOK === 0) await scope.breathe()
    work(entries[index] ?? null, index)
  }
}

function partOf(value: Data, part: string): Data {
  if (isDictionary(value)) return getKey(value, part) ?? null
  return isList(value) && /^\d{1,9}$/.test(part) ? (value[Number(part)] ?? null) : null
}

const ENTRIES_A_LOOK = 100
