import { valueText } from '../../request/query-string.ts'
import { type Data, type Dictionary, entriesOf, getKey, isDictionary } from '@millrace/jinja/data'
import { headerValue } from '../../request/headers.ts'
import { carry, usualPlace } from './carry.ts'
import { isMoreFlag, meansMore } from './more-flags.ts'
import {
  LAST_PAGE_HEADERS,
  NEXT_PAGE_HEADERS,
  OFFSET_KEYS,
  PAGE_NUMBER_KEYS,
  PAGE_TOTAL_HEADERS,
  PAGE_TOTAL_KEYS,
  partsOf,
  plainName,
  RECORD_TOTAL_HEADERS,
  RECORD_TOTAL_KEYS,
  wordsOf,
  writtenAs,
} from './paging-names.ts'
import {
  besideSize,
  numberOf,
  partnerOf,
  sentParameters,
  sizeAsked,
  type Where,
} from './request-parameters.ts'
import { expressionOf, type ResponseValue } from './response-values.ts'
import { type Evidence, type Finding, shown } from './sample.ts'

type CountStyle = 'page_number' | 'offset'

/** The parameter of the next call, and the evidence for it. */
interface Counter {
  readonly style: CountStyle
  readonly parameter: string
  readonly where: Where
  readonly holder?: readonly string[]
  /** The number of the first page, or of its first record. */
  readonly first: number
  readonly reason: string
  readonly confidence: Finding['confidence']
  /** Whether the API has its own name for the parameter, so that knowing how the list ends adds no certainty. */
  readonly isUnusual?: boolean
}

/** The end of the list as a `stop_when`, if the response shows it. */
export interface End {
  readonly condition: string
  readonly reason: string
}

/** Finds pages that are requested by number, or by the number of records before them. */
export function byCount(evidence: Evidence): Finding[] {
  return [
    ...byNextPageHeader(evidence),
    ...knownCounters(evidence).map((counter) => toFinding(counter, evidence)),
  ]
}

/** Finds the same if nothing names such a parameter, but the list looks cut off. */
export function byGuess(evidence: Evidence): Finding[] {
  if (evidence.isMadeUp === true) return []
  if (knownCounters(evidence).some(({ confidence }) => confidence !== 'low')) return []
  return guesses(evidence).map((counter) => toFinding(counter, evidence))
}

function knownCounters(evidence: Evidence): readonly Counter[] {
  const asked = askedFor(evidence)
  if (evidence.isMadeUp === true) return asked
  const known = asked.length > 0 ? asked : [...skipped(evidence), ...repeated(evidence)]
  return known.length === 0 && endOfPages(evidence, 1) !== null ? numbered(evidence) : known
}

/**
 * The end is a `stop_when` and never part of the value. The list therefore stays counted, so that an API that doesn't
 * know the parameter is detected by its repeated page.
 */
function toFinding(counter: Counter, evidence: Evidence): Finding {
  const { request } = evidence
  const { style, parameter, where, holder, first, reason, confidence, isUnusual } = counter
  const end =
    (style === 'page_number' ? endOfPages(evidence, first) : null) ??
    endOfRecords(evidence, counter) ??
    endByFlag(evidence)
  const variable = style === 'page_number' ? 'page' : 'count'
  const expression = `{{ ${first === 0 ? variable : `${variable} + ${first}`} }}`
  const config = carry(
    request,
    { parameter, expression, raw: true, ...(holder === undefined ? {} : { holder }) },
    where,
  )
  return {
    style,
    reason:
      end === null
        ? `${reason}. The list ends at the first page without records`
        : `${reason}, and ${end.reason}`,
    config: end === null ? config : { ...config, stop_when: end.condition },
    confidence: confidence === 'medium' && end !== null && isUnusual !== true ? 'high' : confidence,
  }
}

/** A parameter of the first call that already states which page it requests. */
function askedFor({ request, list }: Evidence): Counter[] {
  const all = sentParameters(request)
  // Next to a page number, an offset that equals the length of the page is the page size.
  const sent = all.some(({ role }) => role === 'page')
    ? all.filter(({ role, value }) => role !== 'offset' || numberOf(value) !== list.records.length)
    : all
  const hasMax = sent.some(({ name }) => plainName(name) === 'max')
  const counters = sent.flatMap(({ name, value, where, path, role }): Counter[] => {
    const number = numberOf(value)
    // `first` is the size of a Relay page, but next to `max` it is an offset.
    const style =
      role === 'page' ? 'page_number' : role === 'offset' || (hasMax && name === 'first') ? 'offset' : null
    if (number === null || number > MAX_FIRST || style === null) return []
    const reason = `The request itself asks for ${name}=${number}`
    return [
      {
        style,
        parameter: name,
        where,
        ...(where === 'body' ? { holder: path.slice(0, -1) } : {}),
        first: number,
        reason,
        confidence: 'medium',
      },
    ]
  })
  return counters.toSorted((a, b) => Number(b.style === 'offset') - Number(a.style === 'offset'))
}

