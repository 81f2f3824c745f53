/**
 * The names that APIs use for the concepts of paging, in parameters and in responses. Names are compared without
 * case and without separators, so `page_size`, `pageSize`, `PageSize` and `page-size` are one name.
 */

/** The role of a parameter: to request a page by number, skip records, set the page size, or take a cursor. */
export type PagingRole = 'page' | 'offset' | 'size' | 'cursor'

/** The role of a parameter by its name, such as `page[size]`, `$skip` or `sysparm_offset`; null if it has none. */
export function pagingRoleOf(name: string): PagingRole | null {
  const { prefix, inner } = partsOf(name)
  const plain = plainName(inner)
  if (prefix !== '') {
    const inside = INSIDE_A_PREFIX.get(plain)
    if (inside !== undefined) return inside
  }
  const role = ROLES.get(plain)
  if (role !== undefined) return role
  // `sysparm_limit` is a limit: one word of the API's own can precede the name.
  const words = wordsOf(inner)
  const rest = words.slice(1)
  return (rest.length > 0 ? LONG_ENOUGH.get(rest.join('')) : undefined) ?? roleOfWords(words)
}

/** `startNum`, `first_row` and `pageStart` are made of words that only count pages or records. */
function roleOfWords(words: readonly string[]): PagingRole | null {
  if (words.length < 2) return null
  if (words.includes('page') && words.every((word) => PAGE_WORDS.has(word))) return 'page'
  if (
    words.some((word) => HOW_MANY.has(word)) &&
    words.every((word) => HOW_MANY.has(word) || UNITS.has(word))
  )
    return words.includes('page') && !words.some((word) => SIZES.has(word)) ? null : 'size'
  const counts = words.every((word) => BEGIN_WORDS.has(word) || RECORD_WORDS.has(word))
  return counts && words.some((word) => BEGIN_WORDS.has(word)) ? 'offset' : null
}

const PAGE_WORDS: ReadonlySet<string> = new Set(['page', 'number', 'num', 'no', 'index', 'current', 'start'])
/** Words for quantities, as in `numItems`, `rowCount` and `display_size`. */
const HOW_MANY: ReadonlySet<string> = new Set(['num', 'count', 'max', 'limit', 'size', 'length'])
const SIZES: ReadonlySet<string> = new Set(['size', 'length', 'limit', 'max'])
const UNITS: ReadonlySet<string> = new Set([
  'page',
  'display',
  'row',
  'rows',
  'record',
  'records',
  'item',
  'items',
  'element',
  'elements',
  'result',
  'results',
  'entries',
])
const BEGIN_WORDS: ReadonlySet<string> = new Set(['start', 'begin', 'first', 'offset', 'skip'])
const RECORD_WORDS: ReadonlySet<string> = new Set([
  'number',
  'num',
  'index',
  'row',
  'record',
  'records',
  'item',
  'items',
  'result',
  'results',
  'at',
  'position',
])

export interface NameParts {
  /** `page[` in `page[size]`, `page.` in `page.size`, `$` in `$top`, `X-` in `X-Limit`. */
  readonly prefix: string
  readonly inner: string
  /** `]` in `page[size]`. */
  readonly suffix: string
}

/** Splits off the prefix and suffix that all paging parameters of an API share. */
export function partsOf(name: string): NameParts {
  const found = /^(.{1,60}\[|\w{1,60}\.|x-|\$|_|sysparm_|pagination_|paging_)([^[\].]{1,60})(\]?)$/i.exec(
    name,
  )
  if (found === null) return { prefix: '', inner: name, suffix: '' }
  const [, prefix = '', inner = '', suffix = ''] = found
  return { prefix, inner, suffix }
}

/** The words of a name in lower case: `page` and `token` for `nextPageToken`, `next_page-token` or `@nextPageToken`. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** A name in the form of the tables below. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '')
}

/** Writes words in the case style of another name: snake, kebab, camel or Pascal. */
export function writtenAs(words: readonly string[], model: string): string {
  if (/^[A-Z][a-z]/.test(model))
    return words.map((word) => capitalized(word)).join(model.includes('-') ? '-' : '')
  if (model.includes('-')) return words.join('-')
  if (model.includes('_')) return words.join('_')
  return words.map((word, index) => (index === 0 ? word : capitalized(word))).join('')
}

const capitalized = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

const PAGE_NAMES = ['page', 'pagenumber', 'pageno', 'pagenum', 'pageindex', 'currentpage', 'pg', 'p']
const OFFSET_NAMES = [
  'offset',
  'skip',
  'skipcount',
  'start',
  'startat',
  'startindex',
  'startrow',
  'startposition',
  'from',
  'firstresult',
  'retstart',
]
const SIZE_NAMES = [
  'limit',
  'size',
  'count',
  'per',
  'perpage',
  'pagesize',
  'pagelimit',
  'pagelen',
  'pagelength',
  'maxresults',
  'maxresult',
  'maxresultcount',
  'maxitems',
  'maxkeys',
  'maxcount',
  'maxrecords',
  'max',
  'top',
  'take',
  'rows',
  'length',
  'num',
  'retmax',
  'itemsperpage',
  'hitsperpage',
  'resultsperpage',
  'recordsperpage',
  'numresults',
  'ps',
]
const CURSOR_NAMES = [
  'cursor',
  'cursormark',
  'nextcursor',
  'startcursor',
  'pagecursor',
  'after',
  'startingafter',
  'afterid',
  'aftercursor',
  'startafter',
  'pagetoken',
  'nextpagetoken',
  'nexttoken',
  'paginationtoken',
  'continuationtoken',
  'continuation',
  'continue',
  'resumptiontoken',
  'skiptoken',
  'marker',
  'nextmarker',
  'bookmark',
  'scrollid',
  'scrollparam',
  'searchafter',
  'pageinfo',
  'exclusivestartkey',
  'sinceid',
]

