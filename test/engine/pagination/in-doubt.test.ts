/**
 * Shapes of APIs × faults planted in the middle of their lists. No fault may end as a list that looks complete, and no
 * shape without a fault may be doubted. The
 * long form (`npm run test:doubt`) plants every fault in every shape, the short one every fourth.
 */
import { afterAll, describe, expect, test } from 'vitest'
import type { Data } from '../../../src/main/engine/data/value.ts'
import { ids, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'

const PAGES = 4
const SIZE = 3
const TOTAL = PAGES * SIZE

interface Shape {
  readonly config: Data
  /** The number of the page that a request asks for, from 1. */
  readonly pageOf: (request: Wire) => number
  /** What a page has beside its list. */
  readonly beside: (page: number) => object
  /** Null: the response is the list. */
  readonly key: string | null
  readonly headers?: (page: number, base: string) => Record<string, string>
}

const number = (name: string) => (request: Wire) => Number(request.query[name] ?? 1)
const offset = (name: string) => (request: Wire) => Number(request.query[name] ?? 0) / SIZE + 1
const cursor = (name: string) => (request: Wire) => Number(String(request.query[name] ?? 'c1').slice(1))
const next = (page: number) => (page < PAGES ? `c${page + 1}` : null)

const ENVELOPES: Record<string, (page: number) => object> = {
  bare: () => ({}),
  coded: () => ({ code: 0, msg: 'ok' }),
  counted: (page) => ({ page, total: TOTAL }),
  meta: (page) => ({ meta: { page, total_pages: PAGES, total_count: TOTAL } }),
  flagged: (page) => ({ has_more: page < PAGES, object: 'list' }),
  kinds: () => ({ kind: 'list', etag: 'e' }),
}

function shapes(): Map<string, Shape> {
  const all = new Map<string, Shape>()
  for (const key of ['data', 'items', 'results', 'value'])
    for (const [name, beside] of Object.entries(ENVELOPES)) {
      const path = { response_jsonpath: `$.${key}` }
      const add = (kind: string, shape: Omit<Shape, 'key'>) =>
        all.set(`${kind} ${name} ${key}`, { key, ...shape })
      const cursored = (page: number) => ({ ...beside(page), next_cursor: next(page) })
      add('page', { config: { ...path, query: '{"page": {{ page + 1 }}}' }, pageOf: number('page'), beside })
      add('offset', {
        config: { ...path, query: '{"offset": {{ count }}}' },
        pageOf: offset('offset'),
        beside,
      })
      add('cursor', {
        config: { ...path, query: '{"cursor": "{{ previous_request.next_cursor }}"}' },
        pageOf: cursor('cursor'),
        beside: cursored,
      })
      add('nested cursor', {
        config: { ...path, query: '{"after": "{{ previous_request.paging.next.after }}"}' },
        pageOf: cursor('after'),
        beside: (page) => ({
          ...beside(page),
          ...(page < PAGES ? { paging: { next: { after: next(page) } } } : {}),
        }),
      })
      add('link', {
        config: { ...path, endpoint: '{{ previous_request.next }}', query: '{}' },
        pageOf: number('page'),
        beside: (page) => ({ ...beside(page), next: page < PAGES ? `?page=${page + 1}` : null }),
      })
      if (name === 'flagged')
        add('guarded', {
          config: {
            ...path,
            query: `{{ '{"page": ' ~ (page + 1) ~ '}' if previous_request.has_more else '' }}`,
          },
          pageOf: number('page'),
          beside,
        })
      if (name === 'meta')
        add('guarded', {
          config: {
            ...path,
            query: '{"page": "{{ page + 1 if page < previous_request.meta.total_pages else \'\' }}"}',
          },
          pageOf: number('page'),
          beside,
        })
      if (name === 'counted')
        add('guarded', {
          config: {
            ...path,
            query: '{"offset": "{{ count if count < previous_request.total else \'\' }}"}',
          },
          pageOf: offset('offset'),
          beside,
        })
    }
  all.set('page array', {
    key: null,
    config: { query: '{"page": {{ page + 1 }}}' },
    pageOf: number('page'),
    beside: () => ({}),
  })
  all.set('link header array', {
    key: null,
    config: { endpoint: '{{ links.next }}', query: '{}' },
    pageOf: number('page'),
    beside: () => ({}),
    headers: (page, base) => (page < PAGES ? { Link: `<${base}/items?page=${page + 1}>; rel="next"` } : {}),
  })
  return all
}

const recordsOf = (page: number) => ids((page - 1) * SIZE + 1, Math.min(TOTAL, page * SIZE))

function bodyOf(shape: Shape, page: number): unknown {
  return shape.key === null ? recordsOf(page) : { ...shape.beside(page), [shape.key]: recordsOf(page) }
}

const ERRORS: readonly unknown[] = [
  { message: 'Internal server error' },
  { errcode: 40001, errmsg: 'invalid credential' },
  { code: 500, msg: 'failed', data: null },
  { fault: { faultstring: 'boom' } },
  { errorMessages: ['boom'] },
  { exception: 'NullPointer', status: 500 },
  { Success: false },
  { result: 'error' },
  { status: 'failure' },
  { status: 'fail', reason: 'boom' },
  { error_description: 'expired' },
  { Error: 'boom', Response: 'False' },
  { error: 'boom' },
  'Service unavailable',
  false,
]

/** A fault's response; undefined where the shape can't have it. */
type Fault = (shape: Shape, page: number) => unknown
const without = (shape: Shape, page: number, list: unknown): unknown =>
  shape.key === null ? list : { ...shape.beside(page), [shape.key]: list }

const FAULTS: Record<string, Fault> = {
  ...Object.fromEntries(ERRORS.map((body) => [`error ${JSON.stringify(body)}`, () => body])),
  // An API can write an empty first page this way.
  'list null': (shape, page) =>
    (page > 1 || saysOtherwise(shape, page)) && !saysEnd(shape, page)
      ? without(shape, page, null)
      : undefined,
  'list missing': (shape, page) =>
    shape.key === null || saysEnd(shape, page) ? undefined : shape.beside(page),
  'list text': (shape, page) => without(shape, page, 'Max rate exceeded'),
  'page repeated': (shape, page) => (page > 1 ? without(shape, page, recordsOf(page - 1)) : undefined),
  'empty page': (shape, page) => (saysOtherwise(shape, page) ? without(shape, page, []) : undefined),
}

/** A page without records before a live cursor is allowed: only a total, or the end of a counted list, says otherwise. */
function saysOtherwise(shape: Shape, page: number): boolean {
  const beside = JSON.stringify(shape.beside(page))
  const isCounted = !JSON.stringify(shape.config).includes('previous_request')
  return beside.includes('"total') || (isCounted && beside.includes('"has_more":true'))
}

/** A page without its list that says so is an honest end. */
function saysEnd(shape: Shape, page: number): boolean {
  return JSON.stringify(shape.beside(page)).includes('"has_more":false')
}

const counts = { shapes: 0, alarms: 0, runs: 0, failed: 0, doubted: 0, whole: 0, silent: 0 }
afterAll(() => console.log(`Lists in doubt: ${JSON.stringify(counts)}`))

async function read(shape: Shape, fault?: { readonly at: number; readonly reply: unknown }) {
  return runAgainst(
    (request, _, base): Reply => {
      const page = shape.pageOf(request)
      const json = fault?.at === page ? fault.reply : bodyOf(shape, page)
      return { json, headers: shape.headers?.(page, base) ?? {} }
    },
    shape.config,
    { limits: { backoff_base_ms: 0, max_attempts: 2, rate_limit_patience_ms: 0, max_empty_pages: 5 } },
  )
}

const isLong = process.env['MILLRACE_DOUBT'] === 'long'

describe('a list without faults is complete, with a fault it says so', () => {
  test.each([...shapes()])(
    '%s',
    async (name, shape) => {
      counts.shapes++
      const plain = await read(shape)
      const end = plain.events.at(-1)
      if (end?.type !== 'done' || end.complete !== true) counts.alarms++
      expect({ name, records: plain.records, warnings: plain.warnings, end }).toMatchObject({
        records: ids(1, TOTAL),
        warnings: [],
        end: { complete: true },
      })
      const silent: string[] = []
      const all = Object.entries(FAULTS).flatMap(([fault, replyOf]) =>
        Array.from({ length: PAGES }, (_, index) => ({
          fault,
          at: index + 1,
          reply: replyOf(shape, index + 1),
        })),
      )
      const planted = all.filter(({ reply }) => reply !== undefined)
      const faults = planted.filter((_, index) => isLong || (index + counts.shapes) % 16 === 0)
      for (const { fault, at, reply } of faults) {
        counts.runs++
        const { records, events, error } = await read(shape, { at, reply })
        const last = events.at(-1)
        if (error !== undefined) counts.failed++
        else if (last?.type === 'done' && last.complete === 'in_doubt') counts.doubted++
        else if (JSON.stringify(records) === JSON.stringify(ids(1, TOTAL))) counts.whole++
        else silent.push(`${fault} on page ${at}`)
      }
      counts.silent += silent.length
      expect({ name, silent }).toEqual({ name, silent: [] })
    },
    60_000,
  )
})

test('a list that fails in doubt is resumed with the corrected configuration', async () => {
  const config = (path: string): Data => ({
    response_jsonpath: '$.d',
    query: `{"after": "{{ previous_request.${path} }}"}`,
  })
  const answer = ({ query }: Wire): Reply =>
    query['after'] === 'b'
      ? { json: { d: ids(2, 2), next: { after: null } } }
      : { json: { d: ids(1, 1), next: { after: 'b' } } }
  const failed = await runAgainst(answer, config('next.aftr'), { checkpoints: true, whenInDoubt: 'fail' })
  const [warning] = failed.events.filter((event) => event.type === 'warning')
  expect({ code: failed.error?.code, records: failed.records, warning }).toMatchObject({
    code: 'list_in_doubt',
    records: ids(1, 1),
    warning: {
      code: 'cursor_never_seen',
      in_doubt: true,
      message: expect.stringContaining('"next.after"') as string,
    },
  })
  const checkpoint = failed.checkpoints.at(-1)!
  const fingerprints = failed.checkpoints.flatMap(({ fingerprint }) => fingerprint ?? [])
  const rest = await runAgainst(answer, config('next.after'), {
    whenInDoubt: 'fail',
    resume: { checkpoint, fingerprints },
  })
  expect({ records: rest.records, error: rest.error, end: rest.events.at(-1) }).toMatchObject({
    records: ids(2, 2),
    error: undefined,
    end: { type: 'done', complete: true },
  })
})