const STYLES = { page: 'page_number', offset: 'offset' } as const

/** A larger number is a time, an ID or a price. */
const MAX_FIRST = 10_000_000

/** A key of the response that repeats which page it is. */
function repeated(evidence: Evidence): Counter[] {
  const { values, list } = evidence
  const size = sizeAsked(evidence.request)
  const partner = partnerOf(size)
  const hasPages = endOfPages(evidence, 1) !== null
  const styles = new Set(values.map((found) => styleOf(found)))
  const hasBoth = styles.has('page_number') && styles.has('offset')
  return values
    .flatMap((found): (Counter & { readonly rank: number })[] => {
      const leaf = found.keys.at(-1) ?? ''
      const isEcho = partner !== null && plainName(partner.name) === plainName(leaf)
      const style = isEcho ? STYLES[partner.role] : styleOf(found)
      const first = numberOf(found.value)
      if (style === null || first === null || first > MAX_FIRST) return []
      // The value is where the next page begins, not the position of the first record. `byNextOffset` handles that.
      if (style === 'offset' && first > 1 && first === list.records.length) return []
      const isOfRequest = repeatsRequest(found, evidence)
      const names = isOfRequest ? [{ parameter: leaf }] : parametersFor(style, leaf, found, evidence)
      const rank =
        (partner === null ? 0 : (partner.role === 'page') === (style === 'page_number') ? 4 : -4) +
        (isEcho ? 1 : 0) +
        (isOfRequest ? 4 : 0) +
        (hasPages ? (style === 'page_number' ? 2 : -2) : 0) -
        found.keys.length
      return names.map(({ parameter, isUnusual }, index) => ({
        style,
        parameter,
        where: usualPlace(evidence.request),
        first,
        reason: `The key "${found.keys.join('.')}" is ${shown(found.value)}, so pages are requested with "${parameter}"`,
        confidence: index > 0 ? 'low' : 'medium',
        // APIs whose page size goes with page numbers don't usually count records, and the reverse.
        ...(isUnusual ||
        (partner !== null && STYLES[partner.role] !== style) ||
        (hasBoth && hasPages !== (style === 'page_number'))
          ? { isUnusual: true }
          : {}),
        rank,
      }))
    })
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ rank: _rank, ...counter }) => counter)
}

/**
 * Whether an object repeats parameters of the request with their values. Such an object has the API's other
 * parameters too.
 */
function repeatsRequest({ holder }: ResponseValue, { request }: Evidence): boolean {
  const repeated = sentParameters(request).filter(({ name, value }) => {
    const own = getKey(holder, name) ?? null
    return own !== null && value !== null && valueText(own) === valueText(value)
  })
  return repeated.length > 1 && repeated.some(({ role }) => role === 'size')
}

function styleOf({ keys, holder }: ResponseValue): CountStyle | null {
  const leaf = keys.at(-1) ?? ''
  const plain = plainName(leaf)
  if (PAGE_NUMBER_KEYS.has(plain) || (plain === 'number' && getKey(holder, 'totalPages') !== undefined))
    return 'page_number'
  if (plain === 'number' && (getKey(holder, 'size') !== undefined || getKey(holder, 'content') !== undefined))
    return 'page_number'
  if (OFFSET_KEYS.has(plain)) return 'offset'
  return wordsOf(leaf).at(-1) === 'offset' && plain !== 'pageoffset' ? 'offset' : null
}

