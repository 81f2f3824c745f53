import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, entriesOf, getKey, isDictionary, isList, writeJson } from '@millrace/jinja/data'
import { valueText } from '../../request/query-string.ts'
import { isAddress } from './by-link.ts'
import { carry, isPost, keepMethod, usualPlace } from './carry.ts'
import { CURSOR_HEADERS, CURSOR_SIGNS, type CursorSign, signOfWords } from './cursor-signs.ts'
import { flagBeside, ifMore, isMoreFlag, meansMore, saysMore } from './more-flags.ts'
import { type PagingRole, pagingRoleOf, plainName, wordsOf, writtenAs } from './paging-names.ts'
import {
  besideSize,
  numberOf,
  partnerOf,
  type SentParameter,
  sentParameters,
  sizeAsked,
  type Where,
} from './request-parameters.ts'
import { expressionOf, type ResponseValue } from './response-values.ts'
import { type Evidence, type Finding, type SampleRequest, shown } from './sample.ts'

/** Finds a token in the body that the next call sends back. */
export function byCursor(evidence: Evidence): Finding[] {
  const { values, request } = evidence
  const found = [
    ...CURSOR_SIGNS.flatMap((sign) =>
      values.filter((value) => leadsTo(value, sign)).map((value) => ({ value, sign })),
    ),
    ...values.flatMap((value) => {
      const [leaf = '', above = ''] = value.keys.toReversed()
      const sign = signOfWords(leaf, above)
      return sign === null ? [] : [{ value, sign }]
    }),
  ].filter(({ value, sign }) => isCursor(value, sign, evidence))
  const known = new Set<Data>()
  return [
    ...byContinueDictionary(values, request),
    ...elsewhere(evidence),
    ...inRecords(evidence),
    ...found.flatMap(({ value, sign }) => {
      // A cursor that the table contains is not guessed again from the words in its name.
      const key = value.keys.join('\n')
      if (known.has(key)) return []
      known.add(key)
      return withCursor(value, sign, evidence)
    }),
  ]
}

/** Finds a cursor in a header of the response. */
export function byCursorHeader({ request, response }: Evidence): Finding[] {
  return response.headers.flatMap(([name, value]): Finding[] => {
    // These mean "after" a time, not a record.
    if (!WRITABLE_HEADER.test(name) || /retry-after|rate-?limit/i.test(name)) return []
    const known = CURSOR_HEADERS.get(name.toLowerCase())
    const words = cursorWordsOf(name)
    const isLink: boolean = isAddress(value)
    if ((known === undefined && words === null) || isLink) return []
    const rest = words ?? []
    const size = sizeAsked(request)
    // An API that takes the page size in a header takes the cursor there too, under the name that it has in
    // the response.
    const isEchoed = known === undefined && size?.where === 'header'
    const parameter =
      known?.parameter ??
      (isEchoed
        ? name
        : besideSize(
            writtenAs(rest, size?.name.includes('_') === false && rest.length > 1 ? size.name : 'a_b'),
            size,
          ))
    const where = known?.where ?? usualPlace(request)
    const expression = `{{ previous_request_headers['${name}'] }}`
    const isLast = value.trim() === ''
    return [
      {
        style: 'cursor',
        reason: isLast
          ? `The header "${name}" would hold the cursor of the next page, for the ${targetOf(parameter, where)}; this page is the last one`
          : `The header "${name}" holds the cursor of the next page, ${shown(value)}, which is sent in the ${targetOf(parameter, where)}`,
        config: carry(request, { parameter, expression, raw: false }, where),
        confidence: isLast || (known === undefined && !isEchoed && rest.length > 1) ? 'medium' : 'high',
      },
    ]
  })
}

/**
 * The words of a header name that holds the next page's cursor: `page` and `token` for `NextPageToken`; null
 * for other headers.
 */
function cursorWordsOf(name: string): readonly string[] | null {
  const plain = plainName(name).replace('pagination', '')
  if (!plain.includes('next') && !plain.includes('after')) return null
  const words = [
    ...new Set(plain.match(/page(?=token|cursor|marker)|cursor|token|marker|continuation|after/g)),
  ]
  return words.some((word) => word !== 'page') ? words : null
}

