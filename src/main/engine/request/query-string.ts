import { unescape } from 'node:querystring'
import {
  type Data,
  type Dictionary,
  entriesOf,
  Float,
  getKey,
  isDictionary,
  isList,
  keysOf,
  writeJson,
} from '@millrace/jinja/data'

/** Parameters in order of precedence; `null` in `settings` removes a name from all three. */
export interface QuerySources {
  /** Set by the configuration. */
  readonly settings: Dictionary | null
  /** Set by the action. */
  readonly action: Dictionary
  /** Whether parameters in the URL itself win over the action's, because it came as a link. */
  readonly addressWins: boolean
}

/**
 * The query string of a URL and its parameters, with each name once unless its value is a list. The URL's own part is
 * kept as written, so that an encoded link isn't encoded twice.
 *
 * @param search with its `?`, as in `URL.search`
 * @returns with a `?`, or empty
 */
export function mergeQuery(search: string, { settings, action, addressWins }: QuerySources): string {
  const set = new Set(settings ? keysOf(settings) : [])
  if (set.size === 0 && keysOf(action).length === 0) return search === '?' ? '' : search
  const own = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => ({ pair, name: nameOf(pair) }))
    .filter(({ name }) => !set.has(name) && (addressWins || getKey(action, name) === undefined))
  const carried = new Set(own.map(({ name }) => name))
  const pairs = own.map(({ pair }) => pair)
  for (const [name, value] of entriesOf(action)) {
    if (!set.has(name) && !carried.has(name)) pairs.push(...writePairs(name, value))
  }
  for (const [name, value] of settings ? entriesOf(settings) : []) pairs.push(...writePairs(name, value))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** A form body, with names and values written in the same way. */
export function writeForm(fields: Dictionary): string {
  return entriesOf(fields)
    .flatMap(([name, value]) => writePairs(name, value))
    .join('&')
}

/** A value as a string for a URL or form: booleans are `true` and `false`, nested values are JSON. */
export function valueText(value: Data): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && !(value instanceof Float)) return writeJson(value)
  return value === null ? '' : writeJson(value)
}

/** A list sends its name once for each item; null sends nothing. */
function writePairs(name: string, value: Data): string[] {
  const values = isList(value) && !isDictionary(value) ? value : [value]
  return values.filter((item) => item !== null).map((item) => `${encode(name)}=${encode(valueText(item))}`)
}

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return unescape(name.replaceAll('+', ' '))
}

function encode(text: string): string {
  // Encodes an apostrophe as URLs on the web do.
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27')
}
