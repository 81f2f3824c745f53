import { operation, tableOf } from '../calls/operation.ts'
import type { Operation, OperationTable } from '../base/operation.ts'
import { current } from '../base/limits.ts'
import { findFilter } from '../base/host-filters.ts'
import { modulo } from '../operators/arithmetic.ts'
import { contains } from '../operators/membership.ts'
import { Dict, List } from '../values/containers.ts'
import { areEqual, areSame } from '../values/equality.ts'
import { hashKey } from '../values/hash.ts'
import { isIterable } from '../values/iterate.ts'
import { isFloat, isNumber } from '../values/numbers.ts'
import { isOrdered } from '../values/order.ts'
import { textOf } from '../values/repr.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, Callable, Markup, Tuple, type Value } from '../base/value.ts'
import { Range } from '../values/views.ts'

export type Test = Operation<Value, boolean>

const test: (names: string, signature: string, help: string, run: Test['run']) => Test = operation

/** Whether a value is a known name; an unhashable value such as a list is an error. */
function isKnown(value: Value, names: ReadonlyMap<string, unknown>): boolean {
  const key = hashKey(value)
  return typeof key === 'string' && names.has(key)
}

const isText = (value: Value) => typeof value === 'string' || value instanceof Markup
const isCased = (text: string) => /[\p{Lu}\p{Ll}]/u.test(text)

export const TEST_LIST: readonly Test[] = [
  test('boolean', '', 'true or false.', (value) => typeof value === 'boolean'),
  test('callable', '', 'Can be called.', (value) => value instanceof Callable || value instanceof Undefined),
  test('defined', '', 'Exists.', (value) => !(value instanceof Undefined)),
  test('divisibleby', 'num', 'Divisible without a remainder.', (value, [num]) =>
    areEqual(modulo(value, num), 0),
  ),
  test('eq equalto ==', 'other', 'Equal.', (value, [other]) => areEqual(value, other)),
  test('escaped', '', 'Already HTML.', (value) => value instanceof Markup),
  test('even', '', 'An even number.', (value) => areEqual(modulo(value, 2), 0)),
  test('false', '', 'Is false itself.', (value) => value === false),
  test('filter', '', 'The name of a filter.', (value) => {
    const { filters } = current.environment.registry
    return isKnown(value, filters) || (typeof value === 'string' && findFilter(value) !== undefined)
  }),
  test('float', '', 'A float.', (value) => isFloat(value)),
  test('ge >=', 'other', 'Greater or equal.', (value, [other]) => isOrdered('>=', value, other)),
  test('gt greaterthan >', 'other', 'Greater.', (value, [other]) => isOrdered('>', value, other)),
  test('in', 'seq', 'Contained in it.', (value, [sequence]) => contains(sequence, value)),
  test('integer', '', 'An integer.', (value) => typeof value === 'bigint' || Number.isInteger(value)),
  test('iterable', '', 'Can be looped over.', (value) => isIterable(value)),
  test('le <=', 'other', 'Less or equal.', (value, [other]) => isOrdered('<=', value, other)),
  test('lower', '', 'All in lower case.', (value) => {
    const text = textOf(value)
    return isCased(text) && text === text.toLowerCase()
  }),
  test('lt lessthan <', 'other', 'Less.', (value, [other]) => isOrdered('<', value, other)),
  test('mapping', '', 'A dictionary.', (value) => value instanceof Dict),
  test('ne !=', 'other', 'Not equal.', (value, [other]) => !areEqual(value, other)),
  test('none', '', 'Is none itself.', (value) => value === null),
  test('number', '', 'A number (true and false count).', (value) => isNumber(value)),
  test('odd', '', 'An odd number.', (value) => areEqual(modulo(value, 2), 1)),
  test('sameas', 'other', 'The identical value.', (value, [other]) => areSame(value, other)),
  test(
    'sequence',
    '',
    'Has a length and items.',
    (value) =>
      isText(value) ||
      value instanceof List ||
      value instanceof Dict ||
      value instanceof Tuple ||
      value instanceof Range ||
      value instanceof Bytes ||
      value instanceof Undefined,
  ),
  test('string', '', 'A string.', (value) => isText(value)),
  test('test', '', 'The name of a test.', (value) => isKnown(value, current.environment.registry.tests)),
  test('true', '', 'Is true itself.', (value) => value === true),
  test('undefined', '', 'Does not exist.', (value) => value instanceof Undefined),
  test('upper', '', 'All in upper case.', (value) => {
    const text = textOf(value)
    return isCased(text) && text === text.toUpperCase()
  }),
]

/** All tests by all their names. */
export const TESTS: OperationTable<Value, boolean> = tableOf(TEST_LIST)
