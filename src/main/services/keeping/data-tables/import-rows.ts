/** Reads and writes rows as text: CSV and JSON lines. */
import { say, type Said, saidInSchema, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { DATA_TABLE_LIMITS, dataColumnName } from '../../../../shared/contract/data/data-tables.ts'
import { CsvError, parseCsv, writeCsv } from '@millrace/jinja/csv'
import {
  type Data,
  dictionaryOf,
  Float,
  getKey,
  isDictionary,
  JsonError,
  keysOf,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import type { DataColumn } from '../../../store/index.ts'

export type RowFormat = 'csv' | 'jsonl'

/** The rows of a file, and the names of its columns in their order. */
export interface RowFile {
  readonly rows: readonly Data[]
  readonly names: readonly string[]
}

/** @throws AppError `validation` naming the line */
export function readRowFile(text: string, format: RowFormat, columns: readonly DataColumn[]): RowFile {
  const { rows, names } = format === 'csv' ? fromCsv(text, columns) : fromJsonLines(text)
  if (rows.length === 0) throw invalid(say('the file has no rows'))
  if (rows.length > DATA_TABLE_LIMITS.rows) {
    throw invalid(
      say('the file has {{count}} rows; the limit for a table is {{limit}}', {
        count: rows.length,
        limit: DATA_TABLE_LIMITS.rows,
      }),
    )
  }
  return { rows, names: names.filter((name) => !name.startsWith('_')) }
}

function fromCsv(text: string, columns: readonly DataColumn[]): RowFile {
  const [head = [], ...lines] = parse(text)
  const names = head.map((name) => name.trim())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw invalid(say('two columns have the name {{name}}', { name: writeJson(twice.slice(0, 100)) }))
  if (names.includes(''))
    throw invalid(say('a column has no name; the first line must have the column names'))
  const isJson = new Set(columns.filter(({ type }) => type === 'json').map(({ name }) => name))
  return {
    names,
    rows: lines.map((fields, at) => {
      if (fields.length > names.length)
        throw invalid(
          say('row {{row}} has {{fields}} fields, but there are {{columns}} columns', {
            row: at + 1,
            fields: fields.length,
            columns: names.length,
          }),
        )
      return dictionaryOf(
        names.map((name, index) => {
          const field = fields[index] ?? ''
          return [name, field === '' ? null : isJson.has(name) ? jsonField(field, name, at + 1) : field]
        }),
      )
    }),
  }
}

function parse(text: string): string[][] {
  try {
    return parseCsv(text, { delimiter: delimiterOf(text), maxFields: MOST_FIELDS })
  } catch (error) {
    if (error instanceof CsvError) throw invalid(sentenceOf(error))
    throw error
  }
}

/** Spreadsheets write semicolons in countries whose decimal separator is a comma. */
function delimiterOf(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1)
  const count = (delimiter: string) => line.split(delimiter).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] ?? ','
}

function jsonField(text: string, name: string, row: number): Data {
  try {
    return parseJson(text)
  } catch {
    throw invalid(say("row {{row}}: {{name}} isn't valid JSON", { row, name: writeJson(name) }))
  }
}

function fromJsonLines(text: string): RowFile {
  const rows: Data[] = []
  const names = new Set<string>()
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const row = parseLine(line, at + 1)
    if (!isDictionary(row)) throw invalid(say("line {{line}} isn't an object", { line: at + 1 }))
    for (const name of keysOf(row)) names.add(name)
    if (names.size > MOST_NAMES)
      throw invalid(say('the rows have more than {{most}} different keys', { most: MOST_NAMES }))
    rows.push(row)
  }
  return { rows, names: [...names] }
}

function parseLine(line: string, number: number): Data {
  try {
    return parseJson(line)
  } catch (error) {
    if (error instanceof JsonError)
      throw invalid(
        say("line {{line}} isn't valid JSON in column {{column}}: {{problem}}", {
          line: number,
          column: error.column,
          problem: error.problem,
        }),
      )
    throw error
  }
}

/** The columns that the table lacks, with types that fit all values. */
export function columnsFor(
  { rows, names }: RowFile,
  columns: readonly DataColumn[],
  format: RowFormat,
): readonly Pick<DataColumn, 'name' | 'type'>[] {
  const known = new Set(columns.map(({ name }) => name))
  return names
    .filter((name) => !known.has(name))
    .map((name) => {
      const checked = dataColumnName.safeParse(name)
      if (!checked.success) {
        throw invalid(
          say("{{name}} can't be a column: {{why}}", {
            name: writeJson(name.slice(0, 100)),
            why: saidInSchema(checked.error.issues[0]?.message ?? ''),
          }),
        )
      }
      const values = rows.map((row) => (isDictionary(row) ? (getKey(row, name) ?? null) : null))
      return {
        name,
        type: typeOf(
          values.filter((value) => value !== null),
          format,
        ),
      }
    })
}

function typeOf(values: readonly Data[], format: RowFormat): DataColumn['type'] {
  if (values.length === 0) return 'text'
  const fits = format === 'csv' ? FITS_TEXT : FITS_JSON
  return fits.find(([, isOfType]) => values.every(isOfType))?.[0] ?? (format === 'csv' ? 'text' : 'json')
}

const isText = (value: Data) => typeof value === 'string'
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/
const isTime = (value: Data) => typeof value === 'string' && TIME.test(value)

const FITS_JSON: readonly (readonly [DataColumn['type'], (value: Data) => boolean])[] = [
  ['number', (value) => typeof value === 'number' || typeof value === 'bigint' || value instanceof Float],
  ['boolean', (value) => typeof value === 'boolean'],
  ['datetime', isTime],
  ['text', isText],
]

/** `007` is text, because as a number it would lose its zeros. */
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/
const FITS_TEXT: typeof FITS_JSON = [
  ['number', (value) => typeof value === 'string' && NUMBER.test(value)],
  ['boolean', (value) => value === 'true' || value === 'false'],
  ['datetime', isTime],
]

/** The column names as the first line of CSV; empty for JSON lines. */
export function headOf(columns: readonly DataColumn[], format: RowFormat): string {
  return format === 'csv' && columns.length > 0 ? writeCsv([columns.map(({ name }) => name)]) : ''
}

export function writeRows(
  records: readonly Data[],
  columns: readonly DataColumn[],
  format: RowFormat,
): string {
  const valueOf = (record: Data, name: string) =>
    isDictionary(record) ? (getKey(record, name) ?? null) : null
  if (format === 'csv') {
    if (columns.length === 0) return ''
    return writeCsv(
      records.map((record) => columns.map((column) => fieldOf(valueOf(record, column.name), column))),
    )
  }
  return records
    .map((record) => dictionaryOf(columns.map(({ name }) => [name, valueOf(record, name)] as const)))
    .map((record) => `${writeJson(record)}\n`)
    .join('')
}

function fieldOf(value: Data, { type }: DataColumn): string {
  if (value === null) return ''
  return typeof value === 'string' && type !== 'json' ? value : writeJson(value)
}

const invalid = (problem: Said) =>
  fieldErrors({ text: [problem] }, say('"text": {{rest}}', { rest: problem }))

const MOST_FIELDS = DATA_TABLE_LIMITS.rows * DATA_TABLE_LIMITS.columns
const MOST_NAMES = 1_000
