import { say } from '../../data/said.ts'
import { argumentFault, Fault, typeFault } from '../base/faults.ts'
import { checkListSize, checkTextSize, current, spend } from '../base/limits.ts'
import { findFilter } from '../base/host-filters.ts'
import { sources } from '../base/sources.ts'
import { Undefined, undefinedBecause } from '../base/undefined.ts'
import { END, Iter, Markup, Tuple, type Value } from '../base/value.ts'
import { applyOperation } from '../calls/call.ts'
import { type Filter, filter } from '../calls/operation.ts'
import { needInt } from '../methods/arguments.ts'
import { getOnlyAttribute } from '../methods/attributes.ts'
import { add } from '../operators/arithmetic.ts'
import { Points } from '../text/code-points.ts'
import { Dict, List } from '../values/containers.ts'
import { areEqual } from '../values/equality.ts'
import { hashKey } from '../values/hash.ts'
import { iterate, valuesOf } from '../values/iterate.ts'
import { escapeHtml } from '../values/markup.ts'
import { isOrdered, sortValues } from '../values/order.ts'
import { quoteText, textOf } from '../values/repr.ts'
import { isTrue, lengthOf, typeName } from '../values/truth.ts'
import { View } from '../values/views.ts'
import { attributeReader, attributeReaders, ignoreCase, type ReadItem } from './attribute-path.ts'

/** Filters on lists, dictionaries and other iterables. */
export const LIST_FILTERS: readonly Filter[] = [
  filter('attr', 'name', 'Gets the attribute with that name, never an item.', (value, [name]) =>
    attributeAlone(value, textOf(name)),
  ),
  filter(
    'batch',
    'linecount, fill_with=none',
    'Splits into lists of that many items.',
    (value, [count, fill]) => lazily(batches(value, Number(needInt(count)), fill)),
  ),
  filter(
    'default d',
    "default_value='', boolean=false",
    'A default for a missing value.',
    (value, [fallback, boolean]) =>
      value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? fallback : value,
  ),
  filter('dictsort', "case_sensitive=false, by='key', reverse=false", 'Pairs of a dict, sorted.', dictSort),
  filter('first', '', 'The first item.', (value) => {
    const first = iterate(value).next()
    return first === END ? undefinedBecause(say`No first item, sequence was empty.`) : first
  }),
  filter(
    'groupby',
    'attribute, default=none, case_sensitive=false',
    'Groups items by an attribute.',
    groupBy,
  ),
  filter('items', '', 'Pairs of key and value.', (value) => lazily(pairsOf(value))),
  filter('join', "d='', attribute=none", 'Joins the items into one string, with d between them.', join),
  filter('last', '', 'The last item.', (value) => {
    const items = reversible(value)
    return items.length === 0
      ? undefinedBecause(say`No last item, sequence was empty.`)
      : (items.at(-1) ?? null)
  }),
  filter('length count', '', 'Number of items or characters.', (value) => lengthOf(value)),
  filter('list', '', 'A list of all items.', (value) => new List(valuesOf(value))),
  filter(
    'map',
    '*args, **kwargs',
    "An attribute of each item, or each item filtered: map('upper').",
    (value, _args, { rest, names }) => mapItems(value, rest, names),
  ),
  filter('max', 'case_sensitive=false, attribute=none', 'The largest item.', (value, args) =>
    extreme(value, args, '>'),
  ),
  filter('min', 'case_sensitive=false, attribute=none', 'The smallest item.', (value, args) =>
    extreme(value, args, '<'),
  ),
  filter('random', '', 'A random item.', (value) => {
    const items =
      typeof value === 'string'
        ? new Points(value).all()
        : value instanceof Dict
          ? value.values()
          : valuesOf(value)
    if (items.length === 0) return undefinedBecause(say`No random item, sequence was empty.`)
    return items[Math.floor(sources().random() * items.length)] ?? null
  }),
  filter('reject', '*args, **kwargs', 'Items that fail a test.', (value, _args, { rest, names }) =>
    selectItems(value, rest, names, { byAttribute: false, keep: false }),
  ),
  filter(
    'rejectattr',
    '*args, **kwargs',
    'Items whose attribute fails a test.',
    (value, _args, { rest, names }) => selectItems(value, rest, names, { byAttribute: true, keep: false }),
  ),
  filter('reverse', '', 'In reverse order.', (value) => {
    if (typeof value === 'string') return reverseText(value)
    if (value instanceof Markup) return new Markup(reverseText(value.text))
    return lazily(reversible(value).toReversed())
  }),
  filter(
    'select',
    '*args, **kwargs',
    "Items that pass a test: select('odd').",
    (value, _args, { rest, names }) => selectItems(value, rest, names, { byAttribute: false, keep: true }),
  ),
  filter(
    'selectattr',
    '*args, **kwargs',
    "Items whose attribute passes a test: selectattr('age', 'gt', 30).",
    (value, _args, { rest, names }) => selectItems(value, rest, names, { byAttribute: true, keep: true }),
  ),
  filter(
    'slice',
    'slices, fill_with=none',
    'Splits into that many lists of about the same size.',
    (value, [count, fill]) => lazily(slices(value, Number(needInt(count)), fill)),
  ),
  filter(
    'sort',
    'reverse=false, case_sensitive=false, attribute=none',
    'In order.',
    (value, [reverse, caseSensitive, attribute]) => {
      const readers = attributeReaders(attribute)
      const fold = isTrue(caseSensitive) ? keep : ignoreCase
      const keyOf: ReadItem = (item) => new Tuple(readers.map((read) => fold(read(item))))
      return new List(sortValues(valuesOf(value), keyOf, isTrue(reverse)))
    },
  ),
  filter('sum', 'attribute=none, start=0', 'The sum of the items.', (value, [attribute, start]) => {
    if (typeof start === 'string') throw typeFault(say`sum() can't sum strings [use ''.join(seq) instead]`)
    const read = attributeReader(attribute)
    let sum: Value = start
    const cursor = iterate(value)
    for (let item = cursor.next(); item !== END; item = cursor.next()) sum = add(sum, read(item))
    return sum
  }),
  filter(
    'unique',
    'case_sensitive=false, attribute=none',
    'Unique items.',
    (value, [caseSensitive, attribute]) =>
      lazily(uniques(value, attributeReader(attribute), isTrue(caseSensitive) ? keep : ignoreCase)),
  ),
]

