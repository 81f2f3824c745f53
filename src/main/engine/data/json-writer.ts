import { type Data, entriesOf, Float, isDictionary, isList } from './value.ts'

/**
 * Writes a value as JSON, the inverse of `parseJson`: bigints keep their digits, a `Float` its point, a
 * Map its order. NaN and the infinities, which JSON cannot say, are `null` as in JSON.stringify.
 *
 * @param indent spaces a level; absent = one line without spaces
 */
export function writeJson(value: Data, indent = 0): string {
  if (isPlain(value)) return JSON.stringify(value, null, indent)
  return write(value, indent, '\n')
}

function isPlain(value: Data): boolean {
  if (typeof value === 'bigint') return false
  if (typeof value !== 'object' || value === null) return true
  if (isList(value)) return value.every(isPlain)
  if (value instanceof Float || value instanceof Map) return false
  for (const key in value) {
    if (!isPlain(value[key] ?? null)) return false
  }
  return true
}

function write(value: Data, indent: number, newline: string): string {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Float) return writeFloat(value.value)
  if (isList(value)) {
    return bracket(
      '[]',
      value.map((item) => write(item, indent, newline + ' '.repeat(indent))),
      indent,
      newline,
    )
  }
  if (isDictionary(value)) {
    const colon = indent > 0 ? ': ' : ':'
    // A key that a record of ours does not have is left out, as JSON.stringify does.
    const present = entriesOf(value).filter(([, item]) => (item as unknown) !== undefined)
    const members = present.map(
      ([key, item]) => JSON.stringify(key) + colon + write(item, indent, newline + ' '.repeat(indent)),
    )
    return bracket('{}', members, indent, newline)
  }
  return JSON.stringify(value)
}

function bracket(brackets: '[]' | '{}', parts: readonly string[], indent: number, newline: string): string {
  const [open, close] = brackets
  if (parts.length === 0) return brackets
  if (indent === 0) return `${open}${parts.join(',')}${close}`
  const inner = newline + ' '.repeat(indent)
  return `${open}${inner}${parts.join(`,${inner}`)}${newline}${close}`
}

/** `String` already writes large floats with an exponent, which marks them as floats without a point. */
function writeFloat(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (Object.is(value, -0)) return '-0.0'
  const digits = String(value)
  return digits.includes('e') ? digits : `${digits}.0`
}
