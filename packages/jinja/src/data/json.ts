import { setImmediate as nextTurn } from 'node:timers/promises'
import { JsonError, JsonReader, type JsonLimits } from './json-reader.ts'
import { rememberText } from './json-writer.ts'
import { type Data, isIndexKey, MANY_KEYS } from './value.ts'

export { JsonError, type JsonLimits } from './json-reader.ts'
export { writeJson } from './json-writer.ts'

/** The limits for JSON from outside, unless the caller sets others. */
const DEFAULT_JSON_LIMITS: JsonLimits = {
  maxDepth: 64,
  maxValues: 500_000,
  maxIntegerDigits: 4_300, // Python's own limit
  maxLongDigits: 430_000,
}

/**
 * The limits for JSON that Millrace wrote, which must always be readable. It nests data from outside more deeply, and
 * templates can create longer integers than a request body is allowed to contain.
 */
export const OWN_JSON_LIMITS: JsonLimits = {
  maxDepth: 1_000,
  maxValues: 50_000_000,
  maxIntegerDigits: Infinity,
  maxLongDigits: Infinity,
}

/**
 * Reads JSON without loss: integers beyond 2^53 become bigints, `1.0` and `1e2` a `Float`, and objects whose key order
 * a JavaScript object would change a Map. The key `__proto__` is dropped, a byte-order mark is skipped. Read objects
 * with `getKey`, `keysOf` and the like, which only see own keys.
 *
 * @throws JsonError with line, column and a sentence if it isn't JSON or exceeds a limit
 */
export function parseJson(text: string, limits: Partial<JsonLimits> = {}): Data {
  const bounds = { ...DEFAULT_JSON_LIMITS, ...limits }
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return readPlain(source, bounds) ?? new JsonReader(source, bounds).read()
}

/**
 * Like `parseJson`, but works a few milliseconds at a time, so that other work continues in between. Writing the
 * value again with `writeJson` then costs nothing.
 *
 * @throws JsonError
 */
export function parseLargeJson(text: string, limits: Partial<JsonLimits> = {}): Data | Promise<Data> {
  if (text.length < LARGE_TEXT) return parseJson(text, limits)
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return readInSlices(new JsonReader(source, { ...DEFAULT_JSON_LIMITS, ...limits }), source)
}

/** Whether a string is JSON, whatever its size. */
export function isJsonText(text: string): boolean {
  try {
    // V8's parser builds the values, which takes most of the time if there are many keys.
    if (text.length < LARGE_TEXT) JSON.parse(text)
    else new JsonReader(text, OWN_JSON_LIMITS, false).read()
    return true
  } catch (error) {
    return error instanceof JsonError && error.reason !== 'syntax'
  }
}

async function readInSlices(reader: JsonReader, text: string): Promise<Data> {
  while (!reader.readOn(SLICE_CHARACTERS)) await nextTurn()
  const { result, isLossless } = reader
  if (isLossless) rememberText(result, text)
  return result
}

/** Anything shorter is read in a few milliseconds. */
export const LARGE_TEXT = 262_144
const SLICE_CHARACTERS = 32_768

/** Most input needs none of the special forms, and V8's parser is several times faster. */
function readPlain(text: string, limits: JsonLimits): Data | undefined {
  const isShortEnough = text.length <= 2 * limits.maxValues
  const isSurelyPlain = isShortEnough && IS_CONTAINER.test(text) && !MAY_BE_SPECIAL.test(text)
  if (!isSurelyPlain && !isPlain(text, limits)) return undefined
  try {
    const value = JSON.parse(text) as Data
    return typeof value !== 'object' || value === null || isExact(value, limits.maxDepth) ? value : undefined
  } catch {
    return undefined // the reader finds the same error, with its position
  }
}