const keep: ReadItem = (item) => item

/** A one-shot iterator whose errors point to the filter, whenever it is consumed. */
function lazily(source: Iterable<Value>): Iter {
  const { at } = current
  const iterator = source[Symbol.iterator]()
  return new Iter({
    next() {
      current.at = at
      return iterator.next()
    },
  })
}

function* itemsOf(value: Value): Generator<Value> {
  const cursor = iterate(value)
  for (let item = cursor.next(); item !== END; item = cursor.next()) yield item
}

function attributeAlone(value: Value, name: string): Value {
  if (value instanceof Undefined && !name.startsWith('__')) throw value.fault()
  return getOnlyAttribute(value, name)
}

function* pairsOf(value: Value): Generator<Value> {
  if (value instanceof Undefined) return
  if (!(value instanceof Dict)) throw typeFault(say`Can only get item pairs from a mapping.`)
  yield* new View(value, 'dict_items').items()
}

/** Items of a value that can be iterated backwards. */
function reversible(value: Value): Value[] {
  if (value instanceof Iter)
    throw typeFault(say`'${value.typeName}' object is not reversible`, say`Write | list before it`)
  return valuesOf(value)
}

const reverseText = (text: string) => [...new Points(text).all()].reverse().join('')

function* batches(value: Value, size: number, fill: Value): Generator<Value> {
  let batch: Value[] = []
  for (const item of itemsOf(value)) {
    if (batch.length === size) {
      yield new List(batch)
      batch = []
    }
    batch.push(item)
  }
  if (batch.length === 0) return
  if (fill !== null && batch.length < size) {
    checkListSize(size)
    while (batch.length < size) batch.push(fill)
  }
  yield new List(batch)
}

function* slices(value: Value, count: number, fill: Value): Generator<Value> {
  const items = valuesOf(value)
  if (count === 0) throw typeFault(say`integer division or modulo by zero`)
  const size = Math.floor(items.length / count)
  const larger = items.length - size * count
  let from = 0
  for (let index = 0; index < count; index++) {
    spend(1)
    const to = from + size + (index < larger ? 1 : 0)
    const slice = items.slice(from, to)
    if (fill !== null && index >= larger) slice.push(fill)
    yield new List(slice)
    from = to
  }
}

function* uniques(value: Value, read: ReadItem, fold: ReadItem): Generator<Value> {
  const seen = new Set<unknown>()
  for (const item of itemsOf(value)) {
    const key = hashKey(fold(read(item)))
    if (seen.has(key)) continue
    seen.add(key)
    yield item
  }
}

function dictSort(value: Value, [caseSensitive, by, reverse]: readonly Value[]): Value {
  if (by !== 'key' && by !== 'value') throw argumentFault(say`You can only sort by either "key" or "value"`)
  if (value instanceof Undefined) throw value.fault()
  if (!(value instanceof Dict)) throw typeFault(say`'${typeName(value)}' object has no attribute 'items'`)
  const fold = isTrue(caseSensitive ?? null) ? keep : ignoreCase
  const sorted = sortValues(
    value.pairs(),
    ([key, item]) => fold(by === 'key' ? key : item),
    isTrue(reverse ?? null),
  )
  return new List(sorted.map((pair) => new Tuple(pair)))
}

