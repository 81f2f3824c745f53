import { type Data, entriesOf, getKey, isDictionary, isList } from '../../data/value.ts'
import { headerValue } from '../../request/headers.ts'
import { isMoreFlag } from './by-cursor.ts'
import { carry, usualPlace, type Where } from './carry.ts'
import { expressionOf, leadsTo, type ResponseValue } from './response-values.ts'
import { type Evidence, type Finding, type SampleRequest, shown } from './sample.ts'
import {
  type CountSign,
  MORE_FLAGS,
  NEXT_PAGE_HEADERS,
  OFFSET_PARAMETERS,
  OFFSETS,
  PAGE_NUMBERS,
  PAGE_PARAMETERS,
  PAGE_TOTAL_HEADERS,
  PAGE_TOTALS,
  RECORD_TOTAL_HEADERS,
  RECORD_TOTALS,
  SIZE_PARAMETERS,
  USUAL_PAGE_SIZES,
} from './tables.ts'

type CountStyle = 'page_number' | 'offset'

/** What the next call sends, and what told so. */
interface Counter {
  readonly style: CountStyle
  readonly parameter: string
  readonly where: Where
  /** The number of the first page, or of its first record. */
  readonly first: number
  readonly reason: string
  readonly confidence: Finding['confidence']
}

/** How the list ends, where the response tells. */
interface End {
  readonly condition: string
  readonly reason: string
}

/** Pages by number, or by how many records came before them. */
export function byCount(evidence: Evidence): Finding[] {
  return [
    ...byNextPageHeader(evidence),
    ...knownCounters(evidence).map((counter) => toFinding(counter, evidence)),
  ]
}

/** The same where nothing names them, but the list looks cut. */
export function byGuess(evidence: Evidence): Finding[] {
  if (evidence.isMadeUp === true || knownCounters(evidence).length > 0) return []
  return guesses(evidence).map((counter) => toFinding(counter, evidence))
}

function knownCounters(evidence: Evidence): readonly Counter[] {
  if (evidence.isMadeUp === true) return askedFor(evidence)
  const known = [...askedFor(evidence), ...repeated(evidence)]
  return known.length === 0 && endOfPages(evidence, 1) !== null ? [numbered(evidence.request)] : known
}

function toFinding(counter: Counter, evidence: Evidence): Finding {
  const { request } = evidence
  const { style, parameter, where, first, reason, confidence } = counter
  const end =
    (style === 'page_number' ? endOfPages(evidence, first) : null) ??
    endOfRecords(evidence, counter) ??
    endByFlag(evidence)
  const variable = style === 'page_number' ? 'page' : 'count'
  const next = first === 0 ? variable : `${variable} + ${first}`
  const value =
    end === null
      ? { expression: `{{ ${next} }}`, raw: true }
      : where === 'body'
        ? { expression: `{{ ${next} if ${end.condition} else none }}`, raw: true }
        : { expression: `{{ ${next} if ${end.condition} else '' }}`, raw: false }
  return {
    style,
    reason:
      end === null
        ? `${reason}. The list ends with the first page that has no records`
        : `${reason}, and ${end.reason}`,
    config: carry(request, { parameter, ...value }, where),
    confidence: confidence === 'medium' && end !== null ? 'high' : confidence,
  }
}

/** A parameter of the first call that already says which page it asks for. */
function askedFor({ request }: Evidence): Counter[] {
  const sent = parametersOf(request)
  const counters = (style: CountStyle, names: ReadonlySet<string>) =>
    sent.flatMap(({ name, value, where }): Counter[] => {
      const number = numberOf(value)
      if (number === null || number > MAX_FIRST || !names.has(name.toLowerCase())) return []
      const reason = `The request itself asks for ${name}=${number}`
      return [{ style, parameter: name, where, first: number, reason, confidence: 'medium' }]
    })
  return [...counters('offset', OFFSET_PARAMETERS), ...counters('page_number', PAGE_PARAMETERS)]
}

/** What is larger is a time, an id or a price. */
const MAX_FIRST = 10_000_000

/** A key of the answer that repeats which page it is. */
function repeated({ request, values }: Evidence): Counter[] {
  const counters = (style: CountStyle, signs: readonly CountSign[]) =>
    signs.flatMap(({ key, parameter, beside = [] }) =>
      values
        .filter((found) => leadsTo(found, key) && typeof found.value === 'number')
        .filter(({ value }) => (numberOf(value) ?? Infinity) <= MAX_FIRST)
        .filter(({ holder }) => beside.every((name) => getKey(holder, name) !== undefined))
        .map(({ keys, value }): Counter => {
          const reason = `The key "${keys.join('.')}" is ${shown(value)}`
          return {
            style,
            parameter,
            where: usualPlace(request),
            first: Number(value),
            reason: `${reason}, so pages are asked for with "${parameter}"`,
            confidence: 'medium',
          }
        }),
    )
  return [...counters('offset', OFFSETS), ...counters('page_number', PAGE_NUMBERS)]
}

const numbered = (request: SampleRequest): Counter => ({
  style: 'page_number',
  parameter: parameterBySize(request, 'page_number') ?? 'page',
  where: usualPlace(request),
  first: 1,
  reason: 'The response tells how many pages there are',
  confidence: 'medium',
})

