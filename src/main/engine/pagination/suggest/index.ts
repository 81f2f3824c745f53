import { englishOf, SAID, say, type Said, type Spoken } from '../../../../shared/contract/base/message.ts'
import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import { byCount, byGuess, byNextOffset } from './by-count.ts'
import { byCursor, byCursorHeader, byLastId, bySortValues } from './by-cursor.ts'
import { byLinkHeader, byNextAddress } from './by-link.ts'
import { valuesIn } from './response-values.ts'
import { findRecordList } from './record-list.ts'
import type { Evidence, Finding, Sample } from './sample.ts'

export interface Suggestions extends Spoken {
  /** Sorted, most likely first. */
  readonly suggestions: readonly PaginationSuggestion[]
  /** Advice if there are no suggestions. */
  readonly advice: string | null
}

/** Detects from one response how an API splits its lists into pages, and writes the configuration for it. */
export function suggestPagination(sample: Sample): Suggestions {
  const { status, body } = sample.response
  if (status < 200 || status > 299) {
    return none(
      say(
        'The response has status {{status}}. Make the first call work without pagination parameters, and try again',
        { status },
      ),
    )
  }
  const values = valuesIn(body)
  const list = findRecordList(body, values, sample.request.endpoint)
  if (list === null) {
    return none(
      say(
        "The response doesn't contain a list. Check that the call lists records, and that its response is JSON, JSON lines, a table or XML",
      ),
    )
  }
  const evidence = { ...sample, list, values }
  const told = demoteCounters(KINDS.flatMap((find) => find(evidence)))
  const found = told.some(({ confidence }) => confidence === 'high') ? told : [...told, ...byGuess(evidence)]
  const suggestions = distinct(
    found.map(({ config, ...finding }) => ({
      ...finding,
      config: { ...config, ...sample.response.keys, response_jsonpath: list.path },
    })),
  )
    .toSorted((a, b) => RANK[a.confidence] - RANK[b.confidence])
    .slice(0, MAX_SUGGESTIONS)
  if (suggestions.length > 0) return { suggestions, advice: null }
  return none(
    say(
      "Nothing in the response points to a next page; its {{count}} records may be the whole list. If not, request a small page as the API's documentation describes (such as limit=10&offset=0, or per_page=10&page=1) and try again with that response",
      { count: list.records.length },
    ),
  )
}

/** Sorted from the strongest to the weakest evidence. On a tie, the earlier one wins. */
const KINDS: readonly ((evidence: Evidence) => readonly Finding[])[] = [
  byLinkHeader,
  byNextAddress,
  bySortValues,
  byCursor,
  byCursorHeader,
  byNextOffset,
  byCount,
  byLastId,
]

const RANK: Readonly<Record<PaginationSuggestion['confidence'], number>> = { high: 0, medium: 1, low: 2 }
const MAX_SUGGESTIONS = 8

/** Ranks page numbers lower next to a link or a live cursor, because then they are meant for people. */
function demoteCounters(found: readonly Finding[]): Finding[] {
  const isLed = found.some(({ style, confidence }) => !COUNTED.has(style) && confidence === 'high')
  return found.map((finding) =>
    isLed && COUNTED.has(finding.style) ? { ...finding, confidence: 'low' } : finding,
  )
}

const COUNTED: ReadonlySet<Finding['style']> = new Set(['page_number', 'offset', 'last_record'])

function distinct(suggestions: readonly PaginationSuggestion[]): PaginationSuggestion[] {
  const seen = new Map<string, PaginationSuggestion>()
  for (const suggestion of suggestions) {
    const key = JSON.stringify(suggestion.config)
    if (!seen.has(key)) seen.set(key, suggestion)
  }
  return [...seen.values()]
}

function none(advice: Said): Suggestions {
  return { suggestions: [], advice: englishOf(advice), [SAID]: advice }
}
