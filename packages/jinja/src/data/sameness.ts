import { writeJson } from './json.ts'
import { type Data, Float } from './value.ts'

/**
 * A key that is equal for values that count as the same, such as `7`, `7.0` and the string `7` from a form or
 * CSV. `007` differs.
 */
export function sameness(value: Data): string {
  if (typeof value === 'string') return value
  if (value instanceof Float) return String(value.value)
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `\0${writeJson(value)}`
}
