/** Finds the information in a response about the rest of its list. */
import { type Data, getKey, isDictionary } from '@millrace/jinja/data'
import type { HeaderLine } from '../../ports.ts'
import { headerValue } from '../../request/headers.ts'
import { readLinks } from '../request/link-header.ts'
import { MORE_FLAGS, plainName, RECORD_TOTAL_HEADERS } from '../suggest/paging-names.ts'
import { type ResponseValue, valuesIn } from '../suggest/response-values.ts'

export interface Announced {
  /** The meaning of a flag such as `has_more`; null if there is none. */
  readonly more: boolean | null
  /** The flag with its value, as `has_more: true`. */
  readonly flag: string
  /** The number of records of the whole list. */
  readonly total: number | null
  /** The least number of records that the list has, if the API stopped counting there. */
  readonly least: number | null
  /** Whether the total has a name, such as `count`, that other APIs use for the number of records on a page. */
  readonly mayCountPage: boolean
  /** The number of this page according to the response. `pages` is the number of pages. */
  readonly page: number | null
  readonly pages: number | null
  /** Keys of links and tokens of a next page, joined by dots. */
  readonly next: readonly string[]
}

/** @param way the names that lead from the root towards the list */
export function announcedBy(
  body: Data,
  headers: readonly HeaderLine[] = [],
  way: readonly string[] = [],
): Announced {
  const all = valuesIn(body)
  const values = all.filter(({ keys }) => keys.slice(0, -1).every(isOfPaging))
  const flag = values.find((found) => moreOf(found) !== null)
  const hits = hitsOf(body)
  const isLeast = all.some(({ keys, value }) => (value === 'gte' || value === 'gt') && isOfTotal(keys))
  const last = (found: ResponseValue) => found.keys.at(-1) ?? ''
  const named = (names: ReadonlySet<string>) =>
    values.find((found) => names.has(plainName(last(found))) && asCount(found.value) !== null)
  const numberNamed = (names: ReadonlySet<string>) => asCount(named(names)?.value)
  const total = named(TOTALS)
  return {
    more: flag === undefined ? null : moreOf(flag),
    flag: flag === undefined ? '' : `${flag.keys.join('.')}: ${flag.value === true}`,
    mayCountPage:
      total !== undefined && plainName(last(total)).endsWith('count') && !/total/i.test(last(total)),
    total: isLeast
      ? null
      : (asCount(total?.value) ?? hits ?? totalInHeaders(headers) ?? totalOnWay(all, way)),
    least: isLeast ? (asCount(total?.value) ?? hits) : null,
    page: numberNamed(PAGE_NUMBERS),
    pages: numberNamed(PAGE_COUNTS),
    next: values.filter(isNext).map(({ keys }) => keys.join('.')),
  }
}

/**
 * The total in an object that contains the list, but only if its name or a number of pages next to it shows that
 * it counts records. The `total` of an order with `items` is an amount.
 */
function totalOnWay(all: readonly ResponseValue[], way: readonly string[]): number | null {
  const near = all.filter(({ keys }) =>
    keys.slice(0, -1).every((key, depth) => key === way[depth] || isOfPaging(key)),
  )
  const nameOf = ({ keys }: ResponseValue) => plainName(keys.at(-1) ?? '')
  const found = near.find((value) => {
    const name = nameOf(value)
    if (!TOTALS.has(name) || asCount(value.value) === null) return false
    if (name !== 'total' && name !== 'count') return true
    return near.some((other) => other.holder === value.holder && OF_PAGES.has(nameOf(other)))
  })
  return asCount(found?.value)
}

/** Whether a `Link` header names a next page. */
export function linksNext(headers: readonly HeaderLine[], address: string): boolean {
  const link = headerValue(headers, 'link')
  if (link === null) return false
  const links = readLinks(link, address)
  return isDictionary(links) && typeof getKey(links, 'next') === 'string'
}

