import { forEachEntry, makeList } from '../support/entries.ts'
import { readList } from '../support/read-input.ts'
import type { StepRunner } from '../../model/compiled-step.ts'

/** Returns the items of a list for which `when` is true. */
export const filter: StepRunner<'filter'> = {
  outside: false,
  async run({ config }, scope) {
    const entries = readList('over', config.over, scope)
    scope.showInput(entries)
    return makeList(scope, (add, flushed) =>
      forEachEntry(
        scope,
        entries,
        (entry, index) => {
          if (scope.withItem(entry, index, () => scope.isTrue('config.when', config.when))) add(entry)
        },
        flushed,
      ),
    )
  },
}
