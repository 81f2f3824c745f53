import { type Data, type Dictionary, entriesOf, isDictionary } from '@millrace/jinja/data'

/** A value in a response, and the keys that lead to it. */
export interface ResponseValue {
  readonly keys: readonly string[]
  readonly value: Data
  /** The object that holds it. */
  readonly holder: Dictionary
}

/** Every value in the objects of a response, level by level; lists are skipped. */
export function valuesIn(body: Data): readonly ResponseValue[] {
  const values: ResponseValue[] = []
  let level: readonly Pick<ResponseValue, 'keys' | 'value'>[] = [{ keys: [], value: body }]
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const found = level.flatMap(({ keys, value }) => (isDictionary(value) ? below(keys, value) : []))
    level = found.slice(0, MAX_VALUES - values.length)
    values.push(...(level as readonly ResponseValue[]))
  }
  return values
}

const MAX_DEPTH = 6
const MAX_VALUES = 2_000

function below(keys: readonly string[], holder: Dictionary): ResponseValue[] {
  return entriesOf(holder)
    .filter(([key]) => WRITABLE.test(key))
    .map(([key, value]) => ({ keys: [...keys, key], value, holder }))
}

/** Keys that can be inserted into a template or a JSONPath without being parsed as syntax. */
// oxlint-disable-next-line no-control-regex -- control characters must not be written
const WRITABLE = /^[^{}'"\\%\u0000-\u001f]{1,100}$/

/** The template expression that reads a value: `previous_request.paging.next`. */
export function expressionOf(keys: readonly string[]): string {
  return `previous_request${keys.map((key) => (isAttribute(key) ? `.${key}` : `['${key}']`)).join('')}`
}

/** In a template, an attribute is looked up as a method first, so `previous_request.items` would not be the value. */
const isAttribute = (key: string) => NAME.test(key) && !METHODS.has(key)

const NAME = /^[A-Za-z_]\w*$/
const METHODS: ReadonlySet<string> = new Set([
  'clear',
  'copy',
  'fromkeys',
  'get',
  'items',
  'keys',
  'pop',
  'popitem',
  'setdefault',
  'update',
  'values',
])

/** The JSONPath of a value: `$.data.items`. */
export function jsonPathOf(keys: readonly string[]): string {
  return `$${keys.map((key) => (NAME.test(key) ? `.${key}` : `['${key}']`)).join('')}`
}
