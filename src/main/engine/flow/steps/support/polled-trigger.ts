import type { StepConfig } from '../../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf, isDictionary, keysOf } from '../../../data/value.ts'
import { findNewEntries } from '../../../polling/new-entries.ts'
import type { StepRunner } from '../../model/compiled-step.ts'
import type { ListReader, PolledType } from '../../model/list-read.ts'

/**
 * A trigger whose runs begin with an entry. A run without input, as an editor starts it, reads the list and takes the
 * newest entry.
 */
export function polledTrigger<T extends PolledType>(readList: ListReader<T>): StepRunner<T> {
  return {
    outside: false,
    async run(step, scope) {
      const { input } = scope
      if (!isDictionary(input) || keysOf(input).length > 0) return input
      const { entries } = await readList(step, scope, null)
      const { fresh } = await findNewEntries(entries ?? [], {
        rules: rulesOf(step.config),
        cursor: null,
        isKnown: () => false,
        yieldToEventLoop: scope.ports.yieldToEventLoop,
      })
      const newest = fresh.at(-1)
      if (newest === undefined)
        throw scope.fail('validation', 'the list has no entries, so there is none to try with')
      return inputOf(step.config, [newest.entry])
    },
  }
}

type Config = StepConfig<PolledType>

/** The object that a run for these entries begins with. */
export function inputOf({ runs }: Pick<Config, 'runs'>, entries: readonly Data[]): Data {
  if (runs === 'together') return dictionaryOf([['entries', entries]])
  const [entry = null] = entries
  return isDictionary(entry) ? entry : dictionaryOf([['value', entry]])
}

/** An entry of a feed has an ID of its own. */
export function rulesOf(config: Config) {
  const isFeed = 'source' in config && config.source === 'feed'
  const key = config.key?.trim() || null
  return {
    key: key ?? (isFeed ? 'id' : null),
    cursorField: config.cursor_field?.trim() || null,
    lookBack: config.look_back,
  }
}
