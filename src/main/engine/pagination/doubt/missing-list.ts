/** Decides what a page without a list means after pages that had one. */
import { type Data, getKey, isDictionary, isList, keysOf, writeJson } from '@millrace/jinja/data'
import type { FetchedPage, ListHolder, PageRecords } from '../model/page-run.ts'
import { announcedBy } from './announced.ts'

/** Traits of those pages of a run that had a list; part of a checkpoint. */
export type ListTraits = {
  /** Top-level keys that a page without the list still has. */
  readonly others: readonly string[]
  /** The other top-level keys: those that lead to the list. */
  readonly leading: readonly string[]
  /** Keys of a record. */
  readonly recordKeys: readonly string[]
  /** In XML, the names of the elements on the way to the list. Absent in checkpoints stored by an earlier version. */
  readonly around?: readonly string[]
}

export function traitsOf(
  { body, read, holder }: Pick<FetchedPage, 'body' | 'read' | 'holder'>,
  before: ListTraits | null,
): ListTraits {
  const [first] = read.unfiltered
  const keys = isDictionary(body) ? keysOf(body) : []
  const known = [...(before?.others ?? []), ...(before?.leading ?? []), ...(before?.around ?? [])]
  if (before !== null && [...keys, ...(holder?.around ?? [])].every((key) => known.includes(key)))
    return before
  const leading = keys.filter((key) => holdsRecords(getKey(body as never, key) ?? null, first, 4))
  return {
    others: [...new Set([...(before?.others ?? []), ...keys.filter((key) => !leading.includes(key))])],
    leading: [...new Set([...(before?.leading ?? []), ...leading])],
    recordKeys: before?.recordKeys ?? (isDictionary(first) ? keysOf(first) : []),
    ...(holder === null ? {} : { around: [...new Set([...(before?.around ?? []), ...holder.around])] }),
  }
}

export function holdsRecords(value: Data, record: Data | undefined, depth: number): boolean {
  if (isList(value))
    return (
      value.length === 0 ||
      value[0] === record ||
      (depth > 0 && value.slice(0, 20).some((item) => holdsRecords(item, record, depth - 1)))
    )
  if (!isDictionary(value)) return value === record
  return depth > 0 && keysOf(value).some((key) => holdsRecords(getKey(value, key) ?? null, record, depth - 1))
}

/**
 * `here` means that the page has its list, or really ends it; `missing`, that it looks like the previous pages, but
 * without the list; `error`, that it has nothing in common with them.
 */
export type MissingList = 'here' | 'missing' | 'error'

/** Additional facts for judging a page without a list. */
export interface PageFacts {
  readonly mayBeAbsent: boolean
  /** Records read so far. */
  readonly count: number
  /** The total in the first response. */
  readonly total: number | null
  /** The names that lead towards the list. */
  readonly way: readonly string[]
  readonly holder: ListHolder | null
}

export function judgeMissingList(
  body: Data,
  read: PageRecords,
  before: ListTraits | null,
  { mayBeAbsent, count, total, way, holder }: PageFacts,
): MissingList {
  if (before === null) return 'here'
  if (read.place === 'list' && isOnlyErrors(read.unfiltered, before)) return 'error'
  if (read.place === 'list' && isOtherKind(read.unfiltered, before)) return 'missing'
  if (isListHere(read, before)) return 'here'
  const inXml = holder === null ? null : judgeXml(holder, before)
  if (inXml !== null) return inXml
  if (isList(body)) return body.length === 0 ? 'here' : 'error'
  if (!isDictionary(body)) return body === null ? judged(mayBeAbsent) : 'error'
  const keys = keysOf(body)
  const said = announcedBy(body, [], way)
  const isAllRead = (said.total ?? total) === count && count > 0
  const saysEnd = said.more === false || (isAllRead && said.more !== true)
  if (saysEnd && (read.place === 'absent' || read.place === 'null')) return 'here'
  const shares = keys.some((key) => before.others.includes(key))
  if (read.place === 'nothing') return shares || before.others.length === 0 ? 'here' : judged(mayBeAbsent)
  const isNew = (key: string) => !before.others.includes(key) && !before.leading.includes(key)
  if (!shares && keys.length > 0 && (before.others.length > 0 ? keys.some(isNew) : keys.every(isNew)))
    return 'error'
  return judged(mayBeAbsent && (read.place === 'absent' || read.place === 'null'))
}

/**
 * XML has no empty lists. If the element for the records is present but contains none, the list is empty. Null if
 * that element is missing too, and there is nothing else.
 */
function judgeXml({ value, isParent }: ListHolder, { around = [] }: ListTraits): MissingList | null {
  if (!isDictionary(value)) {
    const isEmpty = value === null || (typeof value === 'string' && value.trim() === '')
    return isEmpty ? (isParent ? 'here' : null) : 'missing'
  }
  const names = keysOf(value).filter((key) => !key.startsWith('@'))
  const others = names.filter((key) => !around.includes(key))
  if (others.length > 0 && others.length === names.length) return 'error'
  if (others.some(isSaying)) return 'missing'
  return isParent ? 'here' : null
}

