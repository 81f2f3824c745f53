import type { DataTable } from '../../../shared/contract/data/data-tables.ts'
import { formatJson, parseJson } from '../../lib/json.ts'

/** How a cell is shown and edited; an empty one is an empty text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : formatJson(value, 0)
}

/** What is sent for an edited cell. Text that isn't JSON is text, also in a column of JSON. */
export function toCell(text: string, type: DataTable['columns'][number]['type']): unknown {
  if (text === '') return null
  if (type !== 'json') return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