/** Characters that can be quoted in a template. */
const WRITABLE_HEADER = /^[\w-]{1,100}$/

/** Finds the sort values of the last record, as used by Elasticsearch and similar APIs. */
export function bySortValues({ request, list }: Evidence): Finding[] {
  const last = list.records.at(-1)
  const sort = isDictionary(last) ? getKey(last, 'sort') : undefined
  if (!isPost(request.method) || !isList(sort) || sort.length === 0) return []
  return [
    {
      style: 'last_record',
      reason: `Each record has "sort" with the values that "search_after" of the next call takes; of the last one: ${shown(sort.map(shown).join(', '))}`,
      config: { body: `{"search_after": {{ ${list.expression}[-1].sort }}}` },
      confidence: 'high',
    },
  ]
}

/** If there is no token, but a flag shows that more follows, the list continues after the id of its last record. */
export function byLastId(evidence: Evidence): Finding[] {
  const { request, values, list } = evidence
  const flag = values.find((found) => isMoreFlag(found))
  const last = list.records.at(-1)
  if (flag === undefined || !isDictionary(last)) return []
  const id = ID_KEYS.find((key) => ['string', 'number', 'bigint'].includes(typeof getKey(last, key)))
  if (id === undefined) return []
  const isLast = !saysMore(flag)
  const isNumbered = partnerOf(sizeAsked(request))?.role === 'page'
  const value = ifMore(`${list.expression}[-1].${id}`, flag)
  const hasCursor = byCursor(evidence).length > 0
  const reason = `The key "${flag.keys.join('.')}" is ${shown(flag.value)}${hasCursor ? ': if no key holds a cursor, the next page starts' : ' and no key holds a cursor, so the next page starts'} after the "${id}" of the last record, ${shown(getKey(last, id) ?? null)}`
  return ['starting_after', 'after'].map((parameter, index) => ({
    style: 'last_record',
    reason: `${reason}${isLast ? '; this page is the last one' : ''}`,
    config: carry(request, { parameter, expression: `{{ ${value} }}`, raw: false }, usualPlace(request)),
    // If the request has a page size that belongs to numbered pages, a page number is more likely.
    confidence: index === 0 && !isLast && !isNumbered && !hasCursor ? 'medium' : 'low',
  }))
}

/** The usual keys of a record's own id. */
const ID_KEYS: readonly string[] = ['id', '_id', 'uuid']

function leadsTo({ keys, holder }: ResponseValue, { key, beside = [] }: CursorSign): boolean {
  const wanted = key.split(' ')
  const start = keys.length - wanted.length
  return (
    start >= 0 &&
    wanted.every((name, index) => plainName(keys[start + index] ?? '') === name) &&
    beside.every((name) => getKey(holder, name) !== undefined)
  )
}