/** Any other input may be a single number, which has no delimiter before it. */
const IS_CONTAINER = /^[ \n\r\t]*[[{]/

/**
 * Matches anything that may be a whole float: a number with an exponent or a fraction of zeros, or one that may round
 * to a whole number because it is close to one or large. It may also match inside a string, which `isPlain` detects.
 */
const MAY_BE_SPECIAL =
  // linear: a number begins after one of these characters, and has none of them
  /[:,[ \n\r\t]-?\d+(?:\.(?:0+[,\]} \n\r\t]|0{8}|9{8})|(?:\.\d+)?[eE])|[:,[ \n\r\t]-?\d{8,}\.\d/

/** Whether JSON.parse preserves all numbers and the limits certainly hold. True says nothing about the syntax. */
function isPlain(text: string, limits: JsonLimits): boolean {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      for (at++; at < text.length; at++) {
        const inner = text.charCodeAt(at)
        if (inner === QUOTE) break
        if (inner === BACKSLASH) at++
      }
    } else if (code === COMMA) {
      values++
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      values++
      depth++
      if (depth > limits.maxDepth) return false
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      depth--
    } else if (code === MINUS || isDigit(code)) {
      const end = plainNumberEnd(text, at)
      if (end === -1) return false
      at = end - 1
    }
  }
  return values <= limits.maxValues
}

/** The end of a number that JSON.parse reads without loss; -1 for a long integer and for a whole float. */
function plainNumberEnd(text: string, start: number): number {
  let at = start + 1
  while (isDigit(text.charCodeAt(at))) at++
  const code = text.charCodeAt(at)
  if (code === POINT || code === LOWER_E || code === UPPER_E) return plainFloatEnd(text, start, at)
  const negativeZero =
    at === start + 2 && text.charCodeAt(start) === MINUS && text.charCodeAt(start + 1) === ZERO
  return negativeZero || at - start > 15 ? -1 : at
}

function plainFloatEnd(text: string, start: number, point: number): number {
  let at = point + 1
  let whole = true
  for (let code = text.charCodeAt(at); isDigit(code); code = text.charCodeAt(++at)) {
    if (code !== ZERO) whole = false
  }
  const code = text.charCodeAt(at)
  const isShort = at - start <= 15 && text.charCodeAt(point) === POINT && code !== LOWER_E && code !== UPPER_E
  // 15 significant digits are always exact; a longer number may round to a whole one.
  if (isShort) return whole ? -1 : at
  while (isNumberPart(text.charCodeAt(at))) at++
  const value = Number(text.slice(start, at))
  return Number.isInteger(value) || !Number.isFinite(value) ? -1 : at
}

/** A digit, a sign, a decimal point or an `e`: any character of a number, in any order. */
function isNumberPart(code: number): boolean {
  return (
    isDigit(code) || code === POINT || code === MINUS || code === PLUS || code === LOWER_E || code === UPPER_E
  )
}

/**
 * Whether JSON.parse has preserved everything: false for integers beyond 2^53, negative zero, nesting that is too deep,
 * objects with very many keys, and objects with index keys, whose original position is lost. Also deletes the key
 * `__proto__`.
 */
function isExact(value: object, depth: number): boolean {
  if (depth === 0) return false
  if (Array.isArray(value)) {
    for (const item of value as readonly Data[]) {
      if (typeof item === 'number' ? !isExactNumber(item) : isInexactObject(item, depth)) return false
    }
    return true
  }
  const object = value as Record<string, Data>
  let keys = 0
  for (const key in object) {
    if (keys === 0 && isIndexKey(key)) return false
    if (++keys > MANY_KEYS) return false
    const item = object[key]
    // Most values are strings and numbers, and a call for each would take longer than everything else.
    if (typeof item === 'number' ? !isExactNumber(item) : isInexactObject(item, depth)) return false
    if (key === '__proto__') delete object[key]
  }
  return true
}

function isInexactObject(item: Data | undefined, depth: number): boolean {
  return typeof item === 'object' && item !== null && !isExact(item, depth - 1)
}

function isExactNumber(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER && !Object.is(value, -0)
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const UPPER_E = 0x45
const LOWER_E = 0x65