const ROLES: ReadonlyMap<string, PagingRole> = new Map([
  ...PAGE_NAMES.map((name) => [name, 'page'] as const),
  ...OFFSET_NAMES.map((name) => [name, 'offset'] as const),
  ...SIZE_NAMES.map((name) => [name, 'size'] as const),
  ...CURSOR_NAMES.map((name) => [name, 'cursor'] as const),
])

/** Names that count even after another word, because they are unambiguous: `max_count` does, `is_from` doesn't. */
const LONG_ENOUGH: ReadonlyMap<string, PagingRole> = new Map(
  [...ROLES].filter(([name]) =>
    ['limit', 'offset', 'cursor', 'pagesize', 'perpage', 'pagetoken'].includes(name),
  ),
)

/** `page[number]`, and other names that are only clear inside a prefix. */
const INSIDE_A_PREFIX: ReadonlyMap<string, PagingRole> = new Map([
  ['number', 'page'],
  ['before', 'cursor'],
])

/** The parameter that goes with a page size if nothing suggests another, as words. */
export const PARTNERS: ReadonlyMap<
  string,
  { readonly role: 'page' | 'offset'; readonly words: readonly string[] }
> = new Map([
  ...partners('offset', ['offset'], ['limit', 'count', 'max', 'maxresult', 'maxrecords', 'num']),
  ...partners('offset', ['start', 'at'], ['maxresults']),
  ...partners('offset', ['start'], ['rows', 'length']),
  ...partners('offset', ['skip'], ['top', 'take']),
  ...partners('offset', ['skip', 'count'], ['maxresultcount']),
  ...partners('offset', ['retstart'], ['retmax']),
  ...partners(
    'page',
    ['page'],
    [
      'per',
      'perpage',
      'pagesize',
      'pagelen',
      'pagelimit',
      'pagelength',
      'size',
      'itemsperpage',
      'hitsperpage',
      'resultsperpage',
      'recordsperpage',
    ],
  ),
  ...partners('page', ['p'], ['ps']),
])

function partners(role: 'page' | 'offset', words: readonly string[], sizes: readonly string[]) {
  return sizes.map((size) => [size, { role, words }] as const)
}

/** Keys of a response that contain its page number. */
export const PAGE_NUMBER_KEYS: ReadonlySet<string> = new Set(PAGE_NAMES.filter((name) => name.length > 2))

/** Keys of a response that contain the number of records before it. */
export const OFFSET_KEYS: ReadonlySet<string> = new Set(OFFSET_NAMES)

export const PAGE_TOTAL_KEYS: ReadonlySet<string> = new Set([
  'totalpages',
  'totalpage',
  'pagestotal',
  'pagetotal',
  'pagecount',
  'pagescount',
  'lastpage',
  'numpages',
  'nbpages',
  'numberofpages',
  'pages',
])

export const RECORD_TOTAL_KEYS: ReadonlySet<string> = new Set([
  'total',
  'totalcount',
  'totalitems',
  'totalresults',
  'totalresultssize',
  'totalrecords',
  'totalrecordcount',
  'totalentries',
  'totalelements',
  'totalsize',
  'totalsetsize',
  'totalavailable',
  'totalrows',
  'totalhits',
  'totalresourcecount',
  'itemstotal',
  'estimatedtotalhits',
  'filtercount',
  'nbhits',
  'hitcount',
  'hits',
  'numfound',
  'found',
  'resultcount',
  'rowcount',
  'recordstotal',
  'count',
  'odatacount',
])

/** Flags that show whether there is another page, and the value that means yes. */
export const MORE_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...[
    'hasmore',
    'hasmorepage',
    'hasmorepages',
    'hasmoreitems',
    'hasmoreresults',
    'hasnext',
    'hasnextpage',
    'more',
    'moreavailable',
    'moreitemsincollection',
    'morerecords',
    'istruncated',
  ].map((name) => [name, true] as const),
  ...['islast', 'islastpage', 'lastpage', 'last', 'done', 'endofstream', 'endofrecords', 'endoflist'].map(
    (name) => [name, false] as const,
  ),
])

/** Response headers with the number of pages or records, the next page, or a mark for the last one. */
export const PAGE_TOTAL_HEADERS: readonly string[] = [
  'X-Total-Pages',
  'X-WP-TotalPages',
  'X-Pagination-Page-Count',
  'X-Pagination-Total-Pages',
  'X-Page-Count',
  'X-Pages',
]
export const RECORD_TOTAL_HEADERS: readonly string[] = [
  'X-Total-Count',
  'X-Total',
  'X-WP-Total',
  'X-Pagination-Total-Count',
  'X-Pagination-Item-Count',
  'X-Total-Items',
  'Total',
  'Total-Count',
]
export const NEXT_PAGE_HEADERS: readonly string[] = ['X-Next-Page', 'X-Pagination-Next-Page']
export const LAST_PAGE_HEADERS: readonly string[] = ['Last-Page', 'X-Last-Page']

/** Parameters that identify the caller. They are still sent if a link omits them. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  'access_key',
  'access_token',
  'api-key',
  'api_key',
  'api_token',
  'apikey',
  'app_id',
  'appid',
  'auth',
  'auth_token',
  'authtoken',
  'client_id',
  'client_secret',
  'key',
  'sig',
  'signature',
  'token',
  'user_key',
])
