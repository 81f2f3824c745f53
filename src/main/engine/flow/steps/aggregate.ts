import type { StepConfig } from '../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf } from '../../data/value.ts'
import { aggregateValues, NoNumberError } from '../aggregates.ts'
import { entryReader, forEachEntry } from './support/entries.ts'
import { sameness } from '../order.ts'
import { readList } from './support/read-input.ts'
import { shortText } from '../short-text.ts'
import type { StepRunner, StepScope } from '../model/compiled-step.ts'

/** Counts, sums and the like over a list: one dictionary, or one for each value of `by`. */
export const aggregate: StepRunner<'aggregate'> = {
  outside: false,
  async run({ config }, scope) {
    const entries = readList('over', config.over, scope)
    scope.showInput(entries)
    const readers = config.operations.map(({ of }, index) =>
      entryReader(`operations[${index}].of`, of, scope),
    )
    const groupOf = config.by ? entryReader('by', config.by, scope) : () => null
    const groups = new Map<string, { readonly value: Data; readonly columns: Data[][] }>()
    const newGroup = (value: Data) => ({ value, columns: config.operations.map((): Data[] => []) })
    await forEachEntry(scope, entries, (entry, index) => {
      const value = groupOf(entry, index)
      const key = sameness(value)
      const group = groups.get(key) ?? newGroup(value)
      groups.set(key, group)
      for (const [at, read] of readers.entries()) group.columns[at]?.push(read(entry, index))
    })
    if (!config.by) return resultOf(config, [...groups.values()][0]?.columns ?? [], scope)
    const name = groupName(config.by)
    return [...groups.values()].map(({ value, columns }) => resultOf(config, columns, scope, [[name, value]]))
  },
}

function resultOf(
  { operations }: StepConfig<'aggregate'>,
  columns: readonly (readonly Data[])[],
  scope: StepScope,
  before: readonly [string, Data][] = [],
): Data {
  return dictionaryOf([
    ...before,
    ...operations.map((operation, at): [string, Data] => {
      try {
        return [operation.name, aggregateValues(operation, columns[at] ?? [])]
      } catch (error) {
        if (!(error instanceof NoNumberError)) throw error
        const field = `config.operations[${at}].of`
        throw scope.fail(
          'validation',
          `"${operation.name}" needs numbers, and ${shortText(error.value)} is none; filter such entries out before`,
          { field },
        )
      }
    }),
  ])
}

/** The last part of a path names the key; what a template gives has no name of its own. */
function groupName(by: string): string {
  return by.includes('{') ? 'group' : (by.trim().split('.').at(-1) ?? 'group')
}