/** Candidate names for the parameter if a key of the response repeats it, the most likely first. */
function parametersFor(
  style: CountStyle,
  leaf: string,
  { holder }: ResponseValue,
  { request }: Evidence,
): { parameter: string; isUnusual?: boolean }[] {
  const size = sizeAsked(request)
  const partner = partnerOf(size)
  const plain = plainName(leaf)
  const fitting =
    partner !== null && (partner.role === 'page') === (style === 'page_number') ? partner.name : null
  if (style === 'page_number') {
    const isNamed = !['page', 'currentpage', 'number'].includes(plain)
    // This API writes keys in a different style than parameters, so their names tell little.
    if (isNamed && /^[A-Z]/.test(leaf) && size !== null && !/[A-Z]/.test(size.name))
      return [{ parameter: fitting ?? 'page' }, { parameter: leaf, isUnusual: true }]
    if (isNamed && fitting !== null && plainName(fitting) === plain) return [{ parameter: fitting }]
    if (isNamed)
      return [{ parameter: besideSize(leaf, size), isUnusual: true }, { parameter: fitting ?? 'page' }]
    return [{ parameter: fitting ?? (plain === 'page' ? besideSize(leaf, size) : 'page') }]
  }
  // CouchDB returns as `offset` what was requested with `skip`.
  if (getKey(holder, 'total_rows') !== undefined) return [{ parameter: 'skip' }, { parameter: leaf }]
  const isPlain = OFFSET_KEYS.has(plain)
  const parameter = besideSize(isPlain ? leaf : 'offset', size)
  if (fitting !== null && plainName(fitting) === plain) return [{ parameter: fitting }]
  return fitting !== null && fitting !== parameter
    ? [{ parameter, isUnusual: plain === 'startposition' }, { parameter: fitting }]
    : [{ parameter }]
}

/**
 * A parameter for the number of records to take implies one for the number to skip, whatever else the response
 * counts.
 */
function skipped({ request, values }: Evidence): Counter[] {
  const size = sizeAsked(request)
  const partner = partnerOf(size)
  if (size === null || partner === null || !/skip$/i.test(partner.name)) return []
  if (values.some((found) => styleOf(found) === 'offset')) return []
  if (!values.some((found) => styleOf(found) === 'page_number')) return []
  return [
    {
      style: 'offset',
      parameter: partner.name,
      where: size.where,
      first: 0,
      reason: `The request asks for ${size.name}=${size.size}, and "${partner.name}" goes with it`,
      confidence: 'medium',
      isUnusual: true,
    },
  ]
}

function numbered(evidence: Evidence): Counter[] {
  const { request } = evidence
  const size = sizeAsked(request)
  const partner = partnerOf(size)
  // A "per page" size implies a "page" parameter. Other page sizes occur with many names, and with pages from
  // 0 or from 1.
  const isNamed = partner?.role === 'page' && size !== null && /per/i.test(size.name)
  const parameter = partner?.role === 'page' ? partner.name : besideSize('page', sizeAsked(request))
  const reason = 'The response contains the number of pages'
  return [
    {
      style: 'page_number',
      parameter,
      where: usualPlace(request),
      first: 1,
      reason,
      confidence: 'medium',
      ...(isNamed ? {} : { isUnusual: true }),
    },
  ]
}

function guesses(evidence: Evidence): Counter[] {
  const { request, list } = evidence
  const size = sizeAsked(request)
  const isCut = size === null ? USUAL_PAGE_SIZES.has(list.records.length) : list.records.length >= size.size
  const end = endOfRecords(evidence, null) ?? endByFlag(evidence)
  if (!isCut && end === null) return []
  const where = size?.where ?? usualPlace(request)
  const held = `the page holds ${list.records.length} records${size === null ? '' : `, as requested by "${size.name}"`}`
  const reasonFor = (parameter: string) =>
    `Nothing in the response names the parameter for the next page, so "${parameter}" is a guess; ${held}. If the second page repeats the first, look up the name in the API's documentation`
  const offset = { style: 'offset', first: 0 } as const
  const page = { style: 'page_number', first: 1 } as const
  const partner = partnerOf(size)
  const usual =
    partner === null ? [] : [{ ...(partner.role === 'page' ? page : offset), parameter: partner.name }]
  const others =
    where === 'header'
      ? []
      : [
          // Elasticsearch and compatible APIs.
          ...(size?.name === 'size' && getKey(asDictionary(evidence.response.body), 'hits') !== undefined
            ? [{ ...offset, parameter: 'from' }]
            : []),
          ...usual,
          ...(size !== null && /page.?size$/i.test(size.name) && partner?.role === 'page'
            ? ['number', 'index'].map((word) => ({
                ...page,
                parameter: besideSize(writtenAs(['page', word], partsOf(size.name).inner), size),
              }))
            : []),
          { ...page, parameter: besideSize('page', size) },
          { ...offset, parameter: besideSize('offset', size) },
          { ...offset, parameter: besideSize('skip', size) },
          { ...offset, parameter: besideSize('start', size) },
          { ...offset, parameter: besideSize('from', size) },
        ]
  return (where === 'header' ? usual : others).map((choice, index) => ({
    ...choice,
    where,
    reason: reasonFor(choice.parameter),
    confidence: index === 0 && end !== null && usual.length > 0 ? 'medium' : 'low',
    isUnusual: true,
  }))
}

