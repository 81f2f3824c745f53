/** Paths below the previous response that a configuration reads, and which of them a response lacks. */
import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, dictionaryOf, getKey, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import type { HeaderLine } from '../../ports.ts'
import { headerValue } from '../../request/headers.ts'
import { closest } from '@millrace/jinja'
import { textsIn, toPageConfig } from '../config/read-config.ts'
import type { PageConfig } from '../model/page-config.ts'
import { valuesIn } from '../suggest/response-values.ts'

interface ReadPath {
  readonly root: 'previous_request' | 'previous_request_headers'
  readonly keys: readonly string[]
}

const PATH =
  /\b(previous_request|previous_request_headers)((?:\.[A-Za-z_]\w{0,99}|\[\s{0,9}(?:'[^'\n]{0,200}'|"[^"\n]{0,200}"|-?\d{1,9})\s{0,9}\]){1,20})(\s{0,9}\()?/g
const STEP = /\.(\w+)|\[\s*(?:'([^']*)'|"([^"]*)"|(-?\d+))\s*\]/g

/** The paths by which a configuration decides whether there is a next page. */
export function pathsOf({
  query,
  body,
  rawBody,
  header,
  endpoint,
  when,
  stopWhen,
}: PageConfig): readonly ReadPath[] {
  const texts = [query, body, rawBody, header, endpoint, when, stopWhen].flatMap((source) =>
    source === null ? [] : [...textsIn(source, '')].map(({ text }) => text),
  )
  return texts.flatMap((text) =>
    [...text.matchAll(PATH)].map(([, root = '', steps = '', call]) => {
      const keys = [...steps.matchAll(STEP)].map(([, a, b, c, d]) => a ?? b ?? c ?? d ?? '')
      return { root: root as ReadPath['root'], keys: call === undefined ? keys : keys.slice(0, -1) }
    }),
  )
}

/**
 * The path whose absence from the response ended the list, with the nearest path that the response has. Null if the
 * response has something that marks the end: null, false or an empty value.
 */
export function unseenCursor(
  configs: readonly PageConfig[],
  body: Data,
  headers: readonly HeaderLine[],
): { readonly path: string; readonly nearest: string | null } | null {
  const paths = configs.flatMap(pathsOf)
  const ends = paths.map(({ root, keys }) =>
    root === 'previous_request' ? walk(body, keys) : inHeaders(headers, keys[0] ?? ''),
  )
  const at = ends.indexOf('absent')
  const path = paths[at]
  if (path === undefined || ends.includes('dead')) return null
  return { path: nameOf(path), nearest: nearestOf(path, body, headers) }
}

/** A path of the response that differs only in case from one that a configuration reads. */
export function otherCase(configs: readonly PageConfig[], body: Data): string | null {
  const read = configs.flatMap(pathsOf).filter(({ root }) => root === 'previous_request')
  const lost = read.filter(({ keys }) => walk(body, keys) === 'absent').map(({ keys }) => keys.join('.'))
  if (lost.length === 0) return null
  const alive = valuesIn(body).filter(({ value }) => !isDead(value))
  const names = alive.map(({ keys }) => keys.join('.'))
  return names.find((name) => lost.some((path) => path.toLowerCase() === name.toLowerCase())) ?? null
}

/** Whether a response lacks the cursor that a configuration reads from it, and has nothing else that ends the list. */
export function lacksCursor(config: PaginationConfigEntry, body: Data): boolean {
  const page = toPageConfig(dictionaryOf(Object.entries(config) as [string, Data][]), 0, (key) => key)
  return !page.names.has('previous_request_headers') && unseenCursor([page], body, []) !== null
}

const nameOf = ({ root, keys }: ReadPath) =>
  root === 'previous_request' ? keys.join('.') : `${root}.${keys.join('.')}`

function nearestOf({ root, keys }: ReadPath, body: Data, headers: readonly HeaderLine[]): string | null {
  if (root === 'previous_request_headers')
    return (
      closest(
        keys[0] ?? '',
        headers.map(([name]) => name),
      ) ?? null
    )
  const known = valuesIn(body).map((found) => found.keys.join('.'))
  const wanted = keys.join('.')
  const isCased = known.find((name) => name.toLowerCase() === wanted.toLowerCase())
  const near = isCased ?? closest(wanted, known)
  if (near !== undefined) return near
  const leaf = keys.at(-1) ?? ''
  return known.find((name) => name.split('.').at(-1) === leaf) ?? null
}

type PathEnd = 'alive' | 'dead' | 'absent'

function walk(body: Data, keys: readonly string[]): PathEnd {
  let at: Data = body
  for (const key of keys) {
    if (isList(at)) {
      const index = Number(key)
      const item: Data | undefined = Number.isInteger(index) ? at.at(index) : undefined
      // The index is beyond the end of a list, so nothing is misspelled.
      if (item === undefined) return Number.isInteger(index) ? 'dead' : 'alive'
      at = item
    } else if (isDictionary(at)) {
      const value: Data | undefined = getKey(at, key)
      if (value === undefined) return at !== body && keysOf(at).length === 0 ? 'dead' : 'absent'
      at = value
    } else return isDead(at) ? 'dead' : 'absent'
  }
  return isDead(at) ? 'dead' : 'alive'
}

function isDead(value: Data): boolean {
  if (value === null || value === false) return true
  if (typeof value === 'string') return value.trim() === ''
  if (isList(value)) return value.length === 0
  return isDictionary(value) && keysOf(value).length === 0
}

function inHeaders(headers: readonly HeaderLine[], name: string): PathEnd {
  const value = headerValue(headers, name) ?? headerValue(headers, name.replaceAll('_', '-'))
  if (value === null) return 'absent'
  return value.trim() === '' ? 'dead' : 'alive'
}
