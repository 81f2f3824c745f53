/** Converts database values to data. */
import { type Data, dictionaryOf, Float } from '@millrace/jinja/data'

/** The unique names of the columns in a row. A second `id` becomes `id_2`, so that no value is lost. */
export function columnNames(given: readonly string[]): readonly string[] {
  const taken = new Set(given)
  if (taken.size === given.length) return given
  const before = new Set<string>()
  return given.map((name) => {
    if (!before.has(name)) {
      before.add(name)
      return name
    }
    let number = 2
    while (taken.has(`${name}_${number}`)) number++
    taken.add(`${name}_${number}`)
    return `${name}_${number}`
  })
}

/** A row as an object, with the names of `columnNames`. */
export function rowOf(columns: readonly string[], values: readonly Data[]): Data {
  return dictionaryOf(columns.map((name, at) => [name, values[at] ?? null]))
}

/** An integer of any size. */
export function integerOf(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

/** A decimal number as a number if that is exact, or else as a string. */
export function decimalOf(text: string): Data {
  const digits = text.replace(/^-?0*|\D/g, '').length
  if (digits > EXACT_DIGITS || !/^-?\d+(\.\d+)?$/.test(text)) return text
  return floatOf(Number(text))
}

/** A float keeps its kind: `5.0` stays `5.0`. */
export function floatOf(number: number): Data {
  if (!Number.isFinite(number)) return String(number)
  return Number.isInteger(number) ? new Float(number) : number
}

/** Converts times like `2026-01-31 12:00:00` to ISO 8601. Other strings, such as `infinity`, are left unchanged. */
export function dateTimeOf(text: string, isUtc: boolean): string {
  const time = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/.exec(text)
  return time === null ? text : `${time[1]}T${time[2]}${isUtc ? 'Z' : ''}`
}

/** Decimal numbers with at most this many digits survive as a double. */
const EXACT_DIGITS = 15