/**
 * Whether a key holds an object that describes a list. A total elsewhere, such as in `_shards` or an invoice,
 * is about something else.
 */
function isOfPaging(key: string): boolean {
  return HOLDERS.has(plainName(key))
}

const HOLDERS: ReadonlySet<string> = new Set(
  (
    'meta metadata responsemetadata pagination paging pager page pages pageinfo paginginfo info cursor cursors links ' +
    'data result results response hits searchinfo summary listmeta resultinfo next attr'
  ).split(' '),
)

function moreOf({ keys, value }: ResponseValue): boolean | null {
  const name = plainName(keys.at(-1) ?? '')
  if (typeof value !== 'boolean') return null
  const means = FLAGS.get(name)
  return means === undefined ? null : value === means
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...[...MORE_FLAGS].filter(([name]) => name !== 'last' && name !== 'done'),
  ['incompleteresults', true],
  ['truncated', true],
  ['isfinalpage', false],
])

const TOTALS: ReadonlySet<string> = new Set(
  (
    'total totalcount totalresults totalitems totalrecords totalelements totalentries totalrows totalhits totalsize ' +
    'totalnumber totalobjects totalnumberofrecords numfound nbhits odatacount objectcount recordcount resultcount ' +
    'itemcount count'
  ).split(' '),
)
const PAGE_NUMBERS: ReadonlySet<string> = new Set('page currentpage pagenumber pageno pageindex'.split(' '))
const PAGE_COUNTS: ReadonlySet<string> = new Set(
  'totalpages pagecount pagestotal totalpagecount numpages numberofpages lastpage maxpage pages'.split(' '),
)

const OF_PAGES: ReadonlySet<string> = new Set([...PAGE_NUMBERS, ...PAGE_COUNTS])

function asCount(value: Data | undefined): number | null {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' && !/^\d{1,15}$/.test(value)) return null
  const count = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN
  return Number.isInteger(count) && count >= 0 ? count : null
}

/** Elasticsearch has `hits.total.relation`, other APIs `total_relation`. */
function isOfTotal(keys: readonly string[]): boolean {
  const isAround = keys.slice(0, -1).every((key) => isOfPaging(key) || plainName(key) === 'total')
  return isAround && /relation$/i.test(keys.at(-1) ?? '')
}

/** The total that Elasticsearch returns as `hits.total.value`. */
function hitsOf(body: Data): number | null {
  const hits = isDictionary(body) ? getKey(body, 'hits') : undefined
  const total = isDictionary(hits) ? getKey(hits, 'total') : undefined
  return isDictionary(total) ? asCount(getKey(total, 'value')) : null
}

function totalInHeaders(headers: readonly HeaderLine[]): number | null {
  for (const name of RECORD_TOTAL_HEADERS) {
    const count = asCount(headerValue(headers, name)?.trim())
    if (count !== null) return count
  }
  const range = /^\s*(\w{1,20})\s+(?:\d{1,15}-\d{1,15}|\*)\/(\d{1,15})\s*$/.exec(
    headerValue(headers, 'content-range') ?? '',
  )
  return range?.[1] === 'bytes' ? null : asCount(range?.[2])
}

function isNext({ keys, value }: ResponseValue): boolean {
  const isAlive = (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'
  const name = plainName(keys.at(-1) ?? '')
  if (name === 'next' || name === 'nextpage') return isAlive && value !== 0
  if (name === 'href') return isAlive && plainName(keys.at(-2) ?? '') === 'next'
  return isAlive && NEXT_NAMES.has(name) && (typeof value === 'string' || value !== 0)
}

const NEXT_NAMES: ReadonlySet<string> = new Set(
  (
    'nextpagetoken nextcursor nexttoken nextlink odatanextlink nextpageurl nexturl nexturi nextpagelink nextrecordsurl ' +
    'nextpagecursor nextcontinuationtoken nextmarker nextpageuri nexthref nextoffset continuationtoken lastevaluatedkey'
  ).split(' '),
)
