import { type Data, type Dictionary, getKey, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import { wordsOf } from './paging-names.ts'
import { expressionOf, jsonPathOf, type ResponseValue } from './response-values.ts'

/** The list in a response that most likely contains its records. */
export interface RecordList {
  readonly records: readonly Data[]
  /** The JSONPath of the list, such as `$`, `$.data` or `$.data.people.edges[*].node`. */
  readonly path: string
  /** The template expression that reads the list. */
  readonly expression: string
  readonly keys: readonly string[]
}

/** @returns null if the response contains no list */
export function findRecordList(
  body: Data,
  values: readonly ResponseValue[],
  endpoint: string,
): RecordList | null {
  if (isList(body)) return { records: body, path: '$', expression: 'previous_request', keys: [] }
  const noun = nounOf(endpoint)
  const ranked = values
    .filter((found): found is ResponseValue & { value: readonly Data[] } => isList(found.value))
    .filter(({ value }) => !isListOfLinks(value))
    .map((found) => ({
      found,
      score: scoreOf(found.keys, found.value, noun) + (hasPaging(found.holder) ? 20 : 0),
    }))
    .toSorted((a, b) => b.score - a.score)
  const best = ranked[0]?.found
  if (best === undefined) return null
  const path = jsonPathOf(best.keys)
  return {
    records: best.value,
    // The edges of a GraphQL connection hold their records one level down.
    path: best.keys.at(-1) === 'edges' && hasNode(best.value[0]) ? `${path}[*].node` : path,
    expression: expressionOf(best.keys),
    keys: best.keys,
  }
}

/** Ranks lists of objects first, then by name, then by length. On a tie, the one nearer to the root wins. */
function scoreOf(keys: readonly string[], list: readonly Data[], noun: string): number {
  const name = (keys.at(-1) ?? '').toLowerCase()
  const isNamed = noun !== '' && (name === noun || name === `${noun}s` || `${name}s` === noun)
  return (
    (list.length > 0 && list.every((item) => isDictionary(item)) ? 100 : 0) +
    (isNamed ? 60 : 0) +
    (RECORD_NAMES.has(name) ? 40 : 0) -
    (SIDE_NAMES.has(name) ? 120 : 0) +
    Math.min(list.length, 50) -
    keys.length * 5
  )
}

/** Whether a list is like `[{"rel": "next", "href": …}]`, with links to other pages, whatever it is called. */
function isListOfLinks(list: readonly Data[]): boolean {
  const hasKey = (item: Dictionary, names: RegExp) => keysOf(item).some((key) => names.test(key))
  return (
    list.length > 0 &&
    list.every(
      (item) => isDictionary(item) && hasKey(item, LINK_RELATION_KEYS) && hasKey(item, LINK_TARGET_KEYS),
    )
  )
}

const LINK_RELATION_KEYS = /^@?(?:rel|ref|relation)$/i
const LINK_TARGET_KEYS = /^@?(?:href|ur[il])$/i

/** A next link, a cursor or a total refers to the list next to it. */
function hasPaging(holder: Dictionary): boolean {
  return keysOf(holder).some((key) => wordsOf(key).some((word) => PAGING_WORDS.has(word)))
}

const PAGING_WORDS: ReadonlySet<string> = new Set(['next', 'more', 'cursor', 'total', 'offset'])

export const RECORD_NAMES: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'data',
  'documents',
  'edges',
  'elements',
  'entities',
  'entries',
  'hits',
  'items',
  'list',
  'matches',
  'nodes',
  'objects',
  'records',
  'resources',
  'result',
  'results',
  'rows',
  'value',
  'values',
])

/** Lists that occur next to the records and are often longer. */
export const SIDE_NAMES: ReadonlySet<string> = new Set([
  '_links',
  'aggregations',
  'columns',
  'errors',
  'facets',
  'fields',
  'filters',
  'included',
  'includes',
  'links',
  'metadata',
  'notices',
  'pages',
  'schema',
  'sort',
  'warnings',
])

/** The last word of an endpoint: `tickets` for `api/v2/tickets.json?x=1`. */
function nounOf(endpoint: string): string {
  const path = endpoint.split(/[?#]/, 1)[0] ?? ''
  return (
    path
      .split('/')
      .filter((part) => part !== '')
      .at(-1)
      ?.split('.', 1)[0]
      ?.toLowerCase() ?? ''
  )
}

const hasNode = (edge: Data | undefined): edge is Dictionary =>
  isDictionary(edge) && isDictionary(getKey(edge, 'node'))
