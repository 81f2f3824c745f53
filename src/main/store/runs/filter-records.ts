/**
 * Filters records that are stored together in one column, whose content SQL can't read, by the same rules in
 * JavaScript.
 */
import { foldedLike } from '../sql/like.ts'
import type { Filter, FilterValue } from '../../../shared/contract/base/common.ts'
import { filterColumn, toSqlValue, type Columns } from '../sql/list-query.ts'
import type { SqlValue } from '../sql/statement.ts'

/**
 * Whether all filters match a record in the API's format.
 *
 * @throws AppError `validation` naming an unknown field, or a value that cannot be compared with it
 */
export function recordFilter(filters: readonly Filter[], columns: Columns): (record: object) => boolean {
  const tests = filters.map((filter) => {
    const column = filterColumn(filter, columns)
    const convert = (value: FilterValue) => toSqlValue(column, filter.field, value)
    const test = createTest(filter, convert)
    return (record: object) => {
      const value = plainValue((record as Readonly<Record<string, unknown>>)[filter.field])
      return test(value === null ? null : convert(value), String(value))
    }
  })
  return (record) => tests.every((test) => test(record))
}

/** A step's iteration is a list, but filters write it as `2.0`. */
function plainValue(value: unknown): FilterValue {
  return Array.isArray(value) ? value.join('.') : ((value ?? null) as FilterValue)
}

type Test = (value: SqlValue, text: string) => boolean

function createTest({ operator, value }: Filter, convert: (value: FilterValue) => SqlValue): Test {
  const list = (Array.isArray(value) ? value : [value]) as readonly FilterValue[]
  const [first = null] = list
  if (operator === 'like') return (own, text) => own !== null && foldedLike(String(first), text) === 1
  const wanted = list.map(convert)
  if (operator === 'in') return (own) => own !== null && wanted.includes(own)
  const [other = null] = wanted
  return (own) => COMPARE[operator](own, other)
}

const COMPARE: Readonly<
  Record<'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le', (a: SqlValue, b: SqlValue) => boolean>
> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a !== null && b !== null && a > b,
  ge: (a, b) => a !== null && b !== null && a >= b,
  lt: (a, b) => a !== null && b !== null && a < b,
  le: (a, b) => a !== null && b !== null && a <= b,
}
