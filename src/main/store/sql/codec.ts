/** Converts values to columns and back. */
import { isoOf, timeOf } from '../../../shared/iso-time.ts'

/** JSON serialization chosen by the caller: Millrace's own keeps every digit of a number and the order of keys. */
export interface JsonCodec {
  parse(text: string): unknown
  stringify(value: unknown): string
}

/** For the store's own structures, which contain only plain values: labels, names, flags. */
export const PLAIN_JSON: JsonCodec = {
  parse: (text) => JSON.parse(text) as unknown,
  stringify: (value) => JSON.stringify(value),
}

/** Milliseconds since 1970 → the API's `2026-03-01T12:00:00.000Z`. */
export const toIso = isoOf
export const toIsoOrNull = (time: number | null) => (time === null ? null : toIso(time))

export function toTime(iso: string): number {
  const time = timeOf(iso)
  if (Number.isNaN(time)) throw new TypeError(`"${iso}" isn't a time`)
  return time
}

export const toTimeOrNull = (iso: string | null) => (iso === null ? null : toTime(iso))

export const toFlag = (value: boolean) => (value ? 1 : 0)

/**
 * Empty lists and null are stored as NULL, because most steps and runs have no warnings, and narrow rows are quick to
 * list.
 */
export const listOrNull = (list: readonly unknown[], json: JsonCodec) =>
  list.length === 0 ? null : json.stringify(list)
export const valueOrNull = (value: unknown, json: JsonCodec) =>
  value === null ? null : json.stringify(value)
export const parseOrNull = (text: string | null, json: JsonCodec) => (text === null ? null : json.parse(text))
