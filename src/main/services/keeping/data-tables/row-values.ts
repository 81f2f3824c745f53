/** Checks the values of rows against their columns, writes them as cells, and reads them again. */
import { say, type Message } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { DATA_TABLE_LIMITS } from '../../../../shared/contract/data/data-tables.ts'
import {
  type Data,
  dictionaryOf,
  entriesOf,
  Float,
  getKey,
  isDictionary,
  OWN_JSON_LIMITS,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import { numberIn } from '../../../engine/flow/steps/support/compare.ts'
import type { DataColumn, DataRow } from '../../../store/index.ts'

/** Values by column ID; null empties a cell. */
export type Cells = ReadonlyMap<string, Data>

export interface CellsOptions {
  readonly table: string
  readonly columns: readonly DataColumn[]
  /** The row's name in messages, such as `row 3`; null for the values of an update. */
  readonly row: number | null
  readonly ignoresUnknown: boolean
}

/** @throws AppError `validation` naming the row, the column and the value */
export function toCells(row: Data, { table, columns, row: number, ignoresUnknown }: CellsOptions): Cells {
  if (!isDictionary(row)) {
    throw new AppError(
      'validation',
      number === null
        ? say('The values must be an object with a value for each column name, got {{value}}', {
            value: shown(row),
          })
        : say('row {{row}} must be an object with a value for each column name, got {{value}}', {
            row: number,
            value: shown(row),
          }),
    )
  }
  const byName = new Map(columns.map((column) => [column.name, column]))
  const cells = new Map<string, Data>()
  for (const [name, value] of entriesOf(row)) {
    const column = byName.get(name)
    if (column !== undefined) cells.set(column.id, toCell(value, column, number))
    else if (!ignoresUnknown && !name.startsWith('_')) {
      throw new AppError(
        'validation',
        inRow(
          number,
          say('the table "{{table}}" has no column {{name}}; {{rest}}', {
            table,
            name: shown(name),
            rest: namesOf(columns),
          }),
        ),
      )
    }
  }
  return cells
}

const inRow = (row: number | null, rest: Message) =>
  row === null ? rest : say('row {{row}}: {{rest}}', { row, rest })

function namesOf(columns: readonly DataColumn[]): Message {
  return columns.length === 0
    ? say('it has no columns yet')
    : say('its columns are {{columns}}', {
        columns: columns
          .map(({ name }) => name)
          .join(', ')
          .slice(0, 500),
      })
}

function toCell(value: Data, column: DataColumn, row: number | null): Data {
  if (value === null || (value === '' && column.type !== 'json')) return null
  const cell = CELL_OF[column.type](value)
  if (cell === undefined) {
    throw new AppError(
      'validation',
      inRow(
        row,
        say('"{{name}}" is {{value}}; {{rest}}', {
          name: column.name,
          value: shown(value),
          rest: TAKES[column.type],
        }),
      ),
    )
  }
  const size = typeof cell === 'string' ? cell.length : writeJson(cell).length
  if (size > DATA_TABLE_LIMITS.cellCharacters) {
    throw new AppError(
      'too_large',
      inRow(
        row,
        say(
          '"{{column}}" has {{size}} characters; the limit for a cell is {{most}}. Keep it in a file instead',
          { column: column.name, size, most: DATA_TABLE_LIMITS.cellCharacters },
        ),
      ),
    )
  }
  if (typeof cell === 'string' && !cell.isWellFormed()) {
    throw new AppError(
      'validation',
      inRow(
        row,
        say('"{{field}}" {{rest}}', {
          field: column.name,
          rest: say('contains half a character (a lone surrogate)'),
        }),
      ),
    )
  }
  return cell
}

/** Undefined if the value doesn't fit. */
const CELL_OF: { readonly [T in DataColumn['type']]: (value: Exclude<Data, null>) => Data | undefined } = {
  text: (value) =>
    typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value),
  number(value) {
    const number = typeof value === 'boolean' ? null : numberIn(value)
    // Converts a bigint that a number can hold exactly.
    if (typeof number === 'bigint') return Number.isSafeInteger(Number(number)) ? Number(number) : number
    return number === null || !Number.isFinite(number) ? undefined : number + 0
  },
  boolean(value) {
    if (typeof value === 'boolean') return value
    const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
    return text === 'true' ? true : text === 'false' ? false : undefined
  },
  datetime(value) {
    if (typeof value !== 'string' || !DATE_TIME.test(value)) return undefined
    const iso = value.trim().replace(' ', 'T')
    const time = Date.parse(iso.includes('T') && !ZONE.test(iso) ? `${iso}Z` : iso)
    return Number.isNaN(time) ? undefined : time
  },
  json: (value) => value,
}

const DATE_TIME = /^\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?\s*$/i
const ZONE = /(?:Z|[+-]\d\d:?\d\d)\s*$/i

const TAKES: { readonly [T in DataColumn['type']]: Message } = {
  text: say('the column takes text'),
  number: say('the column takes numbers'),
  boolean: say('the column takes true or false'),
  datetime: say('the column takes times such as 2026-03-01T12:00:00Z'),
  json: say('the column takes any value'),
}

/** Merges `after` over `before`; empty cells aren't stored. */
export function writeCells(before: Cells, after: Cells): string {
  const cells = new Map([...before, ...after])
  return writeJson(dictionaryOf([...cells].filter(([, value]) => value !== null)))
}

export function readCells(text: string): Cells {
  return new Map(entriesOf(parseJson(text, OWN_JSON_LIMITS) as ReturnType<typeof dictionaryOf>))
}

/** A row as callers see it. */
export function toRecord(
  { key, cells, created_at, updated_at }: DataRow,
  columns: readonly DataColumn[],
): Data {
  const stored = parseJson(cells, OWN_JSON_LIMITS)
  const valueOf = (id: string) => (isDictionary(stored) ? (getKey(stored, id) ?? null) : null)
  return dictionaryOf([
    ['_id', key],
    ['_created_at', created_at],
    ['_updated_at', updated_at],
    ...columns.map(({ id, name, type }) => [name, shownCell(valueOf(id), type)] as const),
  ])
}

export function shownCell(value: Data, type: DataColumn['type']): Data {
  return type === 'datetime' && typeof value === 'number' ? new Date(value).toISOString() : value
}

/** The key that the store's `withKeys` looks for; null if part of it is empty. */
export function matchOf(cells: Cells, columnIds: readonly string[]): string | null {
  const parts = columnIds.map((id) => cells.get(id) ?? null)
  return parts.includes(null) ? null : parts.map((part) => writeJson(part)).join(',')
}

/** The value for a message, shortened. */
function shown(value: Data): string {
  const text = writeJson(value instanceof Float ? value.value : value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
