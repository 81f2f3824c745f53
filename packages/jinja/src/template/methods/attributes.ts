import { type Said, say } from '../../data/said.ts'
import { Fault } from '../base/faults.ts'
import type { Operation, OperationTable } from '../base/operation.ts'
import { Undefined, undefinedBecause } from '../base/undefined.ts'
import {
  Bytes,
  Callable,
  type Float,
  type Keywords,
  Markup,
  Thing,
  Tuple,
  type Value,
} from '../base/value.ts'
import { applyOperation, BoundMethod } from '../calls/call.ts'
import { operation, tableOf } from '../calls/operation.ts'
import { type FieldSource, formatFields } from '../format/str-format.ts'
import { closest } from '../text/closest.ts'
import { Points } from '../text/code-points.ts'
import { Dict, List } from '../values/containers.ts'
import { escapeHtml } from '../values/markup.ts'
import { intOf, isFloat } from '../values/numbers.ts'
import { repr } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import { Range } from '../values/views.ts'
import { BYTES_METHODS } from './bytes.ts'
import { DICT_METHODS } from './dict.ts'
import { LIST_METHODS, RANGE_METHODS, TUPLE_METHODS } from './list.ts'
import { FLOAT_METHODS, INT_METHODS, numberAttribute } from './number.ts'
import { TEXT_METHODS } from './text.ts'

/**
 * Reads `value.name`, which is an attribute or, if there is none, an item. Unlike in Jinja, a key of a dictionary
 * wins over a method with that name unless it is called immediately, so that a body's `items` or `values` can be read
 * as `{{ web1.items }}`.
 */
export function getAttribute(value: Value, name: string): Value {
  if (value instanceof Dict) {
    const entry = value.getText(name)
    if (entry !== undefined) return entry
  }
  const attribute = attributeOf(value, name)
  if (attribute !== undefined) return attribute
  const item = itemOf(value, name)
  return item === undefined ? missingAttribute(value, name) : item
}

/** Reads `value[key]`, which is an item or, if there is none and the key is a string, an attribute. */
export function getItem(value: Value, key: Value): Value {
  const item = itemOf(value, key)
  if (item !== undefined) return item
  const attribute = typeof key === 'string' ? attributeOf(value, key) : undefined
  return attribute === undefined ? missingAttribute(value, key) : attribute
}

/** Reads only attributes, for the filter `attr`. */
export function getOnlyAttribute(value: Value, name: string): Value {
  const attribute = attributeOf(value, name)
  return attribute === undefined ? missingAttribute(value, name) : attribute
}

/** Calls `value.name(…)` without creating a value for the method. */
export function callMethod(
  value: Value,
  name: string,
  positional: readonly Value[],
  keywords: Keywords,
): Value | undefined {
  if (typeof value === 'string') {
    const method = TABLES.str.get(name)
    return method && applyOperation(method, value, positional, keywords)
  }
  if (value instanceof Dict) {
    const method = TABLES.dict.get(name)
    return method && applyOperation(method, value, positional, keywords)
  }
  const method = attributeOf(value, name)
  return method instanceof Callable ? method.call(positional, keywords) : undefined
}

/** Whether a name is a method of every dictionary, such as `items` or `get`. */
export const isMethodOfDictionary = (name: string): boolean => TABLES.dict.has(name)

/** The methods of each type by name, also used by completion. */
export const TABLES = {
  str: tableOf(TEXT_METHODS, createFormatMethods({ attribute: getAttribute, item: getItem })),
  list: tableOf(LIST_METHODS),
  dict: tableOf(DICT_METHODS),
  tuple: tableOf(TUPLE_METHODS),
  range: tableOf(RANGE_METHODS),
  int: tableOf(INT_METHODS),
  float: tableOf(FLOAT_METHODS),
  bytes: tableOf(BYTES_METHODS),
}

function attributeOf(value: Value, name: string): Value | undefined {
  if (name.startsWith('_')) return internalAttribute(value, name)
  if (typeof value === 'string') return method(TABLES.str, value, name)
  if (value instanceof Dict) return method(TABLES.dict, value, name)
  if (value instanceof List) return method(TABLES.list, value, name)
  if (value instanceof Undefined) return undefined
  if (value instanceof Markup) return markupMethod(value, name)
  if (value instanceof Bytes) return method(TABLES.bytes, value, name)
  if (!(value instanceof Thing)) return ofNumber(value, name)
  const attribute = value.attribute(name)
  if (attribute !== undefined) return attribute
  if (value instanceof Tuple) return method(TABLES.tuple, value, name)
  return value instanceof Range ? method(TABLES.range, value, name) : undefined
}

function ofNumber(value: null | boolean | number | bigint | Float, name: string): Value | undefined {
  if (value === null) return undefined
  const attribute = numberAttribute(value, name)
  if (attribute !== undefined) return attribute
  if (isFloat(value)) return method(TABLES.float, value as number | Float, name)
  return method(TABLES.int, intOf(value) ?? 0, name)
}

function method<T extends Value>(table: OperationTable<T>, value: T, name: string): Value | undefined {
  const found = table.get(name)
  return found && new BoundMethod(value, found)
}

/** Methods of an HTML string escape their arguments and return HTML. */
function markupMethod({ text }: Markup, name: string): Value | undefined {
  const found = TABLES.str.get(name)
  return found && new MarkupMethod(text, found)
}

class MarkupMethod extends Callable {
  readonly typeName = 'method'
  private readonly text: string
  private readonly method: Operation<string>

