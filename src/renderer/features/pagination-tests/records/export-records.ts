import { formatJson } from '../../../lib/json.ts'

/** The formats for saving a flat list. */
export const EXPORTS = {
  json: {
    label: 'JSON',
    type: 'application/json',
    write: (records: readonly unknown[]) => formatJson(records),
  },
  ndjson: { label: 'NDJSON', type: 'application/x-ndjson', write: toNdjson },
  csv: { label: 'CSV', type: 'text/csv', write: toCsv },
} as const
export type ExportFormat = keyof typeof EXPORTS

/** One record per line. */
function toNdjson(records: readonly unknown[]): string {
  return records.map((record) => `${formatJson(record, 0)}\n`).join('')
}

/**
 * RFC 4180 with a header line: one column for each key of any record, in order of first occurrence. Lists and objects
 * are JSON; absent values are empty. Records that aren't objects have a single column `value`.
 */
function toCsv(records: readonly unknown[]): string {
  const names = new Set<string>()
  for (const record of records) for (const name of namesOf(record)) names.add(name)
  const columns = [...names]
  const lines = records.map((record) => columns.map((name) => field(cellOf(record, name))).join(','))
  return [columns.map(field).join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

function namesOf(record: unknown): readonly string[] {
  return isDictionary(record) ? Object.keys(record) : ['value']
}

function cellOf(record: unknown, name: string): string {
  const value = isDictionary(record)
    ? Object.hasOwn(record, name)
      ? record[name]
      : null
    : name === 'value'
      ? record
      : null
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : formatJson(value, 0)
}

function field(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