const asDictionary = (value: Data) => (isDictionary(value) ? value : {})

function byNextPageHeader({ request, response }: Evidence): Finding[] {
  return NEXT_PAGE_HEADERS.flatMap((name): Finding[] => {
    const value = headerValue(response.headers, name)
    if (value === null || !/^\s*(?:\d+\s*)?$/.test(value)) return []
    const expression = `{{ previous_request_headers['${name}'] }}`
    const partner = partnerOf(sizeAsked(request))
    const parameter = partner?.role === 'page' ? partner.name : 'page'
    return [
      {
        style: 'page_number',
        reason: `The header "${name}" holds the number of the next page, ${shown(value)}`,
        config: carry(request, { parameter, expression, raw: false }, usualPlace(request)),
        confidence: value.trim() === '' ? 'medium' : 'high',
      },
    ]
  })
}

/** The number of pages, if the first one has this number. */
function endOfPages({ response, values }: Evidence, first: number): End | null {
  const last = first <= 1 ? 'page' : `page + ${first - 1}`
  const found = values.find(
    ({ keys, value }) => PAGE_TOTAL_KEYS.has(plainName(keys.at(-1) ?? '')) && numberOf(value) !== null,
  )
  if (found !== undefined) {
    return {
      condition: reached(last, found),
      reason: `"${found.keys.join('.')}" says that there are ${shown(found.value)} pages`,
    }
  }
  const header = headerWith(PAGE_TOTAL_HEADERS, response.headers)
  return (
    header && {
      condition: reachedHeader(last, header.name),
      reason: `the header "${header.name}" says that there are ${header.value} pages`,
    }
  )
}

/** The number of records. A total no larger than the page may be the page's own, so it doesn't end the list. */
export function endOfRecords(
  { response, values, list, isMadeUp }: Evidence,
  counter: Counter | null,
): End | null {
  const skipped = counter === null || counter.first <= 1 ? 0 : counter.first
  // The size of the skipped pages is unknown.
  if (skipped > 0 && counter?.style === 'page_number') return null
  const read = skipped === 0 ? 'count' : `count + ${skipped}`
  const isMore = (value: Data) => (numberOf(value) ?? 0) > list.records.length
  // Without its value, it's unclear whether a "count" counts all records or those of the page.
  const isClear = (keys: readonly string[]) =>
    isMadeUp !== true || /total|hits/i.test(keys.slice(-2).join('.'))
  const found = values
    .filter(({ keys, value }) => isTotalKey(keys, list.path) && isClear(keys) && isMore(value))
    .filter(({ holder }) => !isAtLeast(holder))
    .toSorted((a, b) => sharedKeys(b.keys, list.keys) - sharedKeys(a.keys, list.keys))[0]
  if (found !== undefined) {
    return {
      condition: reached(read, found),
      reason: `"${found.keys.join('.')}" says that there are ${shown(found.value)} records`,
    }
  }
  const header = headerWith(RECORD_TOTAL_HEADERS, response.headers) ?? totalHeader(response.headers)
  if (header === null || !isMore(header.value)) return null
  return {
    condition: reachedHeader(read, header.name),
    reason: `the header "${header.name}" says that there are ${header.value} records`,
  }
}

/** Elasticsearch stops counting at 10,000 and reports the total as a lower bound, so there may be more records. */
const isAtLeast = (holder: Dictionary) => {
  const relation = getKey(holder, 'relation')
  return relation === 'gte' || relation === 'gt'
}

/** `total`, `total.value`, and `total_orders` or `order-count` next to the list `orders`. */
function isTotalKey(keys: readonly string[], path: string): boolean {
  const [named = '', above = ''] = keys.toReversed()
  const leaf = named.replace(/^\w+:/, '') // an XML prefix, as in `opensearch:totalResults`
  const plain = plainName(leaf)
  if (keys.slice(0, -1).some((key) => OTHER_TOTALS.has(plainName(key)))) return false
  const words = wordsOf(leaf)
  if (words.includes('total') && words.every((word) => WORDS_OF_TOTALS.has(word))) return true
  if (RECORD_TOTAL_KEYS.has(plain) || (plain === 'value' && plainName(above) === 'total')) return true
  const noun = plainName(path.match(/\w+/g)?.at(-1) ?? '').replace(/s$/, '')
  if (noun === '') return false
  return [`total${noun}`, `total${noun}s`, `${noun}count`, `${noun}scount`].includes(plain)
}

