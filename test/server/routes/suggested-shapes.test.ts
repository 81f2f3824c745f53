import { describe, expect, onTestFinished, test } from 'vitest'
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

/** What the first response can't show: the parameter, or its value, is only in the documentation. */
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

test('the first suggestion reads the whole list of most APIs, and nearly always if it claims to be certain', async () => {
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

describe('with one request each', () => {
  const shapeNamed = (name: string) => SHAPES.find((shape) => shape.name === name) as ApiShape

  async function probed(name: string) {
    const app = await startTestApp()
    const served = await serveShape(shapeNamed(name))
    onTestFinished(() => served.close())
    const { body, request } = await sampleOf(shapeNamed(name), served)
    const suggest = async (more: object) => {
      const { json } = await app.call('POST', '/v1/pagination-tests/suggestions', { ...body, ...more })
      const { suggestions } = json as { suggestions: PaginationSuggestion[] }
      return suggestions.map(({ config, confidence, second_page: secondPage }) => ({
        sends: config.query ?? config.endpoint,
        confidence,
        secondPage,
      }))
    }
    const before = await suggest({})
    const callsBefore = served.calls()
    const after = await suggest({ probe: { request } })
    return { before, callsBefore, after, calls: served.calls() - callsBefore }
  }

  test('the suggestion whose second page has new records comes first, and nothing is sent unless requested', async () => {
    const { before, callsBefore, after, calls } = await probed('Contentstack')
    expect({ first: before[0], callsBefore, calls, after: after.slice(0, 2), last: after.at(-1) }).toEqual({
      first: { sends: '{"offset": {{ count }}}', confidence: 'medium', secondPage: undefined },
      callsBefore: 1,
      calls: 3,
      after: [
        { sends: '{"skip": {{ count }}}', confidence: 'high', secondPage: 'new_records' },
        { sends: '{"start": {{ count }}}', confidence: 'low', secondPage: undefined },
      ],
      last: { sends: '{"page": {{ page + 1 }}}', confidence: 'low', secondPage: 'same_records' },
    })
  })

  test('a suggestion that an API rejects or repeats is no longer likely', async () => {
    const { after, calls } = await probed('Vercel')
    const { after: telegram } = await probed('Telegram')
    const refused = telegram.map(({ secondPage }) => secondPage)
    expect({ first: after[0], last: after.at(-1), calls, refused }).toMatchObject({
      calls: 4,
      first: {
        sends: expect.stringContaining('until') as string,
        confidence: 'high',
        secondPage: 'new_records',
      },
      last: { confidence: 'low', secondPage: 'same_records' },
      refused: expect.not.arrayContaining(['new_records']) as string[],
    })
  })

  test('an action of a connector is checked with its auth', async () => {
    const app = await startTestApp({ playground: true })
    const call = { connector_id: 'f306cd0c-aa4f-4195-8fec-ae5b83201da5', action: 'list_tickets' }
    const [sent] = await eventsOf(app, { ...call, max_pages: 1, include: ['body'] })
    const url = sent?.type === 'request' ? sent.url : ''
    const response = await fetch(url)
    const { json } = await app.call('POST', '/v1/pagination-tests/suggestions', {
      request: { url, method: 'GET' },
      response: { status: response.status, headers: {}, body: (await response.json()) as unknown },
      probe: call,
    })
    const [first] = (json as { suggestions: PaginationSuggestion[] }).suggestions
    expect(first).toMatchObject({ second_page: 'new_records', confidence: 'high' })
  })
})

/** The first call, sent directly, and its response. */
async function sampleOf(shape: ApiShape, { base }: ServedShape) {
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

async function outcomeOf(app: TestApp, shape: ApiShape, served: ServedShape): Promise<Outcome> {
  const { request, body } = await sampleOf(shape, served)
  const { json, status, text: said } = await app.call('POST', '/v1/pagination-tests/suggestions', body)
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
