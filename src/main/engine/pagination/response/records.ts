import { type Data, identityOf, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import {
  followPath,
  type Path,
  type PathNode,
  readPath,
  type Segment,
  selectJsonPath,
} from '@millrace/jinja/jsonpath'
import type { Keys, PageRecords, RecordPlaces } from '../model/page-run.ts'
import { isMany, isPlus, listPlaceOf } from './list-place.ts'

/**
 * Finds the records in a response.
 *
 * If one list matches, it is flattened once; if several match, they are flattened one level. Elements that the path
 * itself selects (`[*]`, a slice, a filter) are kept as they are, so rows that are lists stay rows.
 *
 * @param path empty or `$` if the response is the list
 * @param body undefined if there was none (204)
 * @throws JsonPathError
 */
export function readRecords(path: string, body: Data | undefined): PageRecords {
  if (body === undefined) return { ...page([], 'empty', false), place: 'list' }
  const segments = segmentsOf(path)
  return { ...recordsAt(segments, body), place: listPlaceOf(segments, body) }
}

function recordsAt(segments: Path, body: Data): Found {
  if (segments.length === 0) return wholeResponse(body)

  const records = select(segments, body)
  // A filter's result says nothing about the page, so pages are compared, and found empty, before filtering.
  const unfiltered = segments.some(isFilter) ? select(segments.map(withoutFilter), body) : records
  if (unfiltered === null) {
    const isThere = hasList(segments, body)
    return page([], isThere ? 'empty' : 'missing', !isThere)
  }
  if (unfiltered.length === 0) return page([], 'empty', !matchesList(segments, body))
  const found = records === null || records.length === 0 ? 'filtered' : 'records'
  return { records: records ?? [], found, unfiltered, isNull: false }
}

type Found = Omit<PageRecords, 'place'>

/** A template may leave spaces around the path it renders. */
function segmentsOf(path: string): Path {
  const trimmed = path.trim()
  return trimmed === '' ? [] : readPath(trimmed)
}

function page(records: readonly Data[], found: PageRecords['found'], isNull = found === 'missing'): Found {
  return { records, found, unfiltered: records, isNull }
}

function wholeResponse(body: Data): Found {
  if (isList(body)) return page(body, body.length === 0 ? 'empty' : 'records')
  return body === null ? page([], 'empty', true) : page([body], 'single')
}

/** The records a path selects; null if it matches nothing at all. */
function select(path: Path, body: Data): Data[] | null {
  const choosesElements = path.at(-1)?.selectors.some(isMany) === true
  let matches = match(path, body, false)
  // A matched list can be the list of records or one of the records. That depends on its location, which takes longer
  // to find.
  if (choosesElements && matches.some(({ value }) => isList(value))) matches = match(path, body, true)
  if (matches.length === 0) return null
  // Next to values that aren't lists, null is a value too; otherwise it means an empty list.
  const keepsNull = matches.some(({ value }) => value !== null && !isList(value))
  if (matches.length === 1 && isEmptyListElsewhere(matches[0])) return []
  const records: Data[] = []
  for (const { value, isElement } of matches) {
    if (isElement) records.push(value)
    else if (isList(value)) for (const record of value) records.push(record)
    else if (value !== null || keepsNull) records.push(value)
  }
  return records
}

/** Languages without a list type write an empty list as an empty object, false or an empty string. */
function isEmptyListElsewhere(match: { value: Data; isElement: boolean } | undefined): boolean {
  if (match === undefined || match.isElement) return false
  const { value } = match
  return value === false || value === '' || (isDictionary(value) && keysOf(value).length === 0)
}

function match(path: Path, body: Data, keepsPlaces: boolean): { value: Data; isElement: boolean }[] {
  const matches: { value: Data; isElement: boolean }[] = []
  followPath(path, body, keepsPlaces, (value, node) => {
    matches.push({ value, isElement: typeof node?.key === 'number' })
    return false
  })
  return matches
}

function isFilter(segment: Segment): boolean {
  return segment.selectors.some(({ type }) => type === 'filter')
}

function withoutFilter(segment: Segment): Segment {
  return isFilter(segment) ? { ...segment, selectors: [{ type: 'wildcard' }] } : segment
}

/** Whether a path that selects no record still leads to a list, which is then empty. */
function matchesList(path: Path, body: Data): boolean {
  return match(path, body, false).some(({ value }) => isList(value))
}

/** Whether the list whose elements the path selects exists, even if nothing in it matches. */
function hasList(path: Path, body: Data): boolean {
  if (isPlus(path) || path.at(-1)?.selectors.some(isMany) !== true || path.at(-1)?.of !== 'child')
    return false
  let found = false
  followPath(path.slice(0, -1).map(withoutFilter), body, false, (value) => {
    found = value === null || isList(value) || isDictionary(value)
    return found
  })
  return found
}

/**
 * Leaves out records whose key has been seen in this run. A record without the key is kept.
 *
 * @param path JSONPath inside a record, such as `id`; null if nothing is to be left out
 * @param known the keys seen so far, to which those of the kept records are added
 */
export function dropDuplicates(
  records: readonly Data[],
  path: string | null,
  known: Set<string>,
): { records: readonly Data[]; keys: readonly string[] } {
  if (path === null) return { records, keys: [] }
  const keys: string[] = []
  const fresh = records.filter((record) => {
    const [value] = selectJsonPath(path, record)
    if (value === undefined || value === null) return true
    const key = identityOf(value)
    if (known.has(key)) return false
    known.add(key)
    keys.push(key)
    return true
  })
  return { records: fresh, keys }
}

export const NOWHERE: RecordPlaces = { lists: [], records: [] }

const MAX_PLACES = 10_000

/** The place of each record that `readRecords` returns. */
export function recordPlaces(path: string, body: Data): RecordPlaces {
  const segments = segmentsOf(path)
  if (segments.length === 0) return isList(body) ? { lists: [[]], records: [] } : { lists: [], records: [[]] }
  const choosesElements = segments.at(-1)?.selectors.some(isMany) === true
  const lists: Keys[] = []
  const records: Keys[] = []
  followPath(segments, body, true, (value, node) => {
    const isElement = choosesElements && typeof node?.key === 'number'
    const found = isList(value) && !isElement ? lists : records
    if (value !== null) found.push(keysTo(node))
    return lists.length + records.length >= MAX_PLACES
  })
  return { lists, records }
}

function keysTo(node: PathNode): Keys {
  const keys: (string | number)[] = []
  for (let at = node; at !== null; at = at.parent) keys.push(at.key)
  return keys.reverse()
}
