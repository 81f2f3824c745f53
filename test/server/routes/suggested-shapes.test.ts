import { expect, test } from 'vitest'
import type { PaginationSuggestion } from '../../../src/shared/contract/pagination.ts'
import { eventsOf } from '../../helpers/pagination-test-events.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { COUNTED_SHAPES } from '../../resources/api-shapes/counted.ts'
import { CURSOR_SHAPES } from '../../resources/api-shapes/cursors.ts'
import { LINK_SHAPES } from '../../resources/api-shapes/links.ts'
import { OTHER_FORMATS } from '../../resources/api-shapes/other-formats.ts'
import { type ServedShape, serveShape } from '../../resources/api-shapes/serve-shape.ts'
import type { ApiShape } from '../../resources/api-shapes/shape.ts'

const SHAPES: readonly ApiShape[] = [...LINK_SHAPES, ...CURSOR_SHAPES, ...COUNTED_SHAPES, ...OTHER_FORMATS]

/** What the first response does not tell: the parameter, or what it takes, is only in the documentation. */
const NOT_TOLD: readonly string[] = [
  'Wikidata search',
  'Google Places',
  'Wise-like list with an ending cursor',
  'Auth0 checkpoint',
  'Vercel',
  'Lago-like last id under another name',
  'Discord',
  'Telegram',
  'Trello',
  'Monzo-like, since the last record',
  'Contentstack',
  'BigCommerce v2',
  'Magento',
  'npm search',
  'World Bank',
  'Smartsheet',
  'DocuSign',
  'arXiv',
]

interface Outcome {
  readonly name: string
  readonly confidence: PaginationSuggestion['confidence'] | null
  readonly right: boolean
  readonly why: unknown
}

test('the first suggestion reads the whole list of most APIs, and nearly always where it says that it is sure', async () => {
  const app = await startTestApp()
  const outcomes: Outcome[] = []
  for (const shape of SHAPES) {
    const served = await serveShape(shape)
    try {
      outcomes.push(await outcomeOf(app, shape, served))
    } finally {
      await served.close()
    }
  }
  const wrong = outcomes.filter(({ right }) => !right)
  const sure = outcomes.filter(({ confidence }) => confidence === 'high')
  const surelyWrong = sure.filter(({ right }) => !right)
  expect(wrong.filter(({ name }) => !NOT_TOLD.includes(name))).toEqual([])
  expect(NOT_TOLD.filter((name) => !wrong.some((outcome) => outcome.name === name))).toEqual([])
  expect({
    isLargeTable: SHAPES.length >= 170,
    mostAreRight: SHAPES.length - wrong.length >= 0.85 * SHAPES.length,
    isSureOfMany: sure.length >= 0.6 * SHAPES.length,
    sureOnesAreRight: sure.length - surelyWrong.length >= 0.95 * sure.length,
  }).toEqual({ isLargeTable: true, mostAreRight: true, isSureOfMany: true, sureOnesAreRight: true })
}, 300_000)

async function outcomeOf(app: TestApp, shape: ApiShape, served: ServedShape): Promise<Outcome> {
  const { base } = served
  const [method = '', path = ''] = shape.call.split(' ')
  const address = new URL(path, `${base}/`)
  const request = {
    base_url: base,
    endpoint: address.pathname.slice(1) || '/',
    method,
    query: Object.fromEntries(address.searchParams),
    headers: { ...shape.headers },
    ...(shape.body === undefined ? {} : { body: shape.body }),
  }
  const response = await fetch(address, {
    method,
    headers: { 'Content-Type': 'application/json', ...shape.headers },
    ...(shape.body === undefined ? {} : { body: JSON.stringify(shape.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  const {
    json,
    status,
    text: said,
  } = await app.call('POST', '/v1/pagination-tests/suggestions', {
    request: {
      url: address.href,
      method,
      headers: request.headers,
      ...(shape.body ? { body: shape.body } : {}),
      endpoint: request.endpoint,
    },
    response: {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: isJson ? (JSON.parse(text) as unknown) : text,
    },
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
