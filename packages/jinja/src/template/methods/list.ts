import { say } from '../../data/said.ts'
import { callValue } from '../calls/call.ts'
import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { typeFault } from '../base/faults.ts'
import { checkListSize, spend } from '../base/limits.ts'
import { List } from '../values/containers.ts'
import { areEqual } from '../values/equality.ts'
import { valuesOf } from '../values/iterate.ts'
import { sortValues } from '../values/order.ts'
import { repr } from '../values/repr.ts'
import { isTrue } from '../values/truth.ts'
import type { Tuple, Value } from '../base/value.ts'
import type { Range } from '../values/views.ts'
import { needInt } from './arguments.ts'

type ListMethod = Operation<List>

/** Python's methods of `list`. Changes are local to the template, because a list of the context is copied first. */
export const LIST_METHODS: readonly ListMethod[] = [
  operation('append', 'object, /', 'Appends an item.', (list: List, [item]) => {
    list.own().push(item)
    return checkGrowth(list)
  }),
  operation('clear', '', 'Removes everything.', (list: List) => {
    list.own().length = 0
    return null
  }),
  operation('copy', '', 'A copy of the list.', (list: List) => new List(valuesOf(list))),
  operation('count', 'value, /', 'Number of times a value occurs.', (list: List, [item]) =>
    count(list.values(), item),
  ),
  operation('extend', 'iterable, /', 'Appends all items of another list.', (list: List, [items]) => {
    const added = valuesOf(items)
    checkListSize(list.length + added.length)
    const own = list.own()
    for (const item of added) own.push(item)
    return null
  }),
  operation('index', 'value, start=0, stop=9007199254740991, /', 'Position of a value.', (list: List, args) =>
    indexOf(list.values(), args),
  ),
  operation(
    'insert',
    'index, object, /',
    'Inserts an item before a position.',
    (list: List, [index, item]) => {
      spend(list.length / 16)
      list.own().splice(Math.max(-list.length, Number(needInt(index))), 0, item)
      return checkGrowth(list)
    },
  ),
  operation('pop', 'index=-1, /', 'Removes an item and returns it.', (list: List, [index]) => {
    const at = Number(needInt(index))
    const position = at < 0 ? at + list.length : at
    if (list.length === 0) throw typeFault(say`pop from empty list`)
    if (position < 0 || position >= list.length) throw typeFault(say`pop index out of range`)
    spend(list.length / 16)
    return list.own().splice(position, 1)[0] ?? null
  }),
  operation('remove', 'value, /', 'Removes the first equal item.', (list: List, [item]) => {
    const at = list.values().findIndex((entry) => areEqual(entry, item))
    if (at === -1) throw typeFault(say`list.remove(x): x not in list`)
    spend(at + list.length / 16)
    list.own().splice(at, 1)
    return null
  }),
  operation('reverse', '', 'Reverses the list in place.', (list: List) => {
    spend(list.length)
    list.own().reverse()
    return null
  }),
  operation('sort', 'key=none, reverse=false', 'Sorts in place.', (list: List, [key, reverse]) => {
    const sorted = sortValues(
      list.values(),
      (item) => (key === null ? item : callValue(key, [item], null)),
      isTrue(reverse),
    )
    list.replace(sorted)
    return null
  }),
]

/** Python's methods of `tuple`. */
export const TUPLE_METHODS: readonly Operation<Tuple>[] = [
  operation('count', 'value, /', 'Number of times a value occurs.', (tuple: Tuple, [item]) =>
    count(tuple.items, item),
  ),
  operation(
    'index',
    'value, start=0, stop=9007199254740991, /',
    'Position of a value.',
    (tuple: Tuple, args) => indexOf(tuple.items, args),
  ),
]

/** Adding one item is cheap, so only the total size is checked. */
function checkGrowth(list: List): null {
  spend(1)
  if ((list.length & 1023) === 0) checkListSize(list.length)
  return null
}

function count(items: readonly Value[], item: Value): number {
  spend(items.length)
  return items.filter((entry) => areEqual(entry, item)).length
}

/** Python's methods of `range`. */
export const RANGE_METHODS: readonly Operation<Range>[] = [
  operation('count', 'value, /', 'Number of times a value occurs.', (range: Range, [item]) =>
    count(valuesOf(range), item),
  ),
  operation('index', 'value, /', 'Position of a value.', (range: Range, [item]) =>
    indexOf(valuesOf(range), [item, 0, range.length]),
  ),
]

function indexOf(items: readonly Value[], [item = null, start = 0, stop = 0]: readonly Value[]): number {
  spend(items.length)
  const clamp = (at: number) => Math.max(0, at < 0 ? at + items.length : at)
  const from = clamp(Number(needInt(start)))
  const to = clamp(Number(needInt(stop)))
  const at = items.findIndex((entry, index) => index >= from && index < to && areEqual(entry, item))
  if (at === -1) throw typeFault(say`${repr(item)} is not in list`)
  return at
}