const judged = (isAllowed: boolean): MissingList => (isAllowed ? 'here' : 'missing')

/**
 * A single object in place of a list is a record if it looks like one, because a list with one record looks like that
 * in XML.
 */
function isListHere({ place, unfiltered }: PageRecords, before: ListTraits): boolean {
  if (place === 'list') return true
  if (place !== 'object') return false
  const [first] = unfiltered
  if (unfiltered.length === 0) return false
  if (before.recordKeys.length === 0) return !isDictionary(first)
  return unfiltered.every(
    (item) => isDictionary(item) && keysOf(item).some((key) => before.recordKeys.includes(key)),
  )
}

/**
 * Whether records that were objects are followed only by errors: strings, or objects that say nothing else
 * and share no key.
 */
function isOnlyErrors(items: readonly Data[], { recordKeys }: ListTraits): boolean {
  if (recordKeys.length === 0 || items.length === 0) return false
  return items.every((item) => {
    if (typeof item === 'string') return true
    const keys = isDictionary(item) ? keysOf(item) : []
    return namesFailure(keys) && !keys.some((key) => recordKeys.includes(key))
  })
}

/** Whether records that were objects are followed only by nulls, lists or other values. */
function isOtherKind(items: readonly Data[], { recordKeys }: ListTraits): boolean {
  return recordKeys.length > 0 && items.length > 0 && !items.some(isDictionary)
}

/** Whether the keys include one for an error message, and otherwise only keys that usually accompany it. */
export function namesFailure(keys: readonly string[]): boolean {
  return (
    keys.some(isSaying) && keys.every((key) => isSaying(key) || OF_FAILURES.has(key) || /^err/i.test(key))
  )
}

const OF_FAILURES: ReadonlySet<string> = new Set(
  'code ok success successful status status_code statusCode type request_id requestId'.split(' '),
)

/** The message of a response without a list, for quoting. */
export function saidIn(body: Data): string {
  const said = isDictionary(body) ? sayingIn(body) : body
  const text = typeof said === 'string' ? said : writeJson(said)
  return text.length > 300 ? `${text.slice(0, 300).toWellFormed()}…` : text
}

function sayingIn(body: Data): Data {
  if (!isDictionary(body)) return body
  const named = keysOf(body).filter(isSaying)
  for (const key of named) {
    const value = getKey(body, key) ?? null
    if (typeof value === 'string' ? value.trim() !== '' : isDictionary(value) || isList(value)) return value
  }
  return body
}

/** Whether a key usually contains an error message. */
function isSaying(key: string): boolean {
  return SAYING.has(key.toLowerCase().replaceAll(/[_-]/g, ''))
}

const SAYING: ReadonlySet<string> = new Set([
  'message',
  'msg',
  'errmsg',
  'errormessage',
  'errormessages',
  'errordescription',
  'error',
  'errors',
  'fault',
  'exception',
  'detail',
  'details',
  'reason',
  'title',
])

/** The failure that a response reports; null if it reports none. */
export function failureIn(body: Data): Data {
  if (!isDictionary(body)) return null
  for (const name of ['errors', 'error']) {
    const value = getKey(body, name) ?? null
    if (!isNothing(value) && !isNoFailure(value)) return value
  }
  const refuses =
    ['ok', 'success', 'successful'].some((name) => getKey(body, name) === false) ||
    STATUSES.some((name) => isErrorStatus(getKey(body, name)))
  const status = getKey(body, 'status')
  if (!refuses && !(typeof status === 'string' && /^(?:error|fail)$/i.test(status))) return null
  const said = ['message', 'msg', 'detail', 'reason', 'description', 'code'].map(
    (name) => getKey(body, name) ?? null,
  )
  return said.find((value) => !isNothing(value)) ?? (refuses ? false : (status ?? null))
}

const STATUSES = ['code', 'status', 'statusCode', 'status_code', 'errcode', 'error_code', 'errorCode']

/** Whether a value is an HTTP error status, which many APIs put in the body of a 200. */
function isErrorStatus(value: Data | undefined): boolean {
  return /^[45]\d\d$/.test(typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '')
}

function isNothing(value: Data): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (isList(value)) return value.length === 0
  return isDictionary(value) && keysOf(value).length === 0
}

/** True for `error: { "code": "ok" }` and `error: "none"`, because some APIs always send the key. */
function isNoFailure(value: Data): boolean {
  if (isDictionary(value)) return CODES.some((name) => isNoFailure(getKey(value, name) ?? null))
  return typeof value === 'string' ? NO_FAILURE.test(value) : value === 0 || value === 200
}

const CODES = ['code', 'status', 'errcode', 'error_code']
const NO_FAILURE = /^\s{0,9}(?:none|no errors?|ok|success|0|200)\s{0,9}$/i
