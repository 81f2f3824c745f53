/** Statements that read those rows of a table that a trigger hasn't seen yet. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { Data } from '@millrace/jinja/data'
import type { DatabaseKind } from './database-kind.ts'
import { quoteIn } from './quote-name.ts'

interface Statement {
  readonly statement: string
  readonly parameters: Data
}

export interface WatchedTable {
  readonly kind: DatabaseKind
  readonly table: string
  readonly key: readonly string[]
  readonly cursor: string | null
}

/** Rows starting at a value of the cursor, or all rows with a cursor, lowest first. */
export function rowsFrom(watched: WatchedTable, cursor: string, since: Data, most: number): Statement {
  const { kind, key } = watched
  const column = quoteIn(kind, cursor)
  const from = since === null ? 'IS NOT NULL' : `>= ${kind === 'postgres' ? '$1' : '?'}`
  const order = [cursor, ...key].map((name) => quoteIn(kind, name)).join(', ')
  return {
    statement: `SELECT * FROM ${tableIn(watched)} WHERE ${column} ${from} ORDER BY ${order} LIMIT ${most}`,
    parameters: since === null ? [] : [sentIn(kind, since)],
  }
}

/** Rows with the highest cursor or key first; in the order of the table if it has neither. */
export function newestRows(watched: WatchedTable, most: number): Statement {
  const { kind, key, cursor } = watched
  const column = cursor === null ? null : quoteIn(kind, cursor)
  const order = [...(cursor === null ? [] : [cursor]), ...key].map((name) => `${quoteIn(kind, name)} DESC`)
  const where = column === null ? '' : ` WHERE ${column} IS NOT NULL`
  const sorted = order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`
  return { statement: `SELECT * FROM ${tableIn(watched)}${where}${sorted} LIMIT ${most}`, parameters: [] }
}

/** The problem with a table's name; completes the sentence "table …". */
export function tableProblem(name: string): Said | null {
  return partsOf(name) === null ? say('must be a name, or a schema and a name with a dot between them') : null
}

function tableIn({ kind, table }: WatchedTable): string {
  return (partsOf(table) ?? [table]).map((part) => quoteIn(kind, part)).join('.')
}

/** Splits names such as `orders`, `sales.orders` and, in quotes because of the dot, `"odd.name"`. */
export function partsOf(name: string): string[] | null {
  const trimmed = name.trim()
  if (!/^(?:"(?:[^"]|"")+"|[^".]+)(?:\.(?:"(?:[^"]|"")+"|[^".]+)){0,2}$/.test(trimmed)) return null
  const parts = trimmed.match(/"(?:[^"]|"")+"|[^".]+/g) ?? []
  return parts.map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part))
}

/** MySQL accepts dates only in its own format. */
function sentIn(kind: DatabaseKind, since: Data): Data {
  if (kind !== 'mysql' || typeof since !== 'string') return since
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z?$/.test(since) ? since.replace('T', ' ').replace('Z', '') : since
}
