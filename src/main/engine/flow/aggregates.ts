/** What can be said of a list of values in one. */
import type { StepConfig } from '../../../shared/contract/steps.ts'
import { type Data, Float } from '../data/value.ts'
import { valueText } from '../request/query-string.ts'
import { numberIn } from './steps/support/compare.ts'
import { isEmpty, orderOf, sameness } from './order.ts'

export type Operation = StepConfig<'aggregate'>['operations'][number]

/** A value where a number is needed. */
export class NoNumberError extends Error {
  override readonly name = 'NoNumberError'
  readonly value: Data

  constructor(value: Data) {
    super('No number')
    this.value = value
  }
}

/**
 * Null and the empty text say nothing: they are passed over by all but `list`, `first`, `last` and a `count` of entries.
 *
 * @throws NoNumberError
 */
export function aggregateValues(operation: Operation, values: readonly Data[]): Data {
  return AGGREGATES[operation.operation](
    values.filter((value) => !isEmpty(value)),
    values,
    operation,
  )
}

type Aggregate = (said: readonly Data[], all: readonly Data[], operation: Operation) => Data

const AGGREGATES: { readonly [A in Operation['operation']]: Aggregate } = {
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

/** Whole numbers are added exactly, whatever their size; one with a point makes the sum one. */
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
