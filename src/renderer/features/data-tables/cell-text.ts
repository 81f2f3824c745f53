import type { DataTable } from '../../../shared/contract/data/data-tables.ts'
import { formatJson, parseJson } from '../../lib/json.ts'

/** The text that a cell is shown and edited as; an empty cell is an empty text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : formatJson(value, 0)
}

/** The value that is sent for an edited cell. Text that isn't JSON is sent as a string, even in a JSON column. */
export function toCell(text: string, type: DataTable['columns'][number]['type']): unknown {
  if (text === '') return null
  if (type !== 'json') return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
