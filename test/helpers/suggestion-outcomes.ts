import type { PaginationSuggestion } from '../../src/shared/contract/pagination.ts'
import { type ServedShape } from '../resources/api-shapes/serve-shape.ts'
import type { ApiShape } from '../resources/api-shapes/shape.ts'
import { eventsOf } from './pagination-test-events.ts'
import type { TestApp } from './test-app.ts'

export interface SuggestionOutcome {
  readonly name: string
  readonly confidence: PaginationSuggestion['confidence'] | null
  /** Whether every record was read exactly once, without an error. */
  readonly right: boolean
  readonly why: unknown
}

/** The first call, sent directly, and its response. */
export async function sampleOf(shape: ApiShape, { base }: ServedShape) {
  const [method = '', path = ''] = shape.call.split(' ')
  const address = new URL(path, `${base}/`)
  const endpoint = address.pathname.slice(1) || '/'
  const sent = shape.body === undefined ? {} : { body: shape.body }
  const headers = { ...shape.headers }
  const response = await fetch(address, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(shape.body === undefined ? {} : { body: JSON.stringify(shape.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return {
    request: {
      base_url: base,
      endpoint,
      method,
      query: Object.fromEntries(address.searchParams),
      headers,
      ...sent,
    },
    body: {
      request: { url: address.href, method, headers, endpoint, ...sent },
      response: {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: isJson ? (JSON.parse(text) as unknown) : text,
      },
    },
  }
}

/** Follows the first suggestion to the end of the list. */
export async function outcomeOf(
  app: TestApp,
  shape: ApiShape,
  served: ServedShape,
  isProbed = false,
): Promise<SuggestionOutcome> {
  const { request, body } = await sampleOf(shape, served)
  const {
    json,
    status,
    text: said,
  } = await app.call('POST', '/v1/pagination-tests/suggestions', {
    ...body,
    ...(isProbed ? { probe: { request } } : {}),
  })
  if (status !== 200) return { name: shape.name, confidence: null, right: false, why: said }
  const [suggestion] = (json as { suggestions: PaginationSuggestion[] }).suggestions
  if (suggestion === undefined) return { name: shape.name, confidence: null, right: false, why: 'none' }
  const events = await eventsOf(app, { request, pagination_config: suggestion.config, max_pages: 30 })
  const records = events.flatMap((event) => (event.type === 'records' ? event.records : []))
  const ids = new Set(records.map((record) => /"?\br\d+\b"?/.exec(JSON.stringify(record))?.[0]))
  const last = events.at(-1)
  const { total = 8 } = shape
  const right = last?.type === 'done' && records.length === total && ids.size === total
  return {
    name: shape.name,
    confidence: suggestion.confidence,
    right,
    why: { config: suggestion.config, records: records.length, last },
  }
}
