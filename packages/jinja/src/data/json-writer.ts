import { type Data, entriesOf, Float, isDictionary, isList } from './value.ts'

/**
 * Writes a value as JSON, the inverse of `parseJson`: bigints keep their digits, a `Float` its decimal point, a Map its
 * order. NaN and the infinities, which JSON doesn't have, become `null` as in JSON.stringify.
 *
 * @param indent spaces per level; defaults to one line without spaces
 */
export function writeJson(value: Data, indent = 0): string {
  if (indent === 0) return writePart(value, 0)
  return isPlain(value, 0) ? JSON.stringify(value, null, indent) : writeLines(value, indent, '\n')
}

/** The JSON that large values were parsed from. It stays correct because values never change. */
const texts = new WeakMap<object, string>()
let isAnyRemembered = false

export function rememberText(value: Data, text: string): void {
  if (typeof value !== 'object' || value === null) return
  isAnyRemembered = true
  texts.set(value, text)
}

/** A value with a known source counts as special, so that it isn't traversed. */
function isPlain(value: Data, level: number): boolean {
  if (typeof value === 'bigint') return false
  if (typeof value !== 'object' || value === null) return true
  if (isAnyRemembered && level <= OUTER_LEVELS && texts.has(value)) return false
  if (isList(value)) return value.every((item) => isPlain(item, level + 1))
  if (value instanceof Float || value instanceof Map) return false
  for (const key in value) {
    if (!isPlain(value[key] ?? null, level + 1)) return false
  }
  return true
}

function writeLine(value: Data, level: number): string {
  if (isList(value)) {
    const items = value.map((item) => writePart(item, level + 1))
    return `[${items.join(',')}]`
  }
  if (!isDictionary(value)) return writeScalar(value)
  // Joined at the end, because a string built by concatenation keeps all its parts in memory.
  const members: string[] = []
  for (const [key, item] of entriesOf(value)) {
    if (!isAbsent(item)) members.push(`${JSON.stringify(key)}:${writePart(item, level + 1)}`)
  }
  return `{${members.join(',')}}`
}

/** Besides the one value that needs special treatment, there may be a hundred thousand that need none. */
function writePart(value: Data, level: number): string {
  if (typeof value !== 'object' || value === null || value instanceof Float) return writeScalar(value)
  const text = isAnyRemembered ? texts.get(value) : undefined
  if (text !== undefined) return text
  return level <= OUTER_LEVELS && isPlain(value, level) ? JSON.stringify(value) : writeLine(value, level)
}

/** Deeper values aren't checked for plain content again. */
const OUTER_LEVELS = 3

function writeLines(value: Data, indent: number, newline: string): string {
  const inner = newline + ' '.repeat(indent)
  if (isList(value)) {
    const items = value.map((item) => writeLines(item, indent, inner))
    return items.length === 0 ? '[]' : `[${inner}${items.join(`,${inner}`)}${newline}]`
  }
  if (!isDictionary(value)) return writeScalar(value)
  const members = entriesOf(value)
    .filter(([, item]) => !isAbsent(item))
    .map(([key, item]) => `${JSON.stringify(key)}: ${writeLines(item, indent, inner)}`)
  return members.length === 0 ? '{}' : `{${inner}${members.join(`,${inner}`)}${newline}}`
}

/** A key that an object doesn't have is left out, as in JSON.stringify. */
const isAbsent = (item: unknown) => item === undefined

function writeScalar(value: Data): string {
  if (typeof value === 'bigint') return value.toString()
  return value instanceof Float ? writeFloat(value.value) : JSON.stringify(value)
}

/** `String` writes large floats with an exponent, which already marks them as floats without a decimal point. */
function writeFloat(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (Object.is(value, -0)) return '-0.0'
  const digits = String(value)
  return digits.includes('e') ? digits : `${digits}.0`
}
