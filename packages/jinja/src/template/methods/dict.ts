import { say } from '../../data/said.ts'
import { operation } from '../calls/operation.ts'
import type { Operation } from '../base/operation.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { checkListSize, spend } from '../base/limits.ts'
import { Dict } from '../values/containers.ts'
import { isIterable, valuesOf } from '../values/iterate.ts'
import { repr } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Tuple, type Value } from '../base/value.ts'
import { View } from '../values/views.ts'

/**
 * Python's methods of `dict`. Changes are local to the template, because a dictionary of the context is
 * copied first.
 */
export const DICT_METHODS: readonly Operation<Dict>[] = [
  operation('clear', '', 'Removes everything.', (dict: Dict) => {
    dict.clear()
    return null
  }),
  operation('copy', '', 'A copy of the dict.', (dict: Dict) => copyDict(dict)),
  operation('fromkeys', 'iterable, value=none, /', 'A dict with these keys.', (_dict: Dict, [keys, value]) =>
    Dict.from(valuesOf(keys).map((key) => [key, value] as const)),
  ),
  operation(
    'get',
    'key, default=none, /',
    'The value of a key, or the default.',
    (dict: Dict, [key, fallback]) => {
      const value = dict.get(key)
      return value === undefined ? fallback : value
    },
  ),
  operation('items', '', 'Pairs of key and value.', (dict: Dict) => new View(dict, 'dict_items')),
  operation('keys', '', 'The keys.', (dict: Dict) => new View(dict, 'dict_keys')),
  operation('pop', 'key, *default', 'Removes a key and returns its value.', (dict: Dict, [key], { rest }) => {
    if (rest.length > 1) throw argumentFault(say`pop expected at most 2 arguments, got ${rest.length + 1}`)
    const found = dict.delete(key)
    const value = found === undefined ? rest[0] : found
    if (value === undefined) throw typeFault(say`${repr(key)}`, say`The dict doesn't have this key`)
    return value
  }),
  operation('popitem', '', 'Removes the last item and returns it.', (dict: Dict) => {
    const last = dict.pairs().at(-1)
    if (last === undefined) throw typeFault(say`popitem(): dictionary is empty`)
    dict.delete(last[0])
    return new Tuple(last)
  }),
  operation(
    'setdefault',
    'key, default=none, /',
    "The value of a key, which is set first if it's missing.",
    (dict: Dict, [key, fallback]) => {
      const value = dict.get(key)
      if (value !== undefined) return value
      dict.set(key, fallback)
      return fallback
    },
  ),
  operation(
    'update',
    '*other, **entries',
    'Adds keys or replaces their values.',
    (dict: Dict, _args, { rest, names }) => {
      if (rest.length > 1) throw argumentFault(say`update expected at most 1 argument, got ${rest.length}`)
      if (rest[0] !== undefined) addEntries(dict, rest[0])
      for (const [name, value] of names) dict.set(name, value)
      checkListSize(dict.size)
      return null
    },
  ),
  operation('values', '', 'The values.', (dict: Dict) => new View(dict, 'dict_values')),
]

export function copyDict(dict: Dict): Dict {
  checkListSize(dict.size)
  return Dict.from(dict.pairs())
}

/** Adds an argument of `dict(…)` or `update(…)`, which is a dictionary or a list of pairs. */
export function addEntries(dict: Dict, source: Value): void {
  if (source instanceof Undefined) throw source.fault()
  if (source instanceof Dict) {
    checkListSize(source.size)
    for (const [key, value] of source.pairs()) dict.set(key, value)
    return
  }
  valuesOf(source).forEach((item, index) => {
    spend(2)
    if (!isIterable(item)) {
      throw typeFault(say`cannot convert dictionary update sequence element #${index} to a sequence`)
    }
    const pair = valuesOf(item)
    if (pair.length !== 2) {
      throw typeFault(
        say`dictionary update sequence element #${index} has length ${pair.length}; 2 is required`,
        say`It is a ${typeName(item)}`,
      )
    }
    dict.set(pair[0] ?? null, pair[1] ?? null)
  })
}