  constructor(text: string, found: Operation<string>) {
    super()
    this.text = text
    this.method = found
  }

  call(positional: readonly Value[], keywords: Keywords): Value {
    const escaped = positional.map((value) => (typeof value === 'string' ? escapeHtml(value).text : value))
    return asMarkup(applyOperation(this.method, this.text, escaped, keywords))
  }
}

function asMarkup(value: Value): Value {
  if (typeof value === 'string') return new Markup(value)
  if (value instanceof List) return new List(value.values().map(asMarkup))
  return value instanceof Tuple ? new Tuple(value.items.map(asMarkup)) : value
}

function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof Dict) return itemOfDict(value, key)
  if (value instanceof Undefined) return value.chains ? undefined : fail(value)
  const index = intOf(key)
  if (index === undefined) return value instanceof Thing ? namedItem(value, key) : undefined
  return itemAt(value, Number(index))
}

function itemOfDict(dict: Dict, key: Value): Value | undefined {
  try {
    return dict.get(key)
  } catch (error) {
    if (error instanceof Fault && error.message.startsWith('unhashable')) return undefined
    throw error
  }
}

function itemAt(value: Value, index: number): Value | undefined {
  if (value instanceof List) {
    const at = index < 0 ? index + value.length : index
    return at >= 0 && at < value.length ? value.at(at) : undefined
  }
  if (value instanceof Tuple) return value.items.at(index)
  if (value instanceof Range) {
    const at = index < 0 ? index + value.length : index
    return at >= 0 && at < value.length ? value.at(at) : undefined
  }
  if (value instanceof Bytes) return value.bytes.at(index)
  if (typeof value === 'string') return pointAt(value, index)
  const point = value instanceof Markup ? pointAt(value.text, index) : undefined
  return point === undefined ? undefined : new Markup(point)
}

function pointAt(text: string, index: number): string | undefined {
  const points = new Points(text)
  const at = index < 0 ? index + points.length : index
  return at >= 0 && at < points.length ? points.at(at) : undefined
}

/** For values whose items can't be read as attributes. */
function namedItem(value: Thing, key: Value): Value | undefined {
  return value instanceof Subscriptable ? value.item(key) : undefined
}

export abstract class Subscriptable extends Thing {
  abstract item(key: Value): Value | undefined
}

function fail(value: Undefined): never {
  throw value.fault()
}

function missingAttribute(value: Value, key: Value): Undefined {
  if (value instanceof Undefined) return new Undefined(() => value.fault().said, null, value.chains)
  return new Undefined(
    () => missingSentence(value, key),
    () => missingHint(value, key),
  )
}

function missingSentence(value: Value, key: Value): Said {
  const owner = value === null ? 'None' : `${typeName(value)} object`
  if (typeof key !== 'string') return say`${owner} has no element ${repr(key)}`
  return say`'${owner}' has no attribute '${key}'`
}

function missingHint(value: Value, key: Value): Said | null {
  if (typeof key !== 'string') return null
  const known =
    value instanceof Dict ? value.keys().filter((name) => typeof name === 'string') : methodNames(value)
  const near = closest(key, known)
  if (near !== undefined) return say`Did you mean "${near}"?`
  return value instanceof Dict && known.length > 0 ? say`It has: ${known.slice(0, 12).join(', ')}` : null
}

function methodNames(value: Value): string[] {
  const table = Object.hasOwn(TABLES, typeName(value))
    ? TABLES[typeName(value) as keyof typeof TABLES]
    : undefined
  return table === undefined ? [] : [...table.keys()]
}

function internalAttribute(value: Value, name: string): Undefined | undefined {
  const exists = INTERNAL.has(name) || (value instanceof Callable && INTERNAL_OF_FUNCTIONS.has(name))
  if (!exists) return undefined
  return undefinedBecause(say`access to attribute '${name}' of '${typeName(value)}' object is unsafe.`)
}

/** Internal attributes of Python's objects. Reading one yields undefined, and using it fails. */
const INTERNAL: ReadonlySet<string> = new Set(
  `__class__ __doc__ __init__ __new__ __repr__ __str__ __hash__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __dir__
   __format__ __getattribute__ __setattr__ __delattr__ __reduce__ __reduce_ex__ __sizeof__ __subclasshook__
   __init_subclass__ __len__ __iter__ __bool__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __neg__
   __pos__ __int__ __float__ __getitem__ __call__ __module__`.split(/\s+/),
)

/** Internal attributes of functions and methods, which behave the same. */
const INTERNAL_OF_FUNCTIONS: ReadonlySet<string> = new Set(
  '__name__ __qualname__ __self__ __func__ __code__ __globals__ __closure__ __defaults__ __dict__ __wrapped__'.split(
    ' ',
  ),
)

/** `str.format` reads attributes and items of its values by the same rules as expressions. */
function createFormatMethods(access: Pick<FieldSource, 'attribute' | 'item'>): readonly Operation<string>[] {
  const format = (text: string, positional: readonly Value[], named: (name: string) => Value | undefined) =>
    formatFields(text, { positional, named, ...access })
  return [
    operation(
      'format',
      '*args, **kwargs',
      "Fills fields: '{} of {n}'.format(1, n=2).",
      (text, _args, extra) => format(text, extra.rest, (name) => extra.names.get(name)),
    ),
    operation('format_map', 'mapping, /', 'Fills fields from a dict.', (text, [mapping]) =>
      format(text, [], (name) => (mapping instanceof Dict ? mapping.getText(name) : undefined)),
    ),
  ]
}
