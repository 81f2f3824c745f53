/** Turns records into choices of a form, each with an ID and a name. */
import type { SearchChoice } from '../../../../shared/contract/connectors.ts'
import { type Data, entriesOf, Float, isDictionary, isList } from '@millrace/jinja/data'
import { selectJsonPath } from '@millrace/jinja/jsonpath'
import { valueText } from '../../../engine/request/query-string.ts'
import { templateToAppError } from '../../kit/template-error.ts'

/** The rules by which records of a list become choices. */
export interface ChoiceEntry {
  /** Whether the API (`search`) or Millrace (`list`) compares records with `q`. */
  readonly type: 'search' | 'list'
  /** JSONPaths. Null means the record's own id and name. */
  readonly id: string | null
  readonly match: string | null
}

export interface FoundRecord {
  readonly record: Data
  readonly entry: ChoiceEntry
}

export function choiceOf(record: Data, { id, match }: ChoiceEntry): SearchChoice | null {
  const [value] = id === null ? [firstOf(record, IDS)] : inSentence(() => selectJsonPath(id, record))
  if (value === undefined || value === null) return null
  const found =
    match === null ? [firstOf(record, NAMES) ?? value] : inSentence(() => selectJsonPath(match, record))
  const parts = found.map((part) => (part === null ? '' : valueText(part))).filter((part) => part !== '')
  const label = parts.join(' ').slice(0, MOST_LETTERS)
  return { value, label, record } as SearchChoice
}

const MOST_LETTERS = 200

/** Also finds a choice by its complete ID, because somebody may paste it. */
export function isFound({ value, label }: SearchChoice, { type }: ChoiceEntry, q: string): boolean {
  if (type === 'search') return true
  return label.toLowerCase().includes(q.toLowerCase()) || (q !== '' && valueText(value) === q)
}

/** The records of a response that isn't paginated: those at the path, or without a path its only or longest list. */
export function recordsIn(body: Data, path: string | null): readonly Data[] {
  if (path === null) return listIn(body, 2) ?? []
  const found = inSentence(() => selectJsonPath(path, body))
  const [only] = found
  return found.length === 1 && only !== undefined && isList(only) ? only : found
}

/** The record in the response to a call that reads a single one; APIs often wrap it, as in `{ "user": … }`. */
export function recordIn(body: Data, entry: ChoiceEntry): SearchChoice | null {
  const own = choiceOf(body, entry)
  if (own !== null || !isDictionary(body)) return own
  const inner = entriesOf(body).flatMap(([, value]) => (isDictionary(value) ? [value] : []))
  return inner.length === 1 && inner[0] !== undefined ? choiceOf(inner[0], entry) : null
}

function listIn(body: Data, depth: number): readonly Data[] | null {
  if (isList(body)) return body
  if (!isDictionary(body) || depth === 0) return null
  const lists = entriesOf(body).flatMap(([, value]) => listIn(value, depth - 1) ?? [])
  const own = entriesOf(body).flatMap(([, value]) => (isList(value) ? [value] : []))
  const [longest] = own.toSorted((a, b) => b.length - a.length)
  return longest ?? (lists.length > 0 ? lists : null)
}

/** Usual names of the ID and name fields in APIs, most common first. */
const IDS = [/^_?id$/i, /^(?:uuid|guid|gid|sid|key|slug|code)$/i, /(?:_id|Id|ID|_uuid)$/]
const NAMES = [
  /^(?:name|title|label)$/i,
  /^(?:display|full)_?name$/i,
  /name$|title$/i,
  /^(?:summary|subject|email|key)$/i,
]

/** The first plain value under one of these names; a record that isn't an object is the value itself. */
function firstOf(record: Data, names: readonly RegExp[]): Data | undefined {
  if (!isDictionary(record)) return typeof record === 'object' ? undefined : record
  const plain = entriesOf(record).filter(([, value]) => typeof value !== 'object' || value instanceof Float)
  return names.flatMap((name) => plain.filter(([key]) => name.test(key)).map(([, value]) => value))[0]
}

export function inSentence<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw templateToAppError(error)
  }
}
