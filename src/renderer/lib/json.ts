/**
 * JSON without loss of precision: an integer beyond 2^53 is read as a bigint and written with all its digits. The
 * plain parser stays the fast path; the reviver runs only if the text contains a long run of digits.
 */
export function parseJson(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

/** Throws if the value can't be JSON, like JSON.stringify; `undefined` becomes null. */
export function formatJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, writeDigits, indent) ?? 'null'
}

/** JSON with line breaks; other text as it is. */
export function prettyJson(text: string): string {
  try {
    return formatJson(parseJson(text))
  } catch {
    return text
  }
}

/** Not the digits after a decimal point, because a text of 20 MB has many of them, and none needs the slow path. */
const LONG_INTEGER = /(?:^|[:,[\s-])\d{16}/
const { rawJSON } = JSON as typeof JSON & { rawJSON?: (text: string) => unknown }

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}

function writeDigits(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return rawJSON === undefined ? Number(value) : rawJSON(value.toString())
}
