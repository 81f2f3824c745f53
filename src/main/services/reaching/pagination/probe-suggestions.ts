/** Verifies suggestions with one request each, for the second page, based on the known response. */
import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import {
  type Data,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isJsonText,
  isList,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import { lacksCursor, type PageEvent, type Suggestions, wordsOf } from '../../../engine/pagination/index.ts'
import type { OutgoingResponse, SendRequest } from '../../../engine/ports.ts'

type SecondPage = NonNullable<PaginationSuggestion['second_page']>

/** Warnings that mean that a page had nothing new. */
const REPEATED: ReadonlySet<string> = new Set(['repeated_page', 'first_page_again'])

/** Reads two pages with a configuration; the first of them needs no request. */
export type ReadTwoPages = (config: PaginationSuggestion['config']) => AsyncIterable<PageEvent>

/** Most likely first; stops at the first suggestion that returns new records. */
export async function probeSuggestions(found: Suggestions, read: ReadTwoPages): Promise<Suggestions> {
  const probed: PaginationSuggestion[] = []
  for (const suggestion of found.suggestions) {
    const isFound = probed[0]?.second_page === 'new_records'
    if (isFound) probed.push(suggestion)
    else {
      const checked = await check(suggestion, read)
      if (checked.second_page === 'new_records') probed.unshift(checked)
      else probed.push(checked)
    }
  }
  return { ...found, suggestions: probed.toSorted((a, b) => rankOf(a) - rankOf(b)) }
}

async function check(suggestion: PaginationSuggestion, read: ReadTwoPages): Promise<PaginationSuggestion> {
  const { secondPage, lastBody } = await secondPageOf(read(suggestion.config))
  // The cursor was on the first page, and the last page shows that a list ends when the API leaves it out.
  const isLeftOut =
    secondPage === 'new_records' && lastBody !== null && lacksCursor(suggestion.config, lastBody)
  const checked: PaginationSuggestion = {
    ...suggestion,
    ...(isLeftOut ? { config: { ...suggestion.config, cursor_may_be_absent: true } } : {}),
    second_page: secondPage,
    confidence: confidenceOf(suggestion, secondPage),
  }
  const fromZero = secondPage === 'new_records' ? countedFromZero(suggestion) : null
  return fromZero === null
    ? checked
    : numbered(checked, fromZero, (await secondPageOf(read(fromZero.config))).secondPage)
}

/** An API whose first page is 0 returns new records for page 2 as well, so page 1 decides. */
function numbered(
  fromOne: PaginationSuggestion,
  fromZero: PaginationSuggestion,
  pageOne: SecondPage,
): PaginationSuggestion {
  if (pageOne === 'new_records') return { ...fromZero, second_page: pageOne, confidence: 'high' }
  if (pageOne === 'same_records') return fromOne
  return { ...fromOne, confidence: 'medium' }
}

/** The same suggestion with pages counted from 0; null unless it sends `page + 1`. */
function countedFromZero(suggestion: PaginationSuggestion): PaginationSuggestion | null {
  if (suggestion.style !== 'page_number') return null
  const config = JSON.parse(
    JSON.stringify(suggestion.config).replaceAll('{{ page + 1 }}', '{{ page }}'),
  ) as PaginationSuggestion['config']
  return JSON.stringify(config) === JSON.stringify(suggestion.config)
    ? null
    : {
        ...suggestion,
        config,
        reason: `${suggestion.reason}. The page with number 1 isn't the first one, so the first page has number 0`,
      }
}

const RANKS: Readonly<Record<SecondPage, number>> = {
  new_records: 0,
  no_records: 2,
  failed: 3,
  same_records: 3,
}
const rankOf = ({ second_page: secondPage }: PaginationSuggestion) =>
  secondPage === undefined ? 1 : RANKS[secondPage]

function confidenceOf(
  { confidence }: PaginationSuggestion,
  secondPage: SecondPage,
): PaginationSuggestion['confidence'] {
  if (secondPage === 'new_records') return 'high'
  if (secondPage !== 'no_records') return 'low'
  return confidence === 'high' ? 'medium' : confidence
}

interface Probed {
  readonly secondPage: SecondPage
  /** The body of the second page if the list ended there because there was no cursor. */
  readonly lastBody: Data | null
}

/** If a record of the first page is also on the second, the API ignores the parameter or counts differently. */
async function secondPageOf(events: AsyncIterable<PageEvent>): Promise<Probed> {
  const pages: (readonly Data[])[] = [[], []]
  let text: string | null = null
  let isLast = false
  for await (const event of events) {
    if (event.type === 'failed') return { secondPage: 'failed', lastBody: null }
    if (event.type === 'records') pages[event.page] = [...(pages[event.page] ?? []), ...event.records]
    if (event.type === 'body' && event.page === 1 && !event.truncated) text = event.text
    if (event.type !== 'done') continue
    if (event.warnings.some((code) => REPEATED.has(code)))
      return { secondPage: 'same_records', lastBody: null }
    isLast = event.stop_reason === 'no_next'
  }
  const [first = [], second = []] = pages
  if (second.length === 0) return { secondPage: 'no_records', lastBody: null }
  const known = new Set(first.map((record) => writeJson(record)))
  const isKnown = second.some((record) => known.has(writeJson(record))) || isRepeated(first, second)
  return {
    secondPage: isKnown ? 'same_records' : 'new_records',
    lastBody: isLast && text !== null && isJsonText(text) ? parseJson(text) : null,
  }
}

/** Whether all records are those of the first page, apart from the response time that each of them contains. */
function isRepeated(first: readonly Data[], second: readonly Data[]): boolean {
  if (second.length > first.length) return false
  const without = (record: Data) => writeJson(withoutTimes(record))
  const known = new Set(first.map(without))
  // Records that differ only by a time are a time series, in which the time identifies them.
  if (known.size < first.length) return false
  return second.every((record) => known.has(without(record)))
}

function withoutTimes(value: Data): Data {
  if (isList(value)) return value.map(withoutTimes)
  if (!isDictionary(value)) return value
  return dictionaryOf(
    entriesOf(value)
      .filter(([key, part]) => isDictionary(part) || isList(part) || !isTime(key, part))
      .map(([key, part]): [string, Data] => [key, withoutTimes(part)]),
  )
}

function isTime(key: string, value: Data): boolean {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)) return true
  return wordsOf(key).some((word) => TIME_WORDS.has(word))
}

const TIME_WORDS: ReadonlySet<string> = new Set([
  'time',
  'timestamp',
  'date',
  'datetime',
  'now',
  'age',
  'elapsed',
  'took',
])

/** Replays a known response for the first request, and sends the others. */
export function replaying(first: Omit<OutgoingResponse, 'url'>, send: SendRequest): SendRequest {
  let isFirst = true
  return (request, options) => {
    if (!isFirst) return send(request, options)
    isFirst = false
    return Promise.resolve({ ...first, url: request.url })
  }
}
