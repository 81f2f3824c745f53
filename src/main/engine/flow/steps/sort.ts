import type { Data } from '../../data/value.ts'
import { entryReader, forEachEntry } from '../entries.ts'
import { isEmpty, orderOf } from '../order.ts'
import { readList } from '../read-list.ts'
import type { StepRunner } from '../step-runner.ts'

/** A list in order. Entries that are equal keep their order; those with nothing to order by come last. */
export const sort: StepRunner<'sort'> = {
  outside: false,
  async run({ config }, scope) {
    const entries = readList('over', config.over, scope)
    scope.showInput(entries)
    const sources = typeof config.by === 'string' ? [config.by] : config.by
    const readers = sources.map((source) => entryReader('by', source, scope))
    const keyed: { readonly entry: Data; readonly keys: readonly Data[] }[] = []
    await forEachEntry(scope, entries, (entry, index) => {
      keyed.push({ entry, keys: readers.map((read) => read(entry, index)) })
    })
    const direction = config.descending ? -1 : 1
    keyed.sort((a, b) => {
      for (const [at, left] of a.keys.entries()) {
        const right = b.keys[at] ?? null
        const order = orderOf(left, right)
        if (order !== 0) return isEmpty(left) || isEmpty(right) ? order : order * direction
      }
      return 0
    })
    return keyed.map(({ entry }) => entry)
  },
}
