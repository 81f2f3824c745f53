import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf, isDictionary, keysOf } from '@millrace/jinja/data'
import { type EntryRules, findNewEntries } from '../../../polling/new-entries.ts'
import type { StepRunner } from '../../model/compiled-step.ts'
import type { ListReader, PolledType } from '../../model/list-read.ts'

/**
 * A trigger whose runs begin with an entry. A run without input, which an editor starts, reads the list and takes the
 * newest entry.
 */
export function polledTrigger<T extends PolledType>(
  readList: ListReader<T>,
  check: NonNullable<StepRunner<T>['check']>,
): StepRunner<T> {
  return {
    outside: false,
    check,
    async run(step, scope) {
      const { input } = scope
      if (!isDictionary(input) || keysOf(input).length > 0) return input
      const { entries } = await readList(step, scope, { memo: null, since: null, newest: 1 })
      const { fresh } = await findNewEntries(entries ?? [], {
        rules: rulesOf(step.config),
        cursor: null,
        isKnown: () => false,
        yieldToEventLoop: scope.ports.yieldToEventLoop,
      })
      const newest = fresh.at(-1)
      if (newest === undefined) throw scope.fail('validation', say('the list has no entries to test with'))
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

export function rulesOf(config: Config): EntryRules {
  const { key, cursor_field: cursor, look_back: lookBack } = config
  if (Array.isArray(key)) {
    const isOrdered = 'table' in config && Boolean(config.table) && cursor !== null
    return { key: key.length === 0 ? null : key, cursorField: cursor, lookBack, areColumns: true, isOrdered }
  }
  // Feed entries have their own IDs.
  const ownKey = 'source' in config && config.source === 'feed' ? 'id' : null
  const field = key?.trim() || ownKey
  return {
    key: field === null ? null : [field],
    cursorField: cursor?.trim() || null,
    lookBack,
    areColumns: false,
    isOrdered: false,
  }
}
