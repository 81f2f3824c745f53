import { describe, expect, onTestFinished, test } from 'vitest'
import type { PaginationSuggestion } from '../../../src/shared/contract/pagination.ts'
import { eventsOf } from '../../helpers/pagination-test-events.ts'
import { outcomeOf, type SuggestionOutcome, sampleOf } from '../../helpers/suggestion-outcomes.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { COUNTED_SHAPES } from '../../resources/api-shapes/counted.ts'
import { CURSOR_SHAPES } from '../../resources/api-shapes/cursors.ts'
import { DRAWN_FOR_DEVELOPMENT } from '../../resources/api-shapes/drawn/development.ts'
import { DRAWN_AND_HELD_OUT } from '../../resources/api-shapes/drawn/held-out.ts'
import { shapeOf, withoutPosition } from '../../resources/api-shapes/drawn/read-row.ts'
import { DEVELOPMENT_SHAPES } from '../../resources/api-shapes/fresh/development.ts'
import { HELD_OUT_SHAPES } from '../../resources/api-shapes/fresh/held-out.ts'
import { LINK_SHAPES } from '../../resources/api-shapes/links.ts'
import { OTHER_FORMATS } from '../../resources/api-shapes/other-formats.ts'
import { serveShape } from '../../resources/api-shapes/serve-shape.ts'
import { type ApiShape, byPage, byToken } from '../../resources/api-shapes/shape.ts'

const SHAPES: readonly ApiShape[] = [...LINK_SHAPES, ...CURSOR_SHAPES, ...COUNTED_SHAPES, ...OTHER_FORMATS]

/** APIs whose first response isn't enough: the parameter, or its value, is only in the documentation. */
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

