/** The columns that records need in a table. */
import { type Data, type Dictionary, entriesOf, Float } from '../data/value.ts'

/** What a column has to hold; `integer` has at most 32 bits, `long` 64. Null while only nulls were seen. */
export type ColumnKind = 'boolean' | 'integer' | 'long' | 'number' | 'text' | 'json' | null

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
}

/** Collects them while records pass by, in the order in which they appear. */
export class ColumnSet {
  readonly #kinds = new Map<string, ColumnKind>()

  add(record: Dictionary): void {
    for (const [name, value] of entriesOf(record)) {
      const known = this.#kinds.get(name)
      const kind = kindOf(value)
      if (known === undefined || known !== kind)
        this.#kinds.set(name, known === undefined ? kind : widest(known, kind))
    }
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
      return value === BigInt.asIntN(64, value) ? 'long' : 'text'
    case 'number':
      if (!Number.isInteger(value)) return 'number'
      return value === (value | 0) ? 'integer' : 'long'
    default:
      return value instanceof Float ? 'number' : 'json'
  }
}

/** The narrowest kind that holds both. */
export function widest(a: ColumnKind, b: ColumnKind): ColumnKind {
  if (a === b || b === null) return a
  if (a === null) return b
  const [left, right] = [NUMBERS.indexOf(a), NUMBERS.indexOf(b)]
  return left === -1 || right === -1 ? 'text' : (NUMBERS[Math.max(left, right)] ?? 'text')
}

/** Each holds those before it. */
const NUMBERS: readonly ColumnKind[] = ['integer', 'long', 'number']