/** The number of keys that lead to both. A total belongs to the list that it is next to, or above. */
function sharedKeys(keys: readonly string[], others: readonly string[]): number {
  const differs = keys.findIndex((key, index) => key !== others[index])
  return differs === -1 ? keys.length : differs
}

/** Objects whose total counts something other than records. */
const OTHER_TOTALS: ReadonlySet<string> = new Set([
  'shards',
  'clusters',
  'aggregations',
  'facets',
  'quota',
  'ratelimit',
  'usage',
])

const WORDS_OF_TOTALS: ReadonlySet<string> = new Set(
  'total number num of all count counts record records item items result results row rows entry entries hit hits size set available found resource resources element elements match matches object objects filtered document documents x'.split(
    ' ',
  ),
)

function endByFlag({ values, response }: Evidence): End | null {
  const flag = values.find((found) => isMoreFlag(found))
  if (flag !== undefined) {
    const says = expressionOf(flag.keys)
    return {
      condition: meansMore(flag) ? `not ${says}` : says,
      reason: `"${flag.keys.join('.')}" is ${String(meansMore(flag))} while more follow`,
    }
  }
  const name = LAST_PAGE_HEADERS.find((each) =>
    /^(?:true|false)$/i.test(headerValue(response.headers, each) ?? ''),
  )
  if (name === undefined) return null
  return {
    condition: `previous_request_headers['${name}'] == 'true'`,
    reason: `the header "${name}" is false while more follow`,
  }
}

/** If a response omits the total, the list continues until the first page without records. */
function reached(read: string, { keys }: ResponseValue): string {
  const total = expressionOf(keys)
  // Some APIs return the value as a string on some pages and as a number on others.
  return `${total} and ${read} >= ${total} | int`
}

function reachedHeader(read: string, name: string): string {
  const total = `previous_request_headers['${name}']`
  return `${total} and ${read} >= ${total} | int`
}

function headerWith(names: readonly string[], headers: Evidence['response']['headers']) {
  for (const name of names) {
    const value = headerValue(headers, name)?.trim()
    if (value !== undefined && /^\d{1,15}$/.test(value)) return { name, value }
  }
  return null
}

/** A header with a total under the API's own name, such as `X-Tracker-Pagination-Total`. */
function totalHeader(headers: Evidence['response']['headers']) {
  const names = headers
    .map(([name]) => name)
    .filter((name) => /^x-(?:[\w-]{1,60}-)?total(?:-count)?$/i.test(name))
  return headerWith(
    names.filter((name) => !/page-total|limit|quota/i.test(name)),
    headers,
  )
}

/** Finds the offset of the next page in the first response; it is greater than zero. */
export function byNextOffset({ request, values, list }: Evidence): Finding[] {
  if (sentParameters(request).some(({ role }) => role === 'offset')) return []
  return values.flatMap((found): Finding[] => {
    const leaf = found.keys.at(-1) ?? ''
    if (!OFFSET_KEYS.has(plainName(leaf)) || list.records.length < 2 || found.value !== list.records.length)
      return []
    const flag =
      found.holder &&
      entriesOf(found.holder).find(([key, value]) => isMoreFlag({ keys: [key], value, holder: found.holder }))
    const says =
      flag === undefined ? '' : ` if ${expressionOf([...found.keys.slice(0, -1), flag[0]])} else ''`
    const size = sizeAsked(request)
    const parameter = besideSize(leaf, size)
    return [
      {
        style: 'cursor',
        reason: `The key "${found.keys.join('.')}" is ${shown(found.value)}, the number of records on the first page: the offset of the next page, sent in the parameter "${parameter}"`,
        config: carry(
          request,
          { parameter, expression: `{{ ${expressionOf(found.keys)}${says} }}`, raw: false },
          usualPlace(request),
        ),
        confidence: flag === undefined ? 'medium' : 'high',
      },
    ]
  })
}

/** Default page sizes. A list of such a length was probably cut off, although no size was requested. */
const USUAL_PAGE_SIZES: ReadonlySet<number> = new Set([
  10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 48, 50, 60, 64, 75, 80, 90, 100, 120, 128, 150, 200, 250, 256, 300,
  400, 500, 512, 1000, 1024, 2000, 2500, 5000, 10_000,
])