test('the first suggestion reads the whole list of most APIs, and nearly always if it claims to be certain', async () => {
  const app = await startTestApp()
  const outcomes: SuggestionOutcome[] = []
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

const DRAWN = DRAWN_FOR_DEVELOPMENT.map(shapeOf)
const HELD_OUT = DRAWN_AND_HELD_OUT.map(shapeOf)
const BARE = DRAWN_AND_HELD_OUT.map(withoutPosition).map(shapeOf)

/** The counts are shown by `npx vitest run --reporter=verbose test/server/routes/suggested-shapes.test.ts`. */
describe('of APIs drawn by lot', () => {
  test.for([
    { set: 'known', shapes: DEVELOPMENT_SHAPES, isProbed: false, least: { right: 0.85, surelyRight: 0.95 } },
    { set: 'known', shapes: DEVELOPMENT_SHAPES, isProbed: true, least: { right: 0.9, surelyRight: 0.95 } },
    { set: 'odd', shapes: HELD_OUT_SHAPES, isProbed: false, least: { right: 0.65, surelyRight: 0.95 } },
    { set: 'odd', shapes: HELD_OUT_SHAPES, isProbed: true, least: { right: 0.83, surelyRight: 0.95 } },
    { set: 'described', shapes: DRAWN, isProbed: false, least: { right: 0.9, surelyRight: 0.95 } },
    { set: 'described', shapes: DRAWN, isProbed: true, least: { right: 0.97, surelyRight: 0.95 } },
    { set: 'held out', shapes: HELD_OUT, isProbed: false, least: { right: 0.85, surelyRight: 0.95 } },
    { set: 'held out', shapes: HELD_OUT, isProbed: true, least: { right: 0.85, surelyRight: 0.95 } },
    { set: 'held out, bare', shapes: BARE, isProbed: false, least: { right: 0.7, surelyRight: 0.9 } },
    { set: 'held out, bare', shapes: BARE, isProbed: true, least: { right: 0.8, surelyRight: 0.95 } },
  ])(
    '$set, probed: $isProbed, most first suggestions are right, and nearly all that claim to be certain',
    { timeout: 300_000 },
    async ({ set, shapes, isProbed, least }, { annotate }) => {
      const app = await startTestApp()
      const outcomes: SuggestionOutcome[] = []
      for (const shape of shapes) {
        const served = await serveShape(shape)
        try {
          outcomes.push(await outcomeOf(app, shape, served, isProbed))
        } finally {
          await served.close()
        }
      }
      const right = outcomes.filter((outcome) => outcome.right)
      const sure = outcomes.filter(({ confidence }) => confidence === 'high')
      const surelyRight = sure.filter((outcome) => outcome.right)
      await annotate(
        `${set}${isProbed ? ', probed' : ''}: right ${right.length} of ${outcomes.length}, "high" right ${surelyRight.length} of ${sure.length}`,
      )
      // For what is held out, the wrong ones aren't shown, because nothing may be changed because of them.
      expect({
        right: right.length >= least.right * outcomes.length,
        sure: sure.length >= 0.35 * outcomes.length,
        surelyRight: surelyRight.length >= least.surelyRight * sure.length,
        wrong: set.startsWith('held out')
          ? []
          : outcomes.filter((outcome) => !outcome.right).map(({ name }) => name),
      }).toMatchObject({ right: true, sure: true, surelyRight: true })
    },
  )
})

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

  test('page 1 is requested as well: it shows whether the first page has the number 0', async () => {
    const shape = (first: number): ApiShape => ({
      name: `a plain list, from ${first}`,
      call: 'GET users?per_page=20',
      total: 45,
      serve: byPage('page', first, (c) => c.rows, { size: 20, total: 45 }),
    })
    const outcomes = []
    for (const first of [0, 1]) {
      const app = await startTestApp()
      const served = await serveShape(shape(first))
      onTestFinished(() => served.close())
      const { name, confidence, right } = await outcomeOf(app, shape(first), served, true)
      outcomes.push({ name, confidence, right })
    }
    expect(outcomes).toEqual([
      { name: 'a plain list, from 0', confidence: 'high', right: true },
      { name: 'a plain list, from 1', confidence: 'high', right: true },
    ])
  })

  test('a last page without the cursor shows that the API leaves it out, and one with null that it does not', async () => {
    const shape = (total: number, cursor: (next: string | null) => object): ApiShape => ({
      name: 'a cursor',
      call: 'GET things?limit=20',
      total,
      serve: byToken('cursor', ({ rows, next }) => ({ data: rows, ...cursor(next) }), { size: 20, total }),
    })
    const leaves = (next: string | null) => (next === null ? {} : { next_cursor: next })
    const seen: unknown[] = []
    for (const api of [
      shape(30, leaves),
      shape(30, (next) => ({ next_cursor: next })),
      shape(30, (next) => ({ ...leaves(next), has_more: next !== null })),
      shape(50, leaves),
    ]) {
      const app = await startTestApp()
      const served = await serveShape(api)
      onTestFinished(() => served.close())
      const { body, request } = await sampleOf(api, served)
      const { json } = await app.call('POST', '/v1/pagination-tests/suggestions', {
        ...body,
        probe: { request },
      })
      const [first] = (json as { suggestions: PaginationSuggestion[] }).suggestions
      seen.push([first?.second_page, first?.config.cursor_may_be_absent])
    }
    expect(seen).toEqual([
      ['new_records', true],
      ['new_records', undefined],
      ['new_records', undefined],
      ['new_records', undefined],
    ])
  })

  test.for([
    [
      'a page without records',
      (page: number) => (page === 0 ? [{ name: 'a' }, { name: 'b' }] : []),
      { confidence: 'medium', second_page: 'no_records' },
    ],
    [
      'the first page again, with the time of the response',
      (page: number) => [
        { document: { name: 'a' }, readTime: `2026-01-01T00:00:0${page}Z` },
        { document: { name: 'b' }, readTime: `2026-01-01T00:00:0${page}Z` },
      ],
      { confidence: 'low', second_page: 'same_records' },
    ],
    [
      'other times with equal values, as in a series',
      (page: number) => [
        { time: `2026-01-01T00:00:0${page * 2}Z`, value: 1 },
        { time: `2026-01-01T00:00:0${page * 2 + 1}Z`, value: 1 },
      ],
      { confidence: 'high', second_page: 'new_records' },
    ],
  ] as const)('%s', async ([name, rows, expected]) => {
    const app = await startTestApp()
    let calls = 0
    const shape: ApiShape = {
      name,
      call: 'GET things',
      serve: ({ base }) => ({ body: { items: rows(calls), next: `${base}/things?cursor=c${(calls += 1)}` } }),
    }
    const served = await serveShape(shape)
    onTestFinished(() => served.close())
    const { body, request } = await sampleOf(shape, served)
    const { json } = await app.call('POST', '/v1/pagination-tests/suggestions', {
      ...body,
      probe: { request },
    })
    expect((json as { suggestions: PaginationSuggestion[] }).suggestions[0]).toMatchObject(expected)
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
