/** Verifies suggestions with one request each, for the second page, based on the known response. */
import type { PaginationSuggestion } from '../../../shared/contract/pagination.ts'
import { writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'
import type { PageEvent, Suggestions } from '../../engine/pagination/index.ts'
import type { OutgoingResponse, SendRequest } from '../../engine/ports.ts'

type SecondPage = NonNullable<PaginationSuggestion['second_page']>

/** Reads two pages with a configuration; the first of them needs no request. */
export type ReadTwoPages = (config: PaginationSuggestion['config']) => AsyncIterable<PageEvent>

/** Most likely first; stops at the first suggestion that returns new records. */
export async function probeSuggestions(found: Suggestions, read: ReadTwoPages): Promise<Suggestions> {
  const probed: PaginationSuggestion[] = []
  for (const suggestion of found.suggestions) {
    const isFound = probed[0]?.second_page === 'new_records'
    if (isFound) probed.push(suggestion)
    else {
      const secondPage = await secondPageOf(read(suggestion.config))
      const checked = {
        ...suggestion,
        second_page: secondPage,
        confidence: confidenceOf(suggestion, secondPage),
      }
      if (secondPage === 'new_records') probed.unshift(checked)
      else probed.push(checked)
    }
  }
  return { ...found, suggestions: probed.toSorted((a, b) => rankOf(a) - rankOf(b)) }
}

const RANKS: Readonly<Record<SecondPage, number>> = {
  new_records: 0,
  no_records: 2,
  failed: 3,
  same_records: 3,
}
const rankOf = ({ second_page: secondPage }: PaginationSuggestion) =>
  secondPage === undefined ? 1 : RANKS[secondPage]

function confidenceOf({ confidence }: PaginationSuggestion, secondPage: SecondPage) {
  if (secondPage === 'new_records') return 'high'
  return secondPage === 'no_records' ? confidence : 'low'
}

/** If a record of the first page is also on the second, the API ignores the parameter or counts differently. */
async function secondPageOf(events: AsyncIterable<PageEvent>): Promise<SecondPage> {
  const pages: (readonly Data[])[] = [[], []]
  for await (const event of events) {
    if (event.type === 'failed') return 'failed'
    if (event.type === 'records') pages[event.page] = [...(pages[event.page] ?? []), ...event.records]
    if (event.type === 'done' && event.warnings.includes('repeated_page')) return 'same_records'
  }
  const [first = [], second = []] = pages
  if (second.length === 0) return 'no_records'
  const known = new Set(first.map((record) => writeJson(record)))
  return second.some((record) => known.has(writeJson(record))) ? 'same_records' : 'new_records'
}

/** Replays a known response for the first request, and sends the others. */
export function replaying(first: Omit<OutgoingResponse, 'url'>, send: SendRequest): SendRequest {
  let isFirst = true
  return (request, options) => {
    if (!isFirst) return send(request, options)
    isFirst = false
    return Promise.resolve({ ...first, url: request.url })
  }
}
