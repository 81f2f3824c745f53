/** Finds the new entries of a list. */
import { hash } from 'node:crypto'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import { commonKind, compareCursors, cursorKind, isCursor, lookBackFrom } from './cursor.ts'
import { columnReader, fieldReader } from './entry-field.ts'

export interface EntryRules {
  /** The fields that identify an entry. Null means the whole entry. */
  readonly key: readonly string[] | null
  readonly cursorField: string | null
  readonly lookBack: number
  /** Whether fields are column names rather than paths. */
  readonly areColumns: boolean
  /** Whether the source has already left out old entries and sorted the others, oldest first, by its own rules. */
  readonly isOrdered: boolean
}

export interface ListedEntry {
  readonly entry: Data
  /** A hexadecimal ID that is the same for the same state of the same entry. */
  readonly id: string
  /** Null if the entry has no cursor, or a stray one of a different kind than the others. */
  readonly cursor: Data
}

export interface NewEntries {
  /** The entries that weren't known yet, oldest first. */
  readonly fresh: readonly ListedEntry[]
  /** IDs of known entries that the list still has. */
  readonly known: readonly string[]
}

export interface NewEntriesOptions {
  readonly rules: EntryRules
  /** The highest cursor so far; null at the first check. */
  readonly cursor: Data
  readonly isKnown: (id: string) => boolean
  readonly yieldToEventLoop: () => Promise<void>
}

/**
 * Finds the entries that weren't in the list before. Without a cursor field, the list is assumed to begin with its
 * newest entry, as in feeds and most APIs.
 *
 * @throws AppError if entries don't have the fields that the rules name
 */
export async function findNewEntries(
  entries: readonly Data[],
  { rules, cursor, isKnown, yieldToEventLoop }: NewEntriesOptions,
): Promise<NewEntries> {
  const readerOf = rules.areColumns ? columnReader : fieldReader
  const readKey = rules.key === null ? null : rules.key.map(readerOf)
  const readCursor = rules.cursorField === null ? null : readerOf(rules.cursorField)
  const from = cursor === null || rules.isOrdered ? null : lookBackFrom(cursor, rules.lookBack)
  const fresh: ListedEntry[] = []
  const known: string[] = []
  const seen = new Set<string>()
  const cursors = readCursor === null ? [] : await cursorsOf(entries, readCursor, yieldToEventLoop)
  const kind = readCursor === null ? null : commonKind(cursors, cursor)
  let withoutKey = 0
  let withoutCursor = 0
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_A_LOOK === ENTRIES_A_LOOK - 1) await yieldToEventLoop()
    const key = readKey === null ? [entry] : readKey.map((read) => read(entry))
    const own = cursors[index] ?? null
    if (readKey !== null && key.some((part) => part === null || part === '')) withoutKey++
    if (readCursor !== null && own === null) withoutCursor++
    const isStray = own !== null && kind !== null && cursorKind(own) !== kind
    if (own !== null && from !== null && !isStray && compareCursors(own, from) < 0) continue
    const id = idOf(own === null || readKey === null ? key : [...key, own])
    if (seen.has(id)) continue
    seen.add(id)
    if (isKnown(id)) known.push(id)
    else fresh.push({ entry, id, cursor: isStray ? null : own })
  }
  if (withoutKey > 0) throw missing('key', rules.key?.join(', ') ?? '', withoutKey, entries.length)
  if (withoutCursor > 0 && withoutCursor === entries.length)
    throw missing('cursor_field', rules.cursorField ?? '', withoutCursor, entries.length)
  if (rules.isOrdered) return { fresh, known }
  fresh.reverse()
  if (readCursor !== null) fresh.sort((a, b) => compareCursors(a.cursor, b.cursor))
  return { fresh, known }
}

/** The cursor of each entry; null if it has none. */
async function cursorsOf(
  entries: readonly Data[],
  readCursor: (entry: Data) => Data,
  yieldToEventLoop: () => Promise<void>,
): Promise<readonly Data[]> {
  const cursors: Data[] = []
  for (const entry of entries) {
    const found = readCursor(entry)
    if (cursors.push(isCursor(found) ? found : null) % ENTRIES_A_LOOK === 0) await yieldToEventLoop()
  }
  return cursors
}

/** The higher of two cursors. Null is lower than everything. */
export function higherCursor(a: Data, b: Data): Data {
  return compareCursors(a, b) < 0 ? b : a
}

/** Uses 128 bits, because the parts come from outside, and two IDs that were made to collide would hide an entry. */
export function idOf(parts: readonly Data[]): string {
  return hash('sha256', writeJson(parts), 'hex').slice(0, 32)
}

function missing(name: string, field: string, count: number, total: number): AppError {
  const values = { field: field.slice(0, 100), name }
  return new AppError(
    'validation',
    count === total
      ? say('No entry of the list has the field "{{field}}"; correct "{{name}}"', values)
      : say('{{count}} of {{total}} entries don\'t have the field "{{field}}"; correct "{{name}}"', {
          count,
          total,
          ...values,
        }),
  )
}

const ENTRIES_A_LOOK = 500
