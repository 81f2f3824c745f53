/** Support for steps that process each item of a list without blocking other work. */
import { type Data, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { RecordSpill } from './record-spill.ts'
import type { StepScope } from '../../model/compiled-step.ts'

export type ReadEntry = (entry: Data, index: number) => Data

/**
 * Reads the value that an item is sorted, grouped or joined by. The source is a template with `item` and `index`, or
 * the path of a field (`address.city`, `lines.0`); if empty, the value is the item itself. A path that doesn't exist is
 * null.
 *
 * @param name the name of the field in the config, for messages
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

/** Calls `work` for each item in order, yielding to other work in between; `between` is awaited. */
export async function forEachEntry(
  scope: StepScope,
  entries: readonly Data[],
  work: (entry: Data, index: number) => void,
  between?: () => Promise<void>,
): Promise<void> {
  for (let index = 0; index < entries.length; index++) {
    if (index % ENTRIES_A_LOOK === 0) {
      await scope.yieldIfDue()
      await between?.()
    }
    work(entries[index] ?? null, index)
  }
}

/**
 * A list built from other lists item by item. A long one is written to a file as it is built, so that a list in a file
 * becomes another one without either being held in memory.
 *
 * @param work creates items with `add`
 */
export async function makeList(
  scope: StepScope,
  work: (add: (entry: Data) => void, flushed: () => Promise<void>) => Promise<void>,
): Promise<readonly Data[]> {
  const list = new RecordSpill(scope)
  let isDue = false
  try {
    await work(
      (entry) => {
        isDue = list.push(entry) || isDue
      },
      async () => {
        if (isDue) await list.flush()
        isDue = false
      },
    )
    return await list.end()
  } finally {
    await list.close()
  }
}

function partOf(value: Data, part: string): Data {
  if (isDictionary(value)) return getKey(value, part) ?? null
  return isList(value) && /^\d{1,9}$/.test(part) ? (value[Number(part)] ?? null) : null
}

const ENTRIES_A_LOOK = 100
