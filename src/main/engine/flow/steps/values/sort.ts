import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, estimateBytes } from '@millrace/jinja/data'
import { entryReader, forEachEntry, makeList } from '../support/entries.ts'
import { isEmpty, orderOf } from '../support/compare.ts'
import { readList } from '../support/read-input.ts'
import type { StepError } from '../../model/step-error.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'

/** Sorts a list. Equal items keep their order; those without a value to sort by come last. */
export const sort: StepRunner<'sort'> = {
  outside: false,
  async run({ config }, scope) {
    const entries = readList('over', config.over, scope)
    scope.showInput(entries)
    const sources = typeof config.by === 'string' ? [config.by] : config.by
    const readers = sources.map((source) => entryReader('by', source, scope))
    const keyed: { readonly entry: Data; readonly keys: readonly Data[] }[] = []
    let bytes = 0
    await forEachEntry(scope, entries, (entry, index) => {
      bytes += estimateBytes(entry, MOST_BYTES)
      if (bytes > MOST_BYTES) throw tooLarge(index, scope)
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
    return makeList(scope, (add, flushed) =>
      forEachEntry(
        scope,
        keyed.map(({ entry }) => entry),
        add,
        flushed,
      ),
    )
  },
}

/** The limit for the items being sorted, which are held in memory. */
const MOST_BYTES = 250_000_000

function tooLarge(index: number, scope: StepScope): StepError {
  return scope.fail(
    'too_large',
    say(
      '"over" is too large to sort: {{index}} items exceed the limit of 250 MB of memory. Filter the list first, collect only the fields you need with a loop, or let the API sort it',
      { index },
    ),
    { field: 'config.over' },
  )
}