function isCursor({ value, keys }: ResponseValue, sign: CursorSign, { request, list }: Evidence): boolean {
  if (isDictionary(value)) return plainName(keys.at(-1) ?? '') === 'lastevaluatedkey'
  if (value === null || value === '') return !AMBIGUOUS.has(plainName(keys.at(-1) ?? ''))
  if (isSent(value, sign, request)) return false
  if (typeof value === 'string') {
    if (sign.kind === 'number') return false
    // A cursor called "offset" isn't a number, because a number would count records.
    if (sign.key === 'offset' && numberOf(value) !== null) return false
    return !isAddress(value) || (value.startsWith('/') && !value.includes('?'))
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return false
  if (sign.kind !== 'text') return true
  return plainName(keys.at(-1) ?? '') === 'cursor' || list.records.length === 0
}

/** Some APIs repeat the cursor of the request, which isn't the next one. */
function isSent(value: Data, { parameters }: CursorSign, request: SampleRequest): boolean {
  const names = new Set(parameters.map((name) => plainName(name)))
  return sentParameters(request).some(
    (sent) =>
      names.has(plainName(sent.name)) && sent.value !== null && valueText(sent.value) === valueText(value),
  )
}

/** Keys that are too ambiguous if their value is empty. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['next', 'nextpage', 'cursor', 'offset', 'after', 'bookmark'])

interface Target {
  readonly parameter: string
  readonly where: Where
  readonly holder?: readonly string[]
  readonly isSure: boolean
}

function withCursor(found: ResponseValue, sign: CursorSign, evidence: Evidence): Finding[] {
  const { request, values, list } = evidence
  const { keys, value } = found
  if (sign.key === 'scrollid' && isPost(request.method)) return [scrolled(found, evidence)]
  const flag = flagBeside(found, values)
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const isLast = value === null || value === '' || (flag !== null && !saysMore(flag))
  return targetsOf(sign, found, evidence).map(({ parameter, where, holder, isSure }, index) => {
    const isRaw = where === 'body' && (isNumber || isDictionary(value))
    // 0 is a valid position, but as the cursor of a next page it means the end.
    const guarded = isNumber && flag === null && wordsOf(keys.at(-1) ?? '').includes('cursor')
    const read = expressionOf(keys)
    const says = guarded
      ? `${read} if ${read} else ${isRaw ? 'none' : "''"}`
      : ifMore(read, flag, isRaw ? 'none' : "''")
    const config = carry(
      request,
      { parameter, expression: `{{ ${says} }}`, raw: isRaw, ...(holder === undefined ? {} : { holder }) },
      where,
    )
    const reason = isLast
      ? `The key "${keys.join('.')}" would hold the cursor of the next page, for the ${targetOf(parameter, where)}; this page is the last one`
      : `The key "${keys.join('.')}" holds the cursor of the next page, ${shown(value)}, which is sent in the ${targetOf(parameter, where)}${flag === null ? '' : ` while "${flag.keys.join('.')}" is ${String(meansMore(flag))}`}`
    return {
      style: 'cursor',
      reason,
      config: {
        ...removing(config, sign.without ?? [], request),
        ...(sign.endsEmpty === true && flag === null ? { stop_when: `not ${list.expression}` } : {}),
      },
      confidence: index > 0 ? 'low' : isLast || !isSure ? 'medium' : 'high',
    }
  })
}

const targetOf = (parameter: string, where: Where) =>
  `${where === 'header' ? 'header' : where === 'body' ? 'key of the body' : 'parameter'} "${parameter}"`

/** The places where a cursor can go: where the request already has one, or else where the names suggest. */
function targetsOf(sign: CursorSign, found: ResponseValue, evidence: Evidence): Target[] {
  const { request } = evidence
  const variable = graphqlVariable(request)
  if (variable !== null) return [{ parameter: variable, where: 'body', holder: ['variables'], isSure: true }]
  const names = new Set(sign.parameters.map((name) => plainName(name)))
  const sent = sentParameters(request).filter(({ role, where }) => role === 'cursor' && where !== 'header')
  const own =
    sent.find(({ name }) => names.has(plainName(name))) ??
    sent.find(({ value }) => value === '*' || value === '')
  if (own !== undefined) return [{ parameter: own.name, where: own.where, ...holderOf(own), isSure: true }]
  const echoed = echoOf(found)
  if (echoed !== null) return [{ parameter: echoed, where: usualPlace(request), isSure: true }]
  const counted = counterBefore(found, evidence)
  const size = sizeAsked(request)
  const isRelay = size !== null && plainName(size.name) === 'first'
  const parameters =
    isRelay && sign.isSure !== true
      ? ['after', ...sign.parameters.filter((name) => name !== 'after')]
      : sign.parameters
  const where = usualPlace(request)
  const others = [...new Set(parameters)]
    .slice(0, sign.isSure === true ? 2 : MAX_NAMES)
    .map((name): Target => {
      const kebab =
        size === null && name.includes('_') && usesKebab(request) ? name.replaceAll('_', '-') : name
      const parameter = where === 'query' ? besideSize(kebab, size) : kebab
      return {
        parameter,
        where,
        isSure: sign.isSure === true || isRelay || isNamedIn(found, parameter) || kebab !== name,
      }
    })
  return counted === null
    ? others
    : [counted, ...others.filter(({ parameter }) => parameter !== counted.parameter)]
}

const MAX_NAMES = 5

/**
 * True for `page[cursor]` with the key `next_cursor`: the size parameter shows the brackets, and the key shows the
 * name in them.
 */
function isNamedIn({ keys }: ResponseValue, parameter: string): boolean {
  const [, inner] = /\[(\w+)\]$/.exec(parameter) ?? []
  return inner !== undefined && wordsOf(keys.at(-1) ?? '').includes(inner.toLowerCase())
}

/**
 * The parameter that a number continues: the next page follows the one that the request asked for, or that a key of the
 * response repeats. `"start": 1, "next": 21` on a page of 20 goes into `start`.
 */
function counterBefore({ keys, value }: ResponseValue, { request, values, list }: Evidence): Target | null {
  const next = numberOf(value)
  if (next === null || list.records.length < 2) return null
  const follows = (role: PagingRole | null, before: Data) => {
    const first = numberOf(before)
    if (first === null || (role !== 'page' && role !== 'offset')) return false
    return next === first + (role === 'page' ? 1 : list.records.length)
  }
  const sent = sentParameters(request).find((one) => one.where !== 'header' && follows(one.role, one.value))
  if (sent !== undefined) return { parameter: sent.name, where: sent.where, ...holderOf(sent), isSure: true }
  const repeated = values.find((one) => {
    const leaf = one.keys.at(-1) ?? ''
    return one.keys.join('\n') !== keys.join('\n') && follows(pagingRoleOf(leaf), one.value)
  })
  if (repeated === undefined) return null
  const size = sizeAsked(request)
  const leaf = repeated.keys.at(-1) ?? ''
  const where = usualPlace(request)
  if (pagingRoleOf(leaf) === 'offset') return { parameter: besideSize(leaf, size), where, isSure: true }
  // A page number is often repeated under a different name than the one it is requested by.
  const partner = partnerOf(size)
  return partner?.role === 'page'
    ? { parameter: partner.name, where, isSure: true }
    : { parameter: besideSize('page', size), where, isSure: plainName(leaf) === 'page' }
}

/** The empty parameter of this call next to the cursor, as in `"start_cursor": null, "next_cursor": "…"`. */
function echoOf({ keys, holder }: ResponseValue): string | null {
  const others = entriesOf(holder).filter(
    ([key, value]) =>
      key !== keys.at(-1) &&
      value === null &&
      pagingRoleOf(key) === 'cursor' &&
      !wordsOf(key).some((word) => NOT_ECHOED.has(word)) &&
      !isStartOf(key, keys.at(-1) ?? ''),
  )
  return others.length === 1 ? (others[0]?.[0] ?? null) : null
}

/** `startCursor` next to `endCursor` belongs to the first record of the page, not to the request. */
const isStartOf = (key: string, other: string) =>
  wordsOf(key).includes('start') && wordsOf(other).includes('end')

const NOT_ECHOED: ReadonlySet<string> = new Set([
  'next',
  'prev',
  'previous',
  'before',
  'end',
  'last',
  'first',
])

const holderOf = ({ where, path }: SentParameter) => (where === 'body' ? { holder: path.slice(0, -1) } : {})

/** Whether there are parameters with hyphens and none with underscores. */
function usesKebab({ query }: SampleRequest): boolean {
  const names = entriesOf(query).map(([name]) => name)
  return names.some((name) => /[a-z]-[a-z]/.test(name)) && !names.some((name) => name.includes('_'))
}

function removing(
  config: PaginationConfigEntry,
  names: readonly string[],
  { query }: SampleRequest,
): PaginationConfigEntry {
  const gone = names.filter((name) => getKey(query, name) !== undefined)
  if (gone.length === 0 || typeof config.query !== 'string') return config
  return {
    ...config,
    query: config.query.replace(/\}$/, `${gone.map((name) => `, ${writeJson(name)}: null`).join('')}}`),
  }
}

