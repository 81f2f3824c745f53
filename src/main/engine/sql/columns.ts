/** The columns that records need in a table. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { ColumnType } from '../../../shared/contract/step-types/parts/sink.ts'
import { type Data, type Dictionary, entriesOf, Float } from '@millrace/jinja/data'

/**
 * The kind of values that a column has to hold. `integer` has at most 32 bits, `long` is exact as a double, and `big`
 * has 64 bits. `exact` holds these and decimal numbers, which a double can't. Null while only nulls have been seen.
 * Fields get the other types only if they are declared.
 */
export type ColumnKind =
  | 'boolean'
  | 'integer'
  | 'long'
  | 'big'
  | 'number'
  | 'exact'
  | 'text'
  | 'json'
  | ColumnType
  | null

export type ColumnTypes = ReadonlyMap<string, ColumnType>

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
}

/** Collects columns from records, in the order in which they appear. */
export class ColumnSet {
  readonly #kinds = new Map<string, ColumnKind>()
  readonly #types: ColumnTypes

  constructor(types: ColumnTypes) {
    this.#types = types
  }

  /** @returns whether the record fits; it is left out if there would be more than `most` columns */
  add(record: Dictionary, most = Infinity): boolean {
    const entries = entriesOf(record)
    if (this.#kinds.size + entries.length > most) {
      const added = entries.filter(([name]) => !this.#kinds.has(name)).length
      if (this.#kinds.size + added > most) return false
    }
    for (const [name, value] of entries) {
      const known = this.#kinds.get(name)
      const kind = this.#types.get(name) ?? kindOf(value)
      if (known === undefined || known !== kind)
        this.#kinds.set(name, known === undefined ? kind : widest(known, kind))
    }
    return true
  }

  get list(): readonly Column[] {
    return [...this.#kinds].map(([name, kind]) => ({ name, kind }))
  }
}

function kindOf(value: Data): ColumnKind {
  if (value === null) return null
  switch (typeof value) {
    case 'boolean':
      return 'boolean'
    case 'string':
      return 'text'
    case 'bigint':
      return value === BigInt.asIntN(64, value) ? 'big' : 'text'
    case 'number':
      if (!Number.isInteger(value)) return 'number'
      if (value === (value | 0)) return 'integer'
      return Number.isSafeInteger(value) ? 'long' : 'number'
    default:
      return value instanceof Float ? 'number' : 'json'
  }
}

/** The narrowest kind that can hold the values of both. */
export function widest(a: ColumnKind, b: ColumnKind): ColumnKind {
  if (a === b || b === null) return a
  if (a === null) return b
  if (a === 'decimal' || b === 'decimal' || !NUMBERS.includes(a) || !NUMBERS.includes(b)) return 'text'
  const isBig = (kind: ColumnKind) => kind === 'big' || kind === 'exact'
  const isDecimal = (kind: ColumnKind) => kind === 'number' || kind === 'exact'
  if (isBig(a) || isBig(b)) return isDecimal(a) || isDecimal(b) ? 'exact' : 'big'
  if (isDecimal(a) || isDecimal(b)) return 'number'
  return 'long'
}

export const NUMBERS: readonly ColumnKind[] = ['integer', 'long', 'big', 'number', 'exact', 'decimal']

/** A run's warning if a column has a different type than the one declared for its field. */
export const otherType = (table: string, column: string, type: string, wanted: string): Said =>
  say(
    'The column "{{column}}" of "{{table}}" has the type {{type}}, so its values aren\'t stored as {{wanted}}',
    { column, table, type: type || 'none', wanted },
  )

export const NO_FIELDS = say("the records have no fields, so they can't be rows of a table")
