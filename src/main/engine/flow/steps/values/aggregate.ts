import type { StepConfig } from '../../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf, Float } from '../../../data/value.ts'
import { valueText } from '../../../request/query-string.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { isEmpty, numberIn, orderOf, sameness } from '../support/compare.ts'
import { entryReader, forEachEntry } from '../support/entries.ts'
import { readList, shortText } from '../support/read-input.ts'

/** Computes counts, sums and the like over a list: one object, or one for each value of `by`. */
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
          `"${operation.name}" needs numbers, and ${shortText(error.value)} isn't one; filter such items out first`,
          { field },
        )
      }
    }),
  ])
}

/** A group is named by the last part of its path; a template has no name of its own. */
function groupName(by: string): string {
  return by.includes('{') ? 'group' : (by.trim().split('.').at(-1) ?? 'group')
}

type AggregateOperation = StepConfig<'aggregate'>['operations'][number]

/** A number was needed, but the value isn't one. */
class NoNumberError extends Error {
  override readonly name = 'NoNumberError'
  readonly value: Data

  constructor(value: Data) {
    super('No number')
    this.value = value
  }
}

/**
 * Null and the empty string are skipped by all operations except `list`, `first`, `last` and a `count` of items.
 *
 * @throws NoNumberError
 */
function aggregateValues(operation: AggregateOperation, values: readonly Data[]): Data {
  return AGGREGATES[operation.operation](
    values.filter((value) => !isEmpty(value)),
    values,
    operation,
  )
}

type Aggregate = (said: readonly Data[], all: readonly Data[], operation: AggregateOperation) => Data

const AGGREGATES: { readonly [A in AggregateOperation['operation']]: Aggregate } = {
  count: (said, all, { of }) => (of === '' ? all.length : said.length),
  sum: sumOf,
  average: (said) => (said.length === 0 ? null : toData(Number(plain(sumOf(said))) / said.length, true)),
  minimum: (said) => extreme(said, -1),
  maximum: (said) => extreme(said, 1),
  first: (_said, all) => all[0] ?? null,
  last: (_said, all) => all.at(-1) ?? null,
  list: (_said, all) => [...all],
  unique: uniqueOf,
  count_unique: (said) => uniqueOf(said).length,
  join: (said, _all, { separator = ', ' }) => said.map(valueText).join(separator),
}

/** Integers are added exactly, whatever their size; a float makes the sum a float. */
function sumOf(values: readonly Data[]): Data {
  let whole = 0n
  let rest = 0
  let isFloat = false
  for (const value of values) {
    const number = numberIn(value)
    if (number === null) throw new NoNumberError(value)
    if (typeof number === 'bigint' || (Number.isSafeInteger(number) && !(value instanceof Float))) {
      whole += BigInt(number)
    } else {
      rest += number
      isFloat = true
    }
  }
  if (isFloat) return toData(Number(whole) + rest, true)
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

function toData(number: number, isFloat: boolean): Data {
  return isFloat && Number.isInteger(number) ? new Float(number) : number
}

function plain(value: Data): number | bigint {
  return numberIn(value) ?? 0
}

function extreme(values: readonly Data[], direction: 1 | -1): Data {
  let best: Data = null
  for (const value of values) {
    if (best === null || orderOf(value, best) * direction > 0) best = value
  }
  return best
}

function uniqueOf(values: readonly Data[]): Data[] {
  const seen = new Map<string, Data>()
  for (const value of values) {
    const key = sameness(value)
    if (!seen.has(key)) seen.set(key, value)
  }
  return [...seen.values()]
}