/** Finds MediaWiki's object with everything that the next call sends. */
function byContinueDictionary(values: readonly ResponseValue[], request: SampleRequest): Finding[] {
  return values.flatMap(({ keys, value }): Finding[] => {
    if (keys.length > 1 || plainName(keys[0] ?? '') !== 'continue' || !isDictionary(value)) return []
    const entries = entriesOf(value)
    if (entries.length === 0 || entries.some(([, part]) => isDictionary(part) || isList(part))) return []
    const reason = `The key "${keys.join('.')}" holds the parameters of the next page: ${entries.map(([name]) => `"${name}"`).join(', ')}`
    const config = { query: `{{ ${expressionOf(keys)} }}`, ...keepMethod(request) }
    return [{ style: 'cursor', reason, config, confidence: 'high' }]
  })
}

/** In Elasticsearch, further pages have their own URL, which takes only the cursor. */
function scrolled({ keys, value }: ResponseValue, { request, list }: Evidence): Finding {
  const time = getKey(request.query, 'scroll')
  const pair = typeof time === 'string' ? `"scroll": ${writeJson(time)}, ` : ''
  return {
    style: 'cursor',
    reason: `The key "${keys.join('.')}" holds the cursor of the next page, ${shown(value)}, which is sent as the only field of the body to "/_search/scroll"`,
    config: {
      endpoint: '/_search/scroll',
      query: `{${entriesOf(request.query)
        .map(([name]) => `${writeJson(name)}: null`)
        .join(', ')}}`,
      body: `{${pair}"scroll_id": "{{ ${expressionOf(keys)} }}"}`,
      replace_body: true,
      stop_when: `not ${list.expression}`,
    },
    confidence: 'medium',
  }
}

