import { type Data, type Dictionary, dictionaryOf } from '../data/value.ts'

/** A name and its value as a form or a query carries them, in the order sent. */
export type Field = readonly [name: string, value: Data]

/**
 * Reads `a=1&b=2`. Names are flat: `a[b]` is a name. A `%` that begins no escape stands for itself.
 *
 * @param source one character a byte, as a URL or `latin1` has it
 * @param decode turns bytes into text
 * @returns undefined for more than `maxFields` of them
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

/** A name that comes more than once holds the list of its values. */
export function collectFields(fields: readonly Field[]): Dictionary {
  const values = new Map<string, Data[]>()
  for (const [name, value] of fields) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return dictionaryOf([...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? null) : list]))
}

function unescape(text: string): Buffer {
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
