import { writeJson } from '../data/json.ts'
import type { Data } from '../data/value.ts'

/** A value for a message: as JSON, cut. */
export function shortText(value: Data): string {
  if (Array.isArray(value) && value.length > 20) return `a list of ${value.length}`
  const text = writeJson(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