function groupBy(
  value: Value,
  [attribute = null, fallback = null, caseSensitive = null]: readonly Value[],
): Value {
  const read = attributeReader(attribute, fallback)
  const fold = isTrue(caseSensitive) ? keep : ignoreCase
  const groups: { key: Value; items: Value[] }[] = []
  for (const item of sortValues(valuesOf(value), (entry) => fold(read(entry)))) {
    const key = fold(read(item))
    const last = groups.at(-1)
    if (last !== undefined && areEqual(last.key, key)) last.items.push(item)
    else groups.push({ key, items: [item] })
  }
  return new List(groups.map(({ items }) => new GroupTuple(read(items[0] ?? null), new List(items))))
}

function join(value: Value, [separator = null, attribute = null]: readonly Value[]): Value {
  const read = attributeReader(attribute)
  const items: Value[] = []
  const cursor = iterate(value)
  let size = 0
  const between = textOf(separator).length
  for (let item = cursor.next(); item !== END; item = cursor.next()) {
    const entry = attribute === null ? item : read(item)
    const part = entry instanceof Markup && current.escaping ? entry : textOf(entry)
    size += (typeof part === 'string' ? part.length : part.text.length) + between
    if (size > current.limits.valueBytes) checkTextSize(size)
    items.push(part)
  }
  checkTextSize(size)
  const isHtml = current.escaping && [separator, ...items].some((item) => item instanceof Markup)
  if (!isHtml) return items.map(textOf).join(textOf(separator))
  return new Markup(items.map((item) => escapeHtml(item).text).join(escapeHtml(separator).text))
}

function extreme(
  value: Value,
  [caseSensitive = null, attribute = null]: readonly Value[],
  sign: '<' | '>',
): Value {
  const read = attributeReader(attribute)
  const fold = isTrue(caseSensitive) ? keep : ignoreCase
  const cursor = iterate(value)
  let best = cursor.next()
  if (best === END) return undefinedBecause(say`No aggregated item, sequence was empty.`)
  let bestKey = fold(read(best))
  for (let item = cursor.next(); item !== END; item = cursor.next()) {
    const key = fold(read(item))
    if (isOrdered(sign, key, bestKey)) [best, bestKey] = [item, key]
  }
  return best
}

function mapItems(value: Value, rest: readonly Value[], names: ReadonlyMap<string, Value>): Value {
  return lazily(mapped(value, rest, names))
}

function* mapped(value: Value, rest: readonly Value[], names: ReadonlyMap<string, Value>): Generator<Value> {
  if (!isTrue(value)) return
  const change = prepareMap(rest, names)
  for (const item of itemsOf(value)) yield change(item)
}

function prepareMap(rest: readonly Value[], names: ReadonlyMap<string, Value>): ReadItem {
  const attribute = names.get('attribute')
  if (rest.length === 0 && attribute !== undefined) {
    const wrong = [...names.keys()].find((name) => name !== 'attribute' && name !== 'default')
    if (wrong !== undefined) throw argumentFault(say`Unexpected keyword argument ${quoteText(wrong)}`)
    return attributeReader(attribute, names.get('default') ?? null)
  }
  const [name, ...args] = rest
  if (name === undefined)
    throw argumentFault(say`map requires a filter argument`, say`Write map('upper') or map(attribute='id')`)
  const found = findFilter(textOf(name))
  if (found === undefined) throw new Fault('filter', say`No filter named ${quoteText(textOf(name))}.`)
  return (item) => {
    spend(1)
    return applyOperation(found, item, args, names)
  }
}

interface Selection {
  readonly byAttribute: boolean
  /** Whether items for which the test holds are kept or removed. */
  readonly keep: boolean
}

function selectItems(
  value: Value,
  rest: readonly Value[],
  names: ReadonlyMap<string, Value>,
  how: Selection,
): Value {
  return lazily(selected(value, rest, names, how))
}

function* selected(
  value: Value,
  rest: readonly Value[],
  names: ReadonlyMap<string, Value>,
  how: Selection,
): Generator<Value> {
  if (!isTrue(value)) return
  const holds = prepareSelect(rest, names, how.byAttribute)
  for (const item of itemsOf(value)) if (holds(item) === how.keep) yield item
}

function prepareSelect(
  rest: readonly Value[],
  names: ReadonlyMap<string, Value>,
  byAttribute: boolean,
): (item: Value) => boolean {
  if (byAttribute && rest.length === 0) throw argumentFault(say`Missing parameter for attribute name`)
  const read = byAttribute ? attributeReader(rest[0] ?? null) : keep
  const [name, ...args] = byAttribute ? rest.slice(1) : rest
  if (name === undefined) return (item) => isTrue(read(item))
  const test = current.environment.registry.tests.get(textOf(name))
  if (test === undefined) throw new Fault('filter', say`No test named ${quoteText(textOf(name))}.`)
  return (item) => {
    spend(1)
    return applyOperation(test, read(item), args, names)
  }
}

/** A group of `groupby`, which is a pair whose items also have names. */
class GroupTuple extends Tuple {
  constructor(grouper: Value, list: List) {
    super([grouper, list])
  }

  override attribute(name: string): Value | undefined {
    if (name === 'grouper') return this.items[0]
    return name === 'list' ? this.items[1] : undefined
  }
}
