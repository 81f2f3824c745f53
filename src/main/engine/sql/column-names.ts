/** Converts field names to column names. */
import { trimEnd } from '../../../shared/trim.ts'
import { createHash } from 'node:crypto'

export interface NameRules {
  readonly mostBytes: number
  /** Names that the database reserves in every table. */
  readonly taken: RegExp
}

/** Names are cut to PostgreSQL's limit. SQLite itself has no limit. */
export const POSTGRES_NAMES: NameRules = {
  mostBytes: 63,
  taken: /^(?:ctid|[cx]m(?:in|ax)|tableoid)$/,
}
export const SQLITE_NAMES: NameRules = { mostBytes: 1_000, taken: /^(?:oid|rowid|_rowid_)$/i }
/** A name in MySQL can't end with a space. */
export const MYSQL_NAMES: NameRules = { mostBytes: 64, taken: /\s$/ }

/** The field's own name if a column can have it, or else as much of it as fits, with eight digits of its SHA-1. */
export function columnName(field: string, { mostBytes, taken }: NameRules): string {
  if (field !== '' && Buffer.byteLength(field) <= mostBytes && !taken.test(field)) return field
  return distinctName(field, mostBytes)
}

/**
 * Like `columnName` for several fields, treating names that differ only in case as equal. Of those, the first or the
 * one that the table already has keeps its name.
 */
export function columnNames(
  fields: readonly string[],
  before: readonly string[],
  rules: NameRules,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const claimed = new Set<string>()
  const claim = (field: string, name: string) => {
    names.set(field, name)
    claimed.add(name.toLowerCase())
  }
  for (const field of fields) if (before.includes(field)) claim(field, field)
  for (const field of fields) {
    if (names.has(field)) continue
    const own = columnName(field, rules)
    const known = before.find((name) => name.toLowerCase() === own.toLowerCase())
    const distinct = distinctName(field, rules.mostBytes)
    if (claimed.has(own.toLowerCase()) || before.includes(distinct)) claim(field, distinct)
    else claim(field, known ?? own)
  }
  return names
}

function distinctName(field: string, mostBytes: number): string {
  const mark = `_${createHash('sha1').update(field).digest('hex').slice(0, 8)}`
  const most = mostBytes - mark.length
  // A character that is cut in two ends as a replacement character.
  const start = new TextDecoder().decode(Buffer.from(field).subarray(0, most))
  return (Buffer.byteLength(field) > most ? trimEnd(start, '\ufffd') : field) + mark
}
