import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { type Data, getKey, isDictionary, isList, keysOf } from '../../data/value.ts'
import { valueText } from '../../request/query-string.ts'
import { isAddress } from './by-link.ts'
import { carry, isPost, usualPlace, type Where } from './carry.ts'
import { expressionOf, leadsTo, type ResponseValue } from './response-values.ts'
import { type Evidence, type Finding, type SampleRequest, shown } from './sample.ts'
import { CURSORS, type CursorSign, ID_KEYS, MORE_FLAGS } from './tables.ts'

/** A token in the body that the next call sends back. */
export function byCursor(evidence: Evidence): Finding[] {
  return CURSORS.flatMap((sign) =>
    evidence.values
      .filter((found) => leadsTo(found, sign.key) && isCursor(found, sign, evidence.request))
      .map((found) => withCursor(found, sign, evidence)),
  )
}

/** Elasticsearch and its kin: the sort values of the last record. */
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

/** No token, but a flag that more follows: the list goes on after the id of its last record. */
export function byLastId({ request, values, list }: Evidence): Finding[] {
  const flag = values.find((found) => isMoreFlag(found))
  const last = list.records.at(-1)
  if (flag === undefined || !isDictionary(last)) return []
  const id = ID_KEYS.find((key) => ['string', 'number', 'bigint'].includes(typeof getKey(last, key)))
  if (id === undefined) return []
  const isLast = flag.value !== MORE_FLAGS.get(flag.keys.at(-1) ?? '')
  const value = ifMore(`${list.expression}[-1].${id}`, flag)
  const reason = `The key "${flag.keys.join('.')}" is ${shown(flag.value)} and no key holds a cursor, so the list goes on after the "${id}" of its last record, ${shown(getKey(last, id) ?? null)}`
  return ['starting_after', 'after'].map((parameter, index) => ({
    style: 'last_record',
    reason: `${reason}${isLast ? '; this page is the last one' : ''}`,
    config: carry(request, { parameter, expression: `{{ ${value} }}`, raw: false }, usualPlace(request)),
    confidence: index === 0 && !isLast ? 'medium' : 'low',
  }))
}

function isCursor({ value, holder, keys }: ResponseValue, sign: CursorSign, request: SampleRequest): boolean {
  if (sign.beside?.some((key) => getKey(holder, key) === undefined)) return false
  if (sign.suffix !== undefined && !isPost(request.method)) return false
  if (value === null || value === '') return !AMBIGUOUS.has(keys.at(-1) ?? '')
  if (isSent(value, sign.parameter, request)) return false
  if (typeof value === 'string') return sign.kind !== 'number' && (!isAddress(value) || value.startsWith('/'))
  return (typeof value === 'number' || typeof value === 'bigint') && sign.kind !== 'text'
}

/** Some APIs repeat the cursor that they were asked with: it is not the next one. */
function isSent(value: Data, parameter: string, { query, body }: SampleRequest): boolean {
  const sent = getKey(query, parameter) ?? (isDictionary(body) ? getKey(body, parameter) : undefined)
  return sent !== undefined && valueText(sent) === valueText(value)
}

/** Keys that say too little where they are empty. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['next', 'next_page', 'nextPage', 'cursor', 'offset', 'after'])

function withCursor(found: ResponseValue, sign: CursorSign, evidence: Evidence): Finding {
  const { request } = evidence
  const { keys, value } = found
  const flag = flagBeside(found, evidence.values)
  const parameter = graphqlVariable(request) ?? sign.parameter
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const where = placeOf(parameter, request)
  const expression = `{{ ${ifMore(expressionOf(keys), flag, isNumber && where === 'body' ? 'none' : "''")} }}`
  const sent = carry(request, { parameter, expression, raw: isNumber && where === 'body' }, where)
  const isLast = value === null || value === '' || (flag !== null && !saysMore(flag))
  const target = `${where === 'header' ? 'header' : where === 'body' ? 'key of the body' : 'parameter'} "${parameter}"`
  const reason = isLast
    ? `The key "${keys.join('.')}" is where this API puts the cursor of the next page, for the ${target}; this page is the last one`
    : `The key "${keys.join('.')}" holds the cursor of the next page, ${shown(value)}, which goes into the ${target}${flag === null ? '' : ` while "${flag.keys.join('.')}" is ${String(MORE_FLAGS.get(flag.keys.at(-1) ?? ''))}`}`
  return {
    style: 'cursor',
    reason: sign.suffix === undefined ? reason : `${reason}, alone, at the endpoint with ${sign.suffix}`,
    config: sign.suffix === undefined ? sent : elsewhere(sent, sign.suffix),
    confidence: isLast ? 'medium' : 'high',
  }
}

function elsewhere(sent: PaginationConfigEntry, suffix: string): PaginationConfigEntry {
  return { endpoint: `{{ endpoint }}${suffix}`, ...sent, replace_body: true }
}

/** The flag in the same dictionary as a cursor, else one at the root. */
function flagBeside({ holder }: ResponseValue, values: readonly ResponseValue[]): ResponseValue | null {
  const near = values.filter((found) => isMoreFlag(found))
  return near.find((found) => found.holder === holder) ?? near.find(({ keys }) => keys.length === 1) ?? null
}

export function isMoreFlag({ keys, value }: ResponseValue): boolean {
  return typeof value === 'boolean' && MORE_FLAGS.has(keys.at(-1) ?? '')
}

function saysMore({ keys, value }: ResponseValue): boolean {
  return value === MORE_FLAGS.get(keys.at(-1) ?? '')
}

/** A cursor often stays where it was on the last page; the flag beside it tells the end. */
function ifMore(expression: string, flag: ResponseValue | null, otherwise = "''"): string {
  if (flag === null) return expression
  const says = expressionOf(flag.keys)
  return MORE_FLAGS.get(flag.keys.at(-1) ?? '') === true
    ? `${expression} if ${says} else ${otherwise}`
    : `${otherwise} if ${says} else ${expression}`
}

function placeOf(parameter: string, request: SampleRequest): Where {
  return keysOf(request.query).includes(parameter) ? 'query' : usualPlace(request)
}

/** The variable that a GraphQL query hands to `after:`; null for anything else. */
function graphqlVariable({ body }: SampleRequest): string | null {
  const query: Data | undefined = isDictionary(body) ? getKey(body, 'query') : undefined
  if (typeof query !== 'string' || !query.includes('{')) return null
  return /\b(?:after|cursor)\s{0,9}:\s{0,9}\$(\w{1,60})/.exec(query)?.[1] ?? null
}