/** Handles records that are each wrapped with the cursor that continues after them. */
function inRecords({ request, list }: Evidence): Finding[] {
  const last = list.records.at(-1)
  if (!isDictionary(last) || list.path.endsWith('.node') || entriesOf(last).length > 3) return []
  const cursor = getKey(last, 'cursor')
  if (typeof cursor !== 'string' || cursor === '') return []
  const expression = `{{ ${list.expression}[-1].cursor }}`
  return [
    {
      style: 'last_record',
      reason: `Each record has a "cursor" of its own, and the next page starts after that of the last one, ${shown(cursor)}`,
      config: carry(request, { parameter: 'cursor', expression, raw: false }, usualPlace(request)),
      confidence: 'medium',
    },
  ]
}

/** In Dropbox, the cursor is posted, without other parameters, to the same endpoint plus `/continue`. */
function elsewhere({ request, values }: Evidence): Finding[] {
  const found = values.find(
    ({ keys, value, holder }) =>
      keys.length === 1 &&
      keys[0] === 'cursor' &&
      typeof value === 'string' &&
      getKey(holder, 'has_more') !== undefined &&
      (getKey(holder, 'entries') !== undefined || getKey(holder, 'matches') !== undefined),
  )
  if (found === undefined || !isPost(request.method)) return []
  const flag = flagBeside(found, values)
  const isLast = flag !== null && !saysMore(flag)
  return [
    {
      style: 'cursor',
      reason: `The key "cursor" holds the cursor of the next page, ${shown(found.value)}, which is sent as the only field of the body to the endpoint with /continue while "has_more" is true`,
      config: {
        endpoint: '{{ endpoint }}/continue',
        body: `{"cursor": "{{ ${ifMore('previous_request.cursor', flag)} }}"}`,
        replace_body: true,
      },
      confidence: isLast ? 'medium' : 'high',
    },
  ]
}

/** The variable that a GraphQL query passes to `after:`; null for anything else. */
function graphqlVariable({ body }: SampleRequest): string | null {
  const query: Data | undefined = isDictionary(body) ? getKey(body, 'query') : undefined
  if (typeof query !== 'string' || !query.includes('{')) return null
  return /\b(?:after|cursor)\s{0,9}:\s{0,9}\$(\w{1,60})/.exec(query)?.[1] ?? null
}