function guesses(evidence: Evidence): Counter[] {
  const { request, list } = evidence
  const size = sizeAsked(request)
  const isCut = size === null ? USUAL_PAGE_SIZES.has(list.records.length) : list.records.length >= size.value
  if (!isCut && endOfRecords(evidence, null) === null) return []
  const where = size?.where ?? usualPlace(request)
  const held = `the page holds ${list.records.length} records${size === null ? '' : `, as many as "${size.name}" asks for`}`
  const reason = `Nothing names the parameter of the next page; ${held}. A guess: if the second page repeats the first, look the name up in the API's documentation`
  const offset = { style: 'offset', first: 0 } as const
  const page = { style: 'page_number', first: 1 } as const
  const usual = size === null ? null : (SIZE_PARAMETERS.get(size.name.toLowerCase()) ?? null)
  const inHeader = where === 'header'
  const choices = [
    ...(usual?.style === 'offset' ? [{ ...offset, parameter: usual.parameter }] : []),
    ...(usual?.style === 'page_number' ? [{ ...page, parameter: usual.parameter }] : []),
    ...(inHeader ? [] : [{ ...page, parameter: 'page' }]),
    ...(inHeader ? [] : [{ ...offset, parameter: 'offset' }]),
    ...(inHeader ? [] : [{ ...offset, parameter: 'skip' }]),
  ]
  return choices.map((choice) => ({ ...choice, where, reason, confidence: 'low' }))
}

function byNextPageHeader({ request, response }: Evidence): Finding[] {
  return NEXT_PAGE_HEADERS.flatMap((name): Finding[] => {
    const value = headerValue(response.headers, name)
    if (value === null || !/^\s*\d*\s*$/.test(value)) return []
    const expression = `{{ previous_request_headers['${name}'] }}`
    const parameter = parameterBySize(request, 'page_number') ?? 'page'
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

/** How many pages there are, where the first one has this number. */
function endOfPages({ response, values }: Evidence, first: number): End | null {
  const last = first <= 1 ? 'page' : `page + ${first - 1}`
  const found = values.find(
    ({ keys, value }) => PAGE_TOTALS.has(keys.at(-1) ?? '') && numberOf(value) !== null,
  )
  if (found !== undefined) {
    return {
      condition: `${last} < ${asNumber(found)}`,
      reason: `"${found.keys.join('.')}" says that there are ${shown(found.value)} pages`,
    }
  }
  const header = headerWith(PAGE_TOTAL_HEADERS, response.headers)
  return (
    header && {
      condition: `${last} < previous_request_headers['${header.name}'] | int`,
      reason: `the header "${header.name}" says that there are ${header.value} pages`,
    }
  )
}

/** How many records there are; a total no larger than the page may as well be the page's own and ends nothing. */
function endOfRecords({ response, values, list, isMadeUp }: Evidence, counter: Counter | null): End | null {
  const skipped = counter === null || counter.first <= 1 ? 0 : counter.first
  // How many records the pages before it held is not known.
  if (skipped > 0 && counter?.style === 'page_number') return null
  const read = skipped === 0 ? 'count' : `count + ${skipped}`
  const isMore = (value: Data) => (numberOf(value) ?? 0) > list.records.length
  const found = values.find(({ keys, value }) => {
    const [name = '', above = ''] = keys.toReversed()
    // Without its value nobody knows whether a "count" is of all records or of the page.
    if (isMadeUp === true && !/total|hits/i.test(`${above}.${name}`)) return false
    return (RECORD_TOTALS.has(name) || (name === 'value' && above === 'total')) && isMore(value)
  })
  if (found !== undefined) {
    return {
      condition: `${read} < ${asNumber(found)}`,
      reason: `"${found.keys.join('.')}" says that there are ${shown(found.value)} records`,
    }
  }
  const header = headerWith(RECORD_TOTAL_HEADERS, response.headers)
  if (header === null || !isMore(header.value)) return null
  return {
    condition: `${read} < previous_request_headers['${header.name}'] | int`,
    reason: `the header "${header.name}" says that there are ${header.value} records`,
  }
}

function endByFlag({ values }: Evidence): End | null {
  const flag = values.find((found) => isMoreFlag(found))
  if (flag === undefined) return null
  const name = flag.keys.join('.')
  return MORE_FLAGS.get(flag.keys.at(-1) ?? '') === true
    ? { condition: expressionOf(flag.keys), reason: `"${name}" says whether more follow` }
    : { condition: `not ${expressionOf(flag.keys)}`, reason: `"${name}" says whether it is the last one` }
}

function asNumber({ keys, value }: ResponseValue): string {
  return typeof value === 'string' ? `${expressionOf(keys)} | int` : expressionOf(keys)
}

function headerWith(names: readonly string[], headers: Evidence['response']['headers']) {
  for (const name of names) {
    const value = headerValue(headers, name)?.trim()
    if (value !== undefined && /^\d{1,15}$/.test(value)) return { name, value }
  }
  return null
}

function parameterBySize(request: SampleRequest, style: CountStyle): string | null {
  const usual = SIZE_PARAMETERS.get(sizeAsked(request)?.name.toLowerCase() ?? '')
  return usual?.style === style ? usual.parameter : null
}

function sizeAsked(request: SampleRequest): { name: string; value: number; where: Where } | null {
  for (const { name, value, where } of parametersOf(request)) {
    const number = numberOf(value)
    if (number !== null && number > 0 && SIZE_PARAMETERS.has(name.toLowerCase()))
      return { name, value: number, where }
  }
  return null
}

function parametersOf({
  query,
  body,
  headers,
}: SampleRequest): { name: string; value: Data; where: Where }[] {
  const inBody = isDictionary(body) ? entriesOf(body) : []
  return [
    ...entriesOf(query).map(([name, value]) => ({ name, value, where: 'query' as const })),
    ...inBody.map(([name, value]) => ({ name, value, where: 'body' as const })),
    ...headers.map(([name, value]) => ({ name, value, where: 'header' as const })),
  ].filter(({ value }) => !isList(value))
}

/** A whole number from 0, also as text. */
function numberOf(value: Data): number | null {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : null
  return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : null
}
