import { type Data, type Dictionary, dictionaryOf } from '@millrace/jinja/data'

/** A name and value of a form or query, in the order sent. */
export type Field = readonly [name: string, value: Data]

/**
 * Reads `a=1&b=2`. Names are flat: `a[b]` is a name. A `%` that doesn't begin an escape is literal.
 *
 * @param source one character per byte, as in a URL or `latin1`
 * @param decode converts bytes to a string
 * @returns undefined if there are more than `maxFields`
 */
export function parseFields(
  source: string,
  maxFields: number,
  decode: (bytes: Buffer) => string,
): Field[] | undefined {
  const fields: Field[] = []
  for (let start = 0; start < source.length;) {
    const next = source.indexOf('&', start)
    const end = next === -1 ? source.length : next
    if (end > start) {
      if (fields.length === maxFields) return undefined
      const pair = source.slice(start, end)
      const equals = pair.indexOf('=')
      const name = equals === -1 ? pair : pair.slice(0, equals)
      const value = equals === -1 ? '' : pair.slice(equals + 1)
      fields.push([decode(unescape(name)), decode(unescape(value))])
    }
    start = end + 1
  }
  return fields
}

/** A name that occurs more than once gets a list of its values. */
export function collectFields(fields: readonly Field[]): Dictionary {
  const values = new Map<string, Data[]>()
  for (const [name, value] of fields) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return dictionaryOf([...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? null) : list]))
}

/** Works byte by byte, because a callback per escape would take seconds for a body that consists of escapes. */
function unescape(text: string): Buffer {
  const source = Buffer.from(text, 'latin1')
  let length = 0
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] ?? 0
    const escaped = byte === PERCENT ? hexAt(source, at + 1) : -1
    if (escaped !== -1) at += 2
    source[length++] = escaped !== -1 ? escaped : byte === PLUS ? SPACE : byte
  }
  return source.subarray(0, length)
}

/** The byte that two hex digits spell; -1 if they aren't hex digits. */
function hexAt(source: Buffer, at: number): number {
  const high = digit(source[at])
  const low = digit(source[at + 1])
  return high === -1 || low === -1 ? -1 : high * 16 + low
}

function digit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

const PERCENT = 0x25
const PLUS = 0x2b
const SPACE = 0x20
